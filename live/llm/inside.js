// 打开看里面：先选一个词元，再打开四折中的一折；没有打开的不算。
globalThis.LlmInside = (() => {
	const { html, radio } = LiveMarks;
	const { chip } = LlmTokens;

	// choose(状态的一部分)，打开哪一折也是状态
	function inside({ id, choose, onCache, compare }) {
		const told = { id, choose, onCache, compare };
		const views = {
			attention: LlmAttention.attention(told),
			lens: LlmLayers.lens(told),
			norms: LlmLayers.norms(told),
			cache: LlmLayers.cache(told),
		};
		const folds = Object.entries(views).map(([name, { title, about, element }]) => {
			const fold = html(
				"details",
				{ class: "llm-fold", "data-view": name },
				html("summary", {}, html("b", {}, title), html("span", {}, about)),
				element,
			);
			fold.addEventListener("toggle", () => {
				if (fold.open === (current === name)) return; // 是 open 打开的，不是读者
				current = fold.open ? name : "";
				choose({ view: current });
			});
			return fold;
		});
		let current = "",
			size = "";
		const chips = html("fieldset", { class: "llm-where" }),
			status = html("p", { role: "status" });
		const element = html(
			"div",
			{ class: "llm-inside" },
			html("h2", {}, "里面"),
			html("p", { class: "llm-note llm-which" }, "打开一折，再选一个词元；不选，就是最后一个。"),
			chips,
			...folds,
		);
		// 说在打开的一折里；wrong：出了错
		const say = (message, wrong = false) => {
			if (!current) return;
			views[current].element.prepend(status);
			status.className = wrong ? "llm-wrong" : "llm-note";
			status.textContent = message;
		};
		let labels = [],
			key = "",
			turn = 0;

		return {
			element,
			open(name) {
				if (name === current && folds.every((fold) => fold.open === (fold.dataset.view === name))) return;
				current = name;
				for (const fold of folds) fold.open = fold.dataset.view === name;
			},
			reveal: (name) => folds.find(({ dataset }) => dataset.view === name).scrollIntoView(),
			redraw: () => views[current]?.redraw(),
			// 换了模型：层数、头数不同
			fit(model) {
				const { numLayers, numHeads } = model;
				if (size === `${numLayers} ${numHeads}`) return;
				size = `${numLayers} ${numHeads}`;
				key = ""; // 编号相同也不是同一个词元
				for (const view of Object.values(views)) view.fit?.(model);
				folds[0].querySelector("summary span").textContent = views.attention.about;
			},
			// 一直写的时候不算，画着的是先前的
			wait: (writing) => say(writing ? "正在写，停下来就算。" : ""),
			// words：每个词元；query：选中的一个
			async show({ engine, words, state, query }) {
				const mine = ++turn,
					showsWeights = current === "attention";
				chips.hidden = !current || current === "cache";
				const ids = words.map(({ id }) => id).join();
				if (ids !== key) {
					key = ids;
					labels = words.map((word, i) =>
						chip(
							"label",
							word,
							i,
							{},
							radio(`${id}-query`, () => choose({ token: i })),
						),
					);
					chips.replaceChildren(
						html("legend", {}, "选一个词元（小字是位置）"),
						html("div", { class: "live-sentence llm-chips" }, ...labels),
					);
				}
				labels.forEach((label, i) => (label.control.checked = i === query));
				if (!current) return;
				element.setAttribute("aria-busy", true);
				try {
					const weights = await views[current].show({ engine, words, state, query });
					if (mine !== turn) return;
					labels.forEach((label, i) => label.style.setProperty("--share", (showsWeights && weights?.[i]) || 0));
					say("");
				} catch (error) {
					say(error.message, true);
				}
				if (mine === turn) element.setAttribute("aria-busy", false);
			},
		};
	}

	return { inside };
})();
