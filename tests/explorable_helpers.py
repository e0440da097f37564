"""可以动手的图的几个测试文件共用：读出矩阵里的数，比一比摆的地方。"""

import torch


def numbers(page, title):
    """题为 title 的矩阵里的数。"""
    rows = page.locator(".explore-matrix", has=page.locator("caption", has_text=title)).locator("tbody tr")
    texts = [row.locator("td").all_inner_texts() for row in rows.all()]
    return torch.tensor([[float(text.replace("−", "-")) for text in row] for row in texts])


def same_shape(seen, points, atol):
    """屏幕上的位置是点的相似变换，只是 y 朝上。"""
    wanted = points * torch.tensor([1.0, -1.0])
    shape = [(one - one.mean(dim=0)) / (one - one.mean(dim=0)).norm() for one in (seen, wanted)]
    torch.testing.assert_close(*shape, atol=atol, rtol=0)
