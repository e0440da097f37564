// 动一动末一格，它改用哪一种语言答：挑一题、一种动法、一层，看那时的前三名；一格一层，颜色说第一名是什么，选中的一格高些。
// 数：questions，每题 { name；zh、en（它的两种答案） }；ways，几种动法的名字；
// kinds（题×动法×L 个：0 中文答案，1 英文答案，2 另一题的答案，3 别的）；words（同样形状，各三个，在 vocabulary 里的号）、chances（它们的概率）；
// vocabulary，出现过的词；layer（先停在第几层之后）。
Explore.define("tongue", (data, stage) => {
	const { html, svg, bars, slider, choice, shown } = Explore;
	const layers = data.kinds[0][0].length,
		all = Array.from({ length: layers }, (_, l) => l + 1);
	const KINDS = [
		["ink", "中文答案"],
		["ochre", "英文答案"],
		["value", "另一题的答案"],
		["line", "别的"],
	];
	let question = 0,
		way = 0,
		layer = data.layer;

	// 一格一层；点一格，或者按着拖过去，就到那一层
	const cells = all.map((l) => svg("rect", { x: l - 0.96, width: 0.92 }));
	const go = ({ clientX }) => {
		const { left, width } = strip.getBoundingClientRect();
		depth.set(Math.min(layers - 1, Math.max(0, Math.floor((layers * (clientX - left)) / width))));
	};
	const strip = svg(
		"svg",
		{
			viewBox: `0 0 ${layers} 1`,
			preserveAspectRatio: "none",
			role: "img",
			onclick: go,
			onpointermove: (event) => event.buttons && Math.abs(event.movementX) > Math.abs(event.movementY) && go(event),
		},
		cells,
	);
	const ends = html("p", { class: "explore-ends" }, html("span", {}, "第 1 层"), html("span", {}, `第 ${layers} 层`));
	const legend = html(
		"p",
		{ class: "explore-legend" },
		KINDS.map(([hue, name]) => html("span", { style: `--hue: var(--${hue})` }, name)),
	);
	const title = html("p", { class: "explore-label" });
	const three = bars({ labels: ["", "", ""], values: [0, 0, 0], name: "那时的前三名", hue: "ink" });
	const said = html("p", { class: "explore-said", "aria-live": "polite" });

	const draw = () => {
		const kinds = data.kinds[question][way],
			words = data.words[question][way][layer - 1].map((i) => shown(data.vocabulary[i])),
			chances = data.chances[question][way][layer - 1],
			{ name, zh, en } = data.questions[question];
		cells.forEach((cell, l) => {
			const low = l === layer - 1 ? 0 : 0.3;
			cell.setAttribute("style", `--hue: var(--${KINDS[kinds[l]][0]})`);
			cell.setAttribute("y", low);
			cell.setAttribute("height", 1 - low);
		});
		const turned = kinds.indexOf(1) + 1;
		strip.setAttribute(
			"aria-label",
			`各层之后动一次，答 ${name}：${turned ? `第 ${turned} 层起有英文的` : "没有一层改用英文"}`,
		);
		title.textContent = `第 ${layer} 层之后${data.ways[way]}，它接下去的头一个词元`;
		three.update(chances, [], words);
		[...three.node.children].forEach((row) => row.style.setProperty("--hue", `var(--${KINDS[kinds[layer - 1]][0]})`));
		said.textContent = `${name}：中文的答案是 ${zh}，英文的是 ${en}；它答 ${words[0]}，${["还是中文", "改用英文，答的还是这一题", "答的成了另一题", "哪样都不是"][kinds[layer - 1]]}。`;
	};
	const depth = slider({
		label: "层",
		values: all,
		at: layer - 1,
		change: (l) => {
			layer = l;
			draw();
		},
	});
	stage.append(
		choice({
			label: "哪一题",
			options: data.questions.map(({ name }) => name),
			change: (i) => {
				question = i;
				draw();
			},
		}).node,
		choice({
			label: "怎样动",
			options: data.ways,
			change: (i) => {
				way = i;
				draw();
			},
		}).node,
		html("div", { class: "explore-tongue" }, strip, ends),
		depth.node,
		legend,
		title,
		three.node,
		said,
	);
	draw();
	return {
		state: () => ({
			question,
			way,
			layer,
			kind: data.kinds[question][way][layer - 1],
			words: data.words[question][way][layer - 1],
			chances: data.chances[question][way][layer - 1],
		}),
	};
});
