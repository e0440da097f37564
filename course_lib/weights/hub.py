"""从 Hugging Face hub 或它的镜像取文件；取不到时一句话说清试了什么、为什么、怎么办。

站点给的 ETag 若是校验和（hub 与多数镜像都是），每个文件都核对；有的镜像给的是别的东西，无从核对，就说一声。
"""

import functools
import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path

from .errors import HubError, SourceError, say
from .kinds import PICKLED_WEIGHTS, SHARDED, SHARDS, WEIGHTS, Kind
from .patience import client, plain_reason, seconds, short_patience, status_of

MIRROR_ADVICE = "请检查名字和网络，可以把环境变量 HF_ENDPOINT 设成连得上的镜像再试（例如 HF_ENDPOINT=https://hf-mirror.com）"


def fetch(name: str, kind: Kind) -> Path:
    """把 hub 上的模型取到缓存里，返回它所在的文件夹；只取 safetensors 权重，从不取 pickle。

    参数：name，hub 上的名字，如 "bert-base-uncased"；kind，要哪一种模型：在取几百兆的权重之前，就看它的 config.json 是不是。
    环境变量：HF_ENDPOINT（站点或镜像，调用时才读）、HF_HOME、HF_HUB_CACHE、HF_HUB_OFFLINE、代理，与 hub 自己的含义相同。
    错误：取不到时抛出 `HubError`，一句话说明试了什么、哪里失败、怎么办。
    """
    advice = f"{MIRROR_ADVICE}，或者{kind.otherwise}"
    return _in_one_sentence(f"模型 {name}", lambda: _get_model(name, kind), advice)


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
            hub.hf_hub_download(name, file, local_dir=folder, cache_dir=folder, endpoint=_endpoint())

    _with_plain_reason(get)


def _in_one_sentence(what: str, get: Callable[[], Path], advice: str) -> Path:
    try:
        return _with_plain_reason(get)
    except SourceError as error:
        reason = str(error)
    raise HubError(f"从 {_endpoint()} 取{what} 失败：{reason}；{advice}。")


def _with_plain_reason(get: Callable):
    try:
        with short_patience():
            return get()
    except (SourceError, HubError):
        raise
    except Exception as error:  # 网络库的异常没有共同的祖先；不接住，读者先看到的就是六十行调用栈
        raise SourceError(plain_reason(error)) from None


def _get_model(name: str, kind: Kind) -> Path:
    try:
        etag = _ask(name, "config.json").etag
    except Exception as error:
        folder = None if status_of(error) in (401, 403, 404) else _cached_model(name, kind)
        if folder is None:
            raise
        return folder
    config = _download(name, "config.json", etag)
    if fault := kind.config_fault(config):
        raise SourceError(fault)
    # 其余文件取自同一次提交；已在缓存里的就不再联网。
    commit = config.parent.name
    for file in kind.optional_files:
        _get_if_there(name, file, commit)
    if not _get_if_there(name, WEIGHTS, commit):
        if _get_if_there(name, SHARDS, commit):
            raise SourceError(SHARDED)
        raise SourceError(
            f"它没有提供 {WEIGHTS}，而 {PICKLED_WEIGHTS} 即使有也不能装，那是 pickle，能夹带代码"
        )
    return config.parent


def _cached_model(name: str, kind: Kind) -> Path | None:
    """站点没有回应时，以前取好的那一份所在的文件夹；残缺就返回 None。"""
    from huggingface_hub import try_to_load_from_cache

    config = try_to_load_from_cache(name, "config.json", cache_dir=_cache_dir())
    if not isinstance(config, str) or not (folder := Path(config).parent).joinpath(WEIGHTS).exists():
        return None
    for file in ("config.json", WEIGHTS, *kind.optional_files):
        if (folder / file).exists():
            _check(folder / file, _etag_of(folder / file))
    return folder


def _ask(name: str, file: str, **where):
    """问一次站点：文件在哪一次提交里、校验和是多少。

    hf_hub_download 在本地没有文件时，会把请求重试到几分钟之后，所以先这样问。
    """
    import huggingface_hub as hub

    client()
    url = hub.hf_hub_url(name, file, **where, endpoint=_endpoint())
    found = hub.get_hf_file_metadata(url, timeout=seconds(), endpoint=_endpoint())
    # hub 的客户端会拿这两样作文件名，站点若给的是 ../ 之类，就写到缓存外面去了
    if not all(re.fullmatch(r"\w[\w.+=-]*", name or "") for name in (found.commit_hash, found.etag)):
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
    etag = etag.lower()
    if not re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", etag):
        _say_unchecked(_endpoint())
    elif not _matches(path, etag):
        for bad in (path.resolve(), path, _note(path)):
            bad.unlink(missing_ok=True)
        raise SourceError(f"{path.name} 的校验和与站点公布的不同，坏文件已从缓存里删掉")
    return path


@functools.cache
def _say_unchecked(endpoint: str) -> None:
    """一个站点只说一次。"""
    say(f"{endpoint} 没有给出文件的校验和，从它取来的只看过大小，内容没有核对过。")


def _matches(path: Path, etag: str) -> bool:
    if len(etag) == 64:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == etag
    # 小文件的 etag 是 git 的对象名；有的镜像改用内容本身的 SHA-1。
    content = path.read_bytes()
    git_blob = b"blob %d\0" % len(content) + content
    return etag in (hashlib.sha1(git_blob).hexdigest(), hashlib.sha1(content).hexdigest())


def _endpoint() -> str:
    from huggingface_hub import constants

    return (os.environ.get("HF_ENDPOINT") or constants.ENDPOINT).rstrip("/")


def _cache_dir() -> Path:
    """缓存的位置；hub 只在被导入时读环境变量，这里让之后才设的也管用。"""
    from huggingface_hub import constants

    home = os.environ.get("HF_HOME")
    place = os.environ.get("HF_HUB_CACHE") or (Path(home) / "hub" if home else constants.HF_HUB_CACHE)
    try:
        return Path(place).expanduser()
    except RuntimeError:  # 没有 HOME，用户也没有登记
        raise HubError(
            f"不知道该把从 hub 取来的放在哪里（{place}）：这个用户没有自己的文件夹（HOME），"
            "请把环境变量 HF_HOME 设成写得下的文件夹。"
        ) from None
