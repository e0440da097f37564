// 里面的注意力：层 × 头的一墙，选中的头在词上画成弧线，再列出它看得最多的几个。
globalThis.LlmAttention = (() => {
	const { html, svg, range, fixed, radio } = LiveMarks;
	const { arcs } = LiveCharts;
	const { named } = LlmTokens;
	const KINDS = { first: "第一个词元", previous: "前一个词元", self: "自己" };
	const LISTED = 8;
	const LONGEST = 12; // 弧线下面的词，再长就截断
	const cut = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);
	const nameOf = (layer, head) => `第 ${layer} 层第 ${head} 个头`;

	// 一墙小格：横着是层，竖着是头；浓淡是 values[层 × 头数 + 头]
	function wall({ layers, heads, values, layer, head, width, label }) {
		const [left, top] = [18, 16],
			cell = (width - left - 8) / layers,
			tall = Math.max(14, Math.min(cell, 20));
		const cells = [...values].map((value, i) => {
			const [l, h] = [Math.floor(i / heads), i % heads];
			const at = { x: left + l * cell, y: top + h * tall, width: cell - 1, height: tall - 1 };
			return svg("rect", { ...at, class: "llm-cell", "fill-opacity": value.toFixed(3), "data-share": value });
		});
		const numbers = [1, ...range(layers / 5).map((i) => 5 * (i + 1))]
			.filter((l) => l <= layers)
			.map((l) => svg("text", { class: "live-below", x: left + (l - 0.5) * cell, y: 7 }, l));
		const rows = range(heads).map((h) =>
			svg("text", { class: "live-left", x: left - 5, y: top + (h + 0.5) * tall }, h + 1),
		);
		const frame = {
			x: left + (layer - 1) * cell - 1,
			y: top + (head - 1) * tall - 1,
			width: cell + 1,
			height: tall + 1,
		};
		const drawn = svg(
			"svg",
			{ width, height: top + heads * tall + 2, role: "img", "aria-label": label, "font-size": 11, class: "llm-wall" },
			...numbers,
			...rows,
			...cells,
			svg("rect", { ...frame, class: "llm-frame" }),
		);
		const place = ({ clientX, clientY }) => {
			const box = drawn.getBoundingClientRect(),
				zoom = box.width / width; // 放映时页面是放大的
			const l = Math.floor(((clientX - box.left) / zoom - left) / cell),
				h = Math.floor(((clientY - box.top) / zoom - top) / tall);
			return l >= 0 && l < layers && h >= 0 && h < heads ? [l + 1, h + 1] : null;
		};
		return { drawn, place };
	}

	// 注意力这一折；choose 改状态
	function attention({ id, choose }) {
		let size = { numLayers: 0, numHeads: 0 },
			kind = "first",
			sinkless = false,
			view,
			asked = 0,
			pointed = "";
		const kinds = Object.entries(KINDS).map(([name, text]) => {
			const input = radio(`${id}-kind`, () => ((kind = name), redraw()), name === kind ? { checked: true } : {});
			return html("label", { class: "llm-choice" }, input, html("span", {}, `给${text}`));
		});
		const grid = html("div", { class: "llm-grid" }),
			hint = html("p", { class: "llm-note" });
		const dial = (label, name) => {
			const input = html("input", { type: "range", min: 1, step: 1, "aria-label": label }),
				output = html("output");
			input.addEventListener("input", () => choose({ [name]: Number(input.value) }));
			const set = (value) => (
				(input.value = output.textContent = value),
				input.setAttribute("aria-valuetext", `第 ${value} ${name === "layer" ? "层" : "个头"}`)
			);
			const limit = (max) => (input.max = max);
			return { element: html("label", { class: "llm-slider" }, html("span", {}, label), input, output), set, limit };
		};
		const layer = dial("层", "layer"),
			head = dial("头", "head");
		const off = html("input", { type: "checkbox" });
		off.addEventListener("change", () => ((sinkless = off.checked), redraw()));
		const reading = html("p", { class: "llm-reading", "aria-live": "polite" });
		const picture = html("div", { class: "llm-picture" }),
			list = html("ol", { class: "live-keys" });
		grid.addEventListener("pointermove", (event) => {
			const place = view?.wall?.place(event);
			pointed = place
				? `${nameOf(...place)}：${fixed(view.patterns[kind][(place[0] - 1) * view.heads + place[1] - 1])}`
				: "";
			hint.textContent = pointed || legend();
		});
		grid.addEventListener("click", (event) => {
			const place = view?.wall?.place(event);
			if (place) choose({ layer: place[0], head: place[1] });
		});
		const legend = () =>
			`横着是 ${size.numLayers} 层，竖着是 ${size.numHeads} 个头，越浓，平均给${KINDS[kind]}的越多（不算头一个词元自己的）。点一格，选那个头。`;
		const element = html(
			"div",
			{},
			html("div", { class: "llm-choices", role: "radiogroup", "aria-label": "小格的浓淡是什么" }, ...kinds),
			grid,
			hint,
			html("div", { class: "llm-dials" }, layer.element, head.element),
			reading,
			picture,
			list,
			html(
				"label",
				{ class: "llm-check" },
				off,
				html("span", {}, "画图时拿掉第一个词元，其余的按比例放大到合计 1（只改图，不改模型）"),
			),
		);

		function redraw() {
			if (!view) return;
			const { words, state, patterns, weights, query, heads, layers } = view,
				width = grid.clientWidth;
			if (width < 100) return; // 折着
			layer.set(state.layer);
			head.set(state.head);
			view.wall = wall({
				layers,
				heads,
				values: patterns[kind],
				layer: state.layer,
				head: state.head,
				width,
				label: `${layers} 层 × ${heads} 个头，给${KINDS[kind]}的平均权重`,
			});
			grid.replaceChildren(view.wall.drawn);
			hint.textContent = legend();
			const rest = 1 - weights[0],
				without = sinkless && query > 0;
			const shown = without ? weights.map((weight, i) => (i ? weight / rest : 0)) : weights;
			const order = range(query + 1).sort((a, b) => shown[b] - shown[a]);
			const most = order.slice(0, 3).flatMap((i) => ["、", named(words[i]), ` ${fixed(shown[i])}`]);
			const said = without
				? `（图上拿掉了第一个词元的 ${fixed(weights[0])}，其余合计 ${fixed(rest)}，放大成了 1）`
				: "";
			reading.replaceChildren(
				`${nameOf(state.layer, state.head)}里，`,
				named(words[query]),
				` 看得最多的是 `,
				...most.slice(1),
				`${said}。`,
			);
			const n = query + 1,
				values = new Float32Array(n * n); // 弧线只画 query 的一排，别的空着
			values.set(shown, query * n);
			const label = `弧线：${nameOf(state.layer, state.head)}的权重，数在下面`,
				onChoose = (token) => choose({ token });
			picture.replaceChildren(
				arcs({ words: words.slice(0, n).map((word) => cut(word.shown)), values, query, width, label, onChoose }),
			);
			list.replaceChildren(
				...order
					.slice(0, LISTED)
					.map((i) =>
						html(
							"li",
							{ style: `--share: ${shown[i]}`, "data-key": i, "data-weight": shown[i] },
							named(words[i]),
							html("span", { class: "live-bar-of" }),
							html("span", { class: "live-number" }, fixed(shown[i])),
						),
					),
			);
			return shown;
		}

		return {
			title: "注意力",
			get about() {
				return `${size.numLayers} 层 × ${size.numHeads} 个头，它在看谁`;
			},
			fit(model) {
				size = model;
				layer.limit(model.numLayers);
				head.limit(model.numHeads);
				view = null; // 画着的是另一个模型的
			},
			element,
			redraw,
			// 问引擎要这个头的权重；问的时候又换了，就不画旧的
			async show({ engine, words, state, query }) {
				const turn = ++asked;
				const key = words.map((word) => word.id).join();
				const patterns = view?.key === key ? view.patterns : await engine.patterns();
				const all = await engine.attention(state.layer - 1, state.head - 1);
				if (turn !== asked) return;
				const n = words.length,
					{ numLayers: layers, numHeads: heads } = engine.config;
				view = {
					key,
					words,
					state,
					query,
					patterns,
					layers,
					heads,
					weights: Array.from(all.subarray(query * n, query * n + query + 1)),
				};
				return redraw();
			},
		};
	}

	return { attention, nameOf };
})();
