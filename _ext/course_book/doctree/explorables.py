"""图：笔记本里每幅自带的脚本与样式，在成书里各页共用一份；插图写进网页，颜色才随页面的明暗。"""

import re
from pathlib import Path

from docutils import nodes
from sphinx.transforms import SphinxTransform

from course_book.doctree.traditional_chinese import in_book_language
from course_lib.show import captions, guess, palette, strips, tables, written
from course_lib.show.explore import FOLDER, NAMES, style

# 笔记本里随每幅图而来的脚本与样式
CARRIED = re.compile(
    r'<div data-library="(?:explore|guess|picture|samples|strip|table)">.*?</div>', re.DOTALL
)
KIND = re.compile(r'data-explore="([\w-]+)"')


class ShareScripts(SphinxTransform):
    """取走随图而来的脚本，记下这一页用到哪几种图。"""

    default_priority = 830  # 在换成繁体（840）之前：脚本另由 write_files 去换

    def apply(self):
        kinds = set()
        for raw in self.document.findall(nodes.raw):
            if CARRIED.search(raw.astext()):
                text = CARRIED.sub("", raw.astext())
                kinds |= set(KIND.findall(text))
                raw.children, raw.rawsource = [nodes.Text(text)], ""
        self.env.metadata[self.env.docname]["explorables"] = sorted(kinds)


class InlineFigures(SphinxTransform):
    """正文里以 `![]()` 插入的插图，与 `figure(...)` 展示的一样。"""

    default_priority = 820

    def apply(self):
        folder = Path(self.env.doc2path(self.env.docname)).parent
        for image in list(self.document.findall(nodes.image)):
            path = folder / image["uri"]
            if path.suffix == ".svg" and path.is_file():
                self.env.note_dependency(str(path))
                svg = palette.adapt(path.read_text(encoding="utf-8"))
                image.replace_self(nodes.raw("", svg, format="html"))


def add_scripts(app, pagename, templatename, context, doctree):
    kinds = app.env.metadata.get(pagename, {}).get("explorables", []) if doctree else []
    for name in ["stage", *kinds] if kinds else []:
        app.add_js_file(f"explore/{name}.js", defer="defer")


def write_files(app):
    """脚本里有字，两本书各有一份；颜色是全书的，插图以外的都从这里取。在写网页之前：网页里的地址带着它们的校验和。"""
    if app.builder.name != "html":
        return
    static = Path(app.outdir, "_static")
    (static / "explore").mkdir(parents=True, exist_ok=True)
    for name in ["stage", *NAMES]:
        script = (FOLDER / f"{name}.js").read_text(encoding="utf-8")
        (static / "explore" / f"{name}.js").write_text(in_book_language(script), encoding="utf-8")
    styles = [palette.css(), style(*NAMES)]
    styles += [room.STYLE for room in (captions, guess, strips, tables, written)]
    (static / "explore.css").write_text("".join(styles), encoding="utf-8")


def setup(app):
    app.add_css_file("explore.css")
    app.add_transform(ShareScripts)
    app.add_transform(InlineFigures)
    app.connect("html-page-context", add_scripts)
    app.connect("builder-inited", write_files)
