"""一个 BERT 的文件夹可以是怎样的：四个读它的，要么都与 transformers 相同，要么各说一句话。

文件夹由 transformers 的 `save_pretrained` 存下，模型极小，权重是随机的。
"""

import functools
import shutil

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from samples import shaken
from tiny_models import WEIGHTS, WORDS, make_bert, rewrite
from torch.testing import assert_close

from course_lib.bert import Bert
from course_lib.tokenization import WordPieceTokenizer
from course_lib.weights import PretrainedError, load_bert, model_folder

TEXTS = [
    "time bank [MASK] river",
    "a <e1>bank</e1> b",
    "[mask] a[MASK]b [SEP]",
    "TIME, river!",
    "zzz <s> Bank",
    "",
]
ADDED = {"lstrip": False, "rstrip": False, "single_word": False, "normalized": False, "special": True}


def headed(kind):
    def make(folder):
        (folder / WEIGHTS).unlink()
        config = transformers.BertConfig.from_pretrained(folder)
        shaken(getattr(transformers, kind)(config)).save_pretrained(folder)

    return make


def without(*names):
    return lambda folder: [(folder / name).unlink() for name in names]


def words(*listed):
    return lambda folder: (folder / "vocab.txt").write_text("\n".join(listed) + "\n", encoding="utf-8")


def written(**changes):
    """各个文件改几处：名字里的点写作两道下划线。"""
    return lambda folder: [rewrite(folder / name.replace("__", "."), x) for name, x in changes.items()]


def sized(rows):
    def make(folder):
        rewrite(folder / "config.json", {"vocab_size": rows})
        weights = load_file(folder / WEIGHTS)
        key = "embeddings.word_embeddings.weight"
        weights[key] = torch.cat([weights[key], torch.randn(64, 16)])[:rows].clone()
        save_file(weights, folder / WEIGHTS)

    return make


def holding(**weights):
    return lambda folder: save_file(
        load_file(folder / WEIGHTS) | {name.replace("__", "."): x for name, x in weights.items()},
        folder / WEIGHTS,
    )


def added_and_saved(folder):
    """照 transformers 的教法：加词元，加大嵌入，再存。"""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.add_tokens(["<e1>", "</e1>"])
    model = transformers.AutoModel.from_pretrained(folder)
    model.resize_token_embeddings(len(tokenizer))
    for saved in (tokenizer, model):
        saved.save_pretrained(folder)


def swapped(values):
    vocab = values["model"]["vocab"]
    vocab["bank"], vocab["river"] = vocab["river"], vocab["bank"]


def marked(option):
    return lambda values: values["added_tokens"][4].update({option: True})


JSON, TXT = "tokenizer.json", "vocab.txt"
READERS = ["model_folder", "Bert", "load_bert", "from_vocab"]
WIDER = sized(len(WORDS) + 8)


def of_words(said):
    return {"from_vocab": said}


def of_all(said, from_vocab=None):
    return dict.fromkeys(READERS[:3], said) | ({"from_vocab": from_vocab} if from_vocab else {})


