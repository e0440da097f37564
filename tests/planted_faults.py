"""种进库里的几处错，各由哪一章的哪一格发现；tests/text 查它们种得下去，tests/book 真的种下去。"""

from typing import NamedTuple


class Fault(NamedTuple):
    """一处错：file 里的 old 换成 new；cell（章#格）是发现它的格。"""

    file: str
    old: str
    new: str
    cell: str


FAULTS = {
    "注意力总是只看自己": Fault(
        "attention.py",
        "weights = scores.softmax(dim=-1)",
        "weights = torch.eye(*scores.shape[-2:]).expand_as(scores)",
        "scaled_dot_product_attention#parity",
    ),
    "装权重时键与值对调": Fault(
        "weights/names.py",
        '"attention.self.key": "self_attn.k_proj",\n    "attention.self.value": "self_attn.v_proj"',
        '"attention.self.key": "self_attn.v_proj",\n    "attention.self.value": "self_attn.k_proj"',
        "contextual_bank#parity",
    ),
    "词表只剩五个特殊词元": Fault(
        "weights/word_piece.py",
        "return dict(words)",
        'return {f"[{name}]": index for index, name in enumerate(("PAD", "UNK", "CLS", "SEP", "MASK"))}',
        "tokenization#real-tokenizer",
    ),
}
