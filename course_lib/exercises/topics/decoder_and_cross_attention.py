"""《解码器与交叉注意力》的练习。"""

import torch

from ...attention import causal_mask, padding_mask
from ..exercise import Exercise, Symptom
from .residual_and_layer_norm import random_layer, random_norm

SOURCE = torch.tensor([[5, 6, 7, 8, 9], [5, 6, 7, 0, 0], [5, 0, 0, 0, 0]])
TARGET = torch.tensor([[1, 4, 5, 2], [1, 4, 2, 0], [1, 2, 0, 0]])
ALL = torch.tensor(True)
PAST = causal_mask(4).expand(3, 1, 4, 4)
SUBLAYERS = {"自注意力": "0", "交叉注意力": "1", "前馈网络": "2"}
ADD = "没有残差连接：子层的输出要加到它的输入上"


def keys(ids, pad):
    return padding_mask(ids != pad)


def own(target, pad):
    return keys(target, pad) & PAST


def attend(query, key, value, keep=ALL, scale=2.0, dim=-1, fill=-torch.inf):
    return (query @ key.mT / scale).masked_fill(~keep, fill).softmax(dim=dim) @ value


def cross(seen=lambda keep: keep, **options):
    return lambda x, memory, w_query, w_key, w_value, keep: attend(
        x @ w_query, memory @ w_key, memory @ w_value, seen(keep), **options
    )


def layer(bare="", raw="", early="", from_x="", order="012", reads="ym"):
    """这些编号的子层：bare 没有残差，raw 之后不归一化，early 之前归一化，from_x 加回最初的 x；reads 是交叉注意力读的两样。"""

    def answer(x, memory, self_attn, cross_attn, ffn, norms):
        def cross(y):
            return cross_attn(*map({"y": y, "m": memory, "n": norms[1](memory)}.get, reads))

        y = x
        for i in order:
            sublayer, norm = (self_attn, cross, ffn)[int(i)], norms[int(i)]
            change = sublayer(norm(y) if i in early else y)
            y = change if i in bare else change + (x if i in from_x else y)
            y = y if i in raw else norm(y)
        return y

    return answer


def attention(rng):
    w_query, w_key, w_value, w_out = rng.randn(4, 4, 4) / 2

    def answer(x, memory, keep=ALL):
        return attend(x @ w_query, memory @ w_key, memory @ w_value, keep) @ w_out

    return answer


def parts(rng):
    """目标与来源一样长，弄反了也能运行。"""
    own, cross = attention(rng), attention(rng)
    _, feed_forward, norm1, norm2 = random_layer(rng)
    norms = [norm1, norm2, random_norm(rng)]
    return [(*rng.randn(2, 2, 5, 4), lambda y: own(y, y, causal_mask(5)), cross, feed_forward, norms)]


# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("decoder_and_cross_attention.counts",
        right=(1, 11, 1056, 528),
        wrong={
            "编码器只算一遍：来源不会再变，memory 一直用到写完。": [(11, 11, 1056, 528), (11, 1, 1056, 528)],
            "没有缓存，解码器每写一个字符都要从头算一遍：写 11 个，就是 11 遍。": [(1, 1, 1056, 528), (1, 10, 1056, 528), (1, 12, 1056, 528)],
            "N 与 M 乘对了，还要乘层数与头数：每层、每个头都有自己的一张。": [(1, 11, 132, 66), (1, 11, 528, 264), (1, 11, 264, 132)],
            "交叉注意力的一张是 N×M：11 个查询，12 个键。": [(1, 11, 968, 528), (1, 11, 1152, 528)],
            "交叉注意力没有因果：每个查询都看得到全部 12 份笔记。": [(1, 11, 528, 528), (1, 11, 624, 528)],
            "自注意力有因果掩码，第 n 行只看得到 n 个：数一数三角里有几格。": (1, 11, 1056, 968),
            "三角要算上对角线：自己看得到自己。": (1, 11, 1056, 440),
            "最后一遍读进去的是开头与前十个字符，N = 11；结尾还没有写出来。": [(1, 11, 1152, 624), (1, 11, 1056, 624), (1, 11, 960, 440)],
            "没有缓存，最后一遍算的是全部 11 行，不只是末一行。": [(1, 11, 96, 88), (1, 11, 96, 528), (1, 11, 1056, 88)],
        },
        otherwise="逐个数：编码器几遍；解码器几遍；2 层 × 4 个头 × N × M；2 层 × 4 个头 × 三角里的格数。",
        praise="来源只读一遍，写一个字符就重算一遍解码器：这笔账，到讲缓存的那一章再省。",
    ),
    Exercise("decoder_and_cross_attention.shuffle",
        right=(True, False, True, False),
        wrong={
            "打乱笔记没有关系：交叉注意力读的是一袋笔记，看不见次序；次序早已写在每份笔记里。": [(False, False, True, False), (False, False, False, False)],
            "打乱来源就几乎全错：编码器看得见次序，二〇六四与四六〇二是两回事。": [(True, True, True, False), (True, True, False, False)],
            "抄成两遍也没有关系：每个键都多了一个一样的，分母加倍，分子不变，权重减半，两份加起来还是原样。": (True, False, False, False),
            "四样都照旧是不可能的：想一想，哪几样让笔记里少了东西？": (True, True, True, True),
            "正好反过来：True 是照样写对。": (False, True, False, True),
        },
        otherwise="逐样想：次序是在哪一步写进笔记的；各行都一样时，权重怎样分，取回的有没有不同。",
        praise="交叉注意力只认内容，不认次序，份份都多抄一遍也不变；次序要靠编码器写进去，各份要各不相同。",
    ),
    Exercise("decoder_and_cross_attention.masks",
        cases=lambda rng: [(SOURCE, TARGET, 0), (SOURCE.where(SOURCE != 0, 3), TARGET.where(TARGET != 0, 3), 3)],
        right=lambda source, target, pad_id: (own(target, pad_id), keys(source, pad_id)),
        wrong={
            "应当返回两张掩码：自注意力的与交叉注意力的。": Symptom(lambda s, t, p: own(t, p)),
            "两张掩码的次序对调了：先自注意力的，再交叉注意力的。": Symptom(lambda s, t, p: (keys(s, p), own(t, p))),
            "交叉注意力的掩码有 N 列，是照目标造的；照 source 造才有 M 列。": Symptom(lambda s, t, p: (own(t, p), keys(t, p))),
            "交叉注意力的掩码多了查询那一维：来源早已写完，没有将来，也不必挡查询，(B, 1, 1, M) 就够。":
                Symptom(lambda s, t, p: (own(t, p), keys(s, p).expand(3, 1, 4, 5))),
            "交叉注意力的掩码还是 (B, M)：要补上头与查询两维，成为 (B, 1, 1, M)。": Symptom(lambda s, t, p: (own(t, p), s != p)),
            "意思反了：True 应当是可以看。": [
                lambda s, t, p: (~own(t, p), ~keys(s, p)),
                lambda s, t, p: (~own(t, p), keys(s, p)),
                lambda s, t, p: (own(t, p), ~keys(s, p)),
            ],
            "自注意力的掩码只有因果，没有挡目标的填充。": lambda s, t, p: (PAST, keys(s, p)),
            "自注意力的掩码只挡了填充，没有因果：训练时会偷看答案。": lambda s, t, p: (keys(t, p).expand(3, 1, 4, 4), keys(s, p)),
            "用了“或”：两条规定都允许才可以看，应当用 &。": lambda s, t, p: (keys(t, p) | PAST, keys(s, p)),
            "因果的方向反了：三角应当在左下，第 i 行看得到第 0 到 i 列。": lambda s, t, p: (keys(t, p) & PAST.mT, keys(s, p)),
            "连自己也挡住了：第 i 行应当看得到第 i 列。": lambda s, t, p: (keys(t, p) & PAST.tril(-1), keys(s, p)),
            "填充的查询也挡住了，那一行就没有可看的：只挡键。": lambda s, t, p: (own(t, p) & keys(t, p).mT, keys(s, p)),
            "自注意力：第 j 个可以看，当且仅当 j <= i，而且它不是填充。":
                Symptom(lambda s, t, p: (~PAST, keys(s, p)), lambda got, s, t, p: p == 0 and not got[0].equal(own(t, p))),
        },
        otherwise=["交叉注意力：来源里不是 pad_id 的才可以看。", "填充的编号换了就不对：应当与 pad_id 比较，不能写死 0。"],
        praise="一张照目标，带因果；一张照来源，只挡填充。",
    ),
    Exercise("decoder_and_cross_attention.cross-attention",
        # 矩阵太大 softmax 就饱和，错答也看不出来
        cases=lambda rng: [(rng.randn(3, 6), rng.randn(5, 6), *rng.randn(3, 6, 4) / 6**0.5, torch.arange(5) % 3 != 2)],
        right=cross(),
        wrong={
            "得到了 M 行：查询应当来自 x；memory 只出键与值。": Symptom(lambda x, m, q, k, v, keep: attend(m @ q, x @ k, x @ v)),
            "得到的是 N×M 的权重，还要乘上值。": Symptom(lambda x, m, q, k, v, keep: (x @ q @ (m @ k).T).softmax(-1)),
            "宽度还是 D：值没有乘 w_value。": Symptom(lambda x, m, q, k, v, keep: attend(x @ q, m @ k, m)),
            "键与值也取自 x，这是自注意力；应当取自 memory。": lambda x, m, q, k, v, keep: attend(x @ q, x @ k, x @ v),
            "填充没有挡住：keep 是 False 的列，权重应当是 0。": cross(lambda keep: ALL),
            "softmax 之后才清零，各行之和不到 1；应当先把分数换成负无穷，再 softmax。":
                lambda x, m, q, k, v, keep: attend(x @ q, m @ k, keep[:, None] * (m @ v)),
            "掩码反了：挡住的是真实词元，True 应当是可以看。": cross(lambda keep: ~keep),
            "没有除以 √d。": cross(scale=1.0),
            "除的是 √D；应当是 √d，即查询的宽度。": cross(scale=6**0.5),
            "softmax 的方向错了：每个查询一行，应当沿最后一维。": [cross(dim=0), cross(dim=0, fill=-1e9)],
            "键与值的矩阵对调了：分数用 w_key，汇总用 w_value。": lambda x, m, q, k, v, keep: attend(x @ q, m @ v, m @ k, keep),
        },
        otherwise="查询来自 x，键与值来自 memory：softmax(Q Kᵀ / √d) V，填充挡住。",
        praise="N 行来自 x，内容全部取自 memory。",
    ),
    Exercise("decoder_and_cross_attention.find-the-fault",
        cases=parts,
        right=layer(),
        wrong={
            "与题目里有错的那个一样；先看残差，再看交叉注意力读的是谁，最后看归一化做了几次。": layer("0", early="2", reads="yy"),
            f"三个子层都{ADD}。": layer("012"),
            **{f"{name}{ADD}。": layer(i) for name, i in SUBLAYERS.items()},
            **{f"{name}之后没有层归一化。": layer(raw=i) for name, i in SUBLAYERS.items()},
            **{f"{name}{ADD}；交叉注意力读的还是自己，应当读 memory。": layer(i, reads="yy") for name, i in SUBLAYERS.items()},
            "交叉注意力读的是自己，成了又一个自注意力；键与值应当来自 memory。": layer(reads="yy"),
            "交叉注意力的两个输入对调了：查询来自解码器，memory 出键与值。": layer(reads="my"),
            "memory 又做了一次层归一化；交叉注意力直接读它。": layer(reads="yn"),
            "残差加错了：每个子层要加上前一个子层的输出，不是最初的 x。": [layer(from_x=i) for i in ("1", "2", "12")],
            "次序反了：先自注意力，再交叉注意力，最后前馈网络。": layer(order="102"),
            "前馈网络的输入又做了一次层归一化；post-norm 只在相加之后做一次。": layer(early="2"),
            "这是 pre-norm；题目要 post-norm，先相加，再归一化。": layer(early="012", raw="012"),
        },
        otherwise="每个子层都是：输出加上输入，再做层归一化；交叉注意力读 memory。",
        praise="三处都改对了，与 DecoderLayer 相同。",
    ),
]
