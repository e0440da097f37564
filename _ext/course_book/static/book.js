// 键盘：放不下而能横向滚动的，可以用 Tab 走到，再用方向键滚动。
// 只在浏览器刚排好它时量：问别的时候，收在折叠里、还没有滚到的都得先排一遍
const watchSize = new ResizeObserver((entries) => {
	for (const { target } of entries) {
		if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
		else target.removeAttribute("tabindex");
	}
});
for (const box of document.querySelectorAll(
	".math, .plot, pre, .cell_output > .output, .pst-scrollable-table-container",
))
	watchSize.observe(box);

// 复制：公式以 TeX 的写法进剪贴板，浏览器自己会写成一字一行。
addEventListener("copy", (event) => {
	if (!getSelection().rangeCount) return;
	const range = getSelection().getRangeAt(0).cloneRange();
	const formulaOf = (node) => (node.closest ? node : node.parentElement).closest("math");
	const [first, last] = [range.startContainer, range.endContainer].map(formulaOf);
	if (first) range.setStartBefore(first);
	if (last) range.setEndAfter(last);
	const copy = document.createElement("div");
	copy.append(range.cloneContents());
	const formulas = [...copy.querySelectorAll("math")];
	if (!formulas.length) return;
	event.clipboardData.setData("text/html", copy.innerHTML);
	for (const formula of formulas) {
		const tex = formula.querySelector("annotation").textContent;
		formula.replaceWith(formula.getAttribute("display") ? ` $$${tex}$$ ` : `$${tex}$`);
	}
	document.body.append(copy); // 在页面里的，才知道哪里换行
	event.clipboardData.setData("text/plain", copy.innerText.trim());
	copy.remove();
	event.preventDefault();
});

// 本页目录比屏幕长时，读到哪里，目录就滚到哪里。
const follow = (entry) => {
	const toc = entry.closest(".bd-sidebar-secondary");
	toc.scrollTop += entry.getBoundingClientRect().top - toc.getBoundingClientRect().top - toc.clientHeight / 2;
};
for (const toc of document.querySelectorAll(".bd-sidebar-secondary")) {
	new MutationObserver((changes) => {
		const entry = changes.findLast(({ target }) => target.hasAttribute("aria-current"));
		if (entry) follow(entry.target);
	}).observe(toc, { attributeFilter: ["aria-current"], subtree: true });
}

// 猜过了，后面的雾就散了；点到、走到雾里，或者要看的一处在雾里，也不必猜了
const tell = (cell) => {
	cell.classList.add("told");
	for (let part = cell; (part = part.nextElementSibling)?.matches(".veiled");) part.classList.remove("veiled");
};
const uncover = (place) => {
	let part = place?.closest(".veiled");
	while (part && !part.matches(".asks")) part = part.previousElementSibling;
	if (part) tell(part);
};
for (const cell of document.querySelectorAll(".asks")) {
	cell.addEventListener(
		"toggle",
		({ target }) => {
			if (target.closest(".guess") && target.open) tell(cell);
		},
		true,
	);
	cell.querySelector(".tell button").addEventListener("click", () => tell(cell));
}
// 图自己试按钮、量高矮的不算
for (const happens of ["click", "focusin"])
	document.addEventListener(happens, ({ target, isTrusted }) => {
		if (isTrusted) uncover(target);
	});

// 指到折叠着的地方时把它展开（新的浏览器自己会，旧的不会）；标出的词在里面时也一样
const unfold = (place) => {
	uncover(place);
	for (let fold = place?.closest("details:not([open])"); fold; fold = fold.parentElement.closest("details:not([open])"))
		fold.open = true;
};
// 地址里 # 后面说的那一处；写坏了的地址哪一处也不是
const addressed = () => {
	try {
		return document.getElementById(decodeURIComponent(location.hash.slice(1)));
	} catch {
		return null;
	}
};
const unfoldTarget = () => {
	const place = addressed(),
		hidden = place && !place.checkVisibility();
	const fold = place?.matches("section.deep") ? place.querySelector(":scope > details") : place;
	if (fold?.matches("details")) fold.open = true;
	if (place) unfold(place);
	if (hidden) place.scrollIntoView();
};
addEventListener("hashchange", unfoldTarget);
unfoldTarget();

