"""每一种可以动手的图的一行：摆什么数，动手之后应当是多少。"""

from importlib import import_module
from pathlib import Path


def every():
    for path in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        yield from import_module(f"figure_rows.{path.stem}").ROWS
