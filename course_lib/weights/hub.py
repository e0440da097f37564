"""从 Hugging Face hub 或它的镜像取文件：几秒之内，要么拿到，要么用一句话说清为什么拿不到。"""

import hashlib
import os
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import HubError, SourceError

WEIGHTS = "model.safetensors"
PICKLED_WEIGHTS = "pytorch_model.bin"
VOCABULARIES = ("vocab.txt", "tokenizer.json")
OPTIONAL_FILES = (*VOCABULARIES, "tokenizer_config.json", "special_tokens_map.json")
SECONDS = 3  # 等一次回应的时间；乘上放弃之前的次数，要在十秒以内
MAX_RESUMES = 20  # 一个文件最多断点续传这么多次，免得遇上总在同一处断开的站点而没有尽头
MIRROR_ADVICE = "请检查名字和网络，可以把环境变量 HF_ENDPOINT 设成连得上的镜像再试（例如 HF_ENDPOINT=https://hf-mirror.com）"
ADVICE = f"{MIRROR_ADVICE}，或者去掉 COURSE_BERT 改用内置模型"
STATUS_REASONS = {
    401: "没有这个名字，或者它要登录才能下载",
    403: "站点不允许下载，可能要先登录并同意条款",
    404: "站点上没有这个名字，或者没有要取的文件",
    407: "代理要求先登录",
    429: "请求太频繁，站点要求过一会儿再来",
    502: "站点或者中间的代理出错",
    504: "站点或者中间的代理等不到回应",
}


class StoppedWaitingError(Exception):
    """hub 的客户端还想重试，但我们不再等。"""


def fetch(name: str, config_fault: Callable[[Path], str | None]) -> Path:
    """把 hub 上的模型取到缓存里，返回它所在的文件夹；只取 safetensors 权重，从不取 pickle。

    参数：name，hub 上的名字，如 "bert-base-uncased"；config_fault，看 config.json 能不能用，不能就返回一句说明：
    这样在取几百兆的权重之前就知道。
    环境变量：HF_ENDPOINT（站点或镜像，调用时才读）、HF_HOME、HF_HUB_CACHE、HF_HUB_OFFLINE、代理，与 hub 自己的含义相同。
    错误：取不到时抛出 `HubError`，一句话说明试了什么、哪里失败、怎么办。
    """
    return _in_one_sentence(f"模型 {name}", lambda: _get_model(name, config_fault), ADVICE)


def fetch_dataset_file(name: str, file: str) -> Path:
    """把 hub 上一个数据集里的一个文件取到缓存里，返回它的路径；缓存里已有就不联网。

    参数：name，数据集在 hub 上的名字；file，文件在数据集里的路径。
    环境变量与 `fetch` 相同。
    错误：取不到时抛出 `HubError`，一句话说明试了什么、哪里失败、怎么办。
    """
    return _in_one_sentence(f"数据集 {name}", lambda: _get(name, file, repo_type="dataset"), MIRROR_ADVICE)


def fetch_into(folder: Path, name: str, files: list[str]) -> None:
    """把 hub 上一个模型的几个文件取到 folder，不经过 hub 的缓存；不核对内容。错误：取不到时抛出 `SourceError`。"""

    def get() -> None:
        import huggingface_hub as hub

        for file in files:
            _ask(name, file)
            hub.hf_hub_download(name, file, local_dir=folder, endpoint=_endpoint())

    _with_plain_reason(get)


def _in_one_sentence(what: str, get: Callable[[], Path], advice: str) -> Path:
    try:
        return _with_plain_reason(get)
    except SourceError as error:
        reason = str(error)
    raise HubError(f"从 {_endpoint()} 取{what} 失败：{reason}；{advice}。")


def _with_plain_reason(get: Callable):
    try:
        with _short_patience():
            return get()
    except SourceError:
        raise
    except Exception as error:  # 网络库的异常没有共同的祖先；不接住，读者先看到的就是六十行调用栈
        raise SourceError(plain_reason(error)) from None


def _get_model(name: str, config_fault: Callable[[Path], str | None]) -> Path:
    try:
        etag = _ask(name, "config.json").etag
    except Exception as error:
        folder = None if _status(error) in (401, 403, 404) else _cached_model(name)
        if folder is None:
            raise
        return folder
    config = _download(name, "config.json", etag)
    if fault := config_fault(config):
        raise SourceError(fault)
    # 其余文件取自同一次提交；已在缓存里的就不再联网。
    commit = config.parent.name
    for file in OPTIONAL_FILES:
        _get_if_there(name, file, commit)
    if not _get_if_there(name, WEIGHTS, commit):
        raise SourceError(
            f"它没有提供 {WEIGHTS}，而 {PICKLED_WEIGHTS} 即使有也不能装，那是 pickle，能夹带代码"
        )
    return config.parent


