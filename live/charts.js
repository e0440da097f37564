// 图：矩阵、一墙的小矩阵、弧线、横条、折线。给它数与名字，它画出来；不知道数从哪里来，别的互动图也能用。
globalThis.LiveCharts = (() => {
	const { html, svg, range, fixed, radio, placed } = LiveMarks;

	// 一个像素是一个 0 到 1 的数，浓淡是它的大小；放大交给 CSS
	function paint(canvas, values, columns, [red, green, blue]) {
		[canvas.width, canvas.height] = [columns, values.length / columns];
		const image = new ImageData(canvas.width, canvas.height);
		values.forEach((value, i) => image.data.set([red, green, blue, 255 * value], 4 * i));
		canvas.getContext("2d").putImageData(image, 0, 0);
		return canvas;
	}

	// 缩小了还看得见：浓淡取平方根，一行多过 MOST 格的，四格并成一格，取最大的
	const MOST = 32;
	function paintSmall(canvas, values, columns, ink) {
		const step = Math.ceil(columns / MOST),
			side = Math.ceil(columns / step),
			kept = new Float32Array(side * side);
		values.forEach((value, at) => {
			const to = Math.floor(at / columns / step) * side + Math.floor((at % columns) / step);
			kept[to] = Math.max(kept[to], Math.sqrt(value));
		});
		return paint(canvas, kept, side, ink);
	}

	// 等宽的字里，一个汉字约占两个字母宽
	const wide = (name) =>
		Array.from(name).reduce((sum, char) => sum + (/[\u2e80-\u9fff\uf900-\uffef]/.test(char) ? 1.75 : 1), 0);

	// 一张矩阵，左边是各行的名字，上边是各列的名字，row 与 column 是选中的一格；格子太小时只写选中的那个名字。
	// onPoint(第几行, 第几列)：指着一格；onChoose(第几行, 第几列)：点了一格，点的是左边的名字就没有那一列
	function matrix({ rows, columns, values, row, column, width, ink, label, onPoint, onChoose }) {
		const space = (names) => 14 + 7.3 * Math.max(...names.map(wide));
		const left = space(rows);
		const cell = Math.min(26, (width - left - 4) / columns.length);
		const roomy = cell >= 10;
		const top = roomy ? space(columns) : 12;
		const box = { x: left, y: top, width: cell * columns.length, height: cell * rows.length };
		const rowName = (name, i) => {
			if (!roomy && i !== row) return [];
			const kind = i === row ? "live-left live-chosen" : "live-left";
			return [svg("text", { class: kind, x: left - 6, y: top + (i + 0.5) * cell }, name)];
		};
		const columnName = (name, i) =>
			svg(
				"text",
				{ class: "live-turned", transform: `translate(${left + (i + 0.5) * cell} ${top - 6}) rotate(-90)` },
				name,
			);
		const href = paint(html("canvas"), values, columns.length, ink).toDataURL();
		const size = { width: left + box.width + 4, height: top + box.height + 4 };
		const drawn = svg(
			"svg",
			{ ...size, role: "img", "aria-label": label, "font-size": roomy ? Math.min(13, cell) : 12 },
			svg("image", { ...box, href, preserveAspectRatio: "none" }),
			svg("rect", { ...box, class: "live-frame" }),
			svg("rect", { ...box, class: "live-query", y: top + row * cell, height: cell }),
			...(column in columns
				? [
						svg("rect", {
							class: "live-picked",
							x: left + column * cell,
							y: top + row * cell,
							width: cell,
							height: cell,
						}),
					]
				: []),
			...rows.flatMap(rowName),
			...(roomy ? columns.map(columnName) : []),
		);
		const place = ({ clientX, clientY }) => {
			const seen = drawn.getBoundingClientRect(),
				zoom = seen.width / size.width; // 放映时页面是放大的
			return [((clientY - seen.top) / zoom - top) / cell, ((clientX - seen.left) / zoom - left) / cell].map(Math.floor);
		};
		drawn.addEventListener("pointermove", (event) => onPoint(...place(event)));
		drawn.addEventListener("click", (event) => {
			const [i, j] = place(event);
			if (i in rows) onChoose(i, j);
		});
		return drawn;
	}

	// 一墙的小矩阵，一张一个单选钮：左右键由单选钮自己管，上下键走一行
	function gallery({ rows, columns, group, legend, corner, name, onChoose }) {
		const cells = range(rows).map((i) =>
			range(columns).map((j) => {
				const input = radio(group, () => onChoose(i, j), { "aria-label": name(i, j), title: name(i, j) });
				return html("label", { class: "live-cell" }, input, html("canvas"));
			}),
		);
		const numbers = (each) => html("span", {}, each);
		const element = html(
			"fieldset",
			{ class: "live-heads", style: `--heads: ${columns}` },
			html("legend", {}, legend),
			...[corner, ...range(columns)].map(numbers),
			...cells.flatMap((row, i) => [numbers(i), ...row]),
		);
		element.addEventListener("keydown", (event) => {
			const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
			if (!step) return;
			event.preventDefault();
			const at = cells.findIndex((row) => row.some(({ control }) => control.checked));
			const next = cells[at + step]?.[cells[at].findIndex(({ control }) => control.checked)].control;
			next?.click();
			next?.focus();
		});
		const choose = (i, j) => (cells[i][j].control.checked = true);
		// valuesOf(第几行, 第几列) 给出那一张的数
		const show = (valuesOf, width, ink) =>
			cells.forEach((row, i) => row.forEach((cell, j) => paintSmall(cell.lastChild, valuesOf(i, j), width, ink)));
		// 贴上记号：markOf(第几行, 第几列) 给出 { badge, said, dim, pinned }
		const mark = (markOf) =>
			cells.forEach((row, i) =>
				row.forEach((cell, j) => {
					const { badge, said, dim, pinned } = markOf(i, j);
					cell.dataset.badge = badge;
					cell.classList.toggle("live-dim", dim);
					cell.classList.toggle("live-pin", pinned);
					for (const name of ["aria-label", "title"]) cell.control.setAttribute(name, said);
				}),
			);
		return { element, choose, show, mark };
	}

	// 词排成一排，从 query 到它看的每一个各画一条弧，粗细与浓淡是权重；别的词元的弧，权重不小于 least 的也画，都在下层。
	// 词放不下就竖着写，再放不下就只写选中的与它看得最多的；onChoose(第几个)：点了一个词
	function arcs({ words, values, query, least = Infinity, width, label, onChoose }) {
		const n = words.length,
			longest = Math.max(...words.map(wide));
		const step = Math.min(92, (width - 8) / n),
			flat = step >= 8 * longest + 6,
			roomy = step >= 12;
		const x = (i) => 4 + (i + 0.5) * step,
			weight = (i, j) => values[i * n + j];
		const order = range(n).sort((a, b) => weight(query, b) - weight(query, a));
		const written = new Set([query, ...order.slice(0, 4)]);
		const shown = range(n * n)
			.map((at) => [Math.floor(at / n), at % n])
			.filter(([i, j]) => weight(i, j) >= (i === query ? 0.01 : least));
		const furthest = Math.max(1, ...shown.map(([i, j]) => Math.abs(i - j)));
		const high = Math.min(170, Math.max(46, (furthest * step) / 2)),
			base = high + 14;
		const path = (i, j) => {
			if (i === j) return `M${x(i) - 4} ${base}c-16 -40 24 -40 8 0`; // 看自己
			const lift = (4 / 3) * high * Math.sqrt(Math.abs(i - j) / furthest); // 三次曲线最高处是控制点的四分之三
			return `M${x(i)} ${base}C${x(i)} ${base - lift} ${x(j)} ${base - lift} ${x(j)} ${base}`;
		};
		const arc = ([i, j]) => {
			const style = { "stroke-width": 0.5 + 7 * weight(i, j), "stroke-opacity": 0.2 + 0.8 * weight(i, j) };
			return svg("path", {
				d: path(i, j),
				class: i === query ? "live-arc" : "live-arc live-other-arc",
				"data-from": i,
				"data-to": j,
				...style,
			});
		};
		const word = (i) => {
			if (!flat && !roomy && !written.has(i)) return [];
			const at = flat ? { x: x(i), y: base + 16 } : { transform: `translate(${x(i)} ${base + 10}) rotate(90)` };
			return [
				svg(
					"text",
					{ ...at, class: `${flat ? "live-below" : "live-turned"}${i === query ? " live-chosen" : ""}` },
					words[i],
				),
			];
		};
		const dot = (i) =>
			svg("circle", {
				cx: x(i),
				cy: base,
				r: i === query ? 4 : 1.5 + 3 * weight(query, i),
				class: i === query ? "live-asking" : "live-told-to",
			});
		const size = { width: 8 + step * n, height: base + (flat ? 26 : 16 + 8 * longest) };
		const drawn = svg(
			"svg",
			{ ...size, role: "img", "aria-label": label, "font-size": 13 },
			...shown.sort(([a], [b]) => (a === query) - (b === query)).map(arc),
			...range(n).map(dot),
			...range(n).flatMap(word),
		);
		drawn.addEventListener("click", ({ clientX }) => {
			const seen = drawn.getBoundingClientRect(),
				zoom = seen.width / size.width;
			const i = Math.floor(((clientX - seen.left) / zoom - 4) / step);
			if (i in words) onChoose(i);
		});
		return drawn;
	}

	// 一行一个数：名字、横条、两位小数
	const bars = (names, values) =>
		html(
			"ol",
			{ class: "live-keys" },
			...names.map((_, i) => {
				const number = html("span", { class: "live-number" }, fixed(values[i]));
				return html(
					"li",
					{ style: `--share: ${values[i]}` },
					placed(names, i),
					html("span", { class: "live-bar-of" }),
					number,
				);
			}),
		);

	// 几条折线，{kind: 样式, name: 表头, values: 横轴上每一处的数}，纵轴到 1 为止
	function lines({ curves, width, label, below }) {
		const [height, left, right, top, bottom] = [230, 52, 12, 12, 44];
		const floor = Math.min(0, Math.floor(4 * Math.min(...curves.flatMap(({ values }) => values))) / 4);
		const x = (i) => left + ((width - left - right) * i) / (curves[0].values.length - 1);
		const y = (value) => top + ((height - top - bottom) * (1 - value)) / (1 - floor);
		const tick = (value) => [
			svg("line", { class: "live-tick", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
			svg("text", { class: "live-left", x: left - 8, y: y(value) }, fixed(value)),
		];
		const under = (at, height, text) => svg("text", { class: "live-below", x: at, y: height }, text);
		const curve = ({ kind, values }) =>
			svg(
				"g",
				{ class: kind },
				svg("polyline", { points: values.map((value, i) => `${x(i)},${y(value)}`).join(" ") }),
				...values.map((value, i) => svg("circle", { cx: x(i), cy: y(value), r: 4 })),
			);
		return svg(
			"svg",
			{ width, height, role: "img", "aria-label": label, "font-size": 13 },
			...range(4 * (1 - floor) + 1).flatMap((step) => tick(floor + step / 4)),
			...curves[0].values.map((_, i) => under(x(i), height - bottom + 16, i)),
			under((left + width - right) / 2, height - 8, below),
			...curves.map(curve),
		);
	}

	// 折线的数，一列一条线
	const table = ({ curves, corner }) => [
		html(
			"thead",
			{},
			html(
				"tr",
				{},
				html("th", { scope: "col" }, corner),
				...curves.map(({ kind, name }) => html("th", { scope: "col", class: kind }, ...name)),
			),
		),
		html(
			"tbody",
			{},
			...curves[0].values.map((_, i) =>
				html(
					"tr",
					{},
					html("th", { scope: "row" }, i),
					...curves.map(({ values }) => html("td", {}, fixed(values[i]))),
				),
			),
		),
	];

	return { paintSmall, matrix, gallery, arcs, bars, lines, table };
})();
