"""“打开 BERT”一页：正文说的，与 course_lib 算的、成书时写下的数据一致（要打开网页才知道的在 test_live_page.py）。"""

import inspect
import re

import torch
from live_helpers import (
    BANKS,
    NAMES,
    PROSE,
    SENTENCES,
    THEY,
    bert,
    forward,
    head_vectors,
    lengths,
    moved,
    quantized_bert,
    random_pairs,
    run,
    tokenizer,
)
from torch.nn.functional import cosine_similarity

import course_lib
from course_book import ROOT
from course_book.after_writing import live_bert
from course_lib.tokenization import CJK
from course_lib.weights import builtin_path


def weight(text, layer, head, query, *keys):
    tokens, _, attention = run(text)
    return sum(attention[layer, head, tokens.index(query), tokens.index(key)] for key in keys).item()


def test_claims_about_they():
    assert abs(weight(THEY, 5, 5, "they", "john", "paul") - 2 / 3) < 0.02
    for word in ("when", "were", "several"):
        assert weight(THEY, 5, 5, word, "john", "paul") > 0.4
    changed = THEY.replace("when", "and").replace("inspired", "beautiful")
    assert weight(changed, 5, 5, "they", "john", "paul") > 0.5


def test_claims_about_flies_and_like():
    (_, time, _), (_, fruit, _) = run("time flies like an arrow"), run("fruit flies like a banana")
    flies, like = cosine_similarity(time[:, 2:4], fruit[:, 2:4], dim=-1).T
    assert abs(flies[0] - 1) < 1e-5 and abs(flies[-1] - 0.6) < 0.05
    assert like[:6].min() > 0.9 and like[6] < 0.7


def test_claims_about_bank():
    tokens, hidden, _ = run(BANKS)
    vault, _, shore = [i for i, token in enumerate(tokens) if token == "bank"]
    assert cosine_similarity(hidden[:, vault], hidden[:, shore], dim=-1).min() > 0.8
    assert random_pairs([BANKS]).max() < 0.4


def test_claims_about_one_cell():
    """面板里走一遍的两格：they → john 与 blue → sky，是网页里那份量化过的权重算出的。"""
    query, key, value = head_vectors(quantized_bert(), THEY, 5, 5)
    weights = (query[8] @ key.T / 32**0.5).softmax(dim=0)
    john, cls = (f"{weights[j]:.2f}" for j in (1, 0))
    assert f"they 给 john 的 {john}" in PROSE and f"`[CLS]` 分到 {cls}，绿条却几乎是平的" in PROSE
    carried = (weights[:, None] * value).norm(dim=-1)
    assert carried[0] < carried[1] / 50 and value.norm(dim=-1)[0] < value.norm(dim=-1)[1] / 20
    query, key, _ = head_vectors(quantized_bert(), "The sky is blue", 0, 4)
    scores = query[4] @ key.T / 32**0.5
    assert f"分数 {scores[2]:.2f}，权重 {scores.softmax(dim=0)[2]:.2f}" in PROSE
    chapter = (ROOT / "chapters/04_scaled_dot_product_attention.ipynb").read_text(encoding="utf-8")
    assert f"就是这一章算过的 {scores[2]:.2f} 与 {scores.softmax(dim=0)[2]:.0%}" in chapter


def test_claims_about_intervening():
    """关掉第 3 层第 1 个头、第 5 层第 5 个头，they 各移动多远，同层别的头平均多远，几个词元移动得比别的都远。"""
    before = forward(quantized_bert(), THEY)[0][-1]
    said = []
    for layer, head in ((3, 1), (5, 5)):
        last = torch.stack(
            [
                moved(before, forward(quantized_bert(), THEY, off=[(layer, other)])[0][-1])
                for other in range(12)
            ]
        )
        others = torch.cat([last[:head], last[head + 1 :]])
        said.append(
            (f"{last[head, 8]:.2f}", f"{others[:, 8].mean():.2f}", (last[head] > others.amax(0)).tolist())
        )
    (first, first_mean, alone), (second, second_mean, many) = said
    assert f"they 移动 {first}，关掉同层别的头平均只移动 {first_mean}；" in PROSE
    assert alone == [i == 8 for i in range(13)] and "13 个词元里，只有它" in PROSE
    assert (
        f"they 移动 {second}，别的头平均 {second_mean}；" in PROSE and f"有 {sum(many)} 个都是如此" in PROSE
    )


