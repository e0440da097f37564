"""练习的检查：答对了说对在哪里，答错了给一句提示，没写完不报错；章里只调用 `check("主题.题目", 答案)`。

每个主题一个文件，在 `topics/` 里，文件末尾的 `EXERCISES` 列出它的练习；一道练习是一个 `Exercise`，全是数据：

- `cases(rng)`：几组参数；随机的数只从 `rng` 取（`rng.randn(2, 3)`），每次检查就都一样。要交一个值的练习不写。
- `right`：对的函数（或值）。参数的名字会出现在提示里，照题目写。
- `wrong`：{提示: 错答}。读者的结果与哪个错答相同，就得到它的提示；几种写法一个提示，错答写成列表。
  在第一组答得不对的数据上比，撞在一起时取在最多组数据上相同的；错答也可以抛出异常。
  不必相同也认得出的，写 `Symptom(例子, shows)`：形状与类型同例子一样，而且 `shows(结果, *参数)` 为真，不写 `shows` 就只看形状。
- `otherwise`：哪种错答都不是时的提示；写成列表，就是每组数据一句。`praise`：答对时说的话。
- `accepts(结果, *参数)`：不止一个对的结果时，凭它判断对错。
- `observe(结果, *参数)`：比的不是结果本身，而是由它得到的东西，例如梯度。对的、错的都经过它。
- `atol`：小数容许的差。

类型、形状、NaN、参数的个数不对，以及读者的代码出错，都由 `judging.py` 说，不必写进表里。
成书时，表照原样带进网页，数据与结果由 torch 先算好（_ext/course_book/after_writing/live_exercises.py）；
所以 `accepts`、`observe`、`shows` 与参数里的函数，用的只是 live/python/tensor.py 有的，就能在网页里做，
读进来就要运行的语句也只用它有的；做不了的列在那里的 `NOT_HERE`。
会记住被调用过几次之类的参数写成带 `__call__` 的类：每次运行拿到的是深拷贝，函数却拷贝不了。
"""

from importlib import import_module
from pkgutil import iter_modules

from . import topics
from .computed import judge
from .exercise import Exercise
from .judging import check_broke

__all__ = ["EXERCISES", "check", "exercise_names", "verdict"]

EXERCISES: dict[str, Exercise] = {}
for _topic in iter_modules(topics.__path__):
    _module = import_module(f"{topics.__name__}.{_topic.name}")
    EXERCISES |= {exercise.name: exercise for exercise in _module.EXERCISES}


def exercise_names() -> list[str]:
    """所有练习的名字，按字母排序。"""
    return sorted(EXERCISES)


def check(name: str, answer: object) -> None:
    """检查一道练习的答案，打印一句结论；读者的代码出错也只给提示，不抛出。

    参数：name，形如 "主题.题目"；answer，读者写的函数或算出的值，还没写就是 None 或 `...`。
    错误：没有这道练习时抛出 `ValueError`。
    """
    print(verdict(name, answer))


def verdict(name: str, answer: object) -> str:
    """`check` 要打印的那句话：✓ 开头是答对，✗ 是答错，○ 是还没有写完，⚠ 是检查自己出了错。"""
    if name not in EXERCISES:
        raise ValueError(f"没有名叫 {name!r} 的练习，现有：{'、'.join(exercise_names())}。")
    try:
        return judge(EXERCISES[name], answer)
    except Exception as error:  # 检查自己的毛病不能算在读者头上
        return check_broke(name, error)
