"""界面的样子与说法：同名的模板换下主题的，locale/ 里的词补上主题没有译的。

主题换了名字，换下与补上就都落了空：成书会停下来，说出落空的是哪一个。
"""

from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from course_book.doctree.traditional_chinese import LANGUAGE

TEMPLATES = Path(__file__).parent
CATALOGS = sorted(TEMPLATES.with_name("locale").glob("*.po"))
# 主题里没有的
OWN = {"404.html", "front_door.html", "language_switch.html", "projection.html"}


def read_words(catalog):
    with catalog.open("rb") as file:
        return read_po(file, "zh")


def load_words(app):
    # 放在 zh 里，zh_CN 与 zh_TW 都取得到；繁体的那一遍会把它换成繁体
    folder = Path(app.doctreedir, "locale", "zh", "LC_MESSAGES")
    folder.mkdir(parents=True, exist_ok=True)
    for catalog in CATALOGS:
        with (folder / f"{catalog.stem}.mo").open("wb") as file:
            write_mo(file, read_words(catalog))
        app.add_message_catalog(catalog.stem, folder.parents[1])


def check_templates(app):
    replaced = {path.relative_to(TEMPLATES).as_posix() for path in TEMPLATES.rglob("*.html")} - OWN
    folders = [Path(folder) for folder in app.builder.theme.get_theme_dirs()]
    places = [folder / part for folder in folders for part in ("", "components")]
    if lost := [name for name in replaced if not any((place / name).is_file() for place in places)]:
        raise SystemExit(f"主题里已经没有这些模板，不必再换：{'、'.join(sorted(lost))}（{TEMPLATES}）。")


def check_words(app, exception):
    """界面的词都写在属性里；繁体有的由 Sphinx 译好了，只看简体的书。"""
    if exception is not None or app.builder.name != "html" or LANGUAGE != "zh-CN":
        return
    pages = "".join(Path(app.builder.get_outfilename(name)).read_text("utf-8") for name in app.env.found_docs)
    for catalog in CATALOGS:
        if catalog.stem == "booktheme" and "launch_buttons" not in app.config.html_theme_options:
            continue  # 说的都是在线运行的按钮；没有公开的仓库，就没有它
        lost = [word.id for word in read_words(catalog) if word.id and f'{word.string}"' not in pages]
        if lost:
            raise SystemExit(
                f"这些词哪一页也没有用到，请从 locale/{catalog.name} 里删去：{'、'.join(lost)}。"
            )


def setup(app):
    load_words(app)
    for name in ("type.css", "layout.css"):
        app.add_css_file(name, priority=900)  # 胜过主题与各扩展自己的
    app.connect("config-inited", lambda app, config: config.templates_path.insert(0, str(TEMPLATES)))
    app.connect("builder-inited", check_templates)
    app.connect("build-finished", check_words)
