"""练习的检查：答对了说对在哪里，答错了给一句提示，没写完不报错。

每个主题一个文件，用 `@register("主题.题目")` 登记检查函数；章里只调用 `check("主题.题目", 答案)`。
"""

from importlib import import_module
from pkgutil import iter_modules

from .registry import CHECKS, Unfinished, WrongAnswer

__all__ = ["check", "exercise_names", "verdict"]

for _topic in iter_modules(__path__):
    import_module(f"{__name__}.{_topic.name}")


def exercise_names() -> list[str]:
    """所有练习的名字，按字母排序。"""
    return sorted(CHECKS)


def check(name: str, answer: object) -> None:
    """检查一道练习的答案，打印一句结论；读者的代码出错也只给提示，不抛出。

    参数：name，形如 "主题.题目"；answer，读者写的函数或算出的值，还没写就是 None 或 `...`。
    错误：没有这道练习时抛出 `ValueError`。
    """
    print(verdict(name, answer))


def verdict(name: str, answer: object) -> str:
    """`check` 要打印的那句话：✓ 开头是答对，✗ 是答错，○ 是还没有写完。"""
    if name not in CHECKS:
        raise ValueError(f"没有名叫 {name!r} 的练习，现有：{'、'.join(exercise_names())}。")
    try:
        if answer is None or answer is ...:
            raise Unfinished
        return f"✓ 正确。{CHECKS[name](answer)}"
    except (Unfinished, NotImplementedError):
        return "○ 还没有写完：把 ... 换成你的答案，再运行一次。"
    except WrongAnswer as hint:
        return f"✗ 还不对：{hint}"
    except Exception as error:  # 读者的代码可能以任何方式出错，这里只转述
        return f"✗ 运行你的答案时出错了，{type(error).__name__}：{error}"