def _cached_model(name: str) -> Path | None:
    """站点没有回应时，以前取好的那一份所在的文件夹；残缺就返回 None。"""
    from huggingface_hub import try_to_load_from_cache

    config = try_to_load_from_cache(name, "config.json", cache_dir=_cache_dir())
    if not isinstance(config, str) or not (folder := Path(config).parent).joinpath(WEIGHTS).exists():
        return None
    for file in ("config.json", WEIGHTS, *OPTIONAL_FILES):
        if (folder / file).exists():
            _check(folder / file, _etag_of(folder / file))
    return folder


def _ask(name: str, file: str, **where):
    """问一次站点：文件在哪一次提交里、校验和是多少。

    hf_hub_download 在本地没有文件时，会把请求重试到几分钟之后，所以先这样问。
    """
    import huggingface_hub as hub

    url = hub.hf_hub_url(name, file, **where, endpoint=_endpoint())
    found = hub.get_hf_file_metadata(url, timeout=_seconds(), endpoint=_endpoint())
    if not (found.commit_hash and found.etag):
        raise hub.errors.FileMetadataError
    return found


def _get(name: str, file: str, **where) -> Path:
    """取一个文件到缓存，缓存里有就不联网；where 是 revision、repo_type。"""
    import huggingface_hub as hub

    cached = hub.try_to_load_from_cache(name, file, **where, cache_dir=_cache_dir())
    if isinstance(cached, str) and (etag := _etag_of(Path(cached))):
        return _check(Path(cached), etag)
    return _download(name, file, _ask(name, file, **where).etag, **where)


def _download(name: str, file: str, etag: str, **where) -> Path:
    import huggingface_hub as hub

    path = Path(hub.hf_hub_download(name, file, **where, cache_dir=_cache_dir(), endpoint=_endpoint()))
    if not path.is_symlink():
        _note(path).write_text(etag, encoding="utf-8")
    return _check(path, etag)


def _get_if_there(name: str, file: str, commit: str) -> bool:
    """取一个文件；站点上确实没有它，就返回 False。"""
    from huggingface_hub import errors

    try:
        _get(name, file, revision=commit)
    except errors.LocalEntryNotFoundError:  # 它也是 EntryNotFoundError，意思却是“没有连上”
        raise
    except errors.EntryNotFoundError:
        return False
    return True


def _note(path: Path) -> Path:
    return path.with_name(f".{path.name}.etag")


def _etag_of(path: Path) -> str | None:
    """站点公布的校验和：缓存里的文件平常是符号链接，指向以它为名的一份；没有符号链接的系统上，另记在旁边。"""
    if path.is_symlink():
        return path.readlink().name
    return _note(path).read_text(encoding="utf-8") if _note(path).exists() else None


def _check(path: Path, etag: str | None) -> Path:
    """核对校验和；hub 的客户端只核对大小，坏文件会一直留在缓存里。"""
    if etag is None:
        raise SourceError(f"缓存里的 {path.name} 没有核对过校验和，要连上站点才能核对")
    if not _matches(path, etag):
        for bad in (path.resolve(), path, _note(path)):
            bad.unlink(missing_ok=True)
        raise SourceError(f"{path.name} 的校验和与站点公布的不同，坏文件已从缓存里删掉")
    return path


def _matches(path: Path, etag: str) -> bool:
    if re.fullmatch("[0-9a-f]{64}", etag):
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == etag
    if re.fullmatch("[0-9a-f]{40}", etag):
        # 小文件的 etag 是 git 的对象名；有的镜像改用内容本身的 SHA-1。
        content = path.read_bytes()
        git_blob = b"blob %d\0" % len(content) + content
        return etag in (hashlib.sha1(git_blob).hexdigest(), hashlib.sha1(content).hexdigest())
    return True


