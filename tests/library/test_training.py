"""训练循环：学得会，可重复，坏输入得到一句话；进度条不留痕迹。"""

import contextlib

import pytest
import torch
from torch import nn
from torch.testing import assert_close
from transformers import get_cosine_schedule_with_warmup

from course_lib.layers import SinusoidalPositionalEncoding
from course_lib.training import predict, train, warm_up_cosine


def problem():
    torch.manual_seed(0)
    x = torch.randn(70, 3)
    return nn.Linear(3, 1), (x, x @ torch.tensor([[1.0], [-2.0], [0.5]]))


def squared_error(model, x, y):
    return (model(x) - y).square().mean()


def test_learns_and_repeats():
    runs = []
    for _ in range(2):
        model, data = problem()
        runs.append(train(model, squared_error, data, epochs=40, lr=0.05))
        assert_close(model.weight, torch.tensor([[1.0, -2.0, 0.5]]), atol=0.05, rtol=0)
        assert not model.training
    assert runs[0] == runs[1] and len(runs[0]) == 40 * 3


def test_is_adam_by_hand():
    """没有权重衰减的 AdamW 就是 Adam；每步的学习率是 lr × lr_scale(step)。"""
    (model, data), (twin, _) = problem(), problem()
    train(model, squared_error, data, epochs=3, lr=0.1, batch_size=70, lr_scale=lambda step: 1 / (step + 1))
    optimizer = torch.optim.Adam(twin.parameters())
    for step in range(3):
        optimizer.param_groups[0]["lr"] = 0.1 / (step + 1)
        optimizer.zero_grad()
        squared_error(twin, *data).backward()
        optimizer.step()
    assert_close(model.weight, twin.weight)


@pytest.mark.parametrize(("steps", "warm_up"), [(30, 0), (30, 7), (2, 1)])
def test_cosine_is_that_of_transformers(steps, warm_up):
    ours, theirs = (torch.optim.AdamW([nn.Parameter(torch.ones(1))], lr=0.3) for _ in range(2))
    schedules = (
        torch.optim.lr_scheduler.LambdaLR(ours, warm_up_cosine(steps, warm_up)),
        get_cosine_schedule_with_warmup(theirs, warm_up, steps),
    )
    for _ in range(steps + 1):
        assert schedules[0].get_last_lr() == pytest.approx(schedules[1].get_last_lr(), abs=1e-12)
        for optimizer, schedule in zip((ours, theirs), schedules, strict=True):
            optimizer.step()
            schedule.step()
    for wrong in (-1, steps):
        with pytest.raises(ValueError, match=f"warm_up={wrong}：应当在 0 与 steps={steps} 之间"):
            warm_up_cosine(steps, wrong)


def test_every_example_once_in_an_epoch():
    seen = []

    def loss_of(model, x, index):
        seen.append(index)
        return model(x).square().mean()

    model, (x, _) = problem()
    train(model, loss_of, (x, torch.arange(70)), epochs=2)
    first, second = torch.cat(seen[:3]), torch.cat(seen[3:])
    assert sorted(first.tolist()) == sorted(second.tolist()) == list(range(70))
    assert first.tolist() != second.tolist() != list(range(70))


def test_before_epoch_sees_an_eval_model():
    model, data = problem()
    seen = []
    train(
        model,
        squared_error,
        data,
        epochs=3,
        before_epoch=lambda epoch: seen.append((epoch, model.training, model.weight.clone())),
    )
    assert [(epoch, training) for epoch, training, _ in seen] == [(0, False), (1, False), (2, False)]
    assert_close(seen[0][2], problem()[0].weight)
    assert not torch.equal(seen[0][2], seen[1][2])


def test_clipping_and_decay_reach_the_optimizer():
    model, data = problem()
    before = model.weight.detach().clone()
    train(model, squared_error, data, epochs=1, batch_size=70, lr=0.1, clip_norm=0.0, weight_decay=0.5)
    assert_close(model.weight, before * (1 - 0.1 * 0.5))  # 梯度被剪成零，只剩衰减


