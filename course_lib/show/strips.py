"""一个词一条：几个词各有一个数，一眼看出高低，与一道线相比。"""

import html
from collections.abc import Iterable, Sequence

from IPython.display import HTML, display

from . import captions, palette

STYLE = """
.strip-shown { display: grid; grid-template-columns: max-content minmax(0, 1fr) max-content; gap: 0.3rem 0.8rem; align-items: center; max-width: 36rem; color: var(--ink, inherit); font-size: 0.94rem; line-height: 1.5; }
.strip-shown .track { position: relative; height: 0.8rem; background: color-mix(in srgb, var(--line, #d4d9de) 45%, transparent); }
.strip-shown .bar { position: absolute; inset: 0 auto 0 0; box-sizing: border-box; border: 1px solid var(--hue); background: var(--hue); opacity: 0.55; }
.strip-shown .told .bar { opacity: 1; }
.strip-shown .told { font-weight: 600; }
.strip-shown .mark { position: absolute; inset-block: -0.3rem; width: 0; padding: 0; background: none; border-left: 2px dashed var(--ink, currentcolor); }
.strip-shown .number { font-variant-numeric: tabular-nums; text-align: end; }
.strip-shown .row { display: contents; }
@media (max-width: 480px) { .strip-shown { grid-template-columns: fit-content(9rem) minmax(0, 1fr) max-content; gap: 0.4rem 0.7rem; line-height: 1.35; } }
"""


def strip(
    words: Sequence[str],
    values: Iterable[float],
    line: tuple[float, str] | None = None,
    told: Sequence[str] = (),
    hue: str = "weight",
    spec: str = ".2f",
    top: float = 1.0,
    caption: str = "",
) -> None:
    """展示几个词各自的一个数，一个词一条横条。

    参数：words 与 values，词与它的数，不为负；line，(数, 它的名字)，画一道竖的虚线，例如瞎猜的成绩；
    told，行文里说到的那几个词，颜色深、字粗；hue，颜色的名字（见 `palette`）；spec，数的写法；
    top，画满一条的数；caption，图下的一句话。
    错误：词与数不一样多，数是负的或比 top 还大，颜色没有这个名字时，抛出 `ValueError`。
    """
    words, values = list(words), [float(value) for value in values]
    if len(words) != len(values):
        raise ValueError(f"有 {len(words)} 个词，却有 {len(values)} 个数：应当一样多。")
    if wrong := [value for value in [*values, *(line or ())[:1]] if not 0 <= value <= top]:
        raise ValueError(f"{wrong[0]} 不在 0 到 {top} 之间，画不成一条：请改 top。")
    if hue not in palette.COLORS:
        raise ValueError(f"没有名叫 {hue!r} 的颜色，有的是：{'、'.join(palette.COLORS)}。")
    mark = f'<span class="mark" style="left:{100 * line[0] / top:.1f}%"></span>' if line else ""
    rows = "".join(
        f'<div class="row{" told" * (word in told)}" role="listitem"><span>{html.escape(word)}</span>'
        f'<span class="track"><span class="bar" style="width:{100 * value / top:.1f}%"></span>{mark}</span>'
        f'<span class="number">{format(value, spec)}</span></div>'
        for word, value in zip(words, values, strict=True)
    )
    said = f"虚线是{line[1]}，{format(line[0], spec)}。" if line else ""
    text = f"{caption}{said}"
    drawn = f'<div class="strip-shown" role="list" style="--hue:var(--{hue})">{rows}</div>'
    library = f'<div data-library="strip"><style>{STYLE}</style></div>'
    display(HTML(captions.captioned(drawn, text) + captions.style() + library))
