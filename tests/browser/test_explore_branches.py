"""可以动手的图“岔路”：换了温度、截了 top-k，概率与 narrow 的相同；点一条走下去，退一步回得来。"""

from urllib.parse import parse_qsl

import pytest
import torch
from explorable_helpers import turn

from course_lib.sampling import narrow

TEMPERATURES = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2]
KS = [1, 2, 3, 5, 8, 12, None]
WORDS = [f" w{i}" for i in range(40)]
KEPT, SHOWN = 12, 8


def logits(*path):
    generator = torch.Generator().manual_seed(7 + sum((i + 1) * 31**n for n, i in enumerate(path)))
    return 3 * torch.randn(40, generator=generator)


def node(*path, widths=(2, 2)):
    scores = logits(*path)
    top = scores.topk(KEPT)
    others = scores.scatter(0, top.indices, -torch.inf)
    made = {
        "scores": [[WORDS[i], score] for i, score in zip(top.indices, top.values.tolist(), strict=True)],
        "tails": [(others / T).logsumexp(0).item() for T in TEMPERATURES],
    }
    if widths:
        best = top.indices[: widths[0]].tolist()
        made["next"] = {WORDS[i]: node(*path, i, widths=widths[1:]) for i in best}
    return made


DATA = {
    "prompts": [{"name": "头一段", "text": "Once", **node()}, {"name": "第二段", "text": "Then", **node(5)}],
    "temperatures": TEMPERATURES,
    "rest": 40 - KEPT,
}


def shown(page):
    """各条写着的概率，去掉的是 0；末一条是其余的合计。"""
    numbers = page.locator(".explore-bars .explore-number").all_inner_texts()
    return torch.tensor([0.0 if text == "去掉" else float(text) for text in numbers])


def expected(scores, **options):
    shares = narrow(scores, **options).softmax(-1)
    first = shares[scores.topk(SHOWN).indices]
    return torch.cat([first, 1 - first.sum(0, keepdim=True)])


@pytest.mark.parametrize("top_k", [None, 1, 3, 12])
def test_bars_are_the_shares_of_narrow(page, top_k):
    for temperature in TEMPERATURES:
        turn(page, "温度 T", TEMPERATURES, temperature)
        turn(page, "top-k", KS, top_k)
        wanted = expected(logits(), temperature=temperature, top_k=top_k)
        torch.testing.assert_close(shown(page), wanted, atol=6e-4, rtol=0)
        kept = SHOWN + 1 if top_k is None or top_k > SHOWN else top_k
        assert page.locator("li.explore-cut-off").count() == SHOWN + 1 - kept


def test_grey_numbers_stay_the_plain_shares(page):
    turn(page, "温度 T", TEMPERATURES, 0.25)
    turn(page, "top-k", KS, 2)
    grey = torch.tensor(
        [float(text) for text in page.locator(".explore-bars .explore-note").all_inner_texts()]
    )
    torch.testing.assert_close(grey, expected(logits()), atol=6e-3, rtol=0)


def test_a_branch_leads_on_and_back(page):
    back = page.get_by_role("button", name="退一步")
    assert back.is_disabled()
    path = []
    for turn_at in (1, 0):
        best = logits(*path).topk(2).indices.tolist()
        names = page.locator(".explore-bars button").all_inner_texts()
        assert names == [WORDS[i].replace(" ", "␣") for i in best]
        page.locator(".explore-bars button").nth(turn_at).click()
        path.append(best[turn_at])
        torch.testing.assert_close(shown(page), expected(logits(*path)), atol=6e-4, rtol=0)
        assert page.locator(".explore-text b").all_inner_texts() == [WORDS[i] for i in path]
    assert page.locator(".explore-bars button").count() == 0
    assert "只算到这里" in page.locator(".explore-said").last.inner_text()
    back.click()
    torch.testing.assert_close(shown(page), expected(logits(path[0])), atol=6e-4, rtol=0)
    page.get_by_role("button", name="第二段").click()
    torch.testing.assert_close(shown(page), expected(logits(5)), atol=6e-4, rtol=0)
    assert page.locator(".explore-text").inner_text().startswith("Then")


def test_a_cut_branch_is_no_way(page):
    turn(page, "top-k", KS, 1)
    assert page.locator(".explore-bars button").count() == 1


def test_keyboard_alone(page):
    """走上一条岔路之后，焦点落在下一处的头一条上。"""
    page.keyboard.press("Tab")  # 图在前，头一条岔路就是头一站
    page.keyboard.press("Enter")
    first = logits().argmax().item()
    assert page.locator(".explore-text b").all_inner_texts() == [WORDS[first]]
    best = logits(first).argmax().item()
    assert page.evaluate("document.activeElement.textContent") == WORDS[best].replace(" ", "␣")


def test_the_end_of_a_path_goes_on_in_the_real_model(page):
    """走到书里算好的尽头，就有一个链接：带着走到这里的字，打开“打开一个大语言模型”；笔记本里没有那一页，就没有它。"""
    link = page.locator(".explore-said a")
    for _ in range(2):
        page.locator(".explore-bars button").first.click()
    assert "只算到这里" in page.locator(".explore-said").last.inner_text() and link.count() == 0
    page.evaluate("""() => {
      const nav = document.createElement('nav');
      nav.innerHTML = '<a href="https://book.test/chapters/llm.html">打开一个大语言模型</a>';
      document.body.append(nav);
    }""")
    words = page.locator(".explore-text b").all_inner_texts()
    page.get_by_role("button", name="退一步").click()
    assert link.count() == 0
    page.locator(".explore-bars button").first.click()
    address, _, fields = link.get_attribute("href").partition("#")
    assert address == "https://book.test/chapters/llm.html"
    assert dict(parse_qsl(fields)) == {"text": "Once" + "".join(words)}
