import json
import random
import shutil
import unicodedata
from copy import copy
from functools import cache
from itertools import pairwise

import pytest
import torch
from byte_pair_texts import LETTERS, LOST, MESSAGES, RULES, SOME, ours, reference, smollm, texts
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import GGUF_TOKENIZER, make_gguf, refusal, rewrite
from tokenizers import Regex, Tokenizer, models, trainers
from tokenizers.pre_tokenizers import ByteLevel, Digits, Sequence, Split
from transformers import AutoTokenizer, PreTrainedTokenizerFast
from transformers.convert_slow_tokenizer import bytes_to_unicode
from two_tokenizers import SCALARS

from course_lib.byte_pair import (
    BYTE_TO_CHAR,
    BytePairTokenizer,
    byte_characters,
    merge,
    spell,
    unspell,
)
from course_lib.byte_pair_training import train_byte_pairs
from course_lib.pretokenization import GPT2, SMOLLM, pretokenize
from course_lib.weights import PretrainedError, builtin_llm_path
from course_lib.weights.byte_pair import load_tokenizer, read_tokenizer


def same(text: str) -> bool:
    return ours().encode(text) == smollm().encode(text).ids


# ---- 字节与字符


def test_byte_characters():
    """与 GPT-2 的表逐个相同；看得见的字符代表自己，其余借用。"""
    assert dict(enumerate(byte_characters())) == bytes_to_unicode()
    assert len(set(BYTE_TO_CHAR)) == 256 and set(BYTE_TO_CHAR) == set(ByteLevel.alphabet())
    assert spell(" a\n爱") == ["Ġ", "a", "Ċ", "ç", "Ī", "±"]
    assert spell("") == []


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.text())
def test_spelling_goes_both_ways(text):
    assert unspell("".join(spell(text))) == text.encode()
    with pytest.raises(ValueError, match=r"词元 'Ġ爱' 里的 '爱' 不代表任何字节"):
        unspell("Ġ爱")


# ---- 预切分


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        ("don't  go 42", ["don", "'t", " ", " go", " ", "4", "2"]),
        ("DON'T", ["DON", "'", "T"]),
        ("x =   5", ["x", " =", "   ", "5"]),
        ("a\n\n  b  ", ["a", "\n\n ", " b", "  "]),
        ("你好，世界！", ["你好", "，", "世界", "！"]),
        (" ½Ⅷ", [" ", "½", "Ⅷ"]),
        ("we'll 've", ["we", "'ll", " '", "ve"]),
        ("a<|im_end|>b", ["a", "<|", "im", "_", "end", "|>", "b"]),
    ],
)
def test_pretokenize(text, pieces):
    assert pretokenize(text) == pieces
    assert [text[a:b] for _, (a, b) in smollm().pre_tokenizer.pre_tokenize_str(text)] == pieces


def test_other_patterns_and_special_tokens():
    assert pretokenize("x 42  7", (GPT2,)) == ["x", " 42", " ", " 7"]
    assert pretokenize("x 42", ()) == ["x 42"]
    assert ours().pretokenize("a <|im_end|>1") == ["a", " ", "<|im_end|>", "1"]
    assert ours().pretokenize("<|im_end") == ["<|", "im", "_", "end"]


# ---- 合并


def test_merge_by_hand():
    ranks = {("l", "o"): 0, ("lo", "w"): 1, ("e", "r"): 2}
    assert merge("lower", ranks) == ["low", "er"]
    assert merge("lower", ranks, 1) == ["lo", "w", "e", "r"]
    assert merge("lower", ranks, 0) == list("lower")
    assert merge("aaaaa", {("a", "a"): 0}) == ["aa", "aa", "a"]  # 相同时最靠左的先合并
    assert merge("", ranks) == []


def plain_merge(parts, ranks, limit):
    """照定义：每一步从头找一遍。"""
    parts = list(parts)
    while limit > 0 and (known := [(ranks[p], i) for i, p in enumerate(pairwise(parts)) if p in ranks]):
        _, i = min(known)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
        limit -= 1
    return parts


