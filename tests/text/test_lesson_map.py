"""与五份讲义的对照：每一条内容、每一条勘误都有着落，所指的格真的在那里。"""

import re

from chapters import NOTEBOOKS, PLACE, ROOT, cells, source
from tools import colab_title

TEXT = (ROOT / "chapters" / "lesson_map.md").read_text(encoding="utf8")
ROWS = {
    row[0]: row
    for row in ([cell.strip() for cell in line.strip("| ").split("|")] for line in TEXT.splitlines())
    if re.fullmatch(r"S\d(\.\d+|-\d+)", row[0])
}
# 每份讲义有几条内容、几条勘误
ITEMS = {"S0": 25, "S1": 20, "S2": 16, "S3": 22, "S4": 21}
ERRATA = {"S0": 28, "S1": 15, "S2": 10, "S3": 15, "S4": 16}
# 说错了的（W）与结果不对的（B），都要在勘误实验室里当场运行；S0-10 要查的是词典
RUN = {
    "S0": [1, 3, 4, 5, 6, 7, 8, 9, 15, 19, 20],
    "S1": [1, 2, 3, 4, 5, 6, 7],
    "S2": [1, 2, 3, 4, 5, 6, 7],
    "S3": [1, 2, 3, 4, 5, 6, 7, 8, 9],
    "S4": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
}
# 不出自讲义的，都在大语言模型一节
POPULAR = [f"l-{number}" for number in range(1, 12)]


def test_every_item_and_every_erratum_is_listed_once():
    expected = {f"{lesson}.{i}" for lesson, n in ITEMS.items() for i in range(1, n + 1)}
    expected |= {f"{lesson}-{i}" for lesson, n in ERRATA.items() for i in range(1, n + 1)}
    assert set(ROWS) == expected
    assert len(re.findall(r"(?m)^\| S\d[.-]\d+ ", TEXT)) == len(expected)


def test_places_exist():
    known = {path.stem: {cell["id"] for cell in cells(path)} for path in NOTEBOOKS}
    wrong = []
    for code, what, places in ROWS.values():
        named = PLACE.findall(places)
        if len(what) < 4 or not named or PLACE.sub("", places).strip("、 "):
            wrong.append(f"{code}：最后一栏只写 `章#格`，用顿号隔开")
        wrong += [
            f"{code}：{page} 里没有 {cell} 这一格" for page, cell in named if cell not in known.get(page, ())
        ]
    assert not wrong, "请改 chapters/lesson_map.md：\n" + "\n".join(wrong)


def test_wrong_claims_are_run_in_the_lab():
    """每条依次是说法、猜一猜、运行、应当怎样说；运行的那几格里有断言。"""
    lab = {c["id"]: c for c in cells(ROOT / "chapters" / "errata.ipynb")}
    order = list(lab)
    of_lessons = [f"{lesson}-{number}".lower() for lesson, numbers in RUN.items() for number in numbers]
    for code in (*of_lessons, *POPULAR):
        claim, asked, run, right = (
            order.index(f"{kind}-{code}") for kind in ("claim", "guess", "run", "right")
        )
        assert claim + 1 == asked < run < right, code
        assert sum(name.startswith("claim-") for name in order[claim:right]) == 1, code
        assert source(lab[f"claim-{code}"]).startswith(f"### {code.upper()} "), code
        assert re.search(r"\n\*\*(误解|接口|笔误)\*\*：", source(lab[f"claim-{code}"])), code
        assert source(lab[f"right-{code}"]).startswith("**应当说**："), code
        assert colab_title.removed(source(lab[f"guess-{code}"])).startswith("guess("), code
        assert "assert" in "".join(source(lab[name]) for name in order[run:right]), code
    for code in of_lessons:
        assert f"`errata#run-{code}`" in ROWS[code.upper()][2], code


def test_popular_claims_say_they_are_not_of_the_lessons_and_lead_to_a_chapter():
    lab = {c["id"]: source(c) for c in cells(ROOT / "chapters" / "errata.ipynb")}
    assert "不出自五份讲义" in lab["topic-large-language-model"]
    assert [name.removeprefix("claim-") for name in lab if name.startswith("claim-l")] == POPULAR
    for code in POPULAR:
        assert re.search(r"\]\(\d\d_\w+\.ipynb#", lab[f"right-{code}"]), code
