// 面板的“从词元到最后一层”：嵌入，再一层层，每层四步，每一步之后每个词元的向量有多长；与别处的数出自同一次前向。
{
	const { html, range, fixed, placed } = LiveMarks;
	const STEPS = [
		{ name: "注意力", short: "注", kind: "live-as-weight" },
		{ name: "残差 + 归一化", short: "和", kind: "live-as-output" },
		{ name: "前馈网络", short: "馈", kind: "live-as-value" },
		{ name: "残差 + 归一化", short: "和", kind: "live-as-output" },
	];
	const FULL = 20; // 表里，到这么长就不再加深
	const stepOf = (at) => (at ? STEPS[(at - 1) % 4] : { name: "嵌入", short: "入", kind: "live-as-output" });

	LiveParts.journey = () => {
		const slider = html("input", { type: "range", min: 0, value: 0, "aria-label": "看第几步" });
		const bars = html("div", { class: "live-steps-of", "aria-hidden": true }),
			reading = html("p", { "aria-live": "polite" });
		const layers = html("div", { class: "live-layers-of", "aria-hidden": true });
		const table = html("table", { class: "live-lengths" });
		const all = html(
			"details",
			{},
			html("summary", {}, "每个词元都列出来"),
			html(
				"div",
				{ class: "live-scroll", tabindex: 0, role: "group", "aria-label": "每一步之后各个词元的长度" },
				table,
			),
		);
		const lead = html("summary", { class: "live-journey-of" });
		const strip = html("div", { class: "live-strip-of" }, bars, layers, slider);
		const fold = html("details", { class: "live-fold" }, lead, strip, reading, all);
		const narrow = matchMedia("(max-width: 600px)"); // 那里它自成一页签，就摊开着
		let heard,
			drawn,
			at = 0;

		const tell = (step) => {
			at = step;
			const {
					result: { lengths },
					index,
				} = heard.chosen,
				name = placed(heard.chosen.result.tokens, index);
			const long = (step) => fixed(lengths[step][index]),
				layer = Math.floor((at - 1) / 4);
			const stream = at % 4 === 3 ? at - 1 : Math.max(0, at - 1); // 这一步开始时，它自己
			const said = [
				[
					`第 ${layer} 层，残差 + 归一化：自己加上前馈网络给的，再归一化，`,
					name,
					` 长 ${long(at)}，这就是第 ${layer} 层交出的。`,
				],
				[
					`第 ${layer} 层，注意力：从各个词元那里取来的合成一条，长 ${long(at)}；`,
					name,
					` 自己这时长 ${long(stream)}。`,
				],
				[`第 ${layer} 层，残差 + 归一化：自己加上注意力取来的，再归一化，`, name, ` 长 ${long(at)}。`],
				[
					`第 ${layer} 层，前馈网络：不看别的词元，独自算出一条，长 ${long(at)}；`,
					name,
					` 自己这时长 ${long(stream)}。`,
				],
			][at % 4];
			reading.replaceChildren(
				...(at ? said : ["嵌入：词元、位置、段三种嵌入相加，再归一化，", name, ` 长 ${long(0)}。`]),
			);
			slider.value = at;
			slider.setAttribute("aria-valuetext", reading.textContent);
			[...bars.children].forEach((bar, step) => bar.classList.toggle("live-at", step === at));
		};
		slider.addEventListener("input", () => tell(Number(slider.value)));
		bars.addEventListener(
			"click",
			({ target }) => target.closest(".live-step") && tell([...bars.children].indexOf(target.closest(".live-step"))),
		);
		all.addEventListener("toggle", () => heard && list());

		// 各个词元各一行；句子不变就不重做，只换描着的一行
		const list = () => {
			const { result, index } = heard.chosen,
				{ tokens, lengths } = result;
			if (!all.open) return;
			if (drawn !== result) {
				const cell = (value, step) =>
					html("td", { class: stepOf(step).kind, style: `--share: ${Math.min(1, value / FULL)}` }, Math.round(value));
				const over = range((lengths.length - 1) / 4).map((layer) =>
					html("th", { scope: "colgroup", colspan: 4 }, `第 ${layer} 层`),
				);
				table.replaceChildren(
					html(
						"caption",
						{},
						`每一步之后的长度，舍入到整数；颜色到 ${FULL} 为止。和：残差 + 归一化；注：注意力取来的；馈：前馈网络给的`,
					),
					html(
						"thead",
						{},
						html("tr", {}, html("td"), html("td"), ...over),
						html(
							"tr",
							{},
							html("th", { scope: "col" }, "词元"),
							...lengths.map((_, step) => html("th", { scope: "col" }, stepOf(step).short)),
						),
					),
					html(
						"tbody",
						{},
						...tokens.map((_, i) =>
							html(
								"tr",
								{},
								html("th", { scope: "row" }, placed(tokens, i)),
								...lengths.map((each, step) => cell(each[i], step)),
							),
						),
					),
				);
			}
			drawn = result;
			[...table.tBodies[0].rows].forEach((row, i) => row.classList.toggle("live-chosen", i === index));
		};

		return {
			title: "从词元到最后一层",
			tab: "全程",
			elements: [fold],
			fill() {},
			draw(view) {
				if (narrow.matches || (view.state.tab === "journey" && heard?.state.tab !== "journey")) fold.open = true;
				heard = { ...view, state: { ...view.state } };
				const {
						result: { lengths, tokens, numLayers },
						index,
					} = view.chosen,
					mine = lengths.map((each) => each[index]);
				const top = Math.max(FULL, ...mine);
				lead.replaceChildren(
					placed(tokens, index),
					" 的向量每一步之后有多长：",
					html("span", { class: "live-as-output" }, "它自己"),
					"，",
					html("span", { class: "live-as-weight" }, "注意力取来的"),
					"，",
					html("span", { class: "live-as-value" }, "前馈网络给的"),
					"。",
				);
				slider.max = lengths.length - 1;
				strip.style.setProperty("--layers", numLayers);
				bars.replaceChildren(
					...mine.map((value, step) =>
						html("span", { class: `live-step ${stepOf(step).kind}`, style: `--share: ${value / top}` }, html("span")),
					),
				);
				layers.replaceChildren(
					html("span", {}, "嵌入"),
					...range(numLayers).map((layer) => html("span", {}, numLayers > 6 ? layer : `第 ${layer} 层`)),
				);
				tell(Math.min(at, lengths.length - 1));
				list();
			},
		};
	};
}
