"""在 Chromium 里打开成书的每一页，让它的图都画好，取来正文的 HTML；嵌着的网页与面板换成它们的照片。"""

import base64
from pathlib import Path

from playwright.sync_api import Browser, Page

HERE = Path(__file__).parent
SETTLE = (HERE / "settle.js").read_text(encoding="utf-8")
PAPER = (HERE / "paper.css").read_text(encoding="utf-8")
PICTURE = (HERE / "picture.css").read_text(encoding="utf-8")
SCREEN, WIDTH = 1000, 642  # 照相时的窗口；版心，即 A4 去掉左右各 20 毫米
PANEL = ".live-bert, .live-llm, .live-train"
COMPUTED = '.live-output[aria-busy="false"], .live-llm[aria-busy="false"], .live-train[data-done]'
MILLISECONDS = 60_000

# 伸出版心的会被 Chromium 切掉，纸上看不出少了什么；行尾的空格不算
OUTSIDE = """(width) => {
  const out = [];
  for (const node of document.querySelectorAll("main :is(p, li, td, th, pre, dt, svg, img, math, figure, span, button)")) {
    if (node.ownerSVGElement || node.parentElement.closest("svg, math") || !node.checkVisibility()) continue;
    const { left, right, width: wide } = node.getBoundingClientRect();
    if (node.matches("span") && !node.textContent.trim()) continue;
    if (wide <= 1 || (right <= width + 1 && left >= -1)) continue;
    const place = node.closest(".page")?.id.replace("page-", "") ?? location.pathname.split("/").at(-1);
    out.push(`${place}：从 ${Math.round(left)} 到 ${Math.round(right)}，版心宽 ${width}，<${node.localName}> ${node.textContent.trim().slice(0, 40)}`);
  }
  return out;
}"""


def photograph(element, kind: str):
    """把一个元素换成它的照片。"""
    picture = base64.b64encode(element.screenshot(animations="disabled")).decode()
    element.evaluate(
        """(node, [source, kind]) => {
          const figure = document.createElement("figure"), picture = new Image();
          figure.className = `photograph ${kind}`;
          picture.src = source;
          picture.alt = node.title ?? "";
          picture.width = node.getBoundingClientRect().width;
          figure.append(picture);
          node.replaceWith(figure);
        }""",
        [f"data:image/png;base64,{picture}", kind],
    )


def open_panel(page: Page, panel):
    """按下面板的按钮，等它算完；书里没有带它的数据时没有这个按钮，面板就是没有打开的样子。"""
    if panel.get_attribute("data-parts"):  # 章末的，快看到时才摆出来
        panel.scroll_into_view_if_needed()
        panel.wait_for_selector("form", state="attached")
    if button := panel.query_selector(".live-open:enabled"):
        button.evaluate("button => button.click()")
        page.wait_for_selector(COMPUTED, state="attached", timeout=MILLISECONDS)


def take_pictures(page: Page):
    page.add_style_tag(content=PICTURE)
    # 收着的看不见，照不了；纸上都是展开的
    page.evaluate("document.querySelectorAll('article details').forEach((fold) => { fold.open = true; })")
    for panel in page.query_selector_all(PANEL):
        open_panel(page, panel)
        page.wait_for_timeout(500)  # 让过渡走完
        photograph(panel, "panel")
    for frame in page.query_selector_all("article iframe"):
        frame.scroll_into_view_if_needed()
        inside = frame.content_frame()
        inside.wait_for_selector("svg line", state="attached", timeout=MILLISECONDS)
        page.wait_for_timeout(500)
        photograph(frame, "view")


def onto_paper(page: Page):
    """把开着的一页换成印的样子：宽是版心的宽，图都画好；此后不要脚本也是这样。"""
    page.emulate_media(media="print")
    page.set_viewport_size({"width": WIDTH, "height": 1000})
    page.add_style_tag(content=PAPER)
    if undrawn := page.evaluate(SETTLE):
        raise RuntimeError(f"{page.url} 里有这些可以动手的图没有画出来：{'、'.join(undrawn)}。")


def capture(browser: Browser, path: Path) -> str:
    context = browser.new_context(
        viewport={"width": SCREEN, "height": 1000},
        device_scale_factor=2,
        color_scheme="light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(path.as_uri())
    take_pictures(page)
    onto_paper(page)
    html = page.evaluate("document.querySelector('article').outerHTML")
    context.close()
    return html
