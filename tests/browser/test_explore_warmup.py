"""可以动手的图“预热”：学习率与论文的式子相同，各组训练的损失与平均当场算得对。"""

import re

import pytest
import torch

LOSSES = 3 * torch.rand(2, 3, 60, generator=torch.Generator().manual_seed(1))
DATA = {
    "runs": [
        {"name": "不预热", "peak": 0.005, "warm": 1, "losses": LOSSES[0]},
        {"name": "预热 40 步", "peak": 0.005, "warm": 40, "losses": LOSSES[1]},
    ],
    "usual": 2.3,
    "window": 10,
}


def rate(step, width, warm):
    return width**-0.5 * min(step**-0.5, step * warm**-1.5)


def points(page, chart, which):
    """一条折线的各点，图上的坐标。"""
    text = page.locator(".explore-line").nth(chart).locator("polyline").nth(which).get_attribute("points")
    return torch.tensor([[float(x) for x in pair.split(",")] for pair in text.split()])


def turn(page, label, at):
    page.get_by_label(label, exact=True).evaluate(
        "(input, at) => { input.value = at; input.dispatchEvent(new Event('input')); }", at
    )


@pytest.mark.parametrize(("warm", "width"), [(4000, 512), (1000, 1024), (16000, 256)])
def test_the_rate_of_the_paper(page, warm, width):
    turn(page, "预热的步数", [1000, 2000, 4000, 8000, 16000].index(warm))
    turn(page, "模型的宽度", [256, 512, 1024].index(width))
    steps = [max(1, 100 * i) for i in range(201)]
    heights = torch.tensor([1000 * rate(step, width, warm) for step in steps])
    torch.testing.assert_close(points(page, 0, 0)[:, 1], 130 - heights / 2 * 120, atol=0.06, rtol=0)
    said = page.locator(".explore-said").first.inner_text()
    assert f"第 {warm} 步最高，是 {1000 * rate(warm, width, warm):.2f} × 10⁻³" in said
    assert f"第 20000 步，是 {1000 * rate(20000, width, warm):.2f} × 10⁻³" in said


@pytest.mark.parametrize("run", [0, 1])
def test_losses(page, run):
    page.get_by_role("button", name=DATA["runs"][run]["name"], exact=True).click()
    smooth = LOSSES[run].unfold(1, 10, 1).mean(dim=-1)
    top = LOSSES.unfold(2, 10, 1).mean(dim=-1).max().ceil()
    for seed in range(3):
        heights = 170 - (smooth[seed] - 0.5) / (top - 0.5) * 160
        torch.testing.assert_close(points(page, 1, seed + 1)[:, 1], heights, atol=0.06, rtol=0)
    said = page.locator(".explore-said").last.inner_text()
    ends = [float(text) for text in re.findall(r"\d\.\d\d(?!\d)", said.split("三个种子")[1])]
    torch.testing.assert_close(torch.tensor(ends), LOSSES[run][:, -20:].mean(dim=1), atol=0.0051, rtol=0)
    assert ("前 40 步升到" in said) == (run == 1)
    cursor = page.locator(".explore-line").last.locator(".explore-cursor")
    assert (cursor.get_attribute("hidden") is None) == (run == 1)
