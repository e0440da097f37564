"""换下的模板与补上的词：主题变了，换了个空，成书就停下来说出是哪一个。"""

from types import SimpleNamespace

import pytest

from course_book.templates import interface


def test_a_template_that_replaces_nothing_is_named(tmp_path):
    theme = SimpleNamespace(get_theme_dirs=lambda: [str(tmp_path)])
    for path in interface.TEMPLATES.rglob("*.html"):
        copy = tmp_path / path.relative_to(interface.TEMPLATES)
        copy.parent.mkdir(exist_ok=True)
        copy.touch()
    app = SimpleNamespace(builder=SimpleNamespace(theme=theme))
    interface.check_templates(app)
    (tmp_path / "toggle-primary-sidebar.html").unlink()
    with pytest.raises(SystemExit, match=r"主题里已经没有这些模板，不必再换：toggle-primary-sidebar\.html（"):
        interface.check_templates(app)


def test_a_word_that_no_page_shows_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(interface, "LANGUAGE", "zh-CN")
    words = [
        word.string for catalog in interface.CATALOGS for word in interface.read_words(catalog) if word.id
    ]
    page = tmp_path / "page.html"
    builder = SimpleNamespace(name="html", get_outfilename=lambda name: page)
    config = SimpleNamespace(html_theme_options={"launch_buttons": {}})
    app = SimpleNamespace(builder=builder, config=config, env=SimpleNamespace(found_docs=["page"]))
    page.write_text("".join(f'<a title="{word}">' for word in words), encoding="utf-8")
    interface.check_words(app, None)
    page.write_text(page.read_text(encoding="utf-8").replace("明暗", "Color mode"), encoding="utf-8")
    with pytest.raises(SystemExit, match=r"请从 locale/sphinx\.po 里删去：Color mode。"):
        interface.check_words(app, None)
