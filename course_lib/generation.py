"""生成：贪心、束搜索与抽样；都用缓存，每步只算最新的一个位置。

`generate` 由只有解码器的语言模型接着写；其余几个由编码器-解码器写出目标，
结果是 (B, N) 的编号，以 bos_id 开头，写完的行以 eos_id 结尾，后面补 pad_id。
形状字母：B 批大小，N 位置数，M 来源的位置数，V 词表大小，K 束宽。
"""

import math
from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn

from .decoder import LayerCache
from .language_model import LanguageModel
from .layers import check_ids
from .transformer import Transformer

# 挑出下一个词元：分数 (B, V) 与已有的编号 (B, N) → 编号 (B,)
Choose = Callable[[Tensor, Tensor], Tensor]


def greedy(model: Transformer, source: Tensor, max_len: int) -> Tensor:
    """每一步取分数最高的词元。

    参数：model，eval 状态的 `Transformer`；source (B, M)；max_len，结果至多几个位置，算上 bos_id。
    返回：(B, N)，N ≤ max_len。
    错误：model 在训练模式，或 max_len 不在 2 与模型的上限之间时，抛出 `ValueError`。
    """
    return _generate(model, source, max_len, most_likely)


def sample(
    model: Transformer,
    source: Tensor,
    max_len: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
) -> Tensor:
    """每一步按概率抽一个词元，概率先经过 `narrow`。

    参数：generator，抽签所用的随机数发生器，给了它，同样的种子就抽出同样的结果；其余同 `greedy` 与 `narrow`。
    返回与错误：同 `greedy`；temperature、top_k、top_p 越界时也抛出 `ValueError`。
    """
    return _generate(model, source, max_len, sampler(temperature, top_k, top_p, generator=generator))


def most_likely(logits: Tensor, ids: Tensor) -> Tensor:
    """分数最高的词元：logits (B, V) → (B,)；分数相同时取编号小的，ids 用不着。"""
    return logits.argmax(dim=-1)


def sampler(
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
    repetition_penalty: float = 1.0,
    generator: torch.Generator | None = None,
) -> Choose:
    """给出一个按概率抽签的 choose(logits, ids)：分数先经过 `penalize`，再经过 `narrow`。

    参数：generator，抽签所用的随机数发生器，给了它，同样的种子就抽出同样的结果；其余同 `penalize` 与 `narrow`。
    错误：参数越界时抛出 `ValueError`。
    """
    _check_sampling(temperature, top_k, top_p, min_p)
    _check_penalty(repetition_penalty)

    def choose(logits: Tensor, ids: Tensor) -> Tensor:
        logits = penalize(logits, ids, repetition_penalty)
        probabilities = narrow(logits, temperature, top_k, top_p, min_p).softmax(dim=-1)
        place = generator.device if generator else logits.device  # 抽签要在发生器所在的设备上
        return torch.multinomial(probabilities.to(place), 1, generator=generator)[:, 0].to(logits.device)

    return choose


def penalize(logits: Tensor, ids: Tensor, penalty: float) -> Tensor:
    """重复惩罚：ids 里出现过的词元，分数为正就除以 penalty，为负就乘以 penalty，两种都变小。

    参数：logits (B, V)；ids (B, N)，负数不是词元，略过；penalty > 0，1 就是不罚，小于 1 就是鼓励。
    返回：同形状，logits 不变。错误：penalty 越界时抛出 `ValueError`。
    出处：Keskar et al., 2019, §4.1；论文一律用除的，负的分数除了反而变大，所以通行的做法改为乘。
    """
    _check_penalty(penalty)
    if penalty == 1:
        return logits
    vocab = logits.size(-1)
    seen = torch.zeros(len(logits), vocab + 1, dtype=torch.bool, device=logits.device)
    seen = seen.scatter(-1, ids.where(ids >= 0, vocab), True)[:, :vocab]  # 负的都记在多出来的一格
    return logits.where(~seen, torch.where(logits > 0, logits / penalty, logits * penalty))


def narrow(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
) -> Tensor:
    """抽样之前整理分数：除以温度，只留最高的 top_k 个，再从高到低留到概率之和达到 top_p 为止；
    min_p 去掉概率不到最大的 min_p 倍的，三样都满足的才留。

    参数：logits (..., V)；temperature > 0，越小越接近贪心；top_k ≥ 1；0 < top_p ≤ 1；0 < min_p ≤ 1；后三个不给就不限。
    返回：同形状，float32，去掉的位置是 -inf；至少留下一个，分数相同时先留编号小的。
    错误：参数越界时抛出 `ValueError`。
    出处：Fan et al., 2018（top-k）；Holtzman et al., 2020（top-p）；Nguyen et al., 2024（min-p）。
    """
    _check_sampling(temperature, top_k, top_p, min_p)
    # 半精度里，分数除以很小的温度会上溢成无穷大，softmax 之后就是 NaN
    logits = logits.float() / temperature
    # 不要就不排序：词表大时，排一遍比别的几步加起来还慢
    narrowed = logits if top_k is None and top_p is None else _highest(logits, top_k, top_p)
    if min_p is None:
        return narrowed
    floor = logits.amax(dim=-1, keepdim=True) + math.log(min_p)  # 概率之比就是分数之差的指数
    return narrowed.masked_fill(logits < floor, -torch.inf)


