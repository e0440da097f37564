"""检索：学习者会打的话，要在前三条里找到讲它的那一章；经 http 与从 file:// 都在真的 Chromium 里试。"""

import csv
import functools
import re
from pathlib import Path
from urllib.parse import quote

import pytest
from built_book import ALL_PAGES
from live_pages import both_ways

from chapters import page_of
from course_book.after_writing.search import plain_formula, readers_words, same_words, sections

TABLE = Path(__file__).with_name("search_queries.csv")
with TABLE.open(encoding="utf-8") as table:
    WANTED = {row["query"]: page_of(row["page"]) for row in csv.DictReader(table)}

# 少了哪一个都不行
MUST = [
    "多头注意力",
    "残差连接",
    "上下文向量",
    "层归一化",
    "为什么除以根号 d",
    "MultiHeadAttention",
    "attention_mask",
    "因果掩码",
    "逐层相等",
]

# 读者会这样问，头一条就要是它；写着 # 的，还要落在那一节
FIRST = {
    "位置编码": "positional_encoding",
    "注意力是什么": "scaled_dot_product_attention",
    "QKV": "scaled_dot_product_attention#",
    "LayerNorm 在前还是在后": "residual_and_layer_norm#放在加号之前-还是之后",
    "怎么安装": "running",
    "softmax 溢出": "attention_masks#深入-float16-装不下-1e9",
    "过拟合": "cls_classification#点分开了-就是学会了吗",
}

RESULTS = """() => [...document.querySelectorAll('#search-results li')].map((item) => ({
  href: item.querySelector('a').getAttribute('href'),
  title: item.querySelector('a').textContent,
  summary: item.querySelector('p.context').textContent,
  marked: [...item.querySelectorAll('mark')].map((mark) => mark.textContent),
}))"""


@pytest.fixture(scope="session")
def search(browser, roots):
    """在检索页上搜一句话，给出全部结果；检索页只打开一次。"""
    pages = {scheme: browser.new_page() for scheme in roots}
    for scheme, page in pages.items():
        page.goto(f"{roots[scheme]}search.html")

    @functools.cache
    def results(query, scheme):
        ask = "query => { document.getElementById('search-results').replaceChildren(); Search.performSearch(query); }"
        pages[scheme].evaluate(ask, query)
        return pages[scheme].evaluate(RESULTS)

    yield results
    for page in pages.values():
        page.close()


def place(query, results):
    """讲它的那一页排第几；不在其中是无穷。"""
    pages = [result["href"].partition("#")[0] for result in results]
    return pages.index(WANTED[query]) + 1 if WANTED[query] in pages else float("inf")


def test_the_table_names_pages_of_the_book(book):
    missing = {query: page for query, page in WANTED.items() if not (book / page).is_file()}
    assert missing == {} and len(WANTED) >= 40


@both_ways
def test_queries_find_the_page_that_teaches_it(search, scheme):
    places = {query: place(query, search(query, scheme)) for query in WANTED}
    first = sum(n == 1 for n in places.values()) / len(places)
    in_three = sum(n <= 3 for n in places.values()) / len(places)
    worse = {query: n for query, n in places.items() if n > 1}
    assert first >= 0.8 and in_three >= 0.95, f"首位 {first:.1%}，前三 {in_three:.1%}；不在首位的：{worse}"


@pytest.mark.parametrize("query", FIRST)
def test_what_readers_ask_comes_first(search, query):
    name, mark, section = FIRST[query].partition("#")
    wanted, found = page_of(name) + mark + section, search(query, "http")[0]["href"]
    assert found == wanted or (mark and not section and found.startswith(wanted))


def test_readers_words_are_replaced_by_the_book_s(search):
    """左栏各不相同；右栏的话搜得到，而且两栏搜到的头一条相同。"""
    rows = readers_words()
    assert len({said for said, _ in rows}) == len(rows) >= 30
    for said, written in rows:
        assert search(said, "http")[:1] == search(written, "http")[:1] != [], said


def test_the_titled_page_opens_at_its_beginning(search, book):
    for name in [page for page in ALL_PAGES if re.match("chapters/[0-9]", page)]:
        title = sections((book / name).read_text(encoding="utf-8"))[0][1].partition("：")[0]
        assert search(title, "http")[0]["href"] == name, title


@both_ways
def test_key_phrases_are_in_the_first_three(blank, search, roots, scheme):
    """网址里带着要搜的话，打开检索页就搜，与在那里打的一样。"""
    assert [query for query in MUST if place(query, search(query, scheme)) > 3] == []
    errors = []
    blank.on("pageerror", lambda error: errors.append(str(error)))
    blank.goto(f"{roots[scheme]}search.html?q={quote(MUST[0])}")
    assert blank.evaluate(RESULTS) == search(MUST[0], scheme) and errors == []


@pytest.mark.parametrize(
    ("query", "same"),
    [
        ("跳跃连接", "残差连接"),
        ("殘差連接", "残差连接"),
        ("Residual Connection", "残差连接"),
        ("根号", "√"),
        ("ＢＥＲＴ", "bert"),
        ("怎么分词", "分词"),
    ],
)
def test_other_ways_of_saying_it_find_the_same(search, query, same):
    assert search(query, "http") == search(same, "http") != []


def test_summaries_can_be_read(search):
    for result in [result for query in MUST for result in search(query, "http")[:3]]:
        assert 20 <= len(result["summary"]) <= 170 and re.search("[\u4e00-\u9fff]", result["summary"])
        assert not re.search(r"\\[a-z(]|[<>]|</", result["summary"]), "公式或标记没有化成文字"
        assert result["marked"], f"没有标出找到的词：{result}"


