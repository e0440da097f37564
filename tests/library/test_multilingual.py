"""多语 BERT：一个 4 位的文件，或者 Hugging Face 的文件夹；装上的与 transformers 逐层相同，装不上的都是一句话。"""

import base64
import json
import shutil
import struct

import numpy as np
import pytest
import torch
from hub_server import VARIABLES, serving_alone
from safetensors.torch import load_file, save_file
from samples import shaken
from tiny_models import (
    E5_SIZES,
    PIECES,
    WEIGHTS,
    changed_copy,
    e5_weights,
    make_bert,
    make_e5,
    make_small_bert,
    refusal,
    rewrite,
)
from tokenizers import Tokenizer
from torch import nn
from torch.testing import assert_close
from transformers import BertConfig, BertModel
from unigram_texts import ODD, ours, reference

from course_lib.bert import Bert
from course_lib.tokenization import WordPieceTokenizer
from course_lib.unigram import SPECIAL_TOKENS, UnigramTokenizer
from course_lib.weights import (
    PretrainedError,
    bert_config,
    builtin_multilingual_path,
    load_bert,
    load_bert_reference,
    load_weights,
    model_folder,
    multilingual_bert,
    open_bert,
    uses_builtin_multilingual,
)
from course_lib.weights.e5_file import open_e5
from course_lib.weights.unigram import characters_map, read_unigram
from tools.reference_tokenizer import TOKENIZER, reference_path

pytestmark = pytest.mark.guards("course_lib/weights")
REPO = "someone/tiny-e5"
TEXTS = ["天空是蓝色的。", "同一个苹果，The same apple；蘋果電腦", "因为他们打电话", ""]


@pytest.fixture(autouse=True)
def unset(monkeypatch):
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)


@torch.no_grad()
def same_at_every_layer(mine, theirs, batch) -> None:
    """每一层的输出与注意力权重，补齐的位置不比。"""
    real = batch["attention_mask"].bool()
    out = mine(**batch, output_hidden_states=True, need_weights=True)
    expected = theirs(**batch, output_hidden_states=True, output_attentions=True)
    for x, y in zip(out.hidden_states, expected.hidden_states, strict=True):
        assert_close(x[real], y[real], atol=1e-5, rtol=0)
    for x, y in zip(out.attentions, expected.attentions, strict=True):
        assert_close(x.transpose(1, 2)[real], y.transpose(1, 2)[real], atol=1e-5, rtol=0)


# ---- 内置的那一份


@pytest.mark.parametrize("value", [None, "", "  "])
def test_nothing_chosen_means_builtin(monkeypatch, value):
    if value is not None:
        monkeypatch.setenv("COURSE_MULTILINGUAL_BERT", value)
    assert multilingual_bert() == builtin_multilingual_path() and uses_builtin_multilingual()


def test_the_builtin_is_equal_at_every_layer():
    bert, theirs = Bert.from_pretrained(multilingual_bert()), load_bert_reference(multilingual_bert())
    c = bert.config
    sizes = (c.d_model, c.num_layers, c.num_heads, c.d_ff, c.vocab_size, c.max_len, c.num_segments)
    assert sizes == (384, 12, 12, 1536, 250_037, 512, 2)
    assert (c.activation, c.layer_norm_eps, c.pad_token_id) == ("gelu", 1e-12, 1)
    same_at_every_layer(bert, theirs, ours().batch(TEXTS))
    assert not bert.training and not theirs.training


def test_the_tokenizer_in_the_file_is_that_of_the_reference():
    """分数与归一化的表，文件里的与 tokenizer.json 里的。"""
    _, scores, normalization, *_ = open_e5(builtin_multilingual_path())
    written = json.loads(reference_path().read_text(encoding="utf-8"))
    assert [*scores] == [piece for piece, _ in written["model"]["vocab"]]
    assert np.allclose(
        [*scores.values()], [score for _, score in written["model"]["vocab"]], rtol=1e-6, atol=0
    )
    table = written["normalizer"]["normalizers"][0]["precompiled_charsmap"]
    assert characters_map(base64.b64decode(table)) == normalization


# ---- 一个文件


@pytest.fixture(scope="module")
def model():
    return make_small_bert()


@pytest.fixture(scope="module")
def file(model, tmp_path_factory):
    return make_e5(tmp_path_factory.mktemp("e5") / "small.bin", e5_weights(model))


