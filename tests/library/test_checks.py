"""尺寸与编号的检查；形状与掩码的，由用到它们的模块来试。"""

import pytest
import torch
from torch import nn

from course_lib.checks import (
    check_groups,
    check_head_size,
    check_ids,
    check_length,
    check_patch_size,
    known_true,
)


def test_only_what_can_be_seen_is_known():
    truth = torch.tensor(True)
    assert known_true(truth) is True and known_true(~truth) is False
    compiled = torch.compile(
        lambda x: x + 1 if known_true((x > 0).all()) else x, fullgraph=True, backend="eager"
    )
    assert compiled(torch.ones(1)).item() == 1  # 编译时看不到


@pytest.mark.parametrize("check", [check_head_size, check_groups, check_patch_size])
def test_sizes_are_divided(check):
    assert [check(9, 3), check(8, 1), check(4, 4)] == [3, 8, 1]
    for whole, part in ((9, 2), (9, 18), (9, 0), (9, -3)):
        with pytest.raises(ValueError, match=f"{whole} 不能被 .*={part} 整除"):
            check(whole, part)


def test_as_long_as_max_len():
    check_length(6, 6)
    with pytest.raises(ValueError, match=r"^序列有 7 个词元，超过了 max_len=6，请先截断或分段。$"):
        check_length(7, 6)


class TestIds:
    TABLE = nn.Embedding(5, 2)

    def test_good(self):
        for ids in ([[0]], [[4, 0], [2, 3]]):
            check_ids(torch.tensor(ids), self.TABLE)
            check_ids(torch.tensor(ids, dtype=torch.int32), self.TABLE)

    @pytest.mark.parametrize(
        ("ids", "wrong"), [([[0, 5]], 5), ([[-1, 4]], -1), ([[4], [-2]], -2), ([[7, -3]], -3)]
    )
    def test_outside(self, ids, wrong):
        with pytest.raises(ValueError, match=f"^段编号 {wrong} 不在 0 到 4 之间，分词器与模型不配套。$"):
            check_ids(torch.tensor(ids), self.TABLE, "段编号")

    @pytest.mark.parametrize("shape", [(0, 3), (3, 0), (3,), (1, 2, 3), ()])
    def test_shapes(self, shape):
        with pytest.raises(ValueError, match=r"^词元编号的形状应当是 \(B, N\) 且不为空，这里是 \("):
            check_ids(torch.zeros(shape, dtype=torch.long), self.TABLE)

    @pytest.mark.parametrize(
        "dtype",
        [torch.float32, torch.float16, torch.bool, torch.uint8, torch.int8, torch.int16, torch.uint16],
    )
    def test_types(self, dtype):
        with pytest.raises(
            TypeError,
            match=f"^词元编号应当是整数（int64 或 int32），这里是 {dtype}；请先用 .long\\(\\)。$",
        ):
            check_ids(torch.zeros(1, 2, dtype=dtype), self.TABLE)
