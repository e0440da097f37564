"""合成一页的几步：该去掉的去掉，该打开的打开，锚与链接换对；两页小书印成 PDF，书签、页码与链接都对。"""

from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest
from bs4 import BeautifulSoup
from built_book import BOOK, parsed
from pypdf import PdfReader

from course_book.doctree.formulas import to_mathml
from course_book.printing import __main__ as print_books
from course_book.printing import article, volume
from course_book.printing.capture import capture
from course_book.printing.characters import BLOCK, unify, unify_block
from course_book.printing.press import press

CHAPTER = """<article class="bd-article"><p class="chapter-place">第 1 章，共 2 章 · 起点</p>
<section id="头一章"><h1>头一章<a class="headerlink" href="#头一章">#</a></h1>
<p>见<a href="second.html#里面的-一节">第二章</a>、<a href="second.html">整章</a>、<a href="#深入-这里">这里</a>、
<a href="https://example.org/x">外面</a>、<a href="../_sources/a.ipynb">笔记本</a>、<a href="second.html#没有">丢了</a>。</p>
<div class="cell" id="by-hand">
<div class="cell_output"><svg viewBox="0 0 9 9"><defs><clipPath id="clip"></clipPath></defs><g clip-path="url(#clip)"></g></svg></div>
<div class="meta"><details class="code"><summary>代码</summary><pre>figure()</pre></details>
<details class="claims" id="claims"><summary>✓ 1 条断言</summary><pre>assert 1</pre></details></div></div>
<details><summary>参考解答</summary><p>答案在此。</p></details>
<section class="deep" id="深入-这里"><h2>深入：这里</h2><details class="deep"><summary>展开收起</summary><p>里面的话。</p></details></section>
<p class="ran-with" id="setup">torch 2.13.0</p></section></article>"""
ROOT = to_mathml(r"\sqrt{QK^T}", False)
SECOND = f"""<article class="bd-article"><p class="chapter-place">第 2 章，共 2 章 · 起点</p>
<section id="第二章"><h1>第二章</h1><p>一条公式：{ROOT}。</p>
<pre>{"long_name_" * 40}</pre>
<section id="里面的-一节"><h2>里面的 一节</h2><section id="再里面"><h3>再里面</h3><p>末尾。</p></section></section></section></article>"""


@pytest.fixture
def pages():
    numbers = count(1)
    return {
        name: article.read(name, html, numbers) for name, html in [("first", CHAPTER), ("second", SECOND)]
    }


def test_a_page_keeps_what_is_read(pages):
    first = pages["first"]
    text = first.body.get_text()
    for gone in ("#", "torch 2.13.0", "figure()", "断言", "assert", "展开", "共 2 章"):
        assert gone not in text, gone
    assert "答案在此。" in text and "参考解答" in text and "里面的话。" in text
    assert not first.body.find(["details", "summary"])
    assert first.place == "第 1 章 · 起点"
    assert [(each.level, each.text) for each in first.headings] == [(1, "头一章"), (2, "深入：这里")]
    assert first.body.find("clippath")["id"] in first.body.find("g")["clip-path"]


def test_ids_are_not_doubled(pages):
    ids = [node["id"] for page in pages.values() for node in page.body.find_all(id=True)]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("base", [None, "https://example.org/book/"])
def test_links_lead_into_the_book(pages, base):
    first, second = pages["first"], pages["second"]
    article.relink(first, pages, base)
    links = {link.get_text(): link["href"] for link in first.body.find_all("a")}
    assert links["第二章"] == "#" + second.anchors["里面的-一节"]
    assert links["整章"] == "#" + second.anchor
    assert links["这里"] == "#" + first.anchors["深入-这里"]
    assert links["外面"] == "https://example.org/x"
    # 网页才有的：没有公开的地址，就只剩下字
    assert ("丢了" in links) == ("笔记本" in links) == bool(base)
    assert "丢了" in first.body.get_text()


def test_a_heading_reads_without_its_tex():
    heading = BeautifulSoup(f"<h2>为什么是 {ROOT}</h2>", "html.parser").h2
    assert article.plain(heading) == "为什么是 QKT"


