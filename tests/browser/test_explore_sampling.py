"""可以动手的图“抽样”：整理之后的概率与 narrow 的相同，整个写完的概率是一路上的乘积，抽出的走不出概率不为零的路。"""

import math

import pytest
import torch
from explorable_helpers import turn

from course_lib.sampling import narrow

WORDS = ["填充", "开头", "结尾", *"三月公历34阳新西一二四"]
END = 2
FORMS = ["3月", "公历三月", "公历3月", "阳历三月"]
NEW = ["三月", "阳历3月"]  # 没教过，读得懂
OTHERS = ["4月", "公历二月", "一月"]  # 别的月
READABLE = [*FORMS, *NEW, *OTHERS]
PREFIXES = sorted({form[:n] for form in READABLE for n in range(len(form) + 1)})


def data():
    """每个前文后面，写法里有的字分数高，别的低。"""
    torch.manual_seed(4)
    scores = {}
    for text in PREFIXES:
        row = torch.randn(len(WORDS)) - 2
        for form in READABLE:
            if form.startswith(text):
                nxt = WORDS.index(form[len(text)]) if len(form) > len(text) else END
                row[nxt] += 3 if form in FORMS else 0.3
        row[0] = -torch.inf
        scores[text] = row
    return {
        "words": WORDS,
        "end": END,
        "scores": scores,
        "starts": ["", "公历"],
        "forms": FORMS,
        "new": NEW,
        "others": OTHERS,
        "shares": [0.4, 0.3, 0.2, 0.1],
    }


DATA = data()
SETTINGS = [
    {},
    {"temperature": 0.5},
    {"temperature": 2.0, "top_p": 0.8},
    {"top_k": 2},
    {"temperature": 1.5, "top_k": 4, "top_p": 0.5},
]


def set_dials(page, temperature=1.0, top_k=None, top_p=1.0):
    turn(page, "温度 T", [0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3], temperature)
    turn(page, "top-k", [1, 2, 3, 4, 5, 6, 8, None], top_k)
    turn(page, "top-p", [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0], top_p)


def rows(page, name):
    """名字 → 概率；去掉的是 0。"""
    lines = page.get_by_role("list", name=name).locator("li")
    numbers = lines.locator(".explore-number").all_inner_texts()
    shares = [0.0 if text == "去掉" else float(text) for text in numbers]
    return dict(zip(lines.locator(".explore-label").all_inner_texts(), shares, strict=True))


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_next_token(page, options):
    for text in DATA["starts"]:
        set_dials(page, **options)
        page.get_by_role("button", name=text or "（开头）", exact=True).click()
        shares = narrow(DATA["scores"][text], **options).softmax(dim=-1)
        shown = rows(page, "下一个词元的概率")
        *names, rest = shown
        for name in names:
            assert shown[name] == pytest.approx(shares[WORDS.index(name)].item(), abs=0.0051)
        others = [i for i in range(len(WORDS)) if WORDS[i] not in names]
        assert rest == f"其余 {len(others)} 个"
        assert shown[rest] == pytest.approx(shares[others].sum().item(), abs=0.0051)
        assert f"留下 {int((shares > 0).sum())} 个词元" in page.locator(".explore-said").inner_text()


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_whole_text(page, options):
    set_dials(page, **options)
    shown = rows(page, "整个写完，各是哪一种")

    def chance(form):
        path = [*(WORDS.index(word) for word in form), END]
        steps = [
            narrow(DATA["scores"][form[:n]], **options).softmax(dim=-1)[i].item() for n, i in enumerate(path)
        ]
        return math.prod(steps)

    for form in FORMS:
        assert shown[form] == pytest.approx(chance(form), abs=0.0051)
    right, new, other = (sum(map(chance, forms)) for forms in (FORMS, NEW, OTHERS))
    assert shown["没教过的"] == pytest.approx(new, abs=0.0051)
    assert shown["别的月"] == pytest.approx(other, abs=0.0051)
    assert shown["不成话"] == pytest.approx(1 - right - new - other, abs=0.0051)


def test_writes(page):
    button = page.get_by_role("button", name="照这样写 8 遍", exact=True)
    set_dials(page, temperature=0.1)
    greedy = max(FORMS, key=lambda form: rows(page, "整个写完，各是哪一种")[form])
    button.click()
    texts = page.locator(".explore-written span")
    assert texts.count() == 8 and texts.all_inner_texts().count(greedy) >= 4
    set_dials(page, temperature=3.0)
    button.click()
    for span in texts.all():
        text = span.inner_text()
        kind = "right" if text in FORMS + NEW else "other" if text in OTHERS else "wrong"
        assert span.get_attribute("class") == f"explore-{kind}"
    assert page.locator(".explore-wrong").count() >= 2
