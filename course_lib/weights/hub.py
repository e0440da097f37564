"""从 Hugging Face hub 或它的镜像取一个 BERT：几秒之内，要么拿到，要么用一句话说清为什么拿不到。"""

import hashlib
import json
import logging
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

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
# 只按异常的类名判断：hub 各版本底下的网络库不同（requests、httpx），类名却大致相同。
NAME_REASONS = (
    ("Offline", "离线模式（HF_HUB_OFFLINE）已打开，缓存里又没有它"),
    ("HFValidation", "这不是合法的名字"),
    ("Metadata", "回应里缺少模型站点应有的信息，可能被登录页或代理截住了"),
    ("ProxyError", "代理没有把请求送到"),
    ("Timeout", "等待超时，网慢可以把环境变量 HF_HUB_DOWNLOAD_TIMEOUT 设成更大的秒数"),
    ("Connect", "连不上站点"),
    ("UnsupportedProtocol", "网址不完整，HF_ENDPOINT 要以 https:// 或 http:// 开头"),
    ("Schema", "网址不完整，HF_ENDPOINT 要以 https:// 或 http:// 开头"),
    ("Protocol", "传到一半断开，文件不完整"),
    ("ReadError", "连接被对方中断"),
    ("OSError", "文件没有完整地存下来"),
)


class PretrainedError(RuntimeError):
    """预训练模型取不到、文件残缺，或者权重对不上。"""


class HubError(PretrainedError):
    """hub 或镜像上的模型取不到。"""


class BadFileError(Exception):
    """取到了文件，但内容不对；消息就是原因。"""


class StoppedWaitingError(Exception):
    """hub 的客户端还想重试，但我们不再等。"""


def fetch(name: str) -> Path:
    """把 hub 上的模型取到缓存里，返回它所在的文件夹；只取 safetensors 权重，从不取 pickle。

    参数：name，hub 上的名字，如 "bert-base-uncased"。
    环境变量：HF_ENDPOINT（站点或镜像，调用时才读）、HF_HOME、HF_HUB_CACHE、HF_HUB_OFFLINE、代理，与 hub 自己的含义相同。
    错误：取不到时抛出 `HubError`，一句话说明试了什么、哪里失败、怎么办。
    """
    return _attempt(f"模型 {name}", lambda endpoint: _download(name, endpoint), ADVICE)


def fetch_dataset_file(name: str, file: str) -> Path:
    """把 hub 上一个数据集里的一个文件取到缓存里，返回它的路径；缓存里已有就不联网。

    参数：name，数据集在 hub 上的名字；file，文件在数据集里的路径。
    环境变量与 `fetch` 相同。
    错误：取不到时抛出 `HubError`，一句话说明试了什么、哪里失败、怎么办。
    """
    return _attempt(
        f"数据集 {name}", lambda endpoint: _download_from_dataset(name, file, endpoint), MIRROR_ADVICE
    )


def _attempt(what: str, download: Callable[[str], Path], advice: str) -> Path:
    from huggingface_hub import constants

    endpoint = (os.environ.get("HF_ENDPOINT") or constants.ENDPOINT).rstrip("/")
    try:
        with _short_patience():
            return download(endpoint)
    except BadFileError as error:
        reason = str(error)
    except Exception as error:  # 网络库的异常没有共同的祖先；不接住，读者先看到的就是六十行调用栈
        reason = plain_reason(error)
    raise HubError(f"从 {endpoint} 取{what} 失败：{reason}；{advice}。")


def _download_from_dataset(name: str, file: str, endpoint: str) -> Path:
    import huggingface_hub as hub

    options = {"repo_id": name, "filename": file, "repo_type": "dataset"}
    cached = hub.try_to_load_from_cache(**options, cache_dir=_cache_dir())
    if isinstance(cached, str):
        return _checked(cached)
    # 与 _download 一样先只问一次
    hub.get_hf_file_metadata(
        hub.hf_hub_url(**options, endpoint=endpoint), timeout=_seconds(), endpoint=endpoint
    )
    return _checked(
        hub.hf_hub_download(**options, cache_dir=_cache_dir(), endpoint=endpoint, etag_timeout=_seconds())
    )


def _download(name: str, endpoint: str) -> Path:
    import huggingface_hub as hub

    options = {"repo_id": name, "cache_dir": _cache_dir(), "endpoint": endpoint, "etag_timeout": _seconds()}
    url = hub.hf_hub_url(name, "config.json", endpoint=endpoint)
    try:
        # hf_hub_download 在本地没有文件时会把请求重试到几分钟之后，所以先只问一次。
        hub.get_hf_file_metadata(url, timeout=_seconds(), endpoint=endpoint)
    except Exception as error:
        cached = hub.try_to_load_from_cache(name, "config.json", cache_dir=options["cache_dir"])
        known_answer = _status(error) in (401, 403, 404)
        if known_answer or not isinstance(cached, str) or not (Path(cached).parent / WEIGHTS).exists():
            raise
        return Path(cached).parent

    config = _checked(hub.hf_hub_download(filename="config.json", **options))
    if fault := config_fault(config):
        raise BadFileError(fault)
    # 其余文件取自同一次提交；已在缓存里的就不再联网。
    options["revision"] = config.parent.name
    for file in OPTIONAL_FILES:
        _download_if_there(file, options)
    if not _download_if_there(WEIGHTS, options):
        raise BadFileError(
            f"它没有提供 {WEIGHTS}，而 {PICKLED_WEIGHTS} 即使有也不能装，那是 pickle，能夹带代码"
        )
    return config.parent


