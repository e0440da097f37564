"""课程的公开地址：Colab 的链接、启动按钮与安装命令都由它来。

`origin` 是公开的仓库（GitHub 或 Gitee）就是它，否则是 `_config.yml` 里写的；两处都没有，书里就不提任何地址，免得人点进去什么也没有。
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONFIG = ROOT / "_config.yml"
PLACEHOLDER = "https://github.com/OWNER/REPO"
WRITTEN = re.compile(r"(?<=^repository:\n  url: )\S+", re.M)
GITHUB = "https://github.com/"
ADDRESS = re.compile(r"(https://(?:github|gitee)\.com/[\w.-]+/[\w.-]+?)(?:\.git)?/?", re.ASCII)
REMOTE = re.compile(
    r"(?:https://(?:[^@/]+@)?|ssh://git@|git@)(github|gitee)\.com[/:]([\w.-]+/[\w.-]+?)(?:\.git)?/?"
)


def written_url() -> str:
    """`_config.yml` 与各个笔记本里写的，可能还是占位的那一个。"""
    return WRITTEN.search(CONFIG.read_text(encoding="utf-8"))[0]


def write_url(url: str) -> None:
    CONFIG.write_text(WRITTEN.sub(url, CONFIG.read_text(encoding="utf-8")), encoding="utf-8")


def public_url() -> str | None:
    """书该指向的仓库；还没有就是 None。"""
    if (ROOT / ".git").exists():  # 不去问外面一层的仓库
        command = ["git", "-C", ROOT, "remote", "get-url", "origin"]
        remote = subprocess.run(command, capture_output=True, text=True).stdout.strip()
        if found := REMOTE.fullmatch(remote):
            return f"https://{found[1]}.com/{found[2]}"
    return None if written_url() == PLACEHOLDER else written_url()


def check_home(repository: str) -> None:
    """GitHub 上的仓库（名字/仓库）与写在文件里的地址不是同一个就退出。"""
    home = f"{GITHUB}{repository}"
    if written_url().lower() != home.lower():
        sys.exit(
            f"_config.yml 里的公开地址是 {written_url()}，而这里是 {home}："
            f"请运行 make repo URL={home}，提交后再推送。"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", metavar="名字/仓库", help="核对写在文件里的地址是不是它")
    check_home(parser.parse_args().home)
