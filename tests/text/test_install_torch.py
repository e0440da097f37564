"""装 torch：好几 GB 的 CUDA 版先说一声；给了 CPU 版的源就从那里装。"""

import subprocess
import sys
import zipfile

import pytest

from tools import install_torch

pytestmark = [pytest.mark.subprocess, pytest.mark.guards("tools/install_torch.py", "requirements.txt")]


def write_wheel(folder, name, version, *needs):
    """一个没有代码的包。"""
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{name}-{version}"
    metadata = [
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}",
        *(f"Requires-Dist: {n}" for n in needs),
    ]
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{stem}.dist-info/METADATA", "\n".join(metadata) + "\n")
        wheel.writestr(
            f"{stem}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{stem}.dist-info/RECORD", "")


@pytest.fixture
def wheels(tmp_path, monkeypatch):
    for name, value in {
        "CONFIG_FILE": "/dev/null",
        "NO_INDEX": "1",
        "FIND_LINKS": str(tmp_path / "wheels"),
    }.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    return tmp_path / "wheels"


@pytest.mark.skipif(sys.platform != "linux", reason="只有 Linux 上的 torch 带着 CUDA")
def test_cuda_is_noticed_before_it_is_downloaded(wheels):
    write_wheel(wheels, "large", "1.0", "filelock", 'nvidia-cudnn-cu13==9.0; platform_system == "Linux"')
    write_wheel(wheels, "small", "1.0", "filelock")
    assert install_torch.brings_cuda("large==1.0")
    assert not install_torch.brings_cuda("small==1.0")


def test_what_pip_does_not_find_is_left_for_pip_to_say(wheels):
    wheels.mkdir()
    assert not install_torch.brings_cuda("nowhere==1.0")


def test_the_given_index_is_used(tmp_path, monkeypatch, wheels):
    """从这个源装，而且只装 torch 自己：它要的包不必也在那里。"""
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_TARGET", str(tmp_path / "installed"))
    version = f"{install_torch.pinned().removeprefix('torch==')}+cpu"
    write_wheel(tmp_path / "index/torch", "torch", version, "missing")
    link = next((tmp_path / "index/torch").iterdir()).name
    (tmp_path / "index/torch/index.html").write_text(f'<a href="{link}">{link}</a>', encoding="utf-8")
    command = [sys.executable, install_torch.__file__, (tmp_path / "index").as_uri()]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in (tmp_path / "installed").iterdir()] == [f"torch-{version}.dist-info"]
