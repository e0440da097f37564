"""可以动手的图“写日期”：概率与平均的权重同课程库的一样，走、播放、改字、换日期、换头都到得了每一步。"""

import pytest
import torch

from course_lib.config import TransformerConfig
from course_lib.tasks.dates import SOURCE, TARGET
from course_lib.transformer import Transformer

# 每个日期：没有改过的，改了一个字的，改了两个字的；写出的是编的，头一个日期改了两个字才变
DAYS = [
    {
        "十二月八日（二〇六四年）": "2064-12-08",
        "十二月八日（一〇六四年）": "2064-12-08",
        "十二月八日（一九六四年）": "1964-12-08",
    },
    {"２０４６年０５月２０日": "2046-05-20", "２０５６年０５月２０日": "2056-05-20"},
]
TEXTS = [next(iter(day)) for day in DAYS]
LETTERS = ["填充", "开头", "结尾", *TARGET.characters]
STEPS = 11


def data():
    torch.manual_seed(3)
    sizes = {"d_model": 16, "num_heads": 4, "d_ff": 32, "num_layers": 2, "max_len": 32, "dropout": 0.0}
    model = Transformer(TransformerConfig(len(SOURCE), len(TARGET), **sizes)).eval()
    for p in model.decoder.parameters():
        p.data *= 3  # 权重分得开些

    def story(text, written):
        target = TARGET.encode_batch([written], ends=True)
        memory, mask = model.encode(SOURCE.encode_batch([text]))
        output = model.decode(target[:, :-1], memory, mask, need_weights=True)
        return {
            "source": list(text),
            "target": [*written, "结尾"],
            "heads": (1000 * output.cross_attentions[-1][0]).round().int(),
            "logits": model.logits(output.last_hidden_state[0]),
        }

    dates = [[story(*pair) for pair in day.items()] for day in DAYS]
    return {"letters": LETTERS, "first": 2, "dates": dates}


with torch.no_grad():
    DATA = data()


def weights(story, head=None):
    heads = story["heads"] / 1000
    return heads.mean(dim=0) if head is None else heads[head]


def chances(page):
    """下一个字符，最可能的五个的概率。"""
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


def framed(page, row):
    """加了框的字，连同它是第几个。"""
    return page.locator(f"{row} > *").evaluate_all(
        "all => all.flatMap((x, i) => x.classList.contains('explore-changed') ? [[i, x.innerText[0]]] : [])"
    )


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


@pytest.mark.parametrize("change", range(3))
def test_every_step_is_the_librarys(page, change):
    story = DATA["dates"][0][change]
    following = page.get_by_role("button", name="下一步", exact=True)
    assert cells(page).numel() == 6 * len(story["source"])  # 打开时写了一半
    press(page, ["不改", "改二", "都改"][change])
    assert cells(page).numel() == 6 * len(story["source"])  # 改字，停在原来的一步
    page.locator(".explore-writing button").first.click()
    for step in range(STEPS):
        expected = story["logits"][step].softmax(dim=-1)[2:].topk(5).values
        torch.testing.assert_close(chances(page), expected, atol=0.0051, rtol=0)
        mean = weights(story)
        torch.testing.assert_close(lit(page), mean[step], atol=0.0051, rtol=0)
        torch.testing.assert_close(cells(page).reshape(step + 1, -1), mean[: step + 1], atol=0.0011, rtol=0)
        following.click() if step < STEPS - 1 else None
    assert following.is_disabled()


@pytest.mark.parametrize("head", range(4))
def test_one_head_of_another_date(page, head):
    press(page, TEXTS[1])
    press(page, f"头 {head}")
    page.get_by_role("button", name="第 4 步，共 11 步").click()
    story = DATA["dates"][1][0]
    row = weights(story, head)[3]
    torch.testing.assert_close(lit(page), row, atol=0.0051, rtol=0)
    said = page.locator(".explore-said").inner_text()
    assert f"“{TEXTS[1][row.argmax()]}”" in said and "已经写出“204”" in said
    assert f"概率最大的是“{LETTERS[story['logits'][3].argmax()]}”" in said


def test_a_changed_source_and_what_follows_it(page):
    """改过的字加框，跟着变了的字符也加框；一个也没有变，就说没有变。"""
    note = page.locator("p.explore-note")
    page.locator(".explore-writing button").nth(6).click()
    assert note.inner_text() == "来源没有改，它写 2064-12-08。"
    assert framed(page, ".explore-chars") == framed(page, ".explore-writing") == []
    press(page, "改二")
    assert framed(page, ".explore-chars") == [[6, "一"]] and framed(page, ".explore-writing") == []
    assert "它写 2064-12-08：一个字符也没有变" in note.inner_text()
    press(page, "都改")
    assert framed(page, ".explore-chars") == [[6, "一"], [7, "九"]]
    assert framed(page, ".explore-writing") == [[0, "1"], [1, "9"]]
    assert "它写 1964-12-08：有 2 个字符跟着变" in note.inner_text()
    page.locator(".explore-writing button").first.click()
    assert framed(page, ".explore-writing") == [[0, "1"]]  # 没有写到的不露
    press(page, TEXTS[1])  # 换一个日期，又是没有改过的；按钮上是这一天的字
    assert framed(page, ".explore-chars") == [] and note.inner_text() == "来源没有改，它写 2046-05-20。"
    press(page, "改４")
    assert framed(page, ".explore-chars") == [[2, "５"]]


def test_what_is_not_yet_written_is_not_shown(page):
    spots = page.locator(".explore-writing button")
    spots.first.click()
    assert spots.all_inner_texts() == ["2", *["·"] * 10]
    spots.nth(6).click()
    assert spots.all_inner_texts() == [*"2064-12", *["·"] * 4]
    press(page, TEXTS[1])  # 换一个日期，从头写起
    assert spots.all_inner_texts() == ["2", *["·"] * 10]
