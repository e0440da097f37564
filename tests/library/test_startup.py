"""课程的模块只在用到时才导入慢的库。"""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.subprocess
SLOW = ("transformers", "sklearn", "huggingface_hub", "pyarrow")
CODE = f"""
import sys
from importlib import import_module
from pkgutil import walk_packages
import course_lib, course_lib.exercises
for room in walk_packages(course_lib.__path__, "course_lib."):
    import_module(room.name)
print(*[name for name in {SLOW} if name in sys.modules])
"""


def test_slow_libraries_wait_until_needed():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_package_itself_imports_nothing():
    code = "import course_lib, sys; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
