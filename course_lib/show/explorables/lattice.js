// Unigram：一句话的每一个片段是一格，各有一个分数；总分最高的一条路涂深，点一格，非走它或不走它，看路怎样改。
// 数：samples（[例句]）、pieces（{ 几个字符: 那么长的片段，由高到低 }：一个字符写成三位三十六进制的码位，一个 / 是低 0.01 分）、
// highest（{ 几个字符: 头一段的分数，百分之一分 }）、unknown（没有的字的分数，百分之一分）。分数都是整数，加起来不差毫厘。
Explore.define("lattice", (data, stage) => {
	const { html, fixed, choice } = Explore;
	const [SPACE, SHOWN, MOST] = ["▁", 5, 24];
	const scores = new Map();
	for (const [length, packed] of Object.entries(data.pieces)) {
		let score = data.highest[length];
		for (const one of packed.match(new RegExp(`/|[^/]{${3 * length}}`, "g")))
			if (one === "/") score -= 1;
			else scores.set(String.fromCodePoint(...one.match(/.../g).map((code) => parseInt(code, 36))), score);
	}
	const longest = Math.max(...Object.keys(data.pieces));
	// 全角换成半角，空格写成 ▁，最前面也添一个
	const normalized = (text) => {
		const plain = text.normalize("NFKC").replace(/\s+/g, SPACE);
		return Array.from(plain && !plain.startsWith(SPACE) ? SPACE + plain : plain);
	};

	// 每一格：从哪里到哪里，是什么，几分；没有的单个字也是一格
	const cells = (chars) =>
		chars.flatMap((_, start) =>
			chars.slice(start, start + longest).flatMap((_, more) => {
				const text = chars.slice(start, start + more + 1).join("");
				const known = scores.has(text);
				if (!known && more) return [];
				return [{ start, end: start + more + 1, text, known, score: known ? scores.get(text) : data.unknown }];
			}),
		);
	// 与 course_lib/unigram.py 的 best_path 一样，只是每一处留下最好的几条，不止一条；一样高的，末一段长的在前
	const climb = (size, open) => {
		const best = [[{ score: 0, path: [] }]],
			count = [1];
		for (let end = 1; end <= size; end++) {
			const last = open.filter((cell) => cell.end === end).sort((a, b) => a.start - b.start);
			count[end] = last.reduce((sum, { start }) => sum + count[start], 0);
			best[end] = last
				.flatMap((cell) =>
					best[cell.start].map(({ score, path }) => ({ score: score + cell.score, path: [...path, cell] })),
				)
				.sort((a, b) => b.score - a.score)
				.slice(0, SHOWN);
		}
		return { ways: best[size], count: count[size] };
	};

	let chars, all, top, ways, at, want, ban, now;
	const board = html("div", { class: "explore-lattice", role: "group", "aria-label": "这句话的每一段", tabindex: 0 });
	const said = html("p", { class: "explore-said", "aria-live": "polite" }),
		list = html("div", { class: "explore-ways", role: "group", "aria-label": "最好的几条路" });
	const points = (score) => fixed(score / 100);
	const split = (path) => path.map(({ text }) => text).join(" · ");

	const paint = () => {
		const shown = ways[at];
		all.forEach((cell) => {
			const best = top.ways[0].path.includes(cell),
				taken = shown?.path.includes(cell);
			const state = want.has(cell) ? "，非走不可" : ban.has(cell) ? "，不许走" : "";
			cell.node.className = [
				"explore-cell",
				best && "explore-best",
				taken && "explore-mark",
				taken && shown.score < top.ways[0].score && "explore-other",
				want.has(cell) && "explore-want",
				ban.has(cell) && "explore-ban",
				!cell.known && "explore-none",
			]
				.filter(Boolean)
				.join(" ");
			cell.node.setAttribute("aria-label", `${cell.text}，${points(cell.score)}${taken ? "，在路上" : ""}${state}`);
		});
		list.childNodes.forEach((row, i) => row.setAttribute("aria-pressed", i === at));
		const missing = all.filter(({ known }) => !known).map(({ text }) => text);
		const fall = shown ? top.ways[0].score - shown.score : null;
		said.textContent = [
			chars.length ? `${all.length} 段，连得成 ${top.count} 条路。` : "写一句话。",
			!chars.length
				? ""
				: !shown
					? "这样一条路也没有了。"
					: fall
						? `这一条 ${points(shown.score)}，比最好的低 ${points(fall)}。`
						: `最好的一条 ${points(shown.score)}。`,
			missing.length
				? `这里没有带 ${[...new Set(missing)].join("、")}，照不认识的算，一个 ${points(data.unknown)}。`
				: "",
		].join("");
		now = {
			text: chars.join(""),
			cells: all.length,
			count: top.count,
			best: top.ways[0].path.map(({ text }) => text),
			ways: ways.map(({ score, path }) => [score / 100, split(path)]),
			at: shown ? at : null,
			want: [...want].map(({ start, end }) => [start, end]),
			ban: [...ban].map(({ start, end }) => [start, end]),
			missing,
		};
	};
	const find = () => {
		const clash = (cell) => [...want].some((one) => one !== cell && one.start < cell.end && one.end > cell.start);
		ways = climb(
			chars.length,
			all.filter((cell) => !ban.has(cell) && !clash(cell)),
		).ways;
		at = 0;
		list.replaceChildren(
			...ways.map(({ score, path }, i) =>
				html(
					"button",
					{
						type: "button",
						onclick: () => {
							at = i;
							paint();
						},
					},
					html("span", { class: "explore-split" }, split(path)),
					html("span", { class: "explore-number" }, points(score)),
				),
			),
		);
		clear.disabled = !want.size && !ban.size;
		paint();
	};
	// 点一下非走它，再点不许走，再点放开；与它重叠的非走不可就此作罢
	const press = (cell) => {
		if (ban.delete(cell)) return find();
		if (want.delete(cell)) ban.add(cell);
		else {
			for (const one of want) if (one.start < cell.end && one.end > cell.start) want.delete(one);
			want.add(cell);
		}
		find();
	};
	// 短的在上面，从左往右，放得下就不另起一排
	const tidy = (some) => some.toSorted((a, b) => a.end - a.start - (b.end - b.start) || a.start - b.start);
	const stacked = (some) => {
		const rows = [];
		const places = some.map((cell) => {
			let row = 0;
			while (rows[row]?.some((one) => one.start < cell.end && one.end > cell.start)) row++;
			(rows[row] ??= []).push(cell);
			return row;
		});
		return { places, high: rows.length };
	};
	const show = (text) => {
		chars = normalized(text).slice(0, MOST);
		all = tidy(cells(chars));
		[want, ban] = [new Set(), new Set()];
		top = climb(chars.length, all);
		const { places } = stacked(all);
		all.forEach((cell, i) => {
			cell.node = html(
				"button",
				{
					type: "button",
					style: `grid-column: ${cell.start + 1} / ${cell.end + 1}; grid-row: ${places[i] + 1}`,
					onclick: () => press(cell),
				},
				html("span", {}, cell.text),
				html("small", {}, points(cell.score)),
			);
		});
		board.style.setProperty("--size", Math.max(1, chars.length));
		board.replaceChildren(...all.map(({ node }) => node));
		find();
	};

	const field = html("input", {
		type: "text",
		maxlength: MOST - 1,
		autocomplete: "off",
		spellcheck: "false",
		"aria-label": "换成你自己的一句中文",
		oninput: () => {
			samples.select(-1, true);
			show(field.value);
		},
	});
	const samples = choice({
		label: "例句",
		options: data.samples,
		change: (i) => {
			field.value = data.samples[i];
			show(data.samples[i]);
		},
	});
	const clear = html(
		"button",
		{
			type: "button",
			onclick: () => {
				[want, ban] = [new Set(), new Set()];
				find();
			},
		},
		"都放开",
	);
	const high = Math.max(...data.samples.map((text) => stacked(tidy(cells(normalized(text)))).high));
	board.style.setProperty("--high", high);
	field.value = data.samples[0];
	stage.append(samples.node, field, board, said, list, html("div", { class: "explore-row" }, clear));
	show(data.samples[0]);
	return { state: () => now };
});
