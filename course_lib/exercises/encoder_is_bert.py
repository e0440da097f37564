"""《亲手造出的 BERT》的练习。"""

import torch
import torch.nn.functional as F

from ..bert import Bert
from ..config import BertConfig
from ..weights import our_name
from .registry import Unfinished, WrongAnswer, is_close, register, require, require_shape, run


@register("encoder_is_bert.parameter-count")
def parameter_count(answer):
    # 漏数的个数各不相同，才说得出漏了哪一种；只有注意力的偏置与层归一化无论如何都是每层 4D
    small = BertConfig(
        vocab_size=50, d_model=8, num_heads=2, d_ff=28, num_layers=3, max_len=10, num_segments=3
    )
    for config in (small, BertConfig()):
        got, expected = run(answer, config), _count(config)
        require(isinstance(got, int), f"应当交出一个整数，收到的却是 {type(got).__name__}。")
        asked = f"{config.num_layers} 层、宽 {config.d_model} 时得到 {got:,}"
        hint = _count_hints(config).get(
            expected - got, "再逐项核对：三张嵌入表，每层的注意力、前馈网络、层归一化。"
        )
        require(got == expected, f"{asked}，应当是 {expected:,}：{hint}")
    return "与建出来的模型逐个数出来的一样，头数不在式子里。"


def _count(config: BertConfig) -> int:
    with torch.device("meta"):
        return sum(p.numel() for p in Bert(config).parameters())


def _count_hints(c: BertConfig) -> dict[int, str]:
    """少数了多少个（负数是多数了） → 多半是漏了什么。"""
    d, layers = c.d_model, c.num_layers
    linear = d * d + d
    layer = 4 * linear + 2 * d * c.d_ff + c.d_ff + d + 4 * d
    return {
        c.vocab_size * d: "词元嵌入没有数。",
        c.max_len * d: "位置嵌入没有数，BERT 的位置是学来的，每个位置一行。",
        c.num_segments * d: "段嵌入没有数。",
        2 * d: "三种嵌入相加之后还有一次层归一化，γ 与 β 各 D 个。",
        (2 * layers + 1) * 2 * d: "层归一化有可学习的 γ 与 β：嵌入之后一次，每层两次。",
        layers * 2 * d: "每层的层归一化有两次，不是一次。",
        layers * (5 * d + c.d_ff): "线性层的偏置没有数。",
        layers * (d + c.d_ff): "前馈网络的两个偏置没有数，一个长 F，一个长 D。",
        layers * 4 * d: "注意力的四个偏置没有数，或者每层两次层归一化的 γ 与 β 没有数。",
        layers * d * c.d_ff: "前馈网络有两个矩阵，一个 D 到 F，一个 F 到 D。",
        layers * (2 * d * c.d_ff + c.d_ff + d): "前馈网络没有数。",
        layers * linear: "注意力有四个投影，还有拼接之后的 out_proj。",
        (layers - 1) * layer: "只数了一层，各层的参数互不相同，要乘层数。",
        -linear: "多数了池化层，它不属于编码器。",
        -layers * (c.num_heads - 1) * 4 * linear: "不必乘头数：h 个头的投影并排放，合起来才是一个 D×D。",
    }


@register("encoder_is_bert.our-key")
def our_key(answer):
    keys = {
        "embeddings.token_type_embeddings.weight": "嵌入层的名字查 EMBEDDING_NAMES。",
        "encoder.layer.3.attention.self.value.bias": "层里的名字查 LAYER_NAMES，.weight 与 .bias 照抄。",
        "encoder.layer.0.attention.output.dense.weight": (
            "attention.output.dense 与 output.dense 的末尾相同，却是两样东西，要拿完整的名字去查。"
        ),
        "encoder.layer.0.output.dense.weight": "不带 attention 的 output.dense 是前馈网络的第二个线性映射。",
        "encoder.layer.0.output.LayerNorm.weight": (
            "一层有两次层归一化，attention.output.LayerNorm 是第一次，output.LayerNorm 是第二次。"
        ),
        "encoder.layer.11.intermediate.dense.weight": "层的编号可以不止一位。",
        "bert.embeddings.LayerNorm.bias": "有的文件在每个键前面加上 bert.，要先去掉。",
        "pooler.dense.weight": "池化层不属于编码器，应当返回空字符串。",
        "cls.predictions.bias": "预训练的输出头不属于编码器，应当返回空字符串。",
        "embeddings.position_ids": "它只是 0、1、2 一直数下去的编号，不在 EMBEDDING_NAMES 里，应当返回空字符串。",
    }
    for key, hint in keys.items():
        expected = our_name(key) or ""
        try:
            got = run(answer, key)
        except Unfinished:
            # 只有该返回空字符串的地方才是答错，别处是还没有写
            if expected:
                raise
            raise WrongAnswer(f"{key} 得到 None：不属于编码器的键应当返回空字符串。") from None
        require(isinstance(got, str), f"应当交出一个字符串，收到的却是 {type(got).__name__}。")
        require(got == expected, f"{key} 得到 {got!r}，应当是 {expected!r}：{hint}")
    return "每个键都有归处，不归我们管的也认得出。"


