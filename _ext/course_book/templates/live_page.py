"""三个活的网页：有面板（live-bert、live-llm、live-train）的网页才载入它的脚本与样式；几个模型的数据要等读者按下按钮才取，
训练的一页只有几千个字节的 products.wasm，打开就取。

可以打字的“分词”那幅图也用 BERT 的分词器，词表要等读者点了输入框才取；
练习格的编辑框要的 Python 也一样。
"""

from dataclasses import dataclass

from docutils import nodes

from course_book.after_writing import live_llm, live_qwen, live_train
from course_book.after_writing.live_data import put_data
from course_book.doctree.exercises import has_exercises
from course_book.doctree.traditional_chinese import LANGUAGE


@dataclass(frozen=True)
class Panel:
    """一种面板：整页在哪里，要哪些脚本与样式。依次载入，最后的 panel.js 一载入就动手；whole 里的只有整页用得着。"""

    page: str
    scripts: tuple[str, ...]
    styles: tuple[str, ...]
    whole: frozenset[str] = frozenset()


# 面板的类名就是 live- 加上它的名字，数据在同名的文件夹里
PANELS = {
    "bert": Panel(
        "chapters/live",
        (
            *(
                "engine.js",
                "bert/tokenizer.js",
                "bert/unigram.js",
                "bert/bert.js",
                "bert/weights.js",
                "bert/simd.js",
            ),
            *(
                "bert/engine.js",
                "marks.js",
                "charts.js",
                "address.js",
                "bert/state.js",
                "bert/preview.js",
                "bert/parts.js",
                "bert/tokens.js",
            ),
            *("bert/patterns.js", "bert/journey.js", "bert/heads.js", "bert/cell.js", "bert/intervene.js"),
            *("bert/cosine.js", "bert/tabs.js", "bert/panel.js"),
        ),
        ("live.css", "bert/bert.css", "whole.css"),
        frozenset(
            {
                "whole.css",
                *(f"bert/{name}.js" for name in ("patterns", "journey", "cell", "intervene", "tabs")),
            }
        ),
    ),
    "llm": Panel(
        "chapters/llm",
        (
            *("engine.js", "llm/byte_pair.js", "llm/blocks.js", "llm/language_model.js", "llm/questions.js"),
            *("llm/engine.js", "llm/sampling.js", "llm/writer.js", "llm/session.js"),
            *("marks.js", "charts.js", "address.js", "llm/tokens.js", "llm/state.js", "llm/reader.js"),
            *("llm/prompt.js", "llm/controls.js", "llm/bars.js", "llm/surprise.js"),
            *("llm/written.js", "llm/attention.js", "llm/layers.js", "llm/inside.js"),
            *("llm/desk.js", "llm/pen.js", "llm/panel.js"),
        ),
        ("live.css", "llm/llm.css", "whole.css"),
    ),
    "train": Panel(
        "chapters/train",
        (
            *("engine.js", "marks.js", "charts.js", "address.js"),
            *(f"train/{name}.js" for name in live_train.PARTS),
            *(
                f"train/{name}.js"
                for name in ("engine", "choices", "experiments", "pictures", "paper", "panel")
            ),
        ),
        ("train/train.css", "train/reading.css", "whole.css"),
    ),
}
TYPING = ("engine.js", "bert/tokenizer.js", "bert/vocabulary.js")
EXERCISES = (
    "engine.js",
    *(f"python/{name}.js" for name in ("worker", "engine", "store", "keys", "editor", "progress")),
)


def panels_in(doctree) -> list[str]:
    raws = [raw.astext() for raw in doctree.findall(nodes.raw)] if doctree else []
    return [name for name in PANELS if any(f'class="live-{name}"' in raw for raw in raws)]


def add_tags(app, pagename, templatename, context, doctree):
    root = "../" * pagename.count("/")
    # 数据只有一份，在简体的书里；脚本里有字，两本书各有一份
    data = f' data-root="{root}{"../" if LANGUAGE == "zh-TW" else ""}live/"'
    scripts, styles = {}, {}
    if doctree and "tokenize" in app.env.metadata.get(pagename, {}).get("explorables", []):
        scripts = dict.fromkeys(TYPING, "") | {"bert/vocabulary.js": data}
    if doctree and has_exercises(doctree):
        scripts |= dict.fromkeys(EXERCISES, "") | {"python/engine.js": data}
        styles["python/exercises.css"] = ""
    for name in panels_in(doctree):
        panel = PANELS[name]
        page, size = root + app.builder.get_target_uri(panel.page), put_data(app.outdir, name)
        # 要取的字节数：经 http 压缩之后大约就是这么多；书里没有数据时不写
        facts = f'{data} data-page="{page}"' + (f' data-bytes="{size}"' if size else "")
        if name == "bert":  # 这一页有两个模型
            facts += f' data-bytes-zh="{put_data(app.outdir, "multilingual")}"'
        if name == "llm" and (chinese := put_data(app.outdir, "qwen")):  # 只有为它成的书里有
            facts += f' data-bytes-zh="{chinese}"'
        left_out = frozenset() if pagename == panel.page else panel.whole
        scripts |= {script: "" for script in panel.scripts if script not in left_out}
        scripts[panel.scripts[-1]] = facts
        styles |= {style: "" for style in panel.styles if style not in left_out}
    tags = [f'<link rel="stylesheet" href="{root}live/{name}">' for name in styles]
    tags += [f'<script defer src="{root}live/{name}"{facts}></script>' for name, facts in scripts.items()]
    if tags:
        context["metatags"] = "\n".join([context.get("metatags", ""), *tags, ""])


def setup(app):
    # 书里有没有大语言模型的数据，页上写的不同：变了就把网页都重写一遍
    app.add_config_value("live_llm", (live_llm.is_wanted(), live_qwen.is_wanted()), "html")
    app.connect("html-page-context", add_tags)
