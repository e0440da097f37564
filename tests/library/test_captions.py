"""图下的一句，横条，模型写出的话：写了什么就看得见什么，写错了说得清。"""

import re

import matplotlib.pyplot as plt
import pytest

from course_lib.show import caption, captions, samples, strip


@pytest.fixture
def shown(monkeypatch):
    seen = []
    for room in ("strips", "written"):
        monkeypatch.setattr(f"course_lib.show.{room}.display", lambda made: seen.append(made.data))

    def show(what, *args, **options):
        what(*args, **options)
        return seen[-1].partition('<div data-library="')[0]

    return show


def test_a_plot_carries_its_caption():
    plt.figure()
    caption("看 a < b 的一格")
    assert captions.captioned("图", plt.gcf().get_label()) == (
        '<figure class="shown">图<figcaption>看 a &lt; b 的一格</figcaption></figure>'
    )
    assert captions.captioned("图", "") == "图"
    plt.close()


def test_a_strip_is_in_proportion(shown):
    page = shown(strip, ["sky", "<is>"], [0.5, 0.05], line=(0.25, "平分"), told=["sky"], caption="看 sky。")
    assert re.findall(r'class="bar" style="width:([\d.]+)%"', page) == ["50.0", "5.0"]
    assert page.count('class="mark" style="left:25.0%"') == 2
    assert re.findall(r'class="row( told)?" role="listitem"><span>(.*?)</span>', page) == [
        (" told", "sky"),
        ("", "&lt;is&gt;"),
    ]
    assert "<figcaption>看 sky。虚线是平分，0.25。</figcaption>" in page


def test_what_was_written_is_apart_from_what_was_given(shown):
    page = shown(samples, [("1 + 1 =", " <2>"), ("问", "答", "没有模板")])
    assert (
        "<span>1 + 1 =</span><b> &lt;2&gt;</b>" in page and "<small>没有模板</small><span>问</span>" in page
    )


@pytest.mark.parametrize(
    ("words", "values", "options", "said"),
    [
        (["a"], [0.1, 0.2], {}, "有 1 个词，却有 2 个数"),
        (["a"], [-0.1], {}, "-0.1 不在 0 到 1.0 之间"),
        (["a"], [0.1], {"line": (1.5, "线")}, "1.5 不在 0 到 1.0 之间"),
        (["a"], [0.1], {"hue": "red"}, "没有名叫 'red' 的颜色"),
    ],
)
def test_a_wrong_strip_is_told(words, values, options, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        strip(words, values, **options)


def test_a_wrong_sample_is_told():
    with pytest.raises(ValueError, match="每段写作"):
        samples([("只有题面",)])
