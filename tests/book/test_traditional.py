"""繁体的书：说法换得对，两本书的页面一一对应，代码一字不差。"""

import copy
import os
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from course_book.doctree.taiwan_chinese import KEPT_PASSAGES, convert, convert_pieces, undecided

ROOT = Path(__file__).parents[2]
BOOK = Path(os.environ.get("BOOK_HTML") or ROOT / "_build" / "html").resolve()
TRADITIONAL = BOOK / "zh-TW"
PAGES = sorted(
    page.relative_to(TRADITIONAL).as_posix()
    for page in TRADITIONAL.rglob("*.html")
    if "_static" not in page.parts
) or ["chapters/index.html"]


@pytest.mark.parametrize(
    ("simplified", "traditional"),
    [
        # 矩阵与表的行、列
        ("权重的每行之和为 1，每列是一个键。", "權重的每列之和為 1，每行是一個鍵。"),
        ("第 0 行第 0 列与谁都不很像", "第 0 列第 0 行與誰都不很像"),
        ("用一个 4 行 3 列的小矩阵算一次", "用一個 4 列 3 行的小矩陣算一次"),
        ("行是查询，列是键；填充的行整行被挡住", "列是查詢，行是鍵；填充的列整列被擋住"),
        ("填充那几行整行都是 ⌘", "填充那幾列整列都是 ⌘"),
        ("表要 24 行：行数看最大的编号", "表要 24 列：列數看最大的編號"),
        ("再除以行和，把行发错人", "再除以列和，把列發錯人"),
        ("两张表的行一模一样，逐行比余弦", "兩張表的列一模一樣，逐列比餘弦"),
        ("位置学出了行与列吗？", "位置學出了列與行嗎？"),
        ("一行行独立的随机数", "一列列獨立的亂數"),
        # 代码的行，以及不是行、列的行、列
        ("公式都有几行代码与它对应", "公式都有幾行程式碼與它對應"),
        ("一行也不用改，不到二十行", "一行也不用改，不到二十行"),
        ("每个头打印一行，打印的每行依次是", "每個頭印出一行，印出的每行依次是"),
        ("运行、执行、并行、串行、进行、流行、银行", "執行、執行、並行、循序、進行、流行、銀行"),
        ("所有的线平行，一看就行，两边都行，这样不行", "所有的線平行，一看就行，兩邊都行，這樣不行"),
        (
            "序列的排列、词元的列表，都列在末尾，并列出有哪些",
            "序列的排列、詞元的列表，都列在末尾，並列出有哪些",
        ),
        ("把一列图放成动画，得到一列词元", "把一列圖放成動畫，得到一列詞元"),
        ("权重第一列的序列名列前茅，与份数并列", "權重第一行的序列名列前茅，與份數並列"),
        ("高速飞行的粒子，关于 ⌘ 的几行，表有几行", "高速飛行的粒子，關於 ⌘ 的幾行，表有幾列"),
        ("大陆横为行，台湾横为列；本书横为行", "大陸橫為行，臺灣橫為列；本書橫為列"),
        # 同一句里两种都有
        ("运行这一行代码，取出表的一行", "執行這一行程式碼，取出表的一列"),
        ("两行代码得到一个 2 行 4 列的表", "兩行程式碼得到一個 2 列 4 行的表"),
        # 术语表胜过 OpenCC
        ("残差连接与层归一化，批归一化", "殘差連接與層正規化，批次正規化"),
        ("因果掩码、填充掩码与掩码语言模型", "因果遮罩、填充遮罩與遮罩語言模型"),
        ("循环神经网络里的循环是一个循环", "循環神經網路裡的迴圈是一個迴圈"),
        ("激活函数是函数，写一个小函数", "激活函數是函式，寫一個小函式"),
        ("词表与词表示", "詞彙表與詞表示"),
        ("融合算子、多层感知机、前馈网络", "融合運算子、多層感知器、前饋網路"),
        # 台湾的说法
        ("默认的程序把数据写进内存", "預設的程式把資料寫進記憶體"),
        ("代码的信息、质量与网络", "程式碼的資訊、質量與網路"),
        ("喷注的质量是可学习的参数吗", "噴注的質量是可學習的參數嗎"),
        ("一个编码器块，图像块，切成两块", "一個編碼器區塊，影像區塊，切成兩塊"),
        ("布尔张量的方差，调用时抛出异常", "布林張量的變異數，呼叫時拋出異常"),
        ("鼠标移到打开的文件夹里的文件", "滑鼠移到開啟的資料夾裡的檔案"),
        # 一字多形，OpenCC 会认错的
        ("改法是只挡键，文本里，给每个学生发一个座位", "改法是只擋鍵，文本裡，給每個學生發一個座位"),
        ("几只钟转回来，干脆，若干层，主干", "幾隻鐘轉回來，乾脆，若干層，主幹"),
        ("许多任务要读，一点联系，刷新了纪录", "許多任務要讀，一點聯繫，刷新了紀錄"),
        ("打印出来的账本，笔记只读不改，是只读的属性", "印出來的帳本，筆記只讀不改，是唯讀的屬性"),
        (
            "一条几乎贴着横轴，在打乱的喷注上训练，喂同样的图",
            "一條幾乎貼著橫軸，在打亂的噴注上訓練，餵同樣的圖",
        ),
        ("他说“词”与‘字’，What’s", "他說「詞」與『字』，What’s"),
    ],
)
def test_a_sentence_reads_as_in_taiwan(simplified, traditional):
    assert convert(simplified) == traditional


