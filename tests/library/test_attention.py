import math
import re
from copy import deepcopy

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import shaken
from torch.testing import assert_close
from twins import attention_twin

from course_lib.attention import (
    Cache,
    MultiHeadAttention,
    causal_mask,
    needed_padding_mask,
    padding_mask,
    scaled_dot_product_attention,
)
from course_lib.language_model import grouped_query_attention

DTYPES = [torch.float32, torch.float16, torch.bfloat16]


def qkv(*shape, keys=None, dtype=torch.float32, seed=0):
    g = torch.Generator().manual_seed(seed)
    key_shape = (*shape[:-2], keys or shape[-2], shape[-1])
    return [torch.randn(s, generator=g).to(dtype) for s in (shape, key_shape, key_shape)]


class TestMasks:
    def test_padding_mask(self):
        mask = padding_mask(torch.tensor([[1, 1, 0], [1, 1, 1]]))
        assert mask.dtype == torch.bool and mask.shape == (2, 1, 1, 3)
        assert mask[0, 0, 0].tolist() == [True, True, False]

    @pytest.mark.parametrize(
        ("bad", "words"),
        [
            (torch.ones(3), r"^attention_mask 的形状应当是 \(B, N\)，这里是 \(3,\)。$"),
            (torch.ones(1, 1, 3), r"这里是 \(1, 1, 3\)"),
            (torch.tensor([[1, 2]]), "^attention_mask 只能含 0 和 1：1 = 真实词元，0 = 填充。$"),
            (torch.tensor([[0.0, -10000.0]]), "只能含 0 和 1"),  # 加性的掩码不能悄悄当成别的意思
        ],
    )
    def test_padding_mask_refuses(self, bad, words):
        with pytest.raises(ValueError, match=words):
            padding_mask(bad)

    @pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int16, torch.uint16, torch.uint64])
    def test_any_kind_of_ones_and_zeros(self, dtype):
        mask = padding_mask(torch.tensor([[1, 1, 0]]).to(dtype))
        assert mask.tolist() == [[[[True, True, False]]]]
        with pytest.raises(ValueError, match=r"^attention_mask 的形状应当是"):
            padding_mask(torch.ones(3).to(dtype))
        if dtype != torch.bool:
            with pytest.raises(ValueError, match=r"^attention_mask 只能含 0 和 1"):
                padding_mask(torch.tensor([[1, 2]]).to(dtype))

    def test_a_mask_that_hides_nothing_is_not_needed(self):
        real = torch.tensor([[1, 1, 0], [1, 1, 1]])
        assert (
            needed_padding_mask(None, (1, 3), "ids") is needed_padding_mask(real[1:], (1, 3), "ids") is None
        )
        assert torch.equal(needed_padding_mask(real, (2, 3), "ids"), padding_mask(real))
        with pytest.raises(
            ValueError, match=r"attention_mask 的形状 \(2, 3\) 应与 input_ids 的 \(1, 3\) 相同"
        ):
            needed_padding_mask(real, (1, 3), "input_ids")

    def test_causal_mask(self):
        assert causal_mask(3).tolist() == [[True, False, False], [True, True, False], [True, True, True]]
        assert causal_mask(1).tolist() == [[True]] and causal_mask(1, past=2).tolist() == [[True] * 3]
        assert torch.equal(causal_mask(2, past=3), causal_mask(5)[3:])
        with pytest.raises(ValueError, match="应当至少是 1，这里是 0。"):
            causal_mask(0)
        with torch.device("meta"):
            assert causal_mask(3, device="cpu").device.type == "cpu"


