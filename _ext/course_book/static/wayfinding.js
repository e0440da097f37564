// 读过哪几章：读到小结或页尾就记在这个浏览器里，两种文字的书共用；目录里打 ✓，页脚与目录下面都可以取消。
{
	const KEY = "transformer-course-read";
	const here = document.querySelector(".bd-docs-nav .current > a[data-chapter]")?.dataset.chapter;
	const state = document.querySelector(".read-state");
	const count = document.querySelector(".read-count");
	const mark = document.getElementById("read-mark");

	// 浏览器不许存时，只记到离开这一页
	let read = new Set();
	const recall = () => {
		try {
			read = new Set(JSON.parse(localStorage.getItem(KEY) ?? "[]"));
		} catch {}
	};
	const show = () => {
		for (const link of document.querySelectorAll("a[data-chapter]")) {
			const done = read.has(link.dataset.chapter);
			link.classList.toggle("read", done);
			if (done && !link.querySelector(".read-mark")) link.append(mark.content.cloneNode(true));
			if (!done) link.querySelector(".read-mark")?.remove();
		}
		const done = document.querySelectorAll(".bd-docs-nav a.read").length;
		count.querySelector("b").textContent = done;
		count.hidden = !done;
		if (state) {
			state.hidden = false;
			state.querySelector("button").ariaPressed = String(read.has(here));
		}
	};
	const keep = (change) => {
		recall();
		change();
		try {
			localStorage.setItem(KEY, JSON.stringify([...read]));
		} catch {}
		show();
	};

	if (mark && count) {
		recall();
		show();
		addEventListener("storage", () => {
			recall();
			show();
		});

		const watch = new IntersectionObserver((entries) => {
			if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
			watch.disconnect();
			if (!read.has(here)) keep(() => read.add(here));
		});
		if (here) {
			for (const end of document.querySelectorAll("#小结 > h2, .read-state")) watch.observe(end);
		}

		state?.querySelector("button").addEventListener("click", ({ currentTarget }) => {
			watch.disconnect(); // 取消了就不再自己记上
			const done = currentTarget.ariaPressed === "true";
			keep(() => (done ? read.delete(here) : read.add(here)));
		});
		count.querySelector("button").addEventListener("click", () => {
			watch.disconnect();
			keep(() => read.clear());
		});
	}
}
