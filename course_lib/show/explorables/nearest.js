// 近邻：写一个词，看嵌入矩阵里离它最近的五行；表有几张，可以换。
// 数：tables，每张是 { name、lang（词的语言，没有就是好几种）、words（一串词，空格隔开，头 known 个是可以问的；好几种语言的，换成 base64）、known、
//   near（一串字，每个可以问的词 5 个近邻，一个 5 个字：第几个词，36 进制三位；余弦的百分数，两位）、asked（可以问的是哪些词，一句话里的半句）、
//   total（全表有几行）、chance（随机的表里最近的一行有多近）、tries（请读者试的词）、first（先看哪一个） }。
Explore.define("nearest", (data, stage) => {
	const { html, fixed, bars, choice } = Explore;
	const COUNT = 5,
		EACH = 5;
	// 别的语言的词照原样：繁体的书不去换它们，所以不写成字
	const decoded = (text) => new TextDecoder().decode(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
	const tables = data.tables.map((table) => {
		const words = (table.lang ? table.words : decoded(table.words)).split(" ");
		return { ...table, all: words, places: new Map(words.slice(0, table.known).map((word, i) => [word, i])) };
	});
	let at = 0,
		now;
	const near = ({ near, all }, i) =>
		Array.from({ length: COUNT }, (_, k) => {
			const text = near.slice((i * COUNT + k) * EACH, (i * COUNT + k + 1) * EACH);
			return [all[parseInt(text.slice(0, 3), 36)], Number(text.slice(3)) / 100];
		});
	const list = bars({ labels: Array(COUNT).fill(""), values: Array(COUNT).fill(0), name: "离它最近的行", hue: "ink" });
	list.node.classList.add("explore-words", "explore-heard");
	const said = html("p", { class: "explore-said", "aria-live": "polite" });

	const ask = (text) => {
		const table = tables[at],
			mine = text.trim().toLowerCase(),
			place = table.places.get(mine),
			found = place !== undefined;
		now = { table: table.name, mine, rows: found ? near(table, place) : null };
		list.node.classList.toggle("explore-quiet", !found);
		if (!found) {
			said.textContent = mine
				? `${mine} 没有预先算好：放在这里的是${table.asked}。`
				: "写一个词，离它最近的五行就在上面。";
			return;
		}
		list.update(
			now.rows.map(([, cosine]) => cosine),
			[],
			now.rows.map(([word]) => word),
		);
		for (const label of list.node.querySelectorAll(".explore-label")) label.lang = table.lang ?? "";
		said.textContent = `全部 ${table.total.toLocaleString("en")} 行里，离 ${mine} 最近的五行；随机的表里，最近的一行大约 ${fixed(table.chance)}。`;
	};
	const box = html("input", {
		type: "text",
		"aria-label": "你的词",
		placeholder: "写一个词",
		autocapitalize: "none",
		autocomplete: "off",
		spellcheck: "false",
	});
	box.addEventListener("input", () => ask(box.value));
	const put = (word) => {
		box.value = word;
		ask(word);
	};
	// 各张表的词叠在一处，换了表，下面的字不动
	const rows = tables.map((table) =>
		html(
			"div",
			{ class: "explore-row", role: "group", "aria-label": "试试这些词" },
			html("span", { class: "explore-label" }, "试试"),
			table.tries.map((word) => html("button", { type: "button", lang: table.lang, onclick: () => put(word) }, word)),
		),
	);
	const turn = (which) => {
		at = which;
		rows.forEach((row, i) => row.classList.toggle("explore-quiet", i !== at));
		put(tables[at].places.has(box.value.trim().toLowerCase()) ? box.value : tables[at].first);
	};
	const which = choice({ label: "表", options: tables.map(({ name }) => name), change: turn });
	stage.append(
		tables.length > 1 ? which.node : "",
		list.node,
		said,
		html("div", { class: "explore-part" }, box, html("div", { class: "explore-tries" }, rows)),
	);
	turn(0);
	return { state: () => now };
});
