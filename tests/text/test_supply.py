"""供应链：锁定的两份清单说的是同一批版本，工作流只调用开发者也在用的命令。"""

import ast
import re
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from chapters import cells, file_of, source
from course_lib.weights.builtin import MODELS, ON_REQUEST
from tools import versions
from tools.reference_tokenizer import REFERENCE

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WANTED = sum(PROJECT["project"]["optional-dependencies"].values(), PROJECT["project"]["dependencies"])
LOCKED = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def pins(lines):
    found = [Requirement(line) for line in lines]
    return {canonicalize_name(r.name): str(r.specifier) for r in found}


def test_both_locks_name_the_same_versions():
    entries = re.split(
        r"\n(?=\S)", (ROOT / ".ci/requirements-hashed.txt").read_text(encoding="utf-8").strip()
    )
    hashed = pins(entry.partition(" \\")[0] for entry in entries)
    assert hashed == pins(LOCKED)
    for entry in entries:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), f"{entry.split()[0]} 没有散列"


def test_the_lock_holds_every_direct_dependency():
    for requirement in map(Requirement, WANTED):
        version = pins(LOCKED)[canonicalize_name(requirement.name)].removeprefix("==")
        assert requirement.specifier.contains(version, prereleases=True), f"{requirement} 与锁定的不合"


def test_dependencies_have_no_upper_bound():
    """Colab 自带 torch 等包，装课程时不能换掉它们；bertviz 它没有，改的又是它页面里的字，固定在一版。"""
    for requirement in map(Requirement, PROJECT["project"]["dependencies"]):
        fixed = "==" if requirement.name == "bertviz" else ">="
        assert {part.operator for part in requirement.specifier} == {fixed}, requirement


def test_the_locked_transformers_knows_every_model():
    """“Llama 之后”在旧的 transformers 上少几个模型，照样往下走；锁定的一版上，一个也不少。"""
    path = ROOT / f"chapters/{file_of('beyond_llama')}.ipynb"
    (first,) = [cell for cell in cells(path) if cell["id"] == "count-all"]
    (names,) = re.findall(r"^names = ({.*?^})", source(first), re.M | re.S)
    assert len(kinds := ast.literal_eval(names)) == 6
    assert kinds.keys() <= set(CONFIG_MAPPING.keys())


def test_installing_needs_no_package_that_carries_the_model():
    """带着内置模型的包都是个人上传的：哪张清单里有它，它一消失，哪里就什么也装不成；所以另外去取。"""
    named = pins([*WANTED, *LOCKED])
    models = (*MODELS, *ON_REQUEST, REFERENCE)
    carriers = pins(package.requirement for model in models for package in (*model.packages, *model.parts))
    assert len(carriers) >= 11 and not carriers.keys() & named.keys()
    for fetch in ("course_lib.weights", "tools.reference_tokenizer"):
        assert f"python -m {fetch}\n" in MAKEFILE.partition("\n$(READY):")[2], "断网之前没有取内置模型"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.stem)
def test_workflows_are_thin(path):
    """每一步不是固定到提交的 action，就是 .ci/run 或一个真有的 make 目标；不用任何密钥。"""
    text = path.read_text(encoding="utf-8")
    assert "secrets." not in text
    jobs = yaml.safe_load(text)["jobs"].values()
    commands = []
    for job in jobs:
        matrix = job.get("strategy", {}).get("matrix", {})
        matrix = [*matrix.get("command", []), *(each["command"] for each in matrix.get("include", []))]
        for step in job["steps"]:
            if "uses" in step:
                assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", step["uses"]), step
            else:
                commands += matrix if step["run"] == "${{ matrix.command }}" else [step["run"]]
    targets = set(re.findall(r"^([\w-]+):", MAKEFILE, re.M))
    for command in commands:
        # 事件带来的字（标签名、分支名）只许走环境变量
        made = re.fullmatch(r"make ([\w-]+)( [A-Z]+=('[\w.*]+'|\w+))*", command)
        assert command == ".ci/run" or (made and made[1] in targets), command


def test_every_module_has_its_share_of_mutants():
    """变异测试分成几份，每个要改坏的文件恰好在一份里。"""
    mutated = PROJECT["tool"]["mutmut"]["only_mutate"]
    modules = {name.removesuffix(".py").replace("/", ".") for name in mutated}
    weekly = (ROOT / ".github/workflows/weekly.yml").read_text(encoding="utf-8")
    shares = re.findall(r"make mutate MUTANTS='(.*)'", weekly)
    for module in modules:
        assert sum(fnmatch(f"{module}.x_function", share) for share in shares) == 1, module
    assert len(shares) == len(modules)