def by_hand(data: bytes) -> list[float]:
    """一个 Q4_0 的块：16 位的比例，然后 16 个字节，低四位是前 16 个数，高四位是后 16 个，都减 8。"""
    (scale,) = struct.unpack("<e", data[:2])
    nibbles = [byte & 15 for byte in data[2:]] + [byte >> 4 for byte in data[2:]]
    return [scale * (nibble - 8) for nibble in nibbles]


def test_blocks_by_hand(model, file):
    tensors, data = open_e5(file)[3:]
    source = open_bert(file)
    weights = e5_weights(model)
    assert source.shapes == {name: tuple(weight.shape) for name, weight in weights.items()}
    for name, weight in weights.items():
        read, (kind, _, offset, size) = source.read(name), tensors[name]
        assert read.shape == weight.shape and read.dtype == torch.float32
        if not kind:
            assert torch.equal(read, weight)
            continue
        stored = data[offset : offset + size].tobytes()
        blocks = [by_hand(stored[at : at + 18]) for at in range(0, size, 18)]
        assert_close(read, torch.tensor(blocks).view(weight.shape), atol=1e-7, rtol=0)
        assert (read - weight).abs().max() < 0.3  # 4 位存得下的


@pytest.mark.parametrize(
    "read", [Bert.from_pretrained, lambda path: Bert.from_pretrained(multilingual_bert(path))]
)
def test_a_file_is_equal_at_every_layer(file, read):
    batch = UnigramTokenizer.from_pretrained(file).batch(["天空", "空㌔天 天", ""], ["天", "", "空"])
    same_at_every_layer(read(str(file)), load_bert_reference(file), batch)


def test_a_file_may_be_chosen(file, monkeypatch):
    assert multilingual_bert(file) == multilingual_bert(str(file)) == model_folder(file) == file
    monkeypatch.setenv("COURSE_MULTILINGUAL_BERT", f" {file} ")
    assert multilingual_bert() == file and not uses_builtin_multilingual()
    tokenizer = UnigramTokenizer.from_pretrained()
    assert (
        tokenizer.tokenize("天空Ａ㌔\x01") == ["▁", "天空", "<unk>"]
        and tokenizer.normalization["㌔"] == "キロ"
    )
    monkeypatch.setenv("COURSE_MULTILINGUAL_BERT", str(builtin_multilingual_path()))
    assert uses_builtin_multilingual()


def test_parsed_again_when_it_changes(model, file, tmp_path):
    path = shutil.copy(file, tmp_path / "model.bin")
    first = open_e5(path)
    assert open_e5(str(path)) is first
    make_e5(path, e5_weights(model), pieces=PIECES | {"天空": -1.5})
    assert open_e5(path).scores["天空"] == -1.5


def without(weights, *names):
    return {name: weight for name, weight in weights.items() if name not in names}


def cut(weights, name, rows):
    return weights | {name: weights[name][:rows]}


# 怎样写坏 → 话里有什么；大的尺寸不许真去占地方
MANY, HUGE = 2**31 - 1, 2**29
BAD_FILES = {
    "另一版": (dict(version=2), "是第 2 版、32 个一块的文件"),
    "另一种块": (dict(block=64), "第 1 版、64 个一块"),
    "特殊词元的编号": (dict(special=(0, 1, 2, 3)), "打不开"),
    "特殊词元换了名字": (dict(pieces={"[CLS]" if piece == "<s>" else piece: x for piece, x in PIECES.items()}), "打不开"),
    "分数不是数": (dict(pieces=PIECES | {"天": float("nan")}), "打不开"),
    "片段比嵌入多": (dict(sizes=(*E5_SIZES[:4], 5, *E5_SIZES[5:])), "有 9 个片段，嵌入却只有 5 行"),
    "宽度": (dict(sizes=(0, *E5_SIZES[1:])), "里的尺寸不对"),
    "宽度太大": (dict(sizes=(MANY, *E5_SIZES[1:])), "里的尺寸不对"),
    "头数除不尽": (dict(sizes=(32, 2, 5, *E5_SIZES[3:])), "里的尺寸不对"),
    "层数": (dict(sizes=(32, HUGE, *E5_SIZES[2:])), "配置却说有 536870912 层"),
    "少一层": (dict(sizes=(32, 1, *E5_SIZES[2:])), "多出 l1."),
    "多一层": (dict(sizes=(32, 3, *E5_SIZES[2:])), "缺少 encoder.layers.2."),
    "词表太大": (dict(sizes=(*E5_SIZES[:4], HUGE, *E5_SIZES[5:])), "emb.word 的形状是"),
    "前馈的宽度": (dict(sizes=(32, 2, 4, HUGE, *E5_SIZES[4:])), "fi.w 的形状是 (64, 32)"),
    "不是正数的 ε": (dict(epsilon=0.0), "里的尺寸不对"),
}  # fmt: skip
BAD_WEIGHTS = {
    "缺一个": (lambda w: without(w, "l1.ao.w"), "缺少 encoder.layers.1.self_attn.out_proj.weight"),
    "多一个": (lambda w: w | {"l1.zz.w": w["l1.ao.w"]}, "多出 l1.zz.w"),
    "少几行": (lambda w: cut(w, "emb.word", 7), "emb.word 的形状是 (7, 32)"),
    "少几个": (lambda w: cut(w, "l0.q.b", 31), "l0.q.b 的形状是 (31,)"),
    "分不成行": (lambda w: w | {"emb.pos": w["emb.pos"][:1, :7]}, "emb.pos 的形状是 (7,)"),
}


