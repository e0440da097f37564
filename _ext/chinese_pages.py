"""让网页读起来像中文：句间不留空隙，提示是中文。"""

import re

from docutils import nodes
from traditional_chinese import edit_pages, in_book_language

# 主题没有译成中文的提示
TOOLTIPS = {
    "Color mode": "明暗",
    "Launch interactive content": "在线运行",
    "Launch on Colab": "在 Colab 中打开",
    "Link to this heading": "到这一节的链接",
    "Link to this equation": "到这个公式的链接",
    "Link to this table": "到这张表的链接",
    "Link to this image": "到这幅图的链接",
    "Main": "全书目录",
    "Page": "本页目录",
    "System Settings": "跟随系统",
    "Toggle primary sidebar": "全书目录",
    "Toggle secondary sidebar": "本页目录",
}
TOOLTIP = re.compile(rf'(?<= )((?:data-bs-)?title|aria-label)="({"|".join(TOOLTIPS)})"')
FULL_WIDTH = set("，。；：？！、）”」》…")


def join_lines(app, doctree):
    """源文件里一句一行；换行在网页里会成为空格，全角标点之后不该有它。"""
    for block in doctree.findall(nodes.TextElement):
        kept = []
        for child in block.children:
            if not (child == "\n" and kept and kept[-1].astext()[-1:] in FULL_WIDTH):
                kept.append(child)
        block.children = kept


def translate_tooltips(app, exception):
    def translate(text, path):
        return TOOLTIP.sub(lambda match: f'{match[1]}="{in_book_language(TOOLTIPS[match[2]])}"', text)

    if exception is None:
        edit_pages(app, translate)


def setup(app):
    app.connect("doctree-read", join_lines)
    app.connect("build-finished", translate_tooltips)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
