"""python -m course_lib.weights [名字 …]：备好三个内置模型，或者指名的那几个，说出它们在哪里、从哪里来。"""

import sys

from .builtin import MODELS, ON_REQUEST, builtin_path
from .errors import PretrainedError

if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")  # 印不出汉字的终端
    known, failures = {model.name: model for model in (*MODELS, *ON_REQUEST)}, []
    if unknown := set(sys.argv[1:]) - set(known):
        sys.exit(f"没有叫 {min(unknown)} 的内置模型；有的是 {'、'.join(known)}。")
    for model in [known[name] for name in sys.argv[1:]] or MODELS:
        try:
            folder = builtin_path(model)
        except PretrainedError as error:
            failures.append(str(error))
            continue
        note = folder / ".source"
        source = f"取自{note.read_text(encoding='utf-8')}" if note.exists() else "来自已经安装的包"
        print(f"内置模型 {model.name} 在 {folder}，{source}。")
    if failures:
        sys.exit("\n".join(failures))
