"""长短不一的一批怎样送进编码器：长度相近的放在一起算。"""

from collections.abc import Mapping

import torch
import torch.nn.functional as F
from torch import Tensor, nn


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
