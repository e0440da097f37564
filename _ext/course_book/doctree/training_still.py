"""“训练一个 Transformer”静止的画：一层与两层照着抄，没见过的句子答对几成；没有脚本的页、首页的门都用它。

数在 TRAINED 里，由 tests/browser/test_train_experiments.py 守着。
"""

import json

from docutils import nodes

from course_book.doctree.traditional_chinese import in_book_language

# 种子 1，每 20 步考一次，到第 400 步：没见过的答对几成（right），平均的损失（loss）
EVERY = 20
TRAINED = {
    "两层": {
        "right": (
            *(0.14, 0.20, 0.27, 0.36, 0.54, 0.71, 0.81, 0.89, 0.92, 0.96),
            *(0.97, 0.99, 0.99, 0.99, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00),
        ),
        "loss": (
            *(2.26, 2.18, 1.96, 1.73, 1.39, 0.96, 0.64, 0.38, 0.26, 0.14),
            *(0.10, 0.05, 0.03, 0.03, 0.02, 0.02, 0.01, 0.01, 0.01, 0.00),
        ),
    },
    "一层": {
        "right": (
            *(0.13, 0.15, 0.18, 0.25, 0.30, 0.27, 0.26, 0.24, 0.22, 0.22),
            *(0.19, 0.13, 0.18, 0.12, 0.10, 0.13, 0.09, 0.15, 0.08, 0.16),
        ),
        "loss": (
            *(2.28, 2.24, 2.18, 1.99, 1.82, 1.83, 1.88, 1.91, 2.02, 2.00),
            *(2.16, 2.32, 2.30, 2.40, 2.57, 2.65, 2.74, 2.62, 2.84, 2.71),
        ),
    },
}
PANEL = '<div class="live-train"'
WIDTH, LEFT, RIGHT, TOP = 340, 24, 44, 8


def still(door: bool = False) -> str:
    """两条曲线；画在首页的门上时矮一些，不写步数，读屏的跳过它。"""
    height, bottom = (64, 8) if door else (150, 22)

    def x(step: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * step / (EVERY * len(TRAINED["两层"]["right"]))

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
    for kind, (name, told) in zip(("one", "other"), TRAINED.items(), strict=True):
        values = told["right"]
        points = " ".join(f"{x(EVERY * (i + 1)):g},{y(value):g}" for i, value in enumerate(values))
        kept = "" if door else f" data-told='{json.dumps(told | {'every': EVERY})}'"  # 面板里也淡淡地画着
        drawn += f'<polyline class="still-{kind}" points="{points}"{kept}/>'
        drawn += f'<text x="{WIDTH - RIGHT + 6}" y="{y(values[-1]) + 4:g}">{name}</text>'
    label = (
        'aria-hidden="true"'
        if door
        else 'role="img" aria-label="照着抄：两层的升到全对，一层的到头来不到两成"'
    )
    return f'<svg class="train-still" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" font-size="13" {label}>{drawn}</svg>'


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