class TestScaledDotProduct:
    @settings(max_examples=40, deadline=None, derandomize=True)
    @given(
        batch=st.integers(1, 3),
        heads=st.integers(1, 3),
        queries=st.integers(1, 5),
        keys=st.integers(1, 6),
        d=st.integers(1, 9),
        seed=st.integers(0, 99),
    )
    def test_matches_torch(self, batch, heads, queries, keys, d, seed):
        q, k, v = qkv(batch, heads, queries, d, keys=keys, seed=seed)
        g = torch.Generator().manual_seed(seed)
        mask = torch.rand(batch, 1, queries, keys, generator=g) < 0.7
        mask[..., 0] = True
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        assert_close(output, F.scaled_dot_product_attention(q, k, v, attn_mask=mask), atol=1e-5, rtol=1e-5)
        assert weights.shape == (batch, heads, queries, keys)
        assert_close(weights.sum(-1), torch.ones(batch, heads, queries))
        assert (weights[~mask.expand_as(weights)] == 0).all()

    def test_weights_by_hand(self):
        """两个键，分数差 ln 3 / √d 的 √d 倍：权重应当恰是 1/4 与 3/4。"""
        q = torch.tensor([[1.0, 0, 0, 0]])
        k = torch.tensor([[0.0, 0, 0, 0], [2 * math.log(3), 0, 0, 0]])
        output, weights = scaled_dot_product_attention(q, k, torch.tensor([[0.0], [4.0]]))
        assert_close(weights, torch.tensor([[0.25, 0.75]]))
        assert_close(output, torch.tensor([[3.0]]))

    @pytest.mark.parametrize("dtype", DTYPES)
    @pytest.mark.parametrize("need_weights", [True, False])
    def test_fully_masked_rows_are_zero(self, dtype, need_weights):
        q, k, v = qkv(2, 3, 4, 8, dtype=dtype)
        mask = torch.ones(2, 1, 4, 4, dtype=torch.bool)
        mask[1, :, 2] = False
        output, weights = scaled_dot_product_attention(q, k, v, mask, need_weights)
        assert output.isfinite().all()
        assert (output[1, :, 2] == 0).all() and (output[1, :, 1] != 0).any()
        if need_weights:
            assert (weights[1, :, 2] == 0).all()

    @pytest.mark.parametrize("attend", [scaled_dot_product_attention, grouped_query_attention])
    def test_no_kernel_is_asked_about_a_fully_masked_row(self, attend, monkeypatch):
        """CUDA 上半精度的融合算子，这样的一行给的不是零，梯度会是 NaN；这里的算子见到就出错。"""
        fused = F.scaled_dot_product_attention

        def strict(query, key, value, attn_mask=None, **options):
            assert attn_mask.any(dim=-1).all()
            return fused(query, key, value, attn_mask=attn_mask, **options)

        monkeypatch.setattr(F, "scaled_dot_product_attention", strict)
        q, k, v = (t.requires_grad_() for t in qkv(2, 3, 4, 8))
        mask = torch.ones(2, 1, 4, 4, dtype=torch.bool)
        mask[1, :, 2] = False
        output, _ = attend(q, k, v, mask, need_weights=False)
        assert (output[1, :, 2] == 0).all() and (output[1, :, 1] != 0).any()
        assert_close(output, attend(q, k, v, mask)[0])
        (grad,) = torch.autograd.grad(output.square().sum(), q)
        assert (grad[1, :, 2] == 0).all() and (grad[1, :, 1] != 0).any()

    def test_where_every_row_sees_something_nothing_is_zeroed(self, monkeypatch):
        q, k, v = qkv(2, 3, 4, 8)
        mask = padding_mask(torch.tensor([[1, 1, 1, 0], [1, 1, 0, 0]]))
        with monkeypatch.context() as patch:
            patch.setattr(torch.Tensor, "masked_fill", None)
            output, _ = scaled_dot_product_attention(q, k, v, mask, need_weights=False)
            with pytest.raises(TypeError, match="not callable"):  # 末一行只许看填充
                scaled_dot_product_attention(q, k, v, mask & causal_mask(4).mT, need_weights=False)
        assert_close(output, scaled_dot_product_attention(q, k, v, mask)[0])

    @pytest.mark.filterwarnings("ignore:Anomaly Detection")
    def test_no_step_of_a_fully_masked_row_has_a_nan_gradient(self):
        """填 -inf 的话，最后的梯度也是有限的，中间的却有 NaN。"""
        q, k, v = (t.requires_grad_() for t in qkv(1, 1, 3, 4))
        mask = torch.tensor([[True, True, True], [False, False, False], [True, False, True]])
        with torch.autograd.detect_anomaly(check_nan=True):
            scaled_dot_product_attention(q, k, v, mask)[0].sum().backward()

    @pytest.mark.parametrize("need_weights", [True, False])
    def test_gradients_are_those_of_the_formula(self, need_weights):
        inputs = [t.double().requires_grad_() for t in qkv(1, 2, 3, 4)]
        mask = torch.tensor([[True, False, True], [False, False, False], [True, True, True]])
        assert torch.autograd.gradcheck(
            lambda q, k, v: scaled_dot_product_attention(q, k, v, mask, need_weights)[0], inputs
        )

    def test_very_low_score_still_beats_a_masked_key(self):
        q, k = torch.tensor([[1.0]]), torch.tensor([[-1e6], [0.0]])
        _, weights = scaled_dot_product_attention(q, k, k, torch.tensor([True, False]))
        assert weights.tolist() == [[1.0, 0.0]]

    @pytest.mark.parametrize(
        ("dtype", "atol"), [(torch.float32, 1e-5), (torch.float16, 4e-3), (torch.bfloat16, 3e-2)]
    )
    def test_fused_path_agrees(self, dtype, atol):
        q, k, v = qkv(2, 4, 16, 8, dtype=dtype)
        mask = causal_mask(16)
        by_hand, _ = scaled_dot_product_attention(q, k, v, mask)
        fused, none = scaled_dot_product_attention(q, k, v, mask, need_weights=False)
        assert none is None
        assert_close(by_hand, fused, atol=atol, rtol=0)

    @pytest.mark.parametrize("mask", [None, causal_mask(3)], ids=["没有掩码", "因果"])
    def test_large_products_do_not_overflow_in_half_precision(self, mask):
        """点积是 128 × 30² = 115200，超过了 fp16 的 65504；除以 √128 之后只有一万，装得下。"""
        q, k, v = qkv(3, 128, dtype=torch.float16)
        q, k = 30 * q.sign(), 30 * q.sign()
        by_hand, weights = scaled_dot_product_attention(q, k, v, mask)
        fused, _ = scaled_dot_product_attention(q, k, v, mask, need_weights=False)
        assert weights.isfinite().all()
        assert_close(by_hand, fused, atol=4e-3, rtol=0)

    @pytest.mark.parametrize("need_weights", [True, False])
    def test_dropout_is_applied_to_weights(self, need_weights):
        """值是并排的两个单位矩阵，输出就是两份丢弃之后的权重；丢的若是输出或值，两份便不相同。"""
        q, k, _ = qkv(1, 1, 8, 4)
        value = torch.eye(8).repeat(1, 2)[None, None]
        torch.manual_seed(0)
        output, _ = scaled_dot_product_attention(q, k, value, None, need_weights, dropout_p=0.5)
        dropped, again = output.chunk(2, dim=-1)
        assert torch.equal(dropped, again)
        kept = dropped != 0
        assert 0.3 < kept.float().mean() < 0.7
        _, weights = scaled_dot_product_attention(q, k, value)
        assert_close(dropped[kept], 2 * weights[kept])  # 留下的除以 1 - 0.5

    @pytest.mark.parametrize("dtype", [torch.int64, torch.float32])
    def test_masks_must_be_boolean(self, dtype):
        with pytest.raises(TypeError, match=f"^掩码应当是布尔张量（True = 可以注意），这里是 {dtype}；"):
            scaled_dot_product_attention(*qkv(2, 3, 4, 8), torch.ones(4, 4, dtype=dtype))

    @pytest.mark.parametrize(
        ("q", "k", "expected"),
        [
            ((4, 8), (6, 8), (4, 6)),
            ((2, 4, 8), (2, 6, 8), (2, 4, 6)),
            ((1, 3, 4, 8), (2, 1, 6, 8), (2, 3, 4, 6)),
            ((5, 1, 3, 4, 8), (2, 1, 6, 8), (5, 2, 3, 4, 6)),
        ],
    )
    def test_the_mask_must_fit_the_scores(self, q, k, expected):
        """几维都一样：掩码要能广播到分数的形状，批与头由 query、key 一起定。"""
        q, k = torch.randn(q), torch.randn(k)
        mask = torch.ones(expected, dtype=torch.bool)
        assert scaled_dot_product_attention(q, k, k, mask)[1].shape == expected
        for wrong in (mask[None, ..., :1].expand(2, *expected), mask[..., :-1]):
            with pytest.raises(ValueError, match=re.escape(f"{tuple(wrong.shape)} 不能广播到 {expected}；")):
                scaled_dot_product_attention(q, k, k, wrong)

    def test_wrong_shapes(self):
        q, k, v = qkv(1, 4, 8)
        with pytest.raises(ValueError, match="query 的宽度 8 与 key 的宽度 6 不同"):
            scaled_dot_product_attention(q, k[..., :6], v)
        with pytest.raises(ValueError, match="key 有 4 个位置，value 有 2 个，应当一一对应"):
            scaled_dot_product_attention(q, k, v[:, :2])

    @pytest.mark.parametrize("need_weights", [True, False])
    @pytest.mark.parametrize("mask", [None, torch.ones(1, 4, dtype=torch.bool)], ids=["没有掩码", "有掩码"])
    def test_wrong_batches(self, mask, need_weights):
        q, k, v = qkv(2, 4, 8)
        words = re.escape("query、key、value 的批与头分别是 (2,)、(3,)、(3,)，")
        with pytest.raises(ValueError, match=words):
            scaled_dot_product_attention(q, k[[0, 1, 0]], v[[0, 1, 0]], mask, need_weights)
        with pytest.raises(ValueError, match=re.escape("(2,)、(2,)、(3,)，")):
            scaled_dot_product_attention(q, k, v[[0, 1, 0]], mask, need_weights)


