// 各个头在看什么：一条简单的规矩，与《多头注意力》一章相同，只是量的就是眼前这一句。
// 只看 [CLS]、[SEP]（多语的是 <s>、</s>）以外的词元自己的行：平均一半以上的权重给了谁，就叫谁；
// 谁也没有过半，而每行最大的一份平均不到 0.3，叫“分散”；其余没有名字。
globalThis.LivePatterns = (() => {
	const { range } = LiveMarks;
	const { weightsOf, mean } = LiveNumbers;

	const KINDS = [
		{ name: "previous", badge: "前", label: "前一个词元" },
		{ name: "next", badge: "后", label: "后一个词元" },
		{ name: "self", badge: "己", label: "自己" },
		{ name: "first", badge: "首", label: "[CLS]" },
		{ name: "stop", badge: "点", label: "[SEP] 与标点" },
		{ name: "broad", badge: "散", label: "分散" },
		{ name: "other", badge: "", label: "都不是" },
	];
	const BROAD = 0.3;
	const isStop = (token) => token !== "▁" && (/^(\[SEP\]|<\/s>)$/.test(token) || !/[\p{L}\p{N}]/u.test(token));

	// 名字里的记号照这一个模型的
	const labelOf = (label, model) => {
		const { first, last } = LiveState.MODELS[model];
		return label.replace("[CLS]", first).replace("[SEP]", last);
	};

	// 一个头在 rows 里平均给五种去处各多少，与每行最大的一份
	function sharesOf(values, n, rows, stops) {
		const give = (places) => mean(rows.flatMap((i) => places(i).map((j) => values[i * n + j])));
		const toStops = mean(rows.map((i) => stops.reduce((sum, j) => sum + values[i * n + j], 0)));
		const beside = (step) => (rows.length > 1 ? give((i) => (rows.includes(i + step) ? [i + step] : [])) : 0);
		const top = mean(rows.map((i) => Math.max(...values.subarray(i * n, (i + 1) * n))));
		return {
			previous: beside(-1),
			next: beside(1),
			self: give((i) => [i]),
			first: give(() => [0]),
			stop: toStops,
			top,
		};
	}

	// result 的每个头是哪一种：[层][头] → { kind, shares }
	function patternsIn(result) {
		const { tokens, numLayers, numHeads } = result,
			n = tokens.length;
		const rows = range(n).slice(1, -1),
			stops = range(n).filter((j) => j > 0 && isStop(tokens[j]));
		const pattern = (layer, head) => {
			const shares = sharesOf(weightsOf(result, layer, head), n, rows, stops);
			const places = KINDS.slice(0, 5).sort((a, b) => shares[b.name] - shares[a.name]);
			const wide = shares.top < BROAD ? "broad" : "other";
			return { kind: shares[places[0].name] >= 0.5 ? places[0].name : wide, shares };
		};
		return range(numLayers).map((layer) => range(numHeads).map((head) => pattern(layer, head)));
	}

	return { KINDS, labelOf, patternsIn };
})();