def _download_if_there(file: str, options: dict) -> bool:
    """取一个文件；站点上确实没有它，就返回 False。"""
    from huggingface_hub import errors, hf_hub_download

    try:
        _checked(hf_hub_download(filename=file, **options))
    except errors.LocalEntryNotFoundError:  # 它也是 EntryNotFoundError，意思却是“没有连上”
        raise
    except errors.EntryNotFoundError:
        return False
    return True


def config_fault(config: Path) -> str | None:
    """config.json 不是一个 BERT 的配置时，返回一句说明；没有问题就返回 None。"""
    try:
        values = json.loads(config.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return "没有 config.json"
    except (ValueError, OSError) as error:
        return f"config.json 读不出来（{type(error).__name__}）"
    model_type = values.get("model_type") if isinstance(values, dict) else None
    if model_type != "bert":
        return f"config.json 里的 model_type 是 {model_type!r}，课程只装 'bert'"
    return None


def plain_reason(error: BaseException) -> str:
    """把网络异常译成一句读得懂的原因，末尾括号里留着状态码或异常的类名。"""
    # 真正的原因藏在 hub 的“缓存里也没有”和我们的“不再等”后面。
    if type(error).__name__ in ("LocalEntryNotFoundError", "StoppedWaitingError"):
        error = error.__cause__ or error.__context__ or error
    if status := _status(error):
        known = STATUS_REASONS.get(status, "站点自己出错" if status >= 500 else "站点拒绝了请求")
        return f"{known}（HTTP {status}）"
    names = [base.__name__ for base in type(error).__mro__]
    for part, reason in NAME_REASONS:
        if any(part in name for name in names):
            return f"{reason}（{names[0]}）"
    return f"下载没有完成（{names[0]}）"


def _status(error: BaseException) -> int | None:
    response = getattr(error, "response", None)
    if response is not None:
        return response.status_code
    stated = re.search(r"HTTP Error (\d{3})", str(error)) if isinstance(error, StoppedWaitingError) else None
    return int(stated[1]) if stated else None


def _cache_dir() -> str | None:
    """缓存的位置；hub 只在被导入时读环境变量，这里让之后才设的也管用。"""
    home = os.environ.get("HF_HOME")
    return os.environ.get("HF_HUB_CACHE") or (str(Path(home).expanduser() / "hub") if home else None)


def _seconds() -> int:
    """等一次回应的秒数；网慢的读者可以用 hub 自己的环境变量放宽。"""
    return int(os.environ.get("HF_HUB_DOWNLOAD_TIMEOUT") or SECONDS)


def _checked(file: str) -> Path:
    """核对缓存文件的校验和；hub 的客户端只核对大小，坏文件会一直留在缓存里。"""
    path = Path(file)
    if path.is_symlink():
        blob = path.parent / path.readlink()
        if not _matches(path, blob.name):
            blob.unlink()
            path.unlink()
            raise BadFileError(f"{path.name} 的校验和与站点公布的不同，坏文件已从缓存里删掉")
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


@contextmanager
def _short_patience() -> Iterator[None]:
    """让 hub 的客户端几秒不成就停下，并且不往屏幕上写重试的过程；离开时全部还原。"""
    from huggingface_hub import constants, file_download
    from huggingface_hub.utils import _http

    settings = (
        (constants, "HF_HUB_DOWNLOAD_TIMEOUT", _seconds()),
        (file_download, "_ETAG_RETRY_TIMEOUT", _seconds()),
        (constants, "HF_HUB_DISABLE_XET", True),  # xet 另有自己的主机和重试，镜像大多不转发
        (constants, "HF_HUB_DISABLE_TELEMETRY", True),  # 否则先向官方站点要一张名单，连不上时白等三秒
    )
    settings = [(module, key, value) for module, key, value in settings if hasattr(module, key)]
    before = [getattr(module, key) for module, key, _ in settings]
    loggers = [logging.getLogger(module.__name__) for module in (file_download, _http)]
    levels = [logger.level for logger in loggers]
    stop = StopRetrying()
    try:
        for module, key, value in settings:
            setattr(module, key, value)
        for logger in loggers:
            logger.setLevel(logging.WARNING)
            logger.addFilter(stop)
        yield
    finally:
        for (module, key, _), value in zip(settings, before, strict=True):
            setattr(module, key, value)
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
            logger.removeFilter(stop)


class StopRetrying(logging.Filter):
    """听见 hub 的客户端说要重试，就停下。

    重试的次数没有公开的开关，每次重试之前却都会记一条警告，所以在警告这里叫停。
    大文件传了很久才断，则允许续传：十秒之内连断两次才算没有希望。
    """

    def __init__(self):
        super().__init__()
        self.resumes: list[float] = []

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        if "thrown while requesting" in message:
            raise StoppedWaitingError(message)
        if "resume" in message:
            now = time.monotonic()
            if self.resumes and (now - self.resumes[-1] < 10 or len(self.resumes) >= MAX_RESUMES):
                raise StoppedWaitingError(message)
            self.resumes.append(now)
        return False
