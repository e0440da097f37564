"""python -m course_lib.weights：备好内置模型，说出它在哪里、从哪里来。"""

import sys

from .builtin import MINILM, builtin_path
from .errors import PretrainedError

if __name__ == "__main__":
    try:
        folder = builtin_path()
    except PretrainedError as error:
        sys.exit(str(error))
    note = folder / ".source"
    source = f"取自{note.read_text(encoding='utf-8')}" if note.exists() else "来自已经安装的包"
    print(f"内置模型 {MINILM.name} 在 {folder}，{source}。")
