"""写成台湾的繁体：一句话换得对，行与列按整段来看，文档树里的话一处不漏。"""

import re

import pytest
from docutils import nodes
from docutils.utils import new_document

from chapters import NOTEBOOKS, cells, source
from course_book.doctree import taiwan_chinese, traditional_chinese
from course_book.doctree.taiwan_chinese import convert, convert_pieces, undecided
from course_book.doctree.traditional_chinese import ToTraditional

SENTENCES = {
    # 矩阵与表的行、列
    "权重的每行之和为 1，每列是一个键。": "權重的每列之和為 1，每行是一個鍵。",
    "第 0 行第 0 列与谁都不很像": "第 0 列第 0 行與誰都不很像",
    "用一个 4 行 3 列的小矩阵算一次": "用一個 4 列 3 行的小矩陣算一次",
    "行是查询，列是键；填充的行整行被挡住": "列是查詢，行是鍵；填充的列整列被擋住",
    "填充那几行整行都是 ⌘": "填充那幾列整列都是 ⌘",
    "表要 24 行：行数看最大的编号": "表要 24 列：列數看最大的編號",
    "再除以行和，把行发错人": "再除以列和，把列發錯人",
    "两张表的行一模一样，逐行比余弦": "兩張表的列一模一樣，逐列比餘弦",
    "位置学出了行与列吗？": "位置學出了列與行嗎？",
    "一行行独立的随机数": "一列列獨立的亂數",
    # 代码的行，以及不是行、列的行、列
    "公式都有几行代码与它对应": "公式都有幾行程式碼與它對應",
    "一行也不用改": "一行也不用改",
    "每个头打印一行，打印的每行依次是": "每個頭印出一行，印出的每行依次是",
    "运行、执行、并行、串行、进行、流行、银行": "執行、執行、並行、循序、進行、流行、銀行",
    "所有的线平行，一看就行，两边都行，这样不行": "所有的線平行，一看就行，兩邊都行，這樣不行",
    "序列的排列、词元的列表，都列在末尾，并列出有哪些": "序列的排列、詞元的列表，都列在末尾，並列出有哪些",
    "把一列图放成动画，得到一列词元": "把一列圖放成動畫，得到一列詞元",
    "权重第一列的序列名列前茅，与份数并列": "權重第一行的序列名列前茅，與份數並列",
    "高速飞行的粒子，关于 ⌘ 的几行，表有几行": "高速飛行的粒子，關於 ⌘ 的幾行，表有幾列",
    "大陆横为行，台湾横为列；本书横为行": "大陸橫為行，臺灣橫為列；本書橫為列",
    # 同一句里两种都有
    "运行这一行代码，取出表的一行": "執行這一行程式碼，取出表的一列",
    "两行代码得到一个 2 行 4 列的表": "兩行程式碼得到一個 2 列 4 行的表",
    # 术语表胜过 OpenCC
    "残差连接与层归一化，批归一化": "殘差連接與層正規化，批次正規化",
    "因果掩码、填充掩码与掩码语言模型": "因果遮罩、填充遮罩與遮罩語言模型",
    "循环神经网络里的循环是一个循环": "循環神經網路裡的迴圈是一個迴圈",
    "激活函数是函数，写一个小函数": "激活函數是函式，寫一個小函式",
    "词表与词表示": "詞彙表與詞表示",
    "融合算子、多层感知机、前馈网络": "融合運算子、多層感知器、前饋網路",
    # 台湾的说法
    "默认的程序把数据写进内存": "預設的程式把資料寫進記憶體",
    "代码的信息、质量与网络": "程式碼的資訊、質量與網路",
    "喷注的质量是可学习的参数吗": "噴注的質量是可學習的參數嗎",
    "一个编码器块，图像块，切成两块": "一個編碼器區塊，影像區塊，切成兩塊",
    "布尔张量的方差，调用时抛出异常": "布林張量的變異數，呼叫時拋出異常",
    "鼠标移到打开的文件夹里的文件": "滑鼠移到開啟的資料夾裡的檔案",
    # 一字多形，OpenCC 会认错的
    "改法是只挡键，文本里，给每个学生发一个座位": "改法是只擋鍵，文本裡，給每個學生發一個座位",
    "几只钟转回来，干脆，若干层，主干": "幾隻鐘轉回來，乾脆，若干層，主幹",
    "许多任务要读，一点联系，刷新了纪录": "許多任務要讀，一點聯繫，刷新了紀錄",
    "打印出来的账本，笔记只读不改，是只读的属性": "印出來的帳本，筆記只讀不改，是唯讀的屬性",
    "一条几乎贴着横轴，在打乱的喷注上训练，喂同样的图": "一條幾乎貼著橫軸，在打亂的噴注上訓練，餵同樣的圖",
    "他说“词”与‘字’，What’s": "他說「詞」與『字』，What’s",
}


def test_a_sentence_reads_as_in_taiwan():
    assert {sentence: convert(sentence) for sentence in SENTENCES} == SENTENCES