// 练习一次开一道：上面的一道合上了，点的这一道还在手指下面
for (const line of document.querySelectorAll(".task > details > summary")) {
	line.addEventListener("click", () => {
		const was = line.getBoundingClientRect().top;
		requestAnimationFrame(() => scrollBy({ top: line.getBoundingClientRect().top - was, behavior: "instant" }));
	});
}

// 猜一猜：头一个点开的是读者猜的，再点别的也记着
for (const question of document.querySelectorAll(".guess")) {
	const remember = ({ target }) => {
		if (target.open) (question.querySelector(".mine") ?? target).classList.add("mine");
	};
	question.addEventListener("toggle", remember, true);
}

// 视图快看到时，才载入装着它的整页的那个脚本；一划而过的不载入
const waits = new Map();
const near = new IntersectionObserver(
	(entries) => {
		for (const { target, isIntersecting } of entries) {
			clearTimeout(waits.get(target));
			if (!isIntersecting) continue;
			waits.set(
				target,
				setTimeout(() => {
					near.unobserve(target);
					document.head.append(Object.assign(document.createElement("script"), { src: target.dataset.view }));
				}, 250),
			);
		}
	},
	{ rootMargin: "800px 0px" },
);
for (const frame of document.querySelectorAll("iframe[data-view]")) near.observe(frame);

// 打印：折叠的内容都展开，纸是白的，视图按屏幕上的样子缩到版心里；印完照旧。
const PAPER = 640; // A4 与 Letter 去掉页边，宽度都不小于它
let restore = () => {};
addEventListener("beforeprint", () => {
	const folded = [...document.querySelectorAll("details:not([open])")];
	const frames = [...document.querySelectorAll("iframe")];
	const styles = frames.map((frame) => frame.style.cssText);
	const { theme } = document.documentElement.dataset;
	// 同名的只许打开一个（猜一猜的几个选项）：印的时候先去掉名字
	const names = folded.map((details) => details.name);
	for (const details of folded) details.removeAttribute("name");
	for (const details of folded) details.open = true;
	for (const frame of frames) {
		const width = frame.clientWidth;
		frame.style.width = `${width}px`;
		frame.style.zoom = Math.min(1, PAPER / width);
	}
	document.documentElement.dataset.theme = "light";
	restore = () => {
		for (const details of folded) details.open = false;
		folded.forEach((details, i) => {
			if (names[i]) details.name = names[i];
		});
		frames.forEach((frame, i) => {
			frame.style.cssText = styles[i];
		});
		document.documentElement.dataset.theme = theme;
	};
});
addEventListener("afterprint", () => restore());

// 去另一种文字的链接通到同一节：两本书的锚相同。
const otherBook = document.querySelector("a.language-switch");
for (const about of ["pointerdown", "focus", "click"]) {
	otherBook?.addEventListener(about, () => {
		otherBook.hash = location.hash;
	});
}

// 从检索页点开的一页：标出找到的词。只标正文里的字，不改网页，也不动图、脚本与公式。
let foundWords = [];
try {
	foundWords = JSON.parse(localStorage.getItem("found-words") ?? "[]").map(String);
} catch {} // 记着的不是检索页写下的
localStorage.removeItem("found-words");
const article = document.querySelector("article");
if (foundWords.length && article && CSS.highlights) {
	const any = new RegExp(foundWords.map((word) => word.replace(/[^\p{L}\p{N}]/gu, "\\$&")).join("|"), "gi");
	const texts = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
	const found = new Highlight();
	while (texts.nextNode()) {
		const { currentNode: text } = texts;
		if (text.parentElement.closest("svg, script, style, .math")) continue;
		for (const { 0: word, index } of text.data.matchAll(any)) {
			uncover(text.parentElement);
			found.add(
				new StaticRange({
					startContainer: text,
					startOffset: index,
					endContainer: text,
					endOffset: index + word.length,
				}),
			);
		}
	}
	CSS.highlights.set("found", found);
	const hide = Object.assign(document.createElement("a"), { href: "#", textContent: _("Hide Search Matches") });
	const line = Object.assign(document.createElement("p"), { className: "highlight-link" });
	hide.addEventListener("click", (event) => {
		event.preventDefault();
		CSS.highlights.delete("found");
		line.remove();
	});
	line.append(hide);
	document.getElementById("searchbox").append(line);
}