def _highest(logits: Tensor, top_k: int | None, top_p: float | None) -> Tensor:
    ordered, order = logits.sort(dim=-1, descending=True, stable=True)
    dropped = torch.zeros_like(ordered, dtype=torch.bool)
    if top_k is not None:
        dropped[..., top_k:] = True
    if top_p is not None and top_p < 1:  # 等于 1 就是不限；累加的舍入误差却会去掉末尾的几个
        probabilities = ordered.masked_fill(dropped, -torch.inf).softmax(dim=-1)
        before = nn.functional.pad(probabilities.cumsum(dim=-1)[..., :-1], (1, 0))
        dropped |= before >= top_p  # 排在前面的已经够了
    return logits.masked_fill(torch.zeros_like(dropped).scatter(-1, order, dropped), -torch.inf)


@torch.no_grad()
def generate(
    model: LanguageModel,
    ids: Tensor,
    max_new_tokens: int,
    choose: Choose = most_likely,
    stop_ids: Iterable[int] = (),
    attention_mask: Tensor | None = None,
    use_cache: bool = True,
) -> Tensor:
    """语言模型接着 ids 往下写，一步一个词元。

    参数：model，eval 状态的 `LanguageModel`；ids (B, N)，开头；max_new_tokens，至多写几个；
    choose(logits, ids)，由分数 (B, V) 与已有的编号挑出每行的下一个，(B,)；不给就是贪心，抽样用 `sampler`；
    它看到的 ids 里，填充是 -1。stop_ids，写出其中一个就算写完，不给就一直写；
    attention_mask (B, N)，1 = 真实词元，0 = 填充，填充要在左边，写的才接得上；
    use_cache=False 时每一步都从头算一遍，结果相同，越写越慢。
    返回：(B, N + 新的个数)，以 ids 开头；写完的行后面补 pad_id，各行都写完就停。
    错误：model 在训练模式，max_new_tokens < 1，写完会超过模型的上限，填充在右边，choose 给的形状不对时，抛出 `ValueError`；
    其余见 `LanguageModel.forward`。
    """
    _check_mode(model)
    check_ids(ids, model.tokens)
    length = ids.size(1) + max_new_tokens
    if max_new_tokens < 1 or length > model.config.max_len:
        raise ValueError(
            f"max_new_tokens={max_new_tokens}：应当至少是 1，加上已有的 {ids.size(1)} 个，"
            f"不超过模型的上限 {model.config.max_len}。"
        )
    if attention_mask is not None and not attention_mask[..., -1].all():
        raise ValueError(
            "有的行末尾是填充，新词元接在填充后面就读不到开头：请让分词器用 padding_side='left'。"
        )
    cache = model.new_cache() if use_cache else None

    def step(target):
        mask = attention_mask
        if mask is not None:
            mask = nn.functional.pad(mask, (0, target.size(1) - ids.size(1)), value=1)
        logits = model(target, mask, cache, last_only=True).logits[:, -1]
        seen = target if mask is None else target.masked_fill(mask == 0, -1)
        return choose(logits, seen)

    return _write(ids, length, step, list(stop_ids), model.config.pad_id)


