import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import SOURCE, TARGET, transformer
from torch import nn
from torch.testing import assert_close
from twins import layer_twin

from course_lib.config import TransformerConfig
from course_lib.layers import sinusoidal_encoding
from course_lib.transformer import Transformer
from course_lib.translation import translate


def torch_twin(ours: Transformer) -> nn.Transformer:
    """把我们的编码器与解码器装进 `nn.Transformer`；它收的是已经嵌入的序列。"""
    config = ours.config
    theirs = nn.Transformer(
        config.d_model, config.num_heads, config.num_layers, config.num_layers, config.d_ff,
        batch_first=True, norm_first=config.norm_first,
    )  # fmt: skip
    for mine, other in ((ours.encoder, theirs.encoder), (ours.decoder, theirs.decoder)):
        other.layers = nn.ModuleList(map(layer_twin, mine.layers))
        # nn.Transformer 在 post-norm 时也补一次层归一化，论文没有，我们也没有
        other.norm = mine.norm if config.norm_first else None
    return theirs.eval()


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize("norm_first", [False, True])
def test_matches_torch(norm_first):
    ours = transformer(norm_first)
    positions = sinusoidal_encoding(9, 12)
    embedded = [
        table.weight[ids] * 12**0.5 + positions[: ids.size(1)]
        for table, ids in ((ours.source_embedding, SOURCE), (ours.target_embedding, TARGET))
    ]
    future = torch.ones(4, 4, dtype=torch.bool).triu(1)
    padding = SOURCE == 0
    with torch.enable_grad():  # 不走 torch 的快速路径，它把填充位置清零
        hidden = torch_twin(ours)(
            *embedded, tgt_mask=future, src_key_padding_mask=padding, memory_key_padding_mask=padding
        )
    expected = hidden @ ours.target_embedding.weight.T
    assert_close(ours(SOURCE, TARGET), expected, atol=1e-5, rtol=1e-5)


def test_output_layer_is_the_target_embedding():
    model = transformer()
    assert sum(p.shape == (11, 12) for p in model.parameters()) == 1
    model.logits(torch.randn(2, 4, 12)).sum().backward()
    assert model.target_embedding.weight.grad.abs().sum() > 0


def test_fresh_embeddings_have_unit_size():
    torch.manual_seed(0)
    model = Transformer(TransformerConfig(500, 500, d_model=64, num_heads=4, d_ff=64, num_layers=1))
    for table in (model.source_embedding, model.target_embedding):
        assert (table.weight * 64**0.5)[1:].std().item() == pytest.approx(1, abs=0.02)
        assert (table.weight[0] == 0).all()


def test_source_padding_does_not_matter():
    """一批里算与单独算相同；补得更长，也不变。"""
    model = transformer()
    together = model(SOURCE, TARGET)
    alone = model(SOURCE[:1, :3], TARGET[:1])
    longer = model(nn.functional.pad(SOURCE, (0, 3)), TARGET)
    assert_close(together[:1], alone, atol=1e-5, rtol=0)
    assert_close(longer, together, atol=1e-5, rtol=0)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.integers(1, 4), st.integers(1, 9), st.integers(1, 9), st.integers(1, 4), st.booleans())
def test_shapes_and_cached_steps(batch, m, n, step, norm_first):
    """任意的长短，一次交出几个新的都行：逐步带着缓存算，与一次算完相同。"""
    torch.manual_seed(0)
    model = transformer(norm_first)
    source, target = torch.randint(1, 13, (batch, m)), torch.randint(1, 11, (batch, n))
    logits = model(source, target)
    assert logits.shape == (batch, n, 11)
    memory, mask = model.encode(source)
    assert memory.shape == (batch, m, 12) and mask.shape == (batch, 1, 1, m)
    cache, steps = model.decoder.new_cache(), []
    for new in target.split(step, dim=1):
        output = model.decode(new, memory, mask, need_weights=True, cache=cache)
        assert output.last_hidden_state.shape == (*new.shape, 12) and len(output.cross_attentions) == 2
        steps.append(model.logits(output.last_hidden_state))
    assert_close(torch.cat(steps, dim=1), logits, atol=1e-5, rtol=1e-5)


def test_a_full_cache_takes_no_more():
    model = transformer()
    memory, mask = model.encode(SOURCE)
    cache = model.decoder.new_cache()
    for new in (TARGET, TARGET):
        assert model.decode(new, memory, mask, cache=cache).cross_attentions is None
    with pytest.raises(ValueError, match="序列有 12 个词元，超过了 max_len=9"):
        model.decode(TARGET, memory, mask, cache=cache)


def test_learns_to_copy():
    """几十步就应当学会照抄：连梯度都通得到编码器。"""
    torch.manual_seed(0)
    config = TransformerConfig(8, 8, d_model=32, num_heads=2, d_ff=64, num_layers=1, dropout=0.0, max_len=8)
    model = Transformer(config)
    source = torch.randint(3, 8, (256, 4))
    ends = torch.ones(256, 1, dtype=torch.long)
    target = torch.cat([ends, source, 2 * ends], dim=1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    for _ in range(150):
        logits = model(source, target[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert model.encoder.layers[0].self_attn.q_proj.weight.grad.abs().max() > 0
    assert (translate(model.eval(), source, 6) == target).all(dim=1).float().mean() > 0.9


def test_runs_in_half_precision():
    for dtype in (torch.float16, torch.bfloat16):
        logits = transformer().to(dtype)(SOURCE, TARGET)
        assert logits.dtype == dtype and logits.isfinite().all()


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ([[3] * 10], [[1, 3]], "序列有 10 个词元，超过了 max_len=9"),
        ([[0, 13]], [[1, 3]], "来源的编号 13 不在 0 到 12 之间"),
        ([[3, 12]], [[1, 11]], "目标的编号 11 不在 0 到 10 之间"),
        ([[3, 4]], [[]], r"不为空，这里是 \(1, 0\)"),
        ([[3, 4]], [1, 3], r"这里是 \(2,\)"),
        ([[3, 4]], [[1, 3], [1, 4]], "query、key、value 的批大小是 2、1、1，应当相同"),
        ([[3, 4], [5, 6]], [[1, 3]], "批大小是 1、2、2"),
    ],
)
def test_wrong_inputs(source, target, message):
    source, target = (torch.tensor(ids, dtype=torch.long) for ids in (source, target))
    with pytest.raises(ValueError, match=message):
        transformer()(source, target)


def test_an_odd_width_has_no_sinusoids():
    with pytest.raises(ValueError, match="奇数"):
        Transformer(TransformerConfig(13, 11, d_model=9, num_heads=3, num_layers=1))