def test_radicals_become_characters():
    assert unify("⼀⻓⻢⾔見") == "一长马言見"
    table = """1 beginbfchar <02> <2F94> endbfchar
2 beginbfrange <03> <05> <2F00> <06> <08> <4E00> endbfrange"""
    unified = BLOCK.sub(unify_block, table)
    assert "<02> <8A00>" in unified and "<03> <05> [<4E00> <4E28> <4E36>]" in unified
    assert "<06> <08> <4E00>" in unified


def test_a_small_book(browser, pages, tmp_path):
    for each in pages.values():
        article.relink(each, pages, None)
    cover = volume.Cover("zh-CN", "小书", "只有两章", "简体中文", ("某人",), "目录")
    final = tmp_path / "book.pdf"
    press(browser, cover, [("起点", list(pages.values()))], "", {"/Title": "小书"}, final)
    assert [path.name for path in tmp_path.iterdir()] == ["book.pdf"]
    reader = PdfReader(final)
    texts = [page.extract_text() for page in reader.pages]
    assert len(texts) == 4 and "小书" in texts[0] and "目录" in texts[1]
    # 目录里写着第几页，就在第几页；页脚也是这个数
    assert "000" not in texts[1] and "3" in texts[1] and "4" in texts[1]
    assert "头一章" in texts[2] and "3" in texts[2] and "再里面" in texts[3]
    contents, (part, (one, (deep,), two, (inside, (innermost,)))) = (
        reader.outline[0],
        shape(reader.outline[1:]),
    )
    assert contents.title == "目录"
    assert [each.title for each in (part, one, deep, two, inside, innermost)] == [
        *("起点", "头一章", "深入：这里", "第二章", "里面的 一节", "再里面"),
    ]
    assert [reader.get_destination_page_number(each) for each in (part, one, two)] == [2, 2, 3]
    targets = [note.get_object() for page in reader.pages for note in page.get("/Annots", [])]
    inner = [note["/Dest"] for note in targets if "/Dest" in note]
    assert len(inner) >= 7 and all(str(name) in reader.named_destinations for name in inner)
    assert [note["/A"]["/URI"] for note in targets if "/A" in note] == ["https://example.org/x"]
    assert not any(page.images for page in reader.pages)


def shape(outline):
    """pypdf 给的书签：一项后面跟着的列表是它里面的。"""
    part, inner = outline
    return part, inner


def test_what_waits_to_come_near_is_drawn(browser):
    """一章里离得远的：图都画了，视图与面板都照了相。"""
    path = next(
        path for path in sorted(BOOK.glob("chapters/*.html")) if "data-view" in path.read_text("utf-8")
    )
    waiting = parsed(path).select("article :is(figure.explore, iframe, .live-bert)")
    assert {node.name for node in waiting} == {"figure", "iframe", "div"}
    body = BeautifulSoup(capture(browser, path), "html.parser")
    assert not body.select("iframe, .live-bert, .explore-stage:empty, .explore-stage > noscript")
    assert len(body.select("figure:is(.explore, .photograph)")) == len(waiting)


def test_what_would_be_cut_is_named(browser, pages, tmp_path):
    cover = volume.Cover("zh-CN", "小书", "", "简体中文", (), "目录")
    pages["first"].body.p.string = "放不下" * 40
    pages["first"].body.p["style"] = "white-space: nowrap; width: max-content"
    with pytest.raises(RuntimeError, match=r"first：从 0 到 1\d{3}，版心宽 642，<p> 放不下"):
        press(browser, cover, [("", [pages["first"]])], "", {}, tmp_path / "book.pdf")


def test_a_book_of_boxes_is_not_printed(tmp_path, monkeypatch):
    """没有中文字体的机器：一页也不印，只说一句话。"""
    nothing = '<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd"><fontconfig></fontconfig>'
    (tmp_path / "fonts.conf").write_text(nothing)
    monkeypatch.setenv("FONTCONFIG_FILE", str(tmp_path / "fonts.conf"))
    monkeypatch.setattr(print_books, "PDF", tmp_path / "pdf")
    # 它自己开一个浏览器；别的测试的那一个还开着，所以到另一个线程里去
    with ThreadPoolExecutor(1) as thread, pytest.raises(SystemExit, match="fonts-noto-cjk"):
        thread.submit(print_books.main).result()
    assert list((tmp_path / "pdf").iterdir()) == []
