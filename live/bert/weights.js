// 读数据文件：_ext/course_book/after_writing 里的 live_bert.py 与 live_multilingual.py 把几个张量首尾相接，次序就是 course_lib 里参数的次序。
// 英文的矩阵存成 int8，每 groupSize 个数共用一个 float32 的比例：权重 = 整数 × 比例。
// 多语的是 Q4_0：每 blockSize 个数占 blockBytes 个字节，先是 fp16 的比例，再是 4 位的整数，低的一半是前 16 个，权重 = (整数 - 8) × 比例。
globalThis.liveWeights = function (simd, config) {
	const { dModel, dFf, maxTokens, numSegments, groupSize, blockSize, blockBytes, layerNormEps } = config;

	function fromInt8([integers, scales], weight) {
		for (let i = 0; i < weight.length; i++) weight[i] = integers[i] * scales[Math.floor(i / groupSize)];
		return weight;
	}

	// fp16 的 16 位 → 数：1 位正负，5 位指数，10 位尾数
	function half(bits) {
		const exponent = (bits >> 10) & 31,
			fraction = bits & 1023;
		const size = exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24;
		return bits & 32768 ? -size : size;
	}

	function fromBlocks(bytes, weight) {
		const middle = blockSize / 2;
		for (let from = 0, to = 0; to < weight.length; from += blockBytes, to += blockSize) {
			const scale = half(bytes[from] | (bytes[from + 1] << 8));
			for (let k = 0; k < middle; k++) {
				const two = bytes[from + 2 + k];
				weight[to + k] = ((two & 15) - 8) * scale;
				weight[to + middle + k] = ((two >> 4) - 8) * scale;
			}
		}
		return weight;
	}

	const dequantize = blockSize ? fromBlocks : fromInt8;

	// 线性映射的权重与偏置放在哪里，由算它的说了算
	const allocate = simd?.allocate ?? ((length) => new Float32Array(length));

	function reader(buffer) {
		let offset = 0;
		const take = (type, length) => {
			const values = new type(buffer, offset, length);
			offset += values.byteLength;
			return values;
		};
		const floats = (length) => take(Float32Array, length).slice(); // 抄出来，读完的文件就不再占内存
		const matrix = (rows, width) =>
			blockSize
				? take(Uint8Array, ((rows * width) / blockSize) * blockBytes)
				: [take(Int8Array, rows * width), take(Float32Array, (rows * width) / groupSize)];
		const linear = (outputs, inputs) => {
			const weight = allocate(outputs * inputs),
				bias = allocate(outputs);
			dequantize(matrix(outputs, inputs), weight);
			bias.set(take(Float32Array, outputs));
			return { weight, bias };
		};
		const norm = () => ({ weight: floats(dModel), bias: floats(dModel), eps: layerNormEps });
		return { floats, matrix, linear, norm };
	}

	function readLayer(buffer) {
		const read = reader(buffer);
		const [qProj, kProj, vProj, outProj] = [1, 2, 3, 4].map(() => read.linear(dModel, dModel));
		const ffn = { linear1: read.linear(dFf, dModel), linear2: read.linear(dModel, dFf) };
		return { selfAttn: { qProj, kProj, vProj, outProj }, ffn, norm1: read.norm(), norm2: read.norm() };
	}

	function readEmbeddings(buffer) {
		const read = reader(buffer);
		return {
			positions: read.floats(maxTokens * dModel),
			segments: read.floats(numSegments * dModel),
			norm: read.norm(),
		};
	}

	// 词元嵌入表的一片；整张表换成浮点数要 47 MB，所以照存着的样子留着，用到哪一行才换哪一行
	function readShard(buffer) {
		const rowOf = (values, width, i) => values.subarray(i * width, (i + 1) * width);
		if (blockSize) {
			const bytes = new Uint8Array(buffer),
				width = (dModel / blockSize) * blockBytes;
			return (i) => dequantize(rowOf(bytes, width, i), new Float32Array(dModel));
		}
		const groups = dModel / groupSize,
			rows = buffer.byteLength / (dModel + 4 * groups);
		const [integers, scales] = reader(buffer).matrix(rows, dModel);
		return (i) => dequantize([rowOf(integers, dModel, i), rowOf(scales, groups, i)], new Float32Array(dModel));
	}

	return { readLayer, readEmbeddings, readShard };
};
