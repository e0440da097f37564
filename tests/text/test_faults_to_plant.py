"""要种的错种得下去：原来的话在库里恰好一处，发现它的那一格还在；真的种下去见 tests/book/test_planted_faults.py。"""

import pytest
from planted_faults import FAULTS

from chapters import ROOT, cells, file_of


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_it_can_be_planted(fault):
    text = (ROOT / "course_lib" / fault.file).read_text(encoding="utf-8")
    assert text.count(fault.old) == 1, f"{fault.file} 里应当恰好有一处：{fault.old}"
    assert fault.new not in text
    chapter, _, name = fault.cell.partition("#")
    assert name in [cell["id"] for cell in cells(ROOT / f"chapters/{file_of(chapter)}.ipynb")]
