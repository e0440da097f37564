"""每一页的 `<head>`：转发到别处时显示的题目与简介，以及不闪的明暗。"""

import html
from pathlib import Path

from docutils import nodes
from traditional_chinese import FOLDER, LANGUAGE

CARD = Path(__file__).parents[1] / "figures" / "page.png"
LENGTH = 150
# 主题要等到页尾的脚本才认得出系统的暗色，那之前会先亮一下；这里在画出第一笔之前就定下来
SETTLE_THEME = """{
  const page = document.documentElement.dataset;
  if (page.theme === 'auto') page.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}"""


def summary(doctree) -> str:
    """正文的第一段；只有一个链接的那一段（Colab 徽章）不算。"""
    for paragraph in doctree.findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        if text != "".join(link.astext() for link in paragraph.findall(nodes.reference)):
            return text if len(text) <= LENGTH else text[: LENGTH - 1] + "…"
    return ""


def add_tags(app, pagename, templatename, context, doctree):
    tags = {
        "og:site_name": app.config.html_title,
        "og:title": context.get("title") or app.config.html_title,
        "og:type": "article" if doctree else "website",
        "og:locale": app.config.language,
    }
    if doctree and (text := summary(doctree)):
        tags |= {"description": text, "og:description": text}
    if app.config.html_baseurl:  # 这两样只有写成完整的地址才有用
        base = app.config.html_baseurl.rstrip("/")
        tags |= {"og:url": f"{base}/{pagename}.html", "og:image": f"{base}/_static/{CARD.name}"}
    context["metatags"] = context.get("metatags", "") + "".join(
        f'\n<meta {"property" if ":" in name else "name"}="{name}" content="{html.escape(value)}">'
        for name, value in tags.items()
    )


def carry_card(app, config):
    if config.html_baseurl:
        if LANGUAGE == "zh-TW":
            config.html_baseurl = f"{config.html_baseurl.rstrip('/')}/{FOLDER}/"
        config.html_static_path.append(str(CARD))


def setup(app):
    app.add_js_file(None, body=SETTLE_THEME, priority=1)
    app.connect("config-inited", carry_card)
    app.connect("html-page-context", add_tags)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
