"""BERT：三种嵌入之和，加上一个 post-norm 编码器。结构全部出自本课，权重可以是真实的。"""

from collections.abc import Mapping

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .attention import padding_mask
from .config import BertConfig
from .encoder import Encoder, EncoderOutput
from .layers import check_ids
from .weights import load_weights, model_folder, read_config


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
        self._check(input_ids, token_type_ids)
        positions = torch.arange(input_ids.size(1), device=input_ids.device)
        x = self.tokens(input_ids) + self.positions(positions) + self.segments(token_type_ids)
        return self.dropout(self.norm(x))

    def _check(self, input_ids: Tensor, token_type_ids: Tensor) -> None:
        check_ids(input_ids, self.tokens)
        if input_ids.size(1) > self.positions.num_embeddings:
            raise ValueError(
                f"序列有 {input_ids.size(1)} 个词元，超过了 max_len={self.positions.num_embeddings}，请先截断或分段。"
            )
        if token_type_ids.shape != input_ids.shape:
            raise ValueError(
                f"token_type_ids 的形状 {tuple(token_type_ids.shape)} 应与 input_ids 的 {tuple(input_ids.shape)} 相同。"
            )
        check_ids(token_type_ids, self.segments, "段编号")


class Bert(nn.Module):
    """BERT 编码器，不含池化层与预训练的输出头。

    参数：config，`BertConfig`。
    出处：Devlin et al., 2019, §3。
    """

    def __init__(self, config: BertConfig):
        super().__init__()
        self.config = config
        self.embeddings = BertEmbeddings(config)
        self.encoder = Encoder(
            config.num_layers,
            config.d_model,
            num_heads=config.num_heads,
            d_ff=config.d_ff,
            dropout=config.dropout,
            activation=config.activation,
            layer_norm_eps=config.layer_norm_eps,
        )

    @classmethod
    def from_pretrained(cls, name_or_path: str | None = None) -> "Bert":
        """装入真实权重，并处于 eval 状态。

        参数：name_or_path，本地文件夹或 hub 上的名字；不给就用环境变量 COURSE_BERT，再没有就用内置模型。
        错误：模型取不到、文件残缺或权重对不上时抛出 `PretrainedError`。
        """
        folder = model_folder(name_or_path)
        model = cls(read_config(folder))
        load_weights(model, folder)
        return model.eval()

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
        mask = None
        if attention_mask is not None:
            if attention_mask.shape != input_ids.shape:
                raise ValueError(
                    f"attention_mask 的形状 {tuple(attention_mask.shape)} "
                    f"应与 input_ids 的 {tuple(input_ids.shape)} 相同。"
                )
            mask = padding_mask(attention_mask)
            # 没有填充就不带掩码：带着它，融合算子每一层都要先把它换成浮点数；编译时不看，看了就要切断编译的图
            if not torch.compiler.is_compiling() and mask.all():
                mask = None
        return self.encoder(x, mask, output_hidden_states, need_weights)


def encode_by_length(model: nn.Module, inputs: Mapping[str, Tensor], rows: int = 4) -> Tensor:
    """长短不一的一批：按长度排好，一次只算长度相近的 rows 句；补齐的少了，算的也就少了。

    参数：model，`Bert` 或 Hugging Face 的编码器；inputs，分词器给的 input_ids、attention_mask 等，各 (B, N)，填充在右；
    rows，一次算几句：越小填充越少，可是矩阵也越小，太小了反而慢。
    返回：last_hidden_state，(B, N, D)；真实词元上与 `model(**inputs)` 相同，填充位置上的数没有意义。
    错误：填充不在右边，或 rows < 1 时抛出 `ValueError`。
    """
    mask = inputs["attention_mask"].bool()
    lengths = mask.sum(dim=1)
    n = mask.size(1)
    if rows < 1:
        raise ValueError(f"rows={rows}：一次至少算一句。")
    if not torch.equal(mask, torch.arange(n, device=mask.device) < lengths[:, None]):
        raise ValueError("按长度分组要求填充都在右边，请让分词器用 padding_side='right'。")
    order = lengths.argsort()
    parts = []
    for chosen in order.split(rows):
        longest = int(lengths[chosen[-1]])  # 排好了，最后一句最长
        group = {name: part[chosen, :longest] for name, part in inputs.items()}
        parts.append(F.pad(model(**group).last_hidden_state, (0, 0, 0, n - longest)))
    return torch.cat(parts)[order.argsort()]  # 排序的排序：各句回到原来的行
