"""图下面的一句话，说出要看什么；成书时添上图的号码，宽得下就立在图的旁边。"""

import html

import matplotlib.pyplot as plt

from . import palette

STYLE = """
figure.shown { margin: 1rem 0; color: var(--ink, inherit); }
figure.shown > figcaption { margin-top: 0.4rem; color: var(--faint, inherit); font-size: 0.88rem; font-style: normal; line-height: 1.6; text-align: start; }
.drawing > svg + svg, .plot > .narrow { display: none; }
@media screen and (max-width: 600px) {
  .drawing > svg:has(+ svg), .plot > .wide { display: none; }
  .drawing > svg + svg, .plot > .narrow { display: block; min-width: 0 !important; }
}
"""


def caption(text: str) -> None:
    """给正在画的一幅 matplotlib 图写上说明，写在画图的一格里。

    参数：text，一句话，说出要看的是什么；图题只写画的是什么。
    """
    plt.gcf().set_label(text)


def captioned(picture: str, text: str) -> str:
    """一幅图的 HTML 连同它的说明；没有说明就照原样。"""
    if not text:
        return picture
    return f'<figure class="shown">{picture}<figcaption>{html.escape(text)}</figcaption></figure>'


def style() -> str:
    """笔记本里随每幅图而来的颜色与说明的样子；在成书里各页共用一份。"""
    return f'<div data-library="picture"><style>{palette.css()}{STYLE}</style></div>'
