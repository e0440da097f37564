// 深度：同一串数穿过训练好的若干层，左边加号都在，右边拿掉哪个由读者挑；各个词元的向量一层一层变成什么样，末尾答得对不对。
// 数：digits（N 个数，应当倒着答）、depths（训练过的各种层数）、kinds（各种网络的名字，第一种摆在左边）；
// 其余都先按种类、再按层数：scores（每个种子的正确率）；再按种子：states（层数 + 1 个 N×K，词元的向量里取 K 个分量）、
// spreads（层数 + 1 个，词元之间的差异）、answers（N 个答案）。
Explore.define("depth", (data, stage) => {
	const { html, svg, fixed, bars, slider, choice, beside } = Explore;
	const { digits, depths, kinds } = data,
		right = [...digits].reverse(),
		SCALE = 2;
	const seeds = data.scores[0][0].map((_, seed) => seed),
		K = data.states[0][0][0][0][0].length;
	const side = Math.ceil(Math.sqrt(K)),
		deepest = Math.max(...depths);
	let which = depths.length - 1,
		other = kinds.length - 1,
		seed = 0;

	// 一格一个词元：side × side 个小方块，一块一个分量
	const tile = () => {
		const blocks = Array.from({ length: K }, (_, k) =>
			svg("rect", { x: k % side, y: Math.floor(k / side), width: 1, height: 1 }),
		);
		const paint = (vector) =>
			blocks.forEach((block, k) => {
				block.style.fill = `var(--${vector[k] < 0 ? "minus" : "plus"})`;
				block.style.opacity = Math.min(1, Math.abs(vector[k]) / SCALE).toFixed(2);
			});
		return {
			node: html("td", {}, svg("svg", { viewBox: `0 0 ${side} ${side}`, "aria-hidden": "true" }, blocks)),
			paint,
		};
	};
	const line = (name, cells, last) => html("tr", {}, html("th", { scope: "row" }, name), cells, last);
	// 一座楼，下面是它在没见过的数串上的正确率；kind() 是第几种
	const tower = (kind) => {
		const floors = Array.from({ length: deepest + 1 }, (_, l) => {
			const tiles = digits.map(tile),
				left = html("td", { class: "explore-number" });
			return {
				tiles,
				left,
				row: line(
					l ? `${l} 层之后` : "嵌入",
					tiles.map(({ node }) => node),
					left,
				),
			};
		});
		const told = digits.map(() => html("td")),
			count = html("td", { class: "explore-number" }),
			title = html("caption");
		const table = html(
			"table",
			{ class: "explore-tower" },
			title,
			html(
				"thead",
				{},
				line(
					"输入",
					digits.map((digit) => html("td", {}, String(digit))),
					html("th", { scope: "col" }, "差异"),
				),
			),
			html(
				"tbody",
				{},
				floors.map(({ row }) => row),
			),
			html(
				"tfoot",
				{},
				line("它答", told, count),
				line(
					"应答",
					right.map((digit) => html("td", {}, String(digit))),
					html("td"),
				),
			),
		);
		const marks = bars({ labels: seeds.map(String), values: data.scores[0][which], name: "", hue: "ink" });
		const update = () => {
			const [states, spreads, answers, scores] = ["states", "spreads", "answers", "scores"].map(
				(part) => data[part][kind()][which],
			);
			const name = kinds[kind()];
			title.textContent = name;
			floors.forEach(({ tiles, left, row }, l) => {
				row.hidden = l > depths[which];
				if (row.hidden) return;
				tiles.forEach(({ paint }, i) => paint(states[seed][l][i]));
				const share = spreads[seed][l];
				left.textContent = `${fixed(100 * share, share < 0.0995 ? 1 : 0)}%`;
			});
			told.forEach((cell, i) => {
				cell.textContent = answers[seed][i];
				cell.className = answers[seed][i] === right[i] ? "explore-hit" : "explore-miss";
			});
			count.textContent = `对 ${answers[seed].filter((digit, i) => digit === right[i]).length} 个`;
			marks.node.setAttribute("aria-label", `${name}：各个种子在没见过的数串上的正确率`);
			marks.update(
				scores,
				[],
				seeds.map((s) => `${s === seed ? "▸ " : ""}种子 ${s}`),
			);
			return `${name}，六个词元的差异还剩 ${floors[depths[which]].left.textContent}`;
		};
		return { node: html("div", {}, table, marks.node), update };
	};
	const towers = [tower(() => 0), tower(() => other)];
	const said = html("p", { class: "explore-said", "aria-live": "polite" });
	const draw = () => {
		said.textContent = `${depths[which]} 层，最后一层之后：${towers.map(({ update }) => update()).join("；")}。横条是没见过的数串答对几成，瞎猜是 0.10。`;
	};
	const depth = slider({
		label: "层数",
		values: depths,
		at: which,
		show: (n) => `${n} 层`,
		change: (_, i) => {
			which = i;
			draw();
		},
	});
	const taken = choice({
		label: "另一个的加号",
		options: kinds.slice(1),
		at: other - 1,
		change: (i) => {
			other = i + 1;
			draw();
		},
	});
	const start = choice({
		label: "随机数种子",
		options: seeds.map(String),
		at: seed,
		change: (i) => {
			seed = i;
			draw();
		},
	});
	stage.append(
		beside(
			html(
				"div",
				{ class: "explore-halves explore-towers" },
				towers.map(({ node }) => node),
			),
			[said, depth.node, taken.node, start.node],
		),
	);
	draw();
	return {
		state: () => ({
			layers: depths[which],
			kind: other,
			seed,
			sides: [0, other].map((kind) =>
				Object.fromEntries(["spreads", "answers"].map((part) => [part, data[part][kind][which][seed]])),
			),
			scores: [0, other].map((kind) => data.scores[kind][which]),
		}),
	};
});
