"""网页里的练习：在真的 Chromium 里写、运行、检查；读者的代码出不了它的沙箱，也弄不坏别的。"""

import re
import time

import pytest
from built_book import BOOK
from live_pages import axe_faults, both_ways, mostly_http, new_page, prepare_axe
from odd_answers import ODD, by_reader
from page_python import chapter, data_of, reader_answers, texts

from chapters import page_of
from course_book.after_writing.live_exercises import in_the_page
from course_book.doctree import taiwan_chinese
from course_lib.exercises import EXERCISES, verdict

pytestmark = pytest.mark.guards("live", "_ext", "course_lib/exercises", "chapters/*.ipynb")

PAGE = page_of("scaled_dot_product_attention") + "#exercise-one-query"  # 指到一道，它就开着
SEVERAL = page_of("attention_masks") + "#exercise-three-masks"
RIGHT = "def attend(q, keys, values):\n    scores = keys @ q / q.numel() ** 0.5\n    return scores.softmax(dim=0) @ values"
FORGOT = "def attend(q, keys, values):\n    return (keys @ q).softmax(dim=0) @ values"
QUERY = "scaled_dot_product_attention.one-query"
ONE, MASKS = "#exercise-one-query .exercise", "#exercise-three-masks .exercise"  # 两页上的两道
FORGOTTEN = verdict(QUERY, by_reader(FORGOT.replace("attend", "answer")))
MARKS = "✓✗○⚠"


@pytest.fixture
def visit(open_tab):
    return lambda name=PAGE, scheme="http", **settings: open_tab(name, scheme, **settings)


@pytest.fixture(scope="module")
def one_page(browser, roots):
    """同一页上接着做：准备好 Python 要半秒。"""
    page = new_page(browser, roots["http"] + PAGE)
    yield page
    assert not page.errors
    page.context.close()


@pytest.fixture
def box(one_page):
    box = one_page.locator(ONE)
    box.get_by_role("button", name="恢复原样").click()
    return box


@pytest.fixture(scope="module")
def several(browser, roots):
    """一格里有三道的那一页，几个测试共用。"""
    page = new_page(browser, roots["http"] + SEVERAL, permissions=["clipboard-read", "clipboard-write"])
    yield page
    assert not page.errors
    page.context.close()


def area(box):
    return box.locator("textarea")


def said(box):
    return box.locator(".exercise-said").inner_text()


def press(box, button="检查", code=None, timeout=120):
    """按一下，等到它说完；返回说的话。"""
    if code is not None:
        area(box).fill(code)
    words = box.locator(".exercise-said")
    words.evaluate("(each) => each.replaceChildren()")
    box.get_by_role("button", name=re.compile(f"^{button}$")).click()
    end = time.monotonic() + timeout
    while not (text := words.inner_text()) or text.startswith(("正在", "正在")):
        assert time.monotonic() < end, "迟迟没有说"
        box.page.wait_for_timeout(20)
    return text


def output(box):
    return box.locator(".exercise-output").text_content()


@both_ways
def test_right_and_wrong_answers_ask_for_nothing_more_than_python_once(visit, scheme):
    """没有动手之前不取 Python；准备好了之后，检查多少次都不再取。"""
    page = visit(PAGE, scheme)
    page.wait_for_load_state("networkidle")
    from_files = lambda: [url for url in page.asked if url.startswith(("http:", "file:"))]  # noqa: E731
    assert not [url for url in from_files() if "/live/data/" in url]
    box = page.locator(ONE)
    assert press(box).startswith("○")
    wanted = {
        "python/brython.js",
        "exercises/python.js",
        "exercises/scaled_dot_product_attention.json.js",
    }
    assert {url.partition("/live/data/")[2] for url in from_files() if "/live/data/" in url} == wanted
    before = len(from_files())
    assert press(box, "检查", RIGHT).startswith("✓")
    assert "运行了 10 秒" in press(box, "检查", "while True: pass")
    assert press(box, "检查", FORGOT) == FORGOTTEN
    assert press(box, "检查", texts(QUERY)[0]).startswith("✓")  # 参考解答整格贴来
    assert len(from_files()) == before and not page.errors


@mostly_http
def test_the_traditional_book_judges_in_its_own_words(visit, scheme):
    page = visit(f"zh-TW/{PAGE}", scheme)
    box = page.locator(ONE)
    assert press(box, "檢查", RIGHT).startswith("✓")
    assert press(box, "檢查", FORGOT) == taiwan_chinese.convert(FORGOTTEN)
    assert not page.errors


