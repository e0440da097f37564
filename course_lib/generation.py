"""生成：一步接一个词元，直到写完；`generate` 由只有解码器的语言模型接着写，用缓存，每步只算最新的一个位置。

形状字母：B 批大小，N 位置数，V 词表大小。
"""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn

from .attention import Cache
from .checks import check_chosen, check_ids, check_mode, check_prompt, check_special_ids, check_stops
from .language_model import LanguageModel
from .sampling import Choose, most_likely


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
    它看到的 ids 里，填充是 -1。stop_ids，写出其中一个就算写完，如 `model.config.stop_ids`，不给就一直写；
    attention_mask (B, N)，1 = 真实词元，0 = 填充，填充要在左边，写的才接得上；
    use_cache=False 时每一步都从头算一遍，结果相同，越写越慢。
    返回：(B, N + 新的个数)，以 ids 开头；写完的行后面补 pad_id，各行都写完就停。
    错误：model 在训练模式，max_new_tokens < 1，写完会超过模型的上限，填充在右边，choose 给的形状不对时，抛出 `ValueError`；
    stop_ids 不是一列整数时抛出 `TypeError`；其余见 `LanguageModel.forward`。
    """
    check_mode(model)
    check_special_ids(model.config, model.config.vocab_size, "pad_id")
    check_ids(ids, model.tokens)
    check_prompt(ids, attention_mask, max_new_tokens, model.config.max_len)
    length, cache = ids.size(1) + max_new_tokens, model.new_cache() if use_cache else None

    def step(target: Tensor) -> Tensor:
        if attention_mask is None:
            return choose(_next_logits(model, target, None, cache), target)
        mask = nn.functional.pad(attention_mask, (0, target.size(1) - ids.size(1)), value=1)
        return choose(_next_logits(model, target, mask, cache), target.masked_fill(mask == 0, -1))

    return write(ids, length, step, stop_ids, model.config.pad_id)


def write(
    target: Tensor, length: int, step: Callable[[Tensor], Tensor], stop_ids: Iterable[int], pad_id: int
) -> Tensor:
    """一步接一个词元，写到 length 个位置，或者各行都写出了 stop_ids 里的一个；写完的行后面补 pad_id。

    参数：target (B, N)，已有的编号；step(target)，挑出每行的下一个，(B,)。返回：(B, 写到几个)，以 target 开头。
    错误：step 给的形状不对时抛出 `ValueError`；stop_ids 不是一列整数时抛出 `TypeError`。
    """
    done = torch.zeros(len(target), dtype=torch.bool, device=target.device)
    stops = target.new_tensor(check_stops(stop_ids))
    while target.size(1) < length and not done.all():
        chosen = check_chosen(step(target), len(target)).masked_fill(done, pad_id)
        target = torch.cat([target, chosen[:, None]], dim=1)
        done |= torch.isin(chosen, stops)
    return target


def _next_logits(model: LanguageModel, ids: Tensor, mask: Tensor | None, cache: list[Cache] | None) -> Tensor:
    """接在 ids 后面的那个词元的分数，(B, V)。"""
    new = ids[:, len(cache[0]) :] if cache else ids  # 缓存里还没有的
    return model(new, mask, cache, last_only=True).logits[:, -1]
