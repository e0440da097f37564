// 一行注意力，从左往右：一个词元的查询遇到每个键，得分数，取指数，除以总和，成为权重，把各个值混成输出；点一行，看那一份怎样算；点一个词元，换它来问。
// 数：tokens（N 个词元）、scores（N×N，已经除过 √d）、d（头的宽度）、alike（N×N，第 i 份是 i 的输出与各个值的余弦）、chosen（先由第几个来问）。
Explore.define("one_row", (data, stage) => {
	const { html, svg, fixed, softmax, tokens } = Explore;
	const words = data.tokens,
		narrow = stage.clientWidth < 600;
	// 各栏从哪里起：窄的从上往下，查询在表的上面，值排成一行，输出在最下面
	const at = narrow
		? {
				width: 358,
				top: 122,
				gap: 36,
				key: 4,
				score: 110,
				power: 202,
				weight: 294,
				bar: { score: [115, 38], power: [207, 38], weight: [299, 52] },
			}
		: {
				width: 960,
				top: 92,
				gap: 46,
				key: 148,
				score: 272,
				power: 424,
				weight: 584,
				bar: { score: [280, 86], power: [432, 86], weight: [592, 86] },
			};
	const y = (i) => at.top + at.gap * i,
		values = y(words.length) + 8,
		bottom = values + 76,
		height = narrow ? bottom + 22 : values - 22,
		middle = y((words.length - 1) / 2);
	const chip = (at.width - 6 * (words.length - 1)) / words.length; // 窄的：一个值多宽
	const text = (x, y, said, { anchor = "middle", size = 16, hue = "ink" } = {}) =>
		svg("text", { x, y, "text-anchor": anchor, style: `font-size: ${size}px; fill: var(--${hue})` }, said);
	const box = (x, y, width, hue, said) =>
		svg(
			"g",
			{ class: "explore-node", style: `--hue: var(--${hue})` },
			svg("rect", { x, y: y - 16, width, height: 32, rx: 6 }),
			text(x + width / 2, y, said),
		);
	const root = (x, y) => [
		text(x, y, "点积 ÷", { anchor: "end", size: 14, hue: "faint" }),
		svg("path", { class: "explore-root", d: `M${x + 4},${y + 1}l3,-1.5l4,7l5,-15h${9 * String(data.d).length + 3}` }),
		text(x + 17, y, String(data.d), { anchor: "start", size: 14, hue: "faint" }),
	];

	const rows = words.map((word, i) => {
		const number = (kind, hue = "ink") => text(at[kind], y(i), "", { anchor: "end", hue });
		const bar = (kind, hue) =>
			svg("rect", {
				class: "explore-long",
				x: at.bar[kind][0],
				y: y(i) - 7,
				height: 14,
				style: `--hue: var(--${hue})`,
			});
		return {
			key: box(at.key, y(i), narrow ? 64 : 72, "key", word),
			score: number("score"),
			power: number("power"),
			weight: number("weight"),
			bars: { score: bar("score", "grey"), power: bar("power", "grey"), weight: bar("weight", "weight") },
			ask: svg("line", { class: "explore-ask", x1: 86, y1: middle, x2: 144, y2: y(i) }),
			value: narrow ? box((chip + 6) * i, values, chip, "value", word) : box(690, y(i), 72, "value", word),
			give: svg("line", {
				class: "explore-give",
				...(narrow
					? { x1: (chip + 6) * i + chip / 2, y1: values + 16, x2: 179, y2: bottom - 17 }
					: { x1: 764, y1: y(i), x2: 842, y2: middle }),
			}),
		};
	});
	const [total, share] = [0, 1].map(() => text(0, 0, "", { size: 14, hue: "faint" }));
	const place = (node, x, y, anchor = "middle") => {
		for (const [name, value] of Object.entries({ x, y, "text-anchor": anchor })) node.setAttribute(name, value);
		return node;
	};
	const band = svg("rect", {
		class: "explore-band",
		x: narrow ? 1 : 140,
		y: -22,
		width: narrow ? 356 : 630,
		height: 44,
		rx: 6,
	});
	const asker = narrow ? box(4, 22, 76, "query", "") : box(8, middle, 76, "query", ""),
		made = narrow ? box(141, bottom, 76, "output", "") : box(846, middle, 92, "output", "");
	const close = [0, 20].map((down) =>
		narrow
			? text(225, bottom - 10 + down, "", { anchor: "start", size: 14, hue: "faint" })
			: text(892, middle + 34 + down, "", { size: 14, hue: "faint" }),
	);
	const heads = narrow
		? [
				text(90, 22, "问每个键：", { anchor: "start", size: 14, hue: "faint" }),
				...root(210, 22),
				text(36, 64, "键", { hue: "key" }),
				text(110, 64, "分数", { anchor: "end" }),
				text(202, 64, "取指数", { anchor: "end" }),
				text(294, 64, "权重", { anchor: "end", hue: "weight" }),
				place(total, 202, 86, "end"),
				place(share, 294, 86, "end"),
				text(0, bottom, "值，按权重混合", { anchor: "start", size: 14, hue: "value" }),
			]
		: [
				text(46, 24, "查询", { hue: "query" }),
				text(184, 24, "键", { hue: "key" }),
				text(318, 24, "分数"),
				text(470, 24, "取指数"),
				text(630, 24, "权重", { hue: "weight" }),
				text(726, 24, "值", { hue: "value" }),
				text(892, 24, "输出", { hue: "output" }),
				...root(322, 48),
				place(total, 470, 48),
				place(share, 630, 48),
			];
	const drawn = svg(
		"svg",
		{
			class: "explore-one-row",
			viewBox: `0 0 ${at.width} ${height}`,
			role: "img",
			"aria-label": "一个词元的查询遇到每个键，从分数到权重，再到输出",
		},
		band,
		heads,
		rows.map((_, i) =>
			svg("rect", {
				class: "explore-asked",
				x: band.getAttribute("x"),
				y: y(i) - 22,
				width: band.getAttribute("width"),
				height: 44,
				onclick: () => read(i),
			}),
		),
		rows.flatMap(({ key, score, power, weight, bars, ask, value, give }) => [
			key,
			score,
			power,
			weight,
			...Object.values(bars),
			...(narrow ? [] : [ask]),
			give,
			value,
		]),
		asker,
		made,
		close,
	);
	const said = html("p", { class: "explore-said", "aria-live": "polite" });

	// 一行的算式
	let now;
	const read = (i) => {
		now.read = i;
		band.style.transform = `translateY(${y(i)}px)`;
		const [score, power, weight] = ["score", "power", "weight"].map((kind) => rows[i][kind].textContent),
			sum = share.textContent;
		said.textContent = `${asker.textContent} 问 ${words[i]}：${score} 分，取指数 ${power}；${power} ${sum} = ${weight}，${words[i]} 的值就占这么多。`;
	};
	const show = (from) => {
		const scores = data.scores[from],
			weights = softmax(scores),
			powers = scores.map(Math.exp),
			sum = powers.reduce((a, b) => a + b, 0);
		const most = weights.indexOf(Math.max(...weights)),
			near = data.alike[from].indexOf(Math.max(...data.alike[from]));
		const long = { score: Math.max(...scores.map(Math.abs)), power: powers[most], weight: weights[most] };
		now = { from, scores, powers, weights, sum, near, close: data.alike[from][near] };
		rows.forEach((row, i) => {
			const values = { score: scores[i], power: powers[i], weight: weights[i] };
			Object.entries(values).forEach(([kind, value]) => {
				row[kind].textContent = fixed(value, kind === "power" ? 1 : 2);
				row.bars[kind].style.width = `${(at.bar[kind][1] * Math.abs(value)) / long[kind]}px`;
				row.bars[kind].classList.toggle("explore-negative", value < 0);
			});
			row.give.style.strokeWidth = `${0.8 + 6 * weights[i]}px`;
		});
		total.textContent = `加起来 ${fixed(sum, 1)}`;
		share.textContent = `÷ ${fixed(sum, 1)}`;
		for (const node of [asker, made]) node.querySelector("text").textContent = words[from];
		[close[0].textContent, close[1].textContent] = [`与 ${words[near]} 的值`, `余弦 ${fixed(now.close)}`];
		read(most);
	};
	const asking = tokens({ words, name: "谁来问", chosen: data.chosen, pick: show });
	stage.append(drawn, said, asking.node);
	show(data.chosen);
	return { state: () => now };
});
