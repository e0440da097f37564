"""注意力的几处小改：滑动窗口、学来的汇、输出的门；公式的主体不动。

形状字母：B 批大小，N 新位置数，M 已看到的位置数，D 模型宽度，h 头数，d 每个头的宽度。
"""

import torch
from torch import Tensor, nn

from .attention import Cache, causal_mask
from .checks import check_attention, check_window
from .config import LanguageModelConfig
from .language_model import GroupedQueryAttention
from .precision import widen


def window_mask(n: int, window: int, device: torch.device | None = None, past: int = 0) -> Tensor:
    """滑动窗口：每个位置只看自己与前面 window − 1 个；返回 (n, past + n)，True = 可以注意。

    错误：window 不是正整数时抛出 `ValueError`。出处：Beltagy et al., 2020, §3.1。
    """
    check_window(window)
    return causal_mask(n, device, past).triu(past - window + 1)


def attention_with_sink(
    query: Tensor, key: Tensor, value: Tensor, sink: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """每个头多一个学来的分数，一同进 softmax，分走一份权重，却没有值可给：各行剩下的权重之和可以小于 1。

    参数：query (B, h, N, d)、key、value (B, h, M, d)，sink (h,)；mask 可广播到 (B, h, N, M)。
    返回：output (B, h, N, d)，weights (B, h, N, M)，不含汇的那一份。
    错误：形状对不上见 `scaled_dot_product_attention`。出处：OpenAI 的模型卡, 2025（gpt-oss）。
    """
    check_attention(query, key, value, mask)
    dtype = query.dtype
    query, key, value, sink = map(widen, (query, key, value, sink))
    scores = query @ key.mT * query.size(-1) ** -0.5
    if mask is not None:  # 整行都被挡住时也不出 NaN，见 `scaled_dot_product_attention`
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    extra = sink.view(-1, 1, 1).expand(*scores.shape[:-1], 1)
    weights = torch.cat([scores, extra], dim=-1).softmax(dim=-1)[..., :-1]
    weights = weights if mask is None else weights.masked_fill(~mask, 0.0)
    return (weights @ value).to(dtype), weights.to(dtype)


class AdjustedAttention(GroupedQueryAttention):
    """分组查询注意力，再加几处可以各自打开的改动；可以换进语言模型的一层：`layer.self_attn = AdjustedAttention(config, …)`。

    参数：config，`LanguageModelConfig`；window，滑动窗口几个位置，None = 全看；sink，学来的汇；
    gate，输出乘上 σ(x W)，由正在看的词元自己决定听进几成。
    都不打开时与 `GroupedQueryAttention` 相等。出处：OpenAI 的模型卡, 2025（gpt-oss）；Qiu et al., 2025。
    """

    def __init__(
        self,
        config: LanguageModelConfig,
        window: int | None = None,
        sink: bool = False,
        gate: bool = False,
    ):
        super().__init__(config)
        self.group = config.num_heads // config.num_kv_heads
        self.window = window if window is None else check_window(window)
        self.sink = nn.Parameter(torch.zeros(config.num_heads)) if sink else None
        self.gate_proj = nn.Linear(config.d_model, self.out_proj.in_features, bias=False) if gate else None

    def forward(
        self,
        x: Tensor,
        turns: Tensor | None = None,
        mask: Tensor | None = None,
        need_weights: bool = False,
        cache: Cache | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """参数与返回见 `GroupedQueryAttention.forward`；有窗口时，缓存里窗口以外的也还留着，只是看不见。"""
        query, *remembered = self._remember(x, turns, cache)
        key, value = (part.repeat_interleave(self.group, dim=1) for part in remembered)
        n, past = x.size(1), key.size(2) - x.size(1)
        seen = (
            causal_mask(n, x.device, past)
            if self.window is None
            else window_mask(n, self.window, x.device, past)
        )
        never = self.sink if self.sink is not None else query.new_full((query.size(1),), -torch.inf)
        output, weights = attention_with_sink(query, key, value, never, seen if mask is None else seen & mask)
        output = output.transpose(1, 2).flatten(-2)
        if self.gate_proj is not None:
            output = output * self.gate_proj(x).sigmoid()
        return self.out_proj(output), weights if need_weights else None
