// 量化块：文件里的块怎样排进内存，怎样乘一个 fp32 的输入。
//
// 一块是一个输出的 32 个相邻的权重。权重从头到尾都是文件自己的 4 位、5 位、6 位、8 位整数，
// 只有每块的 d、m 从 fp16 换成 fp32，换得一点不差。
// 浏览器认得 WebAssembly 的 SIMD 指令时由 blocks.wat 来乘；不认得，就用这里的 plainLinear，同一个式子，慢得多。
//
// config.kinds 说各个矩阵是哪一种：layers 一层一列，次序就是文件里的（查询、键、值、输出、门、升、降），tokens 是词元的嵌入，
// output 是另存一份的输出矩阵。不写，就是 Q4_1 的各层、Q8_0 的嵌入，输出矩阵就是嵌入。
globalThis.liveBlocks = function (wasm, config) {
	const { dModel, dFf, numLayers, numHeads, numKvHeads, vocabSize, maxTokens } = config;
	const SIZE = 32;
	// 一块先是几个 fp16，再是几个 32 位的字；unpack 把字里的整数放到它们在块里的位置上，返回 d 与 m：w = d·q + m
	const byteOf = (words, i) => (words[i >> 2] >> (8 * (i & 3))) & 255;
	const Q4_1 = { halves: 2, words: 4, one: "q4One", four: "q4Four" };
	Q4_1.unpack = (numbers, words, q) => {
		for (let i = 0; i < 16; i++) {
			const byte = byteOf(words, i);
			q[i] = byte & 15;
			q[i + 16] = byte >> 4;
		}
		return numbers;
	};
	const Q8_0 = { halves: 1, words: 8, one: "q8One" };
	Q8_0.unpack = ([d], words, q) => {
		for (let i = 0; i < SIZE; i++) q[i] = (byteOf(words, i) << 24) >> 24; // 最高的一位是正负号
		return [d, 0];
	};
	// w = d·(q - 16)；头一个字里是各个 q 的第 5 位
	const Q5_0 = { halves: 1, words: 5, one: "q5One", four: "q5Four" };
	Q5_0.unpack = ([d], [bits, ...words], q) => {
		for (let i = 0; i < 16; i++) {
			const byte = byteOf(words, i);
			q[i] = ((byte & 15) | (((bits >> i) & 1) << 4)) - 16;
			q[i + 16] = ((byte >> 4) | (((bits >> (i + 16)) & 1) << 4)) - 16;
		}
		return [d, 0];
	};
	// K 的两种，文件里 256 个权重合成一大块，各小块的比例又量化过：file 是一大块有多少字节，
	// split 把一大块里的第 n 小块写成内存里的样子。Q4_K 的一小块就是一块 Q4_1，乘出来的 d、m 也一点不差
	const wordAt = (bytes, at) => bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
	const halfAt = (bytes, at) => half[bytes[at] | (bytes[at + 1] << 8)];
	const Q4_K = { ...Q4_1, file: 144 };
	Q4_K.split = (bytes, at, n, numbers, words) => {
		const scales = at + 4,
			from = at + 16 + 32 * (n >> 1),
			shift = 4 * (n & 1);
		let d = bytes[scales + (n & 3)],
			m = bytes[scales + 4 + (n & 3)]; // 6 位的比例与最小值；后四小块的，低 4 位在后面，高 2 位在前面
		const rest = bytes[scales + 8 + (n & 3)];
		[d, m] = n < 4 ? [d & 63, m & 63] : [(rest & 15) | ((d >> 6) << 4), (rest >> 4) | ((m >> 6) << 4)];
		numbers[0] = halfAt(bytes, at) * d;
		numbers[1] = -halfAt(bytes, at + 2) * m;
		for (let i = 0; i < 4; i++) {
			const low = (wordAt(bytes, from + 4 * i) >>> shift) & 0x0f0f0f0f,
				high = (wordAt(bytes, from + 16 + 4 * i) >>> shift) & 0x0f0f0f0f;
			words[i] = low | (high << 4);
		}
	};
	// w = d·(q - 32)，16 个权重一个 d；减去了 32 的，放进 8 位里
	const Q6_K = { halves: 2, words: 8, one: "q6One", file: 210 };
	Q6_K.split = (bytes, at, n, numbers, words) => {
		const low = at + 64 * (n >> 2) + 32 * (n & 1),
			high = at + 128 + 32 * (n >> 2),
			[lowShift, highShift] = [2 * (n & 2), 2 * (n & 3)];
		for (let k = 0; k < 2; k++) numbers[k] = halfAt(bytes, at + 208) * ((bytes[at + 192 + 2 * n + k] << 24) >> 24);
		for (let i = 0; i < 8; i++) {
			const q =
				((wordAt(bytes, low + 4 * i) >>> lowShift) & 0x0f0f0f0f) |
				(((wordAt(bytes, high + 4 * i) >>> highShift) & 0x03030303) << 4);
			// 四个字节各减 32，互不借位：先加上 128 - 32，再把最高一位翻过来
			words[i] = (q + 0x60606060) ^ 0x80808080;
		}
	};
	Q6_K.unpack = (numbers, words, q) => {
		for (let i = 0; i < SIZE; i++) q[i] = numbers[i >> 4] * ((byteOf(words, i) << 24) >> 24);
		return [1, 0];
	};
	const KINDS = { Q4_1, Q8_0, Q5_0, Q4_K, Q6_K };

	// 全部权重，一份输入，一份输出，都在一块内存里；一次要够，变大会使视图失效
	const wordsOf = ({ halves, words }, outputs, inputs) =>
		(4 * Math.ceil(outputs / 4) * inputs * (halves + words)) / SIZE;
	const kvWidth = (dModel / numHeads) * numKvHeads,
		rows = 4 * Math.ceil(maxTokens / 4),
		widest = Math.max(dModel, dFf);
	const inputWords = (rows * widest * (SIZE + 1)) / SIZE,
		outputWords = Math.max(rows * widest, vocabSize);
	const kinds = config.kinds ?? { layers: Array(numLayers).fill(Array(7).fill("Q4_1")), tokens: "Q8_0" };
	// 一层的七个矩阵，(输出, 输入)
	const LAYER = [dModel, kvWidth, kvWidth, dModel, dFf, dFf, dModel].map((outputs, i) => [
		outputs,
		i < 6 ? dModel : dFf,
	]);
	const wordsOfAll = [
		...kinds.layers.flatMap((layer) => layer.map((kind, i) => wordsOf(KINDS[kind], ...LAYER[i]))),
		...[kinds.tokens, kinds.output].filter(Boolean).map((kind) => wordsOf(KINDS[kind], vocabSize, dModel)),
	];
	const total = wordsOfAll.reduce((sum, words) => sum + words, inputWords + outputWords);
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

	// 给一个矩阵 (outputs, inputs) 留出地方；inputs 是 32 的倍数，outputs 是 4 的倍数（Q5_0 的，8 的倍数），只乘一个位置的、只查的不必
	function matrix(kind, outputs, inputs) {
		return { kind, outputs, inputs, blocks: inputs / SIZE, start: allocate(wordsOf(kind, outputs, inputs)) };
	}

	// 输出 o 的第 b 块从哪里起：四个相邻的输出交错着排，所以块里的下一个数在 4 个位置之后
	const place = ({ kind, blocks, start }, o, b) =>
		start + ((o >> 2) * blocks + b) * 4 * (kind.halves + kind.words) + (o & 3);

	// 整个矩阵在文件里占多少字节
	const fileBytes = ({ kind: { halves, words, file }, outputs, blocks }) =>
		outputs * blocks * (file ? file / 8 : 2 * halves + 4 * words);

	// 从输出 first 起，把文件里的块依次抄进来；source 是原样的字节，两个一组（Uint16Array），因为块的大小不一定是 4 的倍数
	function fill(weight, source, first = 0) {
		const { kind, outputs, blocks } = weight,
			end = first + (outputs * source.byteLength) / fileBytes(weight);
		(kind.file ? fillSplit : fillPlain)(weight, source, first, end, blocks);
	}

	function fillPlain(weight, source, first, end, blocks) {
		const { halves, words } = weight.kind;
		let from = 0;
		for (let o = first; o < end; o++) {
			for (let b = 0; b < blocks; b++) {
				let to = place(weight, o, b);
				for (let k = 0; k < halves; k++, to += 4) floats[to] = half[source[from++]];
				for (let k = 0; k < words; k++, to += 4, from += 2) integers[to] = source[from] | (source[from + 1] << 16);
			}
		}
	}

	function fillSplit(weight, source, first, end, blocks) {
		const { halves, words, file, split } = weight.kind,
			bytes = new Uint8Array(source.buffer, source.byteOffset, source.byteLength),
			numbers = new Float32Array(halves),
			whole = new Int32Array(words);
		for (let o = first; o < end; o++) {
			for (let b = 0; b < blocks; b++) {
				let to = place(weight, o, b);
				split(bytes, (((o - first) * blocks + b) >> 3) * file, b & 7, numbers, whole);
				for (let k = 0; k < halves; k++, to += 4) floats[to] = numbers[k];
				for (let k = 0; k < words; k++, to += 4) integers[to] = whole[k];
			}
		}
	}

	// 输出 o 的第 b 块：32 个整数写进 q，返回 d 与 m
	function readBlock(weight, o, b, q) {
		const { halves, words, unpack } = weight.kind,
			at = place(weight, o, b);
		const take = (from, start, count) => Array.from({ length: count }, (_, k) => from[at + 4 * (start + k)]);
		return unpack(take(floats, 0, halves), take(integers, halves, words), q);
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
	return { ...KINDS, kinds, matrix, fileBytes, fill, row, linear, plainLinear };
};
