// 换过的三块积木，一幅图一块，由 part 挑；每幅都有 layer（先看第几层）。数：
// part 是 lengths（RMSNorm 前后的长度）：tokens（N 个词元）；before、after（L 份，每份 N 个，归一化之前与之后的长度）。
// part 是 gate（SwiGLU 的三个通道）：tokens；place（先看第几个词元）；names（K 个通道凭什么挑出来）；channels、gates、ups（L×N×K，第几个通道，门与另一路的数）；
// negative（L×N 个整数，负的门有几个）；width（一共几个门）。
// part 是 heads（GQA 的查询头与键值）：tokens；place；looks（L×h×N×N，每个查询头的注意力）；groups（几份键与值）。
Explore.define("bricks", (data, stage) => {
	const { html, fixed, tokens, slider, meter, beside } = Explore;
	const words = data.tokens;
	let layer = data.layer,
		place = data.place,
		shown;

	const label = (text, ...rest) => html("span", { class: "explore-label", ...rest[0] }, text);
	const said = html("p", { class: "explore-said", "aria-live": "polite" });
	const parts = {
		lengths() {
			const rows = words.map((word) => ({ name: label(word, { lang: "en" }), before: meter(), after: meter() }));
			const node = html(
				"div",
				{ class: "explore-meters", role: "group", "aria-label": "RMSNorm 前后，各个词元的长度" },
				html("span"),
				label("原来的长度"),
				label("除过以后"),
				rows.map(({ name, before, after }) => [name, ...before.nodes, ...after.nodes]).flat(),
			);
			return {
				node,
				draw() {
					const [before, after] = [data.before, data.after].map((all) => all[layer - 1]);
					shown = { layer, before, after };
					rows.forEach((row, i) => {
						row.before.update(before[i], Math.max(...before), fixed(before[i], 0));
						row.after.update(after[i], Math.max(...after), fixed(after[i], 0));
					});
					const [short, long] = [Math.min, Math.max].map((most) => fixed(most(...before), 0));
					said.textContent = `第 ${layer} 层，进前馈网络时：最短的 ${short}，最长的 ${long}。`;
				},
			};
		},
		gate() {
			const rows = data.names.map((name) => ({
				name,
				title: label(""),
				three: ["门", "另一路", "乘出来"].map((one) => ({ one, ...meter(true) })),
			}));
			const node = html(
				"div",
				{ class: "explore-gated", role: "group", "aria-label": "门、另一路、乘出来的" },
				rows
					.map(({ title, three }) => [
						title,
						html(
							"div",
							{},
							three
								.map(({ one, nodes: [bar, number] }, j) => [
									html("span", { class: "explore-sign" }, ["", "×", "="][j]),
									html("div", {}, html("p", {}, label(one), number), bar),
								])
								.flat(),
						),
					])
					.flat(),
			);
			return {
				node,
				draw() {
					shown = {
						layer,
						place,
						channels: data.channels[layer - 1][place],
						negative: data.negative[layer - 1][place],
						three: [],
					};
					rows.forEach(({ name, title, three }, k) => {
						const [channel, gate, up] = [data.channels, data.gates, data.ups].map((all) => all[layer - 1][place][k]),
							top = Math.max(...[gate, up, gate * up].map(Math.abs));
						title.textContent = `${name}：第 ${channel} 个`;
						shown.three.push([gate, up, gate * up]);
						[gate, up, gate * up].forEach((value, j) => three[j].update(value, top, fixed(value)));
					});
					said.textContent = `第 ${layer} 层，${words[place]}：${data.width} 个门里，${shown.negative} 个是负的。`;
				},
			};
		},
		heads() {
			const heads = data.looks[0].length,
				shared = heads / data.groups;
			const cells = Array.from({ length: heads }, () => words.map(() => html("td")));
			const group = (h) =>
				html(
					"td",
					{ rowspan: shared, class: "explore-shared" },
					html("b", { class: "explore-key" }, `键 ${h / shared + 1}`),
					html("b", { class: "explore-value" }, `值 ${h / shared + 1}`),
				);
			const asides = Array.from({ length: data.groups }, () => html("td", { rowspan: shared, class: "explore-aside" }));
			const lines = cells.map((row, h) =>
				html(
					"tr",
					h % shared ? {} : { class: "explore-first" },
					h % shared ? [] : group(h),
					html("th", { scope: "row" }, html("b", { class: "explore-query" }, `头 ${h + 1}`)),
					row,
					h % shared ? [] : asides[h / shared],
				),
			);
			const head = html(
				"tr",
				{},
				html("td"),
				html("td"),
				words.map((word) => html("th", { scope: "col", lang: "en" }, word)),
			);
			const node = html(
				"div",
				{ class: "explore-matrix explore-heads", style: "--hue: var(--weight)" },
				html("table", {}, html("thead", {}, head), html("tbody", {}, lines)),
			);
			return {
				node,
				draw() {
					const most = Math.max(...data.looks[layer - 1].flatMap((rows) => rows[place].slice(1, place + 1)));
					shown = { layer, place, looks: data.looks[layer - 1].map((rows) => rows[place]), apart: [] };
					cells.forEach((row, h) =>
						row.forEach((cell, i) => {
							const given = shown.looks[h][i];
							cell.classList.toggle("explore-mark", i > 0 && given === most);
							cell.textContent = fixed(given);
							cell.style.setProperty("--shade", `${Math.round(100 * given)}%`);
						}),
					);
					// 框出的一格有三成以上，同组别的头给得都不到它的一半：看得不同
					asides.forEach((aside, g) => {
						const [first, ...rest] = data.looks[layer - 1]
							.slice(g * shared, (g + 1) * shared)
							.map((rows) => rows[place].slice(1, place + 1))
							.sort((a, b) => Math.max(...b) - Math.max(...a));
						const apart =
							place > 0 &&
							most > 0.3 &&
							Math.max(...first) === most &&
							rest.every((row) => row[first.indexOf(most)] < most / 2);
						shown.apart.push(apart);
						aside.textContent = apart ? "同一份键与值，看得不同" : "";
					});
					said.textContent = `第 ${layer} 层里，${words[place]} 看谁：${heads} 个查询头，${data.groups} 份键与值${place ? "；框出的是第一个词元以外最大的" : ""}。`;
				},
			};
		},
	};
	const { node, draw } = parts[data.part]();
	const depth = slider({
		label: "层",
		values: Array.from(
			{ length: data[{ lengths: "before", gate: "gates", heads: "looks" }[data.part]].length },
			(_, l) => l + 1,
		),
		at: layer - 1,
		change: (l) => {
			layer = l;
			draw();
		},
	});
	const picker =
		place === undefined
			? []
			: [
					tokens({
						words,
						name: "看哪个词元",
						chosen: place,
						pick: (i) => {
							place = i;
							draw();
						},
					}).node,
				];
	if (data.part === "heads") stage.append(beside([node], [said, depth.node, ...picker]));
	else stage.append(node, said, depth.node, ...picker);
	draw();
	return { state: () => shown };
});
