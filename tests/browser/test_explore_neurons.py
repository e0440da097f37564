"""可以动手的图“神经元”：最能唤醒它的词与激活值和 torch 的相同，换神经元、弯激活函数都当场重排。"""

import pytest
import torch
import torch.nn.functional as F

WORDS = [f"word{i}" for i in range(40)]
BEFORE = torch.randn(3, 40, generator=torch.Generator().manual_seed(7)) * 2
DATA = {
    "words": WORDS,
    "groups": ["甲", "乙"] * 20,
    "names": ["亲人", "国家", "随便一个"],
    "before": BEFORE,
}


@pytest.mark.parametrize(("name", "act"), [("GELU", F.gelu), ("ReLU", F.relu), ("什么也不做", lambda x: x)])
@pytest.mark.parametrize("neuron", [0, 2])
def test_words_that_wake_it(page, name, act, neuron):
    page.get_by_role("button", name=DATA["names"][neuron], exact=True).click()
    page.get_by_role("button", name=name, exact=True).click()
    values = act(BEFORE[neuron])
    order = values.sort(descending=True, stable=True)
    rows = page.locator(".explore-words li")
    assert rows.locator(".explore-label").all_inner_texts() == [
        WORDS[i] for i in order.indices[: rows.count()]
    ]
    shown = torch.tensor(
        [float(t.replace("−", "-")) for t in rows.locator(".explore-number").all_inner_texts()]
    )
    torch.testing.assert_close(shown, order.values[: rows.count()], atol=0.0051, rtol=0)
    said = page.locator(".explore-said").inner_text().replace("−", "-")
    assert f"为负的 {(values < 0).sum()} 个，最低 {values.min():.2f}" in said.replace("-0.00", "0.00")
