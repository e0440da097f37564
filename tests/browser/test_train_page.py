"""“训练一个 Transformer”那一页，在真的 Chromium 里：训练、回头看、换选择、关掉一个头、写自己的一句。"""

import re

import pytest
from live_pages import axe_faults, both_ways, prepare_axe

from course_book.doctree.training_still import STORED

PAGE = "chapters/train.html"
SHORT = "#task=reverse&mask=none&other=positions&value=none&steps=200"
READY = ".live-train[data-ready]"


@pytest.fixture
def panel(open_tab):
    def open_it(fragment=SHORT, scheme="file", **settings):
        page = open_tab(PAGE + fragment, scheme, **settings)
        page.wait_for_selector(READY, timeout=30_000)
        return page

    return open_it


def train(page):
    page.click(".train-play")
    page.wait_for_selector(".live-train[data-done]", timeout=200_000)


def scores(page):
    return [float(re.search(r"[\d.]+", text)[0]) for text in page.locator(".train-score").all_inner_texts()]


def test_it_opens_on_what_training_does(panel):
    """打开时画着事先训练好的一对：曲线、答案、头，按不动；亲手训练，从头长出来的就是它们。"""
    page = panel("")
    right = [told["right"][-1] for told in STORED]
    told = page.locator(".train-told").inner_text()
    assert "事先训练好的" in told and all(f"{value:.2f}" in told for value in right)
    assert scores(page) == right
    assert page.locator(".train-line").count() == 4
    answers = page.locator(".train-answers").all_inner_texts()
    assert (
        page.locator(".train-A .train-missed").count() == 0 < page.locator(".train-B .train-missed").count()
    )
    assert page.locator(".train-side button:enabled").count() == 0
    assert not page.locator(".train-own").is_visible()
    page.click("text=走一步")
    at_step(page, 1)
    assert "事先" not in page.inner_text(".live-train .train-told") + page.inner_text(".train-plots")
    assert page.locator(".train-answers").all_inner_texts() != answers
    assert page.locator(".train-side button:disabled").count() == 0
    train(page)
    assert scores(page) == right
    assert page.locator(".train-answers").all_inner_texts() == answers
    page.click("text=从头来")  # 真的从头：没有训练过的，不是事先训练好的
    page.wait_for_function(
        "() => !document.querySelector('.train-A .train-score').textContent.includes('1.00')"
    )
    assert page.inner_text(".train-time output") == "第 0 步" and scores(page) != right
    assert page.inner_text(".train-told") == ""


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_the_first_screen_has_the_curves_their_reading_and_the_button(panel, size):
    """宽的屏上，还有答案与一个一个的头。"""
    page = panel("", viewport={"width": size[0], "height": size[1]})
    parts = [".train-tasks", ".train-plots", ".train-told", ".train-play"]
    for part in parts + [".train-B .train-answers", ".train-A .train-heads"] * (size[0] > 1000):
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] <= size[1], part
    assert page.evaluate("window.shift ?? 0") < 0.02


def at_step(page, step):
    page.wait_for_function(
        "(text) => document.querySelector('.train-time output').textContent === text", arg=f"第 {step} 步"
    )


@both_ways
def test_two_trainings_one_choice_apart(panel, scheme):
    """练完，拖回开头看，再拖到末尾；关掉 A 的头，损失涨；换上自己的一句。"""
    page = panel(scheme=scheme)
    answers = page.locator(".train-A .train-answers")
    before = answers.inner_text()
    train(page)
    a, b = scores(page)
    assert a > 0.97 and 0.3 <= b < 0.4
    assert "练完了" in page.inner_text(".train-told")
    assert page.locator(".train-A .train-right").count() == 8
    assert page.locator(".train-line.train-of-A").count() >= 4
    # 书外什么也没有要；自己的只有 products.wasm 与它的名字
    data = {url.rpartition("/")[2] for url in page.asked if "/data/" in url}
    assert data == {"config.json.js", "products.wasm.js"}

    after, slider = answers.inner_text(), page.locator(".train-time input")
    slider.fill("0")
    at_step(page, 0)
    assert answers.inner_text() == before != after
    slider.fill("200")
    at_step(page, 200)
    assert answers.inner_text() == after

    for head in page.locator(".train-A .train-head").all():
        head.click()
    page.wait_for_function(
        "() => document.querySelector('.train-A .train-loss').textContent.includes('关掉 8 个头')"
    )
    whole, off = map(float, re.findall(r"\d+\.\d+", page.inner_text(".train-A .train-loss")))
    assert off > whole + 0.5
    assert page.locator(".train-A .train-head").nth(5).get_attribute("aria-pressed") == "true"

    field, words = page.locator(".train-own input"), page.locator(".train-A .train-word")
    field.fill("abcdabcd")
    page.wait_for_function("() => document.querySelectorAll('.train-A .train-answers li').length === 8")
    assert words.all_inner_texts() == list("abcdabcd")
    field.fill("abz")
    assert "不认得“z”" in page.inner_text(".train-allowed")
    assert words.all_inner_texts() == list("abcdabcd")
    field.fill("a" * 17)
    assert "最多 16 个" in page.inner_text(".train-allowed")
    page.click("text=换回来")
    page.wait_for_function("() => !document.querySelector('.train-allowed').textContent")
    assert page.errors == []


