// 面板的“逐层的余弦相似度”：选中的两个词元逐层有多像，旁边是随机词对的平均。
{
	const { html, isSpecial, placed } = LiveMarks;
	const { lines, table } = LiveCharts;
	const { vectorOf, cosine, mean } = LiveNumbers;

	// 同一句里所有不同的词元两两的余弦（特殊词元不算），即《同一个 bank》那一章的随机词对
	const differentPairs = (result, layer) => {
		const words = result.tokens.flatMap((token, i) => (isSpecial(token) ? [] : [i]));
		const others = (i) => words.filter((j) => j > i && result.ids[i] !== result.ids[j]);
		return words.flatMap((i) => others(i).map((j) => cosine(vectorOf(result, layer, i), vectorOf(result, layer, j))));
	};

	LiveParts.cosine = ({ id, choose }) => {
		const select = html("select", { id: `${id}-with`, lang: "en" });
		select.addEventListener("change", () => choose({ with: select.selectedIndex }));
		const chart = html("div", { class: "live-lines" }),
			numbers = html("table");
		const ask = html("p", { class: "live-ask" }, html("label", { for: select.id }, "选中的词元，与谁比？"), select);
		return {
			title: "逐层的余弦相似度",
			tab: "余弦",
			elements: [ask, html("div", { class: "live-curves" }, chart, numbers)],
			fill({ results }) {
				select.lang = LiveState.MODELS[results[0].model].lang;
				// 合着的时候只看得见一项，所以第几句写在里面
				const which = (k) => (results.length > 1 ? `第${"一二"[k]}句` : "");
				const option = (k) => (token, i) => html("option", {}, `${token}（${which(k)}第 ${i} 个）`);
				select.replaceChildren(...results.flatMap(({ tokens }, k) => tokens.map(option(k))));
			},
			draw({ state, chosen, partner }) {
				select.selectedIndex = state.with;
				const both = [...new Set([chosen.result, partner.result])];
				const perLayer = (numberOf) => chosen.result.hidden.map((_, layer) => numberOf(layer));
				for (const result of both) result.pairs ||= perLayer((layer) => differentPairs(result, layer));
				const name = ({ result, index, sentence }) => [
					placed(result.tokens, index),
					...(both.length > 1 ? [`（第${"一二"[sentence]}句）`] : []),
				];
				const vector = ({ result, index }, layer) => vectorOf(result, layer, index);
				const curves = [
					{
						kind: "live-pair",
						name: [...name(chosen), " 与 ", ...name(partner)],
						values: perLayer((layer) => cosine(vector(chosen, layer), vector(partner, layer))),
					},
					{
						kind: "live-random",
						name: ["随机词对"],
						values: perLayer((layer) => mean(both.flatMap((result) => result.pairs[layer]))),
					},
				].filter(({ values }) => !values.some(Number.isNaN)); // 只有一个词，就没有词对
				const label = "余弦相似度随层的变化，数在下面的表里";
				chart.replaceChildren(lines({ curves, width: chart.clientWidth, label, below: "层（0 是嵌入层的输出）" }));
				numbers.replaceChildren(...table({ curves, corner: "层" }));
			},
		};
	};
}
