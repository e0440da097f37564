"""把简体的行文写成台湾的繁体：字与通用词交给 OpenCC，术语读自术语表，别的词读自 taiwan_words.csv，行与列按说法逐条判断。"""

import re
from pathlib import Path

from opencc import OpenCC

from course_book import ROOT

GLOSSARY = ROOT / "chapters/glossary.md"
WORDS = Path(__file__).with_name("taiwan_words.csv")
QUOTES = dict(zip("“”‘’", "「」『』", strict=True))

# 大陆横为行，台湾横为列：矩阵与表里的要换，“一行代码”“运行”“序列”不换。
# 行、列二字的每次出现都要落在下面某一条里；哪条都不落，成书时会报出来，补进其中一条即可。
# 写法是正则表达式，⌘ 代表一段行内代码或公式；不换的胜过要换的。
KEPT_WORDS = [
    "运行|执行|进行|自行|并行|平行|串行|流行|通行|银行|飞行|行为(?![值向单])|行不通|本行(?!的)|换行|断行|空行|行文",
    "就行(?!数)|也行(?!数)|都行(?!数)|不行(?!数)",
    "行不行|行，反正|行，只要|替它列的|我们列的|另列三个",
    "只列|序列|排列|并列|名列|前列|列出|列表|列举|列了|列在|都列|再列|着列",
    "一列(?:图|词元|向量|整数|数(?!未)| matplotlib)|给的一列",
    "行(?:代码|公式|函数)|一两行|添几行|排成一行|写成一行|打印.{0,10}行|关于.{0,20}的几行",
    "横为[行列]|“[行列]”",
]
# 单看说法与矩阵的行分不开，照那一句话来认
KEPT_PASSAGES = [
    # 代码与文件的行
    *[
        "逐行读",
        "几行就能写完",
        "好在一行就能查",
        "本书的几千行",
    ],
    *[
        "一行也不用改",
    ],
    # 引用别人的写法
    *["矩阵的四行代表四个词", "习惯称行"],
]
SWAPPED = [
    r"[每各这那该同整前后第首末上下左右批些条一二两三四五六七八九十百\d⌘)）}] ?[行列]",
    r"\b[A-Za-z] [行列]",
    "向量是行|挑几列|多少行|万行|打乱：行|各在各的几列",
    r"的[行列](?!为)",
    r"[对按把逐了乱零]行",
    r"[行列][数号和长与、是]",
    r"(?:[与、]|都是|要是|所以是)[行列]",
    r"[行列]的(?:次序|意思)",
    '"[行列]"',
    r"行行|text\{ [行列]|, [行列],",
    r"(?:编译的|网络的|至少要有|表有|矩阵要|那|前|最近的|最后|填充|给定|要|就有|有|成|第)几[行列]",
]

# 单独成段的一个字：一字一个词元的“公历”“阳历”，OpenCC 会换成历史的“歷”
ALONE = {"历": "曆"}
# 分词那一章拿两岸的写法作比较，又印出英文词表里的汉字：这些是材料，照原样
PRINTED = ["我喜欢猫：", "伊 会 佐"]
AS_IS = [
    *PRINTED,
    *["国东车马鸟龙门书长见话语读写学习说时间后会对发经现点当进种头还应"],
    *["开无电体问题动们过两个为来这样么实业产务员军机关系让认识论组织"],
    *[
        "今天的天气真不错",
        "她忘了关窗户",
        "我喜欢猫，他喜欢狗",
        "请把灯关掉",
        "图书馆星期一不开门",
    ],
    *["我们在学习读句子", "我哥哥买了新自行车", "月亮比地球小", "他给老师写了一封信", "厨房里没有面包了"],
    # 换成繁体，切法就不同
    *["因为他们来了", "因为我们来了", "他们打电话", "打了一个电话", "因为他们", "因为我们", "打电话"],
]

CODE = "⌘"
MARKED = {"行": "\ue000", "列": "\ue001"}
SETTLED = {"\ue000": "列", "\ue001": "行"}


