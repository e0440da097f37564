// 掩码，两种用法。
// 一、点一格分数，它成了 −∞，权重当场重新分。
//    数：tokens（N 个词）、scores（N×N，还没有挡过的分数）、padding（哪几个是填充，布尔）。
// 二、真实的 BERT，一句话补到越来越长，看补上的分走多少。
//    数：words（这句话的 n 个词元）、sizes（补到多少个，头一个是 n）、
//    fillers（补的是什么：{ name, rows, moved }；rows 是每种长度一张 n×(n+1) 的权重，最后一栏是补上的合计，moved 是最后一层变了多少）。
Explore.define("mask", (data, stage) => {
	const { html, fixed, map, softmax, matrix, choice, slider } = Explore;
	if (data.fillers) return longer();
	const words = data.tokens;
	const RULES = [
		["都可以看", () => true],
		["填充", (i, j) => !data.padding[j]],
		["因果", (i, j) => j <= i],
		["填充与因果", (i, j) => j <= i && !data.padding[j]],
	];
	let keep = map(data.scores, (_, i, j) => RULES[0][1](i, j)),
		zero = false,
		last = 0,
		told = "点一格分数，它就成了 −∞，同一行其余的重新分。";

	const attend = (scores, allowed) => {
		if (zero && !allowed.includes(true)) return scores.map(() => 0);
		return softmax(scores.map((s, j) => (allowed[j] ? s : -Infinity)));
	};
	const weights = () => data.scores.map((row, i) => attend(row, keep[i]));
	let shares = weights();

	const scored = matrix({
		values: data.scores,
		rows: words,
		columns: words,
		title: "分数：点一格，换成 −∞",
		pick: (i, j) => flip(i, j),
	});
	const shown = matrix({ values: shares, rows: words, columns: words, title: "权重", hue: "weight", scale: 1 });
	const said = html("p", { class: "explore-said", "aria-live": "polite" });

	const same = (a, b) => fixed(a) === fixed(b);
	const draw = (before = null) => {
		shares = weights();
		shown.update(shares, {
			mark: (i, j) => before !== null && !same(before[i][j], shares[i][j]),
			faded: (i, j) => !keep[i][j],
		});
		scored.update(
			map(data.scores, (s, i, j) => (keep[i][j] ? s : -Infinity)),
			{ faded: (i, j) => !keep[i][j] },
		);
		scored.cells.forEach((row, i) =>
			row.forEach((cell, j) => {
				cell.setAttribute(
					"aria-label",
					`${words[i]} 看 ${words[j]}：${keep[i][j] ? "可以" : "不可以"}，分数 ${fixed(data.scores[i][j])}`,
				);
				cell.setAttribute("aria-pressed", !keep[i][j]);
			}),
		);
		const empty = keep.findIndex((row) => !row.includes(true));
		said.textContent =
			empty >= 0 ? `${words[empty]} 那一行一个也不许看：${zero ? "本课的库给零" : "0 ÷ 0，整行是 NaN"}。` : told;
	};
	const change = (next, sentence) => {
		const before = shares;
		keep = next;
		told = sentence(before, weights());
		draw(before);
	};
	const flip = (i, j) => {
		const opened = !keep[i][j];
		last = i;
		rules.select(-1, true);
		change(
			map(keep, (may, a, b) => (a === i && b === j ? opened : may)),
			(before, after) => {
				const other = keep[i].findIndex((may, b) => may && b !== j && before[i][b] > 0);
				if (other < 0) return `${words[i]} 那一行只剩它一个可看，权重是 1。`;
				return `${words[i]} 那一行：${opened ? "放开" : "挡住"} ${words[j]}，其余的各乘 ${fixed(after[i][other] / before[i][other])}，加起来仍是 1。`;
			},
		);
	};
	const rules = choice({
		label: "掩码",
		options: RULES.map(([name]) => name),
		change: (rule) =>
			change(
				map(data.scores, (_, i, j) => RULES[rule][1](i, j)),
				() => "描了边的是刚才变了的；每一行加起来都是 1。",
			),
	});
	const empties = choice({
		label: "整行被挡住时",
		options: ["照算（NaN）", "给零"],
		change: (i) => {
			zero = i === 1;
			draw(shares);
		},
	});
	const block = html(
		"button",
		{
			type: "button",
			onclick: () => {
				rules.select(-1, true);
				change(
					map(keep, (may, i) => may && i !== last),
					() => "",
				);
			},
		},
		"挡住一整行",
	);
	stage.append(
		html("div", { class: "explore-flow" }, scored.node, html("span", { class: "explore-sign" }, "→"), shown.node),
		said,
		rules.node,
		html("div", { class: "explore-row" }, block),
		empties.node,
	);
	draw();
	return { state: () => ({ keep, zero, shares }) };

	// ---- 二 ----

	function longer() {
		const words = data.words,
			n = words.length;
		let at = 1,
			filler = 0,
			hidden = false,
			shown;
		const rows = words.map((word) => {
			const parts = [...words, ""].map((name) =>
				html("span", { class: "explore-share", lang: "en" }, html("span", {}, name)),
			);
			const number = html("span", { class: "explore-number" });
			return {
				parts,
				number,
				node: html(
					"li",
					{ "aria-label": word },
					html("span", { class: "explore-label", lang: "en" }, word),
					html("span", { class: "explore-mosaic" }, parts),
					number,
				),
			};
		});
		const said = html("p", { class: "explore-said", "aria-live": "polite" });
		const draw = () => {
			const { name, rows: tables, moved } = data.fillers[filler],
				seen = hidden ? 0 : at;
			rows.forEach(({ parts, number }, i) => {
				tables[seen][i].forEach((share, j) => {
					parts[j].style.flexGrow = share;
				});
				number.textContent = fixed(tables[seen][i][n]);
			});
			const added = data.sizes[at] - n,
				what = `${added} 个${/^[[A-Za-z]/.test(name) ? " " : ""}${name}`,
				share = tables[seen].reduce((sum, row) => sum + row[n], 0) / n;
			shown = { at, filler, hidden, added, rows: tables[seen], share, moved: moved[at] };
			said.textContent =
				added === 0
					? "没有补，每一行都分给这句话自己的词元。"
					: hidden
						? `补了 ${what}，一个也不许看：权重与没有补时一样，最后一层也不变。`
						: `补了 ${what}：${n} 个词元平均给它们 ${fixed(share)}；最后一层变了 ${fixed(moved[at])}。`;
		};
		const size = slider({
			label: "补到",
			values: data.sizes,
			at,
			show: (value) => `${value} 个`,
			change: (_, i) => {
				at = i;
				draw();
			},
		});
		const kinds = choice({
			label: "补的是",
			options: data.fillers.map(({ name }) => name),
			change: (i) => {
				filler = i;
				draw();
			},
		});
		const masks = choice({
			label: "掩码",
			options: ["没有", "填充掩码"],
			change: (i) => {
				hidden = i === 1;
				draw();
			},
		});
		const head = html(
			"p",
			{ class: "explore-mosaic-head", "aria-hidden": true },
			html("span", {}, "每一行是一个词元，从左到右把 1 分给："),
			html("span", {}, "补上的"),
		);
		stage.append(
			head,
			html(
				"ul",
				{ class: "explore-mosaics", "aria-label": "每个词元把注意力分给了谁" },
				rows.map(({ node }) => node),
			),
			said,
			size.node,
			kinds.node,
			masks.node,
		);
		draw();
		return { state: () => shown };
	}
});