def test_every_set_of_versions_runs_weekly_on_its_python():
    """每套版本名字不同，每周在自己的 Python 上跑；依赖的下限容得下 Colab 已有的各包。"""
    assert len({each.title for each in versions.SETS.values()}) == len(versions.SETS)
    job = yaml.safe_load((ROOT / ".github/workflows/weekly.yml").read_text(encoding="utf-8"))["jobs"]["check"]
    matrix = job["strategy"]["matrix"]
    (python,) = matrix["python"]
    ran = {command: python for command in matrix["command"]}
    ran |= {each["command"]: each["python"] for each in matrix["include"]}
    for name in versions.SETS.keys() - {"present"}:
        assert ran[f"make test-versions SETS={name}"] == (versions.SETS[name].python or python), name
    assert {"3.11", "3.13"} <= set(ran.values())
    colab = pins(versions.COLAB)
    for requirement in map(Requirement, PROJECT["project"]["dependencies"]):
        if has := colab.get(canonicalize_name(requirement.name)):
            assert requirement.specifier.contains(has.removeprefix("==")), requirement


def test_what_installing_the_course_replaces_is_told():
    before = {"torch": "2.11.0+cu130", "numpy": "2.1.3"}
    assert versions.damage(before, before | {"gguf": "0.19.0"}, "WARNING: 慢") == ""
    assert "torch 2.11.0+cu130 → 2.13.0" in versions.damage(before, before | {"torch": "2.13.0"}, "")
    assert "numpy 2.1.3 → None" in versions.damage(before, {"torch": "2.11.0+cu130"}, "")
    assert "ERROR: pip's" in versions.damage(before, before, "WARNING: 慢\nERROR: pip's dependency resolver")


@pytest.mark.subprocess
@pytest.mark.parametrize("shim", [False, True], ids=["没有", "只有垫片"])
def test_a_missing_python_is_told_in_one_sentence(shim, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    if shim:
        (tmp_path / "python3.13").write_text(f"#!{sys.executable}\nraise SystemExit(127)\n")
        (tmp_path / "python3.13").chmod(0o755)
    with pytest.raises(SystemExit, match=r"要在 Python 3\.13 上跑：请装好它"):
        versions.interpreter("3.13")
    assert versions.interpreter(None) == sys.executable


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.stem)
def test_workflows_install_what_is_hashed(path):
    """装什么都核对散列（.ci/run 自己会），pip 的缓存认的也是那一份。"""
    for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values():
        commands = str([job.get("strategy"), [step.get("run") for step in job["steps"]]])
        if re.search(r"make (?!test-versions|at-home|audit|release|weekly-news)", commands):
            assert job["env"]["REQUIREMENTS"] == ".ci/requirements-hashed.txt"
        for step in job["steps"]:
            if "setup-python" in step.get("uses", ""):
                assert step["with"]["cache-dependency-path"] == ".ci/requirements-hashed.txt"


def test_what_is_published_was_tested():
    """放到网上的就是测过的那一份：同一个工作流里，先跑 .ci/run，再交出它成的书，另一步只管放上去。"""
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))["jobs"]
    steps = [step.get("run") or step["uses"].partition("@")[0] for step in jobs["everything"]["steps"]]
    assert steps.index(".ci/run") < steps.index("actions/upload-pages-artifact")
    assert jobs["publish"]["needs"] == "everything"
    assert [step["uses"].partition("@")[0] for step in jobs["publish"]["steps"]] == ["actions/deploy-pages"]
    # 带得走的也是：测过了才装，另一步只管放上去
    assert steps.index(".ci/run") < steps.index("make archive")
    assert "actions/upload-artifact" in steps[steps.index("make archive") :]
    release = jobs["release"]
    assert release["needs"] == "everything" and release["permissions"] == {"contents": "write"}
    (step,) = [step for step in release["steps"] if "run" in step]
    assert step["run"] == "make release" and step["env"]["TAG"] == "${{ github.ref_name }}"
    others = [path for path in WORKFLOWS if path.stem != "ci"]
    assert not any("deploy-pages" in path.read_text(encoding="utf-8") for path in others)
