// 一格一格打开的 BERT：嵌入、各层的听、加、想、加，每一步每个词元的向量是什么样、有多长。
// 数：tokens（N 个词）；steps（每一步一个 N×K，各取向量里的 K 个分量）；lengths（每一步 N 个，整个向量的长度）；
// weights（每层一个 N×N，各头平均的权重）；first 与 chosen（从哪一步、跟着哪个词元开始，可以不给）。前两步是嵌入，此后每层四步。
Explore.define("bert_boxes", (data, stage) => {
	const { html, svg, fixed, tokens, line, arcs, stepper } = Explore;
	const words = data.tokens,
		layers = data.weights.length;
	const BOXES = [
		["听", (l) => `第 ${l} 层，听：每个词元从全句取来一份值，还没有加回去。弧是所选词元的注意力，各头平均。`],
		["加", (l) => `第 ${l} 层，把听来的加回自己的向量，再归一化。`],
		["想", (l) => `第 ${l} 层，想：每个词元独自过一遍前馈网络，还没有加回去。`],
		["加", (l) => `第 ${l} 层，把想到的加回去，再归一化：这就是第 ${l} 层的输出。`],
	];
	const EMBED = [
		["查", "查三张表，词元、位置、段的嵌入相加。"],
		["归一", "归一化：这是第 0 份隐藏状态，送进第 0 层。"],
	];
	const sayings = [
		...EMBED.map(([, said]) => said),
		...Array.from({ length: layers }, (_, l) => BOXES.map(([, said]) => said(l))).flat(),
	];
	let now = data.first ?? 0,
		chosen = data.chosen ?? 1,
		shown;

	// 各个格子：点一个就跳到那一步
	const buttons = [];
	const box = (label, i) => {
		const button = html(
			"button",
			{ type: "button", class: "explore-box", "aria-label": sayings[i], onclick: () => steps.go(i, true) },
			label,
		);
		buttons[i] = button;
		return html("td", {}, button);
	};
	const rows = [["嵌入", EMBED, 0], ...Array.from({ length: layers }, (_, l) => [`第 ${l} 层`, BOXES, 2 + 4 * l])];
	const boxes = html(
		"table",
		{ class: "explore-boxes" },
		html(
			"tbody",
			{},
			rows.map(([name, parts, first]) =>
				html(
					"tr",
					{},
					html("th", { scope: "row" }, name),
					parts.map(([label], k) => box(label, first + k)),
				),
			),
		),
	);

	// 每个词元一条，一格一个分量：青是正，褐是负，越浓绝对值越大
	const width = data.steps[0][0].length;
	const strips = words.map((word) => {
		const cells = Array.from({ length: width }, (_, k) => svg("rect", { x: k, y: 0, width: 1, height: 1 }));
		const length = html("span", { class: "explore-number" });
		const row = html(
			"div",
			{ class: "explore-strip" },
			html("span", { class: "explore-label", lang: "en" }, word),
			svg("svg", { viewBox: `0 0 ${width} 1`, preserveAspectRatio: "none", "aria-hidden": "true" }, cells),
			length,
		);
		return { row, cells, length };
	});
	const vectors = html(
		"div",
		{ class: "explore-vectors" },
		html("p", { class: "explore-label" }, `每个词元的向量（取 ${width} 个分量），右边是整个向量的长度`),
		strips.map(({ row }) => row),
	);

	const bow = arcs({
		words,
		name: "所选的词元在这一层看谁",
		width: Math.min(480, stage.clientWidth || 480),
		least: 0.1,
	});
	// 所选的词元一条，其余的都是灰的；长的有短的几十倍，竖轴取对数
	const curve = (i) => data.lengths.map((row, step) => [step, Math.log10(row[i])]);
	const curves = () =>
		[...words.keys()]
			.filter((i) => i !== chosen)
			.concat(chosen)
			.map(curve);
	const ends = [Math.min, Math.max].map((end) => Math.log10(end(...data.lengths.flat())));
	const chart = line({
		lines: curves().map((points, i) => ({ label: "", hue: i < words.length - 1 ? "grey" : "ink", points })),
		name: "各个词元的向量长度，随着每一步怎样变",
		width: Math.min(300, stage.clientWidth || 300),
		height: 130,
		x: [0, data.steps.length - 1],
		y: ends,
		ends: (power) => fixed(10 ** power, 1),
	});
	chart.node.lastChild.remove();
	const followed = html("p", { class: "explore-label" });

	const draw = () => {
		const values = data.steps[now],
			scale = 2.5 * Math.sqrt(values.flat().reduce((sum, x) => sum + x * x, 0) / (words.length * width));
		strips.forEach(({ row, cells, length }, i) => {
			cells.forEach((cell, k) => {
				cell.style.fill = `var(--${values[i][k] < 0 ? "minus" : "plus"})`;
				cell.style.opacity = Math.min(1, Math.abs(values[i][k]) / scale).toFixed(2);
			});
			length.textContent = fixed(data.lengths[now][i], 1);
			row.classList.toggle("explore-chosen", i === chosen);
		});
		buttons.forEach((button, i) => button.setAttribute("aria-pressed", i === now));
		const layer = (now - 2) >> 2,
			listens = now >= 2 && (now - 2) % 4 === 0;
		shown = { now, chosen, lengths: data.lengths[now], looks: listens ? data.weights[layer][chosen] : null };
		bow.node.classList.toggle("explore-quiet", !listens);
		if (listens) bow.update(chosen, shown.looks);
		chart.update(curves(), now);
		followed.replaceChildren(
			"长度随步数的变化：深的是 ",
			html("b", { lang: "en" }, words[chosen]),
			"，灰的是其余各个，虚线是现在这一步",
		);
	};
	const chooser = tokens({
		words,
		name: "跟着哪个词元",
		chosen,
		pick: (i) => {
			chosen = i;
			draw();
		},
	});
	const steps = stepper({
		steps: sayings,
		seconds: 1.4,
		dots: false,
		show: (i) => {
			now = i;
			draw();
		},
	});
	stage.append(
		html("div", { class: "explore-flow explore-opened" }, boxes, html("div", { class: "explore-side" }, vectors)),
		html("div", { class: "explore-halves" }, html("div", {}, followed, chart.node), bow.node),
		steps.node,
		chooser.node,
	);
	steps.go(now);
	return { state: () => shown };
});
