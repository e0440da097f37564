"""BERT：三种嵌入之和，加上一个 post-norm 编码器。结构全部出自本课，权重可以是真实的。"""

import torch
from torch import Tensor, nn

from .attention import needed_padding_mask
from .checks import check_ids, check_length, check_shape
from .config import BertConfig
from .encoder import Encoder, EncoderOutput
from .weights import model_folder, open_bert


class BertEmbeddings(nn.Module):
    """词元嵌入 + 位置嵌入 + 段嵌入，再做一次层归一化。

    参数：config，`BertConfig`。
    错误：编号不在词表里、序列超过 max_len 或为空、段编号不合法时抛出 `ValueError`；编号不是整数时抛出 `TypeError`。
    出处：Devlin et al., 2019, §3 与图 2。
    """

    def __init__(self, config: BertConfig):
        super().__init__()
        self.tokens = nn.Embedding(config.vocab_size, config.d_model, padding_idx=config.pad_token_id)
        self.positions = nn.Embedding(config.max_len, config.d_model)
        self.segments = nn.Embedding(config.num_segments, config.d_model)
        self.norm = nn.LayerNorm(config.d_model, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, input_ids: Tensor, token_type_ids: Tensor | None = None) -> Tensor:
        """input_ids、token_type_ids (B, N)，整数 → (B, N, D)；不给 token_type_ids 就都算第 0 段。"""
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        check_ids(input_ids, self.tokens)
        check_length(input_ids.size(1), self.positions.num_embeddings)
        check_shape(token_type_ids, "token_type_ids", input_ids.shape, "input_ids")
        check_ids(token_type_ids, self.segments, "段编号")
        positions = torch.arange(input_ids.size(1), device=input_ids.device)
        x = self.tokens(input_ids) + self.positions(positions) + self.segments(token_type_ids)
        return self.dropout(self.norm(x))


class Bert(nn.Module):
    """BERT 编码器，不含池化层与预训练的输出头。

    参数：config，`BertConfig`。
    出处：Devlin et al., 2019, §3。
    """

    def __init__(self, config: BertConfig):
        super().__init__()
        self.config = config
        self.embeddings = BertEmbeddings(config)
        options = {"num_heads": config.num_heads, "d_ff": config.d_ff, "dropout": config.dropout}
        options |= {"activation": config.activation, "layer_norm_eps": config.layer_norm_eps}
        self.encoder = Encoder(config.num_layers, config.d_model, **options)

    @classmethod
    def from_pretrained(cls, name_or_path: str | None = None) -> "Bert":
        """装入真实权重，并处于 eval 状态。

        参数：name_or_path，本地文件夹、hub 上的名字，或 `weights.multilingual_bert()` 给的文件；不给就用环境变量 COURSE_BERT，再没有就用内置模型。
        错误：模型取不到、文件残缺或权重对不上时抛出 `PretrainedError`。
        """
        return open_bert(model_folder(name_or_path)).build(cls, initialise=True)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        output_hidden_states: bool = False,
        need_weights: bool = False,
    ) -> EncoderOutput:
        """input_ids、attention_mask、token_type_ids (B, N)；attention_mask 中 1 = 真实词元，0 = 填充。

        返回：`EncoderOutput`；hidden_states[0] 是嵌入层的输出。
        错误：attention_mask 与 input_ids 形状不同时抛出 `ValueError`；其余见 `BertEmbeddings`。
        """
        x = self.embeddings(input_ids, token_type_ids)
        mask = needed_padding_mask(attention_mask, input_ids.shape, "input_ids")
        return self.encoder(x, mask, output_hidden_states, need_weights)