@settings(max_examples=500, deadline=None, derandomize=True)
@given(LETTERS, RULES, SOME, st.integers(0, 14))
def test_merge_is_the_plain_algorithm(letters, rules, some, limit):
    ranks = {pair: rank for rank, pair in enumerate(rules[:some])}
    assert merge(letters, ranks, limit) == plain_merge(letters, ranks, limit)


def test_a_long_run_of_one_letter_takes_steps_in_proportion():
    """数查了几次合并表，不看钟：照定义的做法，长一倍就要四倍。"""

    class Counted(dict):
        looks = 0

        def __contains__(self, pair):
            self.looks += 1
            return super().__contains__(pair)

    def steps(length):
        ranks = Counted(ours().ranks)
        assert "".join(merge("a" * length, ranks)) == "a" * length
        return ranks.looks

    assert steps(2000) < 2.5 * steps(1000)
    assert len(ours().encode("a" * 10_000)) == 2500  # 一秒之内


def test_merge_steps():
    assert ours().merge_steps(" They") == [
        ["Ġ", "T", "h", "e", "y"],
        ["Ġ", "T", "he", "y"],
        ["ĠT", "he", "y"],
        ["ĠThe", "y"],
        ["ĠThey"],
    ]
    assert ours().merge_steps("!\x04!") == [["!", "!"], ["!!"]]  # \x04 不在词表里
    assert ours().merge_steps("") == [[]]


@settings(max_examples=50, deadline=None, derandomize=True)
@given(texts())
def test_each_step_merges_once(text):
    for piece in pretokenize(text):
        steps = ours().merge_steps(piece)
        assert steps[0] == [c for c in spell(piece) if c in ours().vocab]
        assert all(len(a) == len(b) + 1 and "".join(a) == "".join(b) for a, b in pairwise(steps))
        assert [ours().vocab[token] for token in steps[-1]] == smollm().encode(piece).ids


# ---- 与参考实现相同


@settings(max_examples=800, deadline=None, derandomize=True)
@given(texts())
def test_matches_reference(text):
    ids = ours().encode(text)
    expected = smollm().encode(text)
    assert ids == expected.ids
    assert ours().tokenize(text) == expected.tokens
    assert ours().decode(ids) == reference().decode(ids)
    lost = str.maketrans("", "", LOST)
    assert ours().decode(ids) == text.translate(lost)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.lists(st.integers(0, 49151) | st.integers(0, 300), max_size=20))
def test_decode_matches_reference(ids):
    assert ours().decode(ids) == reference().decode(ids)
    assert ours().decode(ids, skip_special_tokens=True) == reference().decode(ids, skip_special_tokens=True)
    assert b"".join(map(ours().token_bytes, ids)).decode(errors="replace") == ours().decode(ids)


def test_known_ids():
    ids = [504, 3575, 282, 4649, 314]
    assert ours().encode("The capital of France is") == ids
    assert ours().decode(torch.tensor([*ids, 2]), skip_special_tokens=True) == "The capital of France is"
    assert ours().encode("") == [] and ours().decode([]) == ""
    assert len(ours().encode("人工智能正在改变我们的生活")) == 23
    assert ours().encode("<|im_start|>x") == [1, 104]
    assert ours().token_bytes(504) == b"The" and ours().token_bytes(2) == b"<|im_end|>"
    assert len(ours().vocab) == 49152 and len(ours().ranks) == 48900 and len(ours().special) == 17
    assert (ours().bos_id, ours().eos_id, ours().pad_id) == (1, 2, 2)
    assert (reference().bos_token_id, reference().eos_token_id, reference().pad_token_id) == (1, 2, 2)


