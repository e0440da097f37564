"""找不到的地址：GitHub Pages 之类的站点会给出 `404.html`，不论那个地址有多深。

所以这一页不能用相对地址去取样式：它自带一切，只有两个链接，地址由脚本按书所在的位置改好。
"""

from pathlib import Path

from traditional_chinese import LANGUAGE

PAGE = """<!doctype html>
<html lang="zh-CN">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>没有这一页 — {title}</title>
<link rel="icon" href="data:,">
<style>
  :root {{ color-scheme: light dark; background: #fff; color: #222; --link: #0053b3; }}
  @media (prefers-color-scheme: dark) {{ :root {{ background: #121212; color: #ddd; --link: #8cb8ff; }} }}
  main {{ font: 1.1rem/1.7 system-ui, sans-serif; max-width: 32rem; margin: 15vh auto; padding: 0 1rem; }}
  a {{ color: var(--link); }}
</style>
<main>
<h1>没有这一页</h1>
<p>这个地址下什么也没有：它可能写错了，也可能那一页换了地方。</p>
<ul>
<li><a href="/{folder}/{home}.html">回到《{title}》的首页</a></li>
<li><a href="/{folder}/search.html">搜索全书</a></li>
</ul>
</main>
<script>
  // 书多半在 /{folder}/ 下（没有脚本时就按这个走），也可能在 / 下，或者在硬盘上
  const inFolder = location.pathname.startsWith('/{folder}/');
  const root = inFolder ? '/{folder}/' : location.pathname.endsWith('/404.html') ? './' : '/';
  for (const link of document.querySelectorAll('a')) {{
    link.setAttribute('href', link.getAttribute('href').replace('/{folder}/', root));
  }}
</script>
</html>
"""


def write_page(app, exception):
    # 站点只认最上一层的那一份，它属于简体的书
    if exception is None and app.builder.name == "html" and LANGUAGE == "zh-CN":
        # 没有公开的地址，就不知道会在哪个文件夹下
        folder = app.config.html_theme_options["repository_url"].rpartition("/")[2] or "book"
        page = PAGE.format(title=app.config.html_title, folder=folder, home=app.config.root_doc)
        Path(app.outdir, "404.html").write_text(page, encoding="utf-8")


def setup(app):
    app.connect("build-finished", write_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
