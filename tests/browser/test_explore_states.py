"""每一种可以动手的图：动手之后的 state() 与课程库算的相同，读者看得到的与抄下来的相同，键盘、播放、指着都到得了。"""

import json
import os
import re
from pathlib import Path

import figure_rows
import pytest
from figure_walk import WALK
from live_pages import AXE, EVERYTHING, prepare_axe

from course_lib.show.explore import NAMES, read

# 抄下来的：图 → 做了什么 → 变了的几行。改了图上的字或画法，`make snapshots` 重抄一遍，再看 git diff
SNAPSHOTS = Path(__file__).with_name("explore_snapshots.json")
pytestmark = pytest.mark.guards(
    "course_lib/show", "tests/browser/figure_rows", f"tests/browser/{SNAPSHOTS.name}"
)

ROWS = {row.id: row for row in figure_rows.every()}
RENEW = "COURSE_SNAPSHOTS" in os.environ
every_row = pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)


@pytest.fixture
def page(open_figure, row):
    page = open_figure(row.name, row.data)
    page.wait_for_function("document.querySelector('figure.explore').state()")  # 图像块等图片装好
    return page


def state(page):
    return page.evaluate("document.querySelector('figure.explore').state()")


def same(seen, wanted, where=""):
    """一样一样地比：数差不到一点点，其余的一字不差。"""
    wanted = wanted.tolist() if hasattr(wanted, "tolist") else wanted
    if isinstance(wanted, dict):
        for key, value in wanted.items():
            same(seen[key], value, f"{where} {key}")
    elif isinstance(wanted, list | tuple):
        assert isinstance(seen, list) and len(seen) == len(wanted), (where, seen, wanted)
        for i, (one, other) in enumerate(zip(seen, wanted, strict=True)):
            same(one, other, f"{where}[{i}]")
    elif isinstance(wanted, float):
        assert seen == pytest.approx(wanted, rel=1e-6, abs=1e-6, nan_ok=True), where
    else:
        assert seen == wanted, where


def changes(walked):
    """头一份是全部，以后只留变了的几行；行数少了，写出少的是哪几行。画的东西合成一行：哪一类，几个，样子的记号。"""
    told, before, drawn = {}, [], {}
    for did, _, shown in walked:
        if shown is None:
            continue
        lines, kinds = shown[0], dict(shown[1])
        new = [line for line in lines if line not in before]
        gone = [line for line in before if line not in lines]
        both = [*kinds, *(kind for kind in drawn if kind not in kinds)]
        moved = [f"{kind} {kinds.get(kind, 0)}" for kind in both if kinds.get(kind) != drawn.get(kind)]
        name = next(key for n in range(1, 99) if (key := did if n == 1 else f"{did} #{n}") not in told)
        told[name] = new + [f"− {line}" for line in gone] * (len(gone) > len(new))
        told[name] += [f"画：{'，'.join(moved)}"] * bool(moved)
        if not told[name]:  # 再按一下多半什么也不变
            del told[name]
        before, drawn = lines, kinds
    return told


def test_every_figure_has_its_row():
    assert {row.name for row in ROWS.values()} == set(NAMES)
    assert RENEW or set(json.loads(SNAPSHOTS.read_text())) == set(ROWS)


@every_row
def test_states_are_the_librarys_and_the_page_says_them(page, row):
    walked = page.evaluate(WALK, [row.typed, row.moves])
    for did, now, _ in walked:
        same(now, row.shows(row.made, now), f"{did} →")
    assert len({json.dumps(now) for _, now, _ in walked}) > 1
    told = json.loads(SNAPSHOTS.read_text()) if SNAPSHOTS.exists() else {}
    if RENEW:
        told[row.id] = changes(walked)
        kept = {key: told[key] for key in sorted(told) if key in ROWS}
        SNAPSHOTS.write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n")
    assert changes(walked) == told[row.id], "图上的字或画法变了：有意的就 make snapshots，再看 git diff。"


FOCUS = """() => {
  const stage = document.querySelector(".explore-stage"), all = [...stage.querySelectorAll("button, input, select, [tabindex], [role=button]")];
  const usable = all.filter((one) => !one.disabled && one.checkVisibility({ checkVisibilityCSS: true }));
  const stops = usable.filter((one) => one.tabIndex >= 0), whole = (one) => one.closest("table, .explore-gallery");
  const strays = usable.filter((one) => one.tabIndex < 0 && !stops.some((stop) => whole(stop) && whole(stop) === whole(one)));
  window.where = () => stops.indexOf(document.activeElement);
  window.walks = stops.flatMap((one, i) => (one.matches("[type=range], [role=listbox], [role=slider], td, .explore-gallery button") ? [i] : []));
  window.to = (i) => { document.activeElement.blur(); stops[i].focus(); window.last = stops[i]; };
  window.kept = () => last.disabled || stage.contains(document.activeElement);
  window.sees = () => JSON.stringify([document.activeElement.ariaLabel, document.querySelector("figure.explore").state()]);
  return [stops.length, strays.map((one) => one.outerHTML.slice(0, 80)), walks];
}"""


