"""收起来的一格在 Colab 里露出的一行标题，由这一格自己的代码写出。

Colab 不认网页的标签，只认 `cellView` 与头一行的 `# @title`；书里不显示这一行，缓存也不管它。
"""

import ast
import re
from pathlib import Path
from unicodedata import east_asian_width

ROOT = Path(__file__).parents[1]

TITLE = re.compile(r"(?m)^# @title.*\n?")
TITLE_COLUMNS = 50
# 画图、列表、出题的函数 → 它做出的东西叫什么
SHOWN = dict.fromkeys(("caption", "explore", "figure", "strip", "samples", "views.head_view"), "图")
SHOWN |= {"table": "表", "guess": "猜一猜", "show_source": "源码"}
# 图下的话，不写作 caption=… 的是第几个参数
WORDS = {"caption": 0, "guess": 0, "show_source": 0, "explore": 1, "figure": 1, "samples": 1}


def columns(line: str) -> int:
    """一行占几列；汉字占两列。"""
    return sum(2 if east_asian_width(ch) in "WF" else 1 for ch in line)


def removed(code: str) -> str:
    """去掉给 Colab 看的标题：书里没有它，缓存也不管它。"""
    return TITLE.sub("", code)


def title_of(code: str, section: str) -> str:
    """收起来的一格，在 Colab 里露出的一行：头一幅图、表下的话，没有就是它给后面备下的名字。

    参数：code，不带标题的代码；section，它所在的一节，图下没有话的就写这一节。
    """
    try:
        tree = ast.parse(code)
    except SyntaxError:  # %pip 之类
        return "准备"
    calls = [
        node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) in SHOWN
    ]
    if calls:
        first = min(calls, key=lambda node: node.lineno)
        said_below = words(first) or section.removeprefix("深入：")
        return f"{SHOWN[ast.unparse(first.func)]}：{short(said_below)}"
    names = short("、".join(dict.fromkeys(name for node in tree.body for name in bound(node) if name != "_")))
    return f"准备：{names}" if names else "准备"


def words(call: ast.Call) -> str:
    """图下的话；没有话的插图，是它自带的题目。"""
    name = ast.unparse(call.func)
    given = [word.value for word in call.keywords if word.arg == "caption"]
    given += call.args[WORDS[name] :][:1] if name in WORDS else []
    if given:
        return ast.unparse(given[0]) if name == "show_source" else said(given[0])
    if name != "figure" or not (drawing := ROOT / f"figures/{said(call.args[0])}.svg").is_file():
        return ""
    return re.search('aria-label="([^"]*)', drawing.read_text(encoding="utf8"))[1]


def said(node: ast.AST) -> str:
    """代码里的一段话；运行时才知道的写作 …。"""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(map(said, node.values))
    return said(node.left) + said(node.right) if isinstance(node, ast.BinOp) else "…"


def short(text: str) -> str:
    """头一句；太长的在标点处截短，先挑停得久的，括号与引号之内、只剩一两个字的不截。"""
    text = re.split("。(?!”)|(?<=[！？])(?!”)", text)[0]
    part = "((?:[^（“]|（[^）]*）|“[^”]*”)+)"
    while columns(text) > TITLE_COLUMNS:
        found = [re.match(part + mark, text) for mark in "；：，、"]
        cuts = [each[1] for each in found if each and columns(each[1]) >= 8]
        if not cuts:
            break
        text = cuts[0]
    return text


def bound(node: ast.stmt) -> list[str]:
    """一句代码定下的名字。"""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else []
    names = [each for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
    return [each.id for each in names if isinstance(each.ctx, ast.Store)]
