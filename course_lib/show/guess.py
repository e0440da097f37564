"""先猜再看：一个问题，几个选项，点开哪一个就说它对在哪里、错在哪里；不要脚本，也不要内核。"""

import hashlib
import html

from IPython.display import HTML, display

STYLE = """
.guess { margin: 1.2rem 0; padding: 0.7rem 1rem; color: var(--ink, inherit); border-left: 4px solid var(--weight, #7a4fa3); }
.guess > p { margin: 0 0 0.4rem; }
.guess details { margin: 0.3rem 0; }
.guess summary { width: fit-content; min-width: 8rem; padding: 0.45rem 0.9rem; border: 1px solid var(--line, #d4d9de); border-radius: 8px; cursor: pointer; list-style: none; }
.guess summary:hover { border-color: currentcolor; }
.guess details[open] summary { border-color: var(--minus, #b3541e); font-weight: 600; }
.guess details.right[open] summary { border-color: var(--plus, #1b7f86); }
.guess details p { margin: 0.4rem 0 0.6rem 0.9rem; }
@supports selector(::details-content) { /* 选项排成一行，说明在它们下面 */
  .guess { display: flex; flex-wrap: wrap; gap: 0.5rem; }
  .guess > p, .guess details::details-content { flex-basis: 100%; }
  .guess > p { margin: 0; }
  .guess details { display: contents; }
  .guess details::details-content { order: 1; }
  .guess details:not([open])::details-content { display: none; }
  .guess details p { margin: 0.2rem 0 0; }
}
"""


def guess(question: str, options: dict[str, str], right: str) -> None:
    """展示一道猜一猜；读者点开一个选项，才看见它的说明。

    参数：question，问题；options，选项 → 点开后的说明，错的也要说错在哪里；right，哪个选项对。
    错误：right 不在选项里，或者有选项没有说明时，抛出 `ValueError`。
    """
    if right not in options:
        raise ValueError(f"对的选项 {right!r} 不在选项里：{'、'.join(options)}。")
    if silent := [option for option, said in options.items() if not said.strip()]:
        raise ValueError(f"选项 {silent[0]!r} 没有说明：猜错的人也要知道错在哪里。")
    name = "guess-" + hashlib.sha256(repr([question, *options]).encode()).hexdigest()[:8]
    lines = [
        f'<details name="{name}"{" class=right" if option == right else ""}><summary>{html.escape(option)}</summary>'
        f"<p>{'✓ ' if option == right else '✗ '}{html.escape(said)}</p></details>"
        for option, said in options.items()
    ]
    asked = f"<p><b>先猜一猜</b>　{html.escape(question)}</p>"
    display(
        HTML(
            f'<div class="guess" role="group" aria-label="先猜一猜">{asked}{"".join(lines)}</div>'
            f'<div data-library="guess"><style>{STYLE}</style></div>'
        )
    )