def test_a_word_is_one_line_of_the_table(tmp_path, monkeypatch):
    words = tmp_path / "words.csv"
    words.write_text("简体,台湾\n# 说明\n喂,餵\n", encoding="utf-8")
    monkeypatch.setattr(taiwan_chinese, "WORDS", words)
    assert taiwan_chinese.own_words() == {"喂": "餵"}
    words.write_text("简体,台湾\n喂 餵\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"words\.csv 里这一行不是“简体,台湾”两栏：喂 餵"):
        taiwan_chinese.own_words()


def test_rows_are_told_from_lines_across_markup():
    """强调与代码把一段话隔成几截，行与列仍按整段来看。"""
    assert convert_pieces(["取第 ", "⌘", " 行，每", "列", "之和；运", "行"]) == [
        *["取第 ", "⌘", " 列，每", "行", "之和；運", "行"]
    ]


def test_a_row_nobody_decided_is_reported():
    assert undecided("此行不虚；每行之和为一，运行") == ["此行不虚；每行之和为一"]


def test_every_exception_is_still_needed():
    """正文改了，为那一句写的例外就该删去；印出来的例外见 tests/book/test_traditional.py。"""
    text = "".join(source(cell) for path in NOTEBOOKS for cell in cells(path))
    written = {*taiwan_chinese.AS_IS} - {*taiwan_chinese.PRINTED}
    passages = [*taiwan_chinese.KEPT_PASSAGES, *map(re.escape, written)]
    assert [passage for passage in passages if not re.search(passage, text)] == []


def test_what_opencc_would_cut_short_is_refused():
    with pytest.raises(ValueError, match="NUL"):
        convert("与 generate\0_mask 恰好相反")


def transformed(*children) -> nodes.document:
    document = new_document("一页")
    document += children
    ToTraditional(document).apply()
    return document


def test_an_escaped_letter_cuts_nothing_short():
    """docutils 把反斜杠之后的字写作 NUL 加那个字。"""
    text = nodes.Text("与 \0_ 恰好相反，各列之和为 1")
    assert transformed(nodes.paragraph("", "", text)).astext() == "與 _ 恰好相反，各行之和為 1"


@pytest.mark.parametrize(
    ("simplified", "traditional"),
    [
        (
            'x.sum(1)  # 每行之和\nprint("共", len(x), "行")',
            'x.sum(1)  # 每列之和\nprint("共", len(x), "列")',
        ),
        ('f"{n} 行：够了"', 'f"{n} 列：夠了"'),
        ("空位 994 行\n", "空位 994 列\n"),
        ('"""返回每一列；运行 ``a[行]``。"""', '"""回傳每一行；執行 ``a[行]``。"""'),
    ],
)
def test_code_and_output_are_converted(simplified, traditional, monkeypatch):
    monkeypatch.setattr(traditional_chinese, "report_undecided", lambda text, location: None)
    block = transformed(nodes.literal_block(simplified, simplified))[0]
    assert block.astext() == traditional
    assert block.rawsource == traditional  # 不然 Sphinx 不给它着色


def test_shown_source_is_converted_across_its_colours():
    page = '<div class="highlight"><pre><span class="c1"># 共 </span>{n}<b> 行</b>，“是”\n</pre></div>'
    html = transformed(nodes.raw("", page, format="html")).astext()
    assert html == page.replace("行", "列").replace("“是”", "「是」")


def test_a_picture_is_converted_with_its_language_and_fonts():
    page = "<svg lang=\"zh-CN\" font-family=\"'Noto Sans SC', 'Microsoft YaHei'\"><text>每行</text></svg>"
    html = transformed(nodes.raw("", page, format="html")).astext()
    assert html == page.replace("CN", "TW").replace("SC", "TC").replace("YaHei", "JhengHei").replace(
        "行", "列"
    )


STRAY = "此行不虚"


@pytest.mark.parametrize(
    "block",
    [
        nodes.paragraph("", STRAY),
        nodes.paragraph("", "", nodes.literal("", STRAY)),
        nodes.literal_block(STRAY, STRAY),
        nodes.raw("", f"<svg><text>{STRAY}</text></svg>", format="html"),
        nodes.raw("", f'<div class="highlight"><i># {STRAY}</i></div>', format="html"),
        nodes.math_block("", STRAY),
        nodes.image(alt=STRAY),
    ],
    ids=["prose", "literal", "code", "svg", "source", "math", "alt"],
)
def test_wherever_it_stands_the_undecided_is_reported(block, monkeypatch):
    reports = []
    monkeypatch.setattr(
        traditional_chinese.logger, "warning", lambda *words, location: reports.append(words[1])
    )
    transformed(block.deepcopy())
    assert [STRAY in report for report in reports] == [True]
    transformed(nodes.container("", block, classes=["cell_output"]))  # 输出里的，换一台机器就不同，不问
    assert len(reports) == 1
