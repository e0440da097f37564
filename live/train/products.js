// 矩阵乘法：模型里的每一次相乘都经过 product 这一个函数，别处没有三重循环；还有几样一个数一个数的运算。
//
//   C[i, j] = Σ_k A[i, k] · B[k, j]
//
// 矩阵都是同一块内存里的一段（Float32Array），步长（stride）说下一行在几个数之后；A 的行与列各有步长，
// 两个一换就是它的转置；中间的一维最长是 longest。浏览器认得 WebAssembly 的 SIMD 指令时由 products.wat 来乘，一条指令乘四个数；不认得，就用这里的循环。
globalThis.trainProducts = function (wasm, words, longest) {
  const { buffer, kernel } = withSimd(Math.ceil((4 * (words + 8 * longest)) / 65536)) ?? { buffer: new ArrayBuffer(4 * words) };
  let used = 0;

  const panel = kernel && take(8 * longest); // 放 B 的八列

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

  // C 有 m 行 n 列，中间的一维是 k。aAt 是 A 从 a 的第几个数起，aRow、aColumn 是它的步长，B、C 也一样；
  // B 与 C 的一行总是连着的。add：在 C 原有的数上加
  function product(m, n, k, a, aAt, aRow, aColumn, b, bAt, bRow, c, cAt, cRow, add) {
    const from = (part, at) => part.byteOffset + 4 * at;
    if (kernel) kernel.product(m, n, k, from(a, aAt), 4 * aRow, 4 * aColumn, from(b, bAt), 4 * bRow, from(c, cAt), 4 * cRow, add ? 1 : 0, panel.byteOffset);
    else plain(m, n, k, a, aAt, aRow, aColumn, b, bAt, bRow, c, cAt, cRow, add);
  }

  function plain(m, n, k, a, aAt, aRow, aColumn, b, bAt, bRow, c, cAt, cRow, add) {
    for (let i = 0; i < m; i++) {
      let j = 0;
      for (; j + 4 <= n; j += 4) {
        let s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        for (let p = 0, at = aAt + i * aRow, bt = bAt + j; p < k; p++, at += aColumn, bt += bRow) {
          const x = a[at];
          s0 += x * b[bt];
          s1 += x * b[bt + 1];
          s2 += x * b[bt + 2];
          s3 += x * b[bt + 3];
        }
        const ct = cAt + i * cRow + j;
        c[ct] = add ? c[ct] + s0 : s0;
        c[ct + 1] = add ? c[ct + 1] + s1 : s1;
        c[ct + 2] = add ? c[ct + 2] + s2 : s2;
        c[ct + 3] = add ? c[ct + 3] + s3 : s3;
      }
      for (; j < n; j++) {
        let sum = 0;
        for (let p = 0; p < k; p++) sum += a[aAt + i * aRow + p * aColumn] * b[bAt + p * bRow + j];
        const ct = cAt + i * cRow + j;
        c[ct] = add ? c[ct] + sum : sum;
      }
    }
  }

  // to 是 from 的转置：from (rows, columns) 的行相隔 row 个数，to (columns, rows) 连着放
  function transpose(from, at, row, rows, columns, to) {
    for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) to[j * rows + i] = from[at + i * row + j];
    return to;
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

  // fillRows：line 的 n 个数抄 rows 遍，首尾相接；sumRows：from 里首尾相接的 rows 段，都加到 line 上
  function fillRows(to, line, rows, n) {
    if (whole(n)) kernel.fillRows(to.byteOffset, line.byteOffset, 4 * n, 4 * n * rows);
    else for (let at = 0; at < rows * n; at += n) for (let j = 0; j < n; j++) to[at + j] = line[j];
  }
  function sumRows(from, line, rows, n) {
    if (whole(n)) kernel.sumRows(from.byteOffset, line.byteOffset, 4 * n, 4 * n * rows);
    else for (let at = 0; at < rows * n; at += n) for (let j = 0; j < n; j++) line[j] += from[at + j];
  }

  return { take, product, transpose, plus, relu, reluBack, fillRows, sumRows, bytes: buffer.byteLength, simd: Boolean(kernel) };
};
