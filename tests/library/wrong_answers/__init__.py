"""每道练习的典型错答：题名 → [(错答, 提示里应有的字), …]；每个主题一个文件。"""

from importlib import import_module
from pkgutil import iter_modules

WRONG_ANSWERS = {}
for _topic in iter_modules(__path__):
    WRONG_ANSWERS |= import_module(f"{__name__}.{_topic.name}").WRONG_ANSWERS
