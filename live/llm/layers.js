// 里面的另外三折：逐层的透镜、向量的长度、缓存。各有 show（问引擎，再画）与 redraw（宽窄变了）。
globalThis.LlmLayers = (() => {
	const { html, svg, range } = LiveMarks;
	const { spell, named } = LlmTokens;
	const { percent } = LlmBars;
	const count = (number) => Math.round(number).toLocaleString("en");

	// 对数几率透镜：一层一格，最可能的词元与它的概率，最后的答案排第几
	function lens() {
		const reading = html("p", { class: "llm-reading", "aria-live": "polite" });
		const table = html("table", { class: "llm-lens" });
		return {
			title: "对数几率透镜",
			about: "提前读出每一层，答案几时露面",
			element: html("div", {}, reading, html("div", { class: "llm-wide" }, table)),
			redraw() {},
			async show({ engine, words, query }) {
				const levels = await engine.lens(query),
					last = levels[levels.length - 1].top[0];
				const answer = spell(engine.tokenizer, last.id);
				const from = levels.findLastIndex(({ chosen }) => chosen.rank > 1) + 1;
				const since = from === levels.length - 1 ? "到最后一层才排到第一" : `从第 ${from} 层起它一直排第一`;
				reading.replaceChildren(
					"读到 ",
					named(words[query]),
					" 为止，最后的答案是 ",
					named(answer),
					`（${percent(last.probability)}），${since}。`,
				);
				const head = ["层", "最可能的", "概率", html("span", {}, named(answer), " 的概率"), "排第几"];
				const line = ({ top: [first], chosen }, level) =>
					html(
						"tr",
						{ "data-level": level, class: first.id === last.id ? "llm-found" : "" },
						html("th", { scope: "row" }, level),
						html("td", {}, named(spell(engine.tokenizer, first.id))),
						html(
							"td",
							{ class: "llm-share", style: `--share: ${first.probability}`, "data-probability": first.probability },
							percent(first.probability),
						),
						html("td", { class: "llm-share", style: `--share: ${chosen.probability}` }, percent(chosen.probability)),
						html("td", {}, count(chosen.rank)),
					);
				table.replaceChildren(
					html("caption", {}, `第 0 层是嵌入，还没有听过别的词元；第 ${levels.length - 1} 层就是它真正的预测。`),
					html("thead", {}, html("tr", {}, ...head.map((each) => html("th", { scope: "col" }, each)))),
					html("tbody", {}, ...levels.map(line)),
				);
			},
		};
	}

	// 折线，纵轴是 10 的几次方
	function powers({ curves, width, label }) {
		const [height, left, right, top, bottom] = [240, 58, 12, 12, 40],
			levels = curves[0].values.length - 1;
		const high = Math.ceil(Math.log10(Math.max(10, ...curves.flatMap(({ values }) => values))));
		const x = (i) => left + ((width - left - right) * i) / levels;
		const y = (value) => top + (height - top - bottom) * (1 - Math.log10(Math.max(1, value)) / high);
		const ticks = range(high + 1).flatMap((power) => [
			svg("line", { class: "live-tick", x1: left, x2: width - right, y1: y(10 ** power), y2: y(10 ** power) }),
			svg("text", { class: "live-left", x: left - 6, y: y(10 ** power) }, count(10 ** power)),
		]);
		const under = range(levels / 5 + 1).map((i) =>
			svg("text", { class: "live-below", x: x(5 * i), y: height - bottom + 14 }, 5 * i),
		);
		const lines = curves.map(({ kind, values }) =>
			svg("polyline", { class: kind, points: values.map((value, i) => `${x(i)},${y(value)}`).join(" ") }),
		);
		const below = svg("text", { class: "live-below", x: (left + width - right) / 2, y: height - 6 }, "层（0 是嵌入）");
		return svg(
			"svg",
			{ width, height, role: "img", "aria-label": label, "font-size": 12, class: "llm-powers" },
			...ticks,
			...under,
			below,
			...lines,
		);
	}

	// 向量的长度：第一个词元、选中的、其余的平均
	function norms() {
		const reading = html("p", { class: "llm-reading", "aria-live": "polite" }),
			key = html("p", { class: "llm-key" });
		const picture = html("div"),
			table = html("table");
		const element = html(
			"div",
			{},
			reading,
			key,
			picture,
			html(
				"details",
				{ class: "llm-numbers" },
				html("summary", {}, "逐层的数"),
				html("div", { class: "llm-wide" }, table),
			),
		);
		let curves;
		const redraw = () => {
			if (curves && picture.clientWidth > 100)
				picture.replaceChildren(
					powers({ curves, width: picture.clientWidth, label: "向量的长度随层的变化，数在下面" }),
				);
		};
		return {
			title: "向量的长度",
			about: "第一个词元怎样长到别人的一百倍",
			element,
			redraw,
			async show({ engine, words, query }) {
				const lengths = await engine.norms(),
					n = words.length,
					levels = range(lengths.length / n);
				const of = (i) => levels.map((level) => lengths[level * n + i]);
				const others = range(n).slice(1);
				const mean = levels.map((level) => others.reduce((sum, i) => sum + lengths[level * n + i], 0) / others.length);
				curves = [{ kind: "llm-first", name: [named(words[0]), "（第一个）"], values: of(0) }];
				if (query > 0) curves.push({ kind: "llm-one", name: [named(words[query]), "（选中的）"], values: of(query) });
				if (n > 2) curves.push({ kind: "llm-others", name: ["其余的平均"], values: mean });
				const top = Math.max(...curves[0].values),
					level = curves[0].values.indexOf(top);
				const there = n > 1 ? `，那里其余的平均是 ${count(mean[level])}` : "";
				reading.replaceChildren("第一个词元 ", named(words[0]), ` 的向量在第 ${level} 层最长，${count(top)}${there}。`);
				key.replaceChildren(...curves.map(({ kind, name }) => html("span", { class: kind }, ...name)));
				table.replaceChildren(
					html(
						"thead",
						{},
						html(
							"tr",
							{},
							html("th", { scope: "col" }, "层"),
							...curves.map(({ name }) =>
								html("th", { scope: "col" }, ...name.map((each) => each.cloneNode?.(true) ?? each)),
							),
						),
					),
					html(
						"tbody",
						{},
						...levels.map((i) =>
							html(
								"tr",
								{ "data-level": i },
								html("th", { scope: "row" }, i),
								...curves.map(({ values }) => html("td", { "data-length": values[i] }, count(values[i]))),
							),
						),
					),
				);
				redraw();
			},
		};
	}

	const BYTES = 4; // 浏览器里用 32 位浮点数
	const size = (bytes) => (bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);
	const time = (ms) => (ms < 1000 ? `${Math.round(ms)} 毫秒` : `${(ms / 1000).toFixed(1)} 秒`);

	// 缓存：占多少字节，不用它要多算多少
	function cache({ onCache, compare }) {
		const bars = html("ul", { class: "llm-memory" }),
			reading = html("p", { class: "llm-reading" });
		const use = html("input", { type: "checkbox", checked: true, class: "llm-use-cache" });
		use.addEventListener("change", () => onCache(use.checked));
		const button = html("button", { type: "button" }, "同一步，两种算法各算一遍"),
			told = html("p", { class: "llm-compared", "aria-live": "polite" });
		let key = "";
		button.addEventListener("click", async () => {
			button.disabled = true;
			told.textContent = "正在算……";
			const { n, kept, anew } = await compare();
			const times = anew.milliseconds / Math.max(1, kept.milliseconds);
			told.textContent = `共 ${n} 个词元：用缓存，只算最新的 ${kept.computed} 个，${time(kept.milliseconds)}；不用，从头算 ${anew.computed} 个，${time(anew.milliseconds)}，是 ${times.toFixed(1)} 倍。`;
			button.disabled = false;
		});
		const element = html(
			"div",
			{},
			reading,
			bars,
			html("p", { class: "llm-ask" }, button),
			told,
			html("label", { class: "llm-check" }, use, html("span", {}, "写的时候用缓存（关掉再“一直写”，看上面的速度）")),
		);
		return {
			title: "缓存",
			about: "每个词元占多少字节，没有它有多慢",
			element,
			redraw() {},
			show({ engine: { config }, words }) {
				const n = words.length,
					ids = String(words.map(({ id }) => id));
				if (ids !== key) told.textContent = ""; // 比的是先前的
				key = ids;
				const { numLayers, numKvHeads, numHeads, dHead, maxTokens } = config;
				const bytes = (heads, tokens = n) => 2 * numLayers * heads * dHead * BYTES * tokens;
				const widest = bytes(numHeads, maxTokens);
				reading.textContent = `每写一个词元，${numLayers} 层的键与值各添一份，共 ${count(bytes(numKvHeads, 1))} 字节；现在 ${n} 个词元，一次最多 ${maxTokens} 个。`;
				bars.replaceChildren(
					...[
						[numKvHeads, "（这个模型）"],
						[numHeads, "（与查询头一样多）"],
					].map(([heads, about]) =>
						html(
							"li",
							{
								style: `--share: ${bytes(heads) / widest}; --most: ${bytes(heads, maxTokens) / widest}`,
								"data-bytes": bytes(heads),
							},
							html("span", {}, `${heads} 个键值头${about}`),
							html("span", { class: "llm-track" }, html("span")),
							html("span", { class: "llm-number" }, size(bytes(heads))),
						),
					),
				);
			},
		};
	}

	return { lens, norms, cache };
})();
