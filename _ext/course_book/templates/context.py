"""交给模板的话：转发到别处时显示的题目与简介、书所在的地址，以及主题以外的两页。"""

import os
from pathlib import Path

from docutils import nodes

from course_book import ROOT
from course_book.before_reading.local_files import pages_address
from course_book.doctree import taiwan_chinese
from course_book.doctree.traditional_chinese import FOLDER, LANGUAGE
from course_lib.show import palette

CARD = ROOT / "figures" / "page.png"
LENGTH = 150


def summary(doctree) -> str:
    """正文的第一段，只有一问的就连同下一段；只有一个链接的那一段（Colab 徽章）不算。"""
    said = ""
    for paragraph in doctree.findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        if text != "".join(link.astext() for link in paragraph.findall(nodes.reference)):
            said += text
            if not text.endswith("？"):
                break
    return said if len(said) <= LENGTH else said[: LENGTH - 1] + "…"


def settle_address(app, config):
    """书放在哪里：_config.yml 或环境变量 BOOK_URL 写着的，否则是 GitHub Pages 给这个仓库的地址。"""
    repository = config.html_theme_options.get("repository_url", "")
    address = config.html_baseurl or os.environ.get("BOOK_URL") or pages_address(repository)
    if address:
        folder = f"{FOLDER}/" if LANGUAGE == "zh-TW" else ""
        config.html_baseurl = f"{address.rstrip('/')}/{folder}"
        config.html_static_path.append(str(CARD))


def add_head_tags(app, pagename, templatename, context, doctree):
    tags = {
        "og:site_name": app.config.html_title,
        "og:title": context.get("title") or app.config.html_title,
        "og:type": "article" if doctree else "website",
        "og:locale": app.config.language,
    }
    if doctree and (text := summary(doctree)):
        tags |= {"description": text, "og:description": text}
    if base := app.config.html_baseurl:  # 这两样只有写成完整的地址才有用
        tags |= {"og:url": f"{base}{pagename}.html", "og:image": f"{base}_static/{CARD.name}"}
    context["head_tags"] = tags
    context["metatags"] = ""  # docutils 报自己的版本


def drop_unused_scripts(app, pagename, templatename, context, doctree):
    # 词由 book.js 来标：Sphinx 的那一个把图里与侧栏里的也标上
    unused = "_static/sphinx_highlight.js"
    context["script_files"] = [script for script in context["script_files"] if script.filename != unused]


def extra_pages(app):
    """首页在子文件夹里，从 index.html 转过去；404.html 站点只认最上一层的那一份，它属于简体的书。"""
    yield "index", {}, "front_door.html"
    if LANGUAGE == "zh-CN":
        # 没有公开的地址，就不知道会在哪个文件夹下
        folder = Path(app.config.html_theme_options["repository_url"]).name or "book"
        context = {"folder": folder, "palette": palette.css(), "taiwan": taiwan_chinese.convert}
        yield "404", context, "404.html"


def setup(app):
    app.connect("config-inited", settle_address)
    app.connect("html-page-context", add_head_tags, priority=100)  # 后来的还要往里添
    app.connect("html-page-context", drop_unused_scripts)
    app.connect("html-collect-pages", extra_pages)