def test_claims_about_chinese():
    text = "你好，BERT！我住在山上。"
    han = [token for char in text if CJK.fullmatch(char) for token in tokenizer().tokenize(char)]
    assert han == ["[UNK]", "[UNK]", "我", "[UNK]", "[UNK]", "山", "上"]


def test_claims_about_quantization():
    """表里的数就是现在的权重量化之后算出的。"""
    off, kept, alike = [], [], []
    for sentence in SENTENCES:
        (hidden, weights), (true_hidden, true_weights) = (
            forward(model, *sentence) for model in (quantized_bert(), bert())
        )
        off.append((weights - true_weights).abs().flatten())
        kept.append((weights.argmax(-1) == true_weights.argmax(-1)).flatten())
        alike.append(cosine_similarity(hidden, true_hidden, dim=-1).flatten())
    off, kept, alike = torch.cat(off), torch.cat(kept).float(), torch.cat(alike)
    numbers = re.findall(r"(?m)^\| [^|]*(?:差|换的|最小)[^|]* \| ([\d.]+)", PROSE)
    measured = [f"{off.max():.3f}", f"{off.mean():.4f}", f"{100 * kept.mean():.1f}", f"{alike.min():.4f}"]
    assert numbers == measured and f"{len(set(SENTENCES))} 个句子" in PROSE
    in_page, true = (f"{forward(model, THEY)[1][5, 5, 8, 3]:.2f}" for model in (quantized_bert(), bert()))
    assert (in_page, true) == re.search(r"是 (0\.\d\d)，.*算是 (0\.\d\d)", PROSE).groups()


def test_claims_about_size():
    assert round((builtin_path() / "model.safetensors").stat().st_size / 1e6) == 91
    files = live_bert.data_files()
    assert "不到 1 kB 的 `linear.wasm`" in PROSE and len(files["linear.wasm"]) < 1000
    assert f"{live_bert.GROUP_SIZE} 个相邻的权重" in PROSE and f"{live_bert.SHARD_ROWS} 个编号一片" in PROSE
    assert f"最多 {live_bert.MAX_TOKENS} 个词元" in PROSE
    d, f, n = bert().config.d_model, bert().config.d_ff, live_bert.MAX_TOKENS
    linear, attention = 4 * d * d + 2 * d * f, 2 * n * d  # 一层里每个词元的乘法
    assert round(100 * linear / (linear + attention)) == 97


def test_the_python_names_exist():
    assert len(NAMES) == 8
    modules = [course_lib.attention, course_lib.bert, course_lib.encoder, course_lib.layers, torch]
    for python, _ in NAMES:
        holder = next(m for m in modules if hasattr(m, python.partition(".")[0]))
        for name in python.split("."):
            holder = getattr(holder, name)
        assert inspect.isfunction(holder) or inspect.isclass(holder)


def test_the_javascript_is_as_short_as_promised():
    """live/bert/bert.js 里只有从编号到隐藏状态与权重的计算。"""
    script = (ROOT / "live/bert/bert.js").read_text(encoding="utf-8")
    lines = [line for line in script.splitlines() if line.strip() and not line.strip().startswith("//")]
    assert "不到一百行" in PROSE and 80 < len(lines) < 100


def test_claims_about_the_length_of_cls():
    """[CLS] 忽长忽短：前馈网络给的、归一化之后的、注意力给的各有多长。"""
    steps = lengths(bert(), THEY)
    attended, fed, after = steps[1::4], steps[3::4], steps[4::4]
    assert round(fed[0, 0].item()) == 191 and fed[0, 1:].max() < 8 and round(after[0, 0].item()) == 8
    assert attended[1:4, 0].max() < 2
