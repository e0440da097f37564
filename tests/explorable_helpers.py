"""可以动手的图的几个测试文件共用：读出矩阵里的数，转滑杆，走棋盘。"""

import torch


def numbers(page, title):
    """题为 title 的矩阵里的数。"""
    rows = page.locator(".explore-matrix", has=page.locator("caption", has_text=title)).locator("tbody tr")
    texts = [row.locator("td").all_inner_texts() for row in rows.all()]
    return torch.tensor([[float(text.replace("−", "-")) for text in row] for row in texts])


def turn(page, label, values, value):
    """把名为 label 的滑杆转到 value；values 是它能取的各个数。"""
    page.get_by_label(label, exact=True).evaluate(
        "(input, at) => { input.value = at; input.dispatchEvent(new Event('input')); }", values.index(value)
    )


def walks_the_board(page, first, last):
    """棋盘只占一站；从 first 向上、向右走到 last，回车挑，再离开：给出离开之后到了哪里。"""
    name = "document.activeElement.getAttribute('aria-label')"
    assert page.evaluate(name) == first
    for key in ("ArrowUp", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    assert page.evaluate(name) == last
    page.keyboard.press("Tab")
    return page.evaluate("document.activeElement.textContent")
