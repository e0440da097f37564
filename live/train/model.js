// 一个小的 Transformer，连同它的梯度：嵌入，几层注意力与前馈网络，最后一个线性映射给出每个位置上各个词元的分数。
//
// 选择 choices：layers、heads、width、ffn、plusAttention 与 plusFfn（两个残差连接）、norm（none、pre、post）、
// positions（none、learned、sinusoid、rope）、mask（none、causal）、seed；vocabSize、batch、maxLength 由任务而来。
globalThis.trainModel = function ({ trainProducts, trainParts, trainRandom }) {
	// 先走一遍，只数要多少内存；再走一遍，真的要
	function layOut(choices, maxRows, tools, values) {
		const { layers, heads, width, vocabSize, maxLength, mask, positions, norm, seed } = choices;
		const { stream } = trainRandom(),
			parameters = {},
			size = { batch: 0, length: 0, rows: 0 };

		// 参数各自按名字抽签：A 与 B 里同名同形的，开头就一模一样。spread 是标准差，抽的是均匀的
		function parameter(name, shape, spread, centre = 0) {
			const count = shape.reduce((a, b) => a * b),
				made = { shape, ...values.take(count) };
			const { next } = stream(seed, name);
			if (made.value) for (let i = 0; i < count; i++) made.value[i] = centre + spread * (2 * next() - 1) * Math.sqrt(3);
			return (parameters[name] = made);
		}

		const { embedding, linear, layerNorm, attention, feedForward, sublayer, exp } = trainParts(tools, {
			parameter,
			size,
			maxRows,
			maxLength,
		});
		const embed = embedding(vocabSize, width, positions);
		const attentions = [],
			stack = [];
		for (let i = 0; i < layers; i++) {
			const attn = attention(`layers.${i}.self_attn`, width, heads, { mask, rope: positions === "rope" });
			attentions.push(attn);
			stack.push(sublayer(attn, `layers.${i}.norm1`, width, { norm, residual: choices.plusAttention }));
			if (!choices.ffn) continue;
			const ffn = feedForward(`layers.${i}.ffn`, width);
			stack.push(sublayer(ffn, `layers.${i}.norm2`, width, { norm, residual: choices.plusFfn }));
		}
		if (norm === "pre") stack.push(layerNorm("norm", width));
		stack.push(linear("head", width, vocabSize));
		return { parameters, size, embed, attentions, stack, exp, probabilities: tools.take(maxRows * vocabSize) };
	}

	return function model(choices, wasm) {
		const { vocabSize, batch, maxLength } = choices,
			maxRows = batch * maxLength;
		let words = 0,
			count = 0;
		const roundUp = (n) => 4 * Math.ceil(n / 4);
		layOut(choices, maxRows, { take: (n) => void (words += roundUp(n)) }, { take: (n) => void (count += roundUp(n)) });

		const tools = trainProducts(wasm, words + 4 * count, Math.max(maxRows, 4 * choices.width));
		// 参数、梯度与 AdamW 的两个平均，各是连着的一段
		const [values, gradients, first, second] = [0, 1, 2, 3].map(() => tools.take(count));
		let used = 0;
		const taken = (n) => {
			const part = (all) => all.subarray(used, used + n),
				made = { value: part(values), gradient: part(gradients) };
			used += roundUp(n);
			return made;
		};
		const { parameters, size, embed, attentions, stack, exp, probabilities } = layOut(choices, maxRows, tools, {
			take: taken,
		});

		// ids 是 batch × length 个编号 → 各个位置上各个词元的分数
		function forward(ids, sentences, length) {
			Object.assign(size, { batch: sentences, length, rows: sentences * length });
			return stack.reduce((x, part) => part.forward(x), embed.forward(ids));
		}

		// 分数 → 概率，与平均的损失；目标是 -1 的位置不考。返回 { loss, right, counted }
		function lossOf(scores, targets) {
			let loss = 0,
				right = 0,
				counted = 0;
			for (let row = 0, at = 0; row < size.rows; row++, at += vocabSize) {
				let best = 0,
					sum = 0;
				for (let j = 1; j < vocabSize; j++) if (scores[at + j] > scores[at + best]) best = j;
				for (let j = 0; j < vocabSize; j++) sum += probabilities[at + j] = exp(scores[at + j] - scores[at + best]);
				for (let j = 0; j < vocabSize; j++) probabilities[at + j] /= sum;
				if (targets[row] < 0) continue;
				counted++;
				loss += Math.log(sum) + scores[at + best] - scores[at + targets[row]];
				right += best === targets[row];
			}
			return { loss: loss / counted, right, counted };
		}

		// 交叉熵对分数的梯度：概率减去目标的独热；再从后往前，一个零件一个零件地退
		function backward(targets, counted) {
			gradients.fill(0);
			for (let row = 0, at = 0; row < size.rows; row++, at += vocabSize) {
				for (let j = 0; j < vocabSize; j++)
					probabilities[at + j] = targets[row] < 0 ? 0 : probabilities[at + j] / counted;
				if (targets[row] >= 0) probabilities[at + targets[row]] -= 1 / counted;
			}
			embed.backward(stack.reduceRight((dy, part) => part.backward(dy), probabilities));
		}

		return {
			parameters,
			values,
			gradients,
			first,
			second,
			attentions,
			probabilities,
			size,
			forward,
			lossOf,
			backward,
			kernel: tools.kernel,
			from: tools.from,
			bytes: tools.bytes,
			simd: tools.simd,
			count: Object.values(parameters).reduce((sum, { value }) => sum + value.length, 0),
		};
	};
};
