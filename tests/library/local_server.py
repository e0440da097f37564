"""只在本机上开的假站点：假的 hub 与假的包索引都由它来，会按吩咐出各种毛病。"""

import socket
import struct
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HANG_SECONDS = 20


class Site(ThreadingHTTPServer):
    """若干文件 files；fault 是当前的毛病，可以随时改；requests 记下被问过什么。

    fault 的写法："毛病" 或 "毛病:名字"，后者只在取那一样东西时发作。
    """

    daemon_threads = True
    handler: type[BaseHTTPRequestHandler]

    def __init__(self, files: dict[str, bytes]):
        super().__init__(("127.0.0.1", 0), self.handler)
        self.files, self.fault, self.requests = dict(files), "", []
        self.closing = threading.Event()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request, client_address):
        """客户端等不及先走了，不必打印调用栈。"""

    @contextmanager
    def open(self):
        """开着，离开时关掉。"""
        thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.closing.set()
            self.shutdown()
            self.server_close()
            thread.join(5)


class Answer(BaseHTTPRequestHandler):
    server: Site

    def log_message(self, *_):
        pass

    def hang(self):
        self.server.closing.wait(HANG_SECONDS)

    def head(self, code: int, size: int, headers: dict[str, str] | None = None):
        self.send_response(code)
        for key, value in {**(headers or {}), "Content-Length": str(size)}.items():
            self.send_header(key, value)
        self.end_headers()

    def reply(self, code: int, body: bytes, headers: dict[str, str] | None = None):
        self.head(code, len(body), headers)
        if self.command == "GET":
            self.wfile.write(body)

    def send_content(self, content: bytes, fault: str):
        """头已经发了；照 fault 发一个文件的内容。"""
        half = len(content) // 2
        if fault == "corrupted":
            content = content[:half] + bytes([content[half] ^ 1]) + content[half + 1 :]
        elif fault in ("truncated", "stalled", "reset-body"):
            content = content[:half]
        elif fault == "hang":
            content = b""
        self.wfile.write(content)
        self.wfile.flush()
        if fault in ("stalled", "hang"):
            self.hang()
        elif fault == "reset-body":
            self.reset()
        self.close_connection = fault != ""

    def reset(self):
        """以 RST 断开，像被防火墙掐断那样。"""
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()


def closed_port() -> int:
    """一个此刻没有人听的端口。"""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