def test_progress_bar_says_what_runs_and_stays_off_stdout(capsys):
    model, data = problem()
    train(model, squared_error, data, epochs=1, label="试一试")
    out, err = capsys.readouterr()
    assert out == "" and "试一试" in err


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"epochs": 0}, "epochs=0"),
        ({"batch_size": 0}, "batch_size=0"),
        ({"data": ()}, r"\[\]"),
        ({"data": (torch.ones(3, 3), torch.ones(2, 1))}, r"\[3, 2\]"),
        ({"data": (torch.ones(0, 3), torch.ones(0, 1))}, r"\[0, 0\]"),
    ],
)
def test_wrong_arguments(changes, words):
    model, data = problem()
    with pytest.raises(ValueError, match=words):
        train(model, squared_error, **({"data": data, "epochs": 1} | changes))


def test_nothing_to_train():
    _, data = problem()
    for model in (nn.Flatten(), nn.Linear(3, 1).requires_grad_(False)):
        with pytest.raises(ValueError, match=r"^模型没有可以训练的参数：.*。$"):
            train(model, squared_error, data, epochs=1)


@pytest.mark.parametrize("kind", [torch.Tensor.tolist, torch.Tensor.numpy])
def test_data_are_tensors(kind):
    model, (x, y) = problem()
    with pytest.raises(TypeError, match=r"^训练数据的各部分应当是张量，这里有 (list|ndarray)；"):
        train(model, squared_error, (x, kind(y)), epochs=1)


def test_nan_stops_before_it_reaches_the_weights():
    model, (x, y) = problem()
    x[40] = torch.nan
    with pytest.raises(FloatingPointError, match=r"步的损失是 nan"):
        train(model, squared_error, (x, y), epochs=1)
    assert model.weight.isfinite().all()


def test_the_last_step_is_looked_at_too():
    """损失还是有限的，梯度却不是：没有下一步，就没有下一个损失来说。"""
    model, data = problem()
    with pytest.raises(
        FloatingPointError, match=r"^最后一步之后，权重里有 NaN 或无穷：学习率 0.001 可能太大。$"
    ):
        train(model, lambda model, x, y: (0 * model(x)).sqrt().sum(), data, epochs=1, batch_size=99)


def test_predict_restores_the_mode_and_keeps_the_order():
    model = nn.Sequential(nn.Linear(3, 2), nn.Dropout(0.5)).train()
    x = torch.randn(10, 3)
    got = predict(model, (x,), batch_size=3)
    assert model.training and not got.requires_grad
    assert_close(got, model[0](x).detach())
    assert_close(predict(lambda a, b: a + b, (x, x), batch_size=4), 2 * x)
    with pytest.raises(ValueError, match="不为空"):
        predict(model, (x[:0],))


@pytest.mark.parametrize("root_trains", [True, False])
def test_predict_puts_every_part_back(root_trains):
    """冻结在 eval 状态的部件，预测之后仍是 eval；预测时全是 eval，出了错也照样放回去。"""
    frozen, free, seen = nn.Dropout(0.5).eval(), nn.Dropout(0.5), []
    model = nn.Sequential(frozen, free)
    model.training = root_trains
    free.register_forward_hook(lambda module, *_: seen.append(module.training))
    predict(model, (torch.ones(3, 2),))
    with pytest.raises(TypeError):
        predict(model, (torch.ones(3, 2), torch.ones(3, 2)))
    assert (model.training, frozen.training, free.training) == (root_trains, False, True)
    assert seen == [False]


@pytest.mark.parametrize("model", [nn.Identity(), SinusoidalPositionalEncoding(4, 2)])
def test_predict_needs_no_parameters(model):
    """没有参数的，跟着 buffer 走；连 buffer 也没有，就在数据所在的设备上算。"""
    x = torch.zeros(3, 4, 2)
    assert_close(predict(model, (x,)), model(x))
    model.to("meta")
    devices = []
    model.register_forward_pre_hook(lambda module, inputs: devices.append(inputs[0].device.type))
    with contextlib.suppress(NotImplementedError):  # meta 上的结果拿不回来
        predict(model, (x,))
    assert devices == ["meta" if list(model.buffers()) else "cpu"]
