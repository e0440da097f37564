"""《缩放点积注意力》的练习。"""

import torch
import torch.nn.functional as F

from .registry import is_close, register, require, require_shape, run


@register("scaled_dot_product_attention.one-query")
def one_query(answer):
    q, keys, values = torch.randn(4), torch.randn(5, 4) * 2, torch.randn(5, 3)
    got = run(answer, q, keys, values)
    require_shape(got, (3,), "输出")
    scores = keys @ q
    require(
        not is_close(got, F.softmax(scores, dim=0) @ values),
        "分数忘了除以 √d；d 是查询的宽度，这里是 4。",
    )
    require(
        not is_close(got, (scores / 2) @ values),
        "分数不能直接用来加权：先经过 softmax，让权重为正且和为 1。",
    )
    require(is_close(got, F.softmax(scores / 2, dim=0) @ values), "输出不等于按权重对值做的加权平均。")
    return "四步都在：点积、除以 √d、softmax、加权平均。"


@register("scaled_dot_product_attention.aim")
def aim(answer):
    keys = F.normalize(torch.randn(6, 8), dim=-1)
    for j in (0, 3, 5):
        q = run(answer, keys, j)
        require_shape(q, (8,), "查询")
        weights = F.softmax(keys @ q / 8**0.5, dim=0)
        winner = int(weights.argmax())
        require(
            winner == j, f"权重最大的是第 {winner} 个键，不是第 {j} 个：查询的方向应当与第 {j} 个键相同。"
        )
        require(
            weights[j] > 0.99,
            f"方向对了，但第 {j} 个键的权重只有 {weights[j]:.2f}：把查询拉长，差距才会变大。",
        )
    return "方向决定谁得第一，长度决定第一名领先多少。"


@register("scaled_dot_product_attention.self-score")
def self_score(answer):
    require(isinstance(answer, int | float), "这一题要交一个数。")
    require(abs(answer - 1) > 0.01, "1 是单位向量才有的点积；这里每个分量都是 N(0, 1)，向量并不短。")
    require(abs(answer - 1024) > 1, "1024 是 ‖x‖² 的平均值，还没有除以 √D。")
    require(abs(answer - 32) < 0.01, "先想 ‖x‖² 平均是多少：1024 个标准正态数的平方和；再除以 √1024。")
    return "‖x‖² ≈ D，除以 √D 得 √D = 32，比别的分数大出三十来个标准差。"


@register("scaled_dot_product_attention.temperature")
def temperature(answer):
    scores = torch.randn(3, 5)
    for tau in (0.5, 2.0):
        weights = F.softmax(scores, dim=-1)
        got = run(answer, weights, tau)
        require_shape(got, (3, 5), "结果")
        require(is_close(got.sum(dim=-1), torch.ones(3)), "结果的每行之和不是 1，最后要重新归一。")
        require(
            not is_close(got, F.softmax(weights / tau, dim=-1)),
            "对权重再做一次 softmax 不等于改变温度：权重不是分数。",
        )
        require(
            not is_close(got, F.softmax(scores * tau, dim=-1)),
            "方向反了：τ 大于 1 时权重应当变平，指数是 1/τ，不是 τ。",
        )
        require(is_close(got, F.softmax(scores / tau, dim=-1)), "结果不等于 softmax(分数 / τ)。")
    return "softmax 的输出取 1/τ 次方再归一，就是温度为 τ 的 softmax。"
