"""每周的那一遍最近哪天跑的，结果怎样：`make weekly-news` 说一句话，每次 CI 都说，红了不会没有人看见。

只说，不拦：没有通过、好久没跑、问不到，在 GitHub 上都只是一条警告。用 GitHub 自己的命令 gh，只要标准库。
"""

import json
import subprocess
from datetime import date

ASK = ["gh", "run", "list", "--workflow", "weekly.yml", "--status", "completed", "--limit", "1"]
LATE = 9  # 多少天没有新的一遍，就是停了


def told() -> list[dict] | None:
    """最近跑完的一遍，或者没有；问不到是 None。"""
    try:
        done = subprocess.run([*ASK, "--json", "startedAt,conclusion,url"], capture_output=True, timeout=60)
        return json.loads(done.stdout) if done.returncode == 0 else None
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return None


def news(runs: list[dict] | None, today: date) -> str:
    if not runs:
        return "::warning::每周的那一遍" + ("问不到结果。" if runs is None else "还没有跑完过。")
    (last,) = runs
    day = date.fromisoformat(last["startedAt"][:10])
    late, passed = (today - day).days > LATE, last["conclusion"] == "success"
    said = (
        f"每周的那一遍：{day} {'全部通过' if passed else '没有通过'}{'，此后没有再跑' * late}，{last['url']}"
    )
    return f"::{'notice' if passed and not late else 'warning'}::{said}"


if __name__ == "__main__":
    print(news(told(), date.today()))
