"""书里的公开地址：有公开的仓库，链接、安装命令与下载的笔记本都指向它；没有，就都不出现。"""

import json
from types import SimpleNamespace

import pytest
from docutils import nodes

from course_book.doctree.public_links import rewrite, rewrite_downloads, use_url
from tools.notebook_form import SETUP, canonical, chapters, colab_link, setup_code
from tools.repository import PLACEHOLDER, written_url

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
        nodes.container("", nodes.paragraph("", "开头有 Colab 的链接"), classes=["on-colab"]),
        nodes.container("", nodes.paragraph("", "第一格会装上课程"), classes=["with-repository"]),
    )


@pytest.mark.parametrize(
    ("url", "promised"),
    [
        (HOME, ["▶ 在 Colab 中打开本章", "别处", "开头有 Colab 的链接", "第一格会装上课程"]),
        # Colab 打不开 Gitee 上的笔记本；安装命令照样指到仓库
        (GITEE, ["别处", "第一格会装上课程"]),
        (None, ["别处"]),
    ],
)
def test_only_what_is_true_is_promised(url, promised):
    app, doctree = application(url), page()
    use_url(app, app.config)
    rewrite(app, doctree)
    assert [paragraph.astext() for paragraph in doctree.findall(nodes.paragraph)] == promised
    links = [link["refuri"] for link in doctree.findall(nodes.reference)]
    assert links == [*[colab_link(NOTEBOOK.name, HOME)] * (url == HOME), "https://example.org"]
    block = next(doctree.findall(nodes.literal_block))
    # 两者不同，Sphinx 就不给它上色
    assert block.rawsource == block.astext() == setup_code(url) and block["language"] == "ipython3"
    theme = app.config.html_theme_options
    assert theme["repository_url"] == (url if url == HOME else "")
    assert ("launch_buttons" in theme) == (url == HOME)


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
