"""可以动手的图“消息”：步数、还剩多少、多少次乘法与第一章自己的代码格相同，键盘走得通。"""

import pytest
import torch

from chapters import ROOT, cells, source

CELLS = {c["id"]: source(c) for c in cells(ROOT / "chapters" / "01_why_transformer.ipynb", "code")}
WORDS = [
    "John",
    "and",
    "Paul",
    "wrote",
    "several",
    "songs",
    "on",
    "an",
    "old",
    "guitar",
    "in",
    "the",
    "small",
    "kitchen",
    "when",
    "they",
]
SENTENCES = [" ".join([*WORDS[: n - 1], "they"]) for n in (5, 8, 16)]
DATA = {"sentences": SENTENCES, "windows": [3, 5, 9, 17], "keeps": [0.3, 0.5, 0.9, 1.0], "d": 64}
WEIGHTS = torch.randn(4, 4, generator=torch.Generator().manual_seed(1)).softmax(dim=-1)
HEAD = {"tokens": ["[CLS]", "john", "sang", "[SEP]"], "weights": WEIGHTS, "chosen": 2}
ALSO = [HEAD]


@pytest.fixture(scope="module")
def chapter():
    """章里的两个函数：remaining 与 multiplications。"""
    names = {"torch": torch, "table": lambda *_, **__: None}
    for cell in ("push-the-first", "prices"):
        exec(CELLS[cell], names)
    return names


def table(page):
    """图下的表：每样三个数，RNN、CNN、注意力。"""
    rows = page.locator(".explore-table tbody tr").all()
    return {
        row.locator("th").inner_text(): [
            float(cell.replace(",", "")) for cell in row.locator("td").all_inner_texts()
        ]
        for row in rows
    }


@pytest.mark.parametrize("sentence", range(3))
def test_numbers_are_the_chapters(page, chapter, sentence):
    for window in range(4):
        for label, at in (("句子", sentence), ("CNN 的窗口", window)):
            page.get_by_label(label).fill(str(at))
        n, k = len(SENTENCES[sentence].split()), DATA["windows"][window]
        layers = -(-(n - 1) // (k // 2))
        shown = table(page)
        assert shown["路径长度"] == [n - 1, layers, 1]
        assert shown["串行步数"] == [n, layers, 1]
        assert shown["乘法（D = 64）"] == list(chapter["multiplications"](n, k))
        assert shown["还剩"] == pytest.approx(chapter["remaining"](n, k), rel=0.006)


def test_what_the_rnn_keeps_is_the_readers_choice(page, chapter):
    """留得多，RNN 就剩得多；CNN 与注意力不变。"""
    for i in range(4):
        page.get_by_label("RNN 每步留下").fill(str(i))
        assert table(page)["还剩"] == pytest.approx(chapter["remaining"](8, 3, DATA["keeps"][i]), rel=0.006)


def test_the_race_by_keyboard(page):
    """从头走：注意力一步就到，RNN 与 CNN 一步挪一格。"""
    states = page.locator(".explore-lane .explore-note")
    assert all("到了 they ✓" in text for text in states.all_inner_texts())
    page.get_by_role("button", name="从头").press("Enter")
    step = page.get_by_role("button", name="走一步")
    for _ in range(3):
        step.press("Enter")
    assert states.all_inner_texts() == [
        "走了 3 步，到了 wrote",
        "叠了 3 层，到了 wrote",
        "走了 1 步，到了 they ✓",
    ]
    for _ in range(4):
        step.press("Enter")
    assert all("✓" in text for text in states.all_inner_texts()) and step.is_disabled()


def test_a_wider_window_arrives_sooner(page):
    page.get_by_label("CNN 的窗口").press("ArrowRight")
    page.get_by_role("button", name="从头").click()
    page.get_by_role("button", name="走一步").click()
    assert "叠了 1 层，到了 Paul" in page.locator(".explore-lane .explore-note").nth(1).inner_text()


def test_play_runs_to_the_end(open_figure):
    page = open_figure("messages", {**DATA, "windows": [9]})
    page.get_by_label("句子").fill("0")
    page.get_by_role("button", name="播放").click()
    assert page.get_by_role("button", name="暂停").count() == 1
    page.locator(".explore-lane .explore-note", has_text="走了 4 步，到了 they ✓").wait_for(timeout=6000)
    assert page.get_by_role("button", name="播放").count() == 1


def test_who_listens_to_whom(open_figure):
    """一个头的权重照写，换一个词就换一份。"""
    page = open_figure("messages", HEAD)
    for i, word in enumerate(HEAD["tokens"]):
        page.get_by_role("button", name=word, exact=True).click()
        said = page.locator(".explore-said").inner_text()
        most = int(WEIGHTS[i].argmax())
        assert said.startswith(f"{word} 把注意力分给：{HEAD['tokens'][most]} {WEIGHTS[i, most]:.2f}")
        widths = [
            float(path.evaluate("path => path.style.strokeWidth"))
            for path in page.locator(".explore-arcs path").all()
        ]
        torch.testing.assert_close(torch.tensor(widths), 0.4 + 12 * WEIGHTS[i], atol=1e-3, rtol=0)
