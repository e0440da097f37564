// 面板的“注意力”：全部的头，选中的一个，再钉住一个并排来比；一个头画成方格，或者画成词上的弧线。
{
	const { html, fixed, inkOf, radio, placed } = LiveMarks;
	const { matrix, arcs, gallery, bars } = LiveCharts;
	const { weightsOf, nameOf } = LiveNumbers;
	const VIEWS = { "": "方格", arcs: "弧线" };
	const LEAST = { max: 0.9, step: 0.05 };

	// 一排单选钮：[值, 写什么]
	const choiceOf = (legend, name, options, onChoose) => {
		const inputs = options.map(([value, text]) => [value, radio(name, () => onChoose(value)), text]);
		const labels = inputs.map(([, input, text]) => html("label", {}, input, html("span", {}, text)));
		const element = html("fieldset", { class: "live-views" }, html("legend", {}, legend), ...labels);
		const show = (chosen) => inputs.forEach(([value, input]) => (input.checked = value === chosen));
		return { element, show };
	};

	LiveParts.attention = ({ id, block, choose, show }) => {
		const whole = !block.dataset.parts; // 各章的小面板只有小图、方格与横条
		const group = `${id}-head`;
		let heads = { element: html("fieldset", { class: "live-heads" }) },
			filled,
			painted,
			shade,
			heard;
		const map = html("div", {
			class: "live-map",
			tabindex: 0,
			role: "application",
			"aria-label": "权重图：方向键换查询与键",
		});
		let move = () => {};
		map.addEventListener("keydown", (event) => {
			const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
			if (!step) return;
			event.preventDefault();
			// 弧线上词排成一排：左右换查询
			move(...(heard.state.view === "arcs" ? step.reverse() : step));
		});
		const pointed = html("span", { class: "live-pointed" }),
			how = html("button", { type: "button" }, "它怎样算出来？");
		how.addEventListener("click", () => show("oneCell"));
		const pin = html("button", { type: "button" });
		pin.addEventListener("click", () =>
			choose({ pin: heard.pinned ? "" : `${heard.state.layer}-${heard.state.head}` }),
		);
		const views = choiceOf("画成", `${id}-view`, Object.entries(VIEWS), (view) => choose({ view }));
		const least = html("input", { id: `${id}-least`, type: "range", min: 0, ...LEAST });
		least.addEventListener("input", () => choose({ least: Number(least.value) ? least.value : "" }));
		const leastSaid = html("output", { for: least.id });
		const threshold = html(
			"p",
			{ class: "live-least" },
			html("label", { for: least.id }, "别的词元的弧"),
			least,
			leastSaid,
		);
		const filters = html("fieldset", { class: "live-kinds" });
		const rule = html("p", { class: "live-rule", hidden: true });

		const reading = html("p", { "aria-live": "polite" }),
			keys = html("div", { class: "live-weights" });
		const other = html("div"),
			otherKeys = html("div", { class: "live-weights" });
		const [name, otherName] = [html("p", { class: "live-head-of" }), html("p", { class: "live-head-of" })];
		const beside = [otherName, other, otherKeys].map((each) => html("div", { class: "live-pinned" }, each));
		const picture = html(
			"div",
			{ class: "live-picture" },
			map,
			html("p", { class: "live-pair-of" }, pointed, ...(whole ? [how] : [])),
		);
		const detail = html(
			"div",
			{ class: "live-detail" },
			...(whole ? [name, beside[0]] : []),
			picture,
			...(whole ? [beside[1]] : []),
			keys,
			...(whole ? [beside[2]] : []),
		);
		const controls = html("div", { class: "live-controls" }, views.element, pin, threshold);
		const lead = html("div", { class: "live-gallery" }, heads.element, ...(whole ? [filters, rule] : []));

		// 每个头是哪一种、有几个；挑一种，别的就淡下去
		function drawPatterns({ state, chosen: { result } }) {
			result.patterns ||= LivePatterns.patternsIn(result);
			const { patterns } = result,
				kinds = LivePatterns.KINDS.map((each) => ({ ...each, label: LivePatterns.labelOf(each.label, result.model) })),
				kindAt = (l, h) => kinds.find(({ name }) => name === patterns[l][h].kind);
			const count = (kind) => patterns.flat().filter((each) => each.kind === kind).length;
			if (filters.dataset.made !== result.model) {
				const all = { name: "", label: "全部" };
				const made = [all, ...kinds].map(({ name, badge, label }) => {
					const input = radio(`${id}-kind`, () => choose({ kind: name }), { value: name });
					return html("label", {}, input, html("span", badge ? { "data-badge": badge } : {}, label, " ", html("b")));
				});
				filters.replaceChildren(html("legend", {}, "各看什么（按这一句量的）"), ...made);
				filters.dataset.made = result.model;
			}
			for (const { control, lastChild } of filters.querySelectorAll("label")) {
				control.checked = control.value === state.kind;
				lastChild.lastChild.textContent = control.value ? count(control.value) : patterns.flat().length;
			}
			heads.mark((l, h) => {
				const { badge, label } = kindAt(l, h),
					pinned = state.pin === `${l}-${h}`;
				const said = `${nameOf(l, h)}：${label}${pinned ? "，钉住的" : ""}`;
				return { badge, said, dim: Boolean(state.kind) && patterns[l][h].kind !== state.kind, pinned };
			});
			rule.hidden = !state.kind;
			rule.textContent = LivePatterns.labelOf(
				"除去 [CLS] 与 [SEP] 自己的行，平均一半以上的权重给了谁，就叫谁；谁也没有过半，而每行最大的一份平均不到 0.3，叫分散；其余都不是。",
				result.model,
			);
			return kindAt;
		}

		// 一个头：方格或弧线
		function drawHead(
			into,
			values,
			{ state, chosen: { result, index }, column, width, ink, label, onPoint, onChoose },
		) {
			const { tokens } = result;
			const drawn =
				whole && state.view === "arcs"
					? arcs({
							words: tokens,
							values,
							query: index,
							least: Number(state.least) || Infinity,
							width,
							label,
							onChoose,
						})
					: matrix({ rows: tokens, columns: tokens, width, values, row: index, column, ink, label, onPoint, onChoose });
			into.replaceChildren(drawn);
		}

		function drawPinned(view, pinned, drawing) {
			const {
					chosen: { result, index },
				} = view,
				n = result.tokens.length,
				values = weightsOf(result, ...pinned);
			otherName.replaceChildren(html("b", {}, nameOf(...pinned)), "（钉住的）");
			drawHead(other, values, { ...drawing, label: `钉住的${nameOf(...pinned)}，数在下面` });
			otherKeys.replaceChildren(bars(result.tokens, values.subarray(index * n, (index + 1) * n)));
		}

		return {
			title: "注意力",
			tab: "注意力",
			lead, // 整页的，宽处在左边
			elements: [reading, ...(whole ? [controls] : []), detail],
			weights: ({ state, chosen: { result, index } }) => {
				const n = result.tokens.length;
				return weightsOf(result, state.layer, state.head).subarray(index * n, (index + 1) * n);
			},
			fill({ results: [{ model, numLayers, numHeads }] }) {
				if (filled === model) return;
				[filled, painted] = [model, undefined];
				const before = heads.element;
				const legend = `${numLayers} 层 × ${numHeads} 个头，选一张权重图`;
				const onChoose = (layer, head) => choose({ layer, head });
				heads = gallery({ rows: numLayers, columns: numHeads, group, legend, corner: "层", name: nameOf, onChoose });
				before.replaceWith(heads.element);
			},
			draw(view) {
				const { state, chosen, partner, weights } = view,
					{ layer, head, token } = state,
					{ result, index } = chosen;
				const { tokens, numLayers, numHeads } = result,
					n = tokens.length,
					ink = inkOf(block);
				const pair = (state.pin || "").split("-").map(Number),
					known = state.pin && pair[0] < numLayers && pair[1] < numHeads;
				heard = { state, pinned: known };
				if (painted !== result || shade !== String(ink)) heads.show((l, h) => weightsOf(result, l, h), n, ink);
				[painted, shade] = [result, String(ink)];
				heads.choose(layer, head);
				const kindAt = whole ? drawPatterns(view) : null;

				const values = weightsOf(result, layer, head),
					label = `${nameOf(layer, head)}的权重图，数在下面`;
				const column = partner.result === result ? partner.index : undefined; // 键；配对的在另一句里，就没有
				const onChoose = (query, key) =>
					query in tokens &&
					choose({ token: token - index + query, ...(key in tokens && { with: token - index + key }) });
				const onPoint = (query, key) => {
					const inside = query in tokens && key in tokens;
					const said = inside
						? [placed(tokens, query), " → ", placed(tokens, key), `：${fixed(values[query * n + key])}`]
						: [];
					pointed.replaceChildren(...said);
				};
				move = (down, right) => onChoose(index + down, (column ?? index) + right);
				detail.classList.toggle("live-two", Boolean(known));
				detail.classList.toggle("live-curved", state.view === "arcs");
				for (const each of [name, ...beside]) each.hidden = !known;
				other.className = known ? "live-map" : "";
				const width = known ? picture.clientWidth : detail.clientWidth;
				const drawing = { state, chosen, column, width, ink, label, onPoint, onChoose };
				drawHead(map, values, drawing);
				onPoint(index, column);
				name.replaceChildren(html("b", {}, nameOf(layer, head)), "（选中的）");
				if (known) drawPinned(view, pair, drawing);
				else for (const each of [otherName, other, otherKeys]) each.replaceChildren();
				pin.textContent = known ? "取下钉住的头" : "钉住这个头，再选一个来比";
				views.show(state.view);
				threshold.hidden = state.view !== "arcs";
				least.value = state.least || 0;
				leastSaid.textContent = state.least ? `权重不小于 ${fixed(Number(state.least))} 的也画` : "不画";

				const order = tokens.map((_, i) => i).sort((a, b) => weights[b] - weights[a]);
				const most = order.slice(0, 3).flatMap((i) => ["、", placed(tokens, i), ` ${fixed(weights[i])}`]);
				const kind = kindAt?.(layer, head),
					named_ = kind?.badge ? `这个头多半看${/^\p{Script=Han}/u.test(kind.label) ? "" : " "}${kind.label}。` : "";
				reading.replaceChildren(
					`${nameOf(layer, head)}里，`,
					placed(tokens, index),
					" 看得最多的是 ",
					...most.slice(1),
					`。${kind?.name === "broad" ? "这个头看得分散。" : named_}`,
				);
				keys.replaceChildren(bars(tokens, weights));
			},
		};
	};
}
