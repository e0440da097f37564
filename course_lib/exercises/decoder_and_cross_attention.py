"""《解码器与交叉注意力》的练习。"""

import torch
from torch import Tensor

from ..attention import causal_mask, padding_mask, scaled_dot_product_attention
from ..decoder import DecoderLayer
from .registry import is_close, register, require, require_shape, run

SOURCE = torch.tensor([[5, 6, 7, 8, 9], [5, 6, 7, 0, 0], [5, 0, 0, 0, 0]])
TARGET = torch.tensor([[1, 4, 5, 2], [1, 4, 2, 0], [1, 2, 0, 0]])


@register("decoder_and_cross_attention.masks")
def masks(answer):
    got = run(answer, SOURCE, TARGET, 0)
    require(
        isinstance(got, tuple | list) and len(got) == 2,
        "应当返回两张掩码：自注意力的与交叉注意力的。",
    )
    for mask, name in zip(got, ("自注意力的掩码", "交叉注意力的掩码"), strict=True):
        require(isinstance(mask, Tensor), f"{name}应当是张量，收到的却是 {type(mask).__name__}。")
        require(mask.dtype == torch.bool, f"{name}应当是布尔张量，这里是 {mask.dtype}。")
    own, cross = got
    require(
        (*own.shape[1:], *cross.shape[1:]) != (1, 1, 5, 1, 4, 4),
        "两张掩码的次序对调了：先自注意力的，再交叉注意力的。",
    )
    require(
        tuple(cross.shape) != (3, 1, 1, 4),
        "交叉注意力的掩码有 N 列，是照目标造的；它的键来自来源，应当照 source 造，有 M 列。",
    )
    require(
        tuple(cross.shape) != (3, 1, 4, 5),
        "交叉注意力的掩码多了查询那一维：来源早已写完，没有将来，也不必挡查询，(B, 1, 1, M) 就够。",
    )
    require(
        tuple(cross.shape) != (3, 5),
        "交叉注意力的掩码还是 (B, M)：要补上头与查询两维，成为 (B, 1, 1, M)。",
    )
    require_shape(own, (3, 1, 4, 4), "自注意力的掩码")
    require_shape(cross, (3, 1, 1, 5), "交叉注意力的掩码")
    keys, causal, source_keys = padding_mask(TARGET != 0), causal_mask(4), padding_mask(SOURCE != 0)
    expected = keys & causal
    require(
        not torch.equal(own, ~expected) and not torch.equal(cross, ~source_keys),
        "意思反了：True 应当是可以看。",
    )
    require(not torch.equal(own, causal.expand(3, 1, 4, 4)), "自注意力的掩码只有因果，没有挡目标的填充。")
    require(
        not torch.equal(own, keys.expand(3, 1, 4, 4)),
        "自注意力的掩码只挡了填充，没有因果：训练时会偷看答案。",
    )
    require(not torch.equal(own, keys | causal), "用了“或”：两条规定都允许才可以看，应当用 &。")
    require(
        not torch.equal(own, keys & causal.T), "因果的方向反了：三角应当在左下，第 i 行看得到第 0 到 i 列。"
    )
    require(not torch.equal(own, keys & causal.tril(-1)), "连自己也挡住了：第 i 行应当看得到第 i 列。")
    require(not torch.equal(own, expected & keys.mT), "填充的查询也挡住了，那一行就没有可看的：只挡键。")
    require(torch.equal(own, expected), "自注意力：第 j 个可以看，当且仅当 j <= i，而且它不是填充。")
    require(torch.equal(cross, source_keys), "交叉注意力：来源里不是 pad_id 的才可以看。")
    renamed = run(answer, SOURCE.masked_fill(SOURCE == 0, 3), TARGET.masked_fill(TARGET == 0, 3), 3)
    require(
        all(map(torch.equal, renamed, (expected, source_keys))),
        "填充的编号换成 3 就不对了：应当与 pad_id 比较，不能写死 0。",
    )
    return "一张照目标，带因果；一张照来源，只挡填充。"