def test_the_first_letters_are_in_sight_again_after_writing_a_long_line(box, one_page):
    area(box).fill(RIGHT + " + 0" * 40)
    area(box).focus()
    one_page.keyboard.press("Control+End")
    assert area(box).evaluate("(each) => each.scrollLeft") > 0
    box.get_by_role("button", name="检查").click()
    assert area(box).evaluate("(each) => each.scrollLeft") == 0


def test_several_questions_in_one_cell(several):
    box = several.locator(MASKS)
    code = "def from_lengths(lengths, n):\n    return (torch.arange(n) < lengths[:, None])[:, None, None, :]"
    lines = press(box, code=code).split("\n\n")
    assert [re.search(f"[{MARKS}]", line)[0] for line in lines] == ["✓", "✗", "✗"]
    assert lines[0].startswith("from_lengths ") and "没有找到 for_torch" in lines[2]


def rounded(said):
    """末一位可能不同：网页里的张量用双精度算；括号里异常自己的话，Brython 说的与 CPython 的不同。"""
    said = re.sub(r"（(\w+)：.*）。", r"（\1）。", said)
    return re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.4g}", said)


FIRST = list({name.partition(".")[0]: name for name in reversed(in_the_page())}.values())
marked = [pytest.param(name, False, id=name) for name in FIRST]
marked += [pytest.param(name, True, id=f"{name}-all", marks=pytest.mark.thorough) for name in in_the_page()]


@pytest.mark.parametrize(("name", "thorough"), marked)
def test_any_answer_draws_the_same_sentence(one_page, name, thorough):
    """参考解答、没写的格、表里的错答与种种别的东西，在浏览器里得到的结论与 `course_lib.exercises` 的一样。

    每章的头一道平常就查，别的东西平常只交给一道，其余的在 make test-thorough 里；不在浏览器里的，test_page_judge 全查。
    """
    answers = list(reader_answers(name))
    odd = [
        (code.replace("answer", "given_answer"), verdict(name, by_reader(code)))
        for code in ODD.values()
        if thorough or name == QUERY
    ]
    data = data_of(name)
    said = one_page.evaluate(
        """async ([codes, data, modules, odd]) => {
          const said = [];
          LivePython.open().end(); // 一页只有一章的模块，换一章就换一个后台线程
          for (const [i, code] of codes.entries()) {
            const exercises = [i < odd ? data : { ...data, answer: "given_answer" }];
            const result = await LivePython.open().run({ code, given: data.given, exercises }, modules, () => {});
            said.push(result.verdicts?.[0] ?? JSON.stringify(result));
          }
          return said;
        }""",
        [[code for code, _ in answers + odd], data, chapter(name.partition(".")[0])["modules"], len(answers)],
    )
    # 用到了没有带进网页的，CPython 里的测试交出 torch 算得的结果再比；内置函数收几个参数，网页里看不出
    builtin = len(answers) + list(ODD).index("内置函数")
    different = [
        (code, wanted, got)
        for i, ((code, wanted), got) in enumerate(zip(answers + odd, said, strict=True))
        if rounded(got) != rounded(wanted) and i != builtin and "到 Jupyter 里用" not in got
    ]
    assert not different


def test_every_exercise_of_the_table_has_its_editor(book):
    marked = []
    for path in sorted((book / "chapters").glob("*.html")):
        marked += re.findall(r'<template data-exercise="([^"]+)">', path.read_text(encoding="utf-8"))
    assert sorted(" ".join(marked).split()) == sorted(in_the_page())


def test_what_is_printed_and_the_last_value(box):
    press(box, "运行", "print('一', 2)\nx = torch.arange(4.).reshape(2, 2)\nx")
    assert output(box) == "一 2\ntensor([[0., 1.],\n        [2., 3.]])\n"
    assert press(box, "运行", "x = 1").startswith("运行完了，没有打印什么")


