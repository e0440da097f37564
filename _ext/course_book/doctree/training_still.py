"""“训练一个 Transformer”静止的画：一层与两层照着抄，没见过的句子答对几成；没有脚本的页、首页的门都用它。

数在 TRAINED 里，由 tests/browser/test_train_experiments.py 守着。
"""

from docutils import nodes

from course_book.doctree.traditional_chinese import in_book_language

# 种子 1，每 20 步考一次，到第 400 步
EVERY = 20
TRAINED = {
    "两层": (
        *(0.14, 0.20, 0.27, 0.36, 0.54, 0.71, 0.81, 0.89, 0.92, 0.96),
        *(0.97, 0.99, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00),
    ),
    "一层": (
        *(0.13, 0.15, 0.18, 0.25, 0.30, 0.27, 0.26, 0.24, 0.22, 0.22),
        *(0.20, 0.13, 0.18, 0.12, 0.10, 0.13, 0.09, 0.15, 0.07, 0.16),
    ),
}
PANEL = '<div class="live-train"'
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 340, 150, 24, 44, 8, 22


def still(hidden: bool = False) -> str:
    """两条曲线；hidden 时读屏的跳过它。"""

    def x(step: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * step / (EVERY * len(TRAINED["两层"]))

    def y(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - value)

    drawn = "".join(
        f'<path class="still-tick" d="M{LEFT} {y(value):g}H{WIDTH - RIGHT}"/>'
        f'<text class="still-left" x="{LEFT - 5}" y="{y(value) + 4:g}">{value:g}</text>'
        for value in (0, 1)
    )
    drawn += "".join(
        f'<text class="still-under" x="{x(step):g}" y="{HEIGHT - 5}">{step}{" 步" if step else ""}</text>'
        for step in (0, 200, 400)
    )
    for kind, (name, values) in zip(("one", "other"), TRAINED.items(), strict=True):
        points = " ".join(f"{x(EVERY * (i + 1)):g},{y(value):g}" for i, value in enumerate(values))
        drawn += f'<polyline class="still-{kind}" points="{points}"/>'
        drawn += f'<text x="{WIDTH - RIGHT + 6}" y="{y(values[-1]) + 4:g}">{name}</text>'
    label = (
        'aria-hidden="true"'
        if hidden
        else 'role="img" aria-label="照着抄：两层的升到全对，一层的到头来不到两成"'
    )
    return f'<svg class="train-still" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" font-size="13" {label}>{drawn}</svg>'


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