def test_bytes_without_a_character_or_a_token():
    """爱的三个字节在几个词元里，只解码前几个写作替换字符；有 21 个字节不在词表里，编码时消失，参考实现也是这样。"""
    assert ours().decode(ours().encode("爱")[:1]) == "\ufffd"
    missing = {byte for byte in range(256) if BYTE_TO_CHAR[byte] not in ours().vocab}
    assert missing == {*map(ord, LOST), 0xC0, 0xC1, 0xF1, 0xF2, *range(0xF5, 0x100)}
    assert ours().encode(f"!{LOST}!") == ours().encode("!!") == smollm().encode(f"!{LOST}!").ids


def test_what_the_reference_leaves_out():
    """transformers 读 GGUF 时没有单独切出数字：数字前的空白、空格后的非 ASCII 数字因此不同，其余相同。"""
    for alike, different in (("x = 5", "x =  5"), ("①②", " ①"), ("17 + 25 = 32", "\n\n5")):
        assert reference().encode(alike) == smollm().encode(alike).ids
        assert reference().encode(different) != smollm().encode(different).ids

    @settings(max_examples=100, deadline=None, derandomize=True)
    @given(texts())
    def otherwise_the_same(text):
        text = "".join(char for char in text if unicodedata.category(char)[0] != "N")
        assert reference().encode(text) == smollm().encode(text).ids == ours().encode(text)

    otherwise_the_same()


def check_scalars(chars):
    """先成批比较，只在不同的批里逐个查；不同的只有未分配的字符（两边的字符表不一样新）。"""
    probes = {char: f"  {char}{char}a {char}1!{char} {char}" for char in chars}
    found = set()
    for batch in (chars[i : i + 1024] for i in range(0, len(chars), 1024)):
        if not same("\n".join(map(probes.get, batch))):
            found |= {char for char in batch if not same(probes[char])}
    assert all(unicodedata.category(char) == "Cn" for char in found) and len(found) < 1000
    for char in chars:
        if ours().decode(ours().encode(char)) != char:
            assert char in LOST or 0x40000 <= ord(char) < 0xC0000


def test_some_unicode_scalar_values():
    check_scalars(SCALARS[:0x500] + SCALARS[0x500::199])


@pytest.mark.thorough
def test_every_unicode_scalar_value():
    check_scalars(SCALARS)


# ---- 对话模板


@settings(max_examples=100, deadline=None, derandomize=True)
@given(MESSAGES, st.booleans())
def test_chat_matches_reference(messages, prompt):
    before = list(messages)
    text = ours().chat(messages, add_generation_prompt=prompt)
    assert text == reference().apply_chat_template(messages, tokenize=False, add_generation_prompt=prompt)
    assert messages == before


def test_chat_by_hand():
    system = (
        "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n"
    )
    user = [{"role": "user", "content": "hi"}]
    assert ours().chat(user) == f"{system}<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"


# 各种写法：自带的话、去空格、开头的词元、<think>、循环里的编号与中断、命名空间、宏、tojson、训练时才用的标签
CHATML = "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>' + '\n' }}{% endfor %}"
PROMPT = "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
SYSTEM = "{% if messages[0]['role'] != 'system' %}{{ '<|im_start|>system\nBe brief, it\\'s late.<|im_end|>\n' }}{% endif %}"
TEMPLATES = {
    "没有自带的话": CHATML + PROMPT,
    "自带一句": SYSTEM + CHATML + PROMPT,
    "真的换行": SYSTEM.replace("\\n", "\n") + CHATML + PROMPT,
    "去掉空格": CHATML.replace("m['content']", "m['content'] | trim") + PROMPT,
    "先写开头的词元": "{{ bos_token }}" + CHATML.replace("'<|im_end|>'", "eos_token") + PROMPT,
    "先想一想": CHATML + PROMPT.replace("assistant\n", "assistant\n<think>\n\n</think>\n\n"),
    "另一种标记": "{% for m in messages %}[{{ m.role | upper }}] {{ m.content }}{{ eos_token }}{% endfor %}",
    "排得好看": """
{%- set ns = namespace(last=-1) %}
{%- for m in messages %}
    {%- if m.role == 'user' %}{% set ns.last = loop.index0 %}{% endif %}
{%- endfor %}
{% macro shown(m) %}
{{ m.role }}: {{ m | tojson }}
{% endmacro %}
{% for m in messages %}
    {# 一条 #}
    {% if loop.index0 > ns.last + 3 %}{% break %}{% endif %}
    {% if m.role == 'assistant' %}
    {% generation %}
  {{ shown(m) }}
    {% endgeneration %}
    {% else %}
{{ loop.index }}/{{ loop.length }} {{ shown(m) }}
    {% endif %}
{% endfor %}
{% if not tools and documents is none and enable_thinking is not defined %}the end{% endif %}
""",
    "只收交替的": "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Roles must alternate') }}{% endif %}<{{ m.content }}>{% endfor %}",
    "写不出来": "{{ messages[0].content + 1 }}",
    "语法不对": "{% for m in messages %}",
    "想出沙箱": "{{ ''.__class__.__mro__ }}{{ messages.append(1) }}",
}