def test_results_lead_to_their_section(search, book):
    for query in WANTED:
        for result in search(query, "http"):
            page, _, anchor = result["href"].partition("#")
            assert not anchor or f' id="{anchor}"' in (book / page).read_text(encoding="utf-8"), result


def test_a_phrase_from_the_text_leads_to_its_page(search, book):
    """每一章正文里最长的、别处没有的一串汉字（不是标题），搜它就找到那一章。"""
    names = [page for page in ALL_PAGES if re.match("chapters/[0-9]", page)]
    pages = [(book / name).read_text(encoding="utf-8") for name in names]
    phrases = [
        set(re.findall("[\u4e00-\u9fff]+", "\n".join(text for _, _, text in sections(page))))
        for page in pages
    ]
    for i, name in enumerate(names):
        phrase = max(phrases[i].difference(*phrases[:i], *phrases[i + 1 :]), key=len)
        assert search(phrase, "http")[0]["href"].startswith(name), phrase


# 标出的每一处：词，在不在正文里，在不在图与脚本里
MARKED = """() => [...(CSS.highlights.get('found') ?? [])].map(({ startContainer: text, startOffset, endOffset }) => [
  text.data.slice(startOffset, endOffset).toLowerCase(),
  text.parentElement.closest('article') !== null,
  text.parentElement.closest('svg, script, style') !== null,
])"""


@both_ways
def test_keyboard_alone_searches_and_the_words_are_marked_in_the_page(blank, roots, scheme):
    blank.goto(f"{roots[scheme]}chapters/glossary.html")
    blank.keyboard.press("Control+k")
    blank.keyboard.type("层归一化")
    blank.keyboard.press("Enter")
    blank.wait_for_url("**/search.html?q=*")
    blank.locator("#search-results li a").first.focus()
    blank.keyboard.press("Enter")
    blank.wait_for_url(lambda url: "search.html" not in url)
    blank.wait_for_selector(".highlight-link")
    assert "层归一化" in [word for word, *_ in blank.evaluate(MARKED)]


def test_words_are_marked_in_the_text_and_nowhere_else(blank, roots):
    """“注意力掩码”的前几页里，词也写在插图与侧栏里。"""
    errors = []
    blank.on("pageerror", lambda error: errors.append(str(error)))
    for number in range(5):
        blank.goto(f"{roots['http']}search.html?q={quote('注意力掩码')}")
        blank.locator("#search-results li a").nth(number).click()
        blank.wait_for_url(lambda url: "search.html" not in url)
        blank.wait_for_selector(".highlight-link")
        blank.wait_for_timeout(50)  # Sphinx 自己的那一个要等一会儿才标
        assert {tuple(place) for _, *place in blank.evaluate(MARKED)} == {(True, False)}
        assert blank.locator(".highlighted").count() == 0 and errors == []
    blank.click(".highlight-link a")
    assert blank.evaluate(MARKED) == [] and blank.locator(".highlight-link").count() == 0


def test_the_magnifier_stands_beside_the_words(blank, roots):
    blank.goto(f"{roots['http']}search.html?q={quote('掩码')}")
    blank.keyboard.press("Control+k")
    for form in blank.locator("form.bd-search").all():
        icon, field = form.locator("i, svg").first.bounding_box(), form.locator("input").bounding_box()
        if icon is not None:  # 只开着一个
            padding = form.locator("input").evaluate(
                "(input) => parseFloat(getComputedStyle(input).paddingLeft)"
            )
            assert icon["x"] + icon["width"] <= field["x"] + padding


def test_nothing_found_says_so(blank, search, roots):
    assert search("量子纠缠", "http") == []
    blank.goto(f"{roots['http']}search.html?q={quote('量子纠缠')}")
    assert "没有找到“量子纠缠”" in blank.inner_text("#search-results")


def test_a_query_is_text_and_not_markup(blank, roots):
    for query in ["<img>量子纠缠", "<img src=x> (.* 注意力"]:
        blank.goto(f"{roots['http']}search.html?q={quote(query)}")
        assert blank.locator("#search-results img").count() == 0
        assert blank.inner_text("#search-results .search-summary")


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\sqrt{d_k}", "√d_k"),
        (r"\frac{1}{\sqrt d}", "1/√d"),
        (r"N\times N", "N×N"),
        (r"\gamma,\ \Delta", "γ,Δ"),
        (r"\mathrm{softmax}(S)", "softmax(S)"),
    ],
)
def test_formulas_become_text(latex, text):
    assert plain_formula(latex) == text


def test_sections_hold_prose_and_code_but_no_figures_or_printouts():
    page = """<nav>目录</nav><article><section class="x" id="a"><h1>甲<a class="headerlink">#</a></h1>
    <p>一段，<em>两</em>句。</p><div class="cell" id="c"><pre><span>x</span> = 1
y = 2</pre><div class="output stream"><pre>打印</pre></div><svg><text>图</text></svg></div>
    <section id="b"><span id="id3"></span><h2>乙</h2><table><tr><td><p>键</p></td>
    <td><p>key</p></td></tr></table></section></section></article>"""
    assert sections(page) == [
        ["a", "甲", "一段，两句。\nx = 1\ny = 2"],
        ["b", "乙", "键 · key"],
    ]


def test_other_names_come_from_the_glossary():
    rows = "词元 · 詞元（標記） · token · 一句话 · 令牌\n等变、不变 · 等變 · equivariance · 一句话 · 同变\n编号 · 編號 · token id · 一句话 ·"
    assert same_words([["id1", "术语表", rows]]) == [
        ["token", "令牌", "標記", "詞元", "词元"],
        ["token id", "編號", "编号"],
    ]
