"""只在本机上开的假包索引（PEP 503）：说的话够真正的 pip 听懂，也会按吩咐出各种毛病。"""

import io
import os
import re
import zipfile

from local_server import Answer, Site


class IndexAnswer(Answer):
    def do_GET(self):  # noqa: N802
        self.server.requests.append(self.path)
        fault, _, only = self.server.fault.partition(":")
        name = self.path.rpartition("/")[2]
        if name in self.server.files:
            content = self.server.files[name]
            self.head(200, len(content), {"Content-Type": "application/octet-stream"})
            project = name.partition("-")[0].replace("_", "-")
            self.send_content(content, fault if only in ("", project) else "")
        elif fault == "hang" and not only:
            self.hang()
        elif fault.isdigit():
            self.send_error(int(fault))
        else:
            project = self.path.rstrip("/").rpartition("/")[2].replace("-", "_") + "-"
            found = [name for name in self.server.files if name.startswith(project)]
            page = "".join(f'<a href="/files/{name}">{name}</a>' for name in found).encode()
            self.reply(200 if found else 404, page, {"Content-Type": "text/html"})


class Index(Site):
    """一个索引；files：文件名 → 内容。"""

    handler = IndexAnswer

    @property
    def url(self) -> str:
        return f"{self.endpoint}/simple"


def nobody_answers(cache, monkeypatch) -> None:
    """缓存是空的，pip 与 hub 只听测试的：问谁都没有人听。"""
    for name in os.environ:
        if name.upper().endswith("_PROXY") or name.startswith("PIP_"):
            monkeypatch.delenv(name)
    dead = "http://127.0.0.1:9"
    for name, value in {
        "PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": dead, "PIP_DEFAULT_TIMEOUT": "0.5", "PIP_RETRIES": "0",
        "PIP_RESUME_RETRIES": "0", "HF_ENDPOINT": dead, "XDG_CACHE_HOME": str(cache),
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def wheel(requirement: str, files: dict[str, bytes], platform: str = "any") -> tuple[str, bytes]:
    """ "名字==版本" 的一个 wheel：文件名与内容；platform，给哪一种机器的。"""
    name, version = re.fullmatch(r"(.+)==(.+)", requirement).groups()
    name = name.replace("-", "_")
    info = f"{name}-{version}.dist-info"
    meta = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nRequires-Dist: no-such-package-at-all\n"
    tags = f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-{platform}\n"
    extra = {f"{info}/METADATA": meta.encode(), f"{info}/WHEEL": tags.encode(), f"{info}/RECORD": b""}
    return f"{name}-{version}-py3-none-{platform}.whl", zipped(files | extra)
