"""代码格可以被指到：每格以它的名字为锚；行文里写作 `章#格` 的行内代码成为链接。"""

import json
import re
from pathlib import Path

from docutils import nodes

PLACE = re.compile(r"(\w+)#([\w-]+)")


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


def link_places(app, doctree, docname):
    folder = docname.rpartition("/")[0]
    for literal in list(doctree.findall(nodes.literal)):
        place = PLACE.fullmatch(literal.astext())
        page = place and f"{folder}/{place[1]}"
        if page in app.env.found_docs:
            uri = f"{app.builder.get_relative_uri(docname, page)}#{place[2]}"
            link = nodes.reference("", "", internal=True, refuri=uri)
            literal.replace_self(link)
            link += literal


def setup(app):
    app.connect("doctree-read", add_anchors)
    app.connect("doctree-resolved", link_places)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
