"""改了名字、删掉了的章节，上一次写出的网页也删掉，不然还搜得到旧的一页。"""

from pathlib import Path


def remove(app, error):
    if error or app.builder.name != "html":
        return
    for page in Path(app.outdir, "chapters").glob("*.html"):
        if f"chapters/{page.stem}" not in app.env.found_docs:
            page.unlink()


def setup(app):
    app.connect("build-finished", remove)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
