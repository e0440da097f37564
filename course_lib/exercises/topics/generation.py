"""《生成》的练习。"""

import torch

from ..exercise import Exercise

# 对数概率、长度、alpha：使典型的错法各自选中不同的几条；倒数第二组的比值在 1.25 与多算一个的 1.22 之间
BEAMS = [
    ([-2.0, -2.3, -3.2, -5.6], [3, 5, 12, 24], 0.6),
    ([-1.15, -1.43], [3, 5], 2.0),
    ([-1.15, -1.43], [3, 5], 0.6),
    ([-2.0, -2.3], [24, 3], 0.6),
    ([-0.1, -0.2], [12, 3], 0.6),
    ([-1.15, -1.43], [3, 5], 1.0),
    ([-4.0, -1.0, -3.0], [4, 5, 6], 0.0),
]


def best(score):
    """score 收下对数概率、长度、alpha、修正。"""
    return lambda log_probabilities, lengths, alpha: int(
        score(log_probabilities, lengths, alpha, ((5 + lengths) / 6) ** alpha).argmax()
    )


def nucleus(probabilities, p, more=0, normal=True):
    ordered, order = probabilities.sort(descending=True)
    kept = probabilities * (order.argsort() < (ordered.cumsum(dim=0) - ordered < p).sum() + more)
    return kept / kept.sum() if normal else kept


def step_parts(rng):
    """新来的嵌入、位置编码、三个投影，前面 n 个位置的键与值。"""
    return [
        (
            rng.randn(1, 6),
            rng.randn(8, 6),
            *(rng.randn(6, 4) / 4 for _ in range(3)),
            rng.randn(n, 4),
            rng.randn(n, 4),
        )
        for n in (3, 5)
    ]


def step(place=0, sees_itself=True, scale=None, swapped=False, front=False, positioned=True, stored=True):
    """用缓存的一步；place，位置差几个，None 就是总取第 0 个。"""

    def answer(x, positions, w_query, w_key, w_value, keys, values):
        n = 0 if place is None else len(keys) + place
        y = x + positions[n : n + 1] if positioned else x
        query, key, value = y @ w_query, y @ w_key, y @ w_value
        if swapped:
            key, value = value, key
        pairs = ([key, keys], [value, values]) if front else ([keys, key], [values, value])
        grown = tuple(torch.cat(pair) for pair in pairs)
        seen = grown if sees_itself else (keys, values)
        scores = query @ seen[0].T / (scale or keys.size(-1) ** 0.5)
        output = scores.softmax(dim=-1) @ seen[1]
        return (output, *grown) if stored else (output, keys, values)

    return answer


# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("generation.length-penalty",
        cases=lambda rng: [(torch.tensor(log_p), torch.tensor(lengths), alpha) for log_p, lengths, alpha in BEAMS],
        right=best(lambda p, n, alpha, weight: p / weight),
        wrong={
            "没有修正：alpha 应当使长的更有机会。": best(lambda p, n, alpha, weight: p),
            "挑了最差的一条：对数概率是负数，越大（越接近 0）越好。": best(lambda p, n, alpha, weight: -p / weight),
            "乘了修正：对数概率是负数，乘大于 1 的数更负，反而罚了长的；应当除。": best(lambda p, n, alpha, weight: p * weight),
            "除以了长度本身，alpha 没有用上：应当除以 (5 + 长度) / 6 的 alpha 次方。": best(lambda p, n, alpha, weight: p / n),
            "除以了长度的 alpha 次方：应当是 (5 + 长度) / 6 的，短句差得小些。": best(lambda p, n, alpha, weight: p / n**alpha),
            "修正的是概率，不是对数概率：公式里是对数概率之和除以修正。": best(lambda p, n, alpha, weight: p.exp() / weight),
            "长度多算了一个：公式是 5 + 长度，lengths 已经算上结尾。": best(lambda p, n, alpha, weight: p / (1 + n / 6) ** alpha),
        },
        otherwise="应当是 对数概率 / ((5 + 长度) / 6) ** alpha 最大的是第几条，从 0 数起。",
        praise="alpha 为 0 时就是概率最大的一条，越大越偏向长的。",
    ),
    Exercise("generation.top-p",
        cases=lambda rng: [(torch.tensor([0.05, 0.4, 0.15, 0.3, 0.1]), p) for p in (0.8, 0.6, 0.2, 1.0)],
        right=lambda probabilities, p: nucleus(probabilities, p),
        wrong={
            "留得对，但没有重新归一：留下的概率之和应当是 1。": lambda q, p: nucleus(q, p, normal=False),
            "留下的数对，次序乱了：排过序之后，要放回原来的位置。": lambda q, p: nucleus(q, p).sort(descending=True).values,
            "留少了：跨过 p 的那一个也要留，合计才达到 p。": lambda q, p: nucleus(q, p, -1),
            "留多了：从高到低加，合计一达到 p 就停。": [lambda q, p: nucleus(q, p, 1), lambda q, p: q],
        },
        otherwise="从高到低留到合计达到 p 为止，至少留最高的一个，其余是 0，再除以它们的和。",
        praise="最高的总在，长尾截去，留下的重新归一。",
    ),
    Exercise("generation.cache-size",
        cases=lambda rng: [(6, 512, 20, 31), (2, 32, 7, 11)],
        right=lambda layers, d_model, n, m: layers * 2 * (n + m) * d_model,
        wrong={
            "键与值要各存一份。": lambda layers, d, n, m: layers * (n + m) * d,
            "查询不必存，用过一次就不再用，只存键与值。": lambda layers, d, n, m: layers * 3 * (n + m) * d,
            "只数了自注意力的；来源的 m 个位置，交叉注意力的键与值也存着。": lambda layers, d, n, m: layers * 2 * n * d,
            "每一层都有自己的键与值，还要乘层数。": lambda layers, d, n, m: 2 * (n + m) * d,
            "来源的键与值也是每层各一份，因为每层的投影不同。": lambda layers, d, n, m: 2 * (layers * n + m) * d,
            "两处是相加，不是相乘；存的是键与值，不是 N × M 的权重。": lambda layers, d, n, m: layers * 2 * n * m * d,
        },
        otherwise="层数 × 2 份 × (N + M) 个位置 × D。",
        praise="与缓存里实际存的一样多，与头数无关。",
    ),
    Exercise("generation.cached-step",
        cases=step_parts,
        right=step(),
        wrong={
            "与题目里有错的那个一样；先看位置取的是第几个，再看它看不看得见自己。": step(None, sees_itself=False),
            "位置对了，可是先算了注意力才接上新的键与值：从头算时，每个位置都看得见自己。": step(sees_itself=False),
            "看得见自己了，可是位置总取第一个：缓存里已有 len(keys) 个，新来的就是第 len(keys) 个，从 0 数起。": step(None),
            "位置少了一个：已有 n 个，编号是 0 到 n − 1，新来的是第 n 个。": [step(-1), step(-1, sees_itself=False)],
            "位置多了一个：从 0 数起，新来的是第 len(keys) 个。": [step(1), step(1, sees_itself=False)],
            "没有加位置：嵌入要先加上位置编码，再投影。": [step(positioned=False), step(positioned=False, sees_itself=False)],
            "输出对了，返回的键与值却没有接上新的：下一步就少了这个位置。": step(stored=False),
            "键与值接反了：w_key 投影出的接在 keys 后面。": step(swapped=True),
            "新的接在了前面：缓存按位置的先后，新来的在末尾。": step(front=True),
            "没有除以 √d。": step(scale=1.0),
        },
        otherwise="位置取第 len(keys) 个，先接上新的键与值，再算注意力；返回输出与接好的两样。",
        praise="与从头算的最后一个位置相同，只算了一个位置。",
    ),
]
