"""中文全文检索：索引与查询两边都把连续的汉字按相邻两字切开，不需要词典。"""

import re
from itertools import pairwise
from pathlib import Path

from sphinx.search import SearchLanguage

HAN = "[\u3400-\u9fff]"
RUN = re.compile(f"[A-Za-z0-9_]+|{HAN}+")
PAIR = re.compile(HAN * 2)


class ChinesePairs(SearchLanguage):
    lang = "zh"
    language_name = "Chinese"
    js_splitter_code = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")

    before = ""  # 上一段的最后一个字

    def split(self, text):
        # Sphinx 把一段话在链接与强调处断开、逐段送来，接缝处的两个字也要收
        terms = PAIR.findall(self.before + text[:1])
        self.before = text[-1:]
        for run in RUN.findall(text):
            # 单字也收进索引，好让只有一个字的查询有结果
            terms += [run] if run.isascii() else [*run, *map("".join, pairwise(run))]
        return terms


def setup(app):
    app.add_search_language(ChinesePairs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
