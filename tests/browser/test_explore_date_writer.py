"""可以动手的图“写日期”：概率与平均的权重同课程库的一样，走、播放、换日期、换头都到得了每一步。"""

import pytest
import torch
from explorable_helpers import fits_a_phone_and_a_finger

from course_lib.config import TransformerConfig
from course_lib.tasks.dates import SOURCE, TARGET
from course_lib.transformer import Transformer

TEXTS = ["十二月八日（二〇六四年）", "２０４６年０５月２０日"]
LETTERS = ["填充", "开头", "结尾", *TARGET.characters]
STEPS = 11


def data():
    torch.manual_seed(3)
    sizes = {"d_model": 16, "num_heads": 4, "d_ff": 32, "num_layers": 2, "max_len": 32, "dropout": 0.0}
    model = Transformer(TransformerConfig(len(SOURCE), len(TARGET), **sizes)).eval()
    for p in model.decoder.parameters():
        p.data *= 3  # 权重分得开些
    target = TARGET.encode_batch(["2064-12-08"], ends=True)
    stories = []
    for text in TEXTS:
        memory, mask = model.encode(SOURCE.encode_batch([text]))
        output = model.decode(target[:, :-1], memory, mask, need_weights=True)
        heads, hidden = output.cross_attentions[-1][0], output.last_hidden_state[0]
        letters = [*"2064-12-08", "结尾"]
        stories.append(
            {"source": list(text), "target": letters, "heads": heads, "logits": model.logits(hidden)}
        )
    return {"letters": LETTERS, "first": 2, "dates": stories}


with torch.no_grad():
    DATA = data()


def chances(page):
    """下一个字符的概率，一条一个。"""
    return torch.tensor([float(text) for text in page.locator(".explore-number").all_inner_texts()])


def lit(page):
    """来源各个字的深浅。"""
    shades = page.locator(".explore-chars span").evaluate_all(
        "all => all.map(x => parseFloat(x.style.getPropertyValue('--shade')))"
    )
    return torch.tensor(shades) / 100


def cells(page):
    """权重图里写过的各行。"""
    found = page.locator(".explore-aligned rect:not(.explore-frame)").evaluate_all(
        "all => all.map(x => Number(x.getAttribute('fill-opacity')))"
    )
    return (torch.tensor(found) - 0.04) / 0.96


def test_every_step_is_the_librarys(page):
    story = DATA["dates"][0]
    following = page.get_by_role("button", name="下一步", exact=True)
    for step in range(STEPS):
        expected = story["logits"][step].softmax(dim=-1)[2:]
        torch.testing.assert_close(chances(page), expected, atol=0.0051, rtol=0)
        mean = story["heads"].mean(dim=0)
        torch.testing.assert_close(lit(page), mean[step], atol=0.0051, rtol=0)
        torch.testing.assert_close(cells(page).reshape(step + 1, -1), mean[: step + 1], atol=0.0011, rtol=0)
        following.click() if step < STEPS - 1 else None
    assert following.is_disabled()


@pytest.mark.parametrize("head", range(4))
def test_one_head_of_another_date(page, head):
    page.get_by_role("button", name=TEXTS[1]).click()
    page.get_by_role("button", name=f"头 {head}", exact=True).click()
    page.get_by_role("button", name="第 4 步，共 11 步").click()
    weights = DATA["dates"][1]["heads"][head, 3]
    torch.testing.assert_close(lit(page), weights, atol=0.0051, rtol=0)
    said = page.locator(".explore-said").inner_text()
    assert f"“{TEXTS[1][weights.argmax()]}”" in said and "已经写出“206”" in said
    best = LETTERS[DATA["dates"][1]["logits"][3].argmax()]
    assert f"概率最大的是“{best}”" in said


def test_what_is_not_yet_written_is_not_shown(page):
    spots = page.locator(".explore-writing button")
    assert spots.all_inner_texts() == ["2", *["·"] * 10]
    spots.nth(6).click()
    assert spots.all_inner_texts() == [*"2064-12", *["·"] * 4]
    page.get_by_role("button", name=TEXTS[1]).click()  # 换一个日期，从头写起
    assert spots.all_inner_texts() == ["2", *["·"] * 10]


def test_fits_a_phone_and_a_finger(open_figure):
    page = open_figure("date_writer", DATA, width=360)
    fits_a_phone_and_a_finger(page)
    page.locator(".explore-writing button").last.click()
    fits_a_phone_and_a_finger(page)
