"""让成书不依赖任何外站，也不留下过期的输出。

公式用随书的 MathJax 单个文件；各视图里重复的 D3 合成一份；库、插图或依赖一变，各章重新执行。
"""

import hashlib
import os
import re
import sys
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path

from docutils import nodes
from sphinx.errors import ConfigError

ROOT = Path(__file__).parents[1]
MATHJAX_SHA256 = "a4354ff94fd868aea0cc6eaaa79a57fda0588646fc46ee3700a349ee0a11cbe6"
STYLE = Path(__file__).with_name("book.css")
D3 = "d3.v5.min.js"
# course_lib.show.frames 的输出是转义过的 srcdoc
INLINE_D3 = re.compile(r"&lt;script data-library=&quot;d3&quot;&gt;.*?&lt;/script&gt;", re.DOTALL)


def library_digest() -> str:
    """各章的输出除自身代码外所依赖的一切的摘要：库、插图、怎样执行、装着的每个包的版本、用的是哪个 BERT。"""
    packages = sorted({f"{package.name}={package.version}" for package in distributions()})
    digest = hashlib.sha256(repr([packages, sys.version, os.environ.get("COURSE_BERT")]).encode())
    patterns = ["course_lib/**/*", "figures/*.svg", "_ext/execute_chapters.py"]
    for path in sorted(path for pattern in patterns for path in ROOT.glob(pattern)):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def extensions_digest() -> str:
    """成书的代码与样式的摘要。"""
    files = sorted(path for path in Path(__file__).parent.iterdir() if path.is_file())
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()


def package_file(package: str, path: str) -> Path:
    spec = find_spec(package)
    file = Path(spec.submodule_search_locations[0], path) if spec else None
    if file is None or not file.is_file():
        raise ConfigError(f"找不到 {package} 里的 {path}：请先 pip install -r requirements.txt。")
    return file


def use_local_files(app, config):
    mathjax = package_file("sphinx-mathjax-offline", "static/mathjax/tex-svg-full.js")
    found = hashlib.sha256(mathjax.read_bytes()).hexdigest()
    if found != MATHJAX_SHA256:
        raise ConfigError(
            f"{mathjax.name} 的 SHA-256 是 {found}，应当是 {MATHJAX_SHA256}："
            "它不是 MathJax 3.2.2 的原件，请重装 sphinx-mathjax-offline==0.0.2。"
        )
    # 放在 html_static_path 而不放进 _static/：Jupyter Book 会让每一页都载入 _static/ 里的脚本
    config.html_static_path += [str(mathjax), str(package_file("mpld3", f"js/{D3}")), str(STYLE)]
    config.mathjax_path = mathjax.name
    # 换了文件夹就重新执行，Sphinx 也会因此重读所有页面
    config.nb_execution_cache_path = str(Path(app.doctreedir).parent / ".jupyter_cache" / library_digest())


def share_d3(app, doctree, docname):
    link = f"&lt;script src=&quot;{'../' * docname.count('/')}_static/{D3}&quot;&gt;&lt;/script&gt;"
    for raw in doctree.findall(nodes.raw):
        if INLINE_D3.search(raw.astext()):
            raw.children = [nodes.Text(INLINE_D3.sub(link, raw.astext()))]
            raw.rawsource = ""


def trim_head(app, pagename, templatename, context, doctree):
    if not (doctree and any(doctree.findall(lambda node: isinstance(node, (nodes.math, nodes.math_block))))):
        # 子页有公式时，Sphinx 让首页也载入 2 MB 的 MathJax
        context["script_files"] = [
            script
            for script in context["script_files"]
            if app.config.mathjax_path not in str(script.filename)
        ]
    context["metatags"] = re.sub(r'<meta name="generator"[^>]*>\s*', "", context.get("metatags", ""))


def write_front_door(app, exception):
    """书的首页在子文件夹里：从 index.html 转过去。"""
    if exception is None and app.builder.name == "html" and "/" in app.config.root_doc:
        home = f"{app.config.root_doc}.html"
        language = app.config.language.replace("_", "-")
        Path(app.outdir, "index.html").write_text(
            f'<!doctype html>\n<html lang="{language}">\n<meta charset="utf-8">\n<title>{app.config.html_title}</title>\n'
            f'<link rel="icon" href="_static/favicon.svg">\n<meta http-equiv="refresh" content="0; url={home}">\n'
            f'<p><a href="{home}">{app.config.html_title}</a></p>\n</html>\n',
            encoding="utf-8",
        )


def setup(app):
    # 它一变，Sphinx 就重读所有页面
    app.add_config_value("extensions_digest", extensions_digest(), "env")
    app.add_css_file(STYLE.name)
    app.connect("config-inited", use_local_files)
    app.connect("doctree-resolved", share_d3)
    app.connect("html-page-context", trim_head, priority=900)  # 在 sphinx.ext.mathjax 之后
    app.connect("build-finished", write_front_door)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
