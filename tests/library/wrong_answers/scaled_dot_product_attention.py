import torch

WRONG_ANSWERS = {
    "scaled_dot_product_attention.one-query": [
        (lambda q, keys, values: (keys @ q).softmax(0) @ values, "忘了除以 √d"),
        (lambda q, keys, values: (keys @ q / 2) @ values, "先经过 softmax"),
        (lambda q, keys, values: (keys @ q / 2).softmax(0), "形状应当是 (3,)"),
        (lambda q, keys, values: values.mean(0), "加权平均"),
    ],
    "scaled_dot_product_attention.aim": [
        (lambda keys, j: keys[j], "拉长"),
        (lambda keys, j: -100 * keys[j], "方向应当与第 0 个键相同"),
        (lambda keys, j: torch.tensor(1.0), "形状应当是 (8,)"),
    ],
    "scaled_dot_product_attention.self-score": [
        (1, "单位向量"),
        (1024, "还没有除以"),
        (5.0, "先想 ‖x‖²"),
        ("32", "一个数"),
    ],
    "scaled_dot_product_attention.temperature": [
        (lambda weights, tau: weights**tau, "重新归一"),
        (lambda weights, tau: weights**tau / (weights**tau).sum(-1, keepdim=True), "方向反了"),
        (lambda weights, tau: (weights / tau).softmax(-1), "权重不是分数"),
    ],
}
