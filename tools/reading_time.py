"""第一次读一章的正文要多少分钟：各章照同一条规则数，由 `make format` 写进开头；折叠的“深入”与练习不算。"""

import re

# 一分钟读几个汉字、看几行摆着的代码；一幅图、一道先猜、一幅可以动手的图各要几分钟
CHARACTERS, LINES = 140, 8
CALLS = {r"(caption|figure|table)": 0.75, "guess": 1, "explore": 2}
STATED = re.compile(r"(?<=正文大约 )\d+(?= 分钟)")
# 网页里收起代码的几种格
FOLDS = {"hide-input", "claims"}


def minutes(cells: list[dict]) -> int:
    """一章的各格，数到练习为止；取整到五分钟。"""
    found, deep = 0.0, False
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            for part in re.split(r"(?m)^(?=##+ )", source):
                if part.startswith("## 练习"):
                    return 5 * round(found / 5)
                if part.startswith(("## ", "### ")):
                    deep = part.startswith("### 深入")
                seen = re.sub(r"(?s)<details>.*?</details>", "", part)
                found += 0 if deep else len(re.findall(r"[\u4e00-\u9fff]", seen)) / CHARACTERS
        elif not deep:
            if not FOLDS & {*cell["metadata"].get("tags", [])}:
                found += len(source.splitlines()) / LINES
            found += sum(spent for call, spent in CALLS.items() if re.search(rf"(?m)^{call}\(", source))
    return 5 * round(found / 5)
