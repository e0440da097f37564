// 在多行的输入框里写 Python 的几个键：Tab 与 Shift + Tab 缩进，Enter 接着上一行的缩进，Ctrl + Enter 检查；
// 先按 Esc，下一个 Tab 就照常离开。输入法还没有选定字时，一个键也不碰。
globalThis.pythonKeys = function (area, { onCheck }) {
  const INDENT = "    ";
  let leaving = false;

  // 经过 insertText 改的，浏览器的“撤销”撤得回来；不会它的浏览器就直接换
  function replace(start, end, text) {
    area.setSelectionRange(start, end);
    const done = text ? document.execCommand("insertText", false, text) : start === end || document.execCommand("delete");
    if (done) return;
    area.setRangeText(text, start, end, "end");
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }

  const lineStart = (place) => area.value.lastIndexOf("\n", place - 1) + 1;

  // 选中的各行一起缩进或者退回；没有选中就在光标处缩进到下一个 4 的倍数
  function indent(back) {
    const { selectionStart: start, selectionEnd: end, value } = area;
    const first = lineStart(start);
    if (!back && !value.slice(start, end).includes("\n")) {
      replace(start, end, INDENT.slice((start - first) % INDENT.length));
      return;
    }
    const last = end > start && value[end - 1] === "\n" ? end - 1 : end;
    const lines = value.slice(first, last).split("\n");
    const changed = lines.map((line) => (back ? line.replace(/^ {1,4}/, "") : line && INDENT + line));
    if (changed.join("\n") === lines.join("\n")) return;
    replace(first, last, changed.join("\n"));
    const moved = changed[0].length - lines[0].length, all = changed.join("\n").length - (last - first);
    area.setSelectionRange(Math.max(first, start + moved), end + all);
  }

  function newLine() {
    const { selectionStart: start, selectionEnd: end, value } = area;
    const before = value.slice(lineStart(start), start);
    const spaces = before.match(/^ */)[0];
    replace(start, end, `\n${spaces}${/:\s*(#.*)?$/.test(before) ? INDENT : ""}`);
  }

  area.addEventListener("keydown", (event) => {
    // 229：有的浏览器在输入法选字的那一下，不说自己在 composing
    if (event.isComposing || event.keyCode === 229) return;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    let used = true;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onCheck();
    else if (event.key === "Tab" && plain && !leaving) indent(event.shiftKey);
    else if (event.key === "Enter" && plain && !event.shiftKey) newLine();
    else used = false;
    leaving = event.key === "Escape" || (leaving && event.key === "Shift");
    if (used) event.preventDefault();
  });
};
