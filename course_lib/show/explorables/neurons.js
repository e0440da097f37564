// 神经元：挑一个，看哪些词的激活值最高；换一份词、写自己的词，看给它起的名字还站不站得住。
// 数：words（词，头 common 个是常见的）、groups（{ 组名: [名单上的词] }）、
//   found（{ 组名: [[层, 第几个], …] }，替一组词找的；组名不在 groups 里的，是随便取的）、full（{ 组名: 名单全排在最前的共有几个 }）、
//   answers（{ 组名: [每个神经元一份，一词一个激活值，以百分之一计] }）、tries（请读者试的词）、first（先看哪一组）。
Explore.define("neurons", (data, stage) => {
	const { html, fixed, bars, choice, beside } = Explore;
	const SHOWN = 12,
		names = Object.keys(data.found),
		places = new Map(data.words.map((word, i) => [word, i]));
	const all = data.words.map((_, i) => i),
		listed = Object.values(data.groups)
			.flat()
			.map((word) => places.get(word));
	const sheets = [
		[`名单上的 ${listed.length} 个词`, listed],
		[`最常见的 ${data.common} 个词`, all.slice(0, data.common)],
	];
	let name = data.first,
		turn = 0,
		sheet = 0,
		mine = null,
		now;

	const list = (count, name) => {
		const made = bars({ labels: Array(count).fill(""), values: Array(count).fill(0), name, hue: "ink" });
		made.node.classList.add("explore-words", "explore-heard");
		made.rows = [...made.node.children];
		made.rows.forEach((row) => {
			row.querySelector(".explore-label").lang = "en";
		});
		return made;
	};
	const most = list(SHOWN, "激活值最高的词"),
		own = list(1, "你的词");
	const about = html("p", {}),
		said = html("p", { class: "explore-said", "aria-live": "polite" }),
		told = html("p", { class: "explore-said", "aria-live": "polite" });

	const draw = () => {
		const values = data.answers[name][turn].map((value) => value / 100),
			group = data.groups[name] ?? [];
		const order = [...sheets[sheet][1]].sort((a, b) => values[b] - values[a] || a - b),
			top = Math.max(0.01, ...values);
		const show = ({ update, rows }, which) => {
			update(
				which.map((i) => values[i]),
				which.map((i) => (group.includes(data.words[i]) ? name : "")),
				which.map((i) => data.words[i]),
				top,
			);
			rows.forEach((row, k) => row.classList.toggle("explore-stranger", !group.includes(data.words[which[k]])));
		};
		const silent = values[order[0]] <= 0,
			best = order.slice(0, SHOWN),
			known = best.filter((i) => group.includes(data.words[i])).length;
		show(most, best);
		most.node.classList.toggle("explore-quiet", silent);
		const [layer, f] = data.found[name][turn],
			count = data.found[name].length,
			full = data.full[name];
		const place = `这里放着 ${count} 个，这是第 ${turn + 1} 个。`;
		about.textContent =
			`第 ${layer} 层第 ${f} 个神经元，` +
			(!group.length
				? `随便取的，${place}`
				: full
					? `“${name}”的 ${group.length} 个词在名单上全排在最前；这样的一共 ${full} 个，${place}`
					: `在名单上替“${name}”排得最好，还没有全排在最前。`);
		next.disabled = count === 1;
		said.textContent = silent
			? `${sheets[sheet][0]}里，没有一个词的激活值高过 0。`
			: group.length
				? `${sheets[sheet][0]}里，最高的 ${best.length} 个有 ${known} 个在“${name}”的名单上。`
				: `${sheets[sheet][0]}里，最高的 ${best.length} 个：它在问什么？`;
		const at = places.get(mine),
			found = at !== undefined,
			higher = sheets[sheet][1].filter((i) => values[i] > values[at]).length;
		now = {
			name,
			turn,
			sheet,
			mine,
			best: best.map((i) => [data.words[i], values[i]]),
			known,
			silent,
			top,
			value: found ? values[at] : null,
			higher: found ? higher : null,
		};
		own.node.classList.toggle("explore-quiet", !found);
		if (found) show(own, [at]);
		told.textContent =
			mine === null
				? "你的词与它的名次写在这里。"
				: found
					? `${mine} 的激活值是 ${fixed(values[at])}，${sheets[sheet][0]}里有 ${higher} 个词比它高。`
					: `${mine} 没有预先算好，换一个常见的英文词试试。`;
	};

	const next = html(
		"button",
		{
			type: "button",
			onclick: () => {
				turn = (turn + 1) % data.found[name].length;
				draw();
			},
		},
		"换一个",
	);
	const neuron = choice({
		label: "神经元",
		options: names,
		at: names.indexOf(name),
		change: (i) => {
			name = names[i];
			turn = 0;
			draw();
		},
	});
	neuron.node.append(next);
	const which = choice({
		label: "看哪些词",
		options: sheets.map(([label]) => label),
		change: (i) => {
			sheet = i;
			draw();
		},
	});
	const box = html("input", {
		type: "text",
		"aria-label": "你的词",
		placeholder: "写一个英文词",
		lang: "en",
		autocapitalize: "none",
		autocomplete: "off",
		spellcheck: "false",
	});
	const ask = () => {
		mine = box.value.trim().toLowerCase() || null;
		draw();
	};
	box.addEventListener("input", ask);
	const tries = data.tries.map((word) =>
		html(
			"button",
			{
				type: "button",
				lang: "en",
				onclick: () => {
					box.value = word;
					ask();
				},
			},
			word,
		),
	);
	const asking = html(
		"div",
		{ class: "explore-part" },
		html(
			"div",
			{ class: "explore-row", role: "group", "aria-label": "问它一个词" },
			html("span", { class: "explore-label" }, "问它一个词"),
			tries,
		),
		box,
		own.node,
		told,
	);
	stage.append(beside([about, most.node, said], [neuron.node, which.node, asking]));
	draw();
	return { state: () => now };
});
