// 读数据文件：_ext/course_book/after_writing/live_bert.py 把几个张量首尾相接，次序就是 course_lib 里参数的次序。
// 矩阵存成 int8，每 groupSize 个数共用一个 float32 的比例：权重 = 整数 × 比例。
globalThis.liveWeights = function (simd, { dModel, dFf, maxTokens, numSegments, groupSize, layerNormEps }) {
	function dequantize(integers, scales, weight = new Float32Array(integers.length)) {
		for (let i = 0; i < weight.length; i++) weight[i] = integers[i] * scales[Math.floor(i / groupSize)];
		return weight;
	}

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
		const matrix = (rows, width) => [take(Int8Array, rows * width), take(Float32Array, (rows * width) / groupSize)];
		const linear = (outputs, inputs) => {
			const weight = allocate(outputs * inputs),
				bias = allocate(outputs);
			dequantize(...matrix(outputs, inputs), weight);
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

	// 词元嵌入表的一片；整张表换成浮点数要 47 MB，所以留着整数，用到哪一行才换哪一行
	function readShard(buffer) {
		const groups = dModel / groupSize,
			rows = buffer.byteLength / (dModel + 4 * groups);
		const [integers, scales] = reader(buffer).matrix(rows, dModel);
		const row = (values, width, i) => values.subarray(i * width, (i + 1) * width);
		return (i) => dequantize(row(integers, dModel, i), row(scales, groups, i));
	}

	return { readLayer, readEmbeddings, readShard };
};
