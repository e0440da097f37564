"""同一本书的繁体版：环境变量 `BOOK_LANG` 是 zh-TW 时，把读进来的每一页换成台湾的繁体。

换的是解析之后的文档树：标题的锚已经定下，代码格早已执行，所以两本书的锚相同，代码与输出只有汉字不同：
注释、字符串、打印出的话与图里的字一同换过。标题、目录与检索都由换过的树得来。
每一页的页眉有去另一本书同一页的链接。
"""

import hashlib
import os
import re
from gettext import GNUTranslations
from pathlib import Path

import sphinx.locale
from bs4 import BeautifulSoup
from docutils import nodes
from sphinx import addnodes
from sphinx.errors import ConfigError
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

from course_book.doctree import taiwan_chinese

LANGUAGE = os.environ.get("BOOK_LANG") or "zh-CN"
FOLDER = "zh-TW"
OTHER_BOOK = {
    "zh-CN": {"lang": "zh-TW", "title": "繁體中文", "root": f"{FOLDER}/"},
    "zh-TW": {"lang": "zh-CN", "title": "简体中文", "root": "../"},
}
CONFIG = [
    *["project", "author", "copyright", "html_title", "html_short_title", "html_theme_options"],
    *["togglebutton_hint", "togglebutton_hint_hide", "nb_code_prompt_show", "nb_code_prompt_hide"],
]
HAN = re.compile("[\u4e00-\u9fff\ue000\ue001]")
# 一段话里的这些不是话
CODE = (nodes.FixedTextElement, nodes.literal, nodes.math, nodes.raw, addnodes.desc_signature, addnodes.index)
# 其中着色之前还是一段文字的
SOURCE = (nodes.literal_block, nodes.doctest_block, nodes.literal, addnodes.desc_signature)
# 网页与 SVG 里标明语言与字体之处
LABELS = {
    "zh-CN": "zh-TW",
    "YaHei": "JhengHei",
    "Sans SC": "Sans TC",
    "CJK SC": "CJK TC",
    "PingFang SC": "PingFang TC",
}
# 术语表里并列两岸写法的那几栏，照原样
QUOTED_COLUMNS = {"简体", "繁體", "不写作"}

logger = logging.getLogger(__name__)


def in_book_language(text: str) -> str:
    return to_traditional(text, None) if LANGUAGE == "zh-TW" else text


def to_traditional(text: str, location) -> str:
    report_undecided(text, location)
    return taiwan_chinese.convert(text)


def convert_markup(text: str, marks: str, location) -> str:
    """标记之间的汉字逐段换，标记本身不动；`marks` 是哪些字符把它们隔开。"""
    report_undecided(text, location)
    parts = re.split(f"([{marks}])", taiwan_chinese.mark(text))
    return "".join(taiwan_chinese.convert_marked(part) if HAN.search(part) else part for part in parts)


def convert_html(text: str, location) -> str:
    """一段网页或一幅 SVG。"""
    if 'class="highlight"' in text:  # 着过色的源码：一句话会被颜色隔成几截
        page = BeautifulSoup(text, "html.parser")
        texts = list(page.find_all(string=True))
        report_undecided("".join(texts), location)
        for old, new in zip(texts, taiwan_chinese.convert_pieces(texts), strict=True):
            if new != old:
                old.replace_with(new)
        return str(page)
    text = convert_markup(text, '<>"&;', location)
    for simplified, traditional in LABELS.items():
        text = text.replace(simplified, traditional)
    return text


def is_output(node) -> bool:
    """一格的输出，或者在它里面。模型写的字换一台机器就不同，不能问；格里写下的字符串在源码里已经问过。"""
    while node:
        if "cell_output" in node.get("classes", []):
            return True
        node = node.parent
    return False


def report_undecided(text: str, location):
    if isinstance(location, nodes.Element) and is_output(location):
        return
    for context in taiwan_chinese.undecided(text):
        logger.warning(
            "不知道这里的行与列要不要换，请在 _ext/course_book/doctree/taiwan_chinese.py 里补一条：%s",
            context,
            location=location,
        )


def quoted_cells(document):
    for table in document.findall(nodes.table):
        header, *rows = table.findall(nodes.row)
        names = [cell.astext() for cell in header]
        if "繁體" in names:
            for row in rows:
                yield from (cell for name, cell in zip(names, row, strict=True) if name in QUOTED_COLUMNS)


def is_inside_another(block) -> bool:
    while block := block.parent:
        if isinstance(block, nodes.TextElement):
            return True
    return False


