// 一句话里两个空：换一个词，看分数、指数、权重怎样跟着变。
// 数：nouns、colors 两张词表；frames（几种句式，各是一列词元，0 是名词的空，1 是颜色的空）；
// scores（句式 × 名词 × 颜色 × 词元：颜色给每个词元的分数）。
Explore.define("blanks", ({ nouns, colors, frames, scores }, stage) => {
	const { html, fixed, softmax, matrix, choice } = Explore;
	const lists = [nouns, colors],
		chosen = [0, 0];
	const seen = frames.map(() => nouns.map((_, i) => colors.map((_, j) => !i || !j))); // 打开时翻开头一行与头一列，别的试过才翻开
	let frame = 0,
		now;

	const selects = lists.map((words, which) =>
		html(
			"select",
			{
				"aria-label": which ? "颜色" : "名词",
				lang: "en",
				onchange: ({ target }) => {
					chosen[which] = target.selectedIndex;
					draw();
				},
			},
			words.map((word) => html("option", {}, word)),
		),
	);
	// 去掉首尾两个记号，空里填什么由 blank 说
	const spoken = (words, blank) =>
		words
			.slice(1, -1)
			.map((word, i) => (typeof word === "number" ? blank(word) : i ? word : word[0].toUpperCase() + word.slice(1)));
	const sentence = html("div", { class: "explore-row explore-sentence-of", lang: "en" });

	const COLUMNS = [
		["分数", "grey", 2],
		["指数", null, 1],
		["权重", "weight", 2],
	];
	const top = Math.max(...scores.flat(3).map(Math.abs));
	const rows = frames[0].map(() => ({
		word: html("th", { scope: "row", lang: "en" }),
		cells: COLUMNS.map(([, hue]) => {
			const [number, bar] = [html("span", { class: "explore-number" }), html("i", { style: `--hue: var(--${hue})` })];
			return { node: html("td", {}, number, hue ? html("span", { class: "explore-thin" }, bar) : []), number, bar };
		}),
	}));
	const table = html(
		"table",
		{ class: "explore-steps" },
		html(
			"thead",
			{},
			html(
				"tr",
				{},
				html("td", {}),
				COLUMNS.map(([name]) => html("th", { scope: "col" }, name)),
			),
		),
		html(
			"tbody",
			{},
			rows.map(({ word, cells }) =>
				html(
					"tr",
					{},
					word,
					cells.map(({ node }) => node),
				),
			),
		),
	);
	const said = html("p", { class: "explore-said", "aria-live": "polite" });
	const noun = () => frames[frame].indexOf(0);
	const grid = matrix({
		values: nouns.map(() => colors.map(() => 0)),
		rows: nouns,
		columns: colors,
		title: "颜色给名词的权重",
		hue: "weight",
		scale: 1,
		pick: (i, j) => {
			[chosen[0], chosen[1]] = [i, j];
			draw();
		},
	});

	const open = html(
		"button",
		{
			type: "button",
			onclick: () => {
				seen.flat().forEach((row) => row.fill(true));
				draw();
			},
		},
		"全部翻开",
	);
	const turned = html("span", { class: "explore-label" });

	const draw = () => {
		seen[frame][chosen[0]][chosen[1]] = true;
		const words = frames[frame].map((word) => (typeof word === "number" ? lists[word][chosen[word]] : word));
		const row = scores[frame][chosen[0]][chosen[1]],
			powers = row.map(Math.exp),
			total = powers.reduce((sum, x) => sum + x, 0),
			shares = softmax(row),
			at = noun();
		now = { frame, chosen: [...chosen], words, row, powers, shares, at, seen: seen[frame] };
		rows.forEach(({ word, cells }, i) => {
			word.textContent = words[i];
			word.parentElement.classList.toggle("explore-mark", i === at);
			[
				[row[i], Math.abs(row[i]) / top],
				[powers[i], shares[i]],
				[shares[i], shares[i]],
			].forEach(([value, share], j) => {
				cells[j].number.textContent = fixed(value, COLUMNS[j][2]);
				cells[j].bar.style.width = `${100 * share}%`;
				cells[j].bar.classList.toggle("explore-below", value < 0);
			});
		});
		said.replaceChildren(
			html("b", { lang: "en" }, words[frames[frame].indexOf(1)]),
			" 给 ",
			html("b", { lang: "en" }, words[at]),
			` 的分数是 ${fixed(row[at])}，取指数 ${fixed(powers[at], 1)}；六个加起来 ${fixed(total, 1)}，所以权重是 ${fixed(powers[at], 1)} ÷ ${fixed(total, 1)} = ${fixed(shares[at])}。`,
		);
		selects.forEach((select, which) => {
			select.selectedIndex = chosen[which];
		});
		sentence.replaceChildren(
			...spoken(frames[frame], (which) => selects[which]).map((part) =>
				typeof part === "string" ? html("span", {}, part) : part,
			),
		);
		const shown = seen[frame].flat().filter(Boolean).length;
		turned.textContent = `翻开 ${shown} / ${nouns.length * colors.length}`;
		open.disabled = seen.every((rows) => rows.flat().every(Boolean));
		grid.update(
			scores[frame].map((line, i) => line.map((each, j) => (seen[frame][i][j] ? softmax(each)[at] : undefined))),
			{ mark: (i, j) => i === chosen[0] && j === chosen[1] },
		);
	};
	const byFrame = choice({
		label: "句式",
		options: frames.map((words) => spoken(words, () => "…").join(" ")),
		change: (i) => {
			frame = i;
			draw();
		},
	});
	byFrame.node.querySelectorAll("button").forEach((button) => {
		button.lang = "en";
	});
	stage.append(
		html(
			"div",
			{ class: "explore-halves explore-blanks" },
			html("div", {}, sentence, table, said, byFrame.node),
			html("div", {}, grid.node, html("div", { class: "explore-row" }, open, turned)),
		),
	);
	draw();
	return { state: () => now };
});
