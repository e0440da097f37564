// 放映：还是这一页，一次只露出一节（标题连同它自己的内容，下一级的标题另算一节），放大；图照样可以动手。
// → 与 PageDown：这一节还有没露出的就往下一屏，没有了就到下一节；← 与 PageUp 相反；Esc 结束。
{
	const KEY = "transformer-course-projection-size";
	const root = document.documentElement;
	const start = document.querySelector(".projection-start");
	const article = document.querySelector(".bd-article");
	// “深入”整个是一节：它的内容在折叠里，讲的人自己点开
	const sections = [...(article?.querySelectorAll("section") ?? [])].filter(
		(section) => !section.parentElement.closest("section.deep"),
	);
	const heading = (section) => section.querySelector(":scope > :is(h1, h2, h3, h4, h5, h6)");

	let now = -1,
		bar = null;
	let size = 1.5;
	try {
		size = Number(localStorage.getItem(KEY)) || size;
	} catch {}
	const resize = (change) => {
		size = Math.min(3, Math.max(1, size + change / 4));
		root.style.setProperty("--projection-size", size);
		try {
			localStorage.setItem(KEY, size);
		} catch {}
	};

	const title = (section) => {
		const copy = heading(section).cloneNode(true);
		copy.querySelector(".headerlink")?.remove();
		return copy.textContent.trim();
	};

	function show(place, atEnd = false) {
		now = Math.min(sections.length - 1, Math.max(0, place));
		for (const old of article.querySelectorAll(".on-slide")) old.classList.remove("on-slide");
		const section = sections[now];
		for (let part = section; part !== article; part = part.parentElement) part.classList.add("on-slide");
		const inner = section.matches(".deep") ? "*" : ":not(section)";
		for (const part of section.querySelectorAll(`:scope > ${inner}`)) part.classList.add("on-slide");
		const [where, count] = bar.querySelector(".projection-place").children;
		where.textContent = title(section);
		count.textContent = `${now + 1} / ${sections.length}`;
		bar.querySelector("[data-move='-1']").disabled = now === 0;
		bar.querySelector("[data-move='1']").disabled = now === sections.length - 1;
		history.replaceState(history.state, "", `#${encodeURIComponent(section.id)}`);
		scrollTo({ top: atEnd ? root.scrollHeight : 0, behavior: "instant" });
	}

	// 往下一屏：没有露全的头一块挪到顶上，图就不会从中间切开；一块比一屏还高，只好一截一截地看
	function step(way) {
		const room = innerHeight - bar.offsetHeight;
		const left = way > 0 ? root.scrollHeight - innerHeight - scrollY : scrollY;
		if (left <= 4) {
			if (sections[now + way]) show(now + way, way < 0);
			return;
		}
		const blocks = [...article.querySelectorAll(".on-slide:not(section, .cell), .cell.on-slide > *")];
		const cut = blocks
			.map((block) => block.getBoundingClientRect())
			.find(({ height, bottom }) => height && bottom > room);
		const far = room * 0.85;
		const by = way > 0 && cut?.top > room / 4 ? cut.top - 16 : way * far;
		scrollBy({ top: by, behavior: "instant" });
	}

	function begin() {
		// 地址里的那一节露着就从它开始，不然从正在读的一节
		const top = (section) => heading(section).getBoundingClientRect().top;
		const asked = sections.indexOf(addressed());
		const seen = asked >= 0 && top(sections[asked]) >= 0 && top(sections[asked]) < innerHeight;
		const at = seen
			? asked
			: sections.findLastIndex((section) => heading(section).checkVisibility() && top(section) < innerHeight / 2);
		root.classList.add("projecting");
		bar = document.getElementById("projection-bar").content.firstElementChild.cloneNode(true);
		document.body.append(bar);
		bar.addEventListener("click", ({ target }) => {
			const button = target.closest("button");
			if (!button) return;
			if (button.dataset.move) show(now + Number(button.dataset.move));
			if (button.dataset.size) resize(Number(button.dataset.size));
			if ("end" in button.dataset) end();
		});
		resize(0);
		show(Math.max(0, at));
		start.ariaPressed = "true";
	}

	function end() {
		const section = sections[now];
		root.classList.remove("projecting");
		bar.remove();
		bar = null;
		start.ariaPressed = "false";
		heading(section).scrollIntoView({ behavior: "instant" });
		start.focus({ preventScroll: true });
	}

	// 焦点在图、输入框里时，方向键归它们；翻页的遥控器发的是 PageUp 与 PageDown，在哪里都管用
	const owns = (target) =>
		target.closest("input, select, textarea, iframe, [contenteditable], figure.explore, [class^=live-]");
	addEventListener("keydown", (event) => {
		// 229：有的浏览器在输入法选字的那一下，不说自己在 composing；翻候选用的也是 PageDown
		if (event.isComposing || event.keyCode === 229) return;
		if (!bar || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
		const { key, target } = event;
		const way = { PageDown: 1, PageUp: -1 }[key] ?? (owns(target) ? undefined : { ArrowRight: 1, ArrowLeft: -1 }[key]);
		if (way) step(way);
		else if (key === "Escape" && !owns(target)) end();
		else if (owns(target)) return;
		else if (key === "Home") show(0);
		else if (key === "End") show(sections.length - 1);
		else return;
		event.preventDefault();
	});

	// 放映时点了书里的链接：到它所在的那一节
	addEventListener("hashchange", () => {
		if (!bar) return;
		const place = addressed();
		const at = place ? sections.findLastIndex((section) => section.contains(place)) : -1;
		if (at >= 0 && at !== now) show(at);
	});

	if (start && sections.length) {
		start.hidden = false;
		start.addEventListener("click", () => (bar ? end() : begin()));
	}
}
