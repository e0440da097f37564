// 激活修补：一格一个词元、一层，换成另一句话的同一格，答案改不改；改答的是黄的，点一格，或者拖层数、挑词元。
// 数：questions，每问 { name；tokens（N 个词元）；place（先换第几个）；from（换进来的是谁的）；answers（原来的答案、另一句的答案）；
// chances（N×L 个 [答原来的, 答另一句的]） }；layer（先在第几层之后换）。各问层数相同。
// 只有一问时还可以给 early（L 个数：每层之后提前读末一个词元，答原来的概率），画成最上面的一行，越浓越读得出。
Explore.define("swap", (data, stage) => {
	const { html, svg, fixed, tokens, bars, slider, choice, beside, shown } = Explore;
	const layers = data.questions[0].chances[0].length,
		all = Array.from({ length: layers }, (_, l) => l + 1);
	let question = data.questions[0],
		place = question.place,
		layer = data.layer,
		rows,
		picker;

	// 一行的格子，一格一层；点一格，或者按着拖过去，就到那一层
	const strip = (chances, top, picked = () => {}) => {
		const cells = chances.map((p, l) =>
			svg("rect", { x: l + 0.04, y: 0, width: 0.92, height: 1, style: `--shade: ${Math.round((100 * p) / top)}%` }),
		);
		const frame = svg("rect", { class: "explore-frame", y: 0, width: 1, height: 1 });
		const go = ({ clientX }) => {
			const { left, width } = node.getBoundingClientRect();
			depth.set(Math.min(layers - 1, Math.max(0, Math.floor((layers * (clientX - left)) / width))));
		};
		const node = svg(
			"svg",
			{
				viewBox: `0 0 ${layers} 1`,
				preserveAspectRatio: "none",
				onclick: (event) => {
					picked();
					go(event);
				},
				onpointermove: (event) => event.buttons && Math.abs(event.movementX) > Math.abs(event.movementY) && go(event),
			},
			cells,
			frame,
		);
		return { node, frame };
	};
	const line = (label, cells) => html("div", { class: "explore-strip" }, label, cells);
	const named = (word) => html("span", { class: "explore-label", lang: "en" }, shown(word));

	const grid = html("div", { class: "explore-swap", role: "img" }),
		words = html("div", {});
	const asked = html("p", { class: "explore-question" }),
		reading = html("span", {});
	const marks = all.map(() => html("span"));
	const ticks = html(
		"div",
		{ class: "explore-strip explore-ticks-row", "aria-hidden": "true" },
		html("span"),
		html("span", { class: "explore-ticks" }, marks),
	);
	const said = html("p", { class: "explore-said", "aria-live": "polite" });
	const answers = bars({ labels: ["", ""], values: [0, 0], name: "换了以后，两个答案的概率", hue: "ink" });
	answers.node.lastChild.style.setProperty("--hue", "var(--ochre)"); // 墨色的是原来的答案，黄的是另一句的

	const draw = () => {
		const [kept, changed] = question.chances[place][layer - 1],
			[first, other] = question.answers;
		rows.forEach(({ label, frame }, i) => {
			label.classList.toggle("explore-mark", i === place);
			frame.toggleAttribute("hidden", i !== place);
			frame.setAttribute("x", layer - 1);
		});
		early?.frame.setAttribute("x", layer - 1);
		marks.forEach((mark, l) => {
			const apart = Math.abs(l + 1 - layer),
				round = l === 0 || (l + 1) % 10 === 0;
			mark.textContent = apart === 0 || (round && apart > 1) ? l + 1 : "";
			mark.classList.toggle("explore-mark", apart === 0);
		});
		answers.update(
			[kept, changed],
			[],
			question.answers.map((answer) => `答 ${answer}`),
		);
		if (early) reading.textContent = `第 ${layer} 层：${fixed(data.early[layer - 1])}`;
		said.textContent = `第 ${layer} 层之后，把 ${shown(question.tokens[place])} 这一格换成 ${question.from} 那一句的：${changed > kept ? `改答 ${other}` : `还是 ${first}`}。`;
	};
	const row = (token, i) => {
		const label = named(token);
		const { node, frame } = strip(
			question.chances[i].map(([kept, changed]) => Number(changed > kept)),
			1,
			() => {
				place = i;
				picker.select(i, true);
			},
		);
		return { label, frame, node: line(label, node) };
	};
	// 先是换那个词改答，后是换末一个改答：中间隔着几层，不隔就是一步；别的样子不写
	const leap = () => {
		const [word, last] = [question.chances[question.place], question.chances.at(-1)].map((all) =>
			all.map(([kept, changed]) => changed > kept),
		);
		const left = word.lastIndexOf(true) + 1,
			step = last.indexOf(true),
			neat = word.every((yes, l) => yes === l < left) && last.every((yes, l) => yes === l >= step);
		return neat && left > 0 && step >= left ? { left, step, once: left === step } : null;
	};
	const open = () => {
		place = question.place;
		rows = question.tokens.map(row);
		asked.replaceChildren(
			html("b", {}, "换"),
			`　把一格换成 ${question.from} 那一句的，改答 ${question.answers[1]} 吗？`,
		);
		grid.style.setProperty("--rows", rows.length);
		const { left, step, once } = leap() ?? {},
			says = once ? `第 ${step + 1} 层：一步` : step ? `第 ${left + 1} 到 ${step} 层：换了都不改口` : "";
		grid.setAttribute("aria-label", `每个词元、每一层换一次，改不改答 ${question.answers[1]}${says && `；${says}`}`);
		grid.replaceChildren(...rows.map(({ node }) => node));
		if (says)
			rows
				.at(-1)
				.node.append(
					html("span", { class: "explore-leap", style: `margin-right: ${100 - (100 * step) / layers}%` }, says),
				);
		if (once) {
			// 箭头：从国名的前一层，跨过一条边，到末一个词元的这一层
			const [from, to] = [question.place + 0.5, rows.length - 0.62],
				d = `M${step - 0.5},${from} Q${step + 0.5},${from} ${step + 0.5},${to}`;
			const bend = ["explore-halo", ""].map((kind) => svg("path", { class: kind, d }));
			grid.append(
				html(
					"div",
					{ class: "explore-across", "aria-hidden": "true" },
					svg("svg", { viewBox: `0 0 ${layers} ${rows.length}`, preserveAspectRatio: "none" }, bend),
					html("i", { style: `left: ${(100 * (step + 0.5)) / layers}%; top: ${(100 * to) / rows.length}%` }),
				),
			);
		}
		picker = tokens({
			words: question.tokens.map(shown),
			name: "换哪一个词元",
			chosen: place,
			pick: (i) => {
				place = i;
				draw();
			},
		});
		words.replaceChildren(picker.node);
		draw();
	};
	const depth = slider({
		label: "层",
		values: all,
		at: layer - 1,
		change: (l) => {
			layer = l;
			draw();
		},
	});
	const early = data.early && strip(data.early, Math.max(...data.early));
	if (early) {
		const last = question.tokens.at(-1),
			[first] = question.answers,
			{ step, once } = leap() ?? {},
			readable = data.early.findIndex((p) => p >= 0.05);
		// 换末一个词元已经换得动，却还读不出的那几层
		const waiting =
			once && readable > step
				? html(
						"span",
						{
							class: "explore-waits",
							style: `margin-left: ${(100 * step) / layers}%; width: ${(100 * (readable - step)) / layers}%`,
						},
						"换得动，还读不出",
					)
				: "";
		stage.append(
			html("p", { class: "explore-question" }, html("b", {}, "读"), `　提前读 ${last}，读得出 ${first} 吗？`, reading),
			html(
				"div",
				{ class: "explore-early", role: "img", "aria-label": `每层之后提前读，${first} 的概率` },
				line(named(last), early.node),
				line(html("span"), waiting),
			),
		);
	}
	stage.append(
		asked,
		grid,
		ticks,
		depth.node,
		said,
		beside(
			[html("p", { class: "explore-label" }, "换了这一格，最后答"), answers.node],
			[html("p", { class: "explore-label" }, "换哪一个词元"), words],
		),
	);
	if (data.questions.length > 1)
		stage.append(
			choice({
				label: "哪一问",
				options: data.questions.map(({ name }) => name),
				change: (i) => {
					question = data.questions[i];
					open();
				},
			}).node,
		);
	open();
	return {
		state: () => ({
			question: data.questions.indexOf(question),
			place,
			layer,
			chances: question.chances[place][layer - 1],
		}),
	};
});
