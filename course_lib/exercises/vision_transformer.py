"""《视觉 Transformer》的练习。"""

import torch

from .. import vit
from .registry import is_close, register, require, require_shape, run


@register("vision_transformer.patchify")
def patchify(answer):
    images = torch.randn(2, 3, 4, 6)
    got = run(answer, images, 2)
    require_shape(got, (2, 6, 12), "结果")
    require(
        not is_close(got, images.reshape(2, 6, 12)),
        "这是按内存里的次序重新断行：一行里是同一通道的几条横线，不是一个方块；要先把边拆成（块号，块内），再换维度的次序。",
    )
    require(
        not is_close(got, images.mT.reshape(2, 6, 12)),
        "转置之后再断行，得到的是竖条，不是方块；两条边都要拆成（块号，块内）。",
    )
    expected = vit.patchify(images, 2)
    grid = expected.view(2, 2, 3, 3, 2, 2)
    require(
        not is_close(got, grid.transpose(1, 2).reshape(2, 6, 12)),
        "每块都对，但块是从上到下、再从左到右排的；应当先从左到右。",
    )
    require(
        not is_close(got, grid.movedim(3, 5).reshape(2, 6, 12)),
        "块是对的，块内的次序不对：这里是行、列、通道，卷积的权重却是通道、行、列。",
    )
    require(
        not is_close(got, grid.mT.reshape(2, 6, 12)), "块是对的，块内的行与列颠倒了：应当是通道、行、列。"
    )
    require(is_close(got, expected), "第 n 行应当是第 n 块的 C·P·P 个数，块内的次序是通道、行、列。")
    return "同样的次序，过一个线性层就是步长为 P 的卷积。"


@register("vision_transformer.embed")
def embed(answer):
    patches, cls, positions = torch.randn(2, 4, 3), torch.randn(1, 1, 3), torch.randn(1, 5, 3)
    got = run(answer, patches, cls, positions)
    require(
        not (isinstance(got, torch.Tensor) and tuple(got.shape) == (2, 4, 3)),
        "还是 4 个词元：[CLS] 没有接上，N 个块应当变成 N + 1 个词元。",
    )
    require_shape(got, (2, 5, 3), "结果")
    every = cls.expand(2, 1, 3)
    require(
        not is_close(got, torch.cat([patches, every], dim=1) + positions),
        "[CLS] 接在了末尾；应当接在最前面，分类头读的是第 0 个。",
    )
    require(not is_close(got, torch.cat([every, patches], dim=1)), "[CLS] 接上了，还没有加位置。")
    require(
        not is_close(got, torch.cat([every, patches + positions[:, 1:]], dim=1)),
        "[CLS] 也有自己的位置，是 positions 的第 0 行，这里没有加上。",
    )
    require(
        not is_close(got, torch.cat([every, patches + positions[:, :-1]], dim=1)),
        "位置的第 0 行是 [CLS] 的，这里加给了第 0 块，后面的都错了一位。",
    )
    require(
        is_close(got, torch.cat([every, patches], dim=1) + positions),
        "先把 [CLS] 接在最前面，再把 N + 1 个位置加上去。",
    )
    return "N + 1 个词元，N + 1 个位置，每张图用的是同一个 [CLS]。"


@register("vision_transformer.parameter-count")
def parameter_count(answer):
    for sizes in (
        (224, 16, 3, 768, 3072, 12, 1000),
        (224, 16, 3, 1024, 4096, 24, 1000),
        (8, 2, 1, 32, 64, 2, 10),
    ):
        image, patch, channels, d, f, layers, classes = sizes
        got = int(run(answer, *sizes))
        n = (image // patch) ** 2
        pixels = channels * patch * patch
        exact = (
            pixels * d
            + d
            + d
            + (n + 1) * d
            + layers * (4 * d * d + 2 * d * f + 9 * d + f)
            + 2 * d
            + d * classes
            + classes
        )
        asked = f"尺寸为 {sizes} 时得到 {got}"
        hints = {
            exact - d: "[CLS] 本身，或者它的位置，少算了一个 D。",
            exact - 2 * d: "少了 2D：是不是漏了编码器末尾的层归一化，或者 [CLS] 与它的位置？",
            exact - layers * 4 * d: "每层有两个层归一化，各有 γ 与 β，共 4D 个参数。",
            exact - layers * (5 * d + f): "线性层都有偏置：注意力 4D 个，前馈网络 F + D 个。",
            exact - layers * 4 * d - 2 * d: "层归一化没有算：每层两个，末尾还有一个，各有 γ 与 β。",
            exact - (n + 1) * d: "位置是学来的，也是参数，共 N + 1 行。",
            exact - d * classes - classes: "分类头也要算：权重与偏置。",
            exact - (channels - 1) * patch * patch * d: "每块的像素有 C·P·P 个，别忘了通道数。",
            exact + (layers - 1) * 2 * d: "末尾的层归一化只有一个，不是每层一个。",
        }  # fmt: skip
        require(got == exact or got not in hints, f"{asked}。{hints.get(got)}")
        require(
            got == exact,
            f"{asked}，与真实的差 {got - exact}；逐项数：块的嵌入、[CLS]、位置、各层、末尾、分类头。",
        )
    return "ViT-B/16 与 ViT-L/16 的参数，一个也不差。"


@register("vision_transformer.blank-patch")
def blank_patch(answer):
    images = torch.rand(2, 3, 8, 6) + 0.5  # 没有 0，清掉了哪里一看便知
    for n in (0, 5, 10):
        got = run(answer, images, n, 2)
        require_shape(got, (2, 3, 8, 6), "结果")
        asked = f"8×6 的图、2×2 的块，清掉第 {n} 块时，"
        cleared, kept = got == 0, got == images
        require((cleared | kept).all(), f"{asked}有的像素既不是 0，也不是原来的值。")
        require(not kept.all(), f"{asked}一个像素也没有清掉。")
        require(cleared.all(dim=0).equal(cleared.any(dim=0)), f"{asked}一批里的每张图都要清同一块。")
        require(cleared.all(dim=1).equal(cleared.any(dim=1)), f"{asked}每个通道都要清。")
        counted = int(cleared[0, 0].sum())
        require(counted == 4, f"{asked}清掉了 {counted} 个像素，应当是 P×P = 4 个。")
        row, column = (int(i) for i in cleared[0, 0].nonzero()[0])
        wanted = (n // 3 * 2, n % 3 * 2)
        require(
            (row, column) == wanted,
            f"{asked}清掉的块从第 {row} 行第 {column} 列开始，应当从第 {wanted[0]} 行第 {wanted[1]} 列开始："
            f"块从左到右、从上到下数，每行有 W/P = 3 块。",
        )
        block = got[:, :, wanted[0] : wanted[0] + 2, wanted[1] : wanted[1] + 2]
        require((block == 0).all(), f"{asked}清掉的四个像素不成一个方块。")
    return "遮住一块再看输出，就能量出这一块有多要紧。"
