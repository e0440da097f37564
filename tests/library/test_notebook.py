"""笔记本的琐事：图里没有方框，随机数固定，源码与插图展示得出来。"""

import ast
import io
import json
import os
import random
import re
import sys
import warnings
from pathlib import Path

import matplotlib
import numpy as np
import pytest
import torch
from matplotlib import font_manager
from matplotlib import pyplot as plt

from course_lib import attention
from course_lib.show import best_device, figure, setup, show_source

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def restore():
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(False)
    matplotlib.rcdefaults()
    plt.close("all")


def test_no_tofu_on_a_machine_without_chinese_fonts(monkeypatch):
    """系统字体一个都没有，各章代码里的每个汉字、标点与数学符号仍画得出来。"""
    only_matplotlib = [f for f in font_manager.fontManager.ttflist if "matplotlib" in f.fname]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", only_matplotlib)
    setup()
    code = [
        "".join(c["source"])
        for path in (ROOT / "chapters").glob("*.ipynb")
        for c in json.loads(path.read_text(encoding="utf8"))["cells"]
        if c["cell_type"] == "code"
    ] + [(ROOT / "course_lib" / "show" / "plots.py").read_text(encoding="utf8")]
    drawn = r"[\u2010-\u2027\u2030-\u205e\u2190-\u22ff\u3000-\u303f\u4e00-\u9fff\uff01-\uff5e]"
    characters = sorted({*re.findall(drawn, "".join(code)), *"−ᵀ₁⟨⟩"})  # 负号，与 Noto 所缺的几个
    assert len(characters) > 50
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plt.figure().text(0, 0, "".join(characters))
        plt.gcf().canvas.draw()


def test_setup_fixes_every_source_of_randomness(capsys):
    def draw():
        setup(seed=3)
        return random.random(), np.random.rand(), torch.rand(1).item()

    assert draw() == draw()
    assert draw() != (setup(seed=4), random.random())
    assert torch.are_deterministic_algorithms_enabled() and "CUBLAS_WORKSPACE_CONFIG" in os.environ
    assert "随机数种子 3" in capsys.readouterr().out


def test_a_terminal_without_chinese(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    setup()
    print("一句话")
    sys.stdout.flush()
    assert sys.stdout.buffer.getvalue().decode().endswith("0\n???\n")


def test_small_numbers_are_printed_plainly():
    setup()
    assert str(torch.tensor([1e-4, 1.0])) == "tensor([0.0001, 1.0000])"


@pytest.fixture
def shown(monkeypatch):
    displayed = []
    monkeypatch.setattr("course_lib.show.notebook.display", displayed.append)
    return displayed


@pytest.mark.parametrize(("cores", "threads"), [(1, 1), (2, 1), (8, 4), (None, 1)])
def test_setup_uses_half_the_cores(monkeypatch, cores, threads):
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    setup()
    assert torch.get_num_threads() == threads
    # 成书时几章同时执行，由它规定一章用几个线程
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    torch.set_num_threads(3)
    setup()
    assert torch.get_num_threads() == 3


@pytest.mark.parametrize(("there_is_cuda", "expected"), [(True, "cuda"), (False, "cpu")])
def test_best_device(monkeypatch, there_is_cuda, expected):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: there_is_cuda)
    for unset in ("", "  "):
        monkeypatch.setenv("COURSE_DEVICE", unset)
        assert best_device() == torch.device(expected)
    monkeypatch.delenv("COURSE_DEVICE")
    assert best_device() == torch.device(expected)
    monkeypatch.setenv("COURSE_DEVICE", "cpu")
    assert best_device() == torch.device("cpu")


@pytest.mark.parametrize(("chosen", "shown"), [("", "某块显卡 0"), ("cpu", "CPU")])
def test_setup_names_the_device_in_use(monkeypatch, capsys, chosen, shown):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device=None: f"某块显卡 {device.index or 0}")
    monkeypatch.setenv("COURSE_DEVICE", chosen)
    setup()
    assert capsys.readouterr().out.split(" · ")[1] == shown


@pytest.mark.parametrize("name", ["cuda:97", "meta", "gpu", "cpu cuda"])
def test_a_device_that_is_not_there(monkeypatch, name):
    """meta 上放得下数，却取不回来；gpu 不是 torch 的名字。"""
    monkeypatch.setenv("COURSE_DEVICE", name)
    with pytest.raises(RuntimeError) as caught:
        best_device()
    message = str(caught.value)
    assert f"COURSE_DEVICE={name} 指定的设备在这台机器上用不了" in message
    assert message.endswith("。") and message.count("。") == 1 and "\n" not in message


def test_show_source_is_the_source(shown):
    show_source(attention.causal_mask)
    show_source(attention.MultiHeadAttention.split_heads)
    assert shown[0].data.startswith("def causal_mask(") and ".tril(past)" in shown[0].data
    assert shown[1].data.startswith("def split_heads(")
    for page in shown:  # 方法去掉缩进之后，定义与函数体的层次还在
        ast.parse(page.data)


def test_show_source_without_source():
    with pytest.raises(TypeError, match="没有可展示的"):
        show_source(len)


def test_figure(shown):
    figure("multi_head_attention")
    assert shown[0].data.startswith('<div class="drawing"><svg')
    with pytest.raises(ValueError, match=r"现有：.*multi_head_attention"):
        figure("nothing")
