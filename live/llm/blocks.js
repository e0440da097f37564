// 量化块：文件里的块怎样排进内存，怎样乘一个 fp32 的输入。
//
// 一块是一个输出的 32 个相邻的权重。权重从头到尾都是文件自己的 4 位、8 位整数，
// 只有每块的 d、m 从 fp16 换成 fp32，换得一点不差。
// 浏览器认得 WebAssembly 的 SIMD 指令时由 blocks.wat 来乘；不认得，就用这里的 plainLinear，同一个式子，慢得多。
globalThis.liveBlocks = function (wasm, { dModel, dFf, numLayers, numHeads, numKvHeads, vocabSize, maxTokens }) {
	const SIZE = 32;
	// 一块先是几个 fp16，再是几个 32 位的字；unpack 把字里的一个字节变成整数，放到它们在块里的位置上
	const Q4_1 = { halves: 2, words: 4, one: "q4One", four: "q4Four" }; // w = d·q + m
	Q4_1.unpack = (byte, k, q) => {
		q[k] = byte & 15;
		q[k + 16] = byte >> 4;
	};
	const Q8_0 = { halves: 1, words: 8, one: "q8One" }; // w = d·q
	Q8_0.unpack = (byte, k, q) => {
		q[k] = (byte << 24) >> 24;
	}; // 最高的一位是正负号

	// 全部权重，一份输入，一份输出，都在一块内存里；一次要够，变大会使视图失效
	const wordsOf = ({ halves, words }, outputs, inputs) => (outputs * inputs * (halves + words)) / SIZE;
	const kvWidth = (dModel / numHeads) * numKvHeads,
		rows = 4 * Math.ceil(maxTokens / 4),
		widest = Math.max(dModel, dFf);
	const inputWords = (rows * widest * (SIZE + 1)) / SIZE,
		outputWords = Math.max(rows * widest, vocabSize);
	const total =
		wordsOf(Q4_1, numLayers * dModel, 2 * dModel + 2 * kvWidth + 3 * dFf) +
		wordsOf(Q8_0, vocabSize, dModel) +
		inputWords +
		outputWords;
	const { buffer, kernel } = withSimd(Math.ceil((4 * total) / 65536)) ?? { buffer: new ArrayBuffer(4 * total) };
	const integers = new Uint32Array(buffer),
		floats = new Float32Array(buffer);
	let used = 0;
	const allocate = (words) => (used += words) - words;
	const input = allocate(inputWords),
		output = allocate(outputWords);

	function withSimd(pages) {
		try {
			const module = new WebAssembly.Module(wasm);
			const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
			return { buffer: memory.buffer, kernel: new WebAssembly.Instance(module, { live: { memory } }).exports };
		} catch {
			return null; // 没有 WebAssembly，不认得 SIMD，或是要不到这么多内存
		}
	}

	// fp16：1 位正负，5 位指数，10 位尾数；一共只有 65536 个，先算好存着
	const half = Float32Array.from({ length: 65536 }, (_, code) => {
		const sign = code >> 15 ? -1 : 1,
			exponent = (code >> 10) & 31,
			fraction = code & 1023;
		if (exponent === 31) return fraction ? NaN : sign * Infinity;
		return sign * (exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24);
	});

	// 给一个矩阵 (outputs, inputs) 留出地方；outputs 是 4 的倍数，inputs 是 32 的倍数
	function matrix(kind, outputs, inputs) {
		return { kind, outputs, inputs, blocks: inputs / SIZE, start: allocate(wordsOf(kind, outputs, inputs)) };
	}

	// 输出 o 的第 b 块从哪里起：四个相邻的输出交错着排，所以块里的下一个数在 4 个位置之后
	const place = ({ kind, blocks, start }, o, b) =>
		start + ((o >> 2) * blocks + b) * 4 * (kind.halves + kind.words) + (o & 3);

	// 整个矩阵在文件里占多少字节
	const fileBytes = ({ kind: { halves, words }, outputs, blocks }) => outputs * blocks * (2 * halves + 4 * words);

	// 从输出 first 起，把文件里的块依次抄进来；source 是原样的字节，两个一组（Uint16Array），因为块的大小不一定是 4 的倍数
	function fill(weight, source, first = 0) {
		const {
			kind: { halves, words },
			outputs,
			blocks,
		} = weight;
		const end = first + (outputs * source.byteLength) / fileBytes(weight);
		let from = 0;
		for (let o = first; o < end; o++) {
			for (let b = 0; b < blocks; b++) {
				let to = place(weight, o, b);
				for (let k = 0; k < halves; k++, to += 4) floats[to] = half[source[from++]];
				for (let k = 0; k < words; k++, to += 4, from += 2) integers[to] = source[from] | (source[from + 1] << 16);
			}
		}
	}

	// 输出 o 的第 b 块：32 个整数写进 q，返回 d 与 m
	function readBlock(weight, o, b, q) {
		const { halves, words, unpack } = weight.kind,
			at = place(weight, o, b);
		for (let word = 0, k = 0; word < words; word++) {
			const four = integers[at + 4 * (halves + word)];
			for (let shift = 0; shift < 32; shift += 8, k++) unpack((four >> shift) & 255, k, q);
		}
		return [floats[at], halves === 2 ? floats[at + 4] : 0];
	}

	// 矩阵的一个输出，换成浮点数：词元的嵌入就是这样查的
	function row(weight, o) {
		const values = new Float32Array(weight.inputs),
			q = new Float32Array(SIZE);
		for (let b = 0; b < weight.blocks; b++) {
			const [d, m] = readBlock(weight, o, b, q);
			for (let k = 0; k < SIZE; k++) values[b * SIZE + k] = d * q[k] + m;
		}
		return values;
	}

	// 线性映射 y = x Wᵀ：x (N, inputs) → y (N, outputs)；一块里 Σ w·x = d·Σ q·x + m·Σ x
	function plainLinear(x, weight, y) {
		const { outputs, inputs, blocks } = weight,
			n = x.length / inputs,
			q = new Float32Array(SIZE);
		y.fill(0);
		for (let o = 0; o < outputs; o++) {
			for (let b = 0; b < blocks; b++) {
				const [d, m] = readBlock(weight, o, b, q);
				for (let i = 0; i < n; i++) {
					let dot = 0,
						sum = 0;
					for (let k = 0, at = i * inputs + b * SIZE; k < SIZE; k++, at++) {
						dot += q[k] * x[at];
						sum += x[at];
					}
					y[i * outputs + o] += d * dot + m * sum;
				}
			}
		}
		return y;
	}

	// 同一件事交给 blocks.wat：输入的每 32 个数之前，先放好它们的和
	function simdLinear(x, { kind, outputs, inputs, blocks, start }, y) {
		const n = x.length / inputs,
			bytes = 4;
		for (let from = 0, to = input; from < x.length; from += SIZE, to += SIZE + 1) {
			let sum = 0;
			for (let k = 0; k < SIZE; k++) sum += floats[to + 1 + k] = x[from + k];
			floats[to] = sum;
		}
		for (let i = 0; i < n;) {
			// 剩下两三个词元，也按四个算，多出来的不取
			const name = n - i > 1 ? (kind.four ?? kind.one) : kind.one;
			const from = input + i * blocks * (SIZE + 1),
				to = output + i * outputs;
			kernel[name](from * bytes, start * bytes, to * bytes, blocks, outputs);
			i += name === kind.one ? 1 : 4;
		}
		y.set(floats.subarray(output, output + n * outputs));
		return y;
	}

	const linear = kernel ? simdLinear : plainLinear;
	return { Q4_1, Q8_0, matrix, fileBytes, fill, row, linear, plainLinear };
};
