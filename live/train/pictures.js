// 训练的几幅图：两条曲线，一排答案，一墙的头。给它数，它画出来，不知道数从哪里来。
globalThis.TrainPictures = (() => {
	const { html, svg, range, inkOf } = LiveMarks;
	const [LEFT, RIGHT, TOP, BOTTOM] = [34, 26, 8, 24];

	// 横轴是步数，右边留 right 那么宽写名字。curves 是 [{ kind, name, points: [[步, 数]] }]；纵轴从 floor 到 top，at 是回头看的那一步；said 写在正当中
	function curves({ label, width, height, steps, top, floor = 0, right = RIGHT, curves: all, at, said }) {
		const x = (step) => LEFT + ((width - LEFT - right) * step) / steps;
		const y = (value) => TOP + (height - TOP - BOTTOM) * (1 - Math.min(1, (value - floor) / (top - floor)));
		const tick = (value) => [
			svg("line", { class: "train-tick", x1: LEFT, x2: width - right, y1: y(value), y2: y(value) }),
			svg("text", { class: "train-left", x: LEFT - 6, y: y(value) }, String(value)),
		];
		const under = range(3).map((i) =>
			svg(
				"text",
				{ class: `train-under${i > 1 ? " train-last" : ""}`, x: x((steps * i) / 2), y: height - 7 },
				String((steps * i) / 2),
			),
		);
		const path = ({ points }) =>
			points.map(([step, value], i) => `${i ? "L" : "M"}${x(step).toFixed(1)} ${y(value).toFixed(1)}`).join("");
		const lines = all
			.filter(({ points }) => points.length > 1)
			.map((curve) => svg("path", { class: `train-line ${curve.kind}`, d: path(curve) }));
		// 名字写在末端；太近了就错开
		const ends = all
			.filter(({ name, points }) => name && points.length > 1)
			.map(({ name, kind, points }) => ({ name, kind, x: x(points.at(-1)[0]) + 5, y: y(points.at(-1)[1]) }));
		ends
			.sort((a, b) => a.y - b.y)
			.forEach((end, i) => {
				const near = ends
					.slice(0, i)
					.filter(({ x }) => Math.abs(x - end.x) < 30)
					.map(({ y }) => y + 14);
				end.y = Math.max(end.y, ...near);
			});
		const names = ends.map((end) =>
			svg("text", { class: `train-end ${end.kind}`, x: end.x, y: Math.min(end.y, height - BOTTOM) }, end.name),
		);
		const cursor =
			at === undefined
				? []
				: [svg("line", { class: "train-cursor", x1: x(at), x2: x(at), y1: TOP, y2: height - BOTTOM })];
		return svg(
			"svg",
			{ width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, "font-size": 13 },
			...[floor, (floor + top) / 2, top].flatMap(tick),
			...under,
			...lines,
			...cursor,
			...names,
			...(said ? [svg("text", { class: "train-waiting", x: width / 2, y: height / 2 - 14 }, said)] : []),
		);
	}

	// 卡片上的：训练过的，几条线，一条是 [[走到几成, 答对几成]]，有更长的就是更长的
	const glance = (lines) =>
		svg(
			"svg",
			{ viewBox: "0 -3 84 46" },
			svg("path", { class: "train-tick", d: "M0 .5H84M0 40.5H84" }),
			...lines.map((points, i) =>
				svg("polyline", {
					class: `train-line train-of-${"AB"[i]}`,
					points: points.map(([x, y]) => [(84 * x).toFixed(1), (40 - 40 * y).toFixed(1)]).join(" "),
				}),
			),
		);

	// 还没有训练的，画 A 与 B 差在哪里，一样一种画法，宽 38，高 34
	const bar = (x, y, width, height, more) => svg("rect", { x, y, width, height, rx: 1, ...more });
	const word = (x, y, text, size = 14) => svg("text", { x, y, "font-size": size }, text);
	const line = (d) => svg("path", { d });
	const LOOKS = {
		layers: (count) => range(count).map((i) => bar(3, 24 - 11 * i, 32, 8)),
		heads: (count) => range(count).map((i) => bar(3 + (32 * i) / count, 4, 32 / count - 2, 28)),
		mask: (kind) =>
			range(25)
				.filter((i) => kind === "none" || i % 5 <= Math.floor(i / 5))
				.map((i) => bar(3 + 6.5 * (i % 5), 1 + 6.5 * Math.floor(i / 5), 5.5, 5.5)),
		plusAttention: (there) => [
			bar(there ? 17 : 10, 14, 18, 10),
			line(
				there ? "M8 34V13M8 2V-1M8 30H26V24M26 14V7.5H14M8 4.5v6M5 7.5h6M8 2.5a5 5 0 1 0 .01 0" : "M19 34V24M19 14V-1",
			),
		],
		wrong: (share) =>
			range(4).map((i) => word(10 + 18 * (i % 2), 15 + 17 * Math.floor(i / 2), i < 4 * share ? "✗" : "✓")),
		warmUp: (steps) => [line(`M3 33H36M3 ${steps ? 33 : 7}L${steps ? 14 : 3} 7H36`)],
		positions: (kind, words) =>
			words.flatMap((each, i) => [
				word(6 + 13 * i, 13, each, 13),
				...(kind === "none" ? [] : [word(6 + 13 * i, 30, String(i + 1), 12)]),
			]),
	};
	// 读书的，与数次数的比；考得更长的，画练多长、考多长；其余左 A 右 B
	function differs({ task, other, sides, words, length, far }) {
		const side = (name, x, drawn, said = name) =>
			svg("g", { class: `train-look-${name}`, transform: `translate(${x} 0)` }, ...drawn, word(19, 48, said, 12));
		const row = (count, y) => [
			...range(count).map((i) => bar(4.1 * i, y + 1, 3.1, 9, i < length ? {} : { class: "train-longer" })),
			word(4.1 * count + 9, y + 10, String(count), 12),
		];
		const drawn =
			task === "read"
				? [side("A", 0, LOOKS.layers(sides[0].layers), "网络"), side("count", 46, [word(19, 29, "正", 26)], "数次数")]
				: far
					? [svg("g", { class: "train-look-A" }, ...row(length, 8), ...row(far, 28))]
					: sides.map((each, i) => side("AB"[i], 46 * i, LOOKS[other](each[other], words)));
		return svg("svg", { class: "train-differs", viewBox: "0 0 84 50" }, ...drawn);
	}

	// 一句话与它的答案：上面是读到的，一个字一个按钮，按下去就盖住它（hidden），没有 onHide 就按不动；下面是说出的，浓淡是有几分把握；对的打勾，错的打叉，再下面是该答的
	function answers({ element, words, ids, targets, probabilities, hidden, onHide }) {
		const cell = (id, i) => {
			const covered = hidden.includes(i),
				what = `${onHide ? (covered ? "揭开" : "盖住") : ""}第 ${i + 1} 个，${words[id]}`;
			const given = html(
				"button",
				{ type: "button", class: "train-word", "aria-pressed": String(covered), "aria-label": what, title: what },
				words[id],
			);
			if (onHide) given.addEventListener("click", () => onHide(i));
			else given.disabled = true;
			if (targets[i] < 0) return html("li", { class: "train-unasked" }, given);
			const row = probabilities.subarray(i * words.length, (i + 1) * words.length),
				best = row.indexOf(Math.max(...row));
			const right = best === targets[i],
				share = row[best].toFixed(2);
			const said = right
				? `${words[id]}，答 ${words[best]}，对，概率 ${share}`
				: `${words[id]}，答 ${words[best]}，错，该答 ${words[targets[i]]}，概率 ${share}`;
			return html(
				"li",
				{ class: right ? "train-right" : "train-missed", style: `--share: ${share}`, title: said, "aria-label": said },
				given,
				html("span", {}, words[best]),
				html("small", {}, right ? "✓" : "✗"),
				...(right ? [] : [html("i", {}, words[targets[i]])]),
			);
		};
		const focused = [...element.children].findIndex((each) => each.contains(document.activeElement)); // 换上新的，焦点还在原处
		element.style.setProperty("--all", ids.length);
		element.style.setProperty("--row", Math.ceil(ids.length / Math.ceil(ids.length / 12))); // 窄处分成几段，一样长
		element.replaceChildren(...ids.map(cell));
		element.children[focused]?.querySelector("button").focus();
	}

	// 一墙的头，一层一排，一个头一个按钮：按下去就关掉它。show 给出各层的权重 (头, 查询, 键)；still 是按不动的
	function heads({ layers, heads: count, onToggle }) {
		const cells = range(layers).map((i) =>
			range(count).map((j) => {
				const button = html("button", { type: "button", class: "train-head", "aria-pressed": "false" }, html("canvas"));
				button.addEventListener("click", () => onToggle(i, j));
				return button;
			}),
		);
		const rows = cells.map((row, i) => [html("span", { class: "train-layer" }, `第 ${i + 1} 层`), ...row]);
		const element = html(
			"div",
			{ class: "train-heads", style: `--heads: ${count}; --layers: ${layers}` },
			...rows.flat(),
		);
		function show({ attention, words, ids, off, still }) {
			const n = ids.length,
				ink = inkOf(element);
			cells.forEach((row, i) =>
				row.forEach((button, j) => {
					const values = attention[i].subarray(j * n * n, (j + 1) * n * n);
					LiveCharts.paintSmall(button.firstChild, values, n, ink);
					const closed = off.some(([a, b]) => a === i && b === j),
						most = values.lastIndexOf(Math.max(...values));
					const [from, to] = [Math.floor(most / n), most % n];
					const said = `第 ${i + 1} 层第 ${j + 1} 个头：第 ${from + 1} 个位置的 ${words[ids[from]]} 给第 ${to + 1} 个位置的 ${words[ids[to]]} 最多，${values[most].toFixed(2)}${closed ? "；关掉了" : still ? "" : "；按一下就关掉它"}`;
					button.disabled = still;
					button.setAttribute("aria-pressed", closed);
					for (const name of ["aria-label", "title"]) button.setAttribute(name, said);
				}),
			);
		}
		return { element, show };
	}

	return { curves, glance, differs, answers, heads };
})();
