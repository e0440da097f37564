"""视觉 Transformer（ViT）：把图像切成块，一块当一个词元，交给与文本相同的编码器。

形状字母：B 批大小，C 通道数，H、W 图像的高与宽，P 块的边长，N 块数，D 模型宽度 d_model。
"""

import torch
from torch import Tensor, nn

from .checks import check_images, check_patch_size
from .config import ViTConfig
from .encoder import Encoder, EncoderOutput


def patchify(images: Tensor, patch_size: int) -> Tensor:
    """把图像切成不重叠的块，每块拉成一行；块从左到右、从上到下排。

    一行里的次序是通道、行、列，与 `nn.Conv2d` 的权重相同，所以再过一个线性层，就等于步长为 P 的卷积。

    参数：images (B, C, H, W)；patch_size，P。返回：(B, N, C·P·P)，N = (H/P)·(W/P)。
    错误：不是四维，或者 H、W 不能被 P 整除时，抛出 `ValueError`。
    出处：Dosovitskiy et al., 2021, §3.1。
    """
    if images.dim() != 4:
        raise ValueError(f"images 的形状应当是 (B, C, H, W)，这里是 {tuple(images.shape)}。")
    rows, columns = (check_patch_size(length, patch_size) for length in images.shape[2:])
    x = images.unflatten(3, (columns, patch_size)).unflatten(2, (rows, patch_size))  # (B, C, 行, P, 列, P)
    return x.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)


class VisionTransformer(nn.Module):
    """ViT：块的嵌入 → 前面接上 `[CLS]` → 加学得的位置 → dropout → pre-norm 编码器 → 线性分类头读 `[CLS]`。

    返回的是 logits，不过 softmax。初值：`[CLS]` 与位置的标准差是 0.02，其余用 torch 的默认值。

    参数：config，`ViTConfig`。
    出处：Dosovitskiy et al., 2021, §3.1。
    """

    def __init__(self, config: ViTConfig):
        super().__init__()
        self.config = config
        # 核与步长都是 P 的卷积：每块的 C·P·P 个数乘同一个矩阵，块与块不重叠。
        size = config.patch_size
        self.patch_embedding = nn.Conv2d(config.channels, config.d_model, size, stride=size)
        self.cls_token = nn.Parameter(0.02 * torch.randn(1, 1, config.d_model))
        self.positions = nn.Parameter(0.02 * torch.randn(1, config.num_patches + 1, config.d_model))
        self.dropout = nn.Dropout(config.dropout)
        options = {"num_heads": config.num_heads, "d_ff": config.d_ff, "dropout": config.dropout}
        options |= {"norm_first": True, "layer_norm_eps": config.layer_norm_eps}
        self.encoder = Encoder(config.num_layers, config.d_model, **options)
        self.head = nn.Linear(config.d_model, config.num_classes) if config.num_classes else nn.Identity()

    def forward(self, images: Tensor) -> Tensor:
        """images (B, C, H, W) → logits (B, 类别数)；没有分类头时是 `[CLS]` 的向量 (B, D)。错误同 `embed`。"""
        return self.head(self.encode(images).last_hidden_state[:, 0])

    def encode(
        self, images: Tensor, output_hidden_states: bool = False, need_weights: bool = False
    ) -> EncoderOutput:
        """images (B, C, H, W) → `EncoderOutput`；词元共 N + 1 个，第 0 个是 `[CLS]`。错误同 `embed`。"""
        x = self.embed(images)
        return self.encoder(x, output_hidden_states=output_hidden_states, need_weights=need_weights)

    def embed(self, images: Tensor) -> Tensor:
        """images (B, C, H, W) → 编码器的输入 (B, N + 1, D)。

        错误：大小或通道数与配置不符、为空、含有 NaN 或无穷时抛出 `ValueError`；类型与权重不同时抛出 `TypeError`。
        """
        size = self.config.image_size
        check_images(images, (self.config.channels, size, size), self.cls_token.dtype)
        x = self.patch_embedding(images).flatten(2).mT  # (B, D, H/P, W/P) → (B, N, D)
        x = torch.cat([self.cls_token.expand(len(x), -1, -1), x], dim=1)  # 先接上 [CLS]，才有 N + 1 个
        return self.dropout(x + self.positions)