@pytest.mark.parametrize(
    "code, words, line",
    [
        ("x = 1\ny = （x）", "第 2 行第 5 个字符那里，（ 是中文的标点，换成英文的", 2),
        ("x = “a”", "“ 是中文的标点，换成英文的", 1),
        ("def f(x):\nreturn x", "Python 读不懂，看看缩进（IndentationError", 2),
        ("x = (1,\n     2 +* 3)", "第 2 行第 9 个字符那里，Python 读不懂（SyntaxError", 2),
        (
            "def f(x):\n    return x / 0\n\nf(2)",
            "运行到第 2 行 return x / 0 出错了，除以了 0（ZeroDivisionError",
            2,
        ),
        ("x = 1\nx.size", "运行到第 2 行 x.size 出错了，没有这个属性或方法（AttributeError", 2),
        ("def f():\n    return f()\n\nf()", "递归没有停下来（RecursionError", 2),
        ("input('几')", "网页里没有 input，到 Jupyter 里用", 1),
        ("import numpy", "网页里没有它，到 Jupyter 里用", 1),
        ("x = torch.svd", "这里没有 torch.svd，到 Jupyter 里用 torch。", 1),
    ],
)
def test_an_error_names_the_readers_own_line(box, code, words, line):
    assert words in press(box, "运行", code)
    assert box.locator(".exercise-lines .wrong").all_inner_texts() == [f"{line}\n"]


def test_an_endless_loop_is_ended_and_the_next_run_works(box):
    press(box, "运行", "1")
    start = time.monotonic()
    text = press(box, "检查", "print('看得见')\nwhile True:\n    pass")
    assert time.monotonic() - start >= 10 and "运行了 10 秒还没有完" in text
    assert output(box) == "看得见\n"
    assert press(box, "检查", RIGHT).startswith("✓")


@pytest.mark.parametrize("code", ["print('x' * 1_000_000)", "for i in range(50_000):\n    print(i)"])
def test_output_is_cut(box, code):
    press(box, "运行", code)
    assert len(output(box)) < 10_100 and output(box).count("\n") < 210
    assert "输出太长，到这里为止" in output(box)


HOSTILE = {
    "网络与存储": "\n".join(
        f"try:\n    {name}\n    print('{name}')\nexcept NameError:\n    pass"
        for name in (
            "fetch",
            "XMLHttpRequest",
            "importScripts",
            "WebSocket",
            "indexedDB",
            "caches",
            "postMessage",
        )
    ),
    "通往 JavaScript 的门": "\n".join(
        f"try:\n    import {name}\n    print('{name}')\nexcept ImportError:\n    pass"
        for name in ("browser", "javascript", "browser.aio", "_ajax", "_webworker", "browser.local_storage")
    ),
    "删掉内建的": "import builtins\nfor name in list(vars(builtins)):\n    delattr(builtins, name)",
    "改坏内建的": "import builtins\nbuiltins.len = builtins.print = None",
    "改坏 torch": "torch.Tensor.softmax = lambda *_, **__: 1 / 0",
    "换掉判断的里层": "from course_lib.exercises import judging\njudging.Judge.accepted = lambda *_: True\n"
    + FORGOT,
    "换掉看守": "import builtins, page\nbuiltins.any = lambda *_: False\npage.changed = lambda *_: False\npage.check = lambda *_: '✓ 正确。'",
    "改坏 F": "F.softmax = lambda *_, **__: 1 / 0\ntorch.nn.functional.relu = None",
    "绕过剪短的输出": "import _output\n_output.write('x' * 20_000_000)\nwhile True:\n    _output.write('y' * 1000)",
    "换掉判断": "from course_lib.exercises import judging, facts\nfacts.verdict = lambda *_: '✓ 正确。'\njudging.Judge = None",
    "吃掉内存": "x = [0] * 10**9",
    "一直吃内存": "x = []\nwhile True:\n    x.append([0] * 10_000)",
    "退出": "raise SystemExit",
    "换掉输出": "import sys\nsys.stdout = None\nsys.modules.clear()",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_code_harms_nothing_else(box, one_page, name):
    before = one_page.url
    assert not press(box, "检查", HOSTILE[name]).startswith("✓")
    assert len(output(box)) <= 20_000
    if "门" in name or "网络" in name:
        assert output(box) == ""
    assert press(box, "检查", FORGOT) == FORGOTTEN
    assert press(box, "检查", RIGHT).startswith("✓")
    assert one_page.url == before


def test_the_sandbox_itself_lets_nothing_out(one_page):
    """就算读者的代码弄到了 JavaScript，浏览器也不许它请求、存东西、碰这一页。"""
    one_page.locator(f"{ONE} textarea").focus()
    one_page.wait_for_selector("iframe[sandbox]", state="attached")
    frame = next(frame for frame in one_page.frames if frame != one_page.main_frame)
    tried = frame.evaluate(
        """async () => {
          const source = `onmessage = async ({ ports: [port] }) => port.postMessage(
            await fetch("${"http://127.0.0.1:1/"}").then(() => "取到了", (error) => error.name))`;
          const worker = new Worker(URL.createObjectURL(new Blob([source])));
          const { port1, port2 } = new MessageChannel();
          worker.postMessage(null, [port2]);
          const inWorker = await new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
          const attempt = (work) => { try { work(); return "成了"; } catch (error) { return error.name; } };
          const blocked = [];
          document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => blocked.push(effectiveDirective));
          const inFrame = await fetch("http://127.0.0.1:1/").then(() => "取到了", (error) => error.name);
          await new Promise((resolve) => setTimeout(resolve, 100));
          return [inWorker, inFrame, attempt(() => localStorage), attempt(() => parent.document), [...blocked]];
        }"""
    )
    assert tried == ["TypeError", "TypeError", "SecurityError", "SecurityError", ["connect-src"]]
    one_page.errors.clear()  # 上面的请求在控制台里留了话


@mostly_http
def test_text_and_marks_survive_a_reload_and_can_be_forgotten(visit, scheme):
    page = visit(PAGE, scheme)
    press(page.locator(ONE), code=RIGHT)
    line = page.locator(".exercise-progress")
    count = sum(name.partition(".")[0] == QUERY.partition(".")[0] for name in EXERCISES)
    assert line.inner_text().startswith(f"这一章的 {count} 道练习，做对了 1 道（只记在这个浏览器里）。")
    page.reload()
    assert area(page.locator(ONE)).input_value() == RIGHT
    assert "做对了 1 道" in line.inner_text()
    page.evaluate("localStorage.setItem('exercise/done/another.chapter', '1')")
    line.get_by_role("button").click()
    assert "没有记" in line.inner_text()
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('exercise/done'))") == []
    press(page.locator(ONE))
    page.reload()
    assert "没有记" in line.inner_text()
    line.get_by_role("button").click()
    assert "做对了 0 道" in line.inner_text()
    page.locator(ONE).get_by_role("button", name="恢复原样").click()
    kept = page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('exercise/'))")
    assert kept == []


