"""模型写出的话：题面是灰的，它写的是墨色的，一条一张。"""

import html
from collections.abc import Iterable

from IPython.display import HTML, display

from . import captions

STYLE = """
.samples-shown { display: grid; gap: 0.5rem; max-width: 43rem; margin: 0; padding: 0; list-style: none; }
.samples-shown > li { margin: 0; padding: 0.5rem 0.9rem; border: 1px solid var(--line, #d4d9de); border-radius: 8px; color: var(--ink, inherit); font-size: 0.94rem; line-height: 1.6; overflow-wrap: anywhere; }
.samples-shown small { display: block; color: var(--faint, inherit); font-size: 0.82rem; }
.samples-shown span { color: var(--faint, inherit); white-space: pre-wrap; }
.samples-shown b { font-weight: 500; white-space: pre-wrap; }
"""


def samples(written: Iterable[tuple[str, ...]], caption: str = "") -> None:
    """展示模型写出的几段话。

    参数：written，每段是 (题面, 它写的)，或 (题面, 它写的, 附注)；caption，下面的一句话。
    错误：有一段不是两项或三项时，抛出 `ValueError`。
    """
    items = []
    for one in written:
        if len(one) not in (2, 3):
            raise ValueError(f"每段写作 (题面, 它写的) 或 (题面, 它写的, 附注)，这里是 {one!r}。")
        prompt, text, *note = map(html.escape, one)
        said = f"<small>{note[0]}</small>" if note else ""
        items.append(f"<li>{said}<span>{prompt}</span><b>{text}</b></li>")
    drawn = f'<ul class="samples-shown">{"".join(items)}</ul>'
    library = f'<div data-library="samples"><style>{STYLE}</style></div>'
    display(HTML(captions.captioned(drawn, caption) + captions.style() + library))
