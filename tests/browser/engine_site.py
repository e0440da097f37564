"""只有一页的小网站：live/ 的脚本与真的数据，没有面板；两个引擎的测试共用。"""

from base64 import b64decode

import torch

from course_book.after_writing import live_data

PAGE = "chapters/page.html"
WITHOUT_WASM = "delete globalThis.WebAssembly"
# 大数组一个数一个数地送出来太慢，写成 base64
BASE64 = "const base64 = ({ buffer }) => new Uint8Array(buffer).toBase64();"


def make_site(root, folder, files, scripts):
    """在 root 里写好：data/ 里 folder 的 files，一页载入 live/ 的 scripts。"""
    live_data.write_scripts(root / "live")
    live_data.write_data(root / "live/data" / folder, files)
    (root / PAGE).parent.mkdir()
    (root / PAGE).write_text(
        f"<!doctype html><meta charset=utf-8><title>页</title>{tags(scripts)}", encoding="utf-8"
    )
    return root


def tags(scripts):
    return "".join(f'<script src="../live/{name}"></script>' for name in scripts)


def visit(browser, root):
    """打开那一页；`page.asked` 是它要到的每一个网址。"""
    page = browser.new_context().new_page()
    page.asked = []
    page.on("requestfinished", lambda request: page.asked.append(request.url))
    page.goto(root + PAGE)
    return page


def change_worker(page, change, first="liveTokenizer"):
    """后台线程里先运行 change，再有 first；打开 BERT 时那里最先调用的是 liveTokenizer。"""
    page.evaluate(
        """([change, first]) => {
          const source = globalThis[first].toString();
          globalThis[first] = Function("...args", `${change}; return (${source})(...args);`);
        }""",
        [change, first],
    )


def floats(base64):
    return torch.frombuffer(bytearray(b64decode(base64)), dtype=torch.float32)
