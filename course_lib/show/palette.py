"""一种颜色一个意思，全书不变：插图、代码画的图、可以动手的图与“打开 BERT”都从这里取。"""

import re

# 名字 → （浅底上的，深底上的）；两种底上的对比度都不小于 4.5，MARKS 里的不小于 3
COLORS = {
    # 前五种只给查询、键、值、权重、输出
    "query": ("#c2500f", "#f2975c"),
    "key": ("#1f6fb2", "#74b2ee"),
    "value": ("#2e7d4f", "#6cc491"),
    "weight": ("#7a4fa3", "#bd97e6"),
    "output": ("#a8336b", "#ec86b3"),
    # 正与负
    "plus": ("#1b7f86", "#5cc3ca"),
    "minus": ("#b3541e", "#e8976a"),
    # 相比的两样是 ink 与 ochre，第三样是 grey；再用空心或虚线分一次
    "ink": ("#22303c", "#dfe4e8"),
    "ochre": ("#b98a00", "#e3bd55"),
    "grey": ("#84919d", "#8a97a3"),
    # 说明的字、不要紧的线，格线，底
    "faint": ("#5f6b76", "#9aa5af"),
    "line": ("#d4d9de", "#3c444c"),
    "paper": ("#ffffff", "#121212"),
}
# 只画线与点，不写字
MARKS = ("ochre", "grey")
# 图里几条线依次用的颜色，matplotlib 里写成 C0、C1……：没有一种是查询、键、值、权重、输出的
CYCLE = ("ink", "ochre", "grey", "plus", "minus", "faint")
# 格子里的颜色最多染到几成，格里的字才读得清（对比度不小于 4.5）：浅底上，深底上
TINT = (0.6, 0.48)
# 画实物的图有自己的颜色：深底上换成另一种的几成
NIGHT = ("0%", "100%")
# 各家的深色怎样写：成书的网页、JupyterLab、VS Code、Colab
DARK = ('html[data-theme="dark"]', '[data-jp-theme-light="false"]', ".vscode-dark", 'html[theme="dark"]')


def css() -> str:
    """各色成为 CSS 变量，如 `--query`；深色的页面上换成另一组。"""
    light, dark = (
        "".join(f"--{name}:{pair[i]};" for name, pair in COLORS.items())
        + f"--tint:{TINT[i]};--night:{NIGHT[i]};"
        for i in (0, 1)
    )
    return f":root{{{light}}}{','.join(DARK)}{{{dark}}}"


def mix(color: str, percent: int) -> str:
    """一种浅底上的颜色占百分之几，其余是白纸。"""
    channels = [int(color[i : i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(255 + (channel - 255) * percent / 100):02x}" for channel in channels)


def adapt(svg: str) -> str:
    """画好的浅色的图：各色换成 CSS 变量，页面是深色的，图就跟着换；没有变量的地方仍是浅色。

    画实物的图另有自己的颜色，在 `data-dark` 里写明各换成哪一种：`#浅的:#深的`，用空格分开。
    """
    own = {}
    if found := re.search(r' data-dark="([^"]*)"', svg):
        svg = svg.replace(found[0], "", 1)
        own = dict(pair.split(":") for pair in found[1].split())
        own = {light: f"color-mix(in srgb,{dark} var(--night,0%),{light})" for light, dark in own.items()}
    known = ADAPTED | own
    return re.sub("#[0-9a-f]{6}(?![0-9a-z])", lambda color: known.get(color[0], color[0]), svg)


def _adapted() -> dict[str, str]:
    """浅色 → 怎样用 CSS 变量写出来；与纸混成的，在深色的页面上按同样的比例淡下去。"""
    found = {light: f"var(--{name},{light})" for name, (light, _) in COLORS.items()}
    found["#000000"], paper = found[COLORS["ink"][0]], found[COLORS["paper"][0]]  # matplotlib 的黑也是墨色
    for name, (light, _) in COLORS.items():
        for percent in range(1, 100):
            share = f"calc({percent / TINT[0]:.4g}%*var(--tint,{TINT[0]}))"
            found.setdefault(mix(light, percent), f"color-mix(in srgb,var(--{name},{light}) {share},{paper})")
    return found


ADAPTED = _adapted()
