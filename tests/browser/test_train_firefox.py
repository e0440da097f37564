"""网页里的训练，在 Firefox 里与在 Chromium 里一模一样：同一个种子，五十步之后参数的每一位都相同。

机器上有 Firefox（firefox 或 firefox-esr）才做：开一个小服务器，Firefox 打开一页，那一页训练完，把结果送回来。
"""

import json
import shutil
import subprocess
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from test_train_model import BASE, LIVE, RUNS, SCRIPTS, TOOLS, TRAINING, load, wasm

FIREFOX = shutil.which("firefox") or shutil.which("firefox-esr")
SECONDS = 240
# 每一步的损失，最后的参数搅成一个数；损失经过 Math.log，它的末一位各家不一定相同，只用来报告
TRAIN = f"""(given) => {{
  {TOOLS};
  const run = trainRun(tools)(given, wasm), losses = [];
  for (let i = 0; i < 50; i++) losses.push(run.advance().loss);
  const {{ values }} = run.model, bits = new Uint32Array(values.slice().buffer);
  return {{ simd: run.model.simd, losses, bits: trainRandom().stir(...bits) }};
}}"""
GIVEN = [BASE | TRAINING | more for more in RUNS]


def page() -> bytes:
    code = "".join((LIVE / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    code += f"const wasm = new Uint8Array({list(wasm())});\n"
    code += f'fetch("/", {{ method: "POST", body: JSON.stringify({json.dumps(GIVEN)}.map({TRAIN})) }});'
    return f"<!doctype html><meta charset=utf-8><title>页</title><script>{code}</script>".encode()


class Server(HTTPServer):
    """给出那一页，收下送回来的一份。"""

    told = None

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200 if self.path == "/" else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            if self.path == "/":
                self.wfile.write(page())

        def do_POST(self):
            self.server.told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *args):
            pass

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.timeout = SECONDS


@pytest.mark.thorough
@pytest.mark.skipif(not FIREFOX, reason="机器上没有 Firefox")
def test_firefox_trains_the_same_to_the_last_bit(blank, tmp_path):
    with Server() as server:
        address = f"http://127.0.0.1:{server.server_port}/"
        firefox = subprocess.Popen(
            [FIREFOX, "--headless", "--no-remote", "--profile", tmp_path, address],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            while server.told is None and firefox.poll() is None:
                server.handle_request()
            there = server.told
        finally:
            firefox.terminate()
            firefox.wait()
    assert there, "Firefox 没有送回什么"
    load(blank)
    here = [blank.evaluate(TRAIN, given) for given in GIVEN]
    assert all(run["simd"] for run in there)
    assert [run["bits"] for run in here] == [run["bits"] for run in there]
    for ours, theirs in zip(here, there, strict=True):
        assert ours["losses"] == pytest.approx(theirs["losses"], rel=1e-12)
