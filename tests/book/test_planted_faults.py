"""在库的副本里种下一处错，至少有一章要发现它，而且是因为断言，不是因为报错；单元测试发现不发现，由 make mutate 来看。

每一处错只运行一章的开头，到点名的那一格为止：之前的格都要通过，那一格的断言要失败。
没有改动的库只对照一章；其余各章由 nbmake 从头到尾运行，本来就要通过。
"""

import os
import shutil
from pathlib import Path
from typing import NamedTuple

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).parents[2]


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
        "04_scaled_dot_product_attention#parity",
    ),
    "装权重时键与值对调": Fault(
        "weights/names.py",
        '"attention.self.key": "self_attn.k_proj",\n    "attention.self.value": "self_attn.v_proj"',
        '"attention.self.key": "self_attn.v_proj",\n    "attention.self.value": "self_attn.k_proj"',
        "12_contextual_bank#parity",
    ),
    "词表只剩五个特殊词元": Fault(
        "weights/word_piece.py",
        'vocab = {line.rstrip("\\n"): index for index, line in enumerate(lines)}',
        'vocab = {f"[{name}]": index for index, name in enumerate(("PAD", "UNK", "CLS", "SEP", "MASK"))}',
        "02_tokenization#real-tokenizer",
    ),
}

# 其余的由 make test-all 来种
MORE_FAULTS = {
    "填充掩码落在查询上": Fault(
        "attention.py",
        ".bool()[:, None, None, :]",
        ".bool()[:, None, :, None]",
        "03_embedding#padding-is-no-mask",
    ),
    "没有除以 √d": Fault(
        "attention.py",
        " / math.sqrt(query.size(-1))",
        "",
        "04_scaled_dot_product_attention#parity",
    ),
    "ε 加在根号外面": Fault(
        "layers.py",
        "torch.sqrt(variance + eps)",
        "(torch.sqrt(variance) + eps)",
        "08_residual_and_layer_norm#ln-parity",
    ),
    "词元嵌入没有装，留着随机数": Fault(
        "weights/audit.py",
        "for key, name in names.items():\n",
        'for key, name in ((k, n) for k, n in names.items() if n != "embeddings.tokens.weight"):\n',
        "03_embedding#padding-row",
    ),
    "最长匹配总是配不上": Fault(
        "tokenization.py",
        "for end in range(len(word), start, -1):",
        "for end in range(start, start, -1):",
        "02_tokenization#training-claims",
    ),
    "注意力总是平均": Fault(
        "attention.py",
        "weights = scores.softmax(dim=-1)",
        "weights = torch.full_like(scores, 1 / scores.size(-1))",
        "04_scaled_dot_product_attention#parity",
    ),
    "融合算子丢了掩码": Fault(
        "attention.py",
        "attn_mask=mask, dropout_p",
        "attn_mask=None, dropout_p",
        "05_attention_masks#padding-claims",
    ),
    "填充掩码反了": Fault(
        "attention.py",
        "return attention_mask.bool()",
        "return ~attention_mask.bool()",
        "05_attention_masks#without-claims",
    ),
    "因果掩码多看一个": Fault(
        "attention.py",
        ".tril(past)",
        ".tril(past + 1)",
        "05_attention_masks#module-claims",
    ),
    "键与值的投影对调": Fault(
        "attention.py",
        "self.split_heads(self.k_proj(key)), self.split_heads(self.v_proj(value))",
        "self.split_heads(self.v_proj(key)), self.split_heads(self.k_proj(value))",
        "06_multi_head_attention#parity-library",
    ),
    "分头时没有转置": Fault(
        "attention.py",
        "return x.unflatten(-1, (self.num_heads, self.d_head)).transpose(1, 2)",
        "return x.reshape(len(x), self.num_heads, -1, self.d_head)",
        "06_multi_head_attention#parity-library",
    ),
    "丢了残差": Fault(
        "encoder.py",
        "self.norm1, x + self.dropout(y)",
        "self.norm1, self.dropout(y)",
        "08_residual_and_layer_norm#source",
    ),
    "post-norm 在子层之前也归一化": Fault(
        "layers.py",
        "return norm(x) if self.norm_first else x",
        "return norm(x)",
        "08_residual_and_layer_norm#source",
    ),
    "正弦与余弦按位置的奇偶分": Fault(
        "layers.py",
        "torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)",
        "torch.where(position % 2 == 0, angle.sin(), angle.cos()).repeat_interleave(2, dim=-1)",
        "09_positional_encoding#parity",
    ),
    "平均池化把填充也数进去": Fault(
        "tasks/text_classifier.py",
        "/ real.sum(dim=1)",
        "/ hidden.size(1)",
        "11_cls_classification#pool-parity",
    ),
    "分类头读位置 1": Fault(
        "tasks/text_classifier.py",
        "return hidden[:, 0]",
        "return hidden[:, 1]",
        "11_cls_classification#epochs-claims",
    ),
    "交叉注意力读了别人的来源": Fault(
        "decoder.py",
        "self.cross_attn(y, memory, memory,",
        "self.cross_attn(y, memory.flip(0), memory.flip(0),",
        "14_decoder_and_cross_attention#writer-claims",
    ),
    "缓存里的位置少算一个": Fault(
        "transformer.py",
        "d_model), past)",
        "d_model), max(past - 1, 0))",
        "16_generation#greedy-by-hand",
    ),
    "图像块没有加位置": Fault(
        "vit.py",
        "self.dropout(x + self.positions)",
        "self.dropout(x)",
        "22_vision_transformer#module-equal",
    ),
}


