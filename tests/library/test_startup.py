"""课程的模块与库的测试只在用到时才导入慢的库。"""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.subprocess, pytest.mark.guards("course_lib/**/*.py")]
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


SHAPES = """
import sys
from course_lib.config import LanguageModelConfig
from course_lib.exercises.topics.encoder_is_bert import SMALL, BertConfig, count
from course_lib.language_model import LanguageModel
from course_lib.weights import only_shapes
count(BertConfig(**SMALL))
with only_shapes():
    for config in (LanguageModelConfig(num_layers=1), LanguageModelConfig.gpt(num_layers=1)):
        LanguageModel(config)
print("torch._dynamo" in sys.modules)
"""


def test_shapes_wait_for_no_compiler():
    """数参数、装权重之前只要形状；torch 有的算子在 meta 上要先载入整个编译器，要一秒多。"""
    done = subprocess.run([sys.executable, "-c", SHAPES], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_package_itself_imports_nothing():
    code = "import course_lib, sys; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_test_of_the_maths_imports_no_browser():
    code = f"""
import pytest, sys
pytest.main(["-o", "addopts=", "--collect-only", "-p", "no:cacheprovider", {str(Path(__file__).with_name("test_layers.py"))!r}])
print(sorted(name for name in sys.modules if name.partition(".")[0] == "playwright"))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *collected, imported = done.stdout.splitlines()
    assert any("test_layer_norm_matches_torch" in line for line in collected)
    assert imported == "[]"
