// 消息怎样走，两样，给了哪样的数就画哪样：
// 一个头里谁听谁：tokens（N 个词）、weights（N×N，第 i 份是第 i 个词分给各个词的权重）、chosen（先看第几个）；
// 三种网络赛跑：sentences（几句话，从短到长，消息从第一个词走到最后一个）、windows（CNN 的几种窗口）、keeps（RNN 每步留下几成，先看 0.5 的）、d（特征的个数）。
{
	const { html, svg, fixed, tokens, arcs, slider, beside } = Explore;

	const listen = ({ tokens: words, weights, chosen = 0 }, stage) => {
		const width = Math.min(740, stage.clientWidth || 640);
		const drawn = arcs({ words, name: "一个词听谁多、听谁少：弧越粗，权重越大", width, least: 0.2 });
		const said = html("p", { class: "explore-said", "aria-live": "polite" });
		let now;
		const show = (i) => {
			now = i;
			const order = weights[i].map((_, j) => j).sort((a, b) => weights[i][b] - weights[i][a]);
			const top = order.slice(0, 3),
				rest = order.slice(3).reduce((sum, j) => sum + weights[i][j], 0);
			const shares = top.map((j) => `${words[j]} ${fixed(weights[i][j])}`).join("，");
			said.textContent = `${words[i]} 把注意力分给：${shares}；其余 ${words.length - 3} 个合起来 ${fixed(rest)}。`;
			drawn.update(i, weights[i]);
		};
		stage.append(drawn.node, said, tokens({ words, name: "看哪个词", chosen, pick: show }).node);
		show(chosen);
		return { state: () => ({ chosen: now, weights: weights[now] }) };
	};

	const race = ({ sentences, windows, keeps, d }, stage) => {
		let words,
			n,
			k = windows[0],
			keep = 0.5,
			layers,
			now,
			timer = null;

		// ---- 与这一章的代码格相同：走几步、还剩多少、多少次乘法 ----

		const slide = (row) =>
			row.map((_, i) => {
				let sum = 0;
				for (let j = Math.max(0, i - (k - 1) / 2); j <= Math.min(n - 1, i + (k - 1) / 2); j++) sum += row[j];
				return sum / k;
			});
		const remaining = () => {
			let row = Array.from({ length: n }, (_, i) => Number(i === 0));
			for (let layer = 0; layer < layers; layer++) row = slide(row);
			return [keep ** (n - 1), row[n - 1], 1 / n];
		};
		const multiplications = () => [2 * n * d * d, layers * k * n * d * d, 4 * n * d * d + 2 * n * n * d];

		// ---- 三条跑道：每条几排圆点，from → to 是连线，走到第几步就亮到哪里 ----

		const width = Math.min(560, stage.clientWidth || 560),
			TALLEST = 150;
		const LANES = [
			{
				name: "RNN",
				counted: (t) => `走了 ${t} 步`,
				rows: () => 1,
				height: () => 0,
				steps: () => n - 1,
				lit: (_, i, t) => i <= t,
				route: (t) => Array.from({ length: t + 1 }, (_, i) => [0, i]),
			},
			{
				name: "CNN",
				counted: (t) => `叠了 ${t} 层`,
				rows: () => layers + 1,
				height: () => Math.min(20 * layers, TALLEST),
				steps: () => layers,
				lit: (row, i, t) => row <= t && i <= (row * (k - 1)) / 2,
				linked: (i, j) => Math.abs(i - j) <= (k - 1) / 2,
				route: (t) => Array.from({ length: t + 1 }, (_, row) => [row, Math.min(n - 1, (row * (k - 1)) / 2)]),
			},
			{
				name: "注意力",
				counted: (t) => `走了 ${t} 步`,
				rows: () => 2,
				height: () => 80,
				steps: () => 1,
				lit: (row, i, t) => (row === 0 ? i === 0 : t > 0),
				linked: () => true,
				route: (t) =>
					[
						[0, 0],
						[1, n - 1],
					].slice(0, t + 1),
			},
		];
		for (const lane of LANES) {
			lane.parts = ["edges", "nodes", "lit", "route"].map((kind) => svg("path", { class: `explore-${kind}` }));
			lane.words = svg("g", { lang: "en" });
			lane.svg = svg("svg", { role: "img", style: `max-width: ${width}px` }, lane.parts, lane.words);
			lane.state = html("span", { class: "explore-note" });
		}
		const sized = () => {
			const gap = (width - 24) / (n - 1),
				dot = Math.min(13, Math.max(2.5, 0.5 * gap));
			for (const lane of LANES) {
				const rows = lane.rows(),
					height = lane.height(),
					step = height / Math.max(1, rows - 1);
				lane.at = ([row, i]) => `${(12 + gap * i).toFixed(1)},${(12 + height - step * row).toFixed(1)}`;
				const edges = [],
					dots = [];
				for (let row = 0; row < rows; row++)
					for (let i = 0; i < n; i++) {
						dots.push([row, i]);
						if (lane.linked && row)
							for (let j = 0; j < n; j++)
								if (lane.linked(i, j)) edges.push(`M${lane.at([row - 1, j])}L${lane.at([row, i])}`);
					}
				lane.all = dots;
				lane.parts[0].setAttribute("d", lane.linked ? edges.join("") : `M${lane.at([0, 0])}L${lane.at([0, n - 1])}`);
				lane.parts[0].style.opacity = Math.min(1, 200 / edges.length + 0.12);
				lane.parts[1].setAttribute("d", points(lane, dots));
				for (const part of lane.parts.slice(1, 3))
					part.style.strokeWidth = rows > 2 ? Math.min(dot, Math.max(2.5, 0.6 * step)) : dot;
				lane.svg.setAttribute("viewBox", `0 0 ${width} ${height + 42}`);
				// 词放不下时只写头尾两个
				lane.words.replaceChildren(
					...words.flatMap((word, i) =>
						gap < 56 && i % (n - 1)
							? []
							: [
									svg(
										"text",
										{
											x: i === 0 ? 0 : i === n - 1 ? width : 12 + gap * i,
											y: height + 38,
											"text-anchor": i === 0 ? "start" : i === n - 1 ? "end" : "middle",
										},
										word,
									),
								],
					),
				);
			}
		};
		const points = (lane, dots) => dots.map((dot) => `M${lane.at(dot)}h0`).join("");
		const finish = () => Math.max(...LANES.map((lane) => lane.steps()));
		const draw = () => {
			for (const lane of LANES) {
				const steps = lane.steps(),
					t = Math.min(now, steps);
				lane.parts[2].setAttribute(
					"d",
					points(
						lane,
						lane.all.filter(([row, i]) => lane.lit(row, i, t)),
					),
				);
				lane.parts[3].setAttribute("d", `M${lane.route(t).map(lane.at).join("L")}`);
				lane.state.textContent = `${lane.counted(t)}，${t < steps ? `到了 ${words[lane.route(t).at(-1)[1]]}` : `到了 ${words[n - 1]} ✓`}`;
				lane.svg.setAttribute("aria-label", `${lane.name}：${lane.state.textContent}`);
			}
			forward.disabled = now === finish();
		};

		// ---- 句子、窗口、播放 ----

		const said = html("p", { lang: "en" });
		const cells = [
			["路径长度", () => LANES.map((lane) => lane.steps())],
			["串行步数", () => [n, layers, 1]],
			[`乘法（D = ${d}）`, multiplications],
			["还剩", remaining],
		].map(([label, values]) => ({ label, values, cells: LANES.map(() => html("td")) }));
		const written = (x) =>
			Number.isInteger(x) ? x.toLocaleString("en") : x < 1e-4 ? x.toExponential(2) : x.toPrecision(3);
		const stop = () => {
			clearInterval(timer);
			timer = null;
			play.textContent = "播放";
		};
		const go = (t) => {
			now = Math.min(t, finish());
			draw();
		};
		const forward = html(
			"button",
			{
				type: "button",
				onclick: () => {
					stop();
					go(now + 1);
				},
			},
			"走一步",
		);
		const play = html(
			"button",
			{
				type: "button",
				onclick: () => {
					if (timer) return stop();
					if (now === finish()) go(0);
					timer = setInterval(
						() => {
							go(now + 1);
							if (now === finish()) stop();
						},
						Math.max(60, Math.min(700, 6000 / finish())),
					);
					play.textContent = "暂停";
				},
			},
			"播放",
		);
		const restart = html(
			"button",
			{
				type: "button",
				onclick: () => {
					stop();
					go(0);
				},
			},
			"从头",
		);
		const change = () => {
			stop();
			n = words.length;
			layers = Math.ceil((n - 1) / ((k - 1) / 2));
			said.replaceChildren(
				html("b", {}, words[0]),
				` ${words.slice(1, -1).join(" ")} `,
				html("b", {}, words[n - 1]),
				" …",
			);
			for (const row of cells)
				row.values().forEach((x, i) => {
					row.cells[i].textContent = written(x);
				});
			sized();
			go(finish());
		};
		const bySentence = slider({
			label: "句子",
			values: sentences.map((s) => s.split(" ")),
			at: 1,
			show: (s) => `${s.length} 个词`,
			change: (s) => {
				words = s;
				change();
			},
		});
		const byWindow = slider({
			label: "CNN 的窗口",
			values: windows,
			change: (w) => {
				k = w;
				change();
			},
		});
		const byKeep = slider({
			label: "RNN 每步留下",
			values: keeps,
			at: keeps.indexOf(keep),
			change: (x) => {
				keep = x;
				change();
			},
		});
		const head = html(
			"tr",
			{},
			html("td"),
			LANES.map(({ name }) => html("th", { scope: "col" }, name)),
		);
		const table = html(
			"table",
			{ class: "explore-table" },
			html("thead", {}, head),
			html(
				"tbody",
				{},
				cells.map((row) => html("tr", {}, html("th", { scope: "row" }, row.label), row.cells)),
			),
		);
		const lanes = LANES.map((lane) =>
			html(
				"div",
				{ class: "explore-lane" },
				html("p", {}, html("b", {}, lane.name), " ", lane.state),
				html(
					"div",
					lane.name === "CNN" ? { style: `aspect-ratio: ${width} / ${TALLEST + 42}; max-width: ${width}px` } : {},
					lane.svg,
				),
			),
		);
		stage.append(
			said,
			beside(lanes, [
				table,
				html("div", { class: "explore-row" }, play, forward, restart),
				bySentence.node,
				byWindow.node,
				byKeep.node,
			]),
		);
		words = sentences[1].split(" ");
		change();
		return {
			state: () => ({
				n,
				k,
				keep,
				now,
				reached: LANES.map((lane) => lane.route(Math.min(now, lane.steps())).at(-1)[1]),
				rows: cells.map(({ values }) => values()),
			}),
		};
	};

	Explore.define("messages", (data, stage) => {
		return data.weights ? listen(data, stage) : race(data, stage);
	});
}
