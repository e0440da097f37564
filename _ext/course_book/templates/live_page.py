"""“打开 BERT”：有 live-bert 面板的网页才载入它的脚本与样式；模型的数据要等读者按下按钮才取。

可以打字的“分词”那幅图也用它的分词器，词表要等读者点了输入框才取。
"""

from functools import cache

from docutils import nodes

from course_book.after_writing import live_data
from course_book.doctree.traditional_chinese import LANGUAGE

SCRIPTS = [
    *("bert/tokenizer.js", "bert/bert.js", "bert/weights.js", "bert/simd.js", "bert/engine.js"),
    *("marks.js", "charts.js", "bert/state.js", "bert/parts.js"),
    *("bert/cell.js", "bert/intervene.js", "bert/panel.js"),
]
WHOLE = {"bert/cell.js", "bert/intervene.js"}  # 只有整页的面板用得着
TYPING = ["bert/tokenizer.js", "bert/vocabulary.js"]
PAGE = "chapters/live"


@cache
def data_bytes() -> int:
    """按下按钮要取的字节数。"""
    return sum(map(len, live_data.data_files().values()))


def scripts_for(doctree) -> list[str]:
    """这一页的面板要的脚本；没有面板就没有。各章末尾的小面板带着 data-parts，整页的不带。"""
    raws = [raw.astext() for raw in doctree.findall(nodes.raw)] if doctree else []
    panels = [raw for raw in raws if 'class="live-bert"' in raw]
    if not panels:
        return []
    whole = any("data-parts=" not in raw for raw in panels)
    return [name for name in SCRIPTS if whole or name not in WHOLE]


def add_tags(app, pagename, templatename, context, doctree):
    scripts = scripts_for(doctree)
    typing = doctree and "tokenize" in app.env.metadata.get(pagename, {}).get("explorables", [])
    if not scripts and not typing:
        return
    root = "../" * pagename.count("/")
    # 数据只有一份，在简体的书里；脚本里有字，两本书各有一份
    data = f"{root}{'../' if LANGUAGE == 'zh-TW' else ''}live/"
    page = root + app.builder.get_target_uri(PAGE)
    facts = {
        "bert/panel.js": f' data-root="{data}" data-page="{page}" data-bytes="{data_bytes()}"',
        "bert/vocabulary.js": f' data-root="{data}"',
    }
    tags = [f'<link rel="stylesheet" href="{root}live/live.css">'] if scripts else []
    for name in dict.fromkeys([*(TYPING if typing else []), *scripts]):
        tags.append(f'<script defer src="{root}live/{name}"{facts.get(name, "")}></script>')
    context["metatags"] = "\n".join([context.get("metatags", ""), *tags, ""])


def setup(app):
    app.connect("html-page-context", add_tags)
