"""只在本机上开的假包索引（PEP 503）：说的话够真正的 pip 听懂，也会按吩咐出各种毛病。"""

import io
import re
import threading
import zipfile
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HANG_SECONDS = 20


class Index(ThreadingHTTPServer):
    """一个索引，有若干文件 files：文件名 → 内容；fault 是当前的毛病，可以随时改。

    fault 的写法："毛病" 或 "毛病:项目名"，后者只在取那个项目的文件时发作。
    """

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.fault = ""
        self.requests: list[str] = []
        self.closing = threading.Event()

    def add(self, wheel: tuple[str, bytes]) -> None:
        self.files.update([wheel])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/simple"

    def handle_error(self, request, client_address):
        """客户端等不及先走了，不必打印调用栈。"""


class Handler(BaseHTTPRequestHandler):
    server: Index

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.server.requests.append(self.path)
        fault, _, only = self.server.fault.partition(":")
        name = self.path.rpartition("/")[2]
        if name in self.server.files:
            project = name.partition("-")[0].replace("_", "-")
            self.send_file(self.server.files[name], fault if only in ("", project) else "")
        elif fault == "hang" and not only:
            self.server.closing.wait(HANG_SECONDS)
        elif fault.isdigit():
            self.send_error(int(fault))
        else:
            project = self.path.rstrip("/").rpartition("/")[2]
            found = [name for name in self.server.files if name.startswith(project.replace("-", "_") + "-")]
            page = "".join(f'<a href="/files/{name}">{name}</a>' for name in found).encode()
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

    def send_file(self, content: bytes, fault: str):
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if fault in ("truncated", "stalled"):
            self.wfile.write(content[: len(content) // 2])
            self.wfile.flush()
            if fault == "stalled":
                self.server.closing.wait(HANG_SECONDS)
            self.close_connection = True
        elif fault == "hang":
            self.server.closing.wait(HANG_SECONDS)
        else:
            self.wfile.write(content)


@contextmanager
def serving():
    """开着一个 `Index`，离开时关掉。"""
    index = Index()
    thread = threading.Thread(target=index.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield index
    finally:
        index.closing.set()
        index.shutdown()
        index.server_close()
        thread.join(5)


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def wheel(requirement: str, files: dict[str, bytes]) -> tuple[str, bytes]:
    """ "名字==版本" 的一个 wheel：文件名与内容。"""
    name, version = re.fullmatch(r"(.+)==(.+)", requirement).groups()
    name = name.replace("-", "_")
    info = f"{name}-{version}.dist-info"
    meta = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nRequires-Dist: no-such-package-at-all\n"
    tags = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    extra = {f"{info}/METADATA": meta.encode(), f"{info}/WHEEL": tags.encode(), f"{info}/RECORD": b""}
    return f"{name}-{version}-py3-none-any.whl", zipped(files | extra)
