"""网页里的训练要用的数据：live/train/products.wat 汇编成的 products.wasm，打开就取；读这本书要的文字，选了才取。"""

import gzip
import json
from functools import cache

from wasmtime import wat2wasm

from course_book import ROOT
from course_book.doctree import taiwan_chinese
from course_book.doctree.traditional_chinese import LANGUAGE, in_book_language
from course_lib.tasks.counting import Counting
from course_lib.tasks.this_book import Texts, this_book

KERNEL = ROOT / "live/train/products.wat"
# live/train/ 里带进后台线程的各个文件，依次载入
PARTS = ("random", "products", "parts", "model", "optimiser", "tasks", "reading", "trainer")


@cache
def data_files() -> dict[str, bytes]:
    """文件名 → 内容；网页先取 config.json。"""
    files = {"products.wasm": bytes(wat2wasm(KERNEL.read_text(encoding="utf-8")))}
    config = {"files": {name: len(content) for name, content in files.items()}}
    return {"config.json": json.dumps(config).encode()} | files


@cache
def texts() -> Texts:
    """网页里读的这本书；繁体的书读的是自己的。"""
    return this_book(taiwan_chinese.convert if LANGUAGE == "zh-TW" else str)


@cache
def book_text() -> bytes:
    """读这本书的文字：词表，读的，考的，数次数的模型在考的那两章上要多少比特。"""
    words, training, tuning, held, _ = texts()
    lines = {
        in_book_language(name): round(Counting(training, words, before).tune(tuning).bits(held), 3)
        for name, before in {"只数单字": 0, "看前一个字": 1, "看前四个字": 4}.items()
    }
    book = {"words": words, "training": training, "held": held, "lines": lines}
    return gzip.compress(json.dumps(book, ensure_ascii=False).encode(), mtime=0)