@cache
def theirs(template):
    tokens = {"bos_token": "<|im_start|>", "eos_token": "<|im_end|>", "chat_template": template}
    return PreTrainedTokenizerFast(tokenizer_object=smollm(), **tokens)


def with_template(template):
    tokenizer = copy(ours())
    tokenizer.template, tokenizer.pad_id = template, None
    return tokenizer


def rendered(tokenizer, function, messages, prompt):
    try:
        return getattr(tokenizer, function)(
            messages, add_generation_prompt=prompt, **({} if function == "chat" else {"tokenize": False})
        )
    except Exception as error:
        return error


@pytest.mark.parametrize("name", TEMPLATES)
@settings(max_examples=30, deadline=None, derandomize=True)
@given(MESSAGES, st.booleans())
def test_every_template_is_followed_or_refused(name, messages, prompt):
    expected = rendered(theirs(TEMPLATES[name]), "apply_chat_template", messages, prompt)
    text = rendered(with_template(TEMPLATES[name]), "chat", messages, prompt)
    if isinstance(expected, Exception):
        assert type(text) is ValueError and str(text).startswith("对话模板写不出这些消息（")
        assert type(expected).__name__ in str(text) and "\n" not in str(text)
    else:
        assert text == expected


@pytest.mark.parametrize(
    ("template", "said"),
    [
        (None, "没有带对话模板"),
        ("", "没有带对话模板"),
        ({"rag": "R", "tool_use": "T"}, "对话模板有 rag、tool_use，没有叫 default 的。"),
        ("{{ unk_token }}", "（TemplateError：要用 unk_token，分词器里没有写）。"),
        ("{{ pad_token }}{{ bos_token }}", "要用 pad_token，"),
        ("{{ raise_exception('no') }}", "（TemplateError：no）。"),
        ("{{ raise_exception('one\nor two') }}", "（TemplateError：one or two）。"),
    ],
)
def test_chat_without_a_usable_template(template, said):
    with pytest.raises(ValueError) as error:
        with_template(template).chat([{"role": "user", "content": "hi"}])
    assert said in str(error.value)


def test_of_several_templates_the_default_is_used(saved, tmp_path):
    named = [
        {"name": "tool_use", "template": "T"},
        {"name": "default", "template": "{{ messages[0].content }}!"},
    ]
    config = tmp_path / "tokenizer_config.json"
    rewritten(saved, tmp_path, lambda read: None)
    config.write_text(json.dumps({"chat_template": named}))
    message = [{"role": "user", "content": "hi"}]
    assert load_tokenizer(BytePairTokenizer, tmp_path).chat(message) == "hi!"
    config.write_text(json.dumps({"chat_template": named[:1]}))
    tokenizer = load_tokenizer(BytePairTokenizer, tmp_path)  # 不要对话，就照常用
    assert tokenizer.encode("hi") == ours().encode("hi")
    with pytest.raises(ValueError, match="没有叫 default 的"):
        tokenizer.chat(message)


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"role": "user"}],
        [{"content": "hi"}],
        [{"role": "user", "content": None}],
        [{"role": "user", "content": "hi", "reasoning_content": "?"}],
        ["hi"],
        "hi",
    ],
)
def test_chat_wants_messages(messages):
    with pytest.raises(ValueError, match="messages 应当是只带 role 与 content 的一列字典"):
        ours().chat(messages)


