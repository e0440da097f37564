"""每个模型都编译得成一张图：要看数的大小的检查，编译时让开，平时照样拦住坏输入。"""

import pytest
import torch
from samples import SOURCE, TARGET, classifier, language_model, pictures, sentences, shaken, transformer, vit
from torch.testing import assert_close

from course_lib.bert import Bert
from course_lib.config import BertConfig
from course_lib.tasks.jet_classifiers import DeepSets, FlatMLP, JetClassifier
from course_lib.tasks.jets import jets

pytestmark = pytest.mark.guards("course_lib/tasks/jets.py")

IDS, MASK = sentences()
JETS = jets(4)


def bert():
    return shaken(Bert(BertConfig(20, d_model=16, num_heads=2, d_ff=32, num_layers=2, max_len=9)))


def changed(x, value):
    """头一个数换成 value。"""
    x = x.clone()
    x.view(-1)[0] = value
    return x


NO_JET = torch.zeros_like(JETS.mask)
# 模型，输入，会被拦住的输入，拦住它的那句话
CASES = {
    "Bert": (bert, (IDS,), (changed(IDS, 20),), "词元编号 20 不在 0 到 19 之间"),
    "Bert，有填充": (bert, (IDS, MASK), (IDS, 2 * MASK), "只能含 0 和 1"),
    "Bert，句对": (bert, (IDS, MASK, MASK), (IDS, MASK, 2 * MASK), "段编号 2 不在 0 到 1 之间"),
    "Transformer": (transformer, (SOURCE, TARGET), (changed(SOURCE, 13), TARGET), "来源的编号 13 不在"),
    "Transformer，post": (
        lambda: transformer(norm_first=False),
        (SOURCE, TARGET),
        (SOURCE, changed(TARGET, -1)),
        "目标的编号 -1 不在 0 到 10 之间",
    ),
    "LanguageModel，Llama": (
        lambda: language_model("llama"),
        (IDS, MASK),
        (changed(IDS, 40), MASK),
        "词元编号 40 不在 0 到 39 之间",
    ),
    "LanguageModel，GPT": (lambda: language_model("gpt"), (IDS,), (IDS, 2 * MASK), "只能含 0 和 1"),
    "TextClassifier": (classifier, (IDS, MASK), (changed(IDS, -5), MASK), "词元编号 -5 不在"),
    "TextClassifier，平均": (
        lambda: classifier(pooling="mean"),
        (IDS, MASK),
        (IDS, MASK * torch.tensor([[1], [0], [1]])),
        "第 1 个序列全是填充",
    ),
    "VisionTransformer": (vit, (pictures(),), (changed(pictures(), torch.nan),), "NaN 或无穷"),
    "JetClassifier": (
        lambda: shaken(JetClassifier()),
        (JETS.features, JETS.mask),
        (JETS.features, NO_JET),
        "第 0 个喷注一个粒子也没有",
    ),
    "DeepSets": (
        lambda: shaken(DeepSets()),
        (JETS.features, JETS.mask),
        (changed(JETS.features, -1.0), JETS.mask),
        "第 0 个喷注的第 0 个粒子是",
    ),
    "FlatMLP": (
        lambda: shaken(FlatMLP()),
        (JETS.features, JETS.mask),
        (changed(JETS.features, torch.inf), JETS.mask),
        "第 0 个喷注的第 0 个粒子是",
    ),
}


@pytest.mark.parametrize("name", CASES)
@torch.no_grad()
def test_one_graph(name):
    make, good, bad, words = CASES[name]
    model = make()
    torch.compiler.reset()
    compiled = torch.compile(model, fullgraph=True, backend="eager")
    for got, expected in zip(leaves(compiled(*good)), leaves(model(*good)), strict=True):
        assert_close(got, expected)
    with pytest.raises(ValueError, match=words):
        model(*bad)


def leaves(output):
    return [output] if torch.is_tensor(output) else [part for part in output if part is not None]