@pytest.mark.parametrize("fault", [*BAD_FILES, *BAD_WEIGHTS])
def test_a_bad_file_is_one_sentence(model, tmp_path, monkeypatch, fault):
    """什么也没有占，什么也没有改。"""
    weights, given = e5_weights(model), {}
    if fault in BAD_FILES:
        given, said = BAD_FILES[fault]
    else:
        change, said = BAD_WEIGHTS[fault]
        weights = change(weights)
    path = make_e5(tmp_path / "bad.bin", weights, **given)
    twin = Bert(bert_config(model.config.to_dict()))
    before = {name: p.clone() for name, p in twin.named_parameters()}
    monkeypatch.setattr(nn.Module, "load_state_dict", None)
    for read in (Bert.from_pretrained, load_bert_reference):
        message = refusal(read, path)
        assert str(path) in message
    assert said in refusal(Bert.from_pretrained, path)
    if fault in BAD_WEIGHTS:
        assert said.partition(" ")[0] in refusal(load_weights, twin, path)
    assert all(torch.equal(p, before[name]) for name, p in twin.named_parameters())


def test_a_file_cut_anywhere_is_one_sentence(file, tmp_path):
    whole, path = file.read_bytes(), tmp_path / "cut.bin"
    for length in [*range(0, 1500, 11), *range(1500, len(whole), 997), len(whole) - 1]:
        path.write_bytes(whole[:length])
        for read in (Bert.from_pretrained, UnigramTokenizer.from_pretrained):
            assert "multilingual-e5-small 的文件" in refusal(read, path), length


@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_flipped_byte_is_read_or_refused(file, tmp_path):
    """改了开头任何一个字节：要么一句话，要么照改了的读，不会是别的异常，也不会停住。"""
    whole, path, refused = file.read_bytes(), tmp_path / "flipped.bin", 0
    for at in range(0, 1500, 3):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x81]) + whole[at + 1 :])
        for read in (Bert.from_pretrained, UnigramTokenizer.from_pretrained):
            try:
                read(path)
            except PretrainedError as error:
                assert str(path) in str(error) and "\n" not in str(error)
                refused += 1
    assert refused > 300


def test_magic(file, tmp_path):
    for content in (b"", b"GGUF" + file.read_bytes()[4:], b"E5S"):
        (tmp_path / "other.bin").write_bytes(content)
        message = refusal(multilingual_bert, tmp_path / "other.bin")
        assert "other.bin 不是文件夹，也不是 multilingual-e5-small 的文件，请给" in message


def test_what_reads_word_pieces_says_what_to_use(file, folder):
    for path in (file, folder):
        with pytest.raises(
            ValueError, match=r"是 Unigram，不是 WordPiece；请改用 UnigramTokenizer\.from_pretrained。$"
        ):
            WordPieceTokenizer.from_vocab(path)
    assert "请改用 load_bert_reference" in refusal(load_bert, file)


# ---- Hugging Face 的文件夹


def written_tokenizer(pieces=PIECES) -> dict:
    """真的那一份，只换上几个片段。"""
    values = json.loads(reference_path().read_text(encoding="utf-8"))
    values["model"]["vocab"] = [[piece, score] for piece, score in pieces.items()]
    for token in values["added_tokens"]:
        token["id"] = [*pieces].index(token["content"])
    return values


def make_folder(folder, model, tokenizer: dict):
    model.save_pretrained(folder)
    rewrite(folder / TOKENIZER, json.dumps(tokenizer).encode())
    return folder


@pytest.fixture(scope="module")
def folder(model, tmp_path_factory):
    return make_folder(tmp_path_factory.mktemp("e5"), model, written_tokenizer())