def plain_reason(error: BaseException) -> str:
    """把网络异常译成一句读得懂的原因，末尾括号里留着状态码或异常的类名。"""
    from huggingface_hub import errors

    # 真正的原因藏在 hub 的“缓存里也没有”和我们的“不再等”后面。
    if isinstance(error, (errors.LocalEntryNotFoundError, StoppedWaitingError)):
        error = error.__cause__ or error.__context__ or error
    if status := _status(error):
        known = STATUS_REASONS.get(status, "站点自己出错" if status >= 500 else "站点拒绝了请求")
        return f"{known}（HTTP {status}）"
    # hub 换过底下的网络库（httpx、httpx2），异常的名字没有变
    http = sys.modules[errors.HTTPError.__module__.partition(".")[0]]
    for kinds, reason in (
        (StoppedWaitingError, "站点反复没有答完"),
        (errors.OfflineModeIsEnabled, "离线模式（HF_HUB_OFFLINE）已打开，缓存里又没有它"),
        (errors.HFValidationError, "这不是合法的名字"),
        (errors.FileMetadataError, "回应里缺少模型站点应有的信息，可能被登录页或代理截住了"),
        (http.ProxyError, "代理没有把请求送到"),
        (http.TimeoutException, "等待超时，网慢可以把环境变量 HF_HUB_DOWNLOAD_TIMEOUT 设成更大的秒数"),
        (http.ConnectError, "连不上站点"),
        (
            (http.UnsupportedProtocol, http.InvalidURL),
            "网址不完整，HF_ENDPOINT 要以 https:// 或 http:// 开头",
        ),
        (http.ProtocolError, "传到一半断开，文件不完整"),
        (http.NetworkError, "连接被对方中断"),
        (OSError, "文件没有完整地存下来"),
    ):
        if isinstance(error, kinds):
            return f"{reason}（{type(error).__name__}）"
    return f"下载没有完成（{type(error).__name__}）"


def _status(error: BaseException) -> int | None:
    response = getattr(error, "response", None)
    return None if response is None else response.status_code


def _endpoint() -> str:
    from huggingface_hub import constants

    return (os.environ.get("HF_ENDPOINT") or constants.ENDPOINT).rstrip("/")


def _cache_dir() -> str | None:
    """缓存的位置；hub 只在被导入时读环境变量，这里让之后才设的也管用。"""
    home = os.environ.get("HF_HOME")
    return os.environ.get("HF_HUB_CACHE") or (str(Path(home).expanduser() / "hub") if home else None)


def _seconds() -> int:
    """等一次回应的秒数；网慢的读者可以用 hub 自己的环境变量放宽。"""
    return int(os.environ.get("HF_HUB_DOWNLOAD_TIMEOUT") or SECONDS)


@contextmanager
def _short_patience() -> Iterator[None]:
    """让 hub 的客户端几秒不成就停下，并且不往屏幕上写重试的过程；离开时全部还原。

    量过三种办法：自己造客户端（set_client_factory）时给它设的时限不管用，hub 的每次请求都自带时限，又要重试，
    停在半路的站点要等一分钟以上；听日志里的警告再抛异常也能按时停下，但要改 hub 的私有名字。
    客户端的 event_hooks 是公开的，请求发出之前就能改时限、数次数。
    """
    from huggingface_hub import constants, get_session, logging

    session, patience = get_session(), Patience()
    hooks, verbosity = session.event_hooks, logging.get_verbosity()
    # xet 另有自己的主机和重试，镜像大多不转发；telemetry 会先向官方站点要一张名单，连不上时白等三秒
    switches = {name: getattr(constants, name) for name in ("HF_HUB_DISABLE_XET", "HF_HUB_DISABLE_TELEMETRY")}
    try:
        session.event_hooks = {
            "request": [*hooks["request"], patience.before],
            "response": [*hooks["response"], patience.after],
        }
        logging.set_verbosity_error()
        for name in switches:
            setattr(constants, name, True)
        yield
    finally:
        session.event_hooks = hooks
        logging.set_verbosity(verbosity)
        for name, value in switches.items():
            setattr(constants, name, value)


class Patience:
    """挂在 hub 的客户端上：每次只等几秒；同一个网址问到第三遍，说明它在重试，就停下。

    大文件传了很久才断，则允许续传：每一次都传了十几秒才又来问的，不算重试。
    """

    def __init__(self):
        self.asked: dict[tuple[str, str], list[float]] = defaultdict(list)

    def before(self, request) -> None:
        seconds, now = _seconds(), time.monotonic()
        request.extensions["timeout"] = dict.fromkeys(("connect", "read", "write", "pool"), seconds)
        times = self.asked[request.method, str(request.url)]
        if len(times) > MAX_RESUMES or (len(times) > 1 and now - times[-1] < 10 + seconds):
            raise StoppedWaitingError
        times.append(now)

    def after(self, response) -> None:
        if response.status_code == 429:  # hub 的客户端会照站点说的睡上几十秒
            response.raise_for_status()
