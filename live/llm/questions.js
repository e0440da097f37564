// 一次前向计算之后能问的：任何一个头的权重，各个头的样子，每层读出来会猜什么，向量有多长。
// 答案都由缓存里留着的键与隐藏状态算得，不必再跑一遍模型。
globalThis.liveQuestions = function (
	{ attentionRow, queries, read },
	{ softmax, probabilityOf, top },
	model,
	cache,
	{ numLayers, dModel, numHeads, vocabSize },
) {
	const { layers, hiddenStates } = cache,
		dHead = dModel / numHeads;
	const KINDS = ["first", "previous", "self"],
		TOP = 5;

	// 第 layer 层第 head 个头的权重 (n, n)：第 i 个位置给前面各个位置的，加起来是 1，后面的是 0
	function attention(n, layer, head) {
		const weights = new Float32Array(n * n),
			query = queries(layer, 0, n, model, cache),
			{ key } = layers[layer];
		for (let i = 0; i < n; i++) {
			attentionRow(query, i * dModel + head * dHead, key, head, i, weights.subarray(i * n, (i + 1) * n));
		}
		return weights;
	}

	// 每个位置、每层每头给第一个词元、前一个词元、自己的权重；算过的留着，多写一个词元就只多算一个位置
	const seen = [];
	const forget = (kept) => {
		seen.length = Math.min(seen.length, kept);
	};

	// 各个头的三种平均权重，各 (层, 头)，对第一个之后的查询取平均；只有一个词元时都是 0
	function patterns(n) {
		const weights = new Float32Array(n),
			from = seen.length;
		while (seen.length < n) seen.push(new Float32Array(KINDS.length * numLayers * numHeads));
		layers.forEach(({ key }, layer) => {
			if (from === n) return;
			const query = queries(layer, from, n, model, cache);
			for (let i = from; i < n; i++) {
				for (let head = 0; head < numHeads; head++) {
					attentionRow(query, (i - from) * dModel + head * dHead, key, head, i, weights);
					[weights[0], weights[Math.max(i - 1, 0)], weights[i]].forEach((weight, kind) => {
						seen[i][(kind * numLayers + layer) * numHeads + head] = weight;
					});
				}
			}
		});
		const mean = (at) => seen.slice(1, n).reduce((sum, row) => sum + row[at], 0) / Math.max(n - 1, 1);
		const heads = numLayers * numHeads;
		const kinds = KINDS.map((name, kind) => [
			name,
			Float32Array.from({ length: heads }, (_, i) => mean(kind * heads + i)),
		]);
		return Object.fromEntries(kinds);
	}

	// 第 position 个位置：嵌入与各层的输出，都像最后一层那样读出来，前五名各是谁；
	// 最后一层的第一名，在每一层排第几（1 是第一），概率多大
	function lens(position) {
		const depths = Array.from({ length: numLayers + 1 }, (_, depth) => depth);
		const probabilities = depths.map((depth) => softmax(read(position, depth, model, cache)));
		const chosen = top(probabilities[numLayers], 1)[0].id;
		return probabilities.map((each) => {
			const rank = each.reduce((count, value) => count + (value > each[chosen]), 1);
			return { top: top(each, TOP), chosen: { rank, probability: each[chosen] } };
		});
	}

	// 第 from 到 end 个词元各有多意外：−log₂ p，p 是读到它前面时给它的概率；分数只有一份，反复用
	const logits = new Float32Array(vocabSize);
	const surprises = (ids, from, end) =>
		ids
			.slice(from, end)
			.map((id, n) => -Math.log2(probabilityOf(id, read(from + n - 1, numLayers, model, cache, logits))));

	// 嵌入与各层的输出里，每个位置的向量有多长，(层 + 1, n)；最后一层的没有经过末尾的归一化
	function norms(n) {
		return Float32Array.from({ length: hiddenStates.length * n }, (_, at) => {
			const hidden = hiddenStates[Math.floor(at / n)],
				start = (at % n) * dModel;
			return Math.sqrt(hidden.subarray(start, start + dModel).reduce((sum, value) => sum + value ** 2, 0));
		});
	}

	return { attention, patterns, forget, surprises, lens, norms };
};
