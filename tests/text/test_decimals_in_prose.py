"""笔记本的行文里说出的每一个小数，那一章的代码里都有，记录里有，或者在下面的表里说明为什么没有。"""

import ast
import json
import re
from decimal import Decimal

import pytest

from chapters import NOTEBOOKS, ROOT, cells, lasting, source

# 理由 → 哪一章：哪几个数。只差一条断言的不写在这里，去补上断言；数没有了，这里也要删去
ELSEWHERE = {
    "别人论文里的": {
        "why_transformer": "3.5、1.8",
        "multi_head_attention": "0.9",
        "post_training": "15.6%、71.0%、77.9%",
        "beyond_llama": "5.1",
        "jet_tagging": "80.4",
    },
    "软件的版本": {"errata": "1.4、1.26、4.46"},
    "那一句里就在算": {
        "scaled_dot_product_attention": "2.7",
        "attention_masks": "2.7",
        "encoder_is_bert": "1.41",
        "contextual_bank": "7.5",
        "training": "2.64",
        "decoder_only": "0.69",
        "post_training": "2.30",
        "beyond_llama": "0.36、1.8",
        "vision_transformer": "8.6",
    },
    "在另一章里断言过": {"multi_head_attention": "0.69"},
    "量的是快慢，换一台机器就不同": {
        "multi_head_attention": "0.46、0.51、0.71、0.74、0.83、0.94、0.9、1.9、0.55、0.92、2.4"
    },
}

SPOKEN = re.compile(
    r"(?<![\w.])(?P<digits>\d{1,3}(?:,\d{3})+\.\d+|\d+\.\d+)"
    r"(?:(?:e|\\times *10\^)\{?(?P<power>-?\d+)\}?)?(?![A-Za-z0-9_]|\.\d)(?: ?\\?(?P<unit>[%万亿]))?"
)
UNITS = {None: Decimal(1), "%": Decimal("0.01"), "万": Decimal(10**4), "亿": Decimal(10**8)}
# 代码块、链接的地址、标签；LaTeX 的命令；论文的第几节与编号，是地址，不是量出的数
NOT_SPOKEN = r"```.*?```|\]\([^)]*\)|</?[a-z]+(?: [^>\n]*)?>|\\(?!times)[A-Za-z]+|第 [\d.、 ]+节|arXiv:[\d.]+"
NUMBER = re.compile(r"-?(\d[\d,]*(?:\.\d+)?(?:e-?\d+)?) ?%?")


def spoken(text):
    """行文里的小数：写法，数，末一位是第几位，单位有多大。"""
    for match in SPOKEN.finditer(re.sub(NOT_SPOKEN, " ", text, flags=re.S)):
        value = Decimal(match["digits"].replace(",", ""))
        scale = UNITS[match["unit"]] * Decimal(10) ** int(match["power"] or 0)
        yield match[0], value, -value.as_tuple().exponent, scale


def read(path):
    """一章的行文，与代码里的数；代码里带汉字的一行字是图下的话，也是行文，几行的是抄来的记录。"""
    prose, numbers = [source(cell) for cell in cells(path, "markdown")], set()
    for cell in cells(path, "code"):
        # 只为画图的格里多是位置与大小，碰上哪个数都不奇怪
        holds = "hide-input" not in cell["metadata"].get("tags", []) or "assert" in source(cell)
        for node in ast.walk(ast.parse(source(cell) if cell["id"] != "setup" else "")):
            said = str(node.value) if isinstance(node, ast.Constant) else ""
            words = said.split() if "\n" in said else [said] * holds
            numbers |= {Decimal(found[1].replace(",", "")) for found in map(NUMBER.fullmatch, words) if found}
            if "\n" not in said and re.search(r"[\u4e00-\u9fff]", said):
                prose.append(said)
    if (record := ROOT / f"course_lib/records/{lasting(path)}.json").is_file():  # 各个种子的
        runs = json.dumps(json.loads(record.read_text(encoding="utf-8"))["runs"])
        numbers |= {Decimal(number) for number in re.findall(r"\d+\.\d+", runs)}
    return prose, numbers


def held(value, place, scale, numbers):
    """代码里的可以写得更细：舍入到说出的那一位，就是它。"""
    near = Decimal("0.5").scaleb(-place)
    return any(abs(number - value) < near for one in numbers for number in (one, one / scale))


def loose(path):
    """一章里说出、代码里却没有的小数。"""
    prose, numbers = read(path)
    return {said for text in prose for said, *number in spoken(text) if not held(*number, numbers)}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_decimal_is_held(path):
    listed = [chapters.get(lasting(path), "") for chapters in ELSEWHERE.values()]
    excused, found = {said for each in listed for said in each.split("、") if each}, loose(path)
    assert not found - excused, f"代码里没有这些数：行文写错了，或者还差一条断言：{sorted(found - excused)}"
    assert not excused - found, f"代码里已经有了，请从 ELSEWHERE 里删去：{sorted(excused - found)}"
