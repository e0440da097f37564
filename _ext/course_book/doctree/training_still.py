"""“训练一个 Transformer”静止的画：一层与两层照着抄，没见过的句子答对几成；没有脚本的页、首页的门都用它。

数是网页自己的代码训练出来的，tools/training_still.py 存在旁边的 json 里，由 tests/browser/test_train_experiments.py 守着；
面板打开时画的也是它们，随着画写在页里。
"""

import json
from pathlib import Path

from docutils import nodes

from course_book.doctree.traditional_chinese import in_book_language

# 种子 1，照着抄，两层与一层：每 every 步考一次，没见过的答对几成（right），平均的损失（loss）；走完了怎样读一句（seen）
STORED = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
NAMES = ("两层", "一层")
STEPS = STORED[0]["every"] * len(STORED[0]["right"])
PANEL = '<div class="live-train"'
WIDTH, LEFT, RIGHT, TOP = 340, 24, 44, 8


def still(door: bool = False) -> str:
    """两条曲线；画在首页的门上时矮一些，不写步数，读屏的跳过它。"""
    height, bottom = (98, 8) if door else (150, 22)

    def x(step: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * step / STEPS

    def y(value: float) -> float:
        return TOP + (height - TOP - bottom) * (1 - value)

    drawn = "".join(
        f'<path class="still-tick" d="M{LEFT} {y(value):g}H{WIDTH - RIGHT}"/>'
        f'<text class="still-left" x="{LEFT - 5}" y="{y(value) + 4:g}">{value:g}</text>'
        for value in (0, 1)
    )
    if not door:
        drawn += "".join(
            f'<text class="still-under" x="{x(step):g}" y="{height - 5}">{step}{" 步" if step else ""}</text>'
            for step in (0, 200, 400)
        )
    for kind, name, told in zip(("one", "other"), NAMES, STORED, strict=True):
        values = told["right"]
        points = " ".join(f"{x(told['every'] * (i + 1)):g},{y(value):g}" for i, value in enumerate(values))
        kept = "" if door else f" data-told='{json.dumps(told)}'"
        drawn += f'<polyline class="still-{kind}" points="{points}"{kept}/>'
        drawn += f'<text x="{WIDTH - RIGHT + 6}" y="{y(values[-1]) + 4:g}">{name}</text>'
    label = (
        'aria-hidden="true"'
        if door
        else 'role="img" aria-label="照着抄：两层的升到全对，一层的到头来不到两成"'
    )
    return f'<svg class="train-still" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" font-size="{14 if door else 13}" {label}>{drawn}</svg>'


def add_still(app, doctree):
    for raw in [*doctree.findall(nodes.raw)]:
        text = raw.astext()
        if PANEL in text:
            end = text.rindex("</div>")
            raw.replace_self(
                nodes.raw("", f"{text[:end]}{in_book_language(still())}\n{text[end:]}", **raw.attributes)
            )


def setup(app):
    app.connect("doctree-read", add_still)
