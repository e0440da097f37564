"""三个活的网页的网址（live/address.js）：写坏了的不出错，状态还在。"""

import pytest

pytestmark = pytest.mark.guards("live", "_ext")


@pytest.mark.parametrize(
    "name, state",
    [
        ("chapters/live.html", "#text=Hi"),
        ("chapters/llm.html", "#text=Hi"),
        ("chapters/train.html", "#task=sort"),
    ],
)
def test_an_ill_formed_address_is_no_place(open_tab, name, state):
    page = open_tab(f"{name}{state}")
    page.evaluate("location.hash = '#100%'")
    page.wait_for_function("(state) => location.hash.startsWith(state)", arg=state, timeout=5_000)
    assert page.errors == []
