"""源文件一行一句，成书时句与句之间不留空格。"""

import re

from docutils import nodes

LINE_END = re.compile(r"(?<=[。！？：；，、）”…])\n")


def join_sentences(app, doctree):
    for text in list(doctree.findall(nodes.Text)):
        if LINE_END.search(text) and not isinstance(text.parent, nodes.FixedTextElement | nodes.raw):
            text.parent.replace(text, nodes.Text(LINE_END.sub("", text)))


def setup(app):
    app.connect("doctree-read", join_sentences)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
