import torch

from course_lib.layers import sinusoidal_encoding


def angles(positions, d_model):
    return positions[:, None] * 10000 ** (-torch.arange(0, d_model, 2) / d_model)


def interleave(a, b):
    return torch.stack([a, b], dim=-1).flatten(1)


def every_column(positions, d_model):
    angle = positions[:, None] * 10000 ** (-torch.arange(d_model) / d_model)
    return torch.where(torch.arange(d_model) % 2 == 0, angle.sin(), angle.cos())


def by_position(positions, d_model):
    angle = angles(positions, d_model).repeat_interleave(2, 1)
    return torch.where(positions[:, None] % 2 == 0, angle.sin(), angle.cos())


def slow(positions, d_model):
    angle = positions[:, None] * 10000 ** (-torch.arange(d_model // 2) / d_model)
    return interleave(angle.sin(), angle.cos())


def slowest(row):
    return 10000 ** (-(len(row) - 2) / len(row))


def same_after(f, x, order, compare=torch.allclose):
    return bool(compare(f(x[order]), f(x)[order]))


def close(a, b):
    return torch.allclose(a, b, atol=1e-5)


SWAP, ROLL, FLIP = [1, 0, 2, 3, 4, 5], [5, 0, 1, 2, 3, 4], [5, 4, 3, 2, 1, 0]

WRONG_ANSWERS = {
    "positional_encoding.encode": [
        (lambda p, d: torch.cat([angles(p, d).sin(), angles(p, d).cos()], dim=-1), "前一半正弦"),
        (lambda p, d: interleave(angles(p, d).cos(), angles(p, d).sin()), "正弦与余弦对调"),
        (every_column, "每一列各用了一个频率"),
        (by_position, "奇偶说的是特征维"),
        (slow, "少了因子 2"),
        (lambda p, d: angles(p, d).sin().repeat_interleave(2, 1), "两列都是正弦"),
        (lambda p, d: sinusoidal_encoding(len(p), d), "没有用给你的位置"),
        (lambda p, d: sinusoidal_encoding(101, d)[p.long()], "被取整了"),
        (lambda p, d: interleave(angles(p + 1, d).sin(), angles(p + 1, d).cos()), "与公式不符"),
        (lambda p, d: angles(p, d).sin(), "形状应当是 (6, 8)"),
    ],
    "positional_encoding.read-position": [
        (lambda row: torch.atan2(row[0], row[1]), "最快的一对"),
        (lambda row: torch.atan2(row[-2], row[-1]), "还要除以它的频率"),
        (lambda row: torch.atan2(row[-1], row[-2]) / slowest(row), "atan2(正弦, 余弦)"),
        (lambda row: torch.atan2(row[-2], row[-1]) * 10000, "不是 1/10000"),
        (lambda row: row[-2] / slowest(row), "约等于角度"),
        (lambda row: row[-1].acos() / slowest(row), "反余弦放大"),
        (lambda row: row.argmax(), "转过的角度除以"),
        (lambda row: row, "应当返回一个数"),
    ],
    "positional_encoding.is-equivariant": [
        (lambda f, x: bool(torch.allclose(f(x[SWAP]), f(x), atol=1e-5)), "检验的是不变"),
        (lambda f, x: False, "它不变，也就等变"),
        (lambda f, x: True, "“加上位置编码”判错了"),
        (lambda f, x: same_after(f, x, ROLL) and same_after(f, x, FLIP), "谁与谁相邻"),
        (lambda f, x: same_after(f, x, SWAP), "只交换头两行"),
        (lambda f, x: same_after(f, x, [2, 0, 3, 1, 5, 4], close), "只试了一种重排"),
        (lambda f, x: f(x), "应当返回 True 或 False"),
    ],
    "positional_encoding.position-ids": [
        (lambda mask: torch.arange(mask.size(1)).expand_as(mask), "没有理会填充"),
        (lambda mask: torch.arange(mask.size(1)) * mask, "仍从填充数起"),
        (lambda mask: mask.cumsum(1) * mask, "多了 1"),
        (lambda mask: mask.cumsum(1) - 1, "出现了 -1"),
        (lambda mask: (mask.cumsum(1) - 1).masked_fill(mask == 0, 1), "填充处应当是 0"),
        (lambda mask: (mask.cumsum(1) - 1).clamp(min=0).float(), "应当是整数"),
        (lambda mask: mask.flip(1).cumsum(1).flip(1) * mask - mask, "逐个加一"),
    ],
}