# ---- 输入不对


def test_wrong_input():
    for method in (ours().encode, ours().pretokenize, ours().tokenize):
        with pytest.raises(TypeError, match="text 应当是 str"):
            method(None)
        with pytest.raises(TypeError, match=r"是 list：\['a', 'b'\]；一次只收一个，多个请逐个来。$"):
            method(["a", "b"])  # 没有 batch
    for call in (ours().merge_steps, spell, pretokenize):
        with pytest.raises(
            TypeError, match=r"^text 应当是 str，收到的是 list：\['a'\]；一次只收一个，多个请逐个来。$"
        ):
            call(["a"])
        with pytest.raises(ValueError, match=r"^text 的第 1 个字符 U\+D800 是落单的代理码位"):
            call("a\ud800")
    for call in (lambda: ours().token_bytes(49152), lambda: ours().decode([5, 49152])):
        with pytest.raises(ValueError, match=r"编号 49152 不在词表里.*49152 个词元，编号从 0 到 49151"):
            call()


def test_bad_vocabularies():
    with pytest.raises(ValueError, match="词表是空的"):
        BytePairTokenizer({}, [])
    with pytest.raises(ValueError, match="编号 1 被几个词元共用：b、c"):
        BytePairTokenizer({"a": 0, "b": 1, "c": 1}, [])
    with pytest.raises(ValueError, match="'a' 与 'b' 合并的结果不在词表里"):
        BytePairTokenizer({"a": 0, "b": 1}, [("a", "b")])
    with pytest.raises(ValueError, match="'爱' 不代表任何字节"):
        BytePairTokenizer({"爱": 0}, [])
    assert BytePairTokenizer({"爱": 0}, [], special=["爱"]).encode("爱") == [0]


def test_a_whole_piece_is_one_token_only_where_asked_for():
    vocab = {"a": 0, "b": 1, "ab": 2}  # 没有一条规则得到 ab
    assert BytePairTokenizer(vocab, []).encode("ab") == [0, 1]
    assert BytePairTokenizer(vocab, [], whole_pieces=True).encode("ab") == [2]


def test_longest_special_token_comes_first():
    tokenizer = BytePairTokenizer({"<a>": 0, "<a><b>": 1, "x": 2}, [], special=["<a>", "<a><b>"])
    assert tokenizer.encode("x<a><b><a>x") == [2, 1, 0, 2]
    assert tokenizer.decode([2, 1, 0], skip_special_tokens=True) == "x"


# ---- 读文件


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("llama")
    reference().save_pretrained(folder)
    smollm().save(str(folder / "tokenizer.json"))
    return folder


def rewritten(saved, folder, change):
    """`saved` 的副本，其中 tokenizer.json 改过。"""
    read = json.loads((saved / "tokenizer.json").read_text(encoding="utf-8"))
    change(read)
    (folder / "tokenizer.json").write_text(json.dumps(read), encoding="utf-8")
    return folder


