"""几个测试文件共用的模型与输入：都很小，参数全随机，种子固定。"""

from functools import cache

import torch
from torch import nn

from course_lib.bert import Bert
from course_lib.config import LanguageModelConfig, TransformerConfig, ViTConfig
from course_lib.language_model import LanguageModel
from course_lib.tasks.text_classifier import TextClassifier
from course_lib.transformer import Transformer
from course_lib.vit import VisionTransformer
from course_lib.weights import load_bert


def shaken(module: nn.Module, seed=0) -> nn.Module:
    """所有参数都随机，包括 γ、β 与偏置；默认的 1 和 0 会藏住接错线的错误。"""
    g = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(torch.randn(p.shape, generator=g) * 0.3 + (p.mean() if p.dim() == 1 else 0))
    return module.eval()


@cache
def bert_pair():
    """内置模型的分词器、Hugging Face 的参考实现与我们的 `Bert`；谁也不许改动它们。"""
    return *load_bert(), Bert.from_pretrained()


# ---- 编码器-解码器

PAD = 0
SOURCE = torch.tensor([[4, 9, 12, 0, 0], [3, 3, 5, 8, 10]])
TARGET = torch.tensor([[1, 4, 10, 7], [1, 3, 2, 0]])


def transformer(norm_first=True, **options):
    config = TransformerConfig(
        13, 11, **{"d_model": 12, "num_heads": 3, "d_ff": 20, "num_layers": 2, "max_len": 9} | options,
        norm_first=norm_first,
    )  # fmt: skip
    return shaken(Transformer(config))


def lively(norm_first=True) -> Transformer:
    """写得出花样的模型：不放大，随机的权重几乎只会重复同一个词元，什么错也查不出来。"""
    torch.manual_seed(0)
    model = shaken(transformer(norm_first), seed=2).requires_grad_(False)
    for p in model.decoder.layers.parameters():
        if p.dim() == 2:
            p *= 4
    model.target_embedding.weight *= 0.6
    return model


def ragged(count=10, vocab=13, longest=6) -> torch.Tensor:
    """长短不一的来源，右边补填充。"""
    g = torch.Generator().manual_seed(0)
    ids = torch.randint(3, vocab, (count, longest), generator=g)
    lengths = torch.arange(count) % longest + 1
    return ids.masked_fill(torch.arange(longest) >= lengths[:, None], PAD)


# ---- 只有解码器的语言模型


@cache
def language_model(kind: str) -> LanguageModel:
    """ "llama"：六个查询头，两个键值头；"gpt"：各六个。谁也不许改动它们。"""
    sizes = {"vocab_size": 40, "d_model": 24, "num_heads": 6, "num_layers": 3, "d_ff": 20, "max_len": 16}
    config = (
        LanguageModelConfig.gpt(**sizes) if kind == "gpt" else LanguageModelConfig(**sizes, num_kv_heads=2)
    )
    return shaken(LanguageModel(config))


# ---- 文本分类


def classifier(**options) -> TextClassifier:
    torch.manual_seed(0)
    options = {"d_model": 16, "num_heads": 2, "num_layers": 2, "d_ff": 32} | options
    return TextClassifier(20, **options).eval()


def sentences() -> tuple[torch.Tensor, torch.Tensor]:
    """三句长短不一的编号 (3, 7)，与它们的 attention_mask。"""
    torch.manual_seed(1)
    mask = (torch.arange(7) < torch.tensor([[7], [5], [2]])).long()
    return torch.randint(1, 20, (3, 7)) * mask, mask


# ---- 图像

VIT = {
    "image_size": 12,
    "patch_size": 4,
    "channels": 3,
    "d_model": 16,
    "num_heads": 4,
    "d_ff": 24,
    "num_layers": 3,
    "num_classes": 5,
}


def vit(**options) -> VisionTransformer:
    return shaken(VisionTransformer(ViTConfig(**VIT | options)))


def pictures(count=2, seed=0) -> torch.Tensor:
    return torch.randn(count, 3, 12, 12, generator=torch.Generator().manual_seed(seed))
