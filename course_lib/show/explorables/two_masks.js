// 两种掩码：同一句话，换一张掩码，点一个词，看那里的词各有多大可能：网络猜的，与语法算出的真概率。
// 数：sentences（每句 { words, causal, both }，words 以 [CLS] 开头、[SEP] 结尾；causal、both 里每个词一项
// { options: [[词, 网络给的, 真的], …], hesitates: [网络, 真的] }：最可能的几个，与相当于在几个词里犹豫）。
Explore.define("two_masks", (data, stage) => {
	const { html, svg, fixed, bars, choice } = Explore;
	const SHOWN = Math.max(
		...data.sentences.flatMap(({ causal, both }) => [...causal, ...both].map(({ options }) => options.length)),
	);
	const MASKS = [
		{
			key: "causal",
			hue: "ochre",
			allowed: (i, j) => j <= i,
			from: (place) => place - 1,
			hidden: (i, place) => i >= place,
		},
		{ key: "both", hue: "ink", allowed: () => true, from: (place) => place, hidden: (i, place) => i === place },
	];
	const SIZE = 20,
		LEFT = 96;
	let at = 0,
		mask = MASKS[0],
		place = data.place,
		now;

	const row = html("div", { class: "explore-row explore-cloze", role: "group", "aria-label": "点一个词，让网络猜它" });
	const picture = svg("svg", { role: "img" });
	const title = html("p", { class: "explore-label" });
	const guessed = bars({
		labels: Array(SHOWN + 1).fill(""),
		values: Array(SHOWN + 1).fill(0),
		name: "那里的词各有多大可能",
	});
	const ticks = [...guessed.node.querySelectorAll(".explore-track")].map((track) => {
		const tick = html("span", { class: "explore-truth" });
		track.append(tick);
		return tick;
	});
	const said = html("p", { class: "explore-said", "aria-live": "polite" });

	const grid = () => {
		const { words } = data.sentences[at],
			from = mask.from(place);
		const shown = words.map((word, i) => (mask.key === "both" && i === place ? "[MASK]" : word));
		const cells = shown.flatMap((_, i) =>
			shown.map((_, j) =>
				svg("rect", {
					x: LEFT + j * SIZE + 1,
					y: i * SIZE + 1,
					width: SIZE - 2,
					height: SIZE - 2,
					rx: 3,
					class: mask.allowed(i, j) ? (i === from ? "explore-lit" : "explore-open") : "explore-shut",
				}),
			),
		);
		const names = shown.map((word, i) =>
			svg(
				"text",
				{ x: LEFT - 6, y: (i + 0.74) * SIZE, "text-anchor": "end", class: i === from ? "explore-mark" : "" },
				word,
			),
		);
		picture.setAttribute("viewBox", `0 0 ${LEFT + words.length * SIZE} ${words.length * SIZE}`);
		picture.setAttribute(
			"aria-label",
			`掩码：每个词元一行，实心的格子是它看得见的；猜第 ${place} 个词，用的是 ${shown[from]} 那一行，看得见 ${seen()} 个`,
		);
		picture.replaceChildren(...cells, ...names);
		picture.style.setProperty("--hue", `var(--${mask.hue})`);
	};
	const seen = () => data.sentences[at].words.filter((_, j) => mask.allowed(mask.from(place), j)).length;
	const line = () => {
		const { words } = data.sentences[at];
		row.replaceChildren(
			...words.slice(1, -1).map((word, k) => {
				const i = k + 1,
					away = mask.hidden(i, place) && i !== place;
				const button = html(
					"button",
					{
						type: "button",
						class: `explore-token${away ? " explore-away" : ""}`,
						lang: "en",
						"aria-pressed": String(i === place),
						onclick: () => {
							place = i;
							draw();
							row.children[k].focus();
						},
					},
					word,
				);
				if (away) button.setAttribute("aria-label", `${word}，看不见`);
				return button;
			}),
		);
	};
	const draw = () => {
		const sentence = data.sentences[at],
			{ options, hesitates } = sentence[mask.key][place - 1];
		const sum = (k) => options.reduce((total, option) => total + option[k], 0);
		const padding = Array(SHOWN - options.length).fill(["", 0, 0]);
		const shown = [...options, ["别的", Math.max(0, 1 - sum(1)), Math.max(0, 1 - sum(2))], ...padding];
		now = {
			at,
			mask: mask.key,
			place,
			from: mask.from(place),
			seen: seen(),
			shown: [...options, shown[options.length]],
			hesitates,
		};
		guessed.update(
			shown.map(([, model]) => model),
			shown.map(([word, , truth]) => (word ? fixed(truth) : "")),
			shown.map(([word]) => word),
		);
		guessed.node.style.setProperty("--hue", `var(--${mask.hue})`);
		guessed.node.querySelectorAll("li").forEach((item, i) => {
			item.classList.toggle("explore-quiet", !shown[i][0]);
			item.classList.toggle("explore-there", shown[i][0] === sentence.words[place]);
		});
		ticks.forEach((tick, i) => {
			tick.style.left = `${100 * shown[i][2]}%`;
		});
		title.textContent = `第 ${place} 个词：横条与右边的数是网络猜的，竖线与灰色的数是真的`;
		const there = options.find(([word]) => word === sentence.words[place]);
		said.textContent =
			`${mask.key === "causal" ? `只看左边 ${seen()} 个词元` : `左右都看，自己换成了 [MASK]`}：真概率相当于在 ${fixed(hesitates[1], 1)} 个词里犹豫，网络是 ${fixed(hesitates[0], 1)} 个。` +
			(there
				? `句子里写的是“${there[0]}”，网络给它 ${fixed(there[1])}，真的是 ${fixed(there[2])}。`
				: `句子里写的是“${sentence.words[place]}”，不在最可能的几个里。`);
		line();
		grid();
	};
	const which = choice({
		label: "掩码",
		options: ["因果：猜下一个词", "双向：猜遮住的词"],
		change: (i) => {
			mask = MASKS[i];
			draw();
		},
	});
	const text = choice({
		label: "句子",
		options: data.sentences.map(({ words }, i) => `${"甲乙丙丁"[i]}：…… ${words.at(-3)}`),
		change: (i) => {
			at = i;
			place = Math.min(place, data.sentences[i].words.length - 2);
			draw();
		},
	});
	stage.append(
		row,
		html(
			"div",
			{ class: "explore-halves explore-two-masks" },
			html("div", {}, html("p", { class: "explore-label" }, "掩码：每个词元一行，实心的看得见"), picture),
			html("div", {}, title, guessed.node),
		),
		said,
		which.node,
		data.sentences.length > 1 ? text.node : "",
	);
	draw();
	return { state: () => now };
});