@register("decoder_and_cross_attention.cross-attention")
def cross_attention(answer):
    x, memory = torch.randn(3, 6), torch.randn(5, 6)
    w_query, w_key, w_value = torch.randn(3, 6, 4) / 6**0.5  # 太大 softmax 就饱和，错答也看不出来
    keep = torch.tensor([True, True, False, True, False])
    got = run(answer, x, memory, w_query, w_key, w_value, keep)
    if isinstance(got, Tensor):
        require(
            tuple(got.shape) != (5, 4),
            "得到了 M 行：查询应当来自 x，有 N 行；memory 只出键与值。",
        )
        require(tuple(got.shape) != (3, 5), "得到的是 N×M 的权重，还要乘上值。")
        require(tuple(got.shape) != (3, 6), "宽度还是 D：值没有乘 w_value。")
    require_shape(got, (3, 4), "输出")
    query, key, value = x @ w_query, memory @ w_key, memory @ w_value
    scores = query @ key.T
    expected, _ = scaled_dot_product_attention(query, key, value, keep)
    unmasked = (scores / 2).softmax(dim=-1)

    def only(mask, scale=2.0, dim=-1):
        return (scores / scale).masked_fill(~mask, -torch.inf).softmax(dim=dim).nan_to_num() @ value

    mine = (query @ (x @ w_key).T / 2).softmax(dim=-1) @ (x @ w_value)
    require(not is_close(got, mine), "键与值也取自 x，这是自注意力；应当取自 memory。")
    require(not is_close(got, unmasked @ value), "填充没有挡住：keep 是 False 的列，权重应当是 0。")
    require(
        not is_close(got, unmasked * keep @ value),
        "softmax 之后才清零，各行之和不到 1；应当先把分数换成负无穷，再 softmax。",
    )
    require(not is_close(got, only(~keep)), "掩码反了：挡住的是真实词元，True 应当是可以看。")
    require(not is_close(got, only(keep, 1.0)), "没有除以 √d。")
    require(not is_close(got, only(keep, 6**0.5)), "除的是 √D；应当是 √d，即查询的宽度。")
    require(not is_close(got, only(keep, dim=0)), "softmax 的方向错了：每个查询一行，应当沿最后一维。")
    swapped, _ = scaled_dot_product_attention(query, memory @ w_value, memory @ w_key, keep)
    require(not is_close(got, swapped), "键与值的矩阵对调了：分数用 w_key，汇总用 w_value。")
    require(is_close(got, expected), "查询来自 x，键与值来自 memory：softmax(Q Kᵀ / √d) V，填充挡住。")
    return "N 行来自 x，内容全部取自 memory。"


@register("decoder_and_cross_attention.parameter-count")
def parameter_count(answer):
    for d, f in ((512, 2048), (64, 128), (48, 100)):
        got = int(run(answer, d, f))
        attention, linear_bias = 4 * (d * d + d), 9 * d + f
        exact = 2 * attention + 2 * d * f + f + d + 6 * d
        asked = f"d_model={d}、d_ff={f} 时得到 {got}"
        hints = {
            exact - attention - 2 * d: "这是编码器层：解码器层还有交叉注意力，连同它的层归一化。",
            exact - attention: "只算了一个注意力：自注意力与交叉注意力各有四个投影。",
            exact - 2 * (d * d + d): "每个注意力还有输出投影，一共四个矩阵，不是三个。",
            exact - 2 * d: "层归一化少了一个：三个子层，三个层归一化。",
            exact - 3 * d: "每个层归一化有 γ 与 β 两组，各 D 个。",
            exact - 6 * d: "三个层归一化没有算，共 6D 个。",
            exact - 8 * d: "注意力的投影都有偏置，八个，各 D 个。",
            exact - f - d: "前馈网络的两个线性层都有偏置：F 个与 D 个。",
            exact - linear_bias: "线性层都有偏置：八个投影与前馈网络的两个。",
            exact - d * f: "前馈网络有两个矩阵，升维一个，降维一个。",
        }
        require(got == exact or got not in hints, f"{asked}。{hints.get(got)}")
        require(
            got == exact, f"{asked}，与真实的差 {got - exact}；逐项数：两个注意力、前馈网络、三个层归一化。"
        )
    return "与 nn.TransformerDecoderLayer 的参数一个也不差；头数不出现。"


