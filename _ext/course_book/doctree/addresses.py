"""页内的地址：一节以标题里的词为锚，一格代码以它的名字为锚；行文里写作 `章#格` 的行内代码成为链接，写的是章与节的标题。"""

import json
import re
from pathlib import Path

from docutils import nodes
from sphinx.transforms import SphinxTransform

PLACE = re.compile(r"(\w+)#([\w-]+)")
HEADING = re.compile(r"##+ (.+)")
ERRATUM = re.compile(r"(S\d|L)-\d+(?= )")


def slug(title: str) -> str:
    """标题的词以连字符相接；`[](errata.ipynb#分类与-cls)` 这样的链接与网页的地址都用它。"""
    return re.sub(r"[^\w√]+", "-", title.lower()).strip("-")


class NameSections(SphinxTransform):
    """docutils 只认得西文，别的标题依次叫作 id1、id2；MyST 另存着一份由标题来的名字，换用那一份。"""

    default_priority = 10  # 别处还没有记下旧的名字

    def apply(self):
        slugs = getattr(self.document, "myst_slugs", {})
        sections = {name: (old, self.document.ids.pop(old)) for name, (_, old, _) in slugs.items()}
        for name, (old, section) in sections.items():
            section["ids"] = [name if id == old else id for id in section["ids"]]
            self.document.ids[name] = section
            slugs[name] = (slugs[name][0], name, slugs[name][2])
        renamed = {old: name for name, (old, _) in sections.items()}
        self.document.nameids = {key: renamed.get(id, id) for key, id in self.document.nameids.items()}


def add_anchors(app, doctree):
    path = Path(app.env.doc2path(app.env.docname))
    if path.suffix != ".ipynb":
        return
    cells = json.loads(path.read_text(encoding="utf8"))["cells"]
    for container in doctree.findall(nodes.container):
        if container.get("nb_element") == "cell_code":
            name = cells[container["cell_index"]]["id"]
            if name not in doctree.ids:  # 与所在的小节同名时，指到小节就是指到它
                container["ids"].append(name)
    for cell in cells:  # 以标题开头的一格文字，就是那一节
        title = HEADING.match("".join(cell["source"])) if cell["cell_type"] == "markdown" else None
        section = doctree.ids.get(slug(title[1])) if title else None
        if section and cell["id"] not in doctree.ids:
            section["ids"].append(cell["id"])


def sections_of(doctree) -> dict[str, nodes.section]:
    """每个锚在哪一节里；小节里的也在外面的大节里，取最里面的。"""
    found = {}
    for section in doctree.findall(nodes.section):
        found |= {name: section for node in section.findall(nodes.Element) for name in node["ids"]}
    return found


def title_of(section) -> list[nodes.Node]:
    """一节的标题；勘误实验室的一条只留编号，“深入”不必说。"""
    first, *rest = [child.deepcopy() for child in section[0].children]
    if code := ERRATUM.match(first.astext()):
        return [nodes.Text(code[0])]
    return [nodes.Text(first.removeprefix("深入：")) if isinstance(first, nodes.Text) else first, *rest]


def drop_after_comma(node: nodes.Node, places: list[nodes.Node]) -> bool:
    """前面紧挨着顿号，顿号前面是 places 里的一处，就连顿号一起去掉；是别的话就留着，返回 False。"""
    parent = node.parent
    here = next(place for place, other in enumerate(parent) if other is node)
    if here < 2 or not isinstance(parent[here - 1], nodes.Text) or parent[here - 1].strip() != "、":
        return False
    if not any(parent[here - 2] is place for place in places):
        return False
    del parent[here - 1 : here + 1]
    return True


def link_places(app, doctree, docname):
    """同一处接连指到一章，章的标题只写一次；以顿号并列、指到同一节的只留头一个。"""
    folder = docname.rpartition("/")[0]
    pages, seen, linked = {}, {}, []
    for literal in list(doctree.findall(nodes.literal)):
        place = PLACE.fullmatch(literal.astext())
        page = place and f"{folder}/{place[1]}"
        if page not in app.env.found_docs:
            continue
        if page not in pages:
            pages[page] = sections_of(app.env.get_doctree(page))
        section = pages[page].get(place[2])
        if section is None:
            continue
        chapter = app.env.titles[page].astext().partition("：")[0]
        words = [] if isinstance(section.parent, nodes.document) else title_of(section)
        before = seen.setdefault(id(literal.parent), [])
        said = (page, "".join(word.astext() for word in words))
        if said in before and drop_after_comma(literal, linked):
            continue
        if not before or before[-1][0] != page or not words:
            words = [nodes.Text(f"{chapter} · " if words else chapter), *words]
        before.append(said)
        uri = f"{app.builder.get_relative_uri(docname, page)}#{place[2]}"
        linked.append(nodes.reference("", "", *words, internal=True, refuri=uri))
        literal.replace_self(linked[-1])


def setup(app):
    app.add_transform(NameSections)
    app.connect("doctree-read", add_anchors)
    app.connect("doctree-resolved", link_places)
