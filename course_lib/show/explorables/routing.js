// 哪个词元去了哪个专家：几句话，每个词下面是它的专家；点一个词，同一个专家收的都亮起来；滑杆拨到练了几步，可以换一种练法。
// 数：sentences（每句一串词）、steps（留了快照的步）；ways（每种练法 { name, chosen: [快照][句][词] 专家的编号, load: [快照][专家] 忙闲 }）。
Explore.define("routing", (data, stage) => {
	const { html, fixed, bars, slider, choice } = Explore;
	let way = data.ways[0],
		now = data.steps.length - 1,
		at = [0, 1],
		shown; // 点着的：第几句，第几个词

	const chips = data.sentences.map((words, i) =>
		words.map((word, j) => {
			const number = html("sub");
			const button = html(
				"button",
				{
					type: "button",
					class: "explore-token",
					lang: "en",
					onclick: () => {
						at = [i, j];
						draw();
					},
				},
				word,
				number,
			);
			return { button, number };
		}),
	);
	const rows = chips.map((line, i) =>
		html(
			"div",
			{ class: "explore-row", role: "group", "aria-label": `第 ${i + 1} 句` },
			line.map(({ button }) => button),
		),
	);
	const said = html("p", { class: "explore-said", "aria-live": "polite" });
	const load = bars({
		labels: way.load[0].map((_, e) => `${e} 号`),
		values: way.load[now],
		name: "各个专家分到几成的词元",
		hue: "faint",
	});

	const draw = () => {
		const chosen = way.chosen[now],
			picked = chosen[at[0]][at[1]];
		const same = new Map(); // 同一个专家收的词，各几次
		chips.forEach((line, i) =>
			line.forEach(({ button, number }, j) => {
				const mine = chosen[i][j] === picked,
					word = data.sentences[i][j];
				number.textContent = chosen[i][j];
				button.setAttribute("aria-pressed", mine);
				if (mine) same.set(word, (same.get(word) ?? 0) + 1);
			}),
		);
		shown = {
			way: data.ways.indexOf(way),
			step: data.steps[now],
			at,
			picked,
			load: way.load[now][picked],
			chosen: chosen.flat(),
			same: [...same],
		};
		load.update(way.load[now]);
		const words = [...same]
			.sort((a, b) => b[1] - a[1])
			.map(([word, times]) => (times > 1 ? `${word} × ${times}` : word));
		said.textContent = `练了 ${data.steps[now]} 步，${way.name}：${picked} 号专家分到 ${fixed(100 * way.load[now][picked], 0)} %，在这几句里收了 ${words.join("、")}。`;
	};
	stage.append(
		...rows,
		said,
		slider({
			label: "练了几步",
			values: data.steps,
			at: now,
			change: (_, i) => {
				now = i;
				draw();
			},
		}).node,
		choice({
			label: "怎样练",
			options: data.ways.map(({ name }) => name),
			change: (i) => {
				way = data.ways[i];
				draw();
			},
		}).node,
		load.node,
	);
	draw();
	return { state: () => shown };
});
