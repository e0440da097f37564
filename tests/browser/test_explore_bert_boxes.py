"""可以动手的图“一格一格打开的 BERT”：步数、长度与课程库的相同，点、走、播放都到得了每一格。"""

import pytest
import torch
from explorable_helpers import points

from course_lib.config import BertConfig
from course_lib.encoder import Encoder

WORDS = ["[CLS]", "time", "flies", "[SEP]"]


def data():
    torch.manual_seed(6)
    config = BertConfig(vocab_size=50, d_model=16, num_heads=2, d_ff=32, num_layers=2)
    encoder = Encoder(2, config.d_model, num_heads=2, d_ff=32).eval()
    x = torch.randn(1, 4, 16)
    states, weights = [x[0] * 2, x[0]], []
    with torch.no_grad():
        for layer in encoder.layers:
            heard, maps = layer.self_attn(x, need_weights=True)
            a = layer.norm1(x + heard)
            thought = layer.ffn(a)
            x = layer.norm2(a + thought)
            states += [heard[0], a[0], thought[0], x[0]]
            weights.append(maps[0].mean(dim=0))
    steps = torch.stack(states)
    return {"tokens": WORDS, "steps": steps[..., ::2], "lengths": steps.norm(dim=-1), "weights": weights}


DATA = data()


def lengths(page):
    return torch.tensor(
        [float(text) for text in page.locator(".explore-strip .explore-number").all_inner_texts()]
    )


def test_every_step_shows_its_lengths(page):
    following = page.get_by_role("button", name="下一步", exact=True)
    for step in range(10):
        torch.testing.assert_close(lengths(page), DATA["lengths"][step], atol=0.051, rtol=0)
        following.click() if step < 9 else None
    assert following.is_disabled() and "第 1 层的输出" in page.locator(".explore-said").inner_text()


def test_a_box_leads_to_its_step(page):
    page.get_by_role("button", name="第 1 层，想").click()
    torch.testing.assert_close(lengths(page), DATA["lengths"][8], atol=0.051, rtol=0)
    assert page.locator(".explore-box[aria-pressed=true]").count() == 1
    assert not page.locator(".explore-arcs").is_visible()
    page.get_by_role("button", name="第 0 层，听").click()
    assert page.locator(".explore-arcs").is_visible()
    widths = [
        float(path.evaluate("p => p.style.strokeWidth")) for path in page.locator(".explore-arcs path").all()
    ]
    shares = DATA["weights"][0][1]
    torch.testing.assert_close(torch.tensor(widths), 0.4 + 12 * shares, atol=1e-3, rtol=0)
    page.get_by_role("button", name="flies", exact=True).click()
    moved = [
        float(path.evaluate("p => p.style.strokeWidth")) for path in page.locator(".explore-arcs path").all()
    ]
    torch.testing.assert_close(torch.tensor(moved), 0.4 + 12 * DATA["weights"][0][2], atol=1e-3, rtol=0)


def test_only_the_chosen_token_stands_out(page):
    """长度的图取对数；所选的一条是深的，其余都是灰的。"""
    for chosen in (1, 2):
        page.get_by_role("button", name=WORDS[chosen], exact=True).click()
        curves = page.locator(".explore-line polyline")
        hues = curves.evaluate_all("all => all.map(one => one.style.stroke)")
        assert hues == [*["var(--grey)"] * 3, "var(--ink)"]
        powers = DATA["lengths"].log10()
        shares = (powers[:, chosen] - powers.min()) / (powers.max() - powers.min())
        seen = points(curves.last)[:, 1]
        torch.testing.assert_close(seen, 110 - 100 * shares, atol=0.06, rtol=0)


@pytest.mark.parametrize("step", [0, 5])
def test_colours_tell_sign_and_size(page, step):
    page.locator(".explore-box").nth(step).click()
    fills = (
        page.locator(".explore-strip")
        .nth(2)
        .locator("rect")
        .evaluate_all("all => all.map(r => r.style.fill)")
    )
    signs = ["var(--minus)" if value < 0 else "var(--plus)" for value in DATA["steps"][step, 2]]
    assert fills == signs
