// 矩阵乘法：模型里的每一次相乘都经过 product 这一个函数，别处没有三重循环；还有几样一个数一个数的运算。
//
//   C[i, j] = Σ_k A[i, k] · B[k, j]
//
// 矩阵都是同一块内存里的一段（Float32Array），步长（stride）说下一行、下一列在几个数之后：A 与 B 的行与列各有步长，
// 两个一换就是它的转置；中间的一维最长是 longest。浏览器认得 WebAssembly 的 SIMD 指令时由 products.wat 来乘，一条指令乘四个数；不认得，就用这里的循环。
globalThis.trainProducts = function (wasm, words, longest) {
	const PANEL = 8 * longest + 40; // 放 B 的八列，与边上不满的一块；末尾多出的几个，是一行的四个数取过了头
	const { buffer, kernel } = withSimd(Math.ceil((4 * (words + PANEL)) / 65536)) ?? {
		buffer: new ArrayBuffer(4 * words),
	};
	let used = 0;

	const panel = kernel && take(PANEL).byteOffset;

	function withSimd(pages) {
		try {
			const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
			const instance = new WebAssembly.Instance(new WebAssembly.Module(wasm), { live: { memory } });
			return { buffer: memory.buffer, kernel: instance.exports };
		} catch {
			return null; // 没有 WebAssembly，不认得 SIMD，或是没有取到 products.wasm
		}
	}

	// 从内存里要一段；起点是 16 个字节的倍数
	function take(size) {
		const taken = new Float32Array(buffer, used, size);
		used += 4 * (4 * Math.ceil(size / 4));
		return taken;
	}

	// 从 part 的第 at 个数起，在内存里的位置
	const from = (part, at = 0) => part.byteOffset + 4 * at;

	// C 有 m 行 n 列，中间的一维是 k。aAt 是 A 从 a 的第几个数起，aRow、aColumn 是它的步长，B、C 也一样；C 的一行总是连着的。
	// start 是从哪里的数加起：C 自己，或者一行 n 个数（各行都从它加起）；没有，就从 0 加起
	function product(m, n, k, a, aAt, aRow, aColumn, b, bAt, bRow, bColumn, c, cAt, cRow, start) {
		const [startAt, startRow] = start === c ? [cAt, cRow] : [0, 0];
		if (kernel) {
			const begin = start ? from(start, startAt) : 0;
			return kernel.product(
				m,
				n,
				k,
				from(a, aAt),
				4 * aRow,
				4 * aColumn,
				from(b, bAt),
				4 * bRow,
				4 * bColumn,
				from(c, cAt),
				4 * cRow,
				begin,
				4 * startRow,
				panel,
			);
		}
		for (let i = 0; i < m; i++) {
			for (let j = 0; j < n; j++) {
				let sum = start ? start[startAt + i * startRow + j] : 0;
				for (let p = 0, at = aAt + i * aRow, bt = bAt + j * bColumn; p < k; p++, at += aColumn, bt += bRow)
					sum += a[at] * b[bt];
				c[cAt + i * cRow + j] = sum;
			}
		}
	}

	// 一个数一个数的运算；一行的个数是 4 的倍数才交给 products.wat，两边算出来的每一位都相同
	const whole = (n) => kernel && n % 4 === 0;

	// to = a + b，各 length 个数
	function plus(a, b, to, length) {
		if (whole(length)) kernel.plus(a.byteOffset, b.byteOffset, to.byteOffset, 4 * length);
		else for (let i = 0; i < length; i++) to[i] = a[i] + b[i];
		return to;
	}

	// 小于 0 的改成 0；reluBack：x 不大于 0 的地方，梯度也是 0
	function relu(x, length) {
		if (whole(length)) kernel.relu(x.byteOffset, 4 * length);
		else for (let i = 0; i < length; i++) x[i] = Math.max(0, x[i]);
	}
	function reluBack(dx, x, length) {
		if (whole(length)) kernel.reluBack(dx.byteOffset, x.byteOffset, 4 * length);
		else for (let i = 0; i < length; i++) if (!(x[i] > 0)) dx[i] = 0;
	}

	// all 里首尾相接的 rows 段，各 n 个数，都加到 line 上
	function sumRows(all, line, rows, n) {
		if (whole(n)) kernel.sumRows(all.byteOffset, line.byteOffset, 4 * n, 4 * n * rows);
		else for (let at = 0; at < rows * n; at += n) for (let j = 0; j < n; j++) line[j] += all[at + j];
	}

	return {
		take,
		from,
		kernel,
		product,
		plus,
		relu,
		reluBack,
		sumRows,
		bytes: buffer.byteLength,
		simd: Boolean(kernel),
	};
};
