import torch
import torch.nn.functional as F

from course_lib.vit import patchify


def unfold(images, patch_size):
    return F.unfold(images, patch_size, stride=patch_size).mT


def count(image, patch, channels, d, f, layers, classes):
    n = (image // patch) ** 2
    embedding = channels * patch * patch * d + d + d + (n + 1) * d
    return embedding + layers * (4 * d * d + 2 * d * f + 9 * d + f) + 2 * d + (d + 1) * classes


def less(part):
    """少数了一项的参数量。"""
    return lambda *sizes: count(*sizes) - part(*sizes)


def blank(images, top, left, patch_size):
    images = images.clone()
    images[:, :, top : top + patch_size, left : left + patch_size] = 0
    return images


def every(cls, patches):
    return cls.expand(len(patches), -1, -1)


WRONG_ANSWERS = {
    "vision_transformer.patchify": [
        (lambda x, p: x.reshape(len(x), -1, 3 * p * p), "按内存里的次序"),
        (lambda x, p: x.mT.reshape(len(x), -1, 3 * p * p), "竖条"),
        (lambda x, p: unfold(x.mT, p).view(2, 6, 3, 2, 2).mT.reshape(2, 6, 12), "先从左到右"),
        (lambda x, p: unfold(x, p).view(2, 6, 3, 4).mT.reshape(2, 6, 12), "行、列、通道"),
        (lambda x, p: unfold(x, p).view(2, 6, 3, 2, 2).mT.reshape(2, 6, 12), "行与列颠倒"),
        (lambda x, p: F.unfold(x, p, stride=p), "(2, 6, 12)"),
        (lambda x, p: unfold(x, p).flip(1), "第 n 块的 C·P·P 个数"),
    ],
    "vision_transformer.embed": [
        (lambda x, cls, pos: x + pos[:, 1:], "没有接上"),
        (lambda x, cls, pos: torch.cat([x, every(cls, x)], 1) + pos, "接在了末尾"),
        (lambda x, cls, pos: torch.cat([every(cls, x), x], 1), "还没有加位置"),
        (lambda x, cls, pos: torch.cat([every(cls, x), x + pos[:, 1:]], 1), "也有自己的位置"),
        (lambda x, cls, pos: torch.cat([every(cls, x), x + pos[:, :-1]], 1), "错了一位"),
        (lambda x, cls, pos: torch.cat([every(cls, x), x], 1) * pos, "加上去"),
        (lambda x, cls, pos: x + pos, "RuntimeError"),
    ],
    "vision_transformer.parameter-count": [
        (less(lambda i, p, c, d, f, layers, k: d), "少算了一个 D"),
        (less(lambda i, p, c, d, f, layers, k: 2 * d), "末尾的层归一化"),
        (less(lambda i, p, c, d, f, layers, k: layers * 4 * d), "共 4D 个参数"),
        (less(lambda i, p, c, d, f, layers, k: layers * (5 * d + f)), "都有偏置"),
        (less(lambda i, p, c, d, f, layers, k: (layers * 4 + 2) * d), "层归一化没有算"),
        (less(lambda i, p, c, d, f, layers, k: ((i // p) ** 2 + 1) * d), "也是参数"),
        (less(lambda i, p, c, d, f, layers, k: (d + 1) * k), "分类头也要算"),
        (less(lambda i, p, c, d, f, layers, k: (c - 1) * p * p * d), "别忘了通道数"),
        (less(lambda i, p, c, d, f, layers, k: -(layers - 1) * 2 * d), "只有一个"),
        (lambda *sizes: 86_000_000, "逐项数"),
    ],
    "vision_transformer.blank-patch": [
        (lambda x, n, p: x, "一个像素也没有清掉"),
        (lambda x, n, p: x - 1, "既不是 0"),
        (lambda x, n, p: blank(x, n // 4 * p, n % 4 * p, p), "应当从第 2 行第 4 列开始"),
        (lambda x, n, p: blank(x, n % 3 * p, n // 3 * p, p), "从第 4 行第 2 列开始，应当"),
        (lambda x, n, p: blank(x, n // 3, n % 3, p), "从第 1 行第 2 列开始，应当"),
        (lambda x, n, p: blank(x, n // 3 * p, n % 3 * p, 1), "清掉了 1 个像素"),
        (lambda x, n, p: torch.cat([blank(x[:1], n // 3 * p, n % 3 * p, p), x[1:]]), "每张图"),
        (lambda x, n, p: torch.cat([blank(x[:, :1], n // 3 * p, n % 3 * p, p), x[:, 1:]], 1), "每个通道"),
        (lambda x, n, p: patchify(x, p), "(2, 3, 8, 6)"),
    ],
}
