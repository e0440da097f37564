"""《嵌入》的练习。"""

import torch

from ..layers import layer_norm
from .registry import is_close, register, require, require_shape, run


@register("embedding.renumber")
def renumber(answer):
    vocab = {"[PAD]": 0, "[BOS]": 2, "今天": 21, "[EOS]": 3, "你": 10, "天气": 20}
    got = run(answer, vocab)
    require(isinstance(got, dict), f"应当返回一个字典，收到的却是 {type(got).__name__}。")
    require(
        got.keys() == vocab.keys(),
        f"新词表应当装着原来的 {len(vocab)} 个词元，键是词元，值是编号，不多也不少。",
    )
    require(
        sorted(got.values()) != list(range(1, len(vocab) + 1)),
        "编号从 1 开始了，最大的编号就等于词元的个数，仍会超出嵌入矩阵一行；应当从 0 开始。",
    )
    require(
        sorted(got.values()) == list(range(len(vocab))),
        f"新编号应当恰好是 0 到 {len(vocab) - 1}，没有空当，也不重复，这里是 {sorted(got.values())}。",
    )
    require(
        got["[PAD]"] == 0 and sorted(got, key=got.get) == sorted(vocab, key=vocab.get),
        "编号是连续了，先后却变了：要按原来的编号从小到大排，[PAD] 才仍是第 0 号。",
    )
    return f"原来要 {max(vocab.values()) + 1} 行，现在 {len(vocab)} 行就够，先后不变。"


@register("embedding.table-gradient")
def table_gradient(answer):
    ids = torch.tensor([2, 0, 2, 5, 2])
    upstream = torch.randn(5, 3)
    got = run(answer, ids, upstream, 7)
    require_shape(got, (7, 3), "梯度")
    last = torch.zeros(7, 3)
    last[ids] = upstream
    # 重复的编号由谁写在最后并无规定，所以只看第 2 行是不是某一处的梯度本身。
    kept_one = any(is_close(got[2], upstream[i]) for i in (0, 2, 4))
    require(not kept_one, "第 2 号出现了三次，你只留下了其中一次的梯度；同一行的各次应当相加。")
    total = torch.zeros(7, 3).index_add(0, ids, upstream)
    counts = torch.bincount(ids, minlength=7).clamp(min=1)[:, None]
    require(not is_close(got, total / counts), "第 2 号的三次梯度应当相加，不是取平均。")
    unused = torch.ones(7, dtype=torch.bool).index_fill(0, ids, False)
    require(bool((got[unused] == 0).all()), "没有用到的行，梯度应当恰好是 0。")
    require(is_close(got, total), "每一行应当等于它出现过的各个位置的上游梯度之和。")
    return "等于独热矩阵的转置乘上游梯度：用到的行相加，没用到的行是 0。"


@register("embedding.nearest")
def nearest(answer):
    directions = torch.eye(4)
    table = torch.stack(
        [
            directions[0],
            0.2 * directions[0] + 0.1 * directions[1],  # 与第 0 行的余弦 0.89，最短
            9 * directions[0] + 9 * directions[1],  # 余弦 0.71，点积却最大
            -5 * directions[0],
            0.3 * directions[0] + 0.03 * directions[2],  # 余弦最大，也短
            directions[3],
        ]
    )
    got = run(answer, table, 0, 3)
    got = got.tolist() if isinstance(got, torch.Tensor) else list(got)
    require(len(got) == 3, f"k=3，应当返回 3 个编号，这里有 {len(got)} 个。")
    require(0 not in got, "第 0 行自己不算它的近邻，与自己的余弦总是 1，要先排除。")
    require(
        got != [2, 4, 1],
        "排在最前的是最长的那一行：这是点积，不是余弦；两边都要除以长度。",
    )
    distance = (table - table[0]).norm(dim=-1).argsort()[1:4].tolist()
    require(got != distance, "这是按距离排的：方向相同而长短不同的行，距离也大；题目要的是余弦。")
    require(
        3 not in got, "第 3 行的方向正好相反，余弦是 −1，应当排在最后：看看是不是取了绝对值，或者次序反了。"
    )
    require(got == [4, 1, 2], f"应当按余弦从大到小排，得到 [4, 1, 2]，这里是 {got}。")
    got = run(answer, table, 3, 4)  # 第 3 行与别的行余弦都不是正的
    got = got.tolist() if isinstance(got, torch.Tensor) else list(got)
    require(3 not in got, "排除自己时，把余弦改成 0 还不够小：别的行可以是负的。")
    require(got == [5, 2, 1, 4], f"换成第 3 行就不对了，应当得到 [5, 2, 1, 4]，这里是 {got}。")
    return "按方向排，不看长短，也不算自己。"


@register("embedding.bert-input")
def bert_input(answer):
    ids, kinds = torch.tensor([[3, 1, 3, 0], [2, 3, 1, 1]]), torch.tensor([[0, 0, 1, 1], [0, 1, 1, 1]])
    tokens, positions, segments = torch.randn(6, 8), torch.randn(5, 8), torch.randn(2, 8)
    gamma, beta = torch.rand(8) + 0.5, torch.randn(8)
    got = run(answer, ids, kinds, tokens, positions, segments, gamma, beta)
    require_shape(got, (2, 4, 8), "输出")
    first, where, second = tokens[ids], positions[:4], segments[kinds]

    def norm(x):
        return layer_norm(x, gamma, beta, 1e-12)

    total = first + where + second
    require(not is_close(got, total), "三种嵌入之和还要做层归一化。")
    require(not is_close(got, norm(first + where)), "少了段嵌入：拿段编号去查第三张表。")
    require(not is_close(got, norm(first + second)), "少了位置嵌入：第 n 个位置加位置表的第 n 行。")
    require(
        not is_close(got, norm(first + positions[ids.clamp(max=4)] + second)),
        "位置嵌入要按位置 0、1、2、… 去查，不是按词元的编号。",
    )
    require(
        not is_close(got, layer_norm(total, torch.ones(8), torch.zeros(8), 1e-12)),
        "只减了均值、除了标准差，还要乘 γ、加 β。",
    )
    centred = total - total.mean(dim=-1, keepdim=True)
    require(
        not is_close(got, centred / total.std(dim=-1, keepdim=True) * gamma + beta),
        "层归一化的方差除以 D，不是 D − 1：用 unbiased=False，或者直接用 F.layer_norm。",
    )
    require(
        not is_close(got, norm(first) + norm(where) + norm(second)),
        "先相加，再做一次层归一化，不是各做各的。",
    )
    require(is_close(got, norm(total), atol=1e-4), "应当等于 LayerNorm(词元嵌入 + 位置嵌入 + 段嵌入)。")
    return "三张表各查一次，相加，再做一次层归一化，正是编码器第一层的输入。"
