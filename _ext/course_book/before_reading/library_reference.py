"""课程库的参考页由 docstring 生成：一行一段，“参数”“返回”“错误”“出处”各成一项。"""

import re

from sphinx import addnodes
from sphinx.writers.html5 import HTML5Translator

FIELDS = "参数|返回|错误|出处|约定"
FIELD = re.compile(rf"^({FIELDS})：", re.M)
CODE = re.compile(r"(`+)(.+?)\1")
RST_MARKS = re.compile(r"([*|_\\])")


def to_rst(text: str) -> str:
    """把一段 docstring 译成 reStructuredText；行内代码照旧，其余符号不当标记。"""
    text = re.sub(rf"(?<=[。；]) ?(?=(?:{FIELDS})：)", "\n", text)
    parts, end = [], 0
    for code in CODE.finditer(text):
        # 代码两侧没有空白也要认得出来
        parts += [RST_MARKS.sub(r"\\\1", text[end : code.start()]), rf"\ ``{code[2]}``\ "]
        end = code.end()
    return FIELD.sub(r"\n**\1**：", "".join(parts) + RST_MARKS.sub(r"\\\1", text[end:]))


def process(app, what, name, obj, options, lines):
    # 具名元组的各项，说明在类里；Python 自己写的一句不是说明
    lines[:] = [line for line in lines if not line.startswith("Alias for field number")]
    # 换行只为排版：除了空行与各项的开头，都接成一行，否则汉字之间会多出空格
    text = to_rst("\n".join(line.strip() for line in lines))
    text = re.sub(r"(?<=[^\x00-\x7f])\n(?=[^\n*])", "", text)
    lines[:] = text.split("\n")


def keep_only_text(app, doctree, docname):
    """签名里的每个词、每个标点各套着一层标签，这一页的元素一半是它们：只留下字。"""
    for signature in doctree.findall(addnodes.desc_signature):
        for part in [*signature.findall(addnodes.desc_sig_element)]:
            place = part.parent.index(part)
            part.parent[place : place + 1] = part.children


def visit_signature(self, node):
    """也不必每个词再套一层，好让它不在中间断开。"""
    HTML5Translator.visit_desc_signature(self, node)
    self.protect_literal_text -= 1


def depart_signature(self, node):
    self.protect_literal_text += 1
    HTML5Translator.depart_desc_signature(self, node)


def setup(app):
    app.setup_extension("sphinx.ext.autodoc")
    app.add_node(addnodes.desc_signature, override=True, html=(visit_signature, depart_signature))
    app.connect("doctree-resolved", keep_only_text)
    app.connect("autodoc-process-docstring", process)
