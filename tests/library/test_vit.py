"""我们自己的 ViT 装上 Hugging Face 的权重，每一层都相同；切块加线性层就是卷积；错误的输入早报错。"""

import pytest
import torch
import torch.nn.functional as F
from samples import VIT, pictures, shaken, vit
from torch import nn
from torch.testing import assert_close

from course_lib.config import ViTConfig
from course_lib.vit import VisionTransformer, patchify
from course_lib.weights import PretrainedError, load_hf_vit


def hf_config(**options):
    from transformers import ViTConfig as HFConfig

    return HFConfig(
        image_size=12, patch_size=4, num_channels=3, hidden_size=16, num_attention_heads=4, intermediate_size=24,
        num_hidden_layers=3, num_labels=5, layer_norm_eps=1e-3, attn_implementation="eager", **options,
    )  # fmt: skip


@pytest.fixture(scope="module")
def backbone():
    from transformers import ViTModel

    return shaken(ViTModel(hf_config()))


@pytest.fixture(scope="module")
def classifier():
    from transformers import ViTForImageClassification

    return shaken(ViTForImageClassification(hf_config()))


def by_loops(images, patch_size):
    """照定义逐块切出来。"""
    rows, columns = (length // patch_size for length in images.shape[2:])
    blocks = [
        images[:, :, r * patch_size :, c * patch_size :][:, :, :patch_size, :patch_size].flatten(1)
        for r in range(rows)
        for c in range(columns)
    ]
    return torch.stack(blocks, dim=1)


class TestPatchify:
    @pytest.mark.parametrize("shape", [(2, 3, 12, 12), (1, 1, 8, 8), (3, 2, 4, 12), (2, 4, 4, 4)])
    @pytest.mark.parametrize("patch_size", [1, 2, 4])
    def test_matches_slicing_and_unfold(self, shape, patch_size):
        images = torch.arange(float(torch.tensor(shape).prod())).view(shape)
        patches = patchify(images, patch_size)
        assert torch.equal(patches, by_loops(images, patch_size))
        assert torch.equal(patches, F.unfold(images, patch_size, stride=patch_size).mT)
        assert torch.equal(F.fold(patches.mT, shape[2:], patch_size, stride=patch_size), images)

    def test_a_linear_layer_on_patches_is_a_strided_convolution(self):
        torch.manual_seed(0)
        convolution = nn.Conv2d(3, 10, 4, stride=4)
        linear = nn.Linear(48, 10)
        linear.load_state_dict(
            {"weight": convolution.weight.flatten(1), "bias": convolution.bias},
        )
        images = torch.randn(2, 3, 12, 8)
        grid = convolution(images)
        assert grid.shape == (2, 10, 3, 2)
        assert_close(linear(patchify(images, 4)), grid.flatten(2).mT, atol=1e-5, rtol=1e-5)

    @pytest.mark.parametrize(
        ("images", "patch_size", "words"),
        [
            (torch.zeros(3, 12, 12), 4, r"\(B, C, H, W\)，这里是 \(3, 12, 12\)"),
            (torch.zeros(1, 3, 12, 10), 4, "边长 10 不能被 patch_size=4 整除"),
            (torch.zeros(1, 3, 12, 12), 0, "patch_size=0"),
        ],
    )
    def test_refuses(self, images, patch_size, words):
        with pytest.raises(ValueError, match=words):
            patchify(images, patch_size)


@pytest.mark.parametrize("need_weights", [False, True])
def test_matches_hf_at_every_layer(backbone, need_weights):
    ours = vit(num_classes=0, layer_norm_eps=1e-3)
    load_hf_vit(ours, backbone.state_dict())
    images = pictures(3)
    with torch.no_grad():
        expected = backbone(images, output_hidden_states=True, output_attentions=True)
        got = ours.encode(images, output_hidden_states=True, need_weights=need_weights)
        vectors = ours(images)
    assert len(got.hidden_states) == len(expected.hidden_states) == 4
    assert got.hidden_states[0].shape == (3, 10, 16)
    # HF 末尾一个隐藏状态是最后一层的输出，与我们的相同，都还没有经过最后的层归一化
    for layer, (a, b) in enumerate(zip(got.hidden_states, expected.hidden_states, strict=True)):
        assert_close(a, b, atol=1e-5, rtol=0, msg=lambda m, layer=layer: f"第 {layer} 层：{m}")
    assert_close(got.last_hidden_state, expected.last_hidden_state, atol=1e-5, rtol=0)
    assert_close(vectors, expected.last_hidden_state[:, 0], atol=1e-5, rtol=0)
    if need_weights:
        for a, b in zip(got.attentions, expected.attentions, strict=True):
            assert a.shape == (3, 4, 10, 10)
            assert_close(a, b, atol=1e-5, rtol=0)
    else:
        assert got.attentions is None


def test_logits_match_hf(classifier):
    ours = vit(layer_norm_eps=1e-3)
    load_hf_vit(ours, classifier.state_dict())
    with torch.no_grad():
        assert_close(ours(pictures()), classifier(pictures()).logits, atol=1e-5, rtol=0)


def test_reads_the_names_in_the_file_too(classifier, tmp_path):
    """磁盘上的文件用的是另一套名字，hub 上的 ViT 都是那一套。"""
    from safetensors.torch import load_file

    classifier.save_pretrained(tmp_path)
    stored = load_file(tmp_path / "model.safetensors")
    assert "vit.encoder.layer.0.attention.attention.query.weight" in stored
    ours = vit(layer_norm_eps=1e-3)
    load_hf_vit(ours, stored)
    with torch.no_grad():
        assert_close(ours(pictures()), classifier(pictures()).logits, atol=1e-5, rtol=0)


class TestLoading:
    def load(self, backbone, change, **options):
        weights = dict(backbone.state_dict())
        change(weights)
        ours = vit(**{"num_classes": 0} | options)
        before = {name: tensor.clone() for name, tensor in ours.state_dict().items()}
        with pytest.raises(PretrainedError) as error:
            load_hf_vit(ours, weights)
        assert all(torch.equal(before[name], tensor) for name, tensor in ours.state_dict().items())
        return str(error.value)

    def test_the_pooler_alone_may_be_missing(self, backbone):
        weights = {name: w for name, w in backbone.state_dict().items() if not name.startswith("pooler.")}
        assert len(weights) < len(backbone.state_dict())
        load_hf_vit(vit(num_classes=0), weights)

    def test_left_over(self, backbone):
        said = self.load(backbone, lambda weights: weights.update({"layers.3.mlp.fc1.bias": torch.zeros(24)}))
        assert "多出 layers.3.mlp.fc1.bias (24,)" in said
        said = self.load(backbone, lambda weights: weights.update({"vit.layernorm.bias": torch.zeros(16)}))
        assert "多出 vit.layernorm.bias" in said  # 同一个权重给了两次

    def test_many_faults(self, backbone):
        """至多说三处，三处以上再说一共几处。"""
        names = [
            "layernorm.weight",
            "layernorm.bias",
            "embeddings.cls_token",
            "embeddings.position_embeddings",
        ]
        lost = [
            "cls_token (1, 1, 16)",
            "positions (1, 10, 16)",
            "encoder.norm.weight (16,)",
            "encoder.norm.bias (16,)",
        ]
        for missing, kept, more in ((names[:3], [0, 2, 3], ""), (names, [0, 1, 2], "，共 4 处")):
            said = self.load(
                backbone, lambda weights, missing=missing: [weights.pop(name) for name in missing]
            )
            listed = "；".join(f"缺少 {lost[i]}" for i in kept)
            assert said == f"权重与模型对不上：{listed}{more}。"

    def test_head_or_no_head(self, backbone, classifier):
        assert "缺少 head.weight" in self.load(backbone, lambda weights: None, num_classes=5)
        assert "多出 classifier.weight" in self.load(classifier, lambda weights: None)


class TestParameters:
    @pytest.mark.parametrize(
        ("options", "count"),
        [
            ({}, 86_567_656),
            ({"d_model": 1024, "num_heads": 16, "d_ff": 4096, "num_layers": 24}, 304_326_632),
        ],
    )
    def test_published_sizes(self, options, count):
        with torch.device("meta"):
            model = VisionTransformer(ViTConfig(**options))
            assert model.config.num_patches == 196
            assert model.encode(torch.empty(2, 3, 224, 224)).last_hidden_state.shape[:2] == (2, 197)
            assert model(torch.empty(2, 3, 224, 224)).shape == (2, 1000)
        assert sum(p.numel() for p in model.parameters()) == count

    def test_every_parameter_learns(self):
        model = VisionTransformer(ViTConfig(**VIT))
        F.cross_entropy(model(pictures(4)), torch.tensor([0, 1, 2, 3])).backward()
        # 键的偏置给每个键加上同一个分数，softmax 之后不起作用，梯度是 0
        for name, p in model.named_parameters():
            assert p.grad.isfinite().all()
            assert p.grad.abs().max() > 0 or name.endswith("k_proj.bias"), name

    def test_every_number_of_the_config_is_used(self):
        model = VisionTransformer(ViTConfig(**VIT | {"dropout": 0.3, "layer_norm_eps": 0.01}))
        assert {m.p for m in model.modules() if isinstance(m, nn.Dropout)} == {0.3}
        assert {m.eps for m in model.modules() if isinstance(m, nn.LayerNorm)} == {0.01}
        assert {m.self_attn.dropout for m in model.encoder.layers} == {0.3}
        assert all(layer.norm_first and layer.ffn.activation is F.gelu for layer in model.encoder.layers)

    def test_initial_positions_are_small(self):
        model = VisionTransformer(
            ViTConfig(image_size=128, patch_size=4, d_model=64, num_heads=4, num_layers=1)
        )
        assert model.positions.std().item() == pytest.approx(0.02, rel=0.05)
        assert 0.01 < model.cls_token.std() < 0.03


def test_tokens_are_cls_then_patches():
    model, images = vit(), pictures()
    weight, bias = model.patch_embedding.weight.flatten(1), model.patch_embedding.bias
    patches = patchify(images, 4) @ weight.T + bias
    x = model.embed(images)
    assert x.shape == (2, 10, 16)
    assert_close(x[:, 0], (model.cls_token + model.positions[:, :1])[:, 0].expand(2, -1))
    assert_close(x[:, 1:], patches + model.positions[:, 1:], atol=1e-5, rtol=1e-5)
    hidden = model.encoder(x).last_hidden_state
    output = model.encode(images)
    assert output.hidden_states is output.attentions is None
    assert_close(model(images), model.head(hidden[:, 0]), atol=1e-5, rtol=1e-5)


def shuffled(images, order):
    return F.fold(patchify(images, 4)[:, order].mT, (12, 12), 4, stride=4)


class TestOrderOfPatches:
    order = torch.tensor([4, 0, 8, 2, 1, 7, 3, 6, 5])

    def test_without_positions_the_order_does_not_matter(self):
        model, images = vit(), pictures()
        model.positions.data.zero_()
        with torch.no_grad():
            straight = model.encode(images).last_hidden_state
            moved = model.encode(shuffled(images, self.order)).last_hidden_state
        assert_close(moved[:, 0], straight[:, 0], atol=1e-5, rtol=0)  # [CLS] 不变
        assert_close(moved[:, 1:], straight[:, 1:][:, self.order], atol=1e-5, rtol=0)  # 块等变
        assert (moved[:, 1:] - straight[:, 1:]).abs().max() > 0.1

    def test_with_positions_it_matters_unless_they_move_too(self):
        model, images = vit(), pictures()
        with torch.no_grad():
            straight, moved = model(images), model(shuffled(images, self.order))
            model.positions[:, 1:] = model.positions[:, 1:][:, self.order]
            together = model(shuffled(images, self.order))
        assert (moved - straight).abs().max() > 1e-3
        assert_close(together, straight, atol=1e-5, rtol=0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision(dtype):
    model = VisionTransformer(ViTConfig(**VIT)).to(dtype).eval()
    logits = model(pictures().to(dtype))
    assert logits.dtype == dtype and logits.isfinite().all()


def test_dropout_only_while_training():
    torch.manual_seed(0)
    model, images = vit(dropout=0.5), pictures()
    assert_close(model(images), model(images))
    model.train()
    assert not torch.allclose(model(images), model(images))
    assert not torch.allclose(model.embed(images), model.embed(images))


@pytest.mark.parametrize(
    ("images", "error", "words"),
    [
        (
            torch.zeros(2, 3, 16, 16),
            ValueError,
            r"\(3, 12, 12\)，批不为空，这里的 images 是 \(2, 3, 16, 16\)",
        ),
        (torch.zeros(3, 12, 12), ValueError, r"这里的 images 是 \(3, 12, 12\)"),
        (torch.zeros(0, 3, 12, 12), ValueError, r"\(0, 3, 12, 12\)"),
        (torch.zeros(2, 3, 12, 12).byte(), TypeError, "像素的类型是 torch.uint8，权重却是 torch.float32"),
        (
            torch.tensor([0.0] * 431 + [torch.nan]).view(1, 3, 12, 12),
            ValueError,
            "^images 里有 NaN 或无穷，注意力会",
        ),
        (torch.full((1, 3, 12, 12), torch.inf), ValueError, "NaN 或无穷"),
    ],
)
def test_wrong_images(images, error, words):
    with pytest.raises(error, match=words):
        vit()(images)