@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, max_len: int, beam_width: int = 4, length_penalty: float = 0.6
) -> Tensor:
    """束搜索：每一步留下对数概率之和最大的 beam_width 条，最后按长度修正，取最好的一条。

    修正后的分数 = 对数概率之和 / ((5 + 长度) / 6)^length_penalty，长度不算 bos_id，算上 eos_id；0 就是不修正。
    写完的一条留在束里，不再变长，与没写完的一起比较；都写完就停。

    参数：beam_width，K ≥ 1，1 就是贪心；length_penalty，越大越偏向长的；其余同 `greedy`。
    返回与错误：同 `greedy`；beam_width < 1 时也抛出 `ValueError`。
    出处：Wu et al., 2016, §7（长度修正）。
    """
    if beam_width < 1:
        raise ValueError(f"beam_width={beam_width}：束宽应当至少是 1。")
    _check(model, max_len)
    config, batch = model.config, len(source)
    memory, memory_mask = (part.repeat_interleave(beam_width, dim=0) for part in model.encode(source))
    target = source.new_full((batch * beam_width, 1), config.bos_id)
    done = torch.zeros(len(target), dtype=torch.bool, device=source.device)
    # 一开始各条都一样，只让第一条作数，否则束里全是重复
    scores = torch.full((batch, beam_width), -torch.inf, device=source.device)
    scores[:, 0] = 0.0
    first = torch.arange(batch, device=source.device)[:, None] * beam_width
    cache = model.decoder.new_cache()
    while target.size(1) < max_len and not done.all():
        logits = _next_logits(model, target, memory, memory_mask, cache)
        steps = logits.log_softmax(dim=-1, dtype=torch.float32)  # (B·K, V)
        steps[done] = -torch.inf
        steps[done, config.pad_id] = 0.0  # 写完的只能补填充，分数不变
        vocab = steps.size(-1)
        totals = (scores[..., None] + steps.unflatten(0, (batch, beam_width))).flatten(1)
        scores, chosen = totals.topk(beam_width, dim=-1)
        rows = (first + chosen // vocab).flatten()
        target = torch.cat([target[rows], (chosen % vocab).view(-1, 1)], dim=1)
        # 束比可能的写法还宽时，多出来的几条分数是 -inf，不必等它们写完
        done = done[rows] | (target[:, -1] == config.eos_id) | scores.flatten().isneginf()
        for layer_cache in cache:
            layer_cache.select(rows)
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
    _check_mode(model)
    if target.dim() != 2 or target.size(1) < 2:
        raise ValueError(f"target 的形状应当是 (B, N)，N 至少是 2，这里是 {tuple(target.shape)}。")
    starts = set(target[:, 0].tolist())
    if starts != {model.config.bos_id}:
        raise ValueError(
            f"target 的每一行都应当以 bos_id={model.config.bos_id} 开头，这里的开头有 {sorted(starts)}。"
        )
    answers = target[:, 1:]
    logits = _without_padding(model, model(source, target[:, :-1]))
    steps = logits.log_softmax(dim=-1, dtype=torch.float32)
    steps = steps.gather(-1, answers[..., None])[..., 0]  # (B, N - 1)
    return steps.masked_fill(answers == model.config.pad_id, 0.0).sum(dim=-1)


@torch.no_grad()
def _generate(model: Transformer, source: Tensor, max_len: int, choose: Choose) -> Tensor:
    _check(model, max_len)
    memory, memory_mask = model.encode(source)
    cache = model.decoder.new_cache()
    start, config = source.new_full((len(source), 1), model.config.bos_id), model.config

    def step(target):
        return choose(_next_logits(model, target, memory, memory_mask, cache), target)

    return _write(start, max_len, step, [config.eos_id], config.pad_id)


def _write(
    target: Tensor, length: int, step: Callable[[Tensor], Tensor], stop_ids: list[int], pad_id: int
) -> Tensor:
    """一步接一个词元，写到 length 个位置，或者各行都写到了 stop_ids 里的一个；写完的行补 pad_id。"""
    done = torch.zeros(len(target), dtype=torch.bool, device=target.device)
    stops = target.new_tensor(stop_ids)
    while target.size(1) < length and not done.all():
        chosen = step(target)
        if chosen.shape != done.shape:
            raise ValueError(
                f"choose 应当给每行一个编号，形状 ({len(done)},)，这里是 {tuple(chosen.shape)}。"
            )
        chosen = chosen.masked_fill(done, pad_id)
        target = torch.cat([target, chosen[:, None]], dim=1)
        done |= torch.isin(chosen, stops)
    return target


def _next_logits(
    model: Transformer, target: Tensor, memory: Tensor, memory_mask: Tensor, cache: list[LayerCache]
) -> Tensor:
    """接在 target 后面的那个词元的分数，(B, V)。"""
    hidden = model.decode(target, memory, memory_mask, cache=cache).last_hidden_state
    return _without_padding(model, model.logits(hidden[:, -1]))


def _without_padding(model: Transformer, logits: Tensor) -> Tensor:
    """填充不是词元，不许写出来；就地改 logits。"""
    logits[..., model.config.pad_id] = -torch.inf
    return logits


def _check_sampling(temperature: float, top_k: int | None, top_p: float | None, min_p: float | None) -> None:
    if not temperature > 0:
        raise ValueError(f"temperature={temperature}：温度应当大于 0；想要贪心，请用 greedy。")
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k={top_k}：应当至少是 1。")
    for name, share in (("top_p", top_p), ("min_p", min_p)):
        if share is not None and not 0 < share <= 1:
            raise ValueError(f"{name}={share}：应当大于 0，不超过 1。")


def _check_penalty(penalty: float) -> None:
    if not penalty > 0:
        raise ValueError(f"repetition_penalty={penalty}：应当大于 0，1 就是不罚。")


def _check_mode(model: nn.Module) -> None:
    if model.training:
        raise ValueError("模型在训练模式，dropout 会让每次的结果都不同：请先调用 model.eval()。")


def _check(model: Transformer, max_len: int) -> None:
    _check_mode(model)
    if not 2 <= max_len <= model.config.max_len:
        raise ValueError(f"max_len={max_len}：应当在 2 与模型的上限 {model.config.max_len} 之间。")
