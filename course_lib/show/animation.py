"""把一列图放成动画：点了才播，放完一遍就停，断网也能显示。"""

import hashlib
import html
import json
from string import Template

import matplotlib.pyplot as plt
from IPython.display import HTML, display

from . import palette
from .svg import as_html, settle

PLAYER = Template("""<div id="$name" style="max-width:860px;color:var(--ink)">
<div role="img" aria-label="$alt">$last</div>
<div style="display:flex;gap:.6em;align-items:center;margin-top:.4em">
<button type="button" style="min-height:2.5rem;font:inherit;color:inherit;background:none;border:1px solid;border-radius:8px;padding:.1em .8em">播放</button>
<input type="range" min="0" max="$end" value="$end" aria-label="第几幅" style="flex:1;accent-color:var(--weight)">
<output></output></div>
<script>(() => {
  const [picture, button, slider, place] = document.querySelectorAll("#$name :is([role=img], button, input, output)");
  const pictures = [...$others, picture.innerHTML];
  let timer = 0;
  const show = () => {
    picture.innerHTML = pictures[slider.value];
    place.textContent = +slider.value + 1 + " / " + pictures.length;
  };
  const stop = () => { clearInterval(timer); timer = 0; button.textContent = "播放"; };
  const step = () => {
    slider.value++;
    show();
    if (+slider.value === $end) stop();
  };
  button.onclick = () => {
    if (timer) return stop();
    if (+slider.value === $end) { slider.value = 0; show(); }
    timer = setInterval(step, $interval);
    button.textContent = "暂停";
  };
  slider.oninput = () => { stop(); show(); };
  show();
})()</script></div>""")


def animation(frames, alt, interval=700):
    """把一列 matplotlib 的图放成动画：点了才播，放完一遍就停，可以暂停，也可以拖动；不联网。

    `frames` 是若干大小相同的 `Figure`，可以是生成器，每张存好就关掉；起初停在最后一幅。
    `alt` 是一句替代文字，供读屏软件念出；`interval` 是两幅之间的毫秒数。

    错误：少于两幅，或 `alt` 是空的时，抛出 `ValueError`。
    """
    *others, last = _pictures(frames) or [None]
    if not others or not alt.strip():
        raise ValueError(
            f"动画至少要有两幅图和一句替代文字，这里是 {len(others) + bool(last)} 幅，alt={alt!r}。"
        )
    digest = hashlib.sha256("".join([*others, last]).encode()).hexdigest()[:12]
    page = PLAYER.substitute(
        name=f"animation-{digest}",
        alt=html.escape(alt),
        last=last,
        others=json.dumps(others, ensure_ascii=False).replace("<", r"\u003c"),
        end=len(others),
        interval=int(interval),
    )
    display(HTML(page + palette.style()))


def _pictures(frames) -> list[str]:
    pictures, boxes = [], None
    for figure in frames:
        boxes = boxes or settle(figure)  # 各幅都裁成第一幅那样大，播放时才不跳
        pictures.append(as_html(figure, boxes))
        plt.close(figure)
    return pictures
