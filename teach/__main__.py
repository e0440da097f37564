"""收作业：在仓库的根目录里运行 `python -m teach 张三.ipynb 李四.ipynb --csv 成绩.csv`。

每本笔记本在一个新的进程里运行，有时间与内存的限制，在自己的临时文件夹里，用完就扔；
一本出了事，不影响别的。判决不出自学生的进程；防得住什么、防不住什么，见 `teach`。
"""

import argparse
import csv
import os
import re
import sys
import unicodedata
from collections import Counter
from importlib import import_module
from pathlib import Path

from course_lib.exercises import topics

from .cells import NotANotebookError, read
from .marking import MISSING, RIGHT, UNFINISHED, Limits, Marking
from .process import adopt_orphans

EPILOG = """\
在课程的文件夹里运行。先只运行练习格，几秒钟一本；哪一格要用的名字在别的格里，那一本就从头到尾再运行一遍，约半分钟。
练习格若还要靠别的格里做的事（例如往列表里添了东西），加上 --whole，每一本都从头到尾运行。
非练习格出了错，后面的练习格照样运行；一格卡住或者让 Python 中断，就换一个进程，跳过它再来。
这不是安全的沙箱：学生的代码以你的身份运行；来路不明的代码，请在容器或虚拟机里运行这条命令。"""


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m teach",
        description="批改交上来的笔记本：谁做对了哪几道，错的得到哪句提示。",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "submissions", nargs="+", type=Path, metavar="笔记本", help="笔记本，或者装着它们的文件夹"
    )
    parser.add_argument("--csv", type=Path, metavar="文件", help="另写一份表格，Excel 打得开")
    parser.add_argument(
        "--seconds", type=float, default=20, help="练习格最多运行几秒，默认 20；别的格是它的六倍"
    )
    parser.add_argument(
        "--memory", type=int, default=2000, help="最多再多占多少 MB 内存，默认 2000；只有 Linux 管得住"
    )
    parser.add_argument("--whole", action="store_true", help="一开始就从头到尾每一格都运行")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """批改，印出结果；每本都批了就返回 0，有打不开的返回 1。"""
    from course_lib.exercises import EXERCISES

    sys.stdout.reconfigure(errors="replace")  # 印不出汉字的终端
    options = parse(arguments)
    if options.csv:
        try:
            options.csv.open("a").close()
        except OSError as error:
            print(f"写不进 {options.csv}（{error.strerror}）：是不是正在 Excel 里打开着？", file=sys.stderr)
            return 1
    adopt_orphans()
    limits = Limits(options.seconds, options.memory, options.whole)
    graded, faults, limited = {}, {}, True
    # 先都读进来，再运行：谁的代码也改不到还没有批的一本
    papers = {path: opened(path) for path in found(options.submissions)}
    try:
        for i, (path, paper) in enumerate(papers.items(), start=1):
            print(f"[{i}/{len(papers)}] {path}", file=sys.stderr, flush=True)
            if isinstance(paper, str):
                faults[path] = paper
                continue
            marking = Marking(EXERCISES, paper, limits)
            graded[path] = marking.mark()
            limited &= marking.memory_limited
            if not graded[path]:
                faults[path] = "里面没有一道练习：是不是交错了文件？"
            if options.csv:  # 批一本存一次：停在半路，批过的还在
                write_csv(options.csv, graded, faults)
    except KeyboardInterrupt:
        print("\n停下了，下面是已经批完的。", file=sys.stderr)
    print(report(graded, faults))
    if not limited:
        print("\n这个系统上限制不了内存，只限制了时间。")
    if options.csv:
        write_csv(options.csv, graded, faults)
        print(f"\n表格在 {options.csv}")
    return int(bool(faults))


def found(submissions: list[Path]) -> list[Path]:
    """各本笔记本；文件夹换成里面的，重复的只算一次。"""
    return list(
        dict.fromkeys(
            path
            for given in submissions
            for path in (sorted(given.rglob("*.ipynb")) if os.path.isdir(given) else [given])
            if ".ipynb_checkpoints" not in path.parts
        )
    )


def opened(path: Path) -> object:
    """一本的各格；打不开，就是说为什么的一句话。"""
    try:
        return read(path)
    except NotANotebookError as fault:
        return str(fault)


def report(graded: dict, faults: dict) -> str:
    """一个主题一张表：一行一本，一格一道；然后是没有做对的各得到的那句话。"""
    label = labels([*graded, *faults])
    topics = dict.fromkeys(name.partition(".")[0] for marks in graded.values() for name in marks)
    parts = []
    for topic in topics:
        names = list(dict.fromkeys(n for m in graded.values() for n in m if n.partition(".")[0] == topic))
        papers = {path: marks for path, marks in graded.items() if names[0] in marks}
        rows = [["", *(name.partition(".")[2] for name in names), "做对"]]
        for path, marks in papers.items():
            seen = [marks[name].mark for name in names]
            rows.append([label[path], *seen, f"{seen.count(RIGHT)}/{len(names)}"])
        if len(papers) > 1:
            right = [sum(marks[name].mark == RIGHT for marks in papers.values()) for name in names]
            rows.append([RIGHT, *map(str, right), ""])
        parts.append(f"《{title(topic)}》\n{aligned(rows)}")
    for path, marks in graded.items():
        # 没有写的、没有交的，看表就知道
        said = [
            f"  {v.mark} {n.partition('.')[2]}：{v.said}"
            for n, v in marks.items()
            if v.mark not in (RIGHT, UNFINISHED, MISSING)
        ]
        parts += ["\n".join([visible(label[path]), *said])] if said else []
    if faults:
        parts.append(
            "\n".join(["没有批的", *(f"  {visible(label[path])}：{said}" for path, said in faults.items())])
        )
    return "\n\n".join(parts)


def labels(paths: list[Path]) -> dict[Path, str]:
    """一本叫什么：文件名；有同名的，就写全。"""
    names = Counter(path.name for path in paths)
    return {path: path.name if names[path.name] == 1 else str(path) for path in paths}


def title(topic: str) -> str:
    """一个主题的题目，写在它那个文件的开头。"""
    named = re.search("《(.+?)》", import_module(f"{topics.__name__}.{topic}").__doc__ or "")
    return named[1] if named else topic


def aligned(rows: list[list[str]]) -> str:
    rows = [[visible(cell) for cell in row] for row in rows]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell + " " * (wide - width(cell)) for cell, wide in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def width(text: str) -> int:
    """在终端里占几格：汉字占两格。"""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def visible(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)


def write_csv(path: Path, graded: dict, faults: dict) -> None:
    """一行一本一道；带 BOM，Excel 才认得出中文。"""
    with path.open("w", encoding="utf-8-sig", errors="replace", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["笔记本", "练习", "结果", "说明"])
        for submission, marks in graded.items():
            for name, verdict in marks.items():
                writer.writerow(map(harmless, (submission, name, verdict.mark, verdict.said)))
        for submission, said in faults.items():
            writer.writerow(map(harmless, (submission, "", "没有批", said)))


def harmless(cell: object) -> str:
    """Excel 会把 = + - @ 开头的当作公式来算，有的连全角的也算：前面添一个单引号。"""
    text = str(cell)
    return f"'{text}" if text.startswith(tuple("=+-@＝＋－＠\t\r\n")) else text


if __name__ == "__main__":
    sys.exit(main())
