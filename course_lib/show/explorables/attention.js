// 注意力，两样，给了哪样的数就画哪样：
// 一步一个矩阵：tokens（N 个词）、x（N×D）、w_query、w_key、w_value（D×d）、chosen（先看第几个查询）；
// 拖动宽度，看 softmax 怎样饱和：wide（{ d: 几个查询，各与几个键的点积 }）、average（{ d: 三种除法各自平均的最大权重 }）、
// real（真实的头有哪些宽度）。
{
	const { html, fixed, transpose, matmul, map, softmax, tokens, matrix, slider, choice, beside, stepper } = Explore;
	const numbered = (name, count) => Array.from({ length: count }, (_, i) => `${name}${i + 1}`);

	const stepByStep = (data, stage) => {
		const words = data.tokens,
			d = data.w_query[0].length,
			root = Math.sqrt(d);
		const [query, key, value] = [data.w_query, data.w_key, data.w_value].map((w) => matmul(data.x, w));
		const dots = matmul(query, transpose(key)),
			scores = map(dots, (s) => s / root);
		const weights = scores.map(softmax),
			output = matmul(weights, value);
		let from = data.chosen ?? 0,
			to = scores[from].indexOf(Math.max(...scores[from])),
			step = 0;

		const features = numbered("", data.x[0].length),
			head = numbered("", d);
		const raised = (name) => ["W", html("sup", {}, name)];
		const small = (values, title, hue, columns = head, rows = words) => matrix({ values, rows, columns, title, hue });
		const pick = (i, j) => {
			[from, to] = [i, j];
			chooser.select(i, true);
			mark();
		};
		const table = (values, title, hue, scale) =>
			matrix({ values, rows: words, columns: words, title, hue, scale, pick });
		const parts = {
			x: small(data.x, "X", "faint", features),
			wQuery: small(data.w_query, raised("Q"), "query", head, features),
			query: small(query, "Q 查询", "query"),
			wKey: small(data.w_key, raised("K"), "key", head, features),
			key: small(key, "K 键", "key"),
			wValue: small(data.w_value, raised("V"), "value", head, features),
			value: small(value, "V 值", "value"),
			keyT: small(transpose(key), "Kᵀ", "key", words, head),
			dots: table(dots, "点积 QKᵀ", "faint"),
			scores: table(scores, "分数", "faint"),
			weights: table(weights, "权重", "weight", 1),
			output: small(output, "输出", "output"),
		};
		const STEPS = [
			[["x"], "每个词元是一行数，合起来是矩阵 X。点一个词元，跟着它走。"],
			[["x", "×", "wQuery", "=", "query"], "X 乘第一个矩阵：每个词元得到一个查询，它想知道什么。"],
			[["x", "×", "wKey", "=", "key"], "同一个 X 乘第二个矩阵：每个词元得到一个键，别人凭什么来找它。"],
			[["x", "×", "wValue", "=", "value"], "同一个 X 乘第三个矩阵：每个词元得到一个值，别人找上它时，它交出什么。"],
			[["query", "×", "keyT", "=", "dots"], "查询与键两两做点积，一对一格。点一格，看它怎样算出来。"],
			[["dots", `÷ ${fixed(root)} =`, "scores"], `除以 √d = √${d}，得到分数：次序不变，只是都缩小了。`],
			[["scores", "softmax →", "weights"], "每一行各做一次 softmax，得到权重：没有负数，一行加起来是 1。"],
			[["weights", "×", "value", "=", "output"], "按权重把各个值加起来，就是输出：每个词元一行，宽度与值相同。"],
		];
		const flow = html("div", { class: "explore-flow explore-equation" }),
			detail = html("div", { class: "explore-detail" });
		const strip = (numbers, name, hue, scale) =>
			matrix({ values: [numbers], rows: [name], hue, scale, title: "" }).node;
		const strips = (...nodes) => html("div", { class: "explore-strips" }, nodes);
		const said = (text) => html("p", {}, text);
		const name = (i) => html("b", { lang: "en" }, words[i]);

		const sum = (numbers) =>
			`${numbers
				.map((x) => fixed(x))
				.join(" + ")
				.replaceAll("+ −", "− ")} = ${fixed(numbers.reduce((total, x) => total + x, 0))}`;
		const product = (...after) =>
			html(
				"p",
				{},
				name(from),
				" 的查询 · ",
				name(to),
				` 的键 = ${sum(query[from].map((q, k) => q * key[to][k]))}`,
				...after,
			);
		const exponentials = () => {
			const powers = scores[from].map(Math.exp);
			return { powers, total: powers.reduce((sum, x) => sum + x, 0) };
		};
		const quotient = () => {
			const { powers, total } = exponentials();
			return html(
				"span",
				{},
				name(to),
				` 的权重是 ${fixed(powers[to])} ÷ ${fixed(total)} = ${fixed(weights[from][to])}。`,
			);
		};
		const project = (w, what) => () => [
			html("p", {}, name(from), ` 的${what}的第一个数：它那一行与矩阵的第一列逐个相乘，再加起来，`),
			said(`${sum(data.x[from].map((x, k) => x * w[k][0]))}。`),
		];
		// 写出这一步的一格或一行怎样算出来
		const details = {
			0: () => [html("p", {}, name(from), ` 是 X 的第 ${from + 1} 行。`)],
			1: project(data.w_query, "查询"),
			2: project(data.w_key, "键"),
			3: project(data.w_value, "值"),
			4: () => [
				html("p", {}, name(from), " 的查询与 ", name(to), " 的键，逐个相乘，再加起来："),
				strips(
					strip(query[from], "q", "query"),
					strip(key[to], "k", "key"),
					strip(
						query[from].map((q, k) => q * key[to][k]),
						"q·k",
						"faint",
					),
				),
				said(`加起来是 ${fixed(dots[from][to])}。`),
			],
			5: () => [
				product(),
				said(
					`${fixed(dots[from][to])} ÷ √${d} = ${fixed(dots[from][to])} ÷ ${fixed(root)} = ${fixed(scores[from][to])}`,
				),
			],
			6: () => {
				const { powers, total } = exponentials();
				return [
					product(`，÷ √${d} 得 ${fixed(scores[from][to])}。`),
					html("p", {}, name(from), ` 这一行，各取指数，加起来 ${fixed(total)}：`),
					strips(...words.map((word, i) => strip([powers[i]], word, "faint", Math.max(...powers)))),
					html("p", {}, "每个除以它，", quotient()),
				];
			},
			7: () => {
				const shares = value.map((row, i) => row.map((x) => weights[from][i] * x)),
					most = Math.max(...shares.flat().map(Math.abs));
				return [
					html("p", {}, "四份值各乘自己的权重，再加起来，就是 ", name(from), " 的输出："),
					strips(...words.map((word, i) => strip(shares[i], `${fixed(weights[from][i])} × ${word}`, "value", most))),
					html("p", {}, "其中 ", quotient()),
				];
			},
		};

		// 跟着的那个词元描上框
		const mark = () => {
			const row = { mark: (i) => i === from },
				pair = { mark: (i, j) => i === from && j === to };
			parts.x.update(data.x, row);
			parts.query.update(query, row);
			parts.key.update(key, row);
			parts.value.update(value, step === STEPS.length - 1 ? {} : row);
			parts.keyT.update(transpose(key), { mark: (_, j) => j === to });
			parts.dots.update(dots, pair);
			parts.scores.update(scores, step === 6 ? row : pair);
			parts.weights.update(weights, pair);
			parts.output.update(output, row);
			detail.replaceChildren(...(details[step]?.() ?? []));
		};
		const chooser = tokens({
			words,
			name: "跟着哪个词元走",
			chosen: from,
			pick: (i) => {
				from = i;
				to = scores[i].indexOf(Math.max(...scores[i]));
				mark();
			},
		});
		const steps = stepper({
			steps: STEPS.map(([, said]) => said),
			show: (i) => {
				step = i;
				// 等号与它后面的结果不拆开
				const nodes = STEPS[i][0].map((part) => parts[part]?.node ?? html("span", { class: "explore-sign" }, part));
				flow.replaceChildren(
					...(nodes.length > 1
						? [...nodes.slice(0, -2), html("div", { class: "explore-result" }, nodes.slice(-2))]
						: nodes),
				);
				mark();
			},
		});
		stage.append(beside([flow], [detail]), steps.node, chooser.node);
		steps.go(6); // 打开时在权重那一步
		return () => ({
			from,
			to,
			step,
			dot: dots[from][to],
			score: scores[from][to],
			weights: weights[from],
			output: output[from],
		});
	};

	// 一个键一条横条，三种除法各一道，选中的那一道粗
	const saturate = ({ wide, average, real = [] }, stage) => {
		const widths = Object.keys(wide)
				.map(Number)
				.sort((a, b) => a - b),
			[queries, count] = [wide[widths[0]].length, wide[widths[0]][0].length];
		const ways = [
			["不除", () => 1],
			["除以 √d", Math.sqrt],
			["除以 d", (d) => d],
		];
		let width = widths.at(-1),
			way = 0,
			asked = 0,
			shown;
		const rows = Array.from({ length: count }, () => ({
			note: html("span", { class: "explore-note" }),
			fill: html("span", { class: "explore-fill" }),
			number: html("span", { class: "explore-number" }),
		}));
		const head = ["", "分数", "权重", ""].map((name) => html("span", { class: "explore-label" }, name));
		const list = html(
			"ul",
			{
				class: "explore-bars explore-keys",
				"aria-label": "一个查询与各个键的分数，给它们的权重",
				style: "--hue: var(--weight)",
			},
			html("li", { "aria-hidden": "true" }, head),
			rows.map(({ note, fill, number }, i) =>
				html(
					"li",
					{},
					html("span", { class: "explore-label" }, `键 ${i + 1}`),
					note,
					html("span", { class: "explore-track" }, fill),
					number,
				),
			),
		);
		const said = html("p", { class: "explore-said", "aria-live": "polite" });
		const draw = () => {
			const dots = wide[width][asked],
				scaled = ways.map(([, divisor]) => dots.map((s) => s / divisor(width))),
				shares = scaled.map(softmax);
			shown = { width, way, asked, scaled: scaled[way], shares: shares[way], mean: average[width][way] };
			rows.forEach(({ note, fill, number }, i) => {
				note.textContent = fixed(scaled[way][i], 1);
				number.textContent = fixed(shares[way][i]);
				fill.style.width = `${100 * shares[way][i]}%`;
			});
			said.textContent = `d = ${width}，${ways[way][0]}：分数从 ${fixed(Math.min(...scaled[way]), 1)} 到 ${fixed(Math.max(...scaled[way]), 1)}，最大的权重 ${fixed(Math.max(...shares[way]))}；许多查询平均 ${fixed(average[width][way])}，平分是 ${fixed(1 / count, 3)}。`;
		};
		const bySlider = slider({
			label: "宽度 d",
			values: widths,
			at: widths.indexOf(width),
			change: (d) => {
				width = d;
				draw();
			},
		});
		const places = real.map((d) => (100 * widths.indexOf(d)) / (widths.length - 1));
		if (real.length)
			bySlider.node.append(
				html(
					"div",
					{ class: "explore-here" },
					html(
						"span",
						{ style: `left: ${Math.min(...places)}%; right: ${100 - Math.max(...places)}%` },
						"真实的头在这里",
					),
				),
			);
		const byChoice = choice({
			label: "点积",
			options: ways.map(([name]) => name),
			at: way,
			change: (i) => {
				way = i;
				draw();
			},
		});
		const another = html(
			"div",
			{ class: "explore-row" },
			html(
				"button",
				{
					type: "button",
					onclick: () => {
						asked = (asked + 1) % queries;
						draw();
					},
				},
				"换一个查询",
			),
		);
		stage.append(list, said, bySlider.node, byChoice.node, another);
		draw();
		return () => shown;
	};

	Explore.define("attention", (data, stage) => {
		const parts = [data.x && stepByStep(data, stage), data.wide && saturate(data, stage)];
		return { state: () => Object.assign({}, ...parts.map((part) => part?.())) };
	});
}
