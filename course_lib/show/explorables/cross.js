// 两种话题 × 两种修饰语，四格是一个词的偏向，两条是换话题、换修饰语平均变多少，各词同一把尺子；一词一条，是两条之比。点一个词，换成它的。
// 数：words，每个有 word、inside（坐在那个座位上的为真，否则写在句末）、lean（2×2，话题 × 修饰语，正数偏后一边）；
// texts（2×2，一格一句，{} 是那个座位）、seat（原来坐着的词）、marks（两种修饰语各自的词）、topics、kinds（两行、两列的名字）、names（偏的两边）、chosen（先看哪个词）。
Explore.define("cross", (data, stage) => {
	const { html, fixed, bars, contest, beside } = Explore;
	const { words, texts, marks, topics, kinds, names, seat } = data,
		hues = ["ink", "ochre"],
		most = Math.max(...words.flatMap(({ lean }) => lean.flat().map(Math.abs)));
	const effects = ([[a, b], [c, d]]) => [(c + d - a - b) / 2, (b + d - a - c) / 2]; // 换话题、换修饰语
	const top = Math.max(...words.flatMap(({ lean }) => effects(lean).map(Math.abs)));
	let chosen = words.find(({ word }) => word === data.chosen);

	const cells = topics.map(() => kinds.map(() => html("td", {})));
	const table = html(
		"table",
		{ class: "explore-crossed" },
		html(
			"thead",
			{},
			html(
				"tr",
				{},
				html("td", {}),
				kinds.map((kind) => html("th", { scope: "col" }, kind)),
			),
		),
		html(
			"tbody",
			{},
			topics.map((topic, i) => html("tr", {}, html("th", { scope: "row" }, topic), cells[i])),
		),
	);
	const said = html("p", { class: "explore-said", "aria-live": "polite" });
	const moves = bars({
		labels: ["换话题", "换身边的词"],
		values: [0, 0],
		name: "偏向平均变多少",
		hue: "grey",
		digits: 3,
	});
	const ratios = words.map(({ lean }) => {
			const [topic, kind] = effects(lean);
			return kind / topic;
		}),
		full = Math.max(1, ...ratios);
	const which = contest({
		label: "看哪一个",
		options: words.map(({ word }) => html("span", { lang: "en" }, word)),
		at: words.indexOf(chosen),
		change: (i) => {
			chosen = words[i];
			draw();
		},
	});
	which.update(
		ratios.map((ratio) => (100 * ratio) / full),
		ratios.map((ratio) => fixed(ratio)),
	);
	const heading = (text) => html("p", { class: "explore-label" }, text);

	// 挨着的词加粗，看的是哪一个就框着哪一个
	const sentence = (i, j) => {
		const [before, after] = texts[i][j].split("{}"),
			[ahead, rest] = before.split(marks[j]);
		const looked = html("mark", {}, chosen.word),
			sitting = chosen.inside ? looked : seat;
		return html(
			"span",
			{ lang: "en" },
			ahead,
			html("b", {}, marks[j]),
			rest,
			sitting,
			after,
			chosen.inside ? "" : [" ", looked],
		);
	};
	const draw = () => {
		const { word, lean } = chosen,
			[topic, kind] = effects(lean);
		cells.forEach((row, i) =>
			row.forEach((cell, j) => {
				const value = lean[i][j],
					side = Number(value > 0);
				cell.style.setProperty("--hue", `var(--${hues[side]})`);
				cell.style.setProperty("--shade", `${Math.round((100 * Math.abs(value)) / most)}%`);
				cell.replaceChildren(sentence(i, j), html("strong", {}, `偏${names[side]} ${fixed(Math.abs(value), 3)}`));
			}),
		);
		moves.update([topic, kind], [], null, top);
		said.replaceChildren(html("b", { lang: "en" }, word), `：换身边的词，变的是换话题的 ${fixed(kind / topic)}。`);
	};
	stage.append(
		beside([table, heading("偏向平均变多少"), moves.node, said], [heading("换身边的词 ÷ 换话题"), which.node]),
	);
	draw();
	return {
		state: () => ({
			word: chosen.word,
			inside: chosen.inside,
			lean: chosen.lean,
			effects: effects(chosen.lean),
			ratios,
		}),
	};
});
