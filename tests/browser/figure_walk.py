"""可以动手的图的走法：每个能点、能拖的都试一遍，记下每一步之后的 state() 与读者看得到的。"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field

import torch

from course_lib.show.explore import plain

# 先挨个试，滑杆与下拉的每一个值都到；再照固定的次序随便动手，碰上各种搭配。
# 像的一排只抄头两个与末一个的样子，随便动手的三十下抄一次；state() 步步都记。
WALK = """([typed, random]) => {
  const figure = document.querySelector("figure.explore"), stage = figure.querySelector(".explore-stage"), seen = [];
  const controls = () => [...stage.querySelectorAll("button, input, select, [role=button]")].filter((one) => !one.disabled && one.textContent !== "播放");
  const text = (node) => (node.ariaLabel ?? (node.labels?.[0] ?? node).textContent).trim();
  const name = (node) => [node.closest("[role=group]:not(figure)")?.ariaLabel, text(node)].filter((part, i, all) => part && part !== all[i - 1]).join("：");
  const clean = (value) => value.replace(/min-height:[^;]*;?/, "").replace(/-?\\d+\\.\\d+/g, (x) => (Math.abs(x) < 1 ? Number(x).toFixed(2) : Math.abs(x) < 10 ? Number(x).toFixed(1) : Number(x).toFixed(0)).replace(/^-(0(\\.0+)?)$/, "$1"));
  const ROW = "button, li, tr, p, caption, text, label, option, .explore-row, .explore-slider, .explore-strip, .explore-looks, .explore-clock, .explore-learned > div, .explore-meters, .explore-char";
  const MARKED = "[aria-pressed=true], [aria-selected=true], [aria-current], .explore-mark, .explore-hit, .explore-changed";
  // 读者看得到的字，一行一行；按下的、选中的、描边的前面加一点
  const read = () => {
    const rows = [];
    const words = (node, out) => {
      if (node.nodeType === 3) { if (node.textContent.trim()) out.push(`${node.parentElement.closest(MARKED) ? "●" : ""}${node.textContent.trim().replace(/\\s+/g, " ")}`); }
      else if (node.checkVisibility({ checkVisibilityCSS: true })) {
        if (node.matches("select, input[type=text]")) out.push(`[${node.value}]`);
        else node.childNodes.forEach((child) => words(child, out));
        if (node.disabled && node.matches("button")) out.push("（按不动）");
      }
      return out;
    };
    const visit = (node) => {
      if (node.nodeType === 3 || node.matches?.(ROW)) { const found = words(node, []); if (found.length) rows.push(found.join(" ")); }
      else if (node.checkVisibility({ checkVisibilityCSS: true })) node.childNodes.forEach(visit);
    };
    visit(stage);
    return rows;
  };
  // 画的东西：同一类的有几个，样子（位置、长短、深浅）合成一个记号；随字宽摆放的名字不算
  const drawn = () => {
    const kinds = new Map(), NAMES = ["class", "style", "d", "points", "x", "y", "x1", "x2", "y1", "y2", "r", "cx", "cy", "width", "height", "transform", "fill-opacity", "viewBox", "aria-label", "aria-pressed", "aria-selected", "aria-valuetext", "aria-valuenow", "hidden", "title", "lang"];
    for (const one of stage.querySelectorAll("*")) {
      if (one.closest(".explore-map") && one.matches("text, line")) continue;
      const said = NAMES.filter((key) => one.hasAttribute(key)).map((key) => `${key}=${clean(one.getAttribute(key))}`).join(" ");
      if (!said) continue;
      const kind = `${one.tagName.toLowerCase()}${[...one.classList].map((each) => each.replace("explore-", ".")).join("")}`, [count, hash] = kinds.get(kind) ?? [0, 7];
      kinds.set(kind, [count + 1, [...said].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 65521, hash)]);
    }
    return [...kinds].map(([kind, [count, hash]]) => [kind, `${count} ${hash.toString(36)}`]);
  };
  const look = (did, shown = true) => seen.push([did, figure.state(), shown ? [read(), drawn()] : null]);
  const set = (control, key, value, event) => { control[key] = value; control.dispatchEvent(new Event(event)); };
  // 一样能动的手：[做了什么, 做, 抄不抄]
  const moves = (control) => {
    if (control.type === "range") return Array.from({ length: Number(control.max) + 1 }, (_, at) => [`${name(control)} ${at}`, () => set(control, "value", at, "input"), [0, control.max >> 1, Number(control.max)].includes(at)]);
    if (control.tagName === "SELECT") return [...control.options].map((option, at) => [`${name(control)} ${option.text}`, () => set(control, "selectedIndex", at, "change"), true]);
    if (control.type === "text") return typed.map((value) => [`${name(control)} “${value}”`, () => set(control, "value", value, "input"), true]);
    const alike = [...(control.closest("table") ?? control.parentElement).querySelectorAll(control.tagName)], at = alike.indexOf(control);
    const press = () => control.isConnected && !control.disabled && control.click(), shown = at < 2 || at === alike.length - 1;
    return [[name(control), press, shown], [`再按 ${name(control)}`, press, shown]];
  };
  look("打开");
  for (let i = 0; i < controls().length && i < 200; i++) for (const [did, go, shown] of moves(controls()[i])) { go(); look(did, shown); }
  let seed = 1;
  const any = (all) => { seed = (seed * 48271) % 2147483647; return all[seed % all.length]; };
  for (let i = 0; i < random; i++) { const [did, go] = any(moves(any(controls()))); go(); look(`随便第 ${i + 1} 下，${did}`, i % 30 === 29); }
  return seen;
}"""


@dataclass
class Row:
    """一种图：摆着 `data`，动手之后 state() 给出的每一项都要与 `shows(data, state)` 的相同。"""

    name: str
    data: dict
    shows: Callable
    part: str = ""  # 一种图有几样，这是哪一样
    typed: tuple = ()  # 往框里写的字
    moves: int = 60  # 随便动手多少次
    made: dict = field(init=False)

    def __post_init__(self):
        self.made = json.loads(json.dumps(plain(self.data)))

    @property
    def id(self):
        return f"{self.name}-{self.part}" if self.part else self.name


class Draws:
    """固定种子的随机数，双精度：换一台机器也一个不差。"""

    def __init__(self, seed):
        self.generator = torch.Generator().manual_seed(seed)

    def rand(self, *shape):
        return torch.rand(*shape, generator=self.generator, dtype=torch.double)

    def randn(self, *shape):
        return torch.randn(*shape, generator=self.generator, dtype=torch.double)

    def whole(self, low, high, *shape):
        return torch.randint(low, high, shape, generator=self.generator)


def tensor(values):
    return torch.tensor(values, dtype=torch.double)
