"""权重取不到、装不上时的错误；装上了，却有一句要说的，也在这里说。"""

import re
import sys


class PretrainedError(RuntimeError):
    """预训练模型取不到、文件残缺，或者权重对不上；消息是一句话，一行。"""

    def __init__(self, message: str):
        # 文件里的名字与值可以很怪，换行也有
        super().__init__(re.sub(r"[\x00-\x1f\x7f\x85\u2028\u2029]+", " ", message))


class HubError(PretrainedError):
    """hub 或镜像上的模型取不到。"""


def say(sentence: str) -> None:
    """印一句话；印不出汉字的终端上印成问号，不停下。"""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print(sentence.encode(encoding, "replace").decode(encoding))


class SourceError(Exception):
    """一个来源没有给出能用的文件；消息就是原因，由知道还有没有别的来源的那一方写成一句话。"""
