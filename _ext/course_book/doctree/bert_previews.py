"""“打开 BERT”的面板，还没有打开时摆着的样子：成书时由内置的 BERT 算出面板自己的句子，写进面板的 data-preview；
整页的 data-zh 里，是换成多语 BERT 时摆着的，写法与网址里的一样，算出的写进 data-preview-zh。

一句一份：词元、编号，再看面板里画什么：有注意力，就是各层各头的权重，一个字节一个百分数；
有余弦，就是各层的隐藏状态，每个词元换成 n 个数（n 是两句的词元合计），两两的余弦不变。
"""

import base64
import json
import re
from functools import cache
from html import escape, unescape
from urllib.parse import parse_qsl

import torch
from docutils import nodes
from torch import Tensor
from torch.nn.functional import normalize

from course_lib.bert import Bert
from course_lib.tokenization import WordPieceTokenizer
from course_lib.unigram import UnigramTokenizer
from course_lib.weights import builtin_multilingual_path, builtin_path

PANEL = re.compile(r'<div class="live-bert"(?P<fields>[^>]*)>')
FIELD = re.compile(r'data-(\w+)="([^"]*)"')
WHOLE = "tokens attention"  # 整页打开之前也只摆这两样


@cache
def model(name: str) -> tuple[WordPieceTokenizer | UnigramTokenizer, Bert]:
    """name 是 zh，就是多语的那一个。"""
    if name == "zh":
        path = builtin_multilingual_path()
        return UnigramTokenizer.from_pretrained(path), Bert.from_pretrained(path)
    folder = builtin_path()
    return WordPieceTokenizer.from_vocab(folder), Bert.from_pretrained(folder)


@torch.no_grad()
def read(text: str, name: str) -> dict:
    tokenizer, bert = model(name)
    ids = tokenizer.encode(text)
    output = bert(torch.tensor([ids]), output_hidden_states=True, need_weights=True)
    return {
        "text": text,
        "tokens": [tokenizer.ids_to_tokens[index] for index in ids],
        "ids": ids,
        "attention": torch.cat(list(output.attentions)),
        "hidden": torch.cat(list(output.hidden_states)),
    }


def same_cosines(hidden: Tensor) -> Tensor:
    """(层, n, D) → (层, n, n)：换一组坐标轴，两两的余弦不变。"""
    unit = normalize(hidden.double(), dim=-1)
    values, vectors = torch.linalg.eigh(unit @ unit.mT)
    return vectors * values.clamp(min=0).sqrt()[:, None]


def packed(tensor: Tensor, scale: float, dtype: torch.dtype) -> str:
    return base64.b64encode((tensor * scale).round().to(dtype).numpy().tobytes()).decode()


def preview(fields: dict[str, str]) -> list[dict]:
    """面板的各句，各是网页里的一份结果。"""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # 几个核一起算，加的次序就不同，末一位跟着变：在哪里成书都要一样
    try:
        return computed(fields)
    finally:
        torch.set_num_threads(threads)


def computed(fields: dict[str, str]) -> list[dict]:
    sentences = [read(fields[n], fields.get("model", "")) for n in ("text", "other") if fields.get(n)]
    parts = fields.get("parts", WHOLE).split()
    sizes = [len(each["ids"]) for each in sentences]
    vectors = same_cosines(torch.cat([each["hidden"] for each in sentences], dim=1)).split(sizes, dim=1)
    for sentence, own in zip(sentences, vectors, strict=True):
        attention, _ = sentence.pop("attention"), sentence.pop("hidden")
        sentence |= {"numLayers": len(attention), "numHeads": attention.size(1), "dModel": sum(sizes)}
        if "attention" in parts:
            sentence["attention"] = packed(attention, 100, torch.uint8)
        if "cosine" in parts:
            sentence["hidden"] = packed(own, 32767, torch.int16)
    return sentences


def with_preview(panel: re.Match) -> str:
    fields = {name: unescape(value) for name, value in FIELD.findall(panel["fields"])}
    sentences = preview(fields)
    tokens = len(sentences[0]["tokens"])  # 有几个词元，样式就先占住几行
    made = {"preview": sentences}
    if fields.get("zh"):
        made["preview-zh"] = preview(dict(parse_qsl(fields["zh"])) | {"model": "zh"})
    written = (f'data-{name}="{escape(as_json(each))}"' for name, each in made.items())
    return f'{panel[0][:-1]} style="--tokens: {tokens}" {" ".join(written)}>'


def as_json(sentences: list[dict]) -> str:
    return json.dumps(sentences, ensure_ascii=False, separators=(",", ":"))


def add_previews(app, doctree):
    for raw in [*doctree.findall(nodes.raw)]:
        if 'class="live-bert"' in raw.astext():
            raw.replace_self(nodes.raw("", PANEL.sub(with_preview, raw.astext()), **raw.attributes))


def setup(app):
    app.connect("doctree-read", add_previews)
