"""Brython 的 max、min、sorted、divmod 照 JavaScript 的规矩看真假，遇到张量就错；换成照 Python 的规矩的。

只要 import 它，就换好了；在 CPython 里换上也与原来的一样。
"""

import builtins

_max, _min, _sorted, _divmod = builtins.max, builtins.min, builtins.sorted, builtins.divmod


class Key:
    """比较的结果是 Python 的 True 与 False。"""

    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return bool(self.value < other.value)

    def __gt__(self, other):
        return bool(self.value > other.value)


def _by(key):
    return Key if key is None else lambda value: Key(key(value))


def max(*values, key=None, **options):
    return _max(*values, key=_by(key), **options)


def min(*values, key=None, **options):
    return _min(*values, key=_by(key), **options)


def sorted(values, *, key=None, reverse=False):
    return _sorted(values, key=_by(key), reverse=reverse)


def divmod(a, b):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return _divmod(a, b)
    return a // b, a % b


builtins.max, builtins.min, builtins.sorted, builtins.divmod = max, min, sorted, divmod
