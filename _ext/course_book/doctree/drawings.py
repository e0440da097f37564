"""`.md` 页里的插图直接画在网页里，不另外去取：颜色才随得了页面的明暗。

写法照旧，一段里只有 `![替代文字](../figures/名字.svg)`；读屏软件念的是图自带的那一段。
"""

from pathlib import Path

from docutils import nodes
from sphinx.transforms import SphinxTransform

from course_lib.show.svg import drawing


class DrawInline(SphinxTransform):
    default_priority = 800  # 换成繁体（840）之前

    def apply(self):
        page = Path(self.env.doc2path(self.env.docname))
        for image in [each for each in self.document.findall(nodes.image) if each["uri"].endswith(".svg")]:
            path, alone = page.parent / image["uri"], len(image.parent) == 1
            if alone and isinstance(image.parent, nodes.paragraph) and path.is_file():
                self.env.note_dependency(str(path))
                drawn = f'<div class="drawing">{drawing(path)}</div>'
                image.parent.replace_self(nodes.raw("", drawn, format="html"))


def setup(app):
    app.add_transform(DrawInline)
