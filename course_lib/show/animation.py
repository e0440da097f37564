"""把一列图放成动画：点了才播，放完一遍就停，断网也能显示。"""

import base64
import hashlib
import html
import io
import json
from string import Template

import matplotlib.pyplot as plt
from IPython.display import HTML, display
from PIL import Image

PLAYER = Template("""<div id="$name" style="max-width:860px">
<img alt="$alt" src="data:image/png;base64,$last" style="display:block;width:100%;height:auto">
<div style="display:flex;gap:.6em;align-items:center;margin-top:.4em">
<button type="button" style="font:inherit;color:inherit;background:none;border:1px solid;border-radius:4px;padding:.1em .8em">播放</button>
<input type="range" min="0" max="$end" value="$end" aria-label="第几幅" style="flex:1">
<output></output></div>
<script>(() => {
  const [image, button, slider, place] = document.querySelectorAll("#$name :is(img, button, input, output)");
  const pictures = [...$others.map((data) => "data:image/png;base64," + data), image.src];
  let timer = 0;
  const show = () => {
    image.src = pictures[slider.value];
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
    *others, last = [_small_png(figure) for figure in frames] or [None]
    if not others or not alt.strip():
        raise ValueError(
            f"动画至少要有两幅图和一句替代文字，这里是 {len(others) + bool(last)} 幅，alt={alt!r}。"
        )
    digest = hashlib.sha256("".join([*others, last]).encode()).hexdigest()[:12]
    page = PLAYER.substitute(
        name=f"animation-{digest}",
        alt=html.escape(alt),
        last=last,
        others=json.dumps(others),
        end=len(others),
        interval=int(interval),
    )
    display(HTML(page))


def _small_png(figure) -> str:
    """存成只有 64 种颜色的 PNG（散点与折线看不出差别，大小却只有几分之一），返回 base64。"""
    full, small = io.BytesIO(), io.BytesIO()
    figure.savefig(full, format="png", dpi=120, facecolor="white")  # 深色页面上也是白底
    plt.close(figure)
    Image.open(full).convert("RGB").quantize(64).save(small, format="png", optimize=True)
    return base64.b64encode(small.getvalue()).decode()
