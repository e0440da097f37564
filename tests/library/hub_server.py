"""只在本机上开的假 hub：说的话够真正的 huggingface_hub 客户端听懂，也会按吩咐出各种毛病。"""

import hashlib
from contextlib import contextmanager
from urllib.parse import urlsplit

from local_server import Answer, Site

WEIGHTS = "model.safetensors"
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
VARIABLES = ("COURSE_BERT", "COURSE_MULTILINGUAL_BERT", "COURSE_LLM")
HUB_ERRORS = {401: "RepoNotFound", 403: "GatedRepo", 404: "RepoNotFound"}


def etag_of(name: str, content: bytes) -> str:
    """hub 的规矩：大文件（LFS）的 etag 是 SHA-256，小文件的是 git 对象名。"""
    if name == WEIGHTS:
        return hashlib.sha256(content).hexdigest()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


class HubAnswer(Answer):
    def do_HEAD(self):  # noqa: N802
        path = urlsplit(self.path).path  # 发给代理的是完整的网址
        name = path.rpartition("/")[2]
        self.server.requests.append((self.command, path))
        fault, _, only = self.server.fault.partition(":")
        if only and only != name:
            fault = ""
        if fault == "hang":
            self.hang()
        elif fault == "reset":
            self.reset()
        elif fault == "portal":
            self.reply(200, b"<html>login</html>", {"Content-Type": "text/html"})
        elif fault == "busy" and self.command == "GET":
            self.reply(429, b"", {"Retry-After": "60"})
        elif fault.isdigit():
            code = int(fault)
            self.reply(code, b"", {"X-Error-Code": HUB_ERRORS[code]} if code in HUB_ERRORS else {})
        elif not path.startswith(
            tuple(f"/{self.server.repo}/resolve/{rev}/" for rev in ("main", self.server.commit))
        ):
            self.reply(404, b"", {"X-Error-Code": "RepoNotFound"})
        elif name not in self.server.files:
            self.reply(404, b"", {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": self.server.commit})
        else:
            self.send_file(name, fault)

    do_GET = do_CONNECT = do_HEAD  # noqa: N815

    def send_file(self, name: str, fault: str):
        content = self.server.files[name]
        headers = {"X-Repo-Commit": self.server.commit, "ETag": self.server.etag(name, content)}
        if name == WEIGHTS:  # hub 上的大文件另有 xet 的取法，这里没有那样的主机
            headers |= {"X-Xet-Hash": "0" * 64, "X-Xet-Refresh-Route": "/no-xet-here"}
        self.head(200, len(content), headers)
        if self.command == "GET":
            self.send_content(content, fault)


class Hub(Site):
    """一个仓库 repo，若干文件；也可以当作代理来用：请求别的站点，同样照 fault 出毛病。"""

    handler = HubAnswer

    def __init__(self, repo: str, files: dict[str, bytes]):
        super().__init__(files)
        self.repo = repo
        self.etag = lambda name, content: f'"{etag_of(name, content)}"'

    @property
    def commit(self) -> str:
        """提交号随内容而变，与 git 一样。"""
        return hashlib.sha1(b"".join(n.encode() + c for n, c in sorted(self.files.items()))).hexdigest()


@contextmanager
def serving_alone(repo: str, files: dict[str, bytes], home, monkeypatch):
    """开着一个 `Hub`，并且 hub 的客户端只找它：不经过代理，缓存是空的，一秒不回应就算超时。"""
    for name in (*PROXIES, *VARIABLES, "HF_HUB_CACHE", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_DOWNLOAD_TIMEOUT", "1")  # 默认的时限另有一个测试
    with Hub(repo, files).open() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        monkeypatch.setenv("HF_HOME", str(home))
        yield hub