def test_the_same_link_is_the_same_training(panel):
    told = []
    for _ in range(2):
        page = panel()
        page.click("text=走一步")
        at_step(page, 1)
        told.append(
            page.locator(".train-loss").all_inner_texts() + page.locator(".train-answers").all_inner_texts()
        )
    assert told[0] == told[1]


def test_a_covered_word_is_seen_by_no_head(panel):
    """盖住倒写的第 3 个：该答它的第 6 个位置答不准了，损失涨；键盘再按一次，揭开，损失又是原来的。"""
    page = panel("#task=reverse&mask=none&other=&steps=200&layers=1")
    train(page)
    loss, word = page.locator(".train-A .train-loss"), page.locator(".train-A .train-word").nth(2)
    before = loss.inner_text()
    sure = page.locator(".train-A .train-answers li").nth(5).get_attribute("title")
    word.click()
    page.wait_for_function("() => document.querySelector('.train-loss').textContent.includes('盖住第 3 个')")
    whole, covered = map(float, re.findall(r"\d+\.\d+", loss.inner_text()))
    assert covered > whole + 0.1
    assert page.locator(".train-A .train-answers li").nth(5).get_attribute("title") != sure
    assert "hide=2" in page.evaluate("location.hash")
    assert word.get_attribute("aria-pressed") == "true"
    column = """() => [...document.querySelectorAll('.train-A canvas')].map((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(2, 0, 1, 8);
      return Math.max(...data.filter((_, i) => i % 4 === 3));
    })"""
    assert set(page.evaluate(column)) == {0}
    word.press("Enter")
    page.wait_for_function("(text) => document.querySelector('.train-loss').textContent === text", arg=before)
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("盖住第 3 个")
    assert min(page.evaluate(column)) > 0


@pytest.mark.parametrize(
    "fragment, said",
    [
        ("#task=sort&layers=7", "最多 4 层"),
        ("#task=sort&heads=3", "分不成一样宽的 3 份"),
        ("#task=sort&heads=9", "头数是 1 到 8"),
    ],
)
def test_what_cannot_be_is_said_kindly(open_tab, fragment, said):
    page = open_tab(PAGE + fragment, "file")
    page.wait_for_function(
        "(said) => document.querySelector('.train-told').textContent.includes(said)", arg=said
    )
    assert page.locator(".train-play").is_disabled()
    page.locator(".train-model summary").click()
    page.select_option("[aria-label='层数']", "1")
    page.select_option("[aria-label='头数']", "2")
    page.wait_for_selector(READY, timeout=30_000)
    assert not page.locator(".train-play").is_disabled()


def test_a_rubbish_address_is_the_usual_page(panel):
    page = panel("#task=nothing&layers=x&other=zzz&value=q&steps=-3&guess=../&seed=99")
    assert page.locator(".train-task input:checked").get_attribute("value") == "copy"
    assert page.errors == []


def test_a_run_that_flies_off_is_said_and_kept(panel):
    """损失成了 NaN：说一句，先前的都还在。"""
    page = panel("#task=reverse&mask=none&other=&steps=200")
    page.evaluate("""() => {
      const ask = LiveEngine.prototype.ask;
      LiveEngine.prototype.ask = async function (call, args, transfer) {
        const told = await ask.call(this, call, args, transfer);
        if (call === "train") told.broken = true;
        return told;
      };
    }""")
    page.click(".train-play")
    page.wait_for_function("() => document.querySelector('.train-told').textContent.includes('飞出去了')")
    assert page.locator(".train-A .train-answers li").count() == 8


def test_first_a_guess_then_the_answer(panel):
    page = panel(SHORT + "&guess=order")
    assert page.locator(".train-guess button").count() == 3
    assert "三成多" not in page.locator(".train-guess p").first.inner_text()
    page.locator(".train-guess button").nth(1).click()
    page.wait_for_selector(".live-train[data-done]", timeout=200_000)
    page.wait_for_function("() => document.querySelector('.train-guess').textContent.includes('你猜对了')")
    assert "都停在三成多" in page.inner_text(".train-guess")
    assert page.locator(".train-cards polyline").count() == 2  # 卡片上，换成刚训练出来的两条
    assert page.locator(".train-cards .train-differs").count() == page.locator(".train-cards a").count() - 1


def test_another_task_another_address(panel):
    page = panel()
    page.locator(".train-task input[value=bite]").check(force=True)
    page.wait_for_function("() => document.querySelectorAll('.train-A .train-answers li').length === 7")
    assert "task=bite" in page.evaluate("location.hash")
    page.go_back()
    page.wait_for_function("() => document.querySelectorAll('.train-A .train-answers li').length === 8")


def test_it_fits_and_is_accessible(panel):
    page = panel()
    page.click("text=走一步")
    page.locator(".train-model summary").click()
    prepare_axe(page)
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(300)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert axe_faults(page, ".live-train", narrow=width == 360) == [], width


def test_without_script_there_is_a_still(open_tab):
    page = open_tab(PAGE, "file", java_script_enabled=False)
    assert page.locator(".live-train .train-still polyline").count() == 2


def test_the_page_is_light():
    """脚本与样式压缩之后不到 60 kB。"""
    import gzip

    from built_book import BOOK

    from course_book.templates.live_page import PANELS

    panel = PANELS["train"]
    files = [BOOK / "live" / name for name in (*panel.scripts, *panel.styles)]
    files += (BOOK / "live/data/train").iterdir()
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) < 60_000
