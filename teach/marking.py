"""批一份作业：起动学生的进程，把它登记的答案逐个判过；卡住或者中断，就换一个进程，跳过那一格再来。"""

import contextlib
import inspect
import os
import shutil
import tempfile
import time
import unicodedata
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from course_lib.exercises import judge
from course_lib.exercises.exercise import Exercise
from course_lib.exercises.judging import check_broke

from .cells import Cell
from .process import Gone, Pupil
from .wire import decode

RESTARTS = 6  # 一份作业最多重来这么多次，存心捣乱的也有个头
LONGER = 6  # 别的格里也许有训练，多等几倍
ERROR = "这一格运行到一半出错，没有轮到检查："
RIGHT, WRONG, UNFINISHED, MISSING = "✓", "✗", "○", "—"


@dataclass(frozen=True)
class Limits:
    """练习格最多运行几秒，最多再多占多少兆内存；`whole` 是一开始就从头到尾每一格都运行。"""

    seconds: float = 20
    memory: int = 2000
    whole: bool = False


@dataclass(frozen=True)
class Verdict:
    """一道练习的结果：✓ 对，✗ 不对，○ 还没有写，— 没有交，⚠ 检查自己出了错；与一句说明。"""

    mark: str
    said: str


class Marking:
    """批一份作业。"""

    def __init__(self, exercises: dict[str, Exercise], cells: list[Cell], limits: Limits):
        self.exercises, self.cells, self.limits = exercises, cells, limits
        self.memory_limited = True
        self.verdicts: dict[str, Verdict] = {}
        # 没有哪一道叫这个名字，就算在最像的那一道上
        strange = [name for cell in cells for name in cell.asks if name not in exercises]
        self._misspelt = {near: name for name in strange for near in get_close_matches(name, exercises, n=1)}

    def mark(self) -> dict[str, Verdict]:
        """{练习: 结果}，笔记本里出现过的那些主题的每一道都有。"""
        asked = [name for cell in self.cells for name in cell.asks if name in self.exercises]
        self._pass(self.limits.whole, RESTARTS if asked else 0)
        if not self.limits.whole and self._lacks_names():
            self.verdicts = {name: v for name, v in self.verdicts.items() if v.mark == RIGHT}
            self._pass(True, RESTARTS)
        topics = {name.partition(".")[0] for name in [*asked, *self._misspelt]}
        return {name: self._result(name) for name in self.exercises if name.partition(".")[0] in topics}

    def _lacks_names(self) -> bool:
        """练习格要用的名字也许在别的格里。"""
        said = [*self._mishaps.values(), *(verdict.said for verdict in self.verdicts.values())]
        return any("（NameError：" in sentence for sentence in said)

    def _pass(self, whole: bool, tries: int) -> None:
        """从头运行一遍，`whole` 是每一格都运行，不然只运行练习格。"""
        self._cells = [[cell.code if whole or cell.asks else "", cell.asks] for cell in self.cells]
        self._mishaps: dict[int, str] = {}  # 格 → 它出了什么事
        self._skip: set[int] = set()
        self._drop: set[int] = set()
        self._begun: set[int] = set()
        for _ in range(tries):
            stopped_at = self._run()
            if stopped_at is None or stopped_at < 0:
                break
            # 头一次只略去会运行的，再停在这里就整格不要
            (self._drop if stopped_at in self._skip else self._skip).add(stopped_at)
            later = {name for cell in self.cells[stopped_at + 1 :] for name in cell.asks}
            if not later - self.verdicts.keys():
                break

    def _result(self, name: str) -> Verdict:
        if name in self.verdicts:
            return self.verdicts[name]
        places = [i for i, cell in enumerate(self.cells) if name in cell.asks]
        if not places:
            if name in self._misspelt:
                return Verdict(
                    WRONG, _clean(f"check 里的名字写成了 {self._misspelt[name]}，没有检查到这一题。")
                )
            return Verdict(MISSING, "笔记本里没有这一题的检查。")
        for place in (*reversed(places), -1):
            if place in self._mishaps:
                return Verdict(WRONG, self._mishaps[place] + self._before(place))
        if not self._begun.intersection(places):
            return Verdict(WRONG, "没有运行到这一格：前面停了太多次。")
        return Verdict(WRONG, "这一格运行完了，却没有调用 check。")

    def _before(self, place: int) -> str:
        """前面最先出事的一格：后面的错多半由它而来。"""
        first = min(self._mishaps, default=place)
        if first < 0 or first >= place or self.cells[first].asks:
            return ""
        return f"（在它前面，第 {first + 1} 个代码格先出了事：{self._mishaps[first].removeprefix(ERROR)}）"

    def _run(self) -> int | None:
        """在一个新的进程里运行一遍；运行完了是 None，否则是停在哪一格，还没有起动是 -2。"""
        at = -2
        with tempfile.TemporaryDirectory(prefix="homework", ignore_cleanup_errors=True) as folder:
            home = Path(folder)
            _lend_models(home)
            pupil = Pupil(home)
            try:
                pupil.say(
                    cells=self._cells,
                    skip=sorted(self._skip),
                    drop=sorted(self._drop),
                    memory=self.limits.memory,
                )
                while True:
                    match heard := pupil.hear():
                        case {"limited": bool(limited)}:
                            self.memory_limited = limited
                        case {"cell": int(i)} if at < i < len(self.cells):
                            at = i
                            self._begun.add(i)
                            pupil.deadline = time.monotonic() + self._seconds(at)
                        case {"check": str(name)} if name in self.exercises:
                            self._keep(name, self._judge(pupil, self.exercises[name], heard))
                        case {"error": str(said)}:
                            self._mishaps[at] = _clean(f"{ERROR}{said}。")
                        case {"done": True}:
                            return None
                        case _:
                            raise Gone("乱说")
            except Gone as gone:
                self._mishaps.setdefault(max(at, -1), self._why(str(gone), pupil.end(), at))
                return at
            finally:
                pupil.end()

    def _seconds(self, at: int) -> float:
        return self.limits.seconds * (1 if at < 0 or self.cells[at].asks else LONGER)

    def _why(self, reason: str, status: int, at: int) -> str:
        if at == -2:
            return f"没有能起动：这个环境里运行不了课程（{reason}，退出码 {status}）。"
        if reason == "时间":
            return f"这一格运行了 {self._seconds(at):g} 秒还没有完，停掉了：是不是有一个循环停不下来？"
        if reason == "乱说":
            return "这一格扰乱了检查，停掉了。"
        return f"这一格让 Python 中断了（退出码 {status}）：内存不够，或者代码自己结束了进程。"

    def _keep(self, name: str, sentence: str) -> None:
        said = _clean(sentence)
        # 对过一次就是对；否则以最后一次为准
        if self.verdicts.get(name, Verdict("", "")).mark != RIGHT:
            # 后面的话里有学生代码的异常，不许它也画勾
            self.verdicts[name] = Verdict(said[:1], said[1:].strip().replace(RIGHT, "√"))

    def _judge(self, pupil: Pupil, exercise: Exercise, heard: dict) -> str:
        if "takes" in heard:
            answer = Remote(pupil, exercise, bool(heard["takes"]))
            exercise = replace(exercise, observe=answer.observe if exercise.observe else None)
        else:
            answer = _decoded(heard, "value")
        try:
            sentence = judge(exercise, answer)
        except Exception as error:  # 与 `verdict` 一样：检查自己的毛病不能算在学生头上
            sentence = check_broke(exercise.name, error)
        pupil.say(verdict=sentence)
        return sentence


