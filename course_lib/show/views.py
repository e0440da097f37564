"""看注意力：bertviz 的三种视图，输出自带全部脚本，断网也能显示。"""

import operator
import warnings

import bertviz
import bertviz.neuron_view
import torch
from IPython.display import HTML, display

from .frames import offline_frame

LONG = 40  # 词元再多，一个视图就有好几 MB，手机打不开


def head_view(model, tokenizer, sentence_a, sentence_b=None, layer=None, heads=None, include_layers=None):
    """头视图：一层之内，每个头用一种颜色画出词元之间的注意力。

    `model`、`tokenizer` 是 `weights.load_bert` 给的一对；`sentence_b` 给出时按句对输入。
    `layer`、`heads` 是一开始选中的层与头，`include_layers` 是页面里保留的层，都从 0 数起。

    错误：句子为空或过长、层或头不存在、模型不返回注意力时，抛出 `ValueError`。
    出处：Vig, 2019, §3（bertviz）。
    """
    config = model.config
    layers = _indices("include_layers", include_layers, config.num_hidden_layers)
    if layer is not None and layer not in layers:
        raise ValueError(f"layer={layer!r} 不在保留的层 {layers} 之中（从 0 数起）。")
    if heads is not None:
        heads = _indices("heads", heads, config.num_attention_heads)
    data = _attention(model, tokenizer, sentence_a, sentence_b)
    page = bertviz.head_view(
        **data,
        layer=None if layer is None else int(layer),
        heads=heads,
        include_layers=layers,
        html_action="return",
    ).data
    _show("头视图", page, max(350, 20 * config.num_attention_heads), sentence_a, sentence_b)


def model_view(model, tokenizer, sentence_a, sentence_b=None, include_layers=None, include_heads=None):
    """模型视图：每行一层、每列一个头的缩略图，点一格看细节。

    参数与错误同 `head_view`；`include_layers`、`include_heads` 是保留的层与头，从 0 数起。
    """
    config = model.config
    layers = _indices("include_layers", include_layers, config.num_hidden_layers)
    heads = _indices("include_heads", include_heads, config.num_attention_heads)
    data = _attention(model, tokenizer, sentence_a, sentence_b)
    page = bertviz.model_view(
        **data, include_layers=layers, include_heads=heads, display_mode="light", html_action="return"
    ).data
    _show("模型视图", page, 970, sentence_a, sentence_b)


def neuron_view(model, tokenizer, sentence_a, sentence_b=None, layer=None, head=None):
    """神经元视图：一个头里，查询与键逐个分量相乘、相加、再过 softmax 的经过。

    参数与错误同 `head_view`；`layer`、`head` 是一开始选中的层与头，从 0 数起。
    """
    config = model.config
    (layer,) = _indices("layer", [layer or 0], config.num_hidden_layers)
    (head,) = _indices("head", [head or 0], config.num_attention_heads)
    _encode(model, tokenizer, sentence_a, sentence_b)
    page = bertviz.neuron_view.show(
        QueriesAndKeys(model),
        "bert",
        tokenizer,
        sentence_a,
        sentence_b,
        display_mode="light",
        layer=layer,
        head=head,
        html_action="return",
    ).data
    _show("神经元视图", page, 440, sentence_a, sentence_b)


class QueriesAndKeys:
    """让 Hugging Face 的 BERT 按 bertviz 神经元视图的约定交出查询、键与注意力。

    调用返回只有一个元素的元组：每层一个字典，`attn` (1, h, N, N)，`queries` 与 `keys` (1, h, N, d)。
    """

    def __init__(self, model):
        self.model = model

    def eval(self):
        return self.model.eval()

    def __call__(self, input_ids, token_type_ids=None):
        base, caught, hooks = self.model.base_model, [], []
        for block in base.encoder.layer:
            vectors = {}
            caught.append(vectors)
            for name, linear in [("queries", block.attention.self.query), ("keys", block.attention.self.key)]:
                hooks.append(linear.register_forward_hook(self._catch(vectors, name)))
        try:
            attentions = _forward(base, input_ids=input_ids, token_type_ids=token_type_ids)
        finally:
            for hook in hooks:
                hook.remove()
        return ([{"attn": attn, **vectors} for attn, vectors in zip(attentions, caught, strict=True)],)

    def _catch(self, vectors, name):
        def hook(linear, args, output):
            heads = output.detach().unflatten(-1, (self.model.config.num_attention_heads, -1))
            vectors[name] = heads.transpose(1, 2).float().cpu()

        return hook


def _indices(name, chosen, count):
    try:  # argmax 给的是 numpy 或 torch 的整数，bertviz 要的是 Python 的
        indices = list(range(count)) if chosen is None else [operator.index(i) for i in chosen]
    except TypeError:
        indices = []
    if not indices or any(i not in range(count) for i in indices):
        raise ValueError(f"{name}={chosen}：应当是一列 0 到 {count - 1} 之间的编号，至少一个。")
    return indices


def _encode(model, tokenizer, sentence_a, sentence_b):
    sentences = {"sentence_a": sentence_a}
    if sentence_b is not None:
        sentences["sentence_b"] = sentence_b
    for name, sentence in sentences.items():
        if not isinstance(sentence, str) or not sentence.strip():
            raise ValueError(f"{name}={sentence!r}：这里要一个非空的句子（字符串）。")
    inputs = tokenizer(sentence_a, sentence_b, return_tensors="pt")
    n, limit = inputs["input_ids"].shape[1], model.config.max_position_embeddings
    if n > limit:
        raise ValueError(f"句子切成了 {n} 个词元，超过了模型的上限 {limit}：请把它截短。")
    if n > LONG:
        warnings.warn(
            f"句子切成了 {n} 个词元，超过 {LONG} 个时页面会有好几 MB：请换短一些的句子，或用 include_layers 只留几层。",
            stacklevel=3,
        )
    return inputs


@torch.no_grad()
def _forward(model, **inputs):
    if model.training:
        raise ValueError("模型在训练模式，dropout 会让每次的注意力都不同：请先调用 model.eval()。")
    inputs = {name: ids.to(model.device) for name, ids in inputs.items() if ids is not None}
    attentions = model(**inputs, output_attentions=True).attentions or ()
    if len(attentions) != model.config.num_hidden_layers or any(attn is None for attn in attentions):
        raise ValueError(
            '模型没有返回注意力：请用 AutoModel.from_pretrained(..., attn_implementation="eager") 装入它，'
            "或直接用 course_lib.weights 的 load_bert。"
        )
    return [attn.float().cpu() for attn in attentions]


def _attention(model, tokenizer, sentence_a, sentence_b):
    inputs = _encode(model, tokenizer, sentence_a, sentence_b)
    return {
        "attention": _forward(model.base_model, **inputs),
        "tokens": tokenizer.convert_ids_to_tokens(inputs["input_ids"][0]),
        "sentence_b_start": None if sentence_b is None else int((inputs["token_type_ids"][0] == 0).sum()),
    }


def _show(kind, page, width, sentence_a, sentence_b):
    sentences = sentence_a if sentence_b is None else f"{sentence_a} / {sentence_b}"
    display(HTML(offline_frame(page, width, title=f"{kind}：{sentences}")))
