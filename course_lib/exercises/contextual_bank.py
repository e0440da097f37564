"""《上下文向量》的练习。"""

import operator

import torch
import torch.nn.functional as F
from torch import Tensor

from .registry import WrongAnswer, is_close, register, require, require_shape, run


@register("contextual_bank.pairwise-cosine")
def pairwise_cosine(answer):
    # 长度悬殊，忘了除以哪一个长度都会露馅
    vectors = torch.randn(5, 8) * torch.tensor([0.5, 1.0, 2.0, 4.0, 8.0])[:, None]
    got = run(answer, vectors)
    require_shape(got, (5, 5), "结果")
    dots, norms = vectors @ vectors.T, vectors.norm(dim=-1)
    require(
        not is_close(got, dots),
        "这是点积，还没有除以长度：点积大，可能只是因为向量长。",
    )
    one_sided = is_close(got, dots / norms) or is_close(got, dots / norms[:, None])
    require(not one_sided, "只除了一个向量的长度，所以结果不对称；两个长度都要除。")
    require(
        not is_close(got, dots / norms**2),
        "除的是长度的平方；应当除以两个向量各自的长度之积。",
    )
    require(
        is_close(got.diagonal(), torch.ones(5)),
        "对角线应当全是 1：向量与自己的方向相同。",
    )
    expected = F.cosine_similarity(vectors[:, None], vectors[None], dim=-1)
    require(is_close(got, expected), "有的格子不等于 a·b / (‖a‖‖b‖)。")
    return "先把每行除以自己的长度，再做一次矩阵乘法，所有的余弦就都有了。"


@register("contextual_bank.word-positions")
def word_positions(answer):
    sentence = "[CLS] the river ##bank ##s hid the bank ##er by the river from the bank , not the sea [SEP]"
    tokens = sentence.split()

    def ask(word, expected, hint):
        got = run(answer, list(tokens), word)
        require(
            isinstance(got, list | tuple),
            f"要返回一个列表，收到的却是 {type(got).__name__}。",
        )
        require(
            all(isinstance(group, list | tuple) for group in got),
            "每一次出现都要用一个列表列出它的位置，哪怕只有一个，例如 [[1], [6]]。",
        )
        require(
            [list(group) for group in got] == expected,
            f"{hint}（词是 {word!r}，得到的是 {got}。）",
        )

    ask("the", [[1], [6], [10], [13], [17]], "一个词可以出现几次，每次都要列出。")
    ask(
        "riverbanks",
        [[2, 3, 4]],
        "词可能被切成几段，后面各段以 ## 开头；要先把它们接起来再比较。",
    )
    ask(
        "river",
        [[11]],
        "后面跟着 ## 的那一段只是某个词的开头，不是这个词本身。",
    )
    ask("bank", [[14]], "bank ##er 是 banker，不是 bank。")
    ask("money", [], "没有出现的词应当得到空列表。")
    return "先按 ## 把片段接成词，再比较；一个词被切成几段时，常把各段的向量平均起来用。"


@register("contextual_bank.within-across")
def within_across(answer):
    labels = ["钱", "河", "钱", "血", "河", "钱"]
    vectors = F.normalize(torch.randn(6, 4), dim=-1)
    similar = vectors @ vectors.T
    groups = torch.tensor(["钱河血".index(label) for label in labels])
    match = groups[:, None] == groups
    same = match & ~torch.eye(6, dtype=torch.bool)
    expected = similar[same].mean(), similar[~match].mean()
    got = run(answer, similar, list(labels))
    try:
        within, across = (float(value) for value in got)
    except (TypeError, ValueError):
        raise WrongAnswer("要返回两个数：同义的平均，异义的平均。") from None

    def near(a, b):
        return abs(a - float(b)) < 1e-5

    require(
        not near(within, similar[match].mean()),
        "同义的平均里混进了自己与自己的余弦，那总是 1，要去掉。",
    )
    require(
        not (near(within, expected[1]) and near(across, expected[0])),
        "两个数的次序反了：先同义，后异义。",
    )
    require(
        near(within, expected[0]),
        f"同义的平均不对：得到 {within:.3f}，应为 {float(expected[0]):.3f}。",
    )
    require(
        near(across, expected[1]),
        f"异义的平均不对：标签可以有三种，凡是标签不同的都算；得到 {across:.3f}，应为 {float(expected[1]):.3f}。",
    )
    return "自己与自己不算，标签相同的进一堆，不同的进另一堆。"


@register("contextual_bank.best-layer")
def best_layer(answer):
    labels = torch.tensor([0, 0, 0, 1, 1, 1])
    states = _states_with_known_gaps(labels)
    try:
        layer = operator.index(run(answer, states, labels))
    except TypeError:
        raise WrongAnswer("要返回一个整数：从 0 数起的层号。") from None
    require(0 <= layer < len(states), f"层号 {layer} 不在 0 到 {len(states) - 1} 之间。")
    require(
        layer != 1,
        "第 1 层的同义平均最高，可是异义的也几乎一样高；要看的是两者之差。",
    )
    require(layer != 2, "第 2 层的异义平均最低，可是同义的也低；要看的是两者之差。")
    require(layer != 4, "层从 0 数起，states[0] 是嵌入层的输出；你的答案正好多了 1。")
    require(layer != 0, "第 0 层的向量最长，点积之差最大；先化成余弦，别让长度说话。")
    require(layer == 3, f"第 {layer} 层的差不是最大的。")
    return "看同义与异义之差，而不是看谁的余弦高；换一批句子，分得最开的层也可能不同。"


def _states_with_known_gaps(labels: Tensor) -> Tensor:
    """六个向量、六层；同义与异义的余弦逐层给定，第 3 层的差最大，第 0 层的向量最长。"""
    within_across = [
        (0.60, 0.40),
        (0.98, 0.95),
        (0.20, 0.00),
        (0.80, 0.25),
        (0.70, 0.40),
        (0.75, 0.45),
    ]
    lengths = [20.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    same = labels[:, None] == labels
    layers = []
    for (within, across), length in zip(within_across, lengths, strict=True):
        gram = torch.where(same, within, across).double().fill_diagonal_(1.0)
        # 随机旋转不改变余弦，却让每一维的数看不出规律
        rotation = torch.linalg.qr(torch.randn(8, 8, dtype=torch.float64))[0][:6]
        layers.append(length * torch.linalg.cholesky(gram) @ rotation)
    return torch.stack(layers).float()
