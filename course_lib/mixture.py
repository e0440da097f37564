"""混合专家：前馈网络分成许多个专家，路由给每个词元挑几个，只算挑中的。

形状字母：T 词元数，E 专家数，K 每个词元挑几个，D 模型宽度，F 一个专家的中间宽度。
"""

import torch
from torch import Tensor, nn

from .checks import check_experts
from .language_model import SwiGLU
from .precision import widen


def route(
    scores: Tensor,
    top_k: int,
    bias: Tensor | None = None,
    groups: int = 1,
    top_groups: int = 1,
    normalize: bool = True,
) -> tuple[Tensor, Tensor]:
    """给每个词元挑 K 个专家：名次看 scores + bias，权重只看 scores。

    groups 大于 1 时，先按各组里最高的两个之和挑 top_groups 组，再在这几组里挑专家。
    参数：scores (..., E)，正数，路由给每个专家的打分；bias (E,)，只改名次；normalize，挑中的权重除以它们的和。
    返回：weights (..., K)，chosen (..., K) 专家的编号；挑中的打分都是 0，权重也就都是 0。
    错误：K 不在 1 到 E 之间，或 E 分不成同样大的组时，抛出 `ValueError`。
    出处：Shazeer et al., 2017, §2.1；DeepSeek-AI, 2024（V3）, §2.1.2。
    """
    check_experts(scores.size(-1), top_k, groups, top_groups)
    ranked = scores if bias is None else scores + bias
    if groups > 1:
        each = ranked.unflatten(-1, (groups, -1))
        best = each.topk(2, dim=-1).values.sum(dim=-1).topk(top_groups, dim=-1).indices
        kept = torch.zeros_like(each[..., 0], dtype=torch.bool).scatter(-1, best, True)
        ranked = each.masked_fill(~kept[..., None], -torch.inf).flatten(-2)
    chosen = ranked.topk(top_k, dim=-1).indices
    weights = scores.gather(-1, chosen)
    return shares(weights).to(scores.dtype) if normalize else weights, chosen


def shares(scores: Tensor) -> Tensor:
    """各占几成：scores (..., E) 不是负数，除以最后一维的和；都是 0，就都是 0。至少是 float32。"""
    scores = widen(scores)
    return scores / scores.sum(dim=-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).tiny)


def expert_load(chosen: Tensor, num_experts: int) -> Tensor:
    """每个专家分到几成的词元：chosen 是 `route` 给的编号，返回 (E,)，和为 1；完全均匀时每个是 1/E。"""
    return shares(torch.bincount(chosen.flatten(), minlength=num_experts))


def balance_loss(scores: Tensor, chosen: Tensor) -> Tensor:
    """均衡损失：E Σᵢ fᵢ pᵢ，fᵢ 是专家 i 分到的词元，pᵢ 是它的平均打分；两者都均匀时是 1，都挤在一处时是 E。

    参数：scores (..., E)，先除以每个词元自己的和；chosen (..., K)。返回：一个数，梯度只经过 pᵢ。
    出处：Fedus et al., 2021, §2.2。
    """
    num_experts = scores.size(-1)
    probability = shares(scores).flatten(0, -2).mean(dim=0)
    return num_experts * (expert_load(chosen, num_experts) * probability).sum()


def nudge(bias: Tensor, chosen: Tensor, step: float) -> Tensor:
    """不用损失也能均衡：忙过平均的专家，bias 减 step；闲的，加 step。参数与返回的 bias 都是 (E,)。

    出处：Wang et al., 2024（auxiliary-loss-free load balancing）。
    """
    load = expert_load(chosen, len(bias))
    return bias + (step * torch.sign(load.mean() - load)).to(bias.dtype)


class Mixture(nn.Module):
    """混合专家的前馈网络：Σ 权重 × 挑中的专家(x)，再加上人人都经过的共享专家。

    可以直接换进语言模型的一层：`layer.ffn = Mixture(...)`。
    参数：d_model，D；d_ff，一个专家的 F；num_experts，E；top_k，K；num_shared，共享专家的个数，合成一个 F 宽几倍的；
    sigmoid，打分用 σ（DeepSeek-V3）还是 softmax（Mixtral）；groups、top_groups、normalize 见 `route`；scale，权重再乘几倍。
    bias 是 (E,) 的缓冲，初值 0，由 `nudge` 改；seen 是最近一次的 (scores, chosen)，供 `balance_loss` 与画图用；
    `balance_loss` 的梯度要经过它，所以它连着那一次的计算，抄写或保存模型时不带上它。
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        num_experts: int,
        top_k: int,
        num_shared: int = 0,
        sigmoid: bool = False,
        scale: float = 1.0,
        **routing,
    ):
        super().__init__()
        check_experts(num_experts, top_k, routing.get("groups", 1), routing.get("top_groups", 1))
        self.top_k, self.sigmoid, self.scale, self.routing = top_k, sigmoid, scale, routing
        self.gate = nn.Linear(d_model, num_experts, bias=False)
        self.experts = nn.ModuleList(SwiGLU(d_model, d_ff) for _ in range(num_experts))
        self.shared = SwiGLU(d_model, num_shared * d_ff) if num_shared else None
        self.register_buffer("bias", torch.zeros(num_experts))
        self.seen: tuple[Tensor, Tensor] | None = None

    def __getstate__(self) -> dict:
        return self.__dict__ | {"seen": None}

    def forward(self, x: Tensor) -> Tensor:
        """x (..., D) → (..., D)；每个专家只算挑中它的那些词元。"""
        flat = x.flatten(0, -2)
        logits = widen(self.gate(flat))
        scores = logits.sigmoid() if self.sigmoid else logits.softmax(dim=-1)
        weights, chosen = route(scores, self.top_k, self.bias, **self.routing)
        self.seen = scores, chosen
        out = torch.zeros_like(flat)
        for i, expert in enumerate(self.experts):
            token, place = torch.where(chosen == i)
            part = self.scale * weights[token, place, None] * expert(flat[token])
            out = out.index_add(0, token, part.to(x.dtype))
        out = out.view_as(x)
        return out if self.shared is None else out + self.shared(x)