class TestMultiHead:
    @settings(max_examples=25, deadline=None, derandomize=True)
    @given(
        batch=st.integers(1, 3),
        heads=st.sampled_from([1, 2, 4]),
        d=st.integers(1, 5),
        n=st.integers(1, 6),
        seed=st.integers(0, 99),
    )
    def test_matches_torch(self, batch, heads, d, n, seed):
        torch.manual_seed(seed)
        ours = shaken(MultiHeadAttention(heads * d, heads), seed)
        theirs = attention_twin(ours)
        x = torch.randn(batch, n, heads * d)
        keep = torch.rand(batch, n) < 0.6
        keep[:, 0] = True
        output, weights = ours(x, mask=padding_mask(keep), need_weights=True)
        # 约定相反：torch 的 key_padding_mask 里 True 是挡住
        expected, expected_weights = theirs(x, x, x, key_padding_mask=~keep, average_attn_weights=False)
        assert_close(output, expected, atol=1e-5, rtol=1e-5)
        assert_close(weights, expected_weights, atol=1e-5, rtol=1e-5)

    def test_cross_attention_matches_torch(self):
        torch.manual_seed(0)
        ours = shaken(MultiHeadAttention(12, 3))
        query, memory = torch.randn(2, 4, 12), torch.randn(2, 7, 12)
        expected, _ = attention_twin(ours)(query, memory, memory)
        assert_close(ours(query, memory)[0], expected, atol=1e-5, rtol=1e-5)
        other = torch.randn(2, 7, 12)
        expected, _ = attention_twin(ours)(query, memory, other)
        assert_close(ours(query, memory, other)[0], expected, atol=1e-5, rtol=1e-5)

    def test_padding_lands_on_its_own_sentence(self):
        """掩码错位到别的句子（S1-1 的错误）时，批量计算与逐句计算就不相等。"""
        torch.manual_seed(0)
        attention = shaken(MultiHeadAttention(8, 4))
        lengths, n = [2, 5, 3], 5
        x = torch.randn(3, n, 8)
        keep = torch.arange(n) < torch.tensor(lengths)[:, None]
        batched, weights = attention(x, mask=padding_mask(keep), need_weights=True)
        for i, length in enumerate(lengths):
            alone, _ = attention(x[i : i + 1, :length])
            assert_close(batched[i : i + 1, :length], alone, atol=1e-6, rtol=1e-5)
            assert (weights[i, :, :, length:] == 0).all()

    def test_split_and_merge_are_inverse(self):
        attention, x = MultiHeadAttention(6, 3), torch.arange(24.0).view(1, 4, 6)
        heads = attention.split_heads(x)
        assert heads.shape == (1, 3, 4, 2)
        assert heads[0, 1, 2].tolist() == x[0, 2, 2:4].tolist()
        assert torch.equal(attention.merge_heads(heads), x)

    def test_dropout_only_in_training(self):
        torch.manual_seed(0)
        x = torch.randn(1, 4, 8)
        for attention, drops in (
            (MultiHeadAttention(8, 2, dropout=0.5), True),
            (MultiHeadAttention(8, 2), False),
        ):
            assert torch.equal(attention.train()(x)[0], attention(x)[0]) != drops
            assert_close(attention.eval()(x)[0], attention(x)[0])

    def test_bias(self):
        attention = MultiHeadAttention(8, 2, bias=False)
        assert not [name for name, _ in attention.named_parameters() if "bias" in name]
        assert attention(torch.randn(1, 3, 8))[1] is None  # 没要权重

    def test_a_cache_grows_for_itself_and_is_kept_for_the_others(self):
        """自注意力逐步接上；交叉注意力的键与值只投影一次，第二次给的来源不看。"""
        attention, x, memory = shaken(MultiHeadAttention(8, 2)), torch.randn(2, 5, 8), torch.randn(2, 4, 8)
        own, cross = Cache(), Cache()
        for new in x.split([2, 1, 2], dim=1):
            mask = causal_mask(new.size(1), past=len(own))
            last, weights = attention(new, mask=mask, need_weights=True, cache=own)
            other = attention(new, memory if len(cross) == 0 else 0 * memory, cache=cross)[0]
        assert (len(own), len(cross)) == (5, 4) and own.keys.shape == own.values.shape == (2, 2, 5, 4)
        assert_close(last, attention(x, mask=causal_mask(5))[0][:, 3:], atol=1e-6, rtol=1e-5)
        assert_close(other, attention(x[:, 3:], memory)[0], atol=1e-6, rtol=1e-5)
        assert weights.shape == (2, 2, 2, 5)

    def test_a_copied_cache_goes_its_own_way(self):
        """梯度开着时也抄得：从同一个开头接着写两样。"""
        attention, x = shaken(MultiHeadAttention(8, 2)), torch.randn(1, 3, 8)
        cache = Cache()
        assert deepcopy([cache])[0].keys is None
        attention(x, cache=cache)
        twin, first = deepcopy([cache, cache])
        assert twin is first and twin.keys.data_ptr() != cache.keys.data_ptr()
        expected = attention(x[:, :1], cache=cache)[0]
        assert (len(cache), len(twin)) == (4, 3)
        found = attention(x[:, :1], cache=twin)[0]
        gradients = [
            torch.autograd.grad(y.sum(), attention.k_proj.weight, retain_graph=True)[0]
            for y in (found, expected)
        ]
        assert_close(found, expected)
        assert_close(*gradients)

    @pytest.mark.parametrize("shape", [(3, 8), (1, 2, 3, 8), (1, 3, 6)])
    def test_wrong_shapes(self, shape):
        """没有批这一维的输入曾被悄悄算错：拆头时把位置当成了批。"""
        attention, good, bad = MultiHeadAttention(8, 2), torch.randn(1, 3, 8), torch.randn(shape)
        for name, inputs in (("query", [bad]), ("key", [good, bad]), ("value", [good, good, bad])):
            with pytest.raises(ValueError, match=rf"{name} 的形状应当是 \(批, 位置数, 8\)"):
                attention(*inputs)

    @pytest.mark.parametrize(
        "mask", [None, torch.ones(2, 1, 1, 3, dtype=torch.bool)], ids=["没有掩码", "有掩码"]
    )
    @pytest.mark.parametrize("keys", [1, 3])
    def test_wrong_batches(self, keys, mask):
        """只有一份的键曾被悄悄广播：每一句都去读同一份。"""
        attention, query, key = MultiHeadAttention(8, 2), torch.randn(2, 3, 8), torch.randn(keys, 3, 8)
        with pytest.raises(ValueError, match=f"批大小是 2、{keys}、{keys}，应当相同"):
            attention(query, key, mask=mask)
        with pytest.raises(ValueError, match=f"批大小是 2、2、{keys}，应当相同"):
            attention(query, query, key, mask=mask)
        if keys == 1:  # 照那句话去做
            shared = key.expand(len(query), -1, -1)
            assert_close(attention(query, shared)[0][1:], attention(query[1:], key)[0])

    def test_wrong_input(self):
        with pytest.raises(ValueError, match="d_model=10 不能被 num_heads=3 整除"):
            MultiHeadAttention(10, 3)
        with pytest.raises(ValueError, match="num_heads=0"):
            MultiHeadAttention(8, 0)
        with pytest.raises(ValueError, match=r"mask.unsqueeze\(1\)"):
            MultiHeadAttention(8, 2)(torch.randn(2, 3, 8), mask=torch.ones(2, 3, 3, dtype=torch.bool))