def test_rows_are_told_from_lines_across_markup():
    """强调与代码把一段话隔成几截，行与列仍按整段来看。"""
    assert convert_pieces(["取第 ", "⌘", " 行，每", "列", "之和；运", "行"]) == [
        *["取第 ", "⌘", " 列，每", "行", "之和；運", "行"]
    ]


def test_a_row_nobody_decided_is_reported():
    assert undecided("此行不虚；每行之和为一，运行") == ["此行不虚；每行之和为一"]


@pytest.fixture(scope="module")
def soups():
    """每一页两本书的文档树：（简体，繁体）。"""

    def read(path):
        if not path.is_file():
            pytest.fail(f"没有 {path.relative_to(BOOK)}：请先运行 make book。")
        return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")

    return {page: (read(BOOK / page), read(TRADITIONAL / page)) for page in PAGES}


def test_every_chapter_has_a_page():
    names = {path.stem for kind in ("md", "ipynb") for path in (ROOT / "chapters").glob(f"*.{kind}")}
    assert {f"chapters/{name}.html" for name in names} <= set(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_code_and_anchors_are_the_same(soups, page):
    def code(soup):
        return [block.get_text() for block in soup.select("pre, code, .sig")]

    def anchors(soup):
        return [node["id"] for node in soup.select("[id]")]

    simplified, traditional = soups[page]
    assert code(simplified) == code(traditional)
    assert anchors(simplified) == anchors(traditional)


@pytest.mark.parametrize("page", PAGES)
def test_no_simplified_character_is_left(soups, page):
    """Big5 里只有繁体字；代码、照录的写法、锚与去简体的链接除外，别的属性与脚本也在内。"""
    text = copy.copy(soups[page][1])
    for node in text.select("[id], [href*='#']"):
        del node["id"], node["href"]
    for kept in text.select("pre, code, .sig, .notranslate, [lang=zh-CN]"):
        kept.decompose()
    left = [
        run
        for run in re.findall("[\u4e00-\u9fff]+", str(text))
        if run != run.encode("big5", "ignore").decode("big5")
    ]
    assert left == []


@pytest.mark.parametrize("page", PAGES)
def test_each_page_leads_to_its_twin(soups, page):
    for soup, folder, language in zip(soups[page], (BOOK, TRADITIONAL), ("zh-TW", "zh-CN"), strict=True):
        links = soup.select(f"a[hreflang={language}], link[hreflang={language}]")
        twin = (TRADITIONAL if folder == BOOK else BOOK) / page
        targets = {(folder / page).parent.joinpath(link["href"]).resolve() for link in links}
        assert targets == ({twin} if page != "index.html" else set())


def test_every_exception_is_still_needed():
    """正文改了，为那一句写的例外就该删去。"""
    text = "".join((BOOK / page).read_text(encoding="utf-8") for page in PAGES if "chapters/" in page)
    text = re.sub(r"<(pre|code)\b.*?</\1>", "⌘", text, flags=re.DOTALL)
    text = re.sub(r"<[^>]*>", "", text)
    assert [passage for passage in KEPT_PASSAGES if not re.search(passage, text)] == []
