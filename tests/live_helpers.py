"""网页里的 BERT 的几个测试文件共用：拿来比的句子，course_lib 的答案。"""

import re
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import torch
from torch.nn.functional import cosine_similarity

from course_book.after_writing import live_bert
from course_lib import unigram
from course_lib.bert import Bert
from course_lib.tokenization import SPECIAL_TOKENS, WordPieceTokenizer
from course_lib.unigram import UnigramTokenizer
from course_lib.weights import builtin_multilingual_path, builtin_path

PROSE = (Path(__file__).parents[1] / "chapters/live.md").read_text(encoding="utf-8")
# 做什么、course_lib 的名字、live/bert/bert.js 的名字
NAMES = re.findall(r"(?m)^\| [^|]+ \| `([\w.]+)` \| `(\w+)` \|$", PROSE)

THEY = "John and Paul wrote several songs when they were inspired."
BANKS = "After stealing money from the bank vault, the bank robber was seen fishing on the Mississippi river bank."
FIRST = "Time flies like an arrow; fruit flies like a banana."

SENTENCES = [
    (FIRST, None),
    ("Yes.", None),
    ("Hi", None),
    ("He sat on the bank of the river and watched the boats go by.", None),
    ("She deposited the money at the bank before noon.", None),
    ("The pilot had to bank the plane sharply to the left.", None),
    ("After stealing money from the bank vault, the bank robber was seen fishing on the river bank.", None),
    (THEY, None),
    ("The animal didn't cross the street because it was too tired.", None),
    ("The animal didn't cross the street because it was too wide.", None),
    ("The trophy doesn't fit in the suitcase because it is too big.", None),
    ("The trophy doesn't fit in the suitcase because it is too small.", None),
    ("I saw the man with the telescope on the hill.", None),
    ("Buffalo buffalo Buffalo buffalo buffalo buffalo Buffalo buffalo.", None),
    ("The quick brown fox jumps over the lazy dog.", None),
    ("Attention is all you need, said the paper.", None),
    ("What is the capital of France?", "The capital of France is Paris."),
    ("Is it raining?", "No, but the streets are still wet from this morning."),
    ("A man is playing a guitar.", "Someone makes music."),
    ("The keys to the old cabinet on the second floor are missing.", None),
    ("Colorless green ideas sleep furiously.", None),
    ("Unbelievably, tokenization splits rare words such as hyperparameterization.", None),
    ("Water boils at 100 degrees Celsius, or 212 degrees Fahrenheit.", None),
    ("In 1969, two astronauts walked on the moon for the first time.", None),
    ("The price rose by $3.50 (about 7%) in a single day!", None),
    ("E = mc^2 is the most famous equation in physics.", None),
    ("She said: “I don't know; ask him.”", None),
    ("Café owners in São Paulo love naïve résumés.", None),
    ("to be or not to be that is the question", None),
    ("WHY ARE YOU SHOUTING AT ME?", None),
    ("The doctor asked the nurse to help her with the patient.", None),
    ("My mother's cooking is better than any restaurant in town.", None),
    ("If it rains tomorrow, we will stay at home and play chess.", None),
    ("The horse raced past the barn fell.", None),
    ("Nobody knew whether the old bridge would hold.", None),
    ("The movie was not bad, but the book was far better.", None),
    ("I have never seen such a boring film in my whole life.", None),
    ("Bats are the only mammals that can truly fly.", None),
    ("He swung the bat and missed the ball.", None),
    ("Apple announced a new phone while I was eating an apple.", None),
    ("The spring in the old mattress broke last spring.", None),
    ("Please turn left at the light, then right at the church.", None),
    ("Light travels faster than sound through air.", None),
    ("The committee has decided to postpone its decision until next week.", None),
    ("Only three of the twelve students had read the whole novel.", None),
    ("Machine translation used recurrent networks before transformers appeared.", None),
    ("The cat that the dog that the boy owned chased ran away.", None),
    ("我爱 natural language processing，你呢？", None),
    ("The [MASK] sat on the mat.", None),
    ("supercalifragilisticexpialidocious antidisestablishmentarianism", None),
    ("a b c d e f g h i j k l m n o p q r s t u v w x y z", None),
    ("It was a long letter, four pages, and she read it twice before she understood what he wanted.", "Why?"),
    ("so it goes on " * 15 + "and on", None),
    (
        "The old man who lived alone at the end of the road had once been a sailor, and on quiet evenings "
        "he told the children of the village about storms, islands, whales, and the friends he had lost at sea, "
        "until their mothers called them home to bed.",
        None,
    ),
]


@cache
def tokenizer() -> WordPieceTokenizer:
    return WordPieceTokenizer.from_vocab(builtin_path())


@cache
def bert() -> Bert:
    return Bert.from_pretrained(builtin_path())


