"""可以动手的图“束搜索”：留下的、最后交出的都与课程库的束搜索相同，一步一步走得完，长度修正改变排名。"""

import itertools
import math

import pytest
import torch
from explorable_helpers import slide

from course_lib.tasks.dates import Characters
from course_lib.transformer import Transformer, TransformerConfig
from course_lib.translation import beam_search, log_probability

LETTERS = Characters("甲乙丙")
STEPS = 4  # 至多写几个词元
SOURCE = torch.tensor([[3, 4]])


@torch.no_grad()
def scores_of(model):
    memory, mask = model.encode(SOURCE)
    scores = {}
    for n in range(STEPS):
        for text in map("".join, itertools.product(LETTERS.characters, repeat=n)):
            ids = torch.tensor([[1, *(LETTERS.encode(text) if text else [])]])
            row = model.logits(model.decode(ids, memory, mask).last_hidden_state[0, -1])
            row[0] = -torch.inf  # 填充不许写
            scores[text] = row
    return scores


def made(seed):
    torch.manual_seed(seed)
    sizes = {"d_model": 16, "num_heads": 2, "d_ff": 32, "num_layers": 1, "max_len": 8, "dropout": 0.0}
    model = Transformer(TransformerConfig(6, len(LETTERS), **sizes)).eval().requires_grad_(False)
    plain = model.logits
    # 开头不是字，图里写不出它，所以模型也从不写它
    model.logits = lambda hidden: plain(hidden).index_fill(-1, torch.tensor([1]), -torch.inf)
    words = ["填充", "开头", "结尾", *LETTERS.characters]
    return model, {"words": words, "end": 2, "scores": scores_of(model), "steps": STEPS}


MODEL, DATA = made(4)


def walk_to_the_end(page, width):
    page.get_by_role("button", name=str(width), exact=True).click()
    following = page.get_by_role("button", name="下一步", exact=True)
    while following.is_enabled():
        following.click()


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_hands_over_what_the_library_does(page, width):
    walk_to_the_end(page, width)
    for alpha in (0.0, 0.6, 2.0):
        slide(page, "长度修正 α", round(10 * alpha))
        best = beam_search(MODEL, SOURCE, STEPS + 1, beam_width=width, length_penalty=alpha)
        cells = page.locator("tr.explore-best td").all_inner_texts()
        assert cells[0] == LETTERS.decode(best[0]), alpha
        total = log_probability(MODEL, SOURCE, best).item()
        length = best.size(1) - 1
        assert int(cells[2]) == length
        score = total / ((5 + length) / 6) ** alpha
        assert float(cells[3].replace("−", "-")) == pytest.approx(score, abs=0.051)
        assert float(cells[1]) == pytest.approx(math.exp(total), abs=0.051)


def test_keeps_as_many_as_it_is_wide(page):
    for width in [1, 2, 4]:
        page.get_by_role("button", name=str(width), exact=True).click()
        assert page.locator(".explore-kept:not(.explore-later)").count() == min(width, 4)
        assert "第 1 步" in page.locator(".explore-said").inner_text()
        assert not page.locator("table").is_visible()
        walk_to_the_end(page, width)
        assert page.locator(".explore-tree .explore-later").count() == 0
        assert page.locator("table").is_visible()