def copy_library(folder, fault=None):
    """把库抄进 folder，种下 fault；返回让子进程与内核用这份副本的环境变量。"""
    for name in ("course_lib", "figures"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    if fault:
        path = folder / "course_lib" / fault.file
        text = path.read_text(encoding="utf8")
        assert text.count(fault.old) == 1, f"{fault.file} 里应当恰好有一处：{fault.old}"
        path.write_text(text.replace(fault.old, fault.new), encoding="utf8")
    return os.environ | {"PYTHONPATH": str(folder), "COURSE_BERT": "", "COURSE_LLM": ""}


def run_cells(env, cells):
    """在一个新内核里依次执行，返回在哪一格、因什么失败；都通过就是 (None, None)。"""
    current = None

    def started(cell, cell_index):
        nonlocal current
        current = cell.id

    notebook = nbformat.v4.new_notebook(cells=cells)
    place = {"metadata": {"path": str(ROOT / "chapters")}}
    quiet = ["--log-level=ERROR"]
    client = NotebookClient(
        notebook, timeout=180, resources=place, on_cell_start=started, extra_arguments=quiet
    )
    try:
        client.execute(env=env)
    except CellExecutionError as error:
        return current, error.ename
    return None, None


def opening(cell):
    """一章从头到点名的那一格。"""
    chapter, _, name = cell.partition("#")
    cells = nbformat.read(ROOT / "chapters" / f"{chapter}.ipynb", as_version=4).cells
    ids = [c.id for c in cells]
    return cells[: ids.index(name) + 1]


@pytest.mark.parametrize(
    "fault",
    [
        *(pytest.param(fault, id=name) for name, fault in FAULTS.items()),
        *(pytest.param(fault, id=name, marks=pytest.mark.thorough) for name, fault in MORE_FAULTS.items()),
    ],
)
def test_fault_is_noticed(fault, tmp_path):
    env = copy_library(tmp_path, fault)
    assert run_cells(env, opening(fault.cell)) == (fault.cell.partition("#")[2], "AssertionError")


def test_healthy_copy_passes(tmp_path):
    """没有改动的副本，一章的开头通过；用的确实是副本。"""
    env = copy_library(tmp_path)
    where = nbformat.v4.new_code_cell(
        f"import course_lib, pathlib\nassert pathlib.Path(course_lib.__file__).is_relative_to({str(tmp_path)!r})"
    )
    cells = opening(next(iter(FAULTS.values())).cell)
    assert run_cells(env, [*cells, where]) == (None, None)