def test_the_real_tokenizer_in_a_folder(tmp_path, monkeypatch):
    sizes = {"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}
    config = BertConfig(vocab_size=250_037, max_position_embeddings=64, **sizes)
    shaken(BertModel(config, add_pooling_layer=False)).save_pretrained(tmp_path)
    shutil.copy(reference_path(), tmp_path)
    monkeypatch.setenv("COURSE_MULTILINGUAL_BERT", str(tmp_path))
    assert multilingual_bert() == tmp_path and not uses_builtin_multilingual()
    tokenizer = UnigramTokenizer.from_pretrained()
    assert [tokenizer.encode(text) for text in ODD] == [each.ids for each in reference().encode_batch(ODD)]
    same_at_every_layer(
        Bert.from_pretrained(multilingual_bert()), load_bert_reference(tmp_path), tokenizer.batch(TEXTS)
    )


def test_a_tokenizer_saved_again(folder, tmp_path):
    """tokenizers 存下的，空格的两处换了写法。"""
    copy = changed_copy(folder, tmp_path / "model", "config.json", {})
    Tokenizer.from_file(str(copy / TOKENIZER)).save(str(copy / TOKENIZER))
    assert "prepend_scheme" in (copy / TOKENIZER).read_text(encoding="utf-8")
    assert read_unigram(copy, SPECIAL_TOKENS) == read_unigram(folder, SPECIAL_TOKENS)


def test_a_small_folder(folder, file):
    same_at_every_layer(
        Bert.from_pretrained(folder),
        load_bert_reference(folder),
        UnigramTokenizer.from_pretrained(folder).batch(["天空", "空"]),
    )
    assert UnigramTokenizer.from_pretrained(folder).scores == UnigramTokenizer.from_pretrained(file).scores


def model_is(**changes):
    return lambda values: values["model"].update(changes)


def normalizer_is(change):
    return lambda values: values["normalizer"]["normalizers"].__setitem__(0, change)


def added(index, **changes):
    return lambda values: values["added_tokens"][index].update(changes)


def vocab_is(change):
    return lambda values: values["model"].update(vocab=change(values["model"]["vocab"]))


NOT_WRITTEN = "课程没有写这一种"
# tokenizer.json 怎样改 → 话里有什么；前几种连模型也不收
NOT_UNIGRAM = {
    "BPE": (model_is(type="BPE"), "model 不是 Unigram"),
    "没有词表": (model_is(vocab=None), "词表不是一列片段与分数"),
    "没有分数": (vocab_is(lambda vocab: [piece for piece, _ in vocab]), "词表不是一列片段与分数"),
    "分数不是数": (vocab_is(lambda vocab: [*vocab, ["x", "1"]]), "词表不是一列片段与分数"),
    "写了两遍": (vocab_is(lambda vocab: [*vocab, vocab[-2]]), "有片段写了两遍"),
    "词表太大": (vocab_is(lambda vocab: [*vocab, *([f"x{i}", -9.0] for i in range(9))]), "有 18 个词元，模型却要 12 个"),
    "不是 JSON": (b"{", "读不出来（JSONDecodeError）"),
}  # fmt: skip
OTHER_TOKENIZERS = {
    "另一种归一化": (lambda values: values.update(normalizer={"type": "NFKC"}), f"normalizer 是 {{'type': 'NFKC'}}，{NOT_WRITTEN}"),
    "没有归一化": (lambda values: values.update(normalizer=None), "normalizer 是 None"),
    "归一化多一步": (lambda values: values["normalizer"]["normalizers"].append({"type": "Lowercase"}), "normalizer 是"),
    "空格另外处理": (lambda values: values["normalizer"]["normalizers"][1].update(content="_"), "normalizer 是"),
    "归一化的表残缺": (normalizer_is({"type": "Precompiled", "precompiled_charsmap": "AAAA"}), "读不出来（"),
    "字节": (model_is(byte_fallback=True), "byte_fallback 打开着"),
    "没有 unk_id": (model_is(unk_id=None), "unk_id 是 None，不是 <unk> 的编号"),
    "unk_id 是别的": (model_is(unk_id=2), "unk_id 是 2，不是 <unk> 的编号"),
    "按空白切": (lambda values: values.update(pre_tokenizer={"type": "WhitespaceSplit"}), "pre_tokenizer 是"),
    "只在最前面加": (lambda values: values["pre_tokenizer"].update(prepend_scheme="first"), "pre_tokenizer 是"),
    "另一种连法": (lambda values: values.update(decoder={"type": "Fuse"}), "decoder 是"),
    "不加特殊词元": (lambda values: values.update(post_processor=None), "post_processor 加上的不是 <s> A </s>"),
    "一对只用一个 </s>": (lambda values: values["post_processor"]["pair"].pop(2), "post_processor 加上的不是 <s> A </s> </s> B </s>"),
    "带着选项": (added(4, lstrip=True), "<mask> 的 lstrip 打开着"),
    "另有特殊词元": (added(4, content="<e1>"), "定义了特殊词元 '<e1>'，这里只认 <s>、"),
    "编号两个": (added(4, id=5), "<mask> 的编号写了两个，5 与 8"),
    "没有 <mask>": (vocab_is(lambda vocab: [["<m>" if piece == "<mask>" else piece, x] for piece, x in vocab]), "词表里没有 <mask>"),
}  # fmt: skip


@pytest.mark.parametrize("fault", [*NOT_UNIGRAM, *OTHER_TOKENIZERS])
def test_another_tokenizer_is_refused_by_name(folder, tmp_path, fault):
    changes, said = (NOT_UNIGRAM | OTHER_TOKENIZERS)[fault]
    copy = changed_copy(folder, tmp_path / "model", TOKENIZER, changes)
    if fault != "词表太大":  # 与模型不配套的只是大小
        assert said in refusal(read_unigram, copy, SPECIAL_TOKENS)
    message = refusal(UnigramTokenizer.from_pretrained, copy)
    assert said in message and str(copy) in message
    if fault in NOT_UNIGRAM:
        assert "去掉 COURSE_MULTILINGUAL_BERT 改用内置模型" in message
    else:
        assert multilingual_bert(copy) == copy


def test_a_token_declared_beside_is_refused(folder, tmp_path):
    for name in ("tokenizer_config.json", "special_tokens_map.json"):
        copy = changed_copy(
            folder, tmp_path / "model", name, {"additional_special_tokens": ["<e1>"], "bos_token": "<s>"}
        )
        assert "'<e1>'" in refusal(UnigramTokenizer.from_pretrained, copy)
    rewrite(
        copy / name,
        {"additional_special_tokens": ["<mask>"], "mask_token": {"content": "<mask>", "lstrip": True}},
    )
    assert UnigramTokenizer.from_pretrained(copy).tokenize("天空") == ["▁", "天空"]


def test_other_folders_are_refused(folder, tmp_path, monkeypatch):
    """WordPiece 的 BERT 不是多语 BERT；缺了权重、没有词表、别的模型，都指着 COURSE_MULTILINGUAL_BERT 说。"""
    word_piece = make_bert(tmp_path / "bert")
    monkeypatch.setenv("COURSE_MULTILINGUAL_BERT", str(word_piece))
    for ask in (multilingual_bert, UnigramTokenizer.from_pretrained, uses_builtin_multilingual):
        message = refusal(ask)
        assert "model 不是 Unigram" in message and "去掉 COURSE_MULTILINGUAL_BERT 改用内置模型" in message
    assert model_folder(word_piece) == word_piece
    for name, said in {WEIGHTS: "没有权重文件", TOKENIZER: "没有词表（tokenizer.json）"}.items():
        (changed_copy(folder, tmp_path / "model", "config.json", {}) / name).unlink()
        assert said in refusal(multilingual_bert, tmp_path / "model")
    changed_copy(folder, tmp_path / "model", "config.json", {"model_type": "xlm-roberta"})
    assert "课程只装 'bert'" in refusal(multilingual_bert, tmp_path / "model")
    assert "请给 multilingual-e5-small 的文件" in refusal(multilingual_bert, tmp_path / "没有")


def test_weights_that_do_not_fit(folder, tmp_path):
    copy = changed_copy(folder, tmp_path / "model", "config.json", {})
    weights = load_file(copy / WEIGHTS)
    save_file({name: x for name, x in weights.items() if "layer.1.output" not in name}, copy / WEIGHTS)
    for read in (Bert.from_pretrained, load_bert_reference):
        assert "权重与模型对不上：缺少" in refusal(read, copy)


@pytest.mark.subprocess
def test_name_on_the_hub(folder, tmp_path, monkeypatch):
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    with serving_alone(REPO, files, tmp_path / "home", monkeypatch):
        monkeypatch.setenv("COURSE_MULTILINGUAL_BERT", REPO)
        assert (multilingual_bert() / TOKENIZER).read_bytes() == files[TOKENIZER]
        assert UnigramTokenizer.from_pretrained().tokenize("天空") == ["▁", "天空"]