def leaves(block):
    for child in block.children:
        if isinstance(child, (*CODE, nodes.Text)):
            yield child
        else:
            yield from leaves(child)


class ToTraditional(SphinxTransform):
    default_priority = 840  # 在 Sphinx 收集标题、目录与各域的条目（850、880）之前

    def apply(self):
        quoted = set()
        for cell in quoted_cells(self.document):
            cell["classes"].append("notranslate")
            quoted |= set(cell.findall(nodes.TextElement))
        for block in list(self.document.findall(nodes.TextElement)):
            if not (isinstance(block, CODE) or block in quoted or is_inside_another(block)):
                self.convert_block(block)
        for code in list(self.document.findall(lambda node: isinstance(node, SOURCE) and node not in quoted)):
            for text in list(code.findall(nodes.Text)):
                text.parent.replace(text, nodes.Text(to_traditional(text.astext(), code)))
            code.rawsource = code.astext()  # 两者不同时，Sphinx 不给代码着色
        for raw in self.document.findall(nodes.raw):
            if HAN.search(raw.astext()):
                raw.children = [nodes.Text(convert_html(raw.astext(), raw))]
        for math in self.document.findall(lambda node: isinstance(node, (nodes.math, nodes.math_block))):
            math.children = [nodes.Text(convert_markup(math.astext(), "{}", math))]
        for node in self.document.findall(nodes.Element):
            for name in {"alt", "caption", "rawcaption"} & node.attributes.keys():
                if node[name]:
                    node[name] = to_traditional(node[name], node)

    def convert_block(self, block):
        texts = list(leaves(block))
        pieces = [taiwan_chinese.CODE if isinstance(text, CODE) else text.astext() for text in texts]
        report_undecided("".join(pieces), block)
        for text, new in zip(texts, taiwan_chinese.convert_pieces(pieces), strict=True):
            if isinstance(text, nodes.Text) and new != text:
                text.parent.replace(text, nodes.Text(new))


def convert_config(app, config):
    def convert(value):
        if isinstance(value, dict):
            return {key: convert(item) for key, item in value.items()}
        if isinstance(value, list):
            return [convert(item) for item in value]
        return to_traditional(value, None) if isinstance(value, str) else value

    for name in CONFIG:
        config[name] = convert(config[name])
    # 说法或术语一变，Sphinx 重读所有页面
    sources = [Path(taiwan_chinese.__file__), Path(__file__), taiwan_chinese.GLOSSARY, taiwan_chinese.WORDS]
    config.traditional_digest = hashlib.sha256(b"".join(map(Path.read_bytes, sources))).hexdigest()


def convert_interface(app):
    """主题的界面词没有繁体的，或标作繁体而写着简体。"""
    for catalog in sphinx.locale.translators.values():
        while isinstance(catalog, GNUTranslations):
            words = catalog._catalog
            words |= {word: taiwan_chinese.convert(text) for word, text in words.items()}
            catalog = catalog._fallback


def share_execution_folder(app):
    # myst-nb 要放在 outdir 旁边，那里是简体的网页
    folder = Path(app.doctreedir).with_name("jupyter_execute")
    app.env.mystnb_config = app.env.mystnb_config.copy(output_folder=str(folder))


def link_other_book(app, pagename, templatename, context, doctree):
    other = OTHER_BOOK[LANGUAGE]
    href = f"{'../' * pagename.count('/')}{other['root']}{app.builder.get_target_uri(pagename)}"
    context["other_book"] = other | {"href": href}


def setup(app):
    if LANGUAGE not in OTHER_BOOK:
        raise ConfigError(f"BOOK_LANG 应当是 {' 或 '.join(OTHER_BOOK)}，这里是 {LANGUAGE!r}。")
    app.connect("html-page-context", link_other_book)
    if LANGUAGE == "zh-TW":
        # Sphinx 已按 _config.yml 载入了简体的界面词
        app.config.language = "zh_TW"
        sphinx.locale.translators.pop(("general", "sphinx"), None)
        app._init_i18n()
        app.outdir /= FOLDER
        app.doctreedir = app.doctreedir.with_name(f".doctrees-{FOLDER}")
        app.add_config_value("traditional_digest", "", "env")
        app.add_transform(ToTraditional)
        app.connect("config-inited", convert_config)
        app.connect("builder-inited", convert_interface, priority=900)  # 主题这时才载入
        app.connect("builder-inited", share_execution_folder, priority=900)
