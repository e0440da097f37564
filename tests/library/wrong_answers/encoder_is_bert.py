import torch
import torch.nn.functional as F

from course_lib.weights import LAYER_NAMES, our_name


def count(
    c, pooler=False, positions=True, embedding_norm=True, layer_norm=True, bias=True, out=True, layers=None
):
    d = c.d_model
    linear = d * d + d * bias
    layer = (4 if out else 3) * linear + 2 * d * c.d_ff + (c.d_ff + d) * bias + 4 * d * layer_norm
    tables = c.vocab_size + c.num_segments + c.max_len * positions + 2 * embedding_norm
    return tables * d + (layers or c.num_layers) * layer + pooler * linear


def replaced_in_turn(key):
    """不看完整的名字，逐个替换，短的先换。"""
    for theirs in sorted(LAYER_NAMES, key=len):
        key = key.replace(theirs, LAYER_NAMES[theirs])
    return key.replace("encoder.layer.", "encoder.layers.").replace(
        "embeddings.token_type_embeddings", "embeddings.segments"
    )


def one_digit(key):
    found = our_name(key)
    return found.replace("layers.11", "layers.1") if found else ""


def summed(ids, segments, tokens, positions, table, seat=None, part=None):
    seat = positions[: ids.size(1)] if seat is None else seat
    return tokens[ids] + seat + (table[segments] if part is None else part)


def pre_norm(x, attend, feed_forward, norm1, norm2):
    x = x + attend(norm1(x))
    return x + feed_forward(norm2(x))


def inner_norm(x, attend, feed_forward, norm1, norm2):
    x = x + norm1(attend(x))
    return x + norm2(feed_forward(x))


def post_norm(x, attend, feed_forward, norm1, norm2, back1=1, back2=1):
    a = norm1(back1 * x + attend(x))
    return norm2(back2 * a + feed_forward(a))


def differences(ours, reference, real=None):
    pairs = zip(ours, reference, strict=True)
    return [(a - b).abs()[... if real is None else real].max() for a, b in pairs]


def first(errors, atol):
    return next((i for i, error in enumerate(errors) if error > atol), -1)


WRONG_ANSWERS = {
    "encoder_is_bert.parameter-count": [
        (lambda c: count(c, pooler=True), "多数了池化层"),
        (lambda c: count(c, positions=False), "位置嵌入没有数"),
        (lambda c: count(c, layer_norm=False), "每层两次层归一化"),
        (lambda c: count(c) - c.num_layers * 2 * c.d_model, "不是一次"),
        (lambda c: count(c) - c.num_layers * (c.d_model + c.d_ff), "前馈网络的两个偏置"),
        (lambda c: count(c) - c.num_layers * c.d_model * c.d_ff, "有两个矩阵"),
        (
            lambda c: count(c) + c.num_layers * (c.num_heads - 1) * 4 * (c.d_model + 1) * c.d_model,
            "不必乘头数",
        ),
        (lambda c: count(c, layer_norm=False, embedding_norm=False), "嵌入之后一次，每层两次"),
        (lambda c: count(c, embedding_norm=False), "相加之后还有一次"),
        (lambda c: count(c, bias=False), "偏置没有数"),
        (lambda c: count(c, out=False), "四个投影"),
        (lambda c: count(c, layers=1), "只数了一层"),
        (lambda c: count(c) * 2, "逐项核对"),
        (lambda c: float(count(c)), "一个整数"),
    ],
    "encoder_is_bert.our-key": [
        (replaced_in_turn, "完整的名字"),
        (one_digit, "不止一位"),
        (lambda key: key, "EMBEDDING_NAMES"),
        (lambda key: "" if key.startswith("bert.") else our_name(key) or "", "要先去掉"),
        (lambda key: our_name(key) or key, "池化层不属于编码器"),
        (lambda key: (our_name(key) or "").replace("norm2", "norm1"), "两次层归一化"),
        (lambda key: (our_name(key) or "").removesuffix(".weight"), "EMBEDDING_NAMES"),
        (lambda key: [key], "一个字符串"),
        (our_name, "得到 None"),
        (lambda key: key if "position_ids" in key else our_name(key) or "", "一直数下去"),
    ],
    "encoder_is_bert.embeddings": [
        (lambda *args: summed(*args, part=0), "没有加段嵌入"),
        (lambda *args: summed(*args, seat=0), "没有加位置嵌入"),
        (lambda *args: summed(*args) - args[2][args[0]], "没有加词元嵌入"),
        (lambda *args: summed(*args, part=args[4][0]), "一律用了第 0 行"),
        (lambda *args: summed(*args, seat=args[3][args[0]]), "按词元的编号查了"),
        (lambda *args: summed(*args, seat=args[3][1:5]), "位置从 0 数起"),
        (lambda *args: summed(*args) / 3, "不是取平均"),
        (lambda *args: summed(*args) + args[2][args[0]], "√D"),
        (lambda *args: F.layer_norm(summed(*args), (4,)), "还没有到层归一化"),
        (lambda *args: summed(*args)[0], "形状应当是 (2, 4, 4)"),
        (lambda *args: -summed(*args), "三行之和"),
    ],
    "encoder_is_bert.post-norm-layer": [
        (pre_norm, "这是 pre-norm"),
        (inner_norm, "先相加，再归一化"),
        (lambda *args: post_norm(*args, back1=0), "第一个子层没有残差"),
        (lambda *args: post_norm(*args, back2=0), "第二个子层没有残差"),
        (lambda x, at, ff, n1, n2: n2(x + ff(n1(x + at(x)))), "最初的 x"),
        (lambda x, at, ff, n1, n2: n2(n1(x + at(x)) + ff(x)), "不是 x"),
        (lambda x, at, ff, n1, n2: post_norm(x, at, ff, n1, n1), "同一个 norm1"),
        (lambda x, at, ff, n1, n2: post_norm(x, at, ff, n2, n1), "用反了"),
        (lambda x, at, ff, n1, n2: n1(x + at(x)), "LN(A + FFN(A))"),
        (lambda x, at, ff, n1, n2: post_norm(x, at, ff, n1, lambda y: y), "第二次归一化漏了"),
        (lambda x, at, ff, n1, n2: post_norm(x, at, ff, lambda y: y, n2), "第一次归一化漏了"),
        (lambda *args: post_norm(*args, back1=0, back2=0), "都没有残差"),
        (lambda x, at, ff, n1, n2: post_norm(x, ff, at, n1, n2), "次序反了"),
        (lambda x, at, ff, n1, n2: post_norm(x, at, ff, n1, n2).mean(0), "形状应当是 (5, 4)"),
    ],
    "encoder_is_bert.first-wrong-layer": [
        (lambda a, b, real, atol: first(differences(a, b), atol), "填充"),
        (
            lambda a, b, real, atol: int(torch.tensor(differences(a, b, real)).argmax()),
            "不是差得最多的层",
        ),
        (lambda a, b, real, atol: first(differences(a, b, real), atol) + 1, "层从 0 数起"),
        (
            lambda a, b, real, atol: first([(x - y)[real].norm() for x, y in zip(a, b, strict=True)], atol),
            "加在一起",
        ),
        (lambda a, b, real, atol: [i for i, e in enumerate(differences(a, b, real)) if e > atol], "编号"),
        (lambda *args: i if (i := first(differences(*args[:3]), args[3])) >= 0 else None, "得到的是 None"),
        (lambda a, b, real, atol: max(first(differences(a, b, real), atol), 0), "返回 -1"),
        (lambda a, b, real, atol: first(differences(a, b, real), atol) - 3, "应当是 2"),
    ],
}
