"""一种颜色一个意思，全书不变：插图、代码画的图、可以动手的图与“打开 BERT”都从这里取。"""

# 名字 → （浅底上的，深底上的）；两种底上的对比度都不小于 4.5
COLORS = {
    "query": ("#c2500f", "#f2975c"),
    "key": ("#1f6fb2", "#74b2ee"),
    "value": ("#2e7d4f", "#6cc491"),
    "weight": ("#7a4fa3", "#bd97e6"),
    "output": ("#a8336b", "#ec86b3"),
    "ink": ("#22303c", "#dfe4e8"),
    "faint": ("#5f6b76", "#9aa5af"),
    "line": ("#d4d9de", "#3c444c"),
    "paper": ("#ffffff", "#14181c"),
}
# 各家的深色怎样写：成书的网页、JupyterLab、VS Code、Colab
DARK = ('html[data-theme="dark"]', '[data-jp-theme-light="false"]', ".vscode-dark", 'html[theme="dark"]')


def css() -> str:
    """各色成为 CSS 变量，如 `--query`；深色的页面上换成另一组。"""
    light, dark = ("".join(f"--{name}:{pair[i]};" for name, pair in COLORS.items()) for i in (0, 1))
    # --tint：格子里的颜色最多染到几成，格里的字才读得清（对比度不小于 4.5）
    return f":root{{{light}--tint:0.6;}}{','.join(DARK)}{{{dark}--tint:0.48;}}"
