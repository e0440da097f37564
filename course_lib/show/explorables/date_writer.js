// 一个字符一个字符地写日期：写到哪一个，交叉注意力看来源的哪些字，下一个字符的概率各是多少；改来源的字，看写出的跟不跟着变。
// 数：letters（目标词表，前 first 个不画）；dates，每个是同一天的几份来源，头一份没有改过；
// 每份 { source（M 个字）、target（N 个字符）、heads（h×N×M，最后一层各头的权重，千分之几）、logits（N×V）}；N 都相同，各份的 M 相同。
Explore.define("date_writer", (data, stage) => {
	const { html, svg, fixed, softmax, bars, choice, beside, stepper } = Explore;
	const steps = data.dates[0][0].target.length,
		letters = data.letters.slice(data.first);
	const CELL = 24,
		SHOWN = 5,
		LEFT = 34,
		TOP = 26;
	let versions = data.dates[0],
		date = versions[0],
		head = null,
		now = 0,
		shown;

	// 一个头，或者各头平均
	const weights = () =>
		date.heads[0].map((row, n) =>
			row.map(
				(_, m) =>
					(head !== null
						? date.heads[head][n][m]
						: date.heads.reduce((sum, map) => sum + map[n][m], 0) / date.heads.length) / 1000,
			),
		);
	const top = (row) => row.indexOf(Math.max(...row));
	const changed = (m) => date.source[m] !== versions[0].source[m];
	const moved = (n) => date.target[n] !== versions[0].target[n];

	// 两排字：来源亮起来，改过的加框；目标一格一格写出来，跟着变了的加框
	const source = html("div", { class: "explore-chars" });
	const target = html(
		"div",
		{ class: "explore-row explore-writing", role: "group", "aria-label": "写到第几个" },
		date.target.map((_, n) => html("button", { type: "button", onclick: () => walk.go(n, true) })),
	);
	const lightUp = (row) =>
		source.replaceChildren(
			...date.source.map((char, m) =>
				html(
					"span",
					{ style: `--shade: ${Math.round(100 * row[m])}%`, class: shown.changed.includes(m) && "explore-changed" },
					html("b", {}, char),
					html("small", {}, row[m] < 0.095 ? "" : `${Math.round(100 * row[m])}%`),
				),
			),
		);
	const fillIn = () =>
		[...target.children].forEach((button, n) => {
			button.textContent = n <= now ? date.target[n] : "·";
			button.setAttribute("aria-label", `第 ${n + 1} 步，共 ${steps} 步${n <= now ? `：${date.target[n]}` : ""}`);
			button.setAttribute("aria-pressed", n === now);
			button.classList.toggle("explore-changed", shown.moved.includes(n));
		});

	// 写过的各行合起来，就是一张权重图
	const map = html("div", { class: "explore-dates" });
	const drawMap = (all) => {
		const columns = date.source.length,
			size = [LEFT + CELL * columns + 2, TOP + CELL * steps + 2];
		const label = (x, y, text, mark) =>
			svg("text", { x, y, "text-anchor": "middle", class: mark && "explore-mark" }, text);
		const place = (m) => LEFT + CELL * m,
			line = (n) => TOP + CELL * n;
		map.replaceChildren(
			svg(
				"svg",
				{
					class: "explore-aligned",
					viewBox: `0 0 ${size.join(" ")}`,
					style: `max-width: ${size[0]}px`,
					role: "img",
					"aria-label": `写过的 ${now + 1} 个字符各看来源的哪些字`,
				},
				date.source.map((char, m) => label(place(m) + CELL / 2, 18, char, m === top(all[now]))),
				date.target.slice(0, now + 1).flatMap((char, n) => [
					label(LEFT / 2, line(n) + 17, char, n === now),
					...all[n].map((weight, m) =>
						svg("rect", {
							x: place(m) + 1,
							y: line(n) + 1,
							width: CELL - 2,
							height: CELL - 2,
							"fill-opacity": (0.04 + 0.96 * weight).toFixed(3),
						}),
					),
				]),
				svg("rect", { class: "explore-frame", x: LEFT, y: line(now), width: CELL * columns, height: CELL }),
			),
		);
	};

	const row = bars({
		labels: Array(SHOWN).fill(""),
		values: Array(SHOWN).fill(0),
		name: "下一个字符，最可能的五个",
		hue: "ink",
	});
	const sayings = Array(steps).fill("");
	const draw = () => {
		const all = weights(),
			chances = softmax(date.logits[now]),
			seen = top(all[now]),
			best = top(chances);
		const likely = letters
			.map((letter, i) => [letter, chances[data.first + i]])
			.sort((a, b) => b[1] - a[1])
			.slice(0, SHOWN);
		shown = {
			now,
			head,
			source: date.source,
			written: date.target.slice(0, now + 1),
			weights: all[now],
			likely,
			changed: date.source.flatMap((_, m) => (changed(m) ? [m] : [])),
			moved: date.target.flatMap((_, n) => (moved(n) && n <= now ? [n] : [])),
		};
		lightUp(all[now]);
		fillIn();
		drawMap(all);
		row.update(
			likely.map(([, chance]) => chance),
			[],
			likely.map(([letter]) => letter),
		);
		const written = date.target.slice(0, now).join("");
		return `${written ? `已经写出“${written}”，` : "一个也没有写，"}接下来：看得最多的字是“${date.source[seen]}”，权重 ${fixed(all[now][seen])}；概率最大的是“${data.letters[best]}”，${fixed(chances[best])}。`;
	};
	// 改了来源，写出的哪几个跟着变
	const outcome = html("p", { class: "explore-note", "aria-live": "polite" });
	const compare = () => {
		const whole = date.target.filter((char) => char.length === 1).join(""),
			after = date.target.filter((_, n) => moved(n)).length;
		outcome.textContent =
			date === versions[0]
				? `来源没有改，它写 ${whole}。`
				: `来源成了“${date.source.join("")}”，它写 ${whole}：${after ? `有 ${after} 个字符跟着变` : "一个字符也没有变"}。`;
	};
	const walk = stepper({
		steps: sayings,
		seconds: 1.2,
		dots: false,
		show: (n) => {
			now = n;
			walk.node.querySelector(".explore-said").textContent = draw();
		},
	});

	// 改哪个字：按钮上写的是这一天的字
	const changes = html("div", {});
	const show = (version) => {
		date = version;
		compare();
		walk.go(now, true);
	};
	const offer = () => {
		const names = versions.map(({ source }) => {
			const away = versions[0].source.filter((char, m) => char !== source[m]);
			return away.length === 0 ? "不改" : away.length === 1 ? `改${away[0]}` : "都改";
		});
		changes.replaceChildren(choice({ label: "改来源", options: names, change: (i) => show(versions[i]) }).node);
	};
	const dates = choice({
		label: "日期",
		options: data.dates.map(([each]) => each.source.join("")),
		change: (i) => {
			[versions, now] = [data.dates[i], 0];
			offer();
			show(versions[0]);
		},
	});
	const heads = choice({
		label: "看",
		options: ["各头平均", ...date.heads.map((_, h) => `头 ${h}`)],
		change: (i) => {
			head = i ? i - 1 : null;
			walk.go(now, true);
		},
	});
	const titled = (words, ...nodes) => html("div", {}, html("p", { class: "explore-label" }, words), nodes);
	offer();
	const chances = html("div", { class: "explore-halves" }, titled("下一个字符，最可能的五个", row.node));
	stage.append(
		beside(
			[titled("来源：越浓，权重越大", source), titled("写出", target), changes, outcome, chances],
			[titled("写过的各个字符，看来源的哪些字", map)],
		),
		walk.node,
		dates.node,
		heads.node,
	);
	compare();
	walk.go(Math.floor(steps / 2)); // 打开时写了一半
	return { state: () => shown };
});
