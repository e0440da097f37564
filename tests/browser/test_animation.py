"""动画：自成一页，不大，点了才播，放完就停。"""

import gzip
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest

from course_lib.show.animation import animation


@pytest.fixture
def shown(monkeypatch):
    pages = []
    monkeypatch.setattr("course_lib.show.animation.display", lambda page: pages.append(page.data))
    return pages


def figures(count, points=10):
    """几幅散点图，一幅比一幅靠右。"""
    rng = np.random.default_rng(0)
    for i in range(count):
        fig, ax = plt.subplots(figsize=(4, 2))
        ax.scatter(*(rng.normal(size=(2, points)) + i), s=14, alpha=0.6)
        yield fig


def test_animation_is_one_small_page_of_its_own(shown):
    animation(figures(3), "三幅图：点往右移")
    animation(figures(3), "三幅图：点往右移")
    animation(figures(4), "四幅图：点往右移")
    first, again, other = shown
    assert first == again != other
    assert not plt.get_fignums()  # 存好就关，不会在格子下面再画一遍
    code = re.sub(r"(<|\\u003c)svg.*?(<|\\u003c)/svg>", "", first)  # 图片之外
    assert len(code) < 4000 and not re.search(r"//|@import|url\(", code)
    assert '<div role="img" aria-label="三幅图：点往右移"><div class="plot"' in first
    assert first.count("viewBox") == 3  # 没有重复的
    assert len(first) < 100_000


def test_animation_of_a_training_run_is_not_too_large(shown):
    """十一幅，每幅五百个点：分类那一章的动画就这么大；传来时是压缩过的。"""
    animation(figures(11, points=500), "点往右移")
    assert len(shown[0]) < 1_000_000 and len(gzip.compress(shown[0].encode())) < 120_000


def test_animation_escapes_its_words(shown):
    animation(figures(2), '"<b>" & $end')
    assert 'aria-label="&quot;&lt;b&gt;&quot; &amp; $end"' in shown[0]


@pytest.mark.parametrize(("count", "alt"), [(0, "空"), (1, "只有一幅"), (2, " ")])
def test_animation_needs_frames_and_words(shown, count, alt):
    with pytest.raises(ValueError, match=f"{count} 幅，alt={alt!r}"):
        animation(figures(count), alt)
    assert not shown


def test_animation_plays_once_and_can_be_paused(shown, blank):
    """起初停在最后一幅，也不自己播；按下从头放，放完就停；暂停与拖动都停得住。"""
    animation(figures(4), "点往右移", interval=700)
    errors, asked = [], []
    blank.on("pageerror", lambda error: errors.append(error))
    blank.on("request", lambda request: asked.append(request.url))
    blank.clock.install()  # 时间由测试来拨，机器慢也不要紧
    blank.set_content(shown[0])
    button, place, slider = blank.locator("button"), blank.locator("output"), blank.locator("input")
    picture = blank.get_by_role("img", name="点往右移")
    blank.clock.run_for(5000)
    assert (button.inner_text(), place.inner_text()) == ("播放", "4 / 4")
    last = picture.inner_html()
    button.click()
    assert (button.inner_text(), place.inner_text()) == ("暂停", "1 / 4")
    assert picture.inner_html() != last
    blank.clock.run_for(800)
    button.click()
    blank.clock.run_for(5000)
    assert (button.inner_text(), place.inner_text()) == ("播放", "2 / 4")
    button.click()
    blank.clock.run_for(5000)
    assert button.inner_text() == "播放"
    assert place.inner_text() == "4 / 4" and picture.inner_html() == last
    button.click()
    slider.fill("2")
    assert (button.inner_text(), place.inner_text()) == ("播放", "3 / 4")
    assert not errors and all(url.startswith(("about:", "data:")) for url in asked)
