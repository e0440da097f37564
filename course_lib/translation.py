"""编码器-解码器怎样写出目标：一步挑一个，或者束搜索；都用缓存，每步只算最新的一个位置。

写出的是 (B, N) 的编号，以 bos_id 开头，写完的行以 eos_id 结尾，后面补 pad_id。
形状字母：B 批大小，N 目标的位置数，M 来源的位置数，V 词表大小，K 束宽。
"""

from itertools import chain

import torch
from torch import Tensor

from .attention import Cache
from .checks import check_logits, check_request, check_target
from .generation import write
from .sampling import Choose, most_likely
from .transformer import Transformer


@torch.no_grad()
def translate(model: Transformer, source: Tensor, max_len: int, choose: Choose = most_likely) -> Tensor:
    """由来源写出目标，一步一个词元。

    参数：model，eval 状态的 `Transformer`；source (B, M)；max_len，结果至多几个位置，算上 bos_id；
    choose(logits, ids)，由分数 (B, V) 与已写的编号挑出每行的下一个，(B,)；不给就是贪心，抽样用 `sampler`。
    返回：(B, N)，N ≤ max_len。
    错误：model 在训练模式，max_len 不在 2 与模型的上限之间，choose 给的形状不对时，抛出 `ValueError`。
    """
    check_request(model, max_len)
    memory, memory_mask = model.encode(source)  # 来源只读一次
    start, cache = source.new_full((len(source), 1), model.config.bos_id), model.decoder.new_cache()

    def step(target: Tensor) -> Tensor:
        return choose(_next_logits(model, target, memory, memory_mask, cache), target)

    return write(start, max_len, step, [model.config.eos_id], model.config.pad_id)


@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, max_len: int, beam_width: int = 4, length_penalty: float = 0.6
) -> Tensor:
    """束搜索：每一步留下对数概率之和最大的 beam_width 条，最后按长度修正，取最好的一条。

    修正后的分数 = 对数概率之和 / ((5 + 长度) / 6)^length_penalty，长度不算 bos_id，算上 eos_id；0 就是不修正。
    写完的一条留在束里，不再变长，与没写完的一起比较；都写完就停。

    参数：beam_width，K ≥ 1，1 就是贪心；length_penalty，越大越偏向长的；其余同 `translate`。
    返回与错误：同 `translate`；beam_width < 1 或分数里有 NaN 时也抛出 `ValueError`。
    出处：Wu et al., 2016, §7（长度修正）。
    """
    check_request(model, max_len, beam_width)
    config, batch = model.config, len(source)
    memory, memory_mask = (part.repeat_interleave(beam_width, dim=0) for part in model.encode(source))
    target = source.new_full((batch * beam_width, 1), config.bos_id)
    # 一开始各条都一样，只让第一条作数，否则束里全是重复
    scores = torch.full((batch, beam_width), -torch.inf, device=source.device)
    scores[:, 0] = 0.0
    done = torch.zeros(len(target), dtype=torch.bool, device=source.device)
    first = torch.arange(batch, device=source.device)[:, None] * beam_width  # 每个来源的第一条在哪一行
    cache = model.decoder.new_cache()
    while target.size(1) < max_len and not done.all():
        logits = _next_logits(model, target, memory, memory_mask, cache)
        check_logits(logits)
        steps = logits.log_softmax(dim=-1, dtype=torch.float32)  # (B·K, V)
        steps[done] = -torch.inf
        steps[done, config.pad_id] = 0.0  # 写完的只能补填充，分数不变
        totals = scores[..., None] + steps.unflatten(0, (batch, beam_width))  # (B, K, V)
        scores, chosen = totals.flatten(1).topk(beam_width, dim=-1)
        rows = (first + chosen // steps.size(-1)).flatten()
        target = torch.cat([target[rows], (chosen % steps.size(-1)).view(-1, 1)], dim=1)
        # 束比可能的写法还宽时，多出来的几条分数是 -inf，不必等它们写完
        done = done[rows] | (target[:, -1] == config.eos_id) | scores.flatten().isneginf()
        for each in chain(*cache):  # 每层一对
            each.select(rows)
    lengths = (target[:, 1:] != config.pad_id).sum(dim=1).view(batch, beam_width)
    best = (scores / ((5 + lengths) / 6) ** length_penalty).argmax(dim=-1)
    target = target[first[:, 0] + best]
    return target[:, : int((target != config.pad_id).sum(dim=1).max())]


@torch.no_grad()
def log_probability(model: Transformer, source: Tensor, target: Tensor) -> Tensor:
    """模型写出 target 的对数概率：各步 log P(下一个词元 | 之前的词元, 来源) 之和，一次前向就算完。

    参数：model，eval 状态的 `Transformer`；source (B, M)；target (B, N)，以 bos_id 开头，短的补 pad_id。
    返回：(B,)；没有写到 eos_id 的，就是这个开头的对数概率。
    错误：model 在训练模式，N < 2，或者有一行不以 bos_id 开头时，抛出 `ValueError`。
    """
    check_target(model, target)
    answers = target[:, 1:]
    logits = _without_padding(model, model(source, target[:, :-1]))
    steps = logits.log_softmax(dim=-1, dtype=torch.float32)
    steps = steps.gather(-1, answers[..., None])[..., 0]  # (B, N - 1)
    return steps.masked_fill(answers == model.config.pad_id, 0.0).sum(dim=-1)


def _next_logits(
    model: Transformer, target: Tensor, memory: Tensor, memory_mask: Tensor, cache: list[tuple[Cache, Cache]]
) -> Tensor:
    """接在 target 后面的那个词元的分数，(B, V)。"""
    new = target[:, len(cache[0][0]) :]  # 缓存里还没有的
    hidden = model.decode(new, memory, memory_mask, cache=cache).last_hidden_state
    return _without_padding(model, model.logits(hidden[:, -1]))


def _without_padding(model: Transformer, logits: Tensor) -> Tensor:
    """填充不是词元，不许写出来；就地改 logits。"""
    logits[..., model.config.pad_id] = -torch.inf
    return logits
