"""代码画出的图的替代文字：从代码里的字与前面的行文来。"""

from types import SimpleNamespace

import pytest
from docutils import nodes

from course_book.doctree.plot_descriptions import describe_plots, last_sentences, words_in


def test_words_on_the_plot_are_read_from_the_code():
    code = """
ax.plot(x, y, label="训练")
ax.plot(x, z, label=f"{n} 个")
ax.set(title="损失", xlabel="步", ylabel="$N$")
plt.xlabel("步")
right.set_ylabel("准确率")
heatmap(scores, words, words, "分数", ax=left)
print("不在图上")
"""
    assert words_in(code) == {
        "图题": ["损失", "分数"],
        "横轴": ["步"],
        "纵轴": ["N", "准确率"],
        "图例": ["训练"],
    }
    assert words_in("%matplotlib inline\nplt.title('x')") == {}


@pytest.mark.parametrize(
    "text, kept",
    [
        ("先说一句。再画出来。", "先说一句。再画出来。"),
        ("很长的一句" * 20 + "。画两幅图：左边是甲；右边是乙。", "画两幅图：左边是甲；右边是乙。"),
        ("短句。" + "一句很长的话" * 30 + "。", "一句很长的话" * 30 + "。"),
        ("在哪些层大？", "在哪些层大？"),
        ("画出来看：", "画出来看。"),
        ("没有句号", "没有句号"),
    ],
)
def test_only_the_last_sentences_are_kept(text, kept):
    assert last_sentences(text) == kept


def test_each_plot_says_what_its_code_and_prose_say():
    plain, told = (
        '<div class="plot" style="x"><svg></svg></div>',
        '<figure class="shown">{}<figcaption>看</figcaption></figure>',
    )

    def cell(code, plot=plain):
        source = nodes.container(nb_element="cell_code_source")
        source += nodes.literal_block(code, code)
        output = nodes.container(nb_element="cell_code_output")
        output += nodes.raw("", plot, format="html")
        return nodes.container("", source, output, nb_element="cell_code")

    section = nodes.section("", nodes.title("", "观察"), nodes.paragraph("", "看两幅图。"))
    section += [
        cell('ax.set(xlabel="步<")'),
        nodes.paragraph("", "再看一幅。"),
        cell("ax.plot(x)", told.format(plain)),
    ]
    other = nodes.raw("", "<svg>不是代码画的图</svg>", format="html")
    section += other
    document = SimpleNamespace(findall=section.findall)
    describe_plots(None, document, "chapters/x")
    first, second = (
        f'<div class="plot" role="img" aria-label="{said}" style="x"><svg></svg></div>'
        for said in ("“观察”一节的第 1 幅图。横轴：步&lt;。看两幅图。", "“观察”一节的第 2 幅图。再看一幅。")
    )
    assert [raw.astext() for raw in section.findall(nodes.raw)] == [
        first,
        told.format(second),
        other.astext(),
    ]
