"""把带得走的书与 PDF 放到 GitHub 的一次发布里：`make release TAG=v加上版本`，连同每个文件的 SHA-256。

用 GitHub 自己的命令 gh，只要标准库。发布里的文件名只许有西文，中文写在旁边的说明里。
"""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from course_lib import __version__

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "_build"
LANGUAGES = {"zh-CN": "简体", "zh-TW": "繁體"}
NOTES = """\
- zip：整本书，解开双击 `从这里开始.html`，不用服务器与网络；笔记本、课程的代码与 PDF 也在里面
- pdf：打印用的
- SHA256SUMS：下载之后 `sha256sum --check --ignore-missing SHA256SUMS`

文件与大小：

{files}
"""


def language_of(path: Path) -> str:
    found = [name for name, title in LANGUAGES.items() if name in path.name or title in path.name]
    if len(found) != 1:
        sys.exit(f"看不出 {path.name} 是哪一种文字的书：名字里要有 {'、'.join(LANGUAGES)} 之一。")
    return found[0]


def gather(folder: Path) -> list[tuple[Path, str]]:
    """要放上去的文件，都改成西文的名字；各带一句说明。"""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    gathered = []
    for path in [*sorted(BUILD.glob("archive/*.zip")), *sorted(BUILD.glob("pdf/*.pdf"))]:
        language = language_of(path)
        copy = folder / f"transformer-{language}{path.suffix}"
        shutil.copy(path, copy)
        kind = "整本书，断网可读" if path.suffix == ".zip" else "PDF"
        gathered.append((copy, f"解析 Transformer（{LANGUAGES[language]}，{kind}）"))
    return gathered


def main(tag: str = "") -> None:
    if not tag:
        sys.exit(f"要放到哪一次发布里：make release TAG=v{__version__}，标签要先推送上去。")
    if tag != f"v{__version__}":
        sys.exit(f"标签是 {tag}，而 course_lib/__init__.py 里的版本是 {__version__}：请先把两处改成一样。")
    files = gather(BUILD / "release")
    if not any(path.suffix == ".zip" for path, _ in files):
        sys.exit("还没有带得走的书：请先运行 make archive。")
    digests = [(hashlib.sha256(path.read_bytes()).hexdigest(), path) for path, _ in files]
    sums = BUILD / "release/SHA256SUMS"
    sums.write_text("".join(f"{digest}  {path.name}\n" for digest, path in digests), encoding="utf-8")
    listed = [f"- {label}：`{path.name}`，{path.stat().st_size / 1e6:.1f} MB" for path, label in files]
    notes = BUILD / "release/notes.md"
    notes.write_text(NOTES.format(files="\n".join(listed)), encoding="utf-8")
    print(notes.read_text(encoding="utf-8"), sums.read_text(encoding="utf-8"), sep="\n", flush=True)
    command = ["gh", "release", "create", tag, "--verify-tag", "--title", tag, "--notes-file", notes]
    done = subprocess.run([*command, *(f"{path}#{label}" for path, label in files), sums], cwd=ROOT)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main(*sys.argv[1:])