@register("encoder_is_bert.embeddings")
def embeddings(answer):
    # 两张表一样高，误把编号当位置时才不会越界，说得出错在哪里
    tokens, positions, table = torch.randn(9, 4), torch.randn(9, 4), torch.randn(2, 4)
    ids = torch.tensor([[1, 5, 5, 2], [1, 8, 3, 2]])
    segments = torch.tensor([[0, 0, 1, 1], [0, 1, 1, 1]])
    got = run(answer, ids, segments, tokens, positions, table)
    require_shape(got, (2, 4, 4), "结果")
    token, seat, part = tokens[ids], positions[:4], table[segments]
    hints = {
        "没有加段嵌入：句对里第二句的词元要用第 1 行。": token + seat,
        "没有加位置嵌入：这样一来词元换了次序，模型看不出来。": token + part,
        "没有加词元嵌入。": seat + part,
        "段嵌入一律用了第 0 行：要按 segments 去查。": token + seat + table[0],
        "位置嵌入按词元的编号查了：应当按它坐在第几个位置查。": token + positions[ids] + part,
        "位置从 0 数起，第一个词元用第 0 行。": token + positions[1:5] + part,
        "三种嵌入是相加，不是取平均。": (token + seat + part) / 3,
        "BERT 不给词元嵌入乘 √D，那是 2017 年论文的做法。": token * 2 + seat + part,
        "还没有到层归一化，这一题只要相加的结果。": F.layer_norm(token + seat + part, (4,)),
    }
    for hint, wrong in hints.items():
        require(not is_close(got, wrong), hint)
    require(is_close(got, token + seat + part), "每个位置应当是词元嵌入、位置嵌入、段嵌入三行之和。")
    return "三张表各查一行，相加。"


@register("encoder_is_bert.post-norm-layer")
def post_norm_layer(answer):
    x, mix, w1, w2 = torch.randn(5, 4), torch.randn(5, 5), torch.randn(4, 4), torch.randn(4, 4)
    g1, g2 = torch.rand(2, 4) + 0.5

    def attend(y):
        return mix @ y

    def feed_forward(y):
        return F.gelu(y @ w1) @ w2

    def norm1(y):
        return F.layer_norm(y, (4,), g1)

    def norm2(y):
        return F.layer_norm(y, (4,), g2)

    got = run(answer, x, attend, feed_forward, norm1, norm2)
    require_shape(got, (5, 4), "输出")
    a = norm1(x + attend(x))
    before = x + attend(norm1(x))
    hints = {
        "这是 pre-norm：层归一化在子层之前；BERT 先加残差，再归一化。": before + feed_forward(norm2(before)),
        "第一个子层没有残差连接：应当把 x 加回来。": (lambda b: norm2(b + feed_forward(b)))(norm1(attend(x))),
        "第二个子层没有残差连接：应当把它自己的输入加回来。": norm2(feed_forward(a)),
        "第二个残差加的是最初的 x，应当加前馈网络自己的输入。": norm2(x + feed_forward(a)),
        "前馈网络的输入应当是第一次归一化的结果，不是 x。": norm2(a + feed_forward(x)),
        "第二次归一化漏了：加上前馈网络的输出之后还要归一化。": a + feed_forward(a),
        "第一次归一化漏了：加上注意力的输出之后就要归一化。": (lambda b: norm2(b + feed_forward(b)))(
            x + attend(x)
        ),
        "两个子层都没有残差连接：应当各把自己的输入加回来。": norm2(feed_forward(norm1(attend(x)))),
        "次序反了：先注意力，后前馈网络。": (lambda b: norm2(b + attend(b)))(norm1(x + feed_forward(x))),
        "两次归一化用了同一个 norm1：它们各有自己的 γ 与 β。": norm1(a + feed_forward(a)),
        "norm1 与 norm2 用反了。": (lambda b: norm1(b + feed_forward(b)))(norm2(x + attend(x))),
        "归一化的是子层的输出，残差加在了外面；应当先相加，再归一化。": (
            lambda b: b + norm2(feed_forward(b))
        )(x + norm1(attend(x))),
    }
    for hint, wrong in hints.items():
        require(not is_close(got, wrong), hint)
    require(is_close(got, norm2(a + feed_forward(a))), "输出不等于 LN(A + FFN(A))，A = LN(x + MHA(x))。")
    return "先相加，后归一化，做两次。"


@register("encoder_is_bert.first-wrong-layer")
def first_wrong_layer(answer):
    reference = [torch.randn(2, 4, 3) for _ in range(5)]
    reference[2][0, 1, 0] = 0.5
    real = torch.tensor([[True] * 4, [True, True, False, False]])

    right = [state + 4e-6 for state in reference]
    ours = [state.clone() for state in right]
    ours[1][1, 3, 0] += 5  # 只错在填充上
    ours[2][0, 1, 0] -= 3e-5  # 只错一个数，而且是变小
    ours[4][0, 0, 0] += 3  # 错得最多
    got = _layer_number(run(answer, ours, reference, real, 1e-5))
    require(
        got != 0,
        "得到 0：第 0 层每个数只差 4e-6，在容差之内；不能要求完全相等，也不要把各处的差加在一起。",
    )
    require(got != 1, "得到 1：那一层只错在填充的位置上，填充的向量没有人用，应当只看 real 为 True 的词元。")
    require(
        got != 4,
        "得到 4：要的是第一个出错的层，不是差得最多的层；另外，变小也是错，要取绝对值再取最大，不取平均。",
    )
    require(got != 3, "得到 3：层从 0 数起，第 0 个是嵌入层的输出。")
    require(got == 2, f"得到 {got}，应当是 2：第一个在真实词元上差得超过 1e-5 的层。")
    try:
        got = _layer_number(run(answer, right, reference, real, 1e-5))
    except Unfinished:
        got = None
    require(got == -1, f"各层的差都在容差之内时应当返回 -1，得到的是 {got}。")
    return "从这一层的代码查起，前面的都已经对了。"


def _layer_number(got: object) -> int:
    require(
        isinstance(got, int) or (isinstance(got, torch.Tensor) and got.numel() == 1),
        f"应当交出一个层的编号，收到的却是 {type(got).__name__}。",
    )
    return int(got)
