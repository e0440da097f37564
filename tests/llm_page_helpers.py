"""网页里的大语言模型的几个测试文件共用：拿来比的文本，course_lib 的答案。"""

from functools import cache

import torch

from course_lib.byte_pair import BytePairTokenizer
from course_lib.generation import generate
from course_lib.language_model import LanguageModel, LanguageModelOutput

QUESTION = "<|im_start|>user\nWhat is the capital of France?<|im_end|>\n<|im_start|>assistant\n"
PROMPTS = [
    "The capital of France is",
    "Hi",
    "Once upon a time, in a small village by the sea, there lived an old sailor who",
    "John and Paul wrote several songs when they were inspired.",
    "Water boils at 100 degrees Celsius, or 212 degrees",
    "17 + 25 =",
    "To be, or not to be, that is the",
    "The three primary colours are red,",
    "My favourite recipe for pancakes: first, mix the flour and the eggs, then",
    "Q: Who wrote Romeo and Juliet?\nA:",
    "Attention is all you need, said the paper. It replaced recurrence with",
    "In 1969, two astronauts walked on the moon for the first time. Their names were",
    "apple banana cherry apple banana",
    "so it goes on " * 20 + "and on",
    "WHY ARE YOU SHOUTING AT ME?",
    "Café owners in São Paulo love naïve résumés \U0001f600",
    QUESTION,
    "<|im_start|>system\nYou answer in one word.<|im_end|>\n<|im_start|>user\nIs ice cold?<|im_end|>\n<|im_start|>assistant\n",
    "法国的首都是",
    "从前有座山，山里有座庙，庙里有个老和尚在讲故事，讲的是",
    "你好！",
    "水在一百度沸腾，零度",
    "深度学习中的注意力机制",
    "def fibonacci(n):\n    if n < 2:\n        return n\n    return",
    "for (let i = 0; i < 10; i++) {\n  console.log(",
    "SELECT name, age FROM users WHERE",
    '{"name": "Alice", "age": 30, "city":',
    "import numpy as np\n\n\ndef softmax(x):\n    ",
    "<!doctype html>\n<html>\n<head>\n<title>",
    "# Makefile\nall: main.o util.o\n\tgcc",
]  # fmt: skip
WRITTEN = 32


@cache
def tokenizer() -> BytePairTokenizer:
    return BytePairTokenizer.from_pretrained()


@cache
def language_model() -> LanguageModel:
    return LanguageModel.from_pretrained()


@cache
@torch.no_grad()
def reference(text: str) -> LanguageModelOutput:
    """一段文本 → logits (N, V) 的最后一行，隐藏状态 (层 + 1, N, D)，权重 (层, 头, N, N)。"""
    ids = torch.tensor([tokenizer().encode(text)])
    output = language_model()(ids, output_hidden_states=True, need_weights=True, last_only=True)
    return LanguageModelOutput(
        output.logits[0, -1], torch.cat(output.hidden_states), torch.cat(output.attentions)
    )


@cache
def continuation(text: str) -> list[int]:
    """贪心往下写的 `WRITTEN` 个编号。"""
    ids = torch.tensor([tokenizer().encode(text)])
    return generate(language_model(), ids, WRITTEN)[0, ids.size(1) :].tolist()


def relative(got: torch.Tensor, expected: torch.Tensor) -> float:
    """最多差多少，以最大的一个为 1。"""
    return ((got - expected).abs().max() / expected.abs().max()).item()
