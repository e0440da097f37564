"""数不印成一串字，排成一张表：小数点对齐，要比大小的一栏在数的旁边画一条横条。"""

import html
from collections.abc import Iterable, Mapping, Sequence

from IPython.display import HTML, display

from . import palette

STYLE = """
table.shown { margin: 0.4rem 0; border-collapse: collapse; color: var(--ink, inherit); font-size: 0.94rem; line-height: 1.5; }
table.shown caption { caption-side: bottom; padding-top: 0.5rem; color: var(--faint, inherit); font-size: 0.88rem; text-align: start; }
table.shown :is(th, td) { padding: 0.28rem 1.6rem 0.28rem 0; border: 0; border-bottom: 1px solid var(--line, #d4d9de); background: none; font-weight: 400; text-align: start; white-space: nowrap; }
table.shown thead :is(th, td) { border-bottom-color: var(--faint, #5f6b76); font-weight: 600; }
table.shown td:not(.number, .barred) { white-space: normal; word-break: keep-all; }
table.shown .number { font-variant-numeric: tabular-nums; text-align: end; }
table.shown .barred { min-width: 9.5rem; text-align: start; }
table.shown .barred > span { display: inline-block; width: 3.6rem; text-align: end; }
table.shown .barred > i { display: inline-block; box-sizing: border-box; width: calc(5rem * var(--share)); height: 0.6rem; margin-inline-start: 0.5rem; border: 1px solid var(--hue); background: var(--hue); }
table.shown .barred > i.below { background: none; }
@media (max-width: 480px) {
  table.shown { font-size: 0.88rem; }
  table.shown :is(th, td) { padding-inline-end: 0.55rem; }
  table.shown :is(th, td):last-child { padding-inline-end: 0; }
  table.shown thead th { min-width: 2.8em; line-height: 1.35; vertical-align: bottom; white-space: normal; }
  table.shown .barred { min-width: 5.6rem; }
  table.shown .barred > span { width: 2.9rem; }
  table.shown .barred > i { width: calc(2.3rem * var(--share)); margin-inline-start: 0.3rem; }
}
"""


def table(
    rows: Iterable[Sequence],
    columns: Mapping[str, str],
    bars: Mapping[str, str] | None = None,
    caption: str = "",
) -> None:
    """展示一张表。

    参数：rows，每条的各个值，文字或数；columns，栏名 → 数的写法，如 ".2f"，文字的一栏写 ""，栏名可以空着；
    bars，栏名 → 颜色的名字（见 `palette`），那一栏的数旁边画一条横条，最长的是绝对值最大的，负数的空心；
    caption，表下面的一句话。
    错误：bars 里有不在 columns 里的栏，颜色没有这个名字，或者哪一条的值不是每栏一个时，抛出 `ValueError`。
    """
    rows, bars = [list(row) for row in rows], dict(bars or {})
    if unknown := [name for name in bars if name not in columns]:
        raise ValueError(f"要画横条的 {unknown[0]!r} 不在各栏里：{'、'.join(columns)}。")
    if unknown := [name for name in bars.values() if name not in palette.COLORS]:
        raise ValueError(f"没有名叫 {unknown[0]!r} 的颜色，有的是：{'、'.join(palette.COLORS)}。")
    for row in rows:
        if len(row) != len(columns):
            raise ValueError(f"一条里应当有 {len(columns)} 个值，{row} 有 {len(row)} 个。")
    kinds = [_kind(name, spec, bars) for name, spec in columns.items()]
    tops = [
        max((abs(float(row[i])) for row in rows), default=0) if name in bars else 0
        for i, name in enumerate(columns)
    ]
    head = "".join(
        f'<th scope="col"{kind}>{html.escape(name)}</th>' if name else "<td></td>"
        for name, kind in zip(columns, kinds, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{kind}>{_cell(value, spec, bars.get(name), top)}</td>"
            for value, (name, spec), kind, top in zip(row, columns.items(), kinds, tops, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    said = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    display(
        HTML(
            f'<table class="shown">{said}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
            f'<div data-library="table"><style>{palette.css()}{STYLE}</style></div>'
        )
    )


def _kind(name: str, spec: str, bars: Mapping[str, str]) -> str:
    return ' class="barred"' if name in bars else ' class="number"' if spec else ""


def _cell(value, spec: str, color: str | None, top: float) -> str:
    said = html.escape(format(value, spec).replace("-", "−") if spec else str(value))
    if color is None:
        return said
    share = abs(float(value)) / top if top else 0
    below = ' class="below"' * (float(value) < 0)
    return f'<span>{said}</span><i{below} style="--share:{share:.3f};--hue:var(--{color})"></i>'
