"""测网页、印 PDF 要用的浏览器与中文字体：浏览器先找系统的，再找 playwright 自己下载的；字体有没有，让浏览器画几个字来看。

没有就装，装不上就用一句话说清怎么办。
`make test` 最先运行它，那时还没有 .venv，所以只用标准库；测试与 `make pdf` 都由 `open_browser` 打开它。
"""

import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).parents[1]
NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
# playwright 与它所依赖的包：只为下载浏览器时，先装这几个
PLAYWRIGHT = ["playwright", "greenlet", "typing-extensions"]
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
LOG = ROOT / "_build/chromium.log"
ASK_PLAYWRIGHT = """
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    print(playwright.chromium.executable_path)
"""
# 没有中文字体，画出的都是同一个空框：四个字有几种样子，写在题目里
ASK_FONT = """<title></title><script>
const canvas = document.createElement("canvas"), pen = canvas.getContext("2d");
function draw(word) {
  canvas.width = canvas.height = 40;
  pen.font = "30px sans-serif";
  pen.fillText(word, 2, 32);
  return canvas.toDataURL();
}
document.title = new Set(Array.from("汉漢门門", draw)).size;
</script>"""
PROBE = f"data:text/html;charset=utf-8,{quote(ASK_FONT)}"
BOXES = ("1", "2", "3")
NO_BROWSER = (
    "测网页要用 Chromium，这台机器上没有，也没能装上：请装好 Chromium 或 Google Chrome"
    "（Debian：apt-get install chromium；别的系统：.venv/bin/playwright install --with-deps chromium），"
    "再运行 make test；不用浏览器的测试现在就能跑：make check。安装的经过在 _build/chromium.log。"
)
NO_FONT = (
    "这台机器上没有中文字体，网页与 PDF 里的汉字都会是空框，也没能装上：请装一种"
    "（Debian、Ubuntu：apt-get install fonts-noto-cjk；Fedora：dnf install google-noto-sans-cjk-vf-fonts）"
    "，再运行一次；不用浏览器的测试现在就能跑：make check。安装的经过在 _build/chromium.log。"
)


def find():
    """能用的 Chromium 的路径，没有就是 None。"""
    found = [shutil.which(name) for name in NAMES]
    own = subprocess.run([python(), "-c", ASK_PLAYWRIGHT], capture_output=True, text=True)
    found.append(own.stdout.strip())
    return next((path for path in found if path and works(path)), None)


@contextmanager
def open_browser():
    from playwright.sync_api import sync_playwright  # 查有没有浏览器时还没有它；只看文件的测试也不必等它

    path = find()
    assert path, "找不到 Chromium：请先运行 make browser。"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


def draws_boxes(path):
    """这个浏览器把汉字画成空框没有；它答不上来不算。"""
    command = [path, *FLAGS, "--dump-dom", PROBE]
    page = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return any(f"<title>{kinds}</title>" in page for kinds in BOXES)


def require_font(browser):
    """已经打开的浏览器把汉字画成空框，就停在这里。"""
    page = browser.new_page()
    page.goto(PROBE)
    if page.title() in BOXES:
        sys.exit(NO_FONT)
    page.close()


def works(path):
    """snap 里的 Chromium 读不到 /tmp 与以点开头的文件夹，测试用不了。"""
    real = os.path.realpath(path)
    if not os.path.isfile(real) or "/snap/" in real or real == "/usr/bin/snap":
        return False
    with open(real, "rb") as file:
        start = file.read(4096)
    if start.startswith(b"#!") and b"/snap/bin/" in start:
        return False
    return subprocess.run([path, "--version"], capture_output=True).returncode == 0


def python():
    """有 .venv 就用它：playwright 装在那里。"""
    own = ROOT / ".venv/bin/python"
    return str(own) if own.exists() else sys.executable


def install_browser():
    """用系统的包，不行再由 playwright 下载；装没装上由 `find` 说了算。"""
    # Ubuntu 的这个包只是 snap 的替身，装上了也用不了
    if not (apt("chromium") and find()):
        download("--with-deps") if can_apt() else download()


def can_apt():
    return shutil.which("apt-get") is not None and become_root() is not None


def apt(package):
    """装一个系统的包，装上了没有；没有 apt，或者要问密码，就不试。"""
    if not can_apt():
        return False
    as_root = become_root()
    run(*as_root, "apt-get", "update")
    quiet = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-y", "--no-install-recommends"]
    return run(*as_root, *quiet, "install", package)


def become_root():
    """以 root 运行一条命令时要放在前面的；要问密码就不行。"""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0:
        return ["sudo", "-n"]
    return None


def download(*options):
    venv = ROOT / ".venv/bin"
    if not (venv / "playwright").exists():
        listed = (ROOT / os.environ.get("REQUIREMENTS", "requirements.txt")).read_text(encoding="utf-8")
        wanted = [
            entry
            for entry in re.split(r"\n(?=\S)", listed)
            if re.match(r"[\w-]+", entry.replace("_", "-"))[0].lower() in PLAYWRIGHT
        ]
        pins = ROOT / "_build/playwright.txt"
        pins.write_text("\n".join(wanted), encoding="utf-8")
        run(sys.executable, "-m", "venv", ROOT / ".venv")
        run(venv / "pip", "install", "--no-deps", "-r", pins)
    run(venv / "playwright", "install", *options, "chromium")


def run(*command):
    print("试着安装：", *command, flush=True)
    LOG.parent.mkdir(exist_ok=True)
    with LOG.open("a", encoding="utf-8") as log:
        try:
            return subprocess.run(command, stdout=log, stderr=log).returncode == 0
        except OSError as error:  # 前一步没有成，这里就没有这个程序
            log.write(f"{error}\n")
            return False


def main():
    path = find()
    if path is None:
        print("没有 Chromium。")
        install_browser()
        path = find() or sys.exit(NO_BROWSER)
    if draws_boxes(path):
        print("没有中文字体。")
        apt("fonts-noto-cjk")
        if draws_boxes(path):
            sys.exit(NO_FONT)
    print(f"测网页用 {path}")


if __name__ == "__main__":
    main()
