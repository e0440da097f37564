"""两个活的网页的网址（live/address.js）：写坏了的不出错，状态还在。"""

import pytest


@pytest.mark.parametrize("name", ["chapters/live.html", "chapters/llm.html"])
def test_an_ill_formed_address_is_no_place(open_tab, name):
    page = open_tab(f"{name}#text=Hi")
    page.evaluate("location.hash = '#100%'")
    page.wait_for_function("location.hash.startsWith('#text=Hi')", timeout=5_000)
    assert page.errors == []
