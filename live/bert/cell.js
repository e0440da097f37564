// 面板的“一格怎样算出来”：选中的头里，一个查询看一个键，从 q 与 k 的 32 个数一步步算到权重，再到这个头交出的 32 个数。
// q、k、v 是后台线程里那次前向用的；由它们到权重与输出，用的也是 bert.js 的 scaledDotProductAttention。
{
	const { html, svg, range, fixed, radio, placed } = LiveMarks;
	const ROWS = 16; // 再多就看不过来：只列权重最大的，其余合成一句
	const { scaledDotProductAttention } = liveBert(null);
	const mathml = (tag, ...children) => {
		const made = document.createElementNS("http://www.w3.org/1998/Math/MathML", tag);
		made.append(...children);
		return made;
	};
	const root = (tag, text) => mathml("math", mathml("msqrt", mathml(tag, text)));
	// e 的幂可大可小，留三位有效数字，大的写成几万、几亿
	const { format: short } = new Intl.NumberFormat(document.documentElement.lang, {
		notation: "compact",
		maximumSignificantDigits: 3,
	});
	const greatest = (numbers) => numbers.reduce((top, value) => Math.max(top, Math.abs(value)), 1e-9);

	// 一条数，一个一根：向上是正，向下是负，top 那么长的顶到头
	const strip = (values, top, kind, label) =>
		svg(
			"svg",
			{
				class: `live-strip live-${kind}`,
				viewBox: `0 -1 ${values.length} 2`,
				preserveAspectRatio: "none",
				role: "img",
				"aria-label": label,
			},
			svg("line", { x2: values.length }),
			svg("path", {
				d: Array.from(values, (value, i) => `M${i + 0.12} 0h.76v${(-value / top).toFixed(4)}h-.76z`).join(""),
			}),
		);

	LiveParts.oneCell = ({ id, choose, engine }) => {
		const lead = html("p", { "aria-live": "polite" }),
			steps = html("ol", { class: "live-steps", hidden: true });
		const step = (title, ...parts) => html("li", {}, html("h3", {}, ...[title].flat()), ...parts);
		const sides = html("div", { class: "live-sides" }),
			one = html("p", { class: "live-one" });
		const slider = html("input", { type: "range", min: 0, value: 0, "aria-label": "看第几个数" });
		const numbers = html("table"),
			sum = html("p"),
			share = html("p"),
			rest = html("p"),
			last = html("div", { class: "live-sides" });
		const keys = html("fieldset", { class: "live-rows" }),
			about = html("p");
		const all = html("details", {}, html("summary", {}, "这些数，一个个列出来"), numbers);
		steps.append(
			step("逐个相乘", sides, one, all),
			step(["加起来，除以 ", root("mi", "d")], sum),
			step("与同一个查询的别的分数一起 softmax", share),
			step("各个值乘自己的权重", keys, rest),
			step("加起来，就是它交出的", last, about),
		);
		let heard, asked, vectors, rows, shown;

		// 指着的一列，三条里一起标出
		const point = (c) => {
			slider.value = c;
			sides.style.setProperty("--at", c / shown.products.length);
			const [q, k, product] = [shown.q, shown.k, shown.products].map((values) => fixed(values[c]));
			one.textContent = `第 ${c} 个：${q} × ${shown.k[c] < 0 ? `(${k})` : k} = ${product}`;
			slider.setAttribute("aria-valuetext", one.textContent);
		};
		slider.addEventListener("input", () => point(Number(slider.value)));
		sides.addEventListener("pointermove", ({ target, clientX }) => {
			const box = target.closest(".live-strip")?.getBoundingClientRect();
			if (!box) return;
			const count = shown.products.length;
			point(Math.min(count - 1, Math.max(0, Math.floor(((clientX - box.left) / box.width) * count))));
		});

		// 各行是单选钮，方向键在里面走，所以同一句里不重做，只换内容
		const buildRows = ({ tokens }) => {
			rows = tokens.map((token, j) => {
				const score = html("span", { class: "live-number" }),
					weight = html("span", { class: "live-number" });
				const value = html("span", { class: "live-share" });
				const input = radio(`${id}-key`, () => choose({ with: heard.state.token - heard.chosen.index + j }));
				const bar = html("span", { class: "live-bar-of" });
				const row = html("label", { class: "live-row" }, input, placed(tokens, j), score, bar, weight, value);
				return { row, input, score, weight, value };
			});
			const heads = ["键", "分数", "", "权重", "权重 × 值"].map((name) => html("span", {}, name));
			const header = html("div", { class: "live-row live-row-names", "aria-hidden": true }, ...heads);
			keys.replaceChildren(html("legend", {}, "一行一个键，点一行就换成它"), header, ...rows.map(({ row }) => row));
		};

		const paint = () => {
			const {
				state: { layer, head },
				chosen: { result, index: i, token },
				partner,
			} = heard;
			const { tokens, dModel, numHeads } = result,
				n = tokens.length,
				d = dModel / numHeads;
			const { query, key, value } = vectors;
			const attended = scaledDotProductAttention(query, key, value, 1, n, range(n));
			const weights = attended.weights.subarray(i * n, (i + 1) * n);
			const order = range(n).sort((a, b) => weights[b] - weights[a]);
			const same = partner.result === result;
			const j = same ? partner.index : order[0]; // 另一句里的词元，注意力看不到
			const part = (values, at) => values.subarray(at * d, (at + 1) * d);
			const [q, k] = [part(query, i), part(key, j)];
			const scores = range(n).map(
				(at) => part(key, at).reduce((total, value, c) => total + q[c] * value, 0) / Math.sqrt(d),
			);
			const products = range(d).map((c) => q[c] * k[c]),
				dot = products.reduce((a, b) => a + b);
			shown = { q, k, products };

			const other = same ? "" : "比的是另一句里的词元，注意力看不到它，这里换成看得最多的。";
			lead.replaceChildren(
				`第 ${layer} 层第 ${head} 个头里，`,
				placed(tokens, i),
				" 给 ",
				placed(tokens, j),
				` 的权重是 ${fixed(weights[j])}。${other}它是这样一步步算出来的：`,
			);
			const top = Math.max(greatest(q), greatest(k));
			const side = (kind, letter, name, values, top, label) => [
				html("span", { class: "live-side" }, html("b", {}, letter), " ", ...name),
				strip(values, top, kind, label),
			];
			slider.max = d - 1;
			sides.style.setProperty("--count", d);
			sides.replaceChildren(
				...side("as-query", "q", [placed(tokens, i), " 的查询"], q, top, `${token} 的查询，${d} 个数`),
				...side("as-key", "k", [placed(tokens, j), " 的键"], k, top, `${tokens[j]} 的键，${d} 个数`),
				...side("as-weight", "q × k", ["逐个的积"], products, greatest(products), `${d} 个积`),
				html("span", { class: "live-side" }, "左右拖动"),
				slider,
			);
			point(products.reduce((best, product, c) => (Math.abs(product) > Math.abs(products[best]) ? c : best), 0));
			numbers.replaceChildren(
				html(
					"thead",
					{},
					html("tr", {}, ...["第几个", "q", "k", "q × k"].map((name) => html("th", { scope: "col" }, name))),
				),
				html(
					"tbody",
					{},
					...products.map((product, c) =>
						html(
							"tr",
							{},
							html("th", { scope: "row" }, c),
							...[q[c], k[c], product].map((each) => html("td", {}, fixed(each))),
						),
					),
				),
			);

			const strong = (text) => html("b", {}, text);
			const powers = scores.map(Math.exp),
				total = powers.reduce((a, b) => a + b);
			const equation = (left, right, name) =>
				html("span", { class: "live-equation" }, `${left} = `, strong(right), ` ${name}`);
			sum.replaceChildren(
				`${d} 个积加起来，就是点积 q·k；`,
				root("mi", "d"),
				" = ",
				root("mn", d),
				` ≈ ${fixed(Math.sqrt(d))}。`,
				equation(`${fixed(dot)} ÷ ${fixed(Math.sqrt(d))}`, fixed(scores[j]), "分数"),
			);
			share.replaceChildren(
				placed(tokens, i),
				` 与 ${n} 个键各有一个分数，都取 e 的幂：`,
				placed(tokens, j),
				` 的是 ${short(powers[j])}，${n} 个加起来是 ${short(total)}。`,
				equation(`${short(powers[j])} ÷ ${short(total)}`, fixed(weights[j]), "权重"),
			);

			const kept = new Set([...order.slice(0, n > ROWS ? ROWS - 1 : n), j]),
				left = order.filter((at) => !kept.has(at));
			const carried = range(n).map((at) => part(value, at).map((each) => weights[at] * each));
			const output = part(attended.output, i),
				tallest = Math.max(greatest(output), ...carried.map(greatest));
			rows.forEach(({ row, input, score, weight, value }, at) => {
				row.hidden = !kept.has(at);
				input.checked = at === j;
				input.setAttribute("aria-label", `${tokens[at]}，分数 ${fixed(scores[at])}，权重 ${fixed(weights[at])}`);
				row.style.setProperty("--share", weights[at]);
				[score.textContent, weight.textContent] = [fixed(scores[at]), fixed(weights[at])];
				value.replaceChildren(strip(carried[at], tallest, "as-value", `权重乘 ${tokens[at]} 的值，${d} 个数`));
			});
			rest.textContent = left.length
				? `其余 ${left.length} 个词元的权重都更小，一共 ${fixed(left.reduce((total, at) => total + weights[at], 0))}。`
				: "";
			last.replaceChildren(
				...side("as-output", "输出", ["给 ", placed(tokens, i)], output, tallest, `这个头交给 ${token} 的 ${d} 个数`),
			);
			about.textContent = `${n} 条绿的加起来，就是这个头交给它的 ${d} 个数。${numHeads} 个头各交一条，拼成 ${dModel} 个，再由输出矩阵混合。`;
		};

		return {
			title: "一格怎样算出来",
			elements: [lead, steps],
			fill() {},
			async draw(view) {
				const {
						chosen: { result },
						state: { layer, head },
					} = view,
					ask = [result, layer, head];
				heard = view;
				if (asked && ask.every((each, i) => each === asked[i])) return vectors && paint();
				if (asked?.[0] !== result) buildRows(result);
				steps.hidden = false; // 先占住地方
				asked = ask;
				vectors = null;
				try {
					const answer = await engine().head(...ask);
					if (asked !== ask) return; // 其间又换了头
					vectors = answer;
					paint();
				} catch (error) {
					asked = null;
					lead.textContent = error.message;
				}
			},
		};
	};
}