def test_it_works_where_nothing_may_be_stored(visit):
    page = visit("404.html")
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage',"
        " { get() { throw new DOMException('no', 'SecurityError') }, configurable: true })"
    )
    page.goto(page.url.replace("404.html", PAGE))
    assert press(page.locator(ONE), code=RIGHT).startswith("✓")
    assert "做对了 1 道" in page.locator(".exercise-progress").inner_text()


def test_an_old_verdict_fades_when_the_code_changes(box):
    press(box, code=FORGOT)
    assert box.locator(".exercise-said .wrong").count() == 1
    area(box).press("End")
    area(box).type(" ")
    assert box.locator(".exercise-said p").get_attribute("class") == "stale"
    press(box, code=FORGOT)
    assert box.locator(".exercise-said .wrong").count() == 1


def test_the_keys_of_a_python_editor(box, one_page):
    code, keys = area(box), one_page.keyboard
    value = lambda: code.input_value()  # noqa: E731
    code.fill("")
    keys.type("if x:\ny\n")
    assert value() == "if x:\n    y\n    "
    keys.press("Backspace")
    keys.type("z")
    assert value() == "if x:\n    y\nz"
    keys.press("Tab")
    assert value() == "if x:\n    y\nz   "
    code.fill("a\nb\n\nc")
    keys.press("Control+a")
    keys.press("Tab")
    assert value() == "    a\n    b\n\n    c"
    keys.press("Shift+Tab")
    assert value() == "a\nb\n\nc"
    keys.press("Control+z")
    assert value() == "    a\n    b\n\n    c"
    keys.press("Control+z")
    assert value() == "a\nb\n\nc"


def test_escape_then_tab_leaves_the_editor(box, one_page):
    keys = one_page.keyboard
    described = area(box).get_attribute("aria-describedby")
    assert "先按 Esc 再按 Tab" in one_page.locator(f"#{described}").text_content()
    area(box).focus()
    before = area(box).input_value()
    keys.press("Escape")
    keys.press("Tab")
    assert one_page.evaluate("document.activeElement.textContent") == "运行"
    keys.press("Shift+Tab")
    keys.press("Escape")
    keys.press("Shift+Tab")
    assert not one_page.evaluate("document.activeElement.matches('textarea')")
    assert area(box).input_value() == before


def test_control_enter_checks(box, one_page):
    area(box).fill(RIGHT)
    one_page.keyboard.press("Control+Enter")
    one_page.wait_for_function(
        "(each) => each.innerText.startsWith('✓')", arg=box.locator(".exercise-said").element_handle()
    )
    assert area(box).input_value() == RIGHT


