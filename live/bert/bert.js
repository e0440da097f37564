// BERT 的前向计算：与 course_lib 的 bert.py、encoder.py、attention.py、layers.py 同名、同序，只是没有批这一维。
//
// 形状字母：N 词元数，D = dModel，h = numHeads，d = D/h，F = dFf。
// 张量都是一条 Float32Array，最后一维挨在一起：x (N, D) 里第 i 个词元的第 k 个数是 x[i * D + k]。
globalThis.liveBert = function (simd) {
	// 线性映射 y = x Wᵀ + b：x (N, in)，weight (out, in)，bias (out,) → (N, out)。
	// 一次算 2 个词元 × 4 个输出：取来的 6 个数做 8 次乘加，比逐个点积快几倍。
	function plainLinear(x, { weight, bias }) {
		const outputs = bias.length,
			inputs = weight.length / outputs,
			n = x.length / inputs;
		const y = new Float32Array(n * outputs);
		for (let o = 0; o < outputs; o += 4) {
			const w0 = o * inputs,
				w1 = w0 + inputs,
				w2 = w1 + inputs,
				w3 = w2 + inputs;
			for (let start = 0; start < n; start += 2) {
				const i = Math.min(start, n - 2); // 词元是奇数个时，最后一对与前一对重叠
				const x0 = i * inputs,
					x1 = x0 + inputs;
				let a0 = bias[o],
					a1 = bias[o + 1],
					a2 = bias[o + 2],
					a3 = bias[o + 3];
				let b0 = a0,
					b1 = a1,
					b2 = a2,
					b3 = a3;
				for (let k = 0; k < inputs; k++) {
					const a = x[x0 + k],
						b = x[x1 + k];
					const u = weight[w0 + k],
						v = weight[w1 + k],
						w = weight[w2 + k],
						z = weight[w3 + k];
					a0 += a * u;
					a1 += a * v;
					a2 += a * w;
					a3 += a * z;
					b0 += b * u;
					b1 += b * v;
					b2 += b * w;
					b3 += b * z;
				}
				const y0 = i * outputs + o,
					y1 = y0 + outputs;
				y[y0] = a0;
				y[y0 + 1] = a1;
				y[y0 + 2] = a2;
				y[y0 + 3] = a3;
				y[y1] = b0;
				y[y1 + 1] = b1;
				y[y1 + 2] = b2;
				y[y1 + 3] = b3;
			}
		}
		return y;
	}

	// 浏览器能让一条指令算 4 个数的话，用 simd.js 里的
	const linear = simd?.linear ?? plainLinear;

	const add = (x, y) => x.map((value, i) => value + y[i]);

	// 层归一化：(x - μ) / √(σ² + ε) · γ + β，μ 与 σ² 在每个词元自己的 D 个特征上求
	function layerNorm(x, { weight, bias, eps }) {
		const d = weight.length,
			y = new Float32Array(x.length);
		for (let start = 0; start < x.length; start += d) {
			let mean = 0,
				variance = 0;
			for (let k = 0; k < d; k++) mean += x[start + k] / d;
			for (let k = 0; k < d; k++) variance += (x[start + k] - mean) ** 2 / d;
			const scale = 1 / Math.sqrt(variance + eps);
			for (let k = 0; k < d; k++) y[start + k] = (x[start + k] - mean) * scale * weight[k] + bias[k];
		}
		return y;
	}

	// 误差函数的级数：erf(x) = 2x/√π · e^(-x²) · (1 + 2x²/3 + (2x²)²/(3·5) + …)，各项都是正的，加到不再变为止
	function erf(x) {
		if (Math.abs(x) > 4) return Math.sign(x); // 与 ±1 只差 1.5e-8
		let sum = 1;
		for (let term = 1, odd = 3; term > 1e-9 * sum; odd += 2) sum += term *= (2 * x * x) / odd;
		return ((2 * x) / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
	}

	const gelu = (x) => x.map((value) => (value / 2) * (1 + erf(value / Math.SQRT2)));

	// 缩放点积注意力，逐个头、逐个查询：weights = softmax(Q Kᵀ / √d)，output = weights V
	// seen 是可以注意的那些键；遮住的没有分数，权重留着 0
	function scaledDotProductAttention(query, key, value, numHeads, n, seen) {
		const dModel = query.length / n,
			d = dModel / numHeads;
		const weights = new Float32Array(numHeads * n * n),
			output = new Float32Array(n * dModel);
		for (let head = 0; head < numHeads; head++) {
			for (let i = 0; i < n; i++) {
				const row = (head * n + i) * n,
					q = i * dModel + head * d; // 这个头只看自己的 d 个特征
				let highest = -Infinity,
					sum = 0;
				for (const j of seen) {
					const k = j * dModel + head * d;
					let score = 0;
					for (let c = 0; c < d; c++) score += query[q + c] * key[k + c];
					weights[row + j] = score / Math.sqrt(d);
					highest = Math.max(highest, weights[row + j]);
				}
				for (const j of seen) sum += weights[row + j] = Math.exp(weights[row + j] - highest);
				for (const j of seen) {
					const v = j * dModel + head * d,
						weight = (weights[row + j] /= sum);
					for (let c = 0; c < d; c++) output[q + c] += weight * value[v + c];
				}
			}
		}
		return { output, weights }; // (N, D) 与 (h, N, N)
	}

	// off 里的头关掉：它那 d 个输出特征换成 0，与清零 outProj 里属于它的那一块是一回事
	function selfAttn(x, { qProj, kProj, vProj, outProj }, numHeads, n, { off, seen }) {
		const query = linear(x, qProj),
			key = linear(x, kProj),
			value = linear(x, vProj),
			d = x.length / n / numHeads;
		const { output, weights } = scaledDotProductAttention(query, key, value, numHeads, n, seen);
		for (const [, head] of off) for (let i = head; i < n * numHeads; i += numHeads) output.fill(0, i * d, (i + 1) * d);
		return { attended: linear(output, outProj), weights };
	}

	const feedForward = (x, { linear1, linear2 }) => linear(gelu(linear(x, linear1)), linear2);

	// post-norm：x ← LN(x + 子层(x))，两个子层是自注意力与前馈网络
	function encoderLayer(x, layer, numHeads, n, options) {
		const { attended, weights } = selfAttn(x, layer.selfAttn, numHeads, n, options);
		const middle = layerNorm(add(x, attended), layer.norm1),
			fed = feedForward(middle, layer.ffn);
		return { x: layerNorm(add(middle, fed), layer.norm2), weights, between: [attended, middle, fed] };
	}

	// 词元嵌入 + 位置嵌入 + 段嵌入，再做一次层归一化
	function embed(ids, segments, { tokens, positions, segments: kinds, norm }) {
		const d = norm.weight.length,
			x = new Float32Array(ids.length * d);
		ids.forEach((id, i) => {
			const token = tokens(id);
			for (let k = 0; k < d; k++) x[i * d + k] = token[k] + positions[i * d + k] + kinds[segments[i] * d + k];
		});
		return layerNorm(x, norm);
	}

	// ids、segments：N 个整数 → hidden：嵌入与各层的输出，各 (N, D)；attention：各层的权重，各 (h, N, N)
	// between：各层中间的三步，注意力取来的、第一次归一化之后的、前馈网络给的，各 (N, D)
	// 动手改：off 里的 [层, 头] 各关掉；masked 里的位置，谁也不许注意
	function forward(ids, segments, { embeddings, layers, numHeads }, { off = [], masked = [] } = {}) {
		const n = ids.length,
			hidden = [embed(ids, segments, embeddings)],
			attention = [],
			between = [];
		const seen = ids.flatMap((_, i) => (masked.includes(i) ? [] : [i]));
		for (const [l, layer] of layers.entries()) {
			const output = encoderLayer(hidden.at(-1), layer, numHeads, n, { seen, off: off.filter(([at]) => at === l) });
			hidden.push(output.x);
			[attention[l], between[l]] = [output.weights, output.between];
		}
		return { hidden, attention, between };
	}

	return { linear, layerNorm, gelu, scaledDotProductAttention, selfAttn, feedForward, encoderLayer, embed, forward };
};
