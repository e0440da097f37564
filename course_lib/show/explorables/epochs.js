// 训练一轮一轮地放：留出影评的地图、答对的比例，和读者拼的一条影评里 [CLS] 在看哪些词。
// 数：labels（每条影评 0 或 1）、order（每条 1 = 标签取决于次序）；points（每轮一份 N×2，0 到 999）；
// guesses（每轮一个字符串，第 i 个字符是对第 i 条的判断）；
// parts（[{ label, options }]：拼一条影评的几处选择）；reviews（每种选法一条，最后一处变得最快：
// { words, label, looks: 每轮、每个头一份各词的权重, chance: 每轮判为褒的概率，先是原样，再是遮住各个词 }）。
Explore.define("epochs", (data, stage) => {
	const { html, svg, fixed, bars, line, choice, beside, stepper } = Explore;
	const LABELS = ["贬", "褒"],
		HUES = ["minus", "plus"],
		last = data.points.length - 1;
	// 地图只留有点的那一段高，四周各空 30
	const ys = data.points.flat().map(([, y]) => y),
		top = Math.max(...ys) + 30,
		height = top - Math.min(...ys) + 30;
	let now = last,
		hidden = -1,
		shown;
	const chosen = data.parts.map(() => 0);

	// 答对的比例，两种影评分开数
	const right = (epoch, kind) => {
		const mine = data.labels.map((_, i) => i).filter((i) => data.order[i] === kind);
		return mine.filter((i) => Number(data.guesses[epoch][i]) === data.labels[i]).length / mine.length;
	};
	const scores = [1, 0].map((kind) => data.points.map((_, epoch) => right(epoch, kind)));
	const percent = (x) => `${fixed(100 * x, 0)} %`;

	const dots = data.labels.map((label, i) => {
		const shape = label ? svg("circle", { r: 15 }) : svg("path", { d: "M0,-17 L17,13 L-17,13 Z" });
		return svg("g", { class: data.order[i] ? "" : "explore-plain", style: `--hue: var(--${HUES[label]})` }, shape);
	});
	const map = svg(
		"svg",
		{ class: "explore-dots-map", viewBox: `0 0 1060 ${height}`, role: "img", "aria-label": "留出影评的地图，一点一条" },
		dots,
	);
	const chart = line({
		lines: scores.map((score, i) => ({
			label: ["看次序的", "直说的"][i],
			hue: ["ink", "grey"][i],
			points: score.map((y, x) => [x, y]),
		})),
		name: "答对的比例：横轴是轮数",
		width: 340,
		height: 150,
		x: [0, last],
		y: [0, 1],
	});

	// 拼成的一条：每个头一行，底色是权重；点一个词，遮住它再判
	const verdict = bars({ labels: ["是褒"], values: [0], name: "判为褒的概率", hue: "plus" });
	const rows = html("div", {}),
		truth = html("p", { class: "explore-said", "aria-live": "polite" });
	const hide = (i) => {
		hidden = hidden === i ? -1 : i;
		draw();
		rows.querySelectorAll("button")[i - 1].focus();
	};
	const draw = () => {
		dots.forEach((dot, i) => {
			const [x, y] = data.points[now][i];
			dot.style.transform = `translate(${x + 30}px, ${top - y}px)`;
			dot.classList.toggle("explore-wrong", Number(data.guesses[now][i]) !== data.labels[i]);
		});
		chart.update(
			scores.map((score) => score.map((y, x) => [x, y])),
			now,
		);
		const { words, label, chance, looks } =
			data.reviews[chosen.reduce((at, option, i) => at * data.parts[i].options.length + option, 0)];
		const word = (i) =>
			html(
				"button",
				{ type: "button", lang: "en", "aria-pressed": String(i === hidden), onclick: () => hide(i) },
				words[i],
			);
		rows.replaceChildren(
			html(
				"div",
				{ class: "explore-row", role: "group", "aria-label": "遮住哪个词" },
				html("span", { class: "explore-label" }, "遮住"),
				words.slice(1, -1).map((_, i) => word(i + 1)),
			),
			...looks[now].map((weights, head) =>
				html(
					"div",
					{ class: "explore-looks" },
					html("span", { class: "explore-label" }, `头 ${head}`),
					words.map((word, i) =>
						html(
							"span",
							{ class: "explore-look", style: `--shade: ${Math.round(100 * weights[i])}%` },
							html("span", { lang: "en" }, word),
							html("small", {}, weights[i] < 0.05 ? "\u00a0" : fixed(weights[i])),
						),
					),
				),
			),
		);
		const [intact, after] = [chance[now][0], chance[now][Math.max(hidden, 0)]];
		shown = {
			now,
			chosen: [...chosen],
			hidden,
			right: scores.map((score) => score[now]),
			words,
			looks: looks[now],
			intact,
			after,
		};
		verdict.update([after]);
		const said = LABELS[Number(after > 0.5)];
		truth.textContent =
			hidden > 0
				? `遮住 ${words[hidden]}，是褒的概率从 ${fixed(intact)} 变成 ${fixed(after)}。`
				: `它说${said}，应当是${LABELS[label]}${said === LABELS[label] ? "，对了。" : "，错了。"}`;
	};
	const steps = stepper({
		steps: data.points.map(
			(_, epoch) =>
				`${epoch ? `训练 ${epoch} 轮之后` : "训练之前"}：留出的影评，看次序的答对 ${percent(scores[0][epoch])}，直说的 ${percent(scores[1][epoch])}。`,
		),
		seconds: 1.4,
		show: (i) => {
			now = i;
			draw();
		},
	});
	const parts = data.parts.map(
		({ label, options }, at) =>
			choice({
				label,
				options,
				change: (i) => {
					chosen[at] = i;
					hidden = -1;
					draw();
				},
			}).node,
	);
	parts.forEach((part) =>
		part.querySelectorAll("button").forEach((button) => {
			button.lang = "en";
		}),
	);
	stage.append(
		beside(
			[map, steps.node, html("p", { class: "explore-label" }, "答对的比例，虚线是现在这一轮"), chart.node],
			[...parts, rows, verdict.node, truth],
		),
	);
	steps.go(last);
	return { state: () => shown };
});
