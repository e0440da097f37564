"""书里的公开地址处处一致：Colab 的链接、启动按钮、安装命令、供下载的笔记本；还没有公开的仓库，就都不出现。

行文里只在有时才成立的一段放进 `{container} on-colab` 或 `with-repository`。
笔记本里写着的不动，执行的也还是它；改的是读成文档树以后的样子，与下载的那一份。
"""

import json
from pathlib import Path

from docutils import nodes

from course_book import ROOT
from course_book.after_writing.traditional_notebooks import to_traditional
from course_book.doctree.traditional_chinese import LANGUAGE
from tools.notebook_form import canonical, colab_link, setup_code
from tools.repository import public_url

COLAB = "https://colab.research.google.com/github/"


def use_url(app, config):
    # 主题只认得 GitHub；那里的按钮与网站的地址也只有 GitHub 才有
    on_github = colab_link("", config.public_url) is not None
    config.html_theme_options["repository_url"] = config.public_url if on_github else ""
    if not on_github:
        config.html_theme_options.pop("launch_buttons", None)


def rewrite(app, doctree):
    url = app.config.public_url
    path = Path(app.env.doc2path(app.env.docname))
    true = {"on-colab": colab_link(path.name, url), "with-repository": url}
    for block in list(doctree.findall(nodes.container)):
        if any(not true.get(name, True) for name in block["classes"]):
            block.parent.remove(block)
    for link in list(doctree.findall(nodes.reference)):
        if link.get("refuri", "").startswith(COLAB):
            if place := colab_link(path.name, url):
                link["refuri"] = place
            else:
                link.parent.parent.remove(link.parent)
    for block in list(doctree.findall(nodes.literal_block)):
        if "%pip install" in block.astext() and path.suffix == ".ipynb":
            code = setup_code(url)
            shown = nodes.literal_block(code, code, **block.attributes)
            block.replace_self(shown)


def rewrite_downloads(app, exception):
    if exception is None and app.builder.name == "html":
        folder = Path(app.outdir, "_sources")
        for path in folder.rglob("*.ipynb"):
            source = ROOT / path.relative_to(folder)
            if source.is_file():
                path.write_text(download(source, app.config.public_url), encoding="utf-8")
            else:
                path.unlink()  # 改了名的章，上一次成书留下的


def download(path: Path, url: str | None) -> str:
    """供下载的一个笔记本，用这本书的文字；从仓库里的那一份写起，繁体的不会被再换一遍。"""
    text = canonical(json.loads(path.read_text(encoding="utf-8")), path.name, url)
    if LANGUAGE == "zh-TW":
        text = json.dumps(to_traditional(json.loads(text)), ensure_ascii=False, indent=1) + "\n"
    return text


def setup(app):
    # 它一变，Sphinx 就重读所有页面
    app.add_config_value("public_url", public_url(), "env")
    app.connect("config-inited", use_url, priority=100)
    app.connect("doctree-read", rewrite, priority=100)  # 在换成繁体之前
    app.connect("build-finished", rewrite_downloads)
