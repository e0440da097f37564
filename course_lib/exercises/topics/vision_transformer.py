"""《视觉 Transformer》的练习。"""

import torch

from ...vit import patchify
from ..exercise import Exercise, Symptom


def rearranged(*order):
    """切好的块拆成块的行、列与块内的通道、行、列，换一种次序排。"""
    return lambda images, p: patchify(images, p).view(2, 2, 3, 3, 2, 2).permute(0, *order).reshape(2, 6, 12)


def tokens(patches, cls):
    return torch.cat([cls.expand(len(patches), -1, -1), patches], dim=1)


def size(image, patch, channels, d_model, d_ff, layers, classes):
    positions = (image // patch) ** 2 + 1
    layer = 4 * d_model**2 + 2 * d_model * d_ff + 9 * d_model + d_ff
    return (channels * patch**2 + positions + 4) * d_model + layers * layer + (d_model + 1) * classes


def less(part):
    return lambda *sizes: size(*sizes) - part(*sizes)


def blank(images, n, patch_size):
    row, column = divmod(n, images.size(3) // patch_size)
    images = images.clone()
    images[:, :, row * patch_size :, column * patch_size :][:, :, :patch_size, :patch_size] = 0
    return images


# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("vision_transformer.patchify",
        cases=lambda rng: [(rng.randn(2, 3, 4, 6), 2)],
        right=lambda images, patch_size: patchify(images, patch_size),
        wrong={
            "按内存的次序断行，一行是几条横线，不是方块；先把边拆成（块号，块内），再换次序。": lambda x, p: x.reshape(2, 6, 12),
            "转置之后再断行，得到的是竖条，不是方块；两条边都要拆成（块号，块内）。": lambda x, p: x.mT.reshape(2, 6, 12),
            "每块都对，但块是从上到下、再从左到右排的；应当先从左到右。": rearranged(2, 1, 3, 4, 5),
            "块是对的，块内的次序不对：这里是行、列、通道，卷积的权重却是通道、行、列。": rearranged(1, 2, 4, 5, 3),
            "块是对的，块内的行与列颠倒了：应当是通道、行、列。": rearranged(1, 2, 3, 5, 4),
        },
        otherwise="第 n 行应当是第 n 块的 C·P·P 个数，块内的次序是通道、行、列。",
        praise="同样的次序，过一个线性层就是步长为 P 的卷积。",
    ),
    Exercise("vision_transformer.embed",
        cases=lambda rng: [(rng.randn(2, 4, 3), rng.randn(1, 1, 3), rng.randn(1, 5, 3))],
        right=lambda patches, cls, positions: tokens(patches, cls) + positions,
        wrong={
            "[CLS] 没有接上，N 个块应当变成 N + 1 个词元。": Symptom(lambda x, cls, pos: x + pos[:, 1:]),
            "[CLS] 接在了末尾；应当接在最前面，分类头读的是第 0 个。": lambda x, cls, pos: tokens(x, cls).roll(-1, 1) + pos,
            "[CLS] 接上了，还没有加位置。": lambda x, cls, pos: tokens(x, cls),
            "[CLS] 也有自己的位置，是 positions 的第 0 行，这里没有加上。": lambda x, cls, pos: tokens(x + pos[:, 1:], cls),
            "位置的第 0 行是 [CLS] 的，这里加给了第 0 块，后面的都错了一位。": lambda x, cls, pos: tokens(x + pos[:, :-1], cls),
        },
        otherwise="先把 [CLS] 接在最前面，再把 N + 1 个位置加上去。",
        praise="N + 1 个词元，N + 1 个位置，每张图用的是同一个 [CLS]。",
    ),
    Exercise("vision_transformer.parameter-count",
        cases=lambda rng: [(224, 16, 3, 768, 3072, 12, 1000), (224, 16, 3, 1024, 4096, 24, 1000), (8, 2, 1, 32, 64, 2, 10)],
        right=size,
        wrong={
            "[CLS] 本身，或者它的位置，少算了一个 D。": less(lambda i, p, c, d, f, layers, k: d),
            "少了 2D：是不是漏了编码器末尾的层归一化，或者 [CLS] 与它的位置？": less(lambda i, p, c, d, f, layers, k: 2 * d),
            "每层有两个层归一化，各有 γ 与 β，共 4D 个参数。": less(lambda i, p, c, d, f, layers, k: layers * 4 * d),
            "线性层都有偏置：注意力 4D 个，前馈网络 F + D 个。": less(lambda i, p, c, d, f, layers, k: layers * (5 * d + f)),
            "层归一化没有算：每层两个，末尾还有一个，各有 γ 与 β。": less(lambda i, p, c, d, f, layers, k: (layers * 4 + 2) * d),
            "位置是学来的，也是参数，共 N + 1 行。": less(lambda i, p, c, d, f, layers, k: ((i // p) ** 2 + 1) * d),
            "分类头也要算：权重与偏置。": less(lambda i, p, c, d, f, layers, k: (d + 1) * k),
            "每块的像素有 C·P·P 个，别忘了通道数。": less(lambda i, p, c, d, f, layers, k: (c - 1) * p * p * d),
            "末尾的层归一化只有一个，不是每层一个。": less(lambda i, p, c, d, f, layers, k: (1 - layers) * 2 * d),
        },
        otherwise="逐项数：块的嵌入、[CLS]、位置、各层、末尾、分类头。",
        praise="ViT-B/16 与 ViT-L/16 的参数，一个也不差。",
    ),
    Exercise("vision_transformer.blank-patch",
        # 没有 0，清掉了哪里一看便知
        cases=lambda rng: [(rng.rand(2, 3, 8, 6) + 0.5, n, 2) for n in (0, 5, 10)],
        right=blank,
        wrong={
            "一个像素也没有清掉。": lambda images, n, p: images,
            "一批里的每张图都要清同一块。": lambda images, n, p: torch.cat([blank(images[:1], n, p), images[1:]]),
            "每个通道都要清。": lambda images, n, p: torch.cat([blank(images[:, :1], n, p), images[:, 1:]], dim=1),
            "清掉的不是第 n 块的 P×P 个像素：块从左到右、从上到下数，每行有 W/P 块，块号还要乘 P。":
                Symptom(lambda x, n, p: blank(x.mT, n, p).mT, lambda got, x, n, p: ((got == 0) | (got == x)).all()),
        },
        otherwise="有的像素既不是 0，也不是原来的值。",
        praise="遮住一块再看输出，就能量出这一块有多要紧。",
    ),
]
