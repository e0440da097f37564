import pytest
import torch
import torch.nn.functional as F
from samples import shaken
from torch.testing import assert_close

from course_lib.layers import (
    FeedForward,
    SinusoidalPositionalEncoding,
    layer_norm,
    sinusoidal_encoding,
)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_layer_norm_matches_torch(scale):
    """标准差很小时 ε 在根号里外差别极大，所以三种尺度都要对。"""
    torch.manual_seed(0)
    x, gamma, beta = torch.randn(2, 5, 16) * scale + scale, torch.randn(16), torch.randn(16)
    assert_close(layer_norm(x, gamma, beta), F.layer_norm(x, (16,), gamma, beta), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(("activation", "function"), [("relu", F.relu), ("gelu", F.gelu)])
def test_feed_forward_is_two_linear_maps_and_one_nonlinearity(activation, function):
    torch.manual_seed(0)
    ffn, x = FeedForward(8, 32, activation=activation).eval(), torch.randn(2, 5, 8)
    by_hand = function(x @ ffn.linear1.weight.T + ffn.linear1.bias) @ ffn.linear2.weight.T + ffn.linear2.bias
    assert_close(ffn(x), by_hand, atol=1e-6, rtol=1e-5)
    assert_close(ffn(x)[:, 3], ffn(x[:, 3]))  # 逐位置


def test_feed_forward_dropout():
    torch.manual_seed(0)
    ffn, x = FeedForward(8, 32, dropout=0.5), torch.randn(2, 8)
    assert not torch.allclose(ffn(x), ffn(x))
    ffn = FeedForward(8, 32)
    assert_close(ffn.train()(x), ffn.eval()(x))


def test_unknown_activation():
    with pytest.raises(ValueError, match="不认识的激活函数 'swish'，可用的有 relu、gelu。"):
        FeedForward(8, 32, activation="swish")


class TestSinusoid:
    def test_formula(self):
        table = sinusoidal_encoding(50, 8)
        for pos in (0, 1, 49):
            for i in range(4):
                angle = torch.tensor(pos / 10000 ** (2 * i / 8))
                assert_close(table[pos, 2 * i], angle.sin(), atol=1e-5, rtol=1e-5)
                assert_close(table[pos, 2 * i + 1], angle.cos(), atol=1e-5, rtol=1e-5)

    def test_relative_offset_is_a_rotation(self):
        """PE[pos + k] 与 PE[pos] 的点积只取决于 k。"""
        table = sinusoidal_encoding(60, 16)
        assert_close(
            (table[5:50] * table[:45]).sum(-1), (table[5] @ table[0]).expand(45), atol=1e-4, rtol=1e-4
        )

    def test_module(self):
        module = SinusoidalPositionalEncoding(10, 8)
        x = torch.randn(2, 7, 8)
        assert_close(module(x) - x, sinusoidal_encoding(10, 8)[:7].expand(2, 7, 8), atol=1e-6, rtol=1e-5)
        assert_close(module(torch.zeros(1, 10, 8))[0], sinusoidal_encoding(10, 8))  # 恰好 max_len 个，不多
        assert module(x.half()).dtype == torch.float16
        assert not module.state_dict() and not list(module.parameters())
        assert module.to("meta").encoding.device.type == "meta"  # 登记过的 buffer 才会搬家

    def test_wrong_input(self):
        with pytest.raises(ValueError, match="d_model=7"):
            sinusoidal_encoding(10, 7)
        with pytest.raises(ValueError, match="max_len=4"):
            SinusoidalPositionalEncoding(4, 8)(torch.zeros(1, 5, 8))


def test_feed_forward_without_bias():
    ffn, x = shaken(FeedForward(8, 32, bias=False)), torch.randn(2, 8)
    assert [name for name, _ in ffn.named_parameters()] == ["linear1.weight", "linear2.weight"]
    assert_close(ffn(x), F.gelu(x @ ffn.linear1.weight.T) @ ffn.linear2.weight.T)
    assert FeedForward(8, 32).linear1.bias is not None and FeedForward(8, 32).linear2.bias is not None