def test_a_folder_reads_like_the_file(saved, tmp_path):
    from_file, from_folder = read_tokenizer(builtin_llm_path()), read_tokenizer(saved)
    assert from_folder.pop("whole_pieces") is False and from_folder.pop("names")["eos_token"] == "<|im_end|>"
    assert from_folder == from_file
    assert from_file["patterns"] == (r"\p{N}", GPT2)

    def older(read):
        read["model"]["merges"] = [" ".join(pair) for pair in read["model"]["merges"]]
        del read["pre_tokenizer"]["pretokenizers"][1]["use_regex"], read["model"]["ignore_merges"]
        for token in read["added_tokens"]:  # 有的模型，特殊词元只写在 added_tokens 里
            del read["model"]["vocab"][token["content"]]

    rewritten(saved, tmp_path, older)
    config = {"eos_token": {"content": "<|im_end|>"}, "bos_token": None, "chat_template": "T"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    again = read_tokenizer(str(tmp_path))
    assert again["vocab"] == from_file["vocab"] and again["special"] == from_file["special"]
    assert again["merges"] == from_file["merges"] and again["patterns"] == from_file["patterns"]
    assert again["whole_pieces"] is False  # 没写就是照常合并
    assert (again["bos_id"], again["eos_id"], again["pad_id"], again["template"]) == (None, 2, None, "T")
    (tmp_path / "tokenizer_config.json").unlink()
    assert read_tokenizer(tmp_path)["template"] is None and read_tokenizer(tmp_path)["eos_id"] is None


ADDED = {"lstrip": False, "rstrip": False, "single_word": False, "normalized": False, "special": True}
CONFIG, SPECIAL = "tokenizer_config.json", "special_tokens_map.json"
NEW = "它另外声明了词元 '<e1>'，tokenizer.json 里没有"


def saved_again(folder):
    AutoTokenizer.from_pretrained(folder).save_pretrained(folder)


# 文件夹 → (几个文件各改什么, 话里有什么)；没有话的，与 transformers 装出来的相同
DECLARED = {
    "旧的文件": ({"added_tokens.json": {"<e1>": 49152}}, NEW),
    **{
        f"{file} 的 {name}（{type(value).__name__}）": ({file: {name: value}}, NEW)
        for file in (CONFIG, SPECIAL)
        for name, value in [
            ("additional_special_tokens", ["<e1>"]), ("extra_special_tokens", ["<e1>"]), ("pad_token", "<e1>"),
            ("extra_special_tokens", {"image_token": "<e1>"}), ("image_token", "<e1>"),
            ("unk_token", ADDED | {"content": "<e1>"}),
        ]
    },
    "有名字的一表": ({CONFIG: {"model_specific_special_tokens": {"image_token": "<e1>"}}}, NEW),
    "新的写法": ({CONFIG: {"added_tokens_decoder": {"49152": ADDED | {"content": "<e1>"}}}}, NEW),
    "连着空格": ({CONFIG: {"added_tokens_decoder": {"1": ADDED | {"content": "<|im_start|>", "lstrip": True}}}},
        "<|im_start|> 的 lstrip 打开着"),
    "切开特殊词元": ({CONFIG: {"split_special_tokens": True}}, "split_special_tokens 是 True"),
    "声明了，再存": ({CONFIG: {"extra_special_tokens": ["<e1>"]}, "再存": saved_again}, None),
    "词表里的一个词": ({CONFIG: {"additional_special_tokens": ["time"]}}, None),
    "名字": ({CONFIG: {"image_token": "<|im_start|>"}}, None),
    "名字在一表里": ({CONFIG: {"extra_special_tokens": {"image_token": "<|im_start|>"}}}, None),
    "名字带着选项": ({SPECIAL: {"image_token": ADDED | {"content": "<|im_end|>"}}}, None),
    "旧的文件压过新的": ({CONFIG: {"eos_token": "<|im_end|>"}, SPECIAL: {"eos_token": "<|endoftext|>"}}, None),
    "新的写法不看旧的": ({CONFIG: {"eos_token": "<|im_end|>", "added_tokens_decoder": {}},
        SPECIAL: {"eos_token": "<|endoftext|>", "additional_special_tokens": ["<e1>"]}, "added_tokens.json": {"<e1>": 9}}, None),
    "写明没有": ({SPECIAL: {"pad_token": None}}, None),
    "开关": ({CONFIG: {"add_bos_token": True, "add_eos_token": False, "split_special_tokens": False}}, None),
}  # fmt: skip


@pytest.mark.parametrize("row", DECLARED)
def test_what_is_declared_is_followed_or_refused(saved, tmp_path, row):
    folder = shutil.copytree(saved, tmp_path / "m")
    changes, said = DECLARED[row]
    (folder / "chat_template.jinja").write_text("{{ image_token }}{{ eos_token }}{{ messages[0].content }}")
    for file, change in changes.items():
        change(folder) if callable(change) else rewrite(folder / file, change)
    if said:
        assert said in refusal(load_tokenizer, BytePairTokenizer, folder)
        return
    mine, theirs = load_tokenizer(BytePairTokenizer, folder), AutoTokenizer.from_pretrained(folder)
    for text in ("hi <e1>x</e1>", "sometimes<|im_end|> time", " <|endoftext|>\n"):
        assert mine.encode(text) == theirs.encode(text, add_special_tokens=False)
    assert (mine.bos_id, mine.eos_id, mine.pad_id) == (
        theirs.bos_token_id, theirs.eos_token_id, theirs.pad_token_id,
    )  # fmt: skip
    message = [{"role": "user", "content": "hi"}]
    assert mine.chat(message) == theirs.apply_chat_template(message, tokenize=False)


def test_from_pretrained(saved, monkeypatch, tmp_path):
    small = make_gguf(tmp_path / "small.gguf", ids={})
    monkeypatch.setattr("course_lib.byte_pair.llm_source", {None: saved, "small": small}.get)
    assert BytePairTokenizer.from_pretrained().ranks == ours().ranks
    assert list(BytePairTokenizer.from_pretrained("small").vocab) == ["<s>", "a", "b", "ab", "<u>", "</s>"]


def test_a_folder_without_a_tokenizer(tmp_path):
    with pytest.raises(PretrainedError, match=r"的分词器不能用：没有 tokenizer\.json。$"):
        read_tokenizer(tmp_path)


LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


@pytest.mark.parametrize(
    ("steps", "patterns", "whole"),
    [
        (ByteLevel(add_prefix_space=False), (GPT2,), True),
        (Sequence([Split(Regex(LLAMA3), "isolated"), ByteLevel(False, use_regex=False)]), (LLAMA3,), True),
        (Sequence([Digits(False), ByteLevel(False)]), (r"\p{N}+", GPT2), False),
    ],
    ids=["gpt-2", "llama-3", "runs of digits"],
)
def test_other_kinds_of_cutting(saved, tmp_path, steps, patterns, whole):
    """预切分不同、整段先查词表的，也与参考实现相同。"""

    def change(read):
        read["model"]["ignore_merges"] = whole
        read["model"]["vocab"]["Ġqz"] = 49152  # 没有一条合并规则得到它

    rewritten(saved, tmp_path, change)
    theirs = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    theirs.pre_tokenizer = steps
    theirs.save(str(tmp_path / "tokenizer.json"))
    mine = BytePairTokenizer(**read_tokenizer(tmp_path))
    assert mine.patterns == patterns
    assert (mine.encode(" qz") == [49152]) is whole

    @settings(max_examples=100, deadline=None, derandomize=True)
    @given(texts().map(lambda text: text + " qz"))
    def same(text):
        assert mine.encode(text) == theirs.encode(text).ids

    same()


def test_a_small_file(tmp_path):
    path = tmp_path / "small.gguf"
    tokenizer = GGUF_TOKENIZER | {"pre": "gpt-2", "add_space_prefix": False}
    small = BytePairTokenizer.from_gguf(make_gguf(path, ids={}, tokenizer=tokenizer))
    assert small.encode("ab<u>ba</s>") == [3, 4, 2, 1, 5] and small.decode([3, 4]) == "ab<u>"
    assert small.special == {"<s>": 0, "<u>": 4, "</s>": 5}
    assert small.patterns == (GPT2,) and small.template is None
    assert (small.bos_id, small.eos_id, small.pad_id) == (None, None, None)
    ids = {"bos": 0, "eos": 5, "padding": 4}
    small = BytePairTokenizer.from_gguf(make_gguf(path, ids=ids, tokenizer__chat_template="T"))
    assert (small.bos_id, small.eos_id, small.pad_id, small.template) == (0, 5, 4, "T")


def test_a_broken_file(tmp_path):
    """不存在的、只有一半的文件，无论断在哪里，都只说一句话。"""
    whole = make_gguf(tmp_path / "whole.gguf", {"t": torch.ones(8)}, {}, {}).read_bytes()
    for size in (None, *range(0, len(whole), 7)):
        path = tmp_path / f"{size}.gguf"
        if size is not None:
            path.write_bytes(whole[:size])
        with pytest.raises(
            PretrainedError, match=r"读不了 .*\.gguf（\w+Error）；请检查路径.*完整的 GGUF 文件。$"
        ):
            BytePairTokenizer.from_gguf(path)


# ---- 训练


@pytest.mark.parametrize("patterns", [SMOLLM, (GPT2,)], ids=["SmolLM", "GPT-2"])
def test_training_matches_reference(patterns):
    """同一段文字、同样的切法，400 次合并与参考实现的训练器逐次相同，同分的先后也相同；特殊词元不算在内。"""
    rng = random.Random(2)
    words = ["".join(rng.choices("abcdefghij爱们", k=rng.randint(1, 9))) for _ in range(300)]
    text = " ".join(rng.choice(words[: rng.randint(1, 300)]) for _ in range(3000)) + " 1999" * 99
    theirs = Tokenizer(models.BPE())
    if patterns == SMOLLM:
        theirs.pre_tokenizer = smollm().pre_tokenizer
    else:
        theirs.pre_tokenizer = ByteLevel(add_prefix_space=False)
    alphabet = ByteLevel.alphabet()
    theirs.train_from_iterator(
        [text], trainers.BpeTrainer(vocab_size=256 + 400, initial_alphabet=alphabet, show_progress=False)
    )
    learned = [tuple(pair) for pair in json.loads(theirs.to_str())["model"]["merges"]]
    mine = train_byte_pairs(text, 400, patterns)
    assert list(mine.ranks) == learned and len(learned) == 400
    assert mine.vocab == theirs.get_vocab()
    assert mine.encode(text) == theirs.encode(text).ids
    assert ("Ġ1999" in mine.vocab) == (patterns != SMOLLM)
    marked = train_byte_pairs(f"<|end|>{text}<|end|>", 400, patterns, special=["<|end|>", "<|pad|>"])
    assert marked.ranks == mine.ranks
    theirs.add_special_tokens(["<|end|>", "<|pad|>"])
    assert marked.encode("<|pad|>" + text) == theirs.encode("<|pad|>" + text).ids
    assert len(mine.encode(text)) < len(train_byte_pairs(text, 100).encode(text))


def test_training_by_hand():
    trained = train_byte_pairs("low low lower", 4)
    assert list(trained.ranks) == [("l", "o"), ("lo", "w"), ("Ġ", "low"), ("e", "r")]
    assert list(trained.vocab)[:2] == ["!", '"'] and list(trained.vocab)[256:] == ["lo", "low", "Ġlow", "er"]
    assert trained.encode("low slower") == [257, trained.vocab["Ġ"], trained.vocab["s"], 257, 259]
    assert list(train_byte_pairs("ab", 9).ranks) == [("a", "b")]  # 无可合并，提早停下
    assert list(train_byte_pairs("", 9).ranks) == [] == list(train_byte_pairs("ab", 0).ranks)


def test_training_wants_a_text():
    with pytest.raises(TypeError, match=r"^text 应当是 str.*；学的是一个文本，多个请先连成一个。$"):
        train_byte_pairs(["aa", "bb"], 2)
    with pytest.raises(ValueError, match="num_merges=-1 不能是负数"):
        train_byte_pairs("ab", -1)
