"""装 torch：`python -m tools.install_torch [CPU 版的源]`。

清单里写的 `torch==2.13.0` 是 CPU 版还是 CUDA 版由源决定；CUDA 版的部件不在清单里，所以先单独装它。
只认版本，不核对固定的散列：各个源的文件不同，以源自己公布的散列为准（见 SECURITY.md）。
"""

import json
import os
import subprocess
import sys
from pathlib import Path

PIP = [sys.executable, "-m", "pip", "install", "--no-compile"]
LARGE = (
    "接下来要下载 CUDA 版的 torch，连同部件有好几 GB；没有显卡就按 Ctrl+C 停下，"
    "改用 make book TORCH_INDEX=CPU 版的源，小得多（PyTorch 官网的安装页写着这个源的地址）。"
)
ON_GITHUB = (
    "::notice::没有设仓库的变量 TORCH_CPU_INDEX，要下载好几 GB 的 CUDA 版 torch；怎样设，见 CONTRIBUTING.md。"
)


def pinned() -> str:
    lines = Path(__file__).parents[1].joinpath("requirements.txt").read_text(encoding="utf-8").split()
    return next(line for line in lines if line.startswith("torch=="))


def brings_cuda(torch: str) -> bool:
    """问 pip 会装哪一个：只读它的说明，不下载它。已经装好就什么也不会装。"""
    ask = [*PIP, "--quiet", "--dry-run", "--no-deps", "--use-feature=fast-deps", "--report", "-", torch]
    answer = subprocess.run(ask, capture_output=True, text=True).stdout
    wanted = [
        name
        for package in json.loads(answer or '{"install": []}')["install"]
        for name in package["metadata"].get("requires_dist", [])
    ]
    return sys.platform == "linux" and any(name.startswith("nvidia-") for name in wanted)


def main(index: str = "") -> None:
    # CPU 版要的包都在清单里；别的源里未必都有
    options = ["--no-deps", "--index-url", index] if index else []
    if not index and brings_cuda(pinned()):
        print(ON_GITHUB if "GITHUB_ACTIONS" in os.environ else LARGE, flush=True)
    sys.exit(subprocess.run([*PIP, "--progress-bar", "on", *options, pinned()]).returncode)


if __name__ == "__main__":
    main(*sys.argv[1:])