class Remote:
    """学生那边的一个函数：在这边调用它，结果从那边来。"""

    def __init__(self, pupil: Pupil, exercise: Exercise, takes: bool):
        self._pupil, self._exercise = pupil, exercise
        self._count, self._given = len(exercise.inputs()), 0
        self._observed = None
        # 收不下这么多参数的，让 `takes` 看出来
        too_few = [] if exercise.inputs()[0] else [inspect.Parameter("x", inspect.Parameter.POSITIONAL_ONLY)]
        any_number = [inspect.Parameter("case", inspect.Parameter.VAR_POSITIONAL)]
        self.__signature__ = inspect.Signature(any_number if takes else too_few)

    def __call__(self, *case: object) -> object:
        # 那边自己有这几组数据，只说第几组；评判总是依次问过一遍
        self._pupil.say(call=self._given % self._count)
        self._given += 1
        heard = self._pupil.hear()
        result = _decoded(heard, "result")
        self._observed = (result, heard)
        return result

    def observe(self, result: object, *case: object) -> object:
        """那边的结果，由它得到的东西（例如梯度）也在那边看；别的结果在这边看。"""
        if self._observed is None or result is not self._observed[0]:
            return self._exercise.observe(result, *case)
        heard = self._observed[1]
        if "observed" not in heard:
            name, _, words = str(heard.get("failed")).replace("\0", "").partition("：")
            raise type(name, (Exception,), {})(words)  # 那边的异常，名字与话都照原样
        return _decoded(heard, "observed")


def _decoded(heard: dict, key: str) -> object:
    try:
        return decode(heard[key])
    except Exception:  # 那边可以写来任何东西
        raise Gone("乱说") from None


def _lend_models(home: Path) -> None:
    """内置模型的文件借给学生的进程看：它用到时会核对散列，不必再取。"""
    ours = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "course_lib"
    for file in ours.glob("*/*"):
        lent = home / ".cache" / "course_lib" / file.parent.name / file.name
        lent.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(OSError):
            try:
                lent.symlink_to(file)
            except OSError:  # Windows 上多半不许
                shutil.copy(file, lent)


def _clean(sentence: str) -> str:
    """去掉换行、终端的控制字符之类，只留看得见的，也不太长。"""
    seen = "".join(" " if unicodedata.category(c)[0] in "CZ" else c for c in sentence)
    seen = " ".join(seen.split())
    return seen if len(seen) <= 400 else f"{seen[:399]}…"
