"""把 bertviz 的一段输出装进自带全部脚本的 `<iframe>`：不联网，也不与页面里别的脚本相扰。"""

import hashlib
import html
import json
import re
from functools import cache
from pathlib import Path

import mpld3

# bertviz 的页面文字；左边必须与它的源码逐字相同
UI_WORDS = [
    ('<select id="layer">', '<select id="layer" aria-label="层">'),
    ('<select id="att_head">', '<select id="att_head" aria-label="头">'),
    ('<select id="filter">', '<select id="filter" aria-label="注意力">'),
    ("Layer: ", "层："),
    ("Head: ", "头："),
    ("Attention: ", "注意力："),
    (">All<", ">全部<"),
    ("Sentence A -> Sentence A", "句 A → 句 A"),
    ("Sentence A -> Sentence B", "句 A → 句 B"),
    ("Sentence B -> Sentence A", "句 B → 句 A"),
    ("Sentence B -> Sentence B", "句 B → 句 B"),
    ('.text("Heads")', '.text("头")'),
    ('.text("Layers")', '.text("层")'),
    ("'Layer ' +", "'层 ' +"),
    ('", Head "', '"，头 "'),
    (".text('Query ')", ".text('查询 ')"),
    (".text('Key ')", ".text('键 ')"),
    ("(elementwise)", "（逐元素）"),
    ("No token selected", "还没有选中词元"),
]
# 模型视图有几十格、上万条线，一口气画完页面要停住半秒
AT_ONCE, IN_SLICES = "renderThumbnail(i, j);", "inSlices(renderThumbnail, i, j, () => config.svg);"

# bertviz 向 require.js 要 jQuery 与 D3，而它只用到 jQuery 的七个方法
STAND_INS = """
const $ = (target) => {
  const nodes = target.startsWith('<') ? [document.createElement('option')] : [...document.querySelectorAll(target)];
  const chain = (act) => (...args) => { nodes.forEach((node) => act(node, ...args)); return self; };
  const self = {
    nodes,
    append: chain((node, child) => node.append(...child.nodes)),
    attr: chain((node, name, value) => node.setAttribute(name, value)),
    change: chain(() => {}),
    empty: chain((node) => node.replaceChildren()),
    on: chain((node, type, act) => node.addEventListener(type, act)),
    text: chain((node, text) => { node.textContent = text; }),
    val: chain((node, value) => { node.value = value; }),
  };
  return self;
};
const requirejs = (names, ready) => ready($, d3);
// 一格一格地画，每一小段几毫秒，淡得看不见的线去掉；这时换了子块，旧的就不画了
const waiting = [];
const drawWaiting = () => {
  for (const end = performance.now() + 8; waiting.length && performance.now() < end; ) waiting.shift()();
  if (waiting.length) setTimeout(drawWaiting);
};
const inSlices = (draw, i, j, place) => {
  const svg = place();
  const one = () => {
    if (place() !== svg) return;
    draw(i, j);
    d3.select(svg.node().lastChild).selectAll('line').filter((weight) => weight < 0.02).remove();
  };
  if (waiting.push(one) === 1) setTimeout(drawWaiting);
};
"""

# 句对的四个子块都是整张表的切片：页面里只存整张表，打开时再切
UNFOLD = """
const unfold = (params) => {
  const [all, ...parts] = Object.values(params.attention);
  const cut = (layers, rows, cols) =>
    layers.map((heads) => heads.map((table) => table.slice(...rows).map((row) => row.slice(...cols))));
  for (const part of parts) {
    part.attn = cut(all.attn, part.rows, part.cols);
    if (all.queries) {
      part.queries = cut(all.queries, part.rows, []);
      part.keys = cut(all.keys, part.cols, []);
    }
  }
  return params;
};
"""

# 比栏宽就整体缩小，缩到六成还放不下就在框内横向滚动；写在内容的前面：画好了再缩，几千条线就要重排一遍
SHRINK = """
const shrink = () => {
  const width = document.querySelector('#expanded[visibility=visible]') ? 1026 : WIDTH;
  document.body.style.width = width + 'px';
  document.body.style.zoom = Math.max(0.6, Math.min(1, innerWidth / width));
};
shrink();
"""

