"""只在本机上开的假 hub：说的话够真正的 huggingface_hub 客户端听懂，也会按吩咐出各种毛病。"""

import hashlib
import socket
import struct
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

WEIGHTS = "model.safetensors"
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
HANG_SECONDS = 20
HUB_ERRORS = {401: "RepoNotFound", 403: "GatedRepo", 404: "RepoNotFound"}


def etag_of(name: str, content: bytes) -> str:
    """hub 的规矩：大文件（LFS）的 etag 是 SHA-256，小文件的是 git 对象名。"""
    if name == WEIGHTS:
        return hashlib.sha256(content).hexdigest()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


class Hub(ThreadingHTTPServer):
    """一个仓库 repo，若干文件 files；fault 是当前的毛病，可以随时改。

    fault 的写法："毛病" 或 "毛病:文件名"，后者只在请求那个文件时发作。
    也可以当作代理来用：请求别的站点，同样照 fault 出毛病。
    """

    daemon_threads = True

    def __init__(self, repo: str, files: dict[str, bytes]):
        super().__init__(("127.0.0.1", 0), Handler)
        self.repo, self.files = repo, dict(files)
        self.fault = ""
        self.requests: list[tuple[str, str]] = []
        self.closing = threading.Event()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def commit(self) -> str:
        """提交号随内容而变，与 git 一样。"""
        return hashlib.sha1(b"".join(n.encode() + c for n, c in sorted(self.files.items()))).hexdigest()

    def handle_error(self, request, client_address):
        """客户端等不及先走了，不必打印调用栈。"""


class Handler(BaseHTTPRequestHandler):
    server: Hub

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.answer(with_body=False)

    def do_GET(self):
        self.answer(with_body=True)

    def do_CONNECT(self):
        self.answer(with_body=False)

    def answer(self, with_body: bool):
        path = urlsplit(self.path).path  # 发给代理的是完整的网址
        name = path.rpartition("/")[2]
        self.server.requests.append((self.command, path))
        fault, _, only = self.server.fault.partition(":")
        if only and only != name:
            fault = ""
        if fault == "hang":
            self.server.closing.wait(HANG_SECONDS)
        elif fault == "reset":
            self.reset()
        elif fault == "portal":
            self.reply(200, b"<html>login</html>", {"Content-Type": "text/html"})
        elif fault == "busy" and with_body:
            self.reply(429, b"", {"Retry-After": "60"})
        elif fault.isdigit():
            code = int(fault)
            self.reply(code, b"", {"X-Error-Code": HUB_ERRORS[code]} if code in HUB_ERRORS else {})
        elif path not in [
            f"/{self.server.repo}/resolve/{rev}/{name}" for rev in ("main", self.server.commit)
        ]:
            self.reply(404, b"", {"X-Error-Code": "RepoNotFound"})
        elif name not in self.server.files:
            self.reply(404, b"", {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": self.server.commit})
        else:
            self.send_file(name, fault, with_body)

    def send_file(self, name: str, fault: str, with_body: bool):
        content = self.server.files[name]
        self.send_response(200)
        self.send_header("X-Repo-Commit", self.server.commit)
        self.send_header("ETag", f'"{etag_of(name, content)}"')
        self.send_header("Content-Length", str(len(content)))
        if name == WEIGHTS:  # hub 上的大文件另有 xet 的取法，这里没有那样的主机
            self.send_header("X-Xet-Hash", "0" * 64)
            self.send_header("X-Xet-Refresh-Route", "/no-xet-here")
        self.end_headers()
        if not with_body:
            return
        half = len(content) // 2
        if fault == "truncated":
            self.wfile.write(content[:half])
        elif fault == "stalled":
            self.wfile.write(content[:half])
            self.server.closing.wait(HANG_SECONDS)
        elif fault == "reset-body":
            self.wfile.write(content[:half])
            self.reset()
        elif fault == "corrupted":
            self.wfile.write(content[:half] + bytes([content[half] ^ 1]) + content[half + 1 :])
        else:
            self.wfile.write(content)

    def reply(self, code: int, body: bytes, headers: dict[str, str]):
        self.send_response(code)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def reset(self):
        """以 RST 断开，像被防火墙掐断那样。"""
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()


@contextmanager
def serving(repo: str, files: dict[str, bytes]):
    """开着一个 `Hub`，离开时关掉。"""
    hub = Hub(repo, files)
    thread = threading.Thread(target=hub.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.closing.set()
        hub.shutdown()
        hub.server_close()
        thread.join(5)


@contextmanager
def serving_alone(repo: str, files: dict[str, bytes], home, monkeypatch):
    """`serving`，并且 hub 的客户端只找它：不经过代理，缓存是空的，一秒不回应就算超时。"""
    for name in (*PROXIES, "COURSE_BERT", "COURSE_LLM", "HF_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_DOWNLOAD_TIMEOUT", "1")  # 默认的时限另有一个测试
    with serving(repo, files) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        monkeypatch.setenv("HF_HOME", str(home))
        yield hub


def closed_port() -> int:
    """一个此刻没有人听的端口。"""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
