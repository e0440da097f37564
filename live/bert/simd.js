// 浏览器认得 WebAssembly 的 SIMD 指令（一条指令算 4 个数）时，线性映射由 linear.wat 来算，快几倍；
// 不认得就返回 null，仍用 bert.js 里的 plainLinear。
globalThis.liveSimd = function (wasm, { dModel, dFf, numLayers, maxTokens }) {
	// 指令只读写得到它自己的一块内存：各层的权重与偏置，一份输入，一份输出。一次要够，变大会使视图失效。
	const layer = 4 * dModel * dModel + 2 * dModel * dFf + 5 * dModel + dFf,
		scratch = maxTokens * dFf;
	const pages = Math.ceil((4 * (numLayers * layer + 2 * scratch)) / 65536);
	let memory, kernel;
	try {
		const module = new WebAssembly.Module(wasm);
		memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
		kernel = new WebAssembly.Instance(module, { live: { memory } }).exports.linear;
	} catch {
		return null; // 没有 WebAssembly，不认得 SIMD，或是要不到这么多内存
	}

	let offset = 0;
	function allocate(length) {
		const values = new Float32Array(memory.buffer, offset, length);
		offset += values.byteLength;
		return values;
	}

	const input = allocate(scratch),
		output = allocate(scratch);
	function linear(x, { weight, bias }) {
		const outputs = bias.length,
			inputs = weight.length / outputs,
			n = x.length / inputs;
		input.set(x);
		kernel(input.byteOffset, weight.byteOffset, bias.byteOffset, output.byteOffset, n, inputs, outputs);
		return output.slice(0, n * outputs);
	}

	return { linear, allocate };
};
