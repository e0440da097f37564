// 窄处：各部分成为页签，一次看一个；选中的词元与页签总在眼前。宽处照旧一部分接一部分。
// sections：名字 → { element, heading, lead, tab }，lead 是摆在前面的一块，没有就不写；top 是页签要放进去的地方；onPick(名字)：读者换了页签。
globalThis.liveTabs = ({ id, output, top, sections, onPick }) => {
	const { html } = LiveMarks;
	const narrow = matchMedia("(max-width: 600px)");
	const names = Object.keys(sections);
	const tabs = Object.fromEntries(
		names.map((name) => {
			const tab = html(
				"button",
				{ type: "button", role: "tab", id: `${id}-tab-${name}`, "aria-controls": `${id}-panel-${name}` },
				sections[name].tab,
			);
			tab.addEventListener("click", () => onPick(name));
			return [name, tab];
		}),
	);
	const list = html("div", { class: "live-tabs", role: "tablist", "aria-label": "看哪一部分" }, ...Object.values(tabs));
	list.addEventListener("keydown", ({ key, target }) => {
		const at = names.findIndex((name) => tabs[name] === target),
			last = names.length - 1;
		const next = { ArrowLeft: at ? at - 1 : last, ArrowRight: at < last ? at + 1 : 0, Home: 0, End: last }[key];
		if (next === undefined) return;
		tabs[names[next]].click();
		tabs[names[next]].focus();
	});
	top.prepend(list);
	for (const name of names) sections[name].element.id = `${id}-panel-${name}`;

	let shown = names[0];
	function show(name) {
		shown = name in sections ? name : shown;
		list.hidden = !narrow.matches;
		output.classList.toggle("live-tabbed", narrow.matches);
		top.classList.toggle("live-open-top", shown === names[0]); // 那里词元全摆开
		for (const name of names) {
			const { element, lead } = sections[name],
				chosen = name === shown;
			tabs[name].setAttribute("aria-selected", chosen);
			tabs[name].tabIndex = chosen ? 0 : -1;
			element.hidden = narrow.matches && !chosen;
			if (lead) lead.hidden = element.hidden;
			if (narrow.matches) {
				element.setAttribute("role", "tabpanel");
				element.setAttribute("aria-labelledby", tabs[name].id);
			} else for (const each of ["role", "aria-labelledby"]) element.removeAttribute(each);
		}
	}

	// 到另一部分去：窄处换页签，看得见它的开头；宽处滚到它那里
	function reveal(name) {
		const { element, heading, lead } = sections[name];
		if (!narrow.matches) return (heading ?? element).scrollIntoView();
		const start = (lead ?? element).getBoundingClientRect().top,
			bar = top.offsetHeight + (parseFloat(getComputedStyle(top).top) || 0);
		if (start < bar || start > innerHeight / 2) scrollBy(0, start - bar);
	}

	// 一排摆不下的词元与小图：选中的看不全，就滚到中间
	function centre() {
		if (!narrow.matches) return;
		for (const line of output.querySelectorAll(".live-sentence, .live-heads")) {
			const chosen = line.querySelector(":checked")?.parentElement.getBoundingClientRect(),
				box = line.getBoundingClientRect();
			if (!chosen || (chosen.left >= box.left + 24 && chosen.right <= box.right - 24)) continue;
			line.scrollLeft += (chosen.left + chosen.right - box.left - box.right) / 2;
		}
	}

	return { narrow, show, reveal, centre, isHidden: (name) => sections[name].element.hidden };
};
