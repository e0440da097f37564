"""四个一位数之和的末位：直接答，或者一步一步地加；后训练的试验田。

一行是一串词元：“题 3 8 5 9 答 5 。”或者“题 3 8 5 9 想 3 3 8 1 5 6 9 5 。”，
“想”后面两个两个地写：抄一个数，写到它为止的和的末位，最后一个就是答案。
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from ..config import LanguageModelConfig
from ..generation import generate
from ..language_model import LanguageModel
from ..sampling import most_likely, sampler

COUNT = 4  # 一道题几个数
TOKENS = "0123456789题答想。空"
ASK, DIRECT, STEPS, END, PAD = range(10, 15)
PROMPT = 1 + COUNT  # 题目占几个位置
WRITE = 2 * COUNT + 2  # 回答至多几个词元
LENGTH = PROMPT + WRITE


def problems(count: int, generator: torch.Generator) -> Tensor:
    """count 道题，每个数随机取 0 到 9：(count, 4)。"""
    return torch.randint(10, (count, COUNT), generator=generator)


def prompts(digits: Tensor) -> Tensor:
    """题目写成词元：digits (B, 4) → (B, 5)。"""
    return nn.functional.pad(digits, (1, 0), value=ASK)


def direct(digits: Tensor) -> Tensor:
    """直接答，后面填充：digits (B, 4) → (B, 15)。"""
    answer = nn.functional.pad(digits.sum(1, keepdim=True) % 10, (1, 0), value=DIRECT)
    answer = nn.functional.pad(answer, (0, 1), value=END)
    row = torch.cat([prompts(digits), answer], dim=1)
    return nn.functional.pad(row, (0, LENGTH - row.size(1)), value=PAD)


def steps(digits: Tensor) -> Tensor:
    """一步一步地加：digits (B, 4) → (B, 15)。"""
    chain = torch.stack([digits, digits.cumsum(1) % 10], dim=2).flatten(1)
    chain = nn.functional.pad(nn.functional.pad(chain, (1, 0), value=STEPS), (0, 1), value=END)
    return torch.cat([prompts(digits), chain], dim=1)


def papers(digits: Tensor) -> Tensor:
    """只有题、没有答的试卷，三道一行：digits (B, 3, 4) → (B, 15)。"""
    return torch.cat([prompts(part) for part in digits.unbind(1)], dim=1)


def corpus(count: int, generator: torch.Generator) -> Tensor:
    """接龙的语料，每行独立地取：五成一步一步的，三成直接答的，两成试卷；(count, 15)。"""
    digits = torch.randint(10, (count, 3, COUNT), generator=generator)
    kind = torch.rand(count, 1, generator=generator)
    solved = torch.where(kind < 0.5, steps(digits[:, 0]), direct(digits[:, 0]))
    return torch.where(kind < 0.8, solved, papers(digits))


def written(ids: Tensor) -> Tensor:
    """哪些词元是回答：题目之后，到头一个句号为止；ids (B, N) → 布尔 (B, N)。"""
    stops = (ids == END).long().cumsum(1) - (ids == END).long()
    return (stops == 0) & (torch.arange(ids.size(1)) >= PROMPT)


class Read(NamedTuple):
    """批改一批回答，各是 (B,)：right 末了的数对不对；steps 头一个词元是不是“想”；chain 是不是每一步都对；length 写了几个词元。"""

    right: Tensor
    steps: Tensor
    chain: Tensor
    length: Tensor


def read(ids: Tensor) -> Read:
    """批改：句号之前的那个词元就是答案，没有写句号的不算对；ids (B, N)，以题目开头。"""
    ids = nn.functional.pad(ids, (0, LENGTH - ids.size(1)), value=PAD)
    digits, length = ids[:, 1:PROMPT], written(ids).sum(1)
    last = PROMPT + length - 1
    ended = ids.gather(1, last[:, None])[:, 0] == END
    answer = ids.gather(1, last[:, None] - 1)[:, 0]
    right = ended & (answer == digits.sum(1) % 10)
    return Read(right, ids[:, PROMPT] == STEPS, (ids == steps(digits)).all(1), length)


def small_model(seed: int = 0) -> LanguageModel:
    """一个没有训练过的小语言模型：两层，宽 64，学来的位置。"""
    torch.manual_seed(seed)
    model = LanguageModel(
        LanguageModelConfig(
            vocab_size=len(TOKENS),
            d_model=64,
            num_heads=4,
            num_kv_heads=4,
            d_ff=256,
            num_layers=2,
            max_len=LENGTH,
            positions="learned",
            pad_id=PAD,
        )
    )
    with torch.no_grad():  # 这样窄的模型，初值取标准差 0.02 学得太慢
        for p in model.parameters():
            if p.dim() == 2:
                p.mul_(4)
    return model


def answer(model: LanguageModel, digits: Tensor, generator: torch.Generator | None = None) -> Tensor:
    """让模型接着题目写到句号：给了 generator 就抽样，不给就贪心；返回 (B, N)，以题目开头，写完的补 PAD。"""
    choose = sampler(generator=generator) if generator else most_likely
    return generate(model, prompts(digits), WRITE, choose, stop_ids=[END])


def text(row: Tensor) -> str:
    """一行编号写成字，去掉填充。"""
    return " ".join(TOKENS[i] for i in row.tolist() if i != PAD)
