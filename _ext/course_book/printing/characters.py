"""复制与检索：汉字不作部首。

字体里“一”与部首“⼀”常是同一个字形，Chromium 记下的是编号小的那一个：看上去不错，复制出来却是部首，搜“一”也搜不到。
PDF 的每个字体带着一张字形 → 字符的表，把表里的部首与兼容汉字换成通用的汉字。
"""

import re
import unicodedata

from pypdf import PdfWriter

ODD = re.compile("[\u2e80-\u2fdf\uf900-\ufaff]")
# U+2E80 起的补充部首，Unicode 没有给出等价的字，只列与某个汉字同形的
SUPPLEMENT = str.maketrans(
    "⺅⺆⺇⺉⺊⺎⺐⺒⺓⺔⺕⺖⺘⺙⺛⺝⺞⺟⺠⺡⺢⺣⺤⺦⺨⺩⺪⺬⺭⺮⺰⺱⺲⺹⺺⺻⺼⺾⻁⻂⻃⻄⻅⻆⻈⻉⻋⻌⻏⻐⻑⻒⻓⻔⻖⻘⻙⻚⻛⻜⻝⻟⻠⻢⻣⻤⻥⻦⻧⻨⻩⻪⻫⻬⻭⻮⻯⻰⻱⻲⻳",
    "亻冂几刂卜兀尢巳幺彑彐忄扌攵旡月歺母民氵氺灬爫丬犭王疋示礻竹纟罓罒耂肀聿肉艹虎衤覀西见角讠贝车辶阝钅長镸长门阝青韦页风飞食飠饣马骨鬼鱼鸟卤麦黄黾斉齐歯齿竜龙龜亀龟",
)
BLOCK = re.compile(r"begin(bfchar|bfrange)(.*?)endbf", re.DOTALL)
ONE = re.compile(r"(<[0-9A-Fa-f]+>\s*)<([0-9A-Fa-f]+)>")
RANGE = re.compile(r"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>")


def unify(text: str) -> str:
    """部首与兼容汉字换成通用的汉字，别的不动。"""
    return ODD.sub(lambda odd: unicodedata.normalize("NFKC", odd[0].translate(SUPPLEMENT)), text)


def encode(text: str) -> str:
    return f"<{text.encode('utf-16-be').hex().upper()}>"


def decode(digits: str) -> str:
    return bytes.fromhex(digits).decode("utf-16-be", "surrogatepass")


def unify_range(match: re.Match) -> str:
    """一段连着的字形对着一段连着的字符；里面有部首，就逐个写出。"""
    first, last, start = match[1], match[2], decode(match[3])
    count = int(last, 16) - int(first, 16) + 1
    letters = [start[:-1] + chr(ord(start[-1]) + step) for step in range(count)]
    unified = [unify(letter) for letter in letters]
    return match[0] if unified == letters else f"<{first}> <{last}> [{' '.join(map(encode, unified))}]"


def unify_block(match: re.Match) -> str:
    kind, lines = match[1], match[2]
    if kind == "bfchar":
        lines = ONE.sub(lambda one: one[1] + encode(unify(decode(one[2]))), lines)
    else:
        lines = RANGE.sub(unify_range, lines)
    return f"begin{kind}{lines}endbf"


def unify_fonts(writer: PdfWriter):
    done = set()
    for page in writer.pages:
        for font in (page["/Resources"].get("/Font") or {}).values():
            if font.idnum in done or "/ToUnicode" not in (found := font.get_object()):
                continue
            done.add(font.idnum)
            table = found["/ToUnicode"].get_object()
            told = table.get_data().decode("latin-1")
            if (unified := BLOCK.sub(unify_block, told)) != told:
                table.set_data(unified.encode("latin-1"))
