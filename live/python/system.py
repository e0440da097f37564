"""代替 Brython 自己的 sys：那一个要编译 0.1 秒，还留着一扇通往 JavaScript 的门。"""

# print 写到这里的 stdout
from _sys import modules, stderr, stdout  # noqa: F401


class implementation:  # noqa: N801
    name = "Brython"


class float_info:  # noqa: N801
    epsilon, max, min = 2.0**-52, 1.7976931348623157e308, 2.0**-1022


maxsize = 2**53 - 1
