// 语言模型的前向计算：与 course_lib/language_model.py 同名、同序，只是没有批这一维。
// 中间结果不每次新要内存，而是放在一块反复用的地方：否则 256 个词元要留下 300 MB 垃圾，等浏览器想起来才收。
//
// 形状字母：N 新位置数，M 已看到的位置数（缓存里的加上新的），D = dModel，h = numHeads，g 几个查询头共用一个键值头，
// d = D/h，F = dFf，V = vocabSize。
// 张量都是一条 Float32Array，最后一维挨在一起：x (N, D) 里第 i 个位置的第 k 个数是 x[i * D + k]；
// 各个头的查询、键、值也不另排，第 i 个位置的第 head 个头是 query[(i * h + head) * d] 起的 d 个数。
globalThis.liveLanguageModel = function (blocks, config) {
	const { numLayers, dModel, dFf, numHeads, numKvHeads, vocabSize, normEps, ropeTheta, maxTokens } = config;
	const dHead = dModel / numHeads,
		kvWidth = numKvHeads * dHead,
		group = numHeads / numKvHeads;

	const CHUNK = 64; // 开头很长时，一次至多算几个位置：再多也快不了，中间结果却占得多

	// 一层里全部的中间结果：9 个宽 D 的，3 个宽 F 的，键、转过的键、值；还有一个位置的权重。queries 只要 3 个宽 D 的，但不分批。
	// 每层开头把 used 清零
	const each = 9 * dModel + 3 * dFf + 3 * kvWidth;
	const scratch = new Float32Array(Math.max(CHUNK * each + maxTokens, maxTokens * 3 * dModel));
	let used = 0;
	const temporary = (length) => scratch.subarray(used, (used += length));

	// 有偏置的，每个位置都加上它
	function linear(x, weight) {
		const { inputs, outputs, bias } = weight,
			y = blocks.linear(x, weight, temporary((x.length / inputs) * outputs));
		if (bias) for (let i = 0; i < y.length; i++) y[i] += bias[i % outputs];
		return y;
	}

	const { fround } = Math; // 每加一次都像存进 Float32Array 那样舍入

	const range = (from, end) => Array.from({ length: end - from }, (_, n) => from + n);

	// 均方根归一化：x / √(mean(x²) + ε) · γ，在每个位置自己的 D 个特征上求
	function rmsNorm(x, gamma) {
		const d = gamma.length,
			y = temporary(x.length);
		for (let start = 0; start < x.length; start += d) {
			let squares = 0;
			for (let k = 0; k < d; k++) squares += x[start + k] ** 2;
			const scale = 1 / Math.sqrt(squares / d + normEps);
			for (let k = 0; k < d; k++) y[start + k] = x[start + k] * scale * gamma[k];
		}
		return y;
	}

	// 各个位置的旋转：位置 p 上，第 i 对特征转过 p · θ^(-2i/d)；写成 cos 与 sin，各 (N, d/2)
	function rotations(positions) {
		const half = dHead / 2,
			cos = new Float32Array(positions.length * half),
			sin = new Float32Array(cos.length);
		positions.forEach((position, n) => {
			for (let i = 0; i < half; i++) {
				// 角度也像 torch 里那样是 fp32
				const angle = Math.fround(position * Math.fround(ropeTheta ** ((-2 * i) / dHead)));
				cos[n * half + i] = Math.cos(angle);
				sin[n * half + i] = Math.sin(angle);
			}
		});
		return { cos, sin };
	}

	// x (N, 头数, d)：相邻的两个特征 (a, b) 是一对，转过一个角度
	function rotate(x, { cos, sin }) {
		const half = dHead / 2,
			heads = (x.length * half) / (cos.length * dHead),
			y = temporary(x.length);
		for (let pair = 0; pair < x.length / 2; pair++) {
			const turn = Math.floor(pair / (heads * half)) * half + (pair % half),
				a = x[2 * pair],
				b = x[2 * pair + 1];
			y[2 * pair] = a * cos[turn] - b * sin[turn];
			y[2 * pair + 1] = a * sin[turn] + b * cos[turn];
		}
		return y;
	}

	// 一个查询给前 i + 1 个位置的权重，写进 weights：softmax(q Kᵀ / √d)；query[start] 起的 d 个数是第 head 个头的查询。
	// 一次算四个键：一个 q 取来用四次，四个和也不必彼此等，快两三倍；每个和里的次序没有变。多算的到末尾换成 0
	function attentionRow(query, start, key, head, i, weights) {
		const shared = Math.floor(head / group) * dHead,
			root = Math.sqrt(dHead);
		let highest = -Infinity,
			sum = 0;
		for (let j = 0; j <= i; j += 4) {
			const k0 = j * kvWidth + shared,
				k1 = k0 + kvWidth,
				k2 = k1 + kvWidth,
				k3 = k2 + kvWidth;
			let s0 = 0,
				s1 = 0,
				s2 = 0,
				s3 = 0;
			for (let c = 0; c < dHead; c++) {
				const q = query[start + c];
				s0 += q * key[k0 + c];
				s1 += q * key[k1 + c];
				s2 += q * key[k2 + c];
				s3 += q * key[k3 + c];
			}
			weights[j] = s0 / root;
			weights[j + 1] = s1 / root;
			weights[j + 2] = s2 / root;
			weights[j + 3] = s3 / root;
		}
		for (let j = 0; j <= i; j++) highest = Math.max(highest, weights[j]);
		for (let j = 0; j <= i; j++) sum += weights[j] = Math.exp(weights[j] - highest);
		for (let j = 0; j <= i; j++) weights[j] /= sum;
		weights.fill(0, i + 1, i + 4);
	}

	// 分组查询注意力：h 个查询头，每 g 个共用一个键值头；query (N, h, d)，key、value (M, h/g, d)，新位置从 past 起
	function groupedQueryAttention(query, key, value, past) {
		const output = temporary(query.length).fill(0),
			n = query.length / dModel,
			weights = temporary(4 * Math.ceil((past + n) / 4));
		for (let i = past; i < past + n; i++) {
			for (let head = 0; head < numHeads; head++) {
				const o = (i - past) * dModel + head * dHead,
					shared = Math.floor(head / group) * dHead;
				attentionRow(query, o, key, head, i, weights);
				for (let j = 0; j <= i; j += 4) {
					const v0 = j * kvWidth + shared,
						v1 = v0 + kvWidth,
						v2 = v1 + kvWidth,
						v3 = v2 + kvWidth;
					const w0 = weights[j],
						w1 = weights[j + 1],
						w2 = weights[j + 2],
						w3 = weights[j + 3];
					for (let c = 0; c < dHead; c++) {
						const two = fround(fround(output[o + c] + w0 * value[v0 + c]) + w1 * value[v1 + c]);
						output[o + c] = fround(two + w2 * value[v2 + c]) + w3 * value[v3 + c];
					}
				}
			}
		}
		return output; // (N, D)
	}

	// SwiGLU 的中间层：SiLU(gate) ⊙ up，SiLU(z) = z · σ(z)
	function swiglu(gate, up) {
		const y = temporary(gate.length);
		for (let i = 0; i < y.length; i++) y[i] = (gate[i] / (1 + Math.exp(-gate[i]))) * up[i];
		return y;
	}

	function add(x, y) {
		const sum = temporary(x.length);
		for (let i = 0; i < sum.length; i++) sum[i] = x[i] + y[i];
		return sum;
	}

	// 这一层的缓存里是转过的键，以后不必再转
	function selfAttn(x, { qProj, kProj, vProj, outProj }, turns, { key, value }, past) {
		const query = rotate(linear(x, qProj), turns);
		key.set(rotate(linear(x, kProj), turns), past * kvWidth);
		value.set(linear(x, vProj), past * kvWidth);
		return linear(groupedQueryAttention(query, key, value, past), outProj);
	}

	// 带门的前馈网络：W_down(SiLU(W_gate x) ⊙ W_up x)
	const ffn = (x, { gateProj, upProj, downProj }) => linear(swiglu(linear(x, gateProj), linear(x, upProj)), downProj);

	// 一层，pre-norm：x ← x + 注意力(norm1(x))，x ← x + 前馈(norm2(x))
	function languageModelLayer(x, layer, ...attention) {
		x = add(x, selfAttn(rmsNorm(x, layer.norm1), layer.selfAttn, ...attention));
		return add(x, ffn(rmsNorm(x, layer.norm2), layer.ffn));
	}

	// 空的缓存：每层的键与值；嵌入与各层的输出也留着，事后好问。都有 maxTokens 个位置的地方
	function newCache() {
		const floats = (width) => new Float32Array(maxTokens * width);
		const layers = Array.from({ length: numLayers }, () => ({ key: floats(kvWidth), value: floats(kvWidth) }));
		return { layers, hiddenStates: Array.from({ length: numLayers + 1 }, () => floats(dModel)) };
	}

	// 归一化之后的一个 (D,) → 对词表的分数 (V,)；没有另存一份的，矩阵就是词元的嵌入
	const head = (hidden, { tokens, output = tokens }, logits = new Float32Array(vocabSize)) =>
		blocks.linear(hidden, output, logits);

	// ids 是从头到尾的全部，只算缓存里还没有的那些位置，从 past 起；隐藏状态都写进缓存，第 0 个是嵌入
	function forward(ids, model, cache, past = 0) {
		const { layers, hiddenStates } = cache,
			end = Math.min(past + CHUNK, ids.length),
			turns = rotations(range(past, end));
		for (let i = past; i < end; i++) hiddenStates[0].set(blocks.row(model.tokens, ids[i]), i * dModel);
		model.layers.forEach((layer, number) => {
			used = 0;
			const x = hiddenStates[number].subarray(past * dModel, end * dModel);
			hiddenStates[number + 1].set(languageModelLayer(x, layer, turns, layers[number], past), past * dModel);
		});
		if (end < ids.length) forward(ids, model, cache, end);
	}

	// 事后要问权重：第 number 层里，第 from 到 end 个位置的查询 (N, h, d)，由这一层的输入再算一遍；下一次计算之前有效
	function queries(number, from, end, model, { hiddenStates }) {
		used = 0;
		const {
			norm1,
			selfAttn: { qProj },
		} = model.layers[number];
		const x = hiddenStates[number].subarray(from * dModel, end * dModel);
		return rotate(linear(rmsNorm(x, norm1), qProj), rotations(range(from, end)));
	}

	// 第 position 个位置在第 depth 层之后的隐藏状态，读成对词表的分数；depth = numLayers 就是模型的答案
	function read(position, depth, model, { hiddenStates }, logits) {
		used = 0;
		const hidden = hiddenStates[depth].subarray(position * dModel, (position + 1) * dModel);
		return head(rmsNorm(hidden, model.norm), model, logits);
	}

	return {
		rmsNorm,
		rotations,
		rotate,
		attentionRow,
		groupedQueryAttention,
		swiglu,
		selfAttn,
		ffn,
		languageModelLayer,
		newCache,
		head,
		forward,
		queries,
		read,
	};
};
