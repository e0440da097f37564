"""代码画出的图没有替代文字：由画它的代码与前面的行文写出来。"""

import ast
import html
import re
from collections import Counter

from docutils import nodes

from course_book.doctree.traditional_chinese import in_book_language

WORDS = {"title": "图题", "xlabel": "横轴", "ylabel": "纵轴", "label": "图例"}
PLOT = '<div class="plot"'  # course_lib.show.svg 这样写一幅图
LEAD = 100  # 行文取到大约这么多字为止


def words_in(code: str) -> dict[str, list[str]]:
    """从画图的代码里读出写在图上的字：图题、两轴与图例。"""
    found = {name: [] for name in WORDS.values()}

    def add(kind, value):
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            text = value.value.replace("$", "")
            if text and text not in found[kind]:
                found[kind].append(text)

    try:
        calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    except SyntaxError:  # 有 %pip 之类的行
        calls = []
    for call in calls:
        for keyword in call.keywords:
            if keyword.arg in WORDS:
                add(WORDS[keyword.arg], keyword.value)
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        kind = WORDS.get(name.removeprefix("set_").removeprefix("sup"))
        for value in call.args if kind or name == "heatmap" else ():
            add(kind or "图题", value)
    return {kind: texts for kind, texts in found.items() if texts}


def last_sentences(text: str) -> str:
    """一段话的末几句，不超过 `LEAD` 字；末句再长也不截断。"""
    kept = ""
    for sentence in reversed(re.findall(r"[^。！？：]+[。！？：]?[”」）]*", text)):
        if kept and len(kept) + len(sentence) > LEAD:
            break
        kept = sentence + kept
    return re.sub(r"[：，；]$", "。", kept.strip())


def lead_to(cell) -> str:
    """画图的那一格之前，离它最近的一段话。"""
    siblings = cell.parent.children
    for node in reversed(siblings[: siblings.index(cell)]):
        if isinstance(node, nodes.paragraph):
            return last_sentences(re.sub(r"\s+", " ", node.astext()))
    return ""


def ancestor(node, matches):
    while not matches(node):
        node = node.parent
    return node


def describe_plots(app, doctree, docname):
    plots_in = Counter()
    # 有说明的一幅，图外面还有 <figure>
    for plot in [raw for raw in doctree.findall(nodes.raw) if PLOT in raw.astext()]:
        section = ancestor(plot, lambda node: isinstance(node, nodes.section))
        cell = ancestor(plot, lambda node: node.get("nb_element") == "cell_code")
        plots_in[section] += 1
        code = next(cell.findall(nodes.literal_block)).astext()
        # 代码已随书换过
        words = "；".join(
            f"{in_book_language(kind)}：{'、'.join(texts)}" for kind, texts in words_in(code).items()
        )
        number = in_book_language(f"一节的第 {plots_in[section]} 幅图")
        name = in_book_language("“") + section[0].astext() + in_book_language("”") + number
        said = html.escape("。".join(filter(None, [name, words, lead_to(cell)])))
        text = plot.astext().replace(PLOT, f'{PLOT} role="img" aria-label="{said}"', 1)
        plot.children, plot.rawsource = [nodes.Text(text)], ""


def setup(app):
    app.connect("doctree-resolved", describe_plots)
