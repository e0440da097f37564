"""成书只用本机的文件；成书的代码一变，各页重读。"""

import hashlib
import re
from importlib.util import find_spec
from pathlib import Path

from sphinx.errors import ConfigError

PACKAGE = Path(__file__).parents[1]
D3 = "d3.v5.min.js"


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
    config.nb_execution_cache_path = str(Path(app.doctreedir).parent / ".jupyter_cache")


def setup(app):
    # 它一变，Sphinx 就重读所有页面
    app.add_config_value("extension_digest", extension_digest(), "env")
    app.add_css_file("book.css")
    app.add_js_file("book.js", defer="defer")
    app.connect("config-inited", configure)
