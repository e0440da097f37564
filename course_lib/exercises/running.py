"""运行读者的答案：随机状态原样归还；读者的代码出了错，就说出错在哪一行。网页里换成 live/python/running.py。"""

import inspect
import linecache
import random
import sysconfig
import traceback
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch

from .raised import Raised, raised, reader_line

__all__ = ["Raised", "call", "plain", "sandbox", "takes"]

# 这些文件夹里的代码不是读者写的
LIBRARIES = (str(Path(__file__).parents[1]), *sysconfig.get_paths().values(), "<frozen", "<__array")


@contextmanager
def sandbox():
    """里面的随机数每次都一样；出来时 torch、numpy、random 的状态与进来时相同。"""
    devices = range(torch.cuda.device_count()) if torch.cuda.is_initialized() else []
    numpy_state, python_state = np.random.get_state(), random.getstate()
    try:
        # 读者可能换过默认的设备，或者关掉了梯度
        with torch.random.fork_rng(devices), torch.device("cpu"), torch.enable_grad():
            # 不用 torch.manual_seed：它还会改动尚未启用的 GPU 的种子
            torch.default_generator.manual_seed(0)
            np.random.seed(0)
            random.seed(0)
            yield
    finally:
        np.random.set_state(numpy_state)
        random.setstate(python_state)


def plain(value: object) -> object:
    """张量离开计算图与别的设备，成为普通的张量；NumPy 的一个数成为 Python 的数。"""
    if isinstance(value, torch.Tensor):
        return value.detach().cpu().to_dense().resolve_conj()
    return value.item() if isinstance(value, np.generic) else value


def takes(answer: object, case: tuple) -> bool:
    """函数收得下这么多参数；看不出来的（例如 C 写的函数）算收得下。"""
    try:
        signature = inspect.signature(answer)
    except (TypeError, ValueError):
        return True
    try:
        signature.bind(*case)
    except TypeError:
        return False
    return True


def call(answer: object, case: tuple) -> object:
    """读者的函数在一组数据上的结果；还没有写完是 None，出错是 `Raised`。"""
    try:
        result = answer(*case)
    except NotImplementedError:
        return None
    except (Exception, SystemExit) as error:  # 读者的代码可能以任何方式出错
        return _blame(error)
    return None if result is ... else result


def _blame(error: BaseException) -> Raised:
    # 第一层是 call 自己；往下最深的一层不属于任何库的，就是读者的那一行
    frames = traceback.extract_tb(error.__traceback__)[1:]
    own = [frame for frame in frames if not frame.filename.startswith(LIBRARIES)] or frames[:1]
    where = "运行你的答案时"
    if own:
        where = reader_line(own[-1].lineno, linecache.getline(own[-1].filename, own[-1].lineno))
    return raised(error, where)
