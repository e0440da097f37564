// 同一个座位上换一个词，一词一点：换一层，看谁的差比那个词还大；点一个，看它的差与挑中几个。
// 数：groups（几组，一组一行），每组有 name、nouns，每个词有 word、gaps（每层一个数，同义减异义）、hits（每层一个数，挑中几个）；
// mark（拿来比的词，它所在的一组两边都沾）；count（一共几句）；chosen（先看哪个词）；layers（看哪几层，最后一个先看）。
Explore.define("nouns", (data, stage) => {
	const { html, fixed, choice, walk, nearest, freshId } = Explore;
	const nouns = data.groups.flatMap(({ nouns }, row) => nouns.map((noun, k) => ({ ...noun, row, lane: (7 * k) % 5 })));
	const mark = nouns.find(({ word }) => word === data.mark),
		{ layers } = data;
	const most = Math.max(...nouns.flatMap(({ gaps }) => layers.map((at) => gaps[at]))),
		top = Math.ceil(most / 0.02 + 0.25) * 0.02;
	const left = (gap) => `${(3 + (94 * gap) / top).toFixed(2)}%`,
		id = freshId();
	let layer = layers.at(-1),
		chosen = nouns.find(({ word }) => word === data.chosen),
		shown;
	const beyond = ({ gaps }) => gaps[layer] > mark.gaps[layer] && gaps[layer] > 1e-5;

	const dots = nouns.map(({ word, row, lane }, i) =>
		html(
			"span",
			{
				id: `${id}-${i}`,
				role: "option",
				class: `explore-noun explore-row-${row}`,
				style: `--lane: ${lane}`,
				lang: "en",
				"aria-label": word,
			},
			html("i"),
			html("b", {}, word),
		),
	);
	const counts = data.groups.map(() => html("span", {}));
	const rows = data.groups.map(({ name }, row) =>
		html(
			"div",
			{ class: "explore-nouns-row", role: "presentation" },
			html("span", { class: "explore-label" }, name, counts[row]),
			dots.filter((_, i) => nouns[i].row === row),
		),
	);
	const line = html(
		"div",
		{ class: "explore-nouns-line", "aria-hidden": "true" },
		html("span", {}, `比 ${mark.word} 分得还开 →`),
	);
	const plane = html(
		"div",
		{ class: "explore-nouns", role: "listbox", tabindex: 0, "aria-label": "一词一点，用方向键一个一个看" },
		line,
		rows,
	);
	const ticks = Array.from({ length: Math.floor(top / 0.04 + 1e-6) + 1 }, (_, k) => 0.04 * k);
	const axis = html(
		"div",
		{ class: "explore-nouns-axis", "aria-hidden": "true" },
		ticks.map((x) => html("span", { style: `left: ${left(x)}` }, x ? fixed(x) : "0")),
	);
	const one = html("p", { class: "explore-said", "aria-live": "polite" }),
		said = html("p", { class: "explore-said", "aria-live": "polite" });

	const draw = () => {
		dots.forEach((dot, i) => {
			const noun = nouns[i],
				past = beyond(noun);
			dot.style.left = left(noun.gaps[layer]);
			dot.classList.toggle("explore-past", past || noun === mark);
			dot.classList.toggle(
				"explore-near-end",
				noun.gaps[layer] > 0.85 * top || (noun.row === mark.row && noun.gaps[layer] < mark.gaps[layer]),
			);
			dot.classList.toggle("explore-named", noun === chosen || past || noun.row === mark.row);
			dot.setAttribute("aria-selected", noun === chosen);
		});
		line.style.left = left(mark.gaps[layer]);
		plane.setAttribute("aria-activedescendant", `${id}-${nouns.indexOf(chosen)}`);
		shown = {
			layer,
			chosen: chosen.word,
			gap: chosen.gaps[layer],
			hits: chosen.hits[layer],
			mark: mark.gaps[layer],
			counts: [],
		};
		counts.forEach((count, row) => {
			const others = data.groups[row].nouns.filter(({ word }) => word !== mark.word);
			const past = others.filter(beyond).length;
			shown.counts.push([past, others.length]);
			count.textContent = `，过线 ${past} / ${others.length}`;
		});
		const together = Math.max(...nouns.map(({ gaps }) => gaps[layer])) < 1e-5;
		const over = nouns
			.filter((noun) => noun.row !== mark.row && beyond(noun))
			.sort((a, b) => b.gaps[layer] - a.gaps[layer]);
		shown.over = over.map(({ word }) => word);
		one.replaceChildren(
			html("b", { lang: "en" }, chosen.word),
			`：差 ${fixed(chosen.gaps[layer], 3)}${together ? "" : `，${data.count} 个里挑中 ${chosen.hits[layer]} 个`}。`,
		);
		said.textContent = `第 ${layer} 层，${mark.word} 的差是 ${fixed(mark.gaps[layer], 3)}。${together ? "座位相同，谁也分不开。" : over.length ? `不是两边都沾，差却比它大的：${over.map(({ word }) => word).join("、")}。` : "不是两边都沾的，都不比它大。"}`;
	};
	const pick = (noun) => {
		if (noun && noun !== chosen) {
			chosen = noun;
			draw();
		}
	};
	const spots = () =>
		dots
			.map((dot) => dot.querySelector("i").getBoundingClientRect())
			.map((box) => [(box.left + box.right) / 2, (box.top + box.bottom) / 2]);
	nearest(
		plane,
		spots,
		(i) => pick(nouns[i]),
		() => nouns.indexOf(chosen),
		10,
	);
	// 左右：同一行里差大一点、小一点的；上下：别的行里差最近的
	walk(plane, (right, down) => {
		const among = nouns.filter(({ row }) => row === chosen.row + down).sort((a, b) => a.gaps[layer] - b.gaps[layer]);
		if (right) return pick(among[among.indexOf(chosen) + right]);
		const far = ({ gaps }) => Math.abs(gaps[layer] - chosen.gaps[layer]);
		pick(among.reduce((best, noun) => (best && far(best) <= far(noun) ? best : noun), null));
	});
	const rail = choice({
		label: "看",
		options: layers.map((at) => `第 ${at} 层`),
		at: layers.length - 1,
		change: (at) => {
			layer = layers[at];
			draw();
		},
	});
	stage.append(
		rail.node,
		said,
		plane,
		axis,
		html("p", { class: "explore-label explore-nouns-name" }, "两边分得多开（同义减异义）→"),
		one,
	);
	draw();
	return { state: () => shown };
});
