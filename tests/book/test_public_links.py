"""书里的公开地址：有公开的仓库，链接、安装命令与下载的笔记本都指向它；没有，就都不出现。"""

import json
from types import SimpleNamespace

import pytest
from docutils import nodes
from notebook_form import SETUP, canonical, chapters, colab_link
from repository import PLACEHOLDER, written_url

from course_book.doctree.public_links import rewrite, rewrite_downloads, use_url

HOME = "https://github.com/me/course"
GITEE = "https://gitee.com/me/course"
NOTEBOOK = chapters()[0]


def application(url, outdir=None):
    theme = {
        "repository_url": PLACEHOLDER,
        "launch_buttons": {"colab_url": "https://colab.research.google.com"},
    }
    return SimpleNamespace(
        config=SimpleNamespace(public_url=url, html_theme_options=theme),
        env=SimpleNamespace(docname="chapters/one", doc2path=lambda name: NOTEBOOK),
        builder=SimpleNamespace(name="html"),
        outdir=outdir,
    )


def page():
    badge = nodes.reference("", "▶ 在 Colab 中打开本章", refuri=colab_link(NOTEBOOK.name, PLACEHOLDER))
    code = SETUP.format(url=PLACEHOLDER)
    return nodes.section(
        "",
        nodes.paragraph("", "", badge),
        nodes.paragraph("", "", nodes.reference("", "别处", refuri="https://example.org")),
        nodes.container("", nodes.literal_block(code, code, language="ipython3")),
    )


def test_links_follow_the_repository():
    app, doctree = application(HOME), page()
    use_url(app, app.config)
    rewrite(app, doctree)
    links = [link["refuri"] for link in doctree.findall(nodes.reference)]
    assert links == [colab_link(NOTEBOOK.name, HOME), "https://example.org"]
    block = next(doctree.findall(nodes.literal_block))
    # 两者不同，Sphinx 就不给它上色
    assert block.rawsource == block.astext() == SETUP.format(url=HOME) and block["language"] == "ipython3"
    assert app.config.html_theme_options["repository_url"] == HOME
    assert app.config.html_theme_options["launch_buttons"]


def test_without_a_repository_there_are_no_links():
    app, doctree = application(None), page()
    use_url(app, app.config)
    rewrite(app, doctree)
    assert [link["refuri"] for link in doctree.findall(nodes.reference)] == ["https://example.org"]
    assert len(list(doctree.findall(nodes.paragraph))) == 1
    assert (
        next(doctree.findall(nodes.literal_block)).astext() == "from course_lib.show import setup\n\nsetup()"
    )
    assert app.config.html_theme_options == {"repository_url": ""}


def test_on_gitee_only_colab_is_missing(tmp_path):
    """Colab 打不开 Gitee 上的笔记本：没有它的链接与按钮，安装命令照样指到仓库。"""
    app, doctree = application(GITEE), page()
    use_url(app, app.config)
    rewrite(app, doctree)
    assert [link["refuri"] for link in doctree.findall(nodes.reference)] == ["https://example.org"]
    assert next(doctree.findall(nodes.literal_block)).astext() == SETUP.format(url=GITEE)
    assert app.config.html_theme_options == {"repository_url": ""}


@pytest.mark.parametrize("url", [HOME, GITEE])
def test_a_badge_can_go_and_come_back(url):
    """搬到 Gitee 再搬回来，笔记本与原来的一个字也不差。"""
    for path in chapters():
        before = json.loads(path.read_bytes())
        moved = json.loads(canonical(before, path.name, url))
        assert canonical(moved, path.name, written_url()) == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("url", [HOME, GITEE, None])
def test_downloads_say_the_same(tmp_path, url):
    taken = tmp_path / "_sources/chapters" / NOTEBOOK.name
    taken.parent.mkdir(parents=True)
    taken.write_bytes(NOTEBOOK.read_bytes())
    rewrite_downloads(application(url, tmp_path), None)
    text = taken.read_text(encoding="utf-8")
    assert text == canonical(json.loads(NOTEBOOK.read_bytes()), NOTEBOOK.name, url)
    assert PLACEHOLDER not in text and text.count(url or "gitee.com") == (1 if url else 0)
    assert ("%pip install" in text) == (url is not None)
    assert ("colab.research" in text) == (url == HOME)