# 框高跟着内容走
FIT = """
const fit = () => {
  shrink();
  const page = document.documentElement, bar = page.scrollWidth > innerWidth ? 18 : 2;
  page.tabIndex = bar > 2 ? 0 : -1;  // 要滚动才看得全的，键盘也要滚得到
  try { frameElement.style.height = Math.ceil(page.getBoundingClientRect().height) + bar + 'px'; } catch (blocked) {}
};
new ResizeObserver(fit).observe(document.body);
addEventListener('resize', fit);
addEventListener('click', fit);  // 神经元视图点开后更宽
"""

STYLE = """
html { background: #fff; color: #000; overflow-x: auto; }
body { margin: 0; padding: 8px; box-sizing: border-box; }
select { font: inherit; margin-right: 1em; }
"""


def offline_frame(page: str, width: int, title: str) -> str:
    """把 bertviz 以 `html_action="return"` 给出的网页改成离线的 `<iframe>`，返回 HTML。

    `width` 是这种视图不缩放时的宽度（像素）；小数只留 4 位有效数字，眼睛看不出差别。
    同样的输入总给出同样的输出：bertviz 的随机编号换成内容的摘要。

    错误：`page` 里找不到 bertviz 的数据，或改完仍有外部地址时，抛出 `RuntimeError`。
    """
    marker = re.search(r"const params = (?={)|window\.bertviz_params = (?={)", page)
    if marker is None:
        raise RuntimeError("在 bertviz 的输出里找不到数据：它的版本可能变了，请装 bertviz==1.4.1。")
    before, (params, end) = page[: marker.end()], _DECODER.raw_decode(page, marker.end())
    random_id = params["root_div_id"]
    _fold(params["attention"])
    data = json.dumps(params, separators=(",", ":")).replace("<", r"\u003c")  # 词元里可能写着 </script>
    after = re.sub(r"\A; // HACK.*", ";", page[end:])  # bertviz 在这句注释里又抄了一遍数据
    body = f"{_code(before)}unfold({data}){_code(after)}"
    body = body.replace(
        random_id, "bertviz-" + hashlib.sha256(body.replace(random_id, "").encode()).hexdigest()[:12]
    )
    source = (
        f'<!doctype html><html lang="zh-CN"><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{STYLE}</style>"
        f'<script data-library="d3">{d3_source()}</script><script>{STAND_INS}{UNFOLD}</script>'
        f"<body><script>{SHRINK.replace('WIDTH', str(width + 16))}</script>{body}<script>{FIT}</script>"
    )
    return (
        f'<div><iframe title="{html.escape(title)}" loading="lazy" srcdoc="{html.escape(source)}" '
        'style="display:block;width:100%;height:420px;border:0;border-radius:4px;background:#fff"></iframe></div>'
    )


@cache
def d3_source() -> str:
    """bertviz 指名要的 D3 5.7.0，取自 mpld3 这个包。"""
    return (Path(mpld3.__file__).parent / "js" / "d3.v5.min.js").read_text(encoding="utf-8").strip()


_DECODER = json.JSONDecoder(parse_float=lambda digits: float(f"{float(digits):.4g}"))


def _fold(views) -> None:
    whole, *parts = views = list(views.values() if isinstance(views, dict) else views)
    for view in views:
        view.pop("name", None)  # 它的脚本用不到
    if parts:
        n, n_a = len(whole["left_text"]), len(parts[0]["left_text"])
        spans = {"a": [0, n_a], "b": [n_a, n]}
        for part, (left, right) in zip(parts, ["aa", "bb", "ab", "ba"], strict=True):
            part["rows"], part["cols"] = spans[left], spans[right]
            for name in part.keys() & {"attn", "queries", "keys"}:
                del part[name]


def _code(part: str) -> str:
    part = re.sub(
        r'<script src="https:[^>]*></script>|require\.config\(\{.*?\}\);', "", part, flags=re.DOTALL
    )
    if re.search(r"""(src|href)=["']?https?:|cdnjs""", part):
        raise RuntimeError("bertviz 的输出里还有外部地址：它的版本可能变了，请装 bertviz==1.4.1。")
    return _chinese(part.replace(AT_ONCE, IN_SLICES))


def _chinese(text: str) -> str:
    for theirs, ours in UI_WORDS:
        text = text.replace(theirs, ours)
    return text