@register("decoder_and_cross_attention.find-the-fault")
def find_the_fault(answer):
    layer = DecoderLayer(8, 2, 16).eval().requires_grad_(False)
    for p in layer.parameters():
        p += 0.3 * torch.randn_like(p)
    x, memory = torch.randn(2, 2, 4, 8)  # 目标与来源一样长，弄反了也能运行
    norms = [layer.norm1, layer.norm2, layer.norm3]

    def self_attn(y):
        return layer.self_attn(y, mask=causal_mask(y.size(1)))[0]

    def cross_attn(y, source):
        return layer.cross_attn(y, source)[0]

    def expected(residual=(1, 1, 1), normed=(1, 1, 1), read=lambda y: (y, memory), start=None):
        y = x
        for i, sublayer in enumerate((self_attn, lambda z: cross_attn(*read(z)), layer.ffn)):
            base = x if start == i else y
            y = residual[i] * base + sublayer(y)
            y = norms[i](y) if normed[i] else y
        return y

    def pre_norm():
        y = x + self_attn(norms[0](x))
        y = y + cross_attn(norms[1](y), memory)
        return y + layer.ffn(norms[2](y))

    with torch.no_grad():
        got = run(answer, x, memory, self_attn, cross_attn, layer.ffn, norms)
        require_shape(got, (2, 4, 8), "输出")
        no_residual, reads_itself = "没有残差连接：子层的输出要加到它的输入上", lambda y: (y, y)
        fault = norms[0](self_attn(x))
        fault = norms[1](fault + cross_attn(fault, fault))
        require(
            not is_close(got, norms[2](fault + layer.ffn(norms[2](fault)))),
            "与题目里有错的那个一样；先看残差，再看交叉注意力读的是谁，最后看归一化做了几次。",
        )
        require(not is_close(got, expected((0, 0, 0))), f"三个子层都{no_residual}。")
        for i, name in enumerate(("自注意力", "交叉注意力", "前馈网络")):
            residual, normed = ([int(i != j) for j in range(3)] for _ in range(2))
            require(not is_close(got, expected(residual)), f"{name}{no_residual}。")
            require(not is_close(got, expected(normed=normed)), f"{name}之后没有层归一化。")
            require(
                not is_close(got, expected(residual, read=reads_itself)),
                f"{name}{no_residual}；交叉注意力读的还是自己，应当读 memory。",
            )
        require(
            not is_close(got, expected(read=reads_itself)),
            "交叉注意力读的是自己，成了又一个自注意力；键与值应当来自 memory。",
        )
        require(
            not is_close(got, expected(read=lambda y: (memory, y))),
            "交叉注意力的两个输入对调了：查询来自解码器，memory 出键与值。",
        )
        require(
            not is_close(got, expected(read=lambda y: (y, norms[1](memory)))),
            "memory 又做了一次层归一化；交叉注意力直接读它。",
        )
        for i in (1, 2):
            require(
                not is_close(got, expected(start=i)),
                "残差加错了：每个子层要加上自己的输入，即前一个子层的输出，不是最初的 x。",
            )
        y = norms[1](x + cross_attn(x, memory))
        y = norms[0](y + self_attn(y))
        require(
            not is_close(got, norms[2](y + layer.ffn(y))),
            "次序反了：先自注意力，再交叉注意力，最后前馈网络。",
        )
        y = norms[1]((y := norms[0](x + self_attn(x))) + cross_attn(y, memory))
        require(
            not is_close(got, norms[2](y + layer.ffn(norms[2](y)))),
            "前馈网络的输入又做了一次层归一化；post-norm 只在相加之后做一次。",
        )
        require(not is_close(got, pre_norm()), "这是 pre-norm；题目要 post-norm，先相加，再归一化。")
        require(is_close(got, expected()), "每个子层都是：输出加上输入，再做层归一化；交叉注意力读 memory。")
    return "三处都改对了，与 DecoderLayer 相同。"
