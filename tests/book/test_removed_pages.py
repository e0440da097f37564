"""上一次写出的网页，源文件没有了的，不留在书里。"""

from types import SimpleNamespace

import pytest

from course_book.after_writing.removed_pages import remove


@pytest.mark.parametrize(("error", "builder"), [(None, "html"), (ValueError(), "html"), (None, "latex")])
def test_pages_whose_source_is_gone(tmp_path, error, builder):
    (tmp_path / "chapters").mkdir()
    pages = [tmp_path / "chapters/01_a.html", tmp_path / "chapters/01_old.html", tmp_path / "search.html"]
    for page in pages:
        page.write_text("")
    env = SimpleNamespace(found_docs={"chapters/01_a"})
    remove(SimpleNamespace(outdir=tmp_path, env=env, builder=SimpleNamespace(name=builder)), error)
    gone = {page.name for page in pages if not page.exists()}
    assert gone == (set() if error or builder != "html" else {"01_old.html"})
