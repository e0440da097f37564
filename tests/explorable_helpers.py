"""可以动手的图的几个测试文件共用：读出矩阵里的数，转滑杆，走棋盘。"""

import torch


def numbers(page, title):
    """题为 title 的矩阵里的数。"""
    rows = page.locator(".explore-matrix", has=page.locator("caption", has_text=title)).locator("tbody tr")
    texts = [row.locator("td").all_inner_texts() for row in rows.all()]
    return torch.tensor([[float(text.replace("−", "-")) for text in row] for row in texts])


def slide(page, label, at):
    """把名为 label 的滑杆拖到第 at 格。"""
    page.get_by_label(label, exact=True).evaluate(
        "(input, at) => { input.value = at; input.dispatchEvent(new Event('input')); }", at
    )


def turn(page, label, values, value):
    """把名为 label 的滑杆转到 value；values 是它能取的各个数。"""
    slide(page, label, values.index(value))


def points(line):
    """一条折线的各点，图上的坐标。"""
    return torch.tensor(
        [[float(x) for x in pair.split(",")] for pair in line.get_attribute("points").split()]
    )


def same_shape(seen, points, atol):
    """屏幕上的位置是点的相似变换，只是 y 朝上。"""
    wanted = points * torch.tensor([1.0, -1.0])
    shape = [(one - one.mean(dim=0)) / (one - one.mean(dim=0)).norm() for one in (seen, wanted)]
    torch.testing.assert_close(*shape, atol=atol, rtol=0)


def walks_the_board(page, first, last):
    """棋盘只占一站；从 first 向上、向右走到 last，回车挑，再离开：给出离开之后到了哪里。"""
    name = "document.activeElement.getAttribute('aria-label')"
    assert page.evaluate(name) == first
    for key in ("ArrowUp", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    assert page.evaluate(name) == last
    page.keyboard.press("Tab")
    return page.evaluate("document.activeElement.textContent")
