"""不依赖外站、不留过期输出的那个 Sphinx 扩展里，不必成书就能查的部分。"""

import offline_pages
import pytest
from docutils import nodes
from sphinx.errors import ConfigError


@pytest.mark.parametrize(
    "name", ["course_lib/new.py", "course_lib/data/new.json", "figures/new.svg", "_ext/execute_chapters.py"]
)
def test_library_digest_follows_every_file(tmp_path, monkeypatch, name):
    """库或插图里任何一个文件变了，缓存的文件夹就变；改回来又是原来那个。"""
    monkeypatch.setattr(offline_pages, "ROOT", tmp_path)
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    digests = []
    for text in ["一", "二", "一"]:
        path.write_text(text, encoding="utf-8")
        digests.append(offline_pages.library_digest())
    assert digests[0] == digests[2] != digests[1]


def test_library_digest_follows_versions(monkeypatch):
    before = offline_pages.library_digest()
    monkeypatch.setattr(offline_pages, "distributions", lambda: [])
    assert offline_pages.library_digest() != before


def test_library_digest_follows_the_chosen_model(monkeypatch):
    monkeypatch.delenv("COURSE_BERT", raising=False)
    before = offline_pages.library_digest()
    monkeypatch.setenv("COURSE_BERT", "bert-base-uncased")
    assert offline_pages.library_digest() != before


def test_other_mathjax_is_refused(tmp_path, monkeypatch):
    (tmp_path / "tex-svg-full.js").write_text("别的东西", encoding="utf-8")
    monkeypatch.setattr(offline_pages, "package_file", lambda package, path: tmp_path / "tex-svg-full.js")
    with pytest.raises(ConfigError, match=r"SHA-256 是 .*，应当是 a4354ff"):
        offline_pages.use_local_files(None, None)


def test_missing_package_is_named():
    with pytest.raises(ConfigError, match=r"找不到 no_such_package 里的 a\.js"):
        offline_pages.package_file("no_such_package", "a.js")


def test_d3_is_linked_from_any_depth():
    page = "&lt;script data-library=&quot;d3&quot;&gt;var d3&lt;/script&gt;|"
    doctree = nodes.section("", nodes.raw("", page * 2, format="html"))
    offline_pages.share_d3(None, doctree, "chapters/a")
    link = "&lt;script src=&quot;../_static/d3.v5.min.js&quot;&gt;&lt;/script&gt;|"
    assert doctree.astext() == link * 2
