"""判断一个答案：与对的比，认出是哪一种错，说出它的提示。

这里只有规矩，网页里的练习用的也是这个文件。一道题的数据叫 facts：在 CPython 里由 computed.py 用 torch 算出，
在网页里由 live/python/facts.py 从成书时写好的数据里读出。它有

- `names`：参数的名字；要交一个值的练习是 None。
- `fresh()`：各组数据，每次都是新的一份；要交一个值的练习只有空的一组。
- `raw`：对的答案在各组数据上的结果；`right`：经过 `observe` 之后的。
- `known`：已知的错，一种一个 `Known`。
- `accepts`、`observe`、`atol`、`otherwise`、`praise`：见 `course_lib.exercises`。
"""

from .comparing import brief, has_nan, kind, mismatch, same, settle
from .raised import details, message_of
from .running import Raised, call, takes

UNFINISHED = "○ 还没有写完：把 ... 换成你的答案，再运行一次。"


class Known:
    """一种已知的错：提示，错答在各组数据上的结果；有 `shows` 的，形状与类型相同而它为真也算。"""

    def __init__(self, hint, outcomes, shows=None):
        self.hint, self.outcomes, self.shows = hint, outcomes, shows


def check_broke(name: str, error: Exception) -> str:
    """检查自己出了错时说的一句。"""
    said = f"{type(error).__name__}：{message_of(error)}"
    return f"⚠ 练习 {name} 的检查自己出了错，与你的答案无关，请把这句话告诉我们（{said}）。"


def unfinished(answer: object) -> bool:
    """还没有写，或者字典里还有几项留着 `...`。"""
    values = answer.values() if isinstance(answer, dict) else [answer]
    return answer is None or any(value is ... for value in values)


def outcomes(facts, answer: object) -> list:
    """`answer` 在每组数据上的结果：一个值，没有结果是 None，出错是 `Raised`。"""
    results = []
    for case, right in zip(facts.fresh(), facts.raw, strict=True):
        raw = answer if facts.names is None else call(answer, case)
        result = settle(raw, like=right)
        if facts.observe and mismatch(result, right) is None:
            result = settle(facts.observe(raw, *case))
        results.append(result)
    return results


class Judge:
    """照一道题的 facts 判断各种答案；随机数的种子由叫它的人管。

    对的结果先判一遍：检查自己出了错，这时就抛出；判得了对的，后来再判不下去，就是那个答案的事。
    """

    def __init__(self, facts):
        self.facts, self.right, self.cases = facts, facts.right, facts.fresh()
        if not all(self.accepted(i, right) for i, right in enumerate(self.right)):
            raise RuntimeError("对的结果没有通过")

    def verdict(self, answer: object) -> str:
        """✓ 开头是答对，✗ 是答错，○ 是还没有写完；答案是什么都有一句。"""
        try:
            return self._verdict(answer)
        except Exception as error:
            return f"✗ 还不对：这样的答案没有办法检查（{details(error)}）。"

    def _verdict(self, answer: object) -> str:
        names = self.facts.names
        if unfinished(answer):
            return UNFINISHED
        if names is not None and not callable(answer):
            return f"✗ 还不对：这一题要交一个函数，收到的却是{kind(answer)}。"
        if names is not None and not takes(answer, self.cases[0]):
            listed = f"（{'、'.join(names)}）" if names else ""
            return f"✗ 还不对：函数应当收 {len(self.cases[0])} 个参数{listed}，你的收不下。"
        results = outcomes(self.facts, answer)
        if all(result is None for result in results):
            return UNFINISHED
        for i, result in enumerate(results):
            if not self.accepted(i, result):
                return f"✗ 还不对：{self.fault(i, results)}"
        return f"✓ 正确。{self.facts.praise}"

    def accepted(self, i: int, result: object) -> bool:
        right = self.right[i]
        if self.facts.accepts is None:
            return same(result, right, self.facts.atol)
        formed = mismatch(result, right) is None and not has_nan(result)
        return formed and bool(self.facts.accepts(result, *self.facts.fresh()[i]))

    def fault(self, i: int, results: list) -> str:
        """第 i 组数据上头一回不对，错在哪里。"""
        result, right = results[i], self.right[i]
        hint = self.recognised(i, results)
        if hint is not None:
            return f"{self.asked(i, result)}{hint}"
        if result is None:
            return f"{self.asked(i)}没有返回值，是不是有一条路没有写 return？"
        if isinstance(result, Raised):
            return f"{self.asked(i)}{result.sentence}"
        # 先看与由它得到的东西比，再看它本身：形状不对的结果没有经过 observe
        where = "答案" if self.facts.names is None else "结果"
        ill_formed = mismatch(result, right) and mismatch(result, self.facts.raw[i], where)
        if ill_formed:
            return f"{self.asked(i)}{ill_formed}"
        if has_nan(result) and not has_nan(right):
            return f"{self.asked(i)}结果里有 NaN：多半是 0 ÷ 0，或者有的行整行都是 -∞。"
        otherwise = self.facts.otherwise
        hint = otherwise if isinstance(otherwise, str) else otherwise[i]
        return f"{self.asked(i, result, right)}{hint}"

    def recognised(self, i: int, results: list) -> "str | None":
        """是哪一种已知的错：第 i 组数据上结果相同的，取在最多组数据上相同的；都不同再看症状。"""
        atol, known = self.facts.atol, self.facts.known

        def agreement(outcomes):
            return sum(same(*pair, atol) for pair in zip(results, outcomes, strict=True))

        equal = [
            (way.hint, agreement(way.outcomes)) for way in known if same(results[i], way.outcomes[i], atol)
        ]
        if equal:
            return max(equal, key=lambda pair: pair[1])[0]
        for way in known:
            alike = way.shows is not None and mismatch(results[i], way.outcomes[i]) is None
            if alike and way.shows(results[i], *self.facts.fresh()[i]):
                return way.hint
        return None

    def asked(self, i: int, result: object = None, right: object = None) -> str:
        """“n=9、window=3 时得到 4，应当是 8：”；只写各组数据里不同的、写得下的参数。"""
        if self.facts.names is None:
            return ""
        columns = zip(*self.cases, strict=True)
        said = [
            f"{name}={brief(column[i])}"
            for name, column in zip(self.facts.names, columns, strict=True)
            if brief(column[i]) and len(set(map(brief, column))) > 1
        ]
        when, got = f"{'、'.join(said)} 时" if said else "", None if result is None else brief(result)
        if got is None:
            return when and f"{when}，"
        return f"{when}得到 {got}{'' if right is None else f'，应当是 {brief(right)}'}："
