"""起动、看住、收掉学生的那个进程，连同它留下的。"""

import contextlib
import ctypes
import json
import os
import queue
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from pathlib import Path

from .wire import LIMIT

POSIX = os.name == "posix"
LIBRARY = Path(__file__).parents[1]
STARTING = 120  # 装好 torch 与课程，慢的机器也够了
# 学生的代码只看得见这几个环境变量，别的（比如你的口令）都不给
PASSED_ON = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "PATHEXT", "COMSPEC", "LD_LIBRARY_PATH")


class Gone(BaseException):
    """那边没有话了；不是 `Exception`，评判里的 `except Exception` 接不住它。"""


class Pupil:
    """一个学生进程：`hear` 等它的一句话，`say` 回一句；到了 `deadline` 就不再等。"""

    def __init__(self, home: Path):
        self.deadline = time.monotonic() + STARTING
        self._before = set(_descendants())
        command = [sys.executable, "-P", "-m", "teach.pupil"]
        alone = {"start_new_session": True} if POSIX else {"creationflags": 0x200}
        self._process = subprocess.Popen(
            command,
            cwd=home,
            env=_environment(home),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            **alone,
        )
        # 管道两头各一个线程：那边不说话，或者不肯收话，都耽误不了这边
        self._inbox, self._outbox = queue.Queue(4), queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        threading.Thread(target=self._write, daemon=True).start()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while line := self._process.stdout.readline(LIMIT + 1):
                self._inbox.put(line)
        self._inbox.put(b"")

    def _write(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while line := self._outbox.get():
                self._process.stdin.write(line)
                self._process.stdin.flush()

    def say(self, **message: object) -> None:
        self._outbox.put(json.dumps(message).encode() + b"\n")

    def hear(self) -> dict:
        """下一句话；过了时间、断了、不合规矩，都抛出 `Gone`，说的是为什么。"""
        line = None
        while line is None:
            # 它结束了，它分出去的进程还拿着管道，管道就不断
            ended = self._process.poll() is not None
            try:
                line = self._inbox.get(timeout=min(max(self.deadline - time.monotonic(), 0.001), 0.2))
            except queue.Empty:
                if ended:
                    raise Gone("中断") from None
                if time.monotonic() >= self.deadline:
                    raise Gone("时间") from None
        if not line:
            raise Gone("中断")
        try:
            heard = json.loads(line)
        except (ValueError, RecursionError):
            heard = None
        if not isinstance(heard, dict):
            raise Gone("乱说")
        return heard

    def end(self) -> int:
        """收掉它与它留下的进程；返回它的退出码。"""
        self._outbox.put(None)
        if POSIX:
            # 它的进程组还在，组号就不会给了别人
            _quietly(os.killpg, self._process.pid, signal.SIGKILL)
        else:
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(self._process.pid)], capture_output=True)
        self._process.kill()
        status = self._process.wait()
        self._end_descendants()
        while self._reader.is_alive():  # 它也许正等着这边来取
            with contextlib.suppress(queue.Empty):
                self._inbox.get(timeout=0.05)
            if time.monotonic() > self.deadline + STARTING:
                break
        return status

    def _end_descendants(self) -> None:
        """另立门户的也收：先都停住，免得一边杀一边生。"""
        left = set()
        while new := set(_descendants()) - self._before - left:
            for number in new:
                _quietly(os.kill, number, signal.SIGSTOP)
            left |= new
        for number in left:
            _quietly(os.kill, number, signal.SIGKILL)
        patience = time.monotonic() + 5
        while time.monotonic() < patience and (left := set(_descendants()) - self._before):
            for number in left:
                _quietly(os.waitpid, number, os.WNOHANG)


def adopt_orphans() -> bool:
    """此后脱离了父进程的后代都归到本进程名下，才收得干净；只有 Linux 做得到。"""
    if not sys.platform.startswith("linux"):
        return False
    set_child_subreaper = 36
    return ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0) == 0


def _descendants() -> list[int]:
    """本进程的全部后代；只有 Linux 查得到。"""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            # 名字在括号里，可能带空格与括号
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
    found, generation = [], {os.getpid()}
    while generation:
        generation = {child for child, parent in parents.items() if parent in generation}
        found += generation
    return found


def _quietly(action, *arguments) -> None:
    with contextlib.suppress(OSError):
        action(*arguments)


def _environment(home: Path) -> dict[str, str]:
    """自己的家，断网时的样子，一个线程，用不到显卡。"""
    folders = dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP", "IPYTHONDIR"), str(home))
    # 装进环境里的课程本来就找得到；它的文件夹排到标准库前面反而不好
    paths = [] if str(LIBRARY) in sysconfig.get_paths().values() else [str(LIBRARY)]
    paths += [os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    return (
        {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        | folders
        | {
            "PYTHONPATH": os.pathsep.join(paths),
            "PYTHONUTF8": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "MPLBACKEND": "agg",
            "OMP_NUM_THREADS": "1",
            "CUDA_VISIBLE_DEVICES": "",
            "HF_HUB_OFFLINE": "1",
            "TRANSFORMERS_OFFLINE": "1",
            "PIP_NO_INDEX": "1",
        }
    )