# 文件夹 → (由一个平常的改成它, 谁不收、话里有什么)；没有列出的读者，读出来的与 transformers 相同
ROWS = {
    **{kind: ([headed(kind)], {}) for kind in ["BertModel", "BertForPreTraining", "BertForMaskedLM", "BertLMHeadModel", "BertForNextSentencePrediction", "BertForSequenceClassification", "BertForTokenClassification", "BertForMultipleChoice", "BertForQuestionAnswering"]},
    "多出一个输出头，配置没有说": ([holding(classifier__weight=torch.zeros(2, 16))], {"Bert": "多出 classifier.weight"}),
    "输出头里有整数": ([headed("BertForSequenceClassification"), holding(loss__counts=torch.zeros(3, dtype=torch.int64))], {}),
    "没有池化层": ([lambda folder: save_file({k: x for k, x in load_file(folder / WEIGHTS).items() if "pooler" not in k}, folder / WEIGHTS)], {}),
    "存着 position_ids": ([holding(embeddings__position_ids=torch.arange(20)[None])], {}),
    **{f"填充的编号写作 {value}": ([written(config__json={"pad_token_id": value})], {}) for value in (None, -1, ...)},
    "只有 vocab.txt": ([without(JSON)], {}),
    "只有 tokenizer.json": ([without(TXT)], {}),
    "只有词表": ([without(TXT, "tokenizer_config.json")], {}),
    "两个词表不同": ([written(tokenizer__json=swapped)], {}),
    "没有词表": ([without(JSON, TXT)], of_all("没有词表（tokenizer.json 或 vocab.txt）", "找不到词表")),
    "tokenizer.json 是 BPE": ([written(tokenizer__json=lambda x: x["model"].update(type="BPE"))], of_all("不是 WordPiece", "读不了")),
    "嵌入比词表多": ([WIDER], {}),
    "嵌入比词表少": ([sized(20)], of_all("有 24 个词元，模型却要 20 个")),
    "词表只剩几个词": ([without(JSON), words(*WORDS[:5])], of_all("有 5 个词元，模型却要 24 个")),
    "词表里没有 [MASK]": ([without(JSON), words(*WORDS[:4], *WORDS[5:])], of_words("vocab.txt 里没有 [MASK]")),
    "加了词元，再存": ([added_and_saved], of_words("'<e1>'")),
    **{
        f"{token}写在 {file.replace('__', '.')} 的 {name}（{type(value).__name__}）": ([WIDER, written(**{file: {name: value}})], of_words(repr(token)))
        for token, file, name, value in [
            ("<e1>", "added_tokens__json", "<e1>", 24),
            ("<e1>", "special_tokens_map__json", "additional_special_tokens", ["<e1>"]),
            ("<e1>", "tokenizer_config__json", "additional_special_tokens", ["<e1>"]),
            ("<e1>", "tokenizer_config__json", "extra_special_tokens", ["<e1>"]),
            ("<e1>", "tokenizer_config__json", "extra_special_tokens", {"e": "<e1>"}),
            ("<e1>", "tokenizer_config__json", "model_specific_special_tokens", {"e": "<e1>"}),
            ("<e1>", "special_tokens_map__json", "extra_special_tokens", ["<e1>"]),
            ("<e1>", "tokenizer_config__json", "added_tokens_decoder", {"24": ADDED | {"content": "<e1>"}}),
            ("<s>", "tokenizer_config__json", "bos_token", "<s>"),
            ("<s>", "tokenizer_config__json", "start_token", "<s>"),
        ]
    },
    "加了词元，嵌入没有加大": ([written(added_tokens__json={"<e1>": 24})], {"load_bert": "编到 24，模型却只有 24 个", "from_vocab": "'<e1>'"}),
    "认得的又写一遍": ([written(
        added_tokens__json={"[MASK]": 4}, special_tokens_map__json={"mask_token": ADDED | {"content": "[MASK]"}, "bos_token": None},
        tokenizer_config__json={"additional_special_tokens": ["[SEP]"], "bos_token": "[CLS]", "eos_token": "[SEP]", "add_bos_token": False},
    )], {}),
    **{f"[MASK] 的 {option}": ([written(tokenizer__json=marked(option))], of_words(said)) for option, said in {
        "single_word": "[MASK] 的 single_word", "normalized": "[MASK] 的 normalized"}.items()},
    **{f"[MASK] 的 {option}": ([written(tokenizer__json=marked(option))], {}) for option in ("lstrip", "rstrip")},
    **{
        f"{name} 是 {value}": ([written(tokenizer_config__json={name: value})], of_words(said) if said else {})
        for name, value, said in [
            ("cls_token", "[SEP]", "'[SEP]'"), ("mask_token", None, "None"), ("split_special_tokens", True, "split_special_tokens"),
            ("padding_side", "left", "padding_side"), ("tokenizer_class", "TokenizersBackend", "tokenizer_class"),
            ("tokenizer_class", "BertTokenizerFast", None), ("do_lower_case", False, None),
        ]
    },
    "config.json 另有分词器的类": ([without("tokenizer_config.json"), written(config__json={"tokenizer_class": "DistilBertTokenizer"})],
        of_words("tokenizer_class")),
}  # fmt: skip


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return make_bert(tmp_path_factory.mktemp("bert"))


@functools.cache
def theirs(folder):
    """transformers 读同一个文件夹；模型看的是它的分词器的编号，模型里没有的换成最后一个。"""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    batch = tokenizer(TEXTS, padding=True, return_tensors="pt")
    batch["input_ids"] = batch["input_ids"].clamp(max=model.config.vocab_size - 1)
    real = batch["attention_mask"].bool()
    return tokenizer, batch, real, model(**batch).last_hidden_state[real]


def read_by(reader: str, folder) -> None:
    """一个读者读这个文件夹，读出来的应当与 transformers 相同。"""
    if reader == "model_folder":
        assert model_folder(folder) == folder
    elif reader == "from_vocab":
        ours, (tokenizer, *_) = WordPieceTokenizer.from_vocab(folder), theirs(folder)
        assert [ours.encode(text) for text in TEXTS] == [tokenizer.encode(text) for text in TEXTS]
        mine, others = ours.batch(TEXTS), tokenizer(TEXTS, padding=True, return_tensors="pt")
        assert all(mine[name].equal(others[name]) for name in others)
    else:
        ours = load_bert(folder)[1] if reader == "load_bert" else Bert.from_pretrained(folder)
        _, batch, real, expected = theirs(folder)
        assert_close(ours(**batch).last_hidden_state[real], expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("row", ROWS)
@torch.no_grad()
def test_every_reader_of_every_folder(plain, tmp_path, row):
    folder = shutil.copytree(plain, tmp_path / "model")
    changes, refused = ROWS[row]
    for change in changes:
        change(folder)
    for reader in READERS:
        if reader not in refused:
            read_by(reader, folder)
            continue
        with pytest.raises((PretrainedError, ValueError, FileNotFoundError)) as caught:
            read_by(reader, folder)
        said = str(caught.value)
        assert refused[reader] in said and str(folder) in said and said.endswith("。")
