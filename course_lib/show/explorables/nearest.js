// 近邻：写一个词，看嵌入矩阵里离它最近的五行。
// 数：words（一串词，空格隔开，头 known 个是可以问的）、near（一串字，每个可以问的词 5 个近邻，一个 5 个字：第几个词，36 进制三位；余弦的百分数，两位）、
//   common（头几个是照常见的次序取的）、total（全表有几行）、chance（随机的表里最近的一行有多近）、tries（请读者试的词）、first（先看哪一个）。
Explore.define("nearest", (data, stage) => {
	const { html, fixed, bars } = Explore;
	const COUNT = 5,
		EACH = 5,
		words = data.words.split(" "),
		places = new Map(words.slice(0, data.known).map((word, i) => [word, i]));
	const near = (i) =>
		Array.from({ length: COUNT }, (_, k) => {
			const text = data.near.slice((i * COUNT + k) * EACH, (i * COUNT + k + 1) * EACH);
			return [words[parseInt(text.slice(0, 3), 36)], Number(text.slice(3)) / 100];
		});
	const list = bars({ labels: Array(COUNT).fill(""), values: Array(COUNT).fill(0), name: "离它最近的行", hue: "ink" });
	list.node.classList.add("explore-words", "explore-heard");
	for (const label of list.node.querySelectorAll(".explore-label")) label.lang = "en";
	const said = html("p", { class: "explore-said", "aria-live": "polite" });

	let now;
	const ask = (text) => {
		const mine = text.trim().toLowerCase(),
			at = places.get(mine),
			found = at !== undefined;
		now = { mine, rows: found ? near(at) : null };
		list.node.classList.toggle("explore-quiet", !found);
		if (!found) {
			said.textContent = mine
				? `${mine} 没有预先算好：放在这里的是最常见的 ${data.common.toLocaleString("en")} 个英文词。`
				: "写一个英文词，离它最近的五行就在上面。";
			return;
		}
		const { rows } = now;
		list.update(
			rows.map(([, cosine]) => cosine),
			[],
			rows.map(([word]) => word),
		);
		said.textContent = `全部 ${data.total.toLocaleString("en")} 行里，离 ${mine} 最近的五行；随机的表里，最近的一行大约 ${fixed(data.chance)}。`;
	};
	const box = html("input", {
		type: "text",
		"aria-label": "你的词",
		placeholder: "写一个英文词",
		lang: "en",
		autocapitalize: "none",
		autocomplete: "off",
		spellcheck: "false",
		value: data.first,
	});
	box.addEventListener("input", () => ask(box.value));
	const tries = data.tries.map((word) =>
		html(
			"button",
			{
				type: "button",
				lang: "en",
				onclick: () => {
					box.value = word;
					ask(word);
				},
			},
			word,
		),
	);
	stage.append(
		list.node,
		said,
		html(
			"div",
			{ class: "explore-part" },
			box,
			html(
				"div",
				{ class: "explore-row", role: "group", "aria-label": "试试这些词" },
				html("span", { class: "explore-label" }, "试试"),
				tries,
			),
		),
	);
	ask(data.first);
	return { state: () => now };
});
