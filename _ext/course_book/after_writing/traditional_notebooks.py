"""繁体的书里供下载的笔记本：行文与注释写成繁体，代码照旧。

网页上的代码只给人看，字符串也换；笔记本要运行，字符串里有材料、也有拿来比较的，一个字也不能动，印出来的话就还是简体。
"""

import io
import re
import tokenize

import yaml
from markdown_it.renderer import RendererHTML
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

from course_book import ROOT
from course_book.doctree import taiwan_chinese
from course_book.doctree.traditional_chinese import HAN, convert_html, convert_markup

LINK_TARGET = re.compile(r"\]\(([^()]*)\)")
MARKS_OF_MATH = "{}"


def parser():
    """与成书时认得的写法相同。"""
    parse = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["parse"]
    config = MdParserConfig(enable_extensions=parse["myst_enable_extensions"])
    # 反斜杠写成的字符另成一截，才对得上原文
    return create_md_parser(config, RendererHTML).disable("text_join")


class Rewriter:
    """从头到尾走一遍原文，把走到的每一段换成新的；段与段之间的标记原样留下。"""

    def __init__(self, source: str):
        self.source, self.place, self.written = source, 0, []

    def replace(self, old: str, new: str) -> None:
        start = self.source.find(old, self.place)
        if start < 0:
            raise ValueError(f"笔记本里没有照原样写着的这一段，换不了：{old!r}")
        self.written += [self.source[self.place : start], new]
        self.place = start + len(old)

    def replace_link_target(self) -> None:
        # 方括号之后不是地址的，是写成 <网址> 的
        if target := LINK_TARGET.match(self.source, self.place):
            self.replace(target[1], taiwan_chinese.convert(target[1]))

    def text(self) -> str:
        return "".join([*self.written, self.source[self.place :]])


def convert_markdown(source: str, markdown) -> str:
    if not HAN.search(source):
        return source
    rewriter = Rewriter(source)
    for token in markdown.parse(source):
        if token.type == "inline":
            convert_inline(token.children, rewriter)
        elif token.type in ("html_block", "fence", "code_block", "math_block", "amsmath"):
            rewriter.replace(token.content, convert_piece(token))
    return rewriter.text()


def convert_piece(token) -> str:
    if token.type.startswith("html"):
        return convert_html(token.content, None)
    if "math" in token.type:
        return convert_markup(token.content, MARKS_OF_MATH, None)
    return taiwan_chinese.convert(token.content)


def convert_inline(children, rewriter: Rewriter) -> None:
    """一段话：行与列看整段，其余逐截换；代码、公式与网页的标记各换各的。"""
    pieces = []
    for token in children:
        said = {"text": token.content, "text_special": token.content, "softbreak": "\n", "hardbreak": "\n"}
        pieces.append(said.get(token.type, taiwan_chinese.CODE if token.content else ""))
    converted = taiwan_chinese.convert_pieces(pieces)
    for token, new in zip(children, converted, strict=True):
        if token.type == "text":
            rewriter.replace(token.content, new)
        elif token.type == "text_special":
            rewriter.replace(token.markup, token.markup)
        elif token.type == "image":
            rewriter.replace(token.content, taiwan_chinese.convert(token.content))
            rewriter.replace_link_target()
        elif token.type == "link_close":
            rewriter.replace_link_target()
        elif token.content:
            rewriter.replace(token.content, convert_piece(token))


def convert_comments(code: str) -> str:
    """只换注释；行与列看整格。"""
    lines, marked = code.splitlines(keepends=True), taiwan_chinese.mark(code).splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT:
            row, start = token.start[0] - 1, token.start[1]
            comment = taiwan_chinese.convert_marked(marked[row][start : token.end[1]])
            lines[row] = lines[row][:start] + comment + lines[row][token.end[1] :]
    return "".join(lines)


def to_traditional(notebook: dict) -> dict:
    """一个简体的笔记本（字典）→ 繁体的；格的名字、标签与代码都不变。"""
    markdown, cells = parser(), []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        convert = (
            convert_comments(source) if cell["cell_type"] == "code" else convert_markdown(source, markdown)
        )
        cells.append(cell | {"source": convert.splitlines(keepends=True)})
    return notebook | {"cells": cells}