def glossary_words() -> dict[str, str]:
    """术语表的前两栏：简体到台湾的写法；单字要看上下文，不在这里换。"""
    words = {}
    for line in GLOSSARY.read_text(encoding="utf8").splitlines():
        if line.startswith("| ") and not line.startswith("| 简体"):
            simplified, traditional = (cell.strip() for cell in line.split("|")[1:3])
            traditional = traditional.partition("（")[0]
            pairs = zip(simplified.split("、"), traditional.split("、"), strict=True)
            words |= {left: right for left, right in pairs if len(left) > 1}
    return words


def own_words() -> dict[str, str]:
    """taiwan_words.csv 的两栏；以 # 开头的是说明。"""
    words = {}
    for line in WORDS.read_text(encoding="utf8").splitlines()[1:]:
        if line.startswith("#"):
            continue
        simplified, _, traditional = line.partition(",")
        if not (simplified and traditional):
            raise SystemExit(f"{WORDS.name} 里这一行不是“简体,台湾”两栏：{line}")
        words[simplified] = traditional
    return words


OPENCC = OpenCC("s2twp")
# 术语与 OpenCC 的结果相同时不必列出：整句交给它，它还能看上下文
TERMS = {word: result for word, result in glossary_words().items() if OPENCC.convert(word) != result}
CHANGED = TERMS | own_words() | dict(zip(AS_IS, AS_IS, strict=True))
KNOWN = re.compile("|".join(sorted(map(re.escape, CHANGED), key=len, reverse=True)))


def covered(rules: list[str], text: str) -> set[int]:
    """`text` 里落在任何一条规则之内的位置；一条规则的几次出现可以重叠。"""
    return {
        place
        for rule in rules
        for match in re.finditer(f"(?=({rule}))", text)
        for place in range(match.start(1), match.end(1))
    }


def undecided(text: str) -> list[str]:
    """哪条规则都不管的行与列，各带前后几个字。"""
    places = {place for place, letter in enumerate(text) if letter in MARKED}
    left = places and places - covered(KEPT_WORDS + KEPT_PASSAGES + SWAPPED, text)
    return [text[max(0, place - 10) : place + 10] for place in sorted(left)]


def mark(text: str) -> str:
    """把要换的行与列换成记号，字数不变。"""
    if not any(letter in text for letter in MARKED):
        return text
    places = covered(SWAPPED, text) - covered(KEPT_WORDS + KEPT_PASSAGES, text)
    return "".join(MARKED.get(letter, letter) if i in places else letter for i, letter in enumerate(text))


def convert_marked(text: str) -> str:
    if "\0" in text:  # OpenCC 读到它就停，后面的字会一声不响地丢掉
        raise ValueError(f"文字里有空字符 NUL，换不了：{text!r}")
    if text in ALONE:
        return ALONE[text]
    parts, end = [], 0
    for word in KNOWN.finditer(text):
        parts += [convert_unknown(text[end : word.start()]), CHANGED[word[0]]]
        end = word.end()
    text = "".join(parts) + convert_unknown(text[end:])
    text = re.sub("[“”‘]|’(?![a-z])", lambda quote: QUOTES[quote[0]], text)  # 留下 What’s 里的撇号
    return re.sub("[\ue000\ue001]", lambda letter: SETTLED[letter[0]], text)


def convert_unknown(text: str) -> str:
    text = OPENCC.convert(text)
    # 两个寻常的字，OpenCC 在它不认得的词旁边会认错：“文本里”与“办法是只看”
    text = re.sub("(?<![公英海])里(?!程)", "裡", text)
    return re.sub("(?<![一兩二三四五六七八九十幾每])隻", "只", text)


def convert(text: str) -> str:
    """一段完整的话。"""
    return convert_marked(mark(text))


def convert_pieces(pieces: list[str]) -> list[str]:
    """一段话被强调、链接与代码隔成的几截：行与列看整段，其余逐截换；代码写作 ⌘，原样返回。"""
    marked, start, result = mark("".join(pieces)), 0, []
    for piece in pieces:
        result.append(piece if piece == CODE else convert_marked(marked[start : start + len(piece)]))
        start += len(piece)
    return result
