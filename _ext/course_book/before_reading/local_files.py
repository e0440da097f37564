"""成书只用本机的文件，也不留下过期的输出：库、插图或依赖一变，各章重新执行。"""

import hashlib
import os
import re
import sys
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path

from sphinx.errors import ConfigError

from course_book import ROOT

PACKAGE = Path(__file__).parents[1]
D3 = "d3.v5.min.js"


def library_digest() -> str:
    """各章的输出除自身代码外所依赖的一切的摘要：库、插图、怎样执行、装着的每个包的版本、用的是哪两个模型。"""
    packages = sorted({f"{package.name}={package.version}" for package in distributions()})
    models = [os.environ.get(name) for name in ("COURSE_BERT", "COURSE_LLM")]
    digest = hashlib.sha256(repr([packages, sys.version, models]).encode())
    patterns = ["course_lib/**/*", "figures/*.svg", "_ext/course_book/before_reading/execute_chapters.py"]
    # 各题的表不算：章里的练习都还没有写，印出来的只有 judging.py 的那一句；图的脚本也不算：成书时换成共用的一份
    # 各章的行文也不算：读这本书的那一章靠它，可是别章改一句话，只动它的末几位，不必每次重新执行
    left_out = {*ROOT.glob("course_lib/exercises/topics/*.py"), *ROOT.glob("course_lib/show/explorables/*")}
    for path in sorted({path for pattern in patterns for path in ROOT.glob(pattern)} - left_out):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def extension_digest() -> str:
    """成书的代码、模板与样式的摘要。"""
    files = sorted(path for path in PACKAGE.rglob("*.*") if path.is_file() and path.suffix != ".pyc")
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()


def pages_address(repository: str) -> str:
    """GitHub Pages 给这个仓库的地址；没有公开的仓库，或它不在 GitHub 上，就是空的。"""
    match = re.fullmatch(r"https://github\.com/([\w-]+)/([\w.-]+)", repository)
    if match is None:
        return ""
    site = f"{match[1].lower()}.github.io"
    return f"https://{site}/" if match[2].lower() == site else f"https://{site}/{match[2]}/"


def package_file(package: str, path: str) -> Path:
    spec = find_spec(package)
    file = Path(spec.submodule_search_locations[0], path) if spec else None
    if file is None or not file.is_file():
        raise ConfigError(f"找不到 {package} 里的 {path}：请先 pip install -r requirements.txt。")
    return file


def configure(app, config):
    # 放在 html_static_path 而不放进 _static/：Jupyter Book 会让每一页都载入 _static/ 里的脚本
    config.html_static_path += [str(package_file("mpld3", f"js/{D3}")), str(PACKAGE / "static")]
    # 换了文件夹就重新执行，Sphinx 也会因此重读所有页面
    config.nb_execution_cache_path = str(Path(app.doctreedir).parent / ".jupyter_cache" / library_digest())


def setup(app):
    # 它一变，Sphinx 就重读所有页面
    app.add_config_value("extension_digest", extension_digest(), "env")
    app.add_css_file("book.css")
    app.add_js_file("book.js", defer="defer")
    app.connect("config-inited", configure)