@every_row
def test_the_keyboard_reaches_and_moves_everything(page, row):
    """Tab 到得了每一个能动手的；点、格子、棋盘各占一站，用方向键走，走过去又走得回来；回车与空格都按得动。"""
    count, strays, walks = page.evaluate(FOCUS)
    assert strays == []
    for i in range(count):
        page.keyboard.press("Tab")
        assert page.evaluate("where()") == i
    for i in walks:
        moved = []
        for there, back in (("ArrowRight", "ArrowLeft"), ("ArrowDown", "ArrowUp")):
            page.evaluate("to", i)
            first = page.evaluate("sees()")
            page.keyboard.press(there)
            if page.evaluate("sees()") == first:  # 到了边上，往回走
                there, back = back, there
                page.keyboard.press(there)
            moved.append(page.evaluate("sees()") != first)
            page.keyboard.press(back)
            # 平面上挑那个方向最近的，未必走得回来
            assert page.evaluate("sees()") == first or row.name == "word_map"
        assert any(moved)
        listed = page.locator("[role=listbox]")
        if listed.count():
            chosen = page.locator(f"#{listed.get_attribute('aria-activedescendant')}")
            assert chosen.get_attribute("aria-selected") == "true"
    cells, pressed = page.locator("[role=button]:not(button), .explore-gallery button"), []
    for cell, key in ((cells.last, "Enter"), (cells.first, " ")) if cells.count() else ():
        cell.focus()
        page.keyboard.press(key)
        pressed.append(json.dumps(state(page)))
    assert len(set(pressed)) == len(pressed)
    for i in range(count):  # 按过之后，焦点还在图里；按不动了的除外
        page.evaluate("to", i)
        if page.evaluate("document.activeElement.tagName") == "BUTTON":
            page.keyboard.press("Enter")
            assert page.evaluate("kept()")


# 有播放的；同一个脚本里没有播放的两样不算
STILL = ("messages-one-head", "word_map")
PLAYED = [
    row for row in ROWS.values() if re.search("stepper|播放", read(f"{row.name}.js")) and row.id not in STILL
]
# 到了头：往前走的按不动，或者滑杆到了最右
ENDED = """() => [...document.querySelectorAll("button, [type=range]")].some((one) => one.disabled ? /^(下一步|合一次|走一步)$/.test(one.textContent) : one.max && one.value === one.max)"""


@pytest.mark.parametrize("row", PLAYED, ids=lambda row: row.id)
def test_play_runs_to_the_end_and_a_hand_stops_it(page, row):
    play, pause = (page.get_by_role("button", name=name, exact=True) for name in ("播放", "暂停"))
    page.clock.install()
    play.click()
    assert pause.count() == 1
    seen = {json.dumps(state(page))}
    for _ in range(600):
        page.clock.run_for(1000)
        seen.add(json.dumps(state(page)))
        if play.count():
            break
    assert len(seen) > 1 and page.evaluate(ENDED)
    end = state(page)
    play.click()  # 到了头再播放，从头走
    page.clock.run_for(100)
    assert state(page) != end
    hand = page.get_by_role("button", name=re.compile("^(下一步|合一次|走一步)$"))
    if row.name in ("banks", "clock", "lens"):
        page.get_by_role("slider").first.press("ArrowRight")
    else:
        hand.click()
    stopped = state(page)
    page.clock.run_for(10_000)
    assert play.count() == 1 and state(page) == stopped


SPOTS = """() => [...document.querySelectorAll("[role=option]")].map((one) => (one.querySelector("circle, polygon, :scope > i:first-child") ?? one).getBoundingClientRect()).map((box) => [(box.left + box.right) / 2, (box.top + box.bottom) / 2])"""


POINTED = [ROWS[name] for name in ("banks", "jet", "nouns", "occlusion", "word_map")]


@pytest.mark.parametrize("width", [760, 360])
@pytest.mark.parametrize("row", POINTED, ids=lambda row: row.id)
def test_a_tap_chooses_what_it_points_at(open_figure, row, width):
    page = open_figure(row.name, row.data, width=width)
    page.wait_for_function("document.getAnimations().every((one) => one.playState === 'finished')")
    names = page.locator("[role=option]").evaluate_all("all => all.map((one) => one.ariaLabel)")
    for name, spot in dict(zip(names, page.evaluate(SPOTS), strict=True)).items():
        page.mouse.click(*spot)
        chosen = page.locator("[role=option][aria-selected=true]")
        assert chosen.get_attribute("aria-label") == name
        active = page.get_by_role("listbox").get_attribute("aria-activedescendant")
        assert chosen.get_attribute("id") == active


@every_row
def test_nothing_axe_finds(page, row):
    prepare_axe(page)
    assert [
        (one["id"], one["nodes"][0]["html"][:120])
        for one in page.evaluate(AXE, [".explore", EVERYTHING])["violations"]
    ] == []
