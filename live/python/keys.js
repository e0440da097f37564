// 写 Python 的输入框里的几个键：Tab 与 Shift + Tab 缩进，Enter 接着前面的缩进，Backspace 一次退一层，Ctrl + Enter 检查；
// 先按 Esc，下一个 Tab 就照常离开。输入法还没有选定字时，一样也不碰。
globalThis.pythonKeys = function (area, { onCheck }) {
	const INDENT = "    ";
	let leaving = false;

	// 经过 insertText 改的，浏览器的“撤销”撤得回来；不会它的浏览器就直接换
	function replace(start, end, text) {
		area.setSelectionRange(start, end);
		if (document.execCommand(text ? "insertText" : "delete", false, text)) return;
		area.setRangeText(text, start, end, "end");
		area.dispatchEvent(new Event("input", { bubbles: true }));
	}

	const lineStart = (place) => area.value.lastIndexOf("\n", place - 1) + 1;

	// 选中的不止一行，就一起缩进或者退回；不然在光标处缩进到下一个 4 的倍数
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
		const text = changed.join("\n"),
			longer = text.length - (last - first);
		if (!longer) return;
		replace(first, last, text);
		area.setSelectionRange(Math.max(first, start + changed[0].length - lines[0].length), end + longer);
	}

	area.addEventListener("keydown", (event) => {
		// 229：有的浏览器在输入法选字的那一下，不说自己在 composing
		if (event.isComposing || event.keyCode === 229) return;
		const check = event.key === "Enter" && (event.ctrlKey || event.metaKey);
		const tab = event.key === "Tab" && !leaving && !event.ctrlKey && !event.metaKey && !event.altKey;
		leaving = event.key === "Escape" || (leaving && event.key === "Shift");
		if (check) onCheck();
		else if (tab) indent(event.shiftKey);
		if (check || tab) event.preventDefault();
	});

	// 手机的键盘不说按的是哪个键，只说要做什么
	area.addEventListener("beforeinput", (event) => {
		if (event.isComposing) return;
		const { selectionStart: start, selectionEnd: end, value } = area;
		const before = value.slice(lineStart(start), start);
		if (event.inputType === "insertLineBreak") {
			event.preventDefault();
			replace(start, end, `\n${before.match(/^ */)[0]}${/:\s*(#.*)?$/.test(before) ? INDENT : ""}`);
		} else if (event.inputType === "deleteContentBackward" && start === end && /^ {2,}$/.test(before)) {
			event.preventDefault();
			replace(start - ((before.length - 1) % INDENT.length) - 1, start, "");
		}
	});
};