@cache
def quantized_bert() -> Bert:
    """权重量化过又换回浮点数的 `Bert`，即网页里的那一个。"""
    model = Bert.from_pretrained(builtin_path())
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() == 2 and not name.startswith(("embeddings.positions", "embeddings.segments")):
                weight.copy_(live_bert.dequantize(*live_bert.quantize(weight)))
    return model


@cache
def multilingual_tokenizer() -> UnigramTokenizer:
    return UnigramTokenizer.from_pretrained(builtin_multilingual_path())


@cache
def multilingual_bert() -> Bert:
    return Bert.from_pretrained(builtin_multilingual_path())


@contextmanager
def switched_off(model: Bert, heads):
    """关掉几个头：清零 out_proj 里属于它们的那几块，用完还原，与《bertviz》一章相同。"""
    saved = []
    for layer, head in heads:
        weight = model.encoder.layers[layer].self_attn.out_proj.weight
        piece = weight.unflatten(1, (model.config.num_heads, -1))[:, head]
        saved.append((piece, piece.clone()))
        piece.zero_()
    yield
    for piece, old in reversed(saved):
        piece.copy_(old)


@torch.no_grad()
def forward(
    model: Bert, text: str, pair: str | None = None, off=(), masked=()
) -> tuple[torch.Tensor, torch.Tensor]:
    """一句或一对 → 隐藏状态 (层 + 1, N, D)，权重 (层, 头, N, N)；off 里的头关掉，masked 里的位置遮住。"""
    if model is multilingual_bert():
        ids = multilingual_tokenizer().encode(text, pair)
        segments = [0] * len(ids)
    else:
        ids = tokenizer().encode(text, pair)
        first = ids.index(tokenizer().vocab["[SEP]"]) + 1 if pair else len(ids)
        segments = [int(i >= first) for i in range(len(ids))]
    with switched_off(model, off):
        output = model(
            torch.tensor([ids]),
            attention_mask=torch.tensor([[int(i not in masked) for i in range(len(ids))]]),
            token_type_ids=torch.tensor([segments]),
            output_hidden_states=True,
            need_weights=True,
        )
    return torch.cat(output.hidden_states), torch.cat(output.attentions)


@torch.no_grad()
def head_vectors(model: Bert, text: str, layer: int, head: int) -> list[torch.Tensor]:
    """一句话里一个头的查询、键、值，各 (N, d)。"""
    attention = model.encoder.layers[layer].self_attn
    x = forward(model, text)[0][layer]
    return [
        attention.split_heads(proj(x)[None])[0, head]
        for proj in (attention.q_proj, attention.k_proj, attention.v_proj)
    ]


def lengths(model: Bert, text: str) -> torch.Tensor:
    """每一步之后各个词元的向量有多长：嵌入，再是每层的注意力、归一化、前馈网络、归一化，(1 + 4 × 层, N)。"""
    seen = []
    keep = lambda _, __, out: seen.append((out[0] if isinstance(out, tuple) else out)[0].norm(dim=-1))  # noqa: E731
    layers = [
        step for each in model.encoder.layers for step in (each.self_attn, each.norm1, each.ffn, each.norm2)
    ]
    hooks = [step.register_forward_hook(keep) for step in (model.embeddings, *layers)]
    forward(model, text)
    for hook in hooks:
        hook.remove()
    return torch.stack(seen)


def moved(before: torch.Tensor, after: torch.Tensor) -> torch.Tensor:
    """每一层、每个词元的向量移动多远，以原来的长度为 1：(层 + 1, N)。"""
    return (after - before).norm(dim=-1) / before.norm(dim=-1)


@cache
def run(text: str, model: str = "") -> tuple[list[str], torch.Tensor, torch.Tensor]:
    """一句话 → 词元，没有量化的模型的隐藏状态与权重；model 是 zh 时是多语的那一个。"""
    cut, bert_ = of_model(model)
    return [cut.ids_to_tokens[index] for index in cut.encode(text)], *forward(bert_, text)


def of_model(model: str):
    return (multilingual_tokenizer(), multilingual_bert()) if model == "zh" else (tokenizer(), bert())


def random_pairs(texts: list[str], model: str = "") -> torch.Tensor:
    """每层：各句里所有不同的词元两两的余弦，取平均。"""
    cosines = []
    for text in texts:
        tokens, hidden, _ = run(text, model)
        special = {*SPECIAL_TOKENS, *unigram.SPECIAL_TOKENS}
        words = torch.tensor([i for i, token in enumerate(tokens) if token not in special])
        kinds = torch.tensor([of_model(model)[0].vocab[token] for token in tokens])[words]
        i, j = torch.triu_indices(len(words), len(words), 1)
        i, j = i[kinds[i] != kinds[j]], j[kinds[i] != kinds[j]]
        cosines.append(cosine_similarity(hidden[:, words[i]], hidden[:, words[j]], dim=-1))
    return torch.cat(cosines, dim=1).mean(1)