def test_no_key_is_touched_while_an_input_method_is_composing(box, one_page):
    code = area(box)
    code.fill("x:")
    code.focus()
    client = one_page.context.new_cdp_session(one_page)
    client.send("Input.imeSetComposition", {"text": "ni", "selectionStart": 2, "selectionEnd": 2})
    touched = code.evaluate(
        """(area) => [["Tab", 9], ["Enter", 13], ["Enter", 229], ["Tab", 229]].map(([key, keyCode]) => {
          const event = new KeyboardEvent("keydown", { key, keyCode, isComposing: keyCode !== 229, bubbles: true, cancelable: true });
          area.dispatchEvent(event);
          return event.defaultPrevented;
        })"""
    )
    assert touched == [False] * 4
    client.send("Input.insertText", {"text": "你"})
    assert code.input_value() == "x:你"
    one_page.keyboard.press("Enter")
    assert code.input_value() == "x:你\n"


def test_the_cell_for_jupyter(several):
    box = several.locator(MASKS)
    area(box).fill("a = 1")
    box.get_by_role("button", name="复制成一格").click()
    box.get_by_text("复制好了").wait_for()
    lines = several.evaluate("navigator.clipboard.readText()").split("\n")
    assert lines[0] == "from course_lib.exercises import check" and "a = 1" in lines
    assert [line for line in lines if line.startswith("check(")][
        2
    ] == 'check("attention_masks.for-torch", for_torch)'


@pytest.mark.parametrize("book_of", ["", "zh-TW/"], ids=["zh-CN", "zh-TW"])
def test_one_exercise_is_open_at_a_time_and_a_link_opens_its_own(visit, book_of):
    page = visit(book_of + PAGE.partition("#")[0])
    opened = lambda: page.locator(".task > details").evaluate_all("(all) => all.map((each) => each.open)")  # noqa: E731
    count = len(opened())
    assert opened() == [True] + [False] * (count - 1)
    line = page.locator(".task > details > summary").nth(3)
    line.scroll_into_view_if_needed()
    before = line.bounding_box()["y"]
    line.click()
    page.wait_for_timeout(100)
    assert opened().index(True) == 3 and sum(opened()) == 1
    assert abs(line.bounding_box()["y"] - before) < 2  # 上面的合上了，点的还在原处
    page.evaluate("location.hash = 'exercise-one-query'")
    page.locator(ONE).wait_for()
    assert sum(opened()) == 1 and page.locator(f"{ONE} textarea").is_visible()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert all(opened())
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert sum(opened()) == 1


def test_it_fits_a_phone_and_a_finger(several):
    box = several.locator(MASKS)
    press(box, code="def from_lengths(lengths, n):\n    return " + "x" * 300)
    for width in (360, 390, 1280):
        several.set_viewport_size({"width": width, "height": 700})
        assert several.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        buttons = several.locator(":is(.exercise, .exercise-progress) button:visible").all()
        sizes = [button.bounding_box() for button in buttons]
        assert len(sizes) > 4 and min(min(size["width"], size["height"]) for size in sizes) >= 40
        gutter, code = (box.locator(each).bounding_box() for each in (".exercise-lines", "textarea"))
        assert abs(gutter["height"] - code["height"]) < 1


def test_axe_finds_no_fault_and_without_scripts_or_in_print_the_cell_stands_as_it_was(visit, browser, roots):
    page = visit()
    box = page.locator(ONE)
    press(box, code="print(1)\n" + FORGOT)
    page.evaluate("document.querySelectorAll('.exercise')[1].querySelector('button').click()")
    prepare_axe(page)
    assert axe_faults(page, ".exercise, .exercise-note, .exercise-progress") == []
    cell = page.locator("#exercise-one-query")
    assert not cell.locator(".cell_input").is_visible() and cell.locator(".exercise").is_visible()
    page.emulate_media(media="print")
    assert cell.locator(".cell_input").is_visible() and not cell.locator(".exercise").is_visible()
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(roots["http"] + PAGE)
    assert plain.locator("#exercise-one-query .cell_input").is_visible()
    context.close()


def test_the_data_are_shared_and_small():
    brython = BOOK / "live/data/python/brython.js"
    assert brython.stat().st_size < 450_000
    assert not (BOOK / "zh-TW/live/data/python").exists()
    for book_of in ("", "zh-TW/"):
        sizes = [path.stat().st_size for path in (BOOK / book_of / "live/data/exercises").iterdir()]
        assert max(sizes) < 100_000
