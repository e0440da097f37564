"""把各章今天的行文取出来，写成语言模型的练习材料 course_lib/tasks/this_book.txt：`make corpus`。

取的是整句：带代码、公式、网址的句子不要，表格、提示里的标记与书目也不要。
换过之后，训练出来的数都会变：要把“让它读这本书”那一章重新跑一遍，改好里面的日期与数。
"""

import datetime
import json
import re
from collections import Counter
from hashlib import sha256

from course_lib.tasks.this_book import HELD, PATH, TUNING, frozen

from .notebook_form import chapters

HAN = re.compile("[\u4e00-\u9fff]")
BLOCKS = re.compile(r"(?ms)^ *(```|~~~|:::).*?^ *\1 *$|\$\$.*?\$\$|<!--.*?-->")
MARKS = re.compile(r"^(#+|[-*+]|\d+\.|>)\s+")  # 标题、一条、引文
LINKS = re.compile(r"!?\[([^\]]*)\](\([^)]*\)|<[^>]*>)")
NOT_PROSE = re.compile(r"[`$|<>\\{}]|https?:|\w+\.(py|md|ipynb|com|org)\b|^\s*→")


def sentences(markdown: str) -> list[str]:
    """一段 Markdown 里的整句，一句一个，标记去掉；不是话的都不要。"""
    found = []
    for line in BLOCKS.sub("", markdown).splitlines():
        line = MARKS.sub("", line.strip())
        line = re.sub(r"\[→[^\]]*\]\([^)]*\)", "", line)  # 小结末尾去处的链接
        line = LINKS.sub(r"\1", line).replace("**", "").replace("*", "").strip()
        han = len(HAN.findall(line))
        if han > 0.4 * len(line) and not NOT_PROSE.search(line):
            found.append(line)
    return found


def todays() -> dict[str, str]:
    """章的名字，不带章号 → 它今天的行文，一句一行；照章的次序。"""
    paths = {path.stem.partition("_")[2]: path for path in chapters() if path.stem[0].isdigit()}
    seen, texts = set(), dict.fromkeys(paths, "")
    # 考的与调的先认，训练里就没有与它们相同的句子
    for name, path in sorted(paths.items(), key=lambda item: item[0] not in (*HELD, *TUNING)):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        markdown = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
        kept = []
        for line in (line for text in markdown for line in sentences(text)):
            if line not in seen:
                kept.append(line)
                seen.add(line)
        texts[name] = "\n".join(kept)
    return texts


def moved(old: dict[str, str], new: dict[str, str]) -> tuple[float, str]:
    """今天的行文离开旧的那一份多远：连着的四个字有几成是没有过的；连同一句话。"""
    before, after = "\n".join(old.values()), "\n".join(new.values())
    known = {before[i : i + 4] for i in range(len(before))}
    share = sum(after[i : i + 4] not in known for i in range(len(after))) / max(1, len(after))
    words = [{word for word, count in Counter(text).items() if count >= 3} for text in (before, after)]
    gained, lost = len(words[1] - words[0]), len(words[0] - words[1])
    said = f"{len(before):,} 字，今天 {len(after):,} 字；连着的四个字有 {share:.1%} 是新的，字多了 {gained} 种，少了 {lost} 种"
    return share, said


def write(texts: dict[str, str]) -> None:
    body = "".join(f"# {name}\n{text}\n" for name, text in texts.items())
    today, digest = datetime.date.today(), sha256(body.encode()).hexdigest()
    head = f"{today} 取自这本书的各章，由 make corpus 写成，不要手改；以下各行的 SHA-256 是 {digest}"
    PATH.write_text(f"{head}\n{body}", encoding="utf-8", newline="\n")


def main() -> None:
    new = todays()
    try:
        date, old = frozen()
    except ValueError:  # 还没有，或者坏了：重新写
        date, old = "", {}
    if new == old:
        print(f"各章的行文与 {date} 取来的一样，不用换。")
        return
    write(new)
    print(f"原来 {moved(old, new)[1]}。" if old else "写好了。")
    print("请把“一个网络，两张掩码”那一章重新跑一遍，改好里面的日期与数。")


if __name__ == "__main__":
    main()
