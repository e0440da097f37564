// Transformer 的零件，每个都会两件事：forward 往前算，backward 由损失对输出的梯度，求出对输入的梯度，顺便把对参数的梯度记下。
//
// 一批 B 句，每句 N 个位置，就是 B × N 行，一行 D 个数；数都放在事先要好的地方，训练时不再要内存。
// softmax 与层归一化，products.wat 里（kernel）有同样的一份，一次算四个数；浏览器不认得它，才用这里的循环。
globalThis.trainParts = function (
	{ take, from, kernel, product, plus, relu, reluBack, sumRows },
	{ parameter, size, maxRows, maxLength },
) {
	// 只用加、乘与查表的 exp：各家浏览器的 Math.exp 末一位不一定相同。x ≤ 0，小于 -32 的当作 -32：极小的数（非规格化的）乘起来慢几十倍，对和却毫无影响
	const POWERS = Float64Array.from({ length: 128 }, (_, n) => 2 ** -n);
	function exp(given) {
		const x = Math.max(given, -32),
			n = Math.round(x * -1.4426950408889634),
			r = x + n * 0.6931471805599453;
		return (
			POWERS[n] * (1 + r * (1 + r * (0.5 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120 + r * (1 / 720 + r / 5040)))))))
		);
	}

	// 各个位置、各对维度的 [cos, sin]：转得最快的一个位置转 1 弧度，最慢的约万分之一；也只用加与乘
	function rotations(dim) {
		const cos = new Float32Array((maxLength * dim) / 2),
			sin = cos.slice();
		for (let i = 0; i < dim / 2; i++) {
			const angle = exp((-9.210340371976184 * 2 * i) / dim); // 10000^(-2i/d)
			let [c, s, term] = [1, 0, 1];
			for (let k = 1; k < 24; k++) {
				term *= angle / k;
				if (k % 2) s += k % 4 === 1 ? term : -term;
				else c += k % 4 === 0 ? term : -term;
			}
			for (let position = 0, x = 1, y = 0; position < maxLength; position++, [x, y] = [x * c - y * s, x * s + y * c]) {
				cos[(position * dim) / 2 + i] = x;
				sin[(position * dim) / 2 + i] = y;
			}
		}
		return { cos, sin };
	}

	// 线性映射 y = x W + b；W (进, 出)
	function linear(name, inputs, outputs) {
		const weight = parameter(`${name}.weight`, [inputs, outputs], Math.sqrt(1 / inputs));
		const bias = parameter(`${name}.bias`, [outputs], 0);
		const y = take(maxRows * outputs),
			dx = take(maxRows * inputs);
		let x;
		return {
			forward(input) {
				x = input;
				product(size.rows, outputs, inputs, x, 0, inputs, 1, weight.value, 0, outputs, 1, y, 0, outputs, bias.value);
				return y;
			},
			// dW = xᵀ dy，db = dy 的各行之和，dx = dy Wᵀ；dx 加在 sum 上，没有 sum 就另放
			backward(dy, sum) {
				product(
					inputs,
					outputs,
					size.rows,
					x,
					0,
					1,
					inputs,
					dy,
					0,
					outputs,
					1,
					weight.gradient,
					0,
					outputs,
					weight.gradient,
				);
				sumRows(dy, bias.gradient, size.rows, outputs);
				product(size.rows, inputs, outputs, dy, 0, outputs, 1, weight.value, 0, 1, outputs, sum ?? dx, 0, inputs, sum);
				return sum ?? dx;
			},
		};
	}

	// 层归一化 y = (x - μ) / √(σ² + ε) · γ + β，每一行自己求 μ 与 σ²
	function layerNorm(name, d) {
		const weight = parameter(`${name}.weight`, [d], 0, 1),
			bias = parameter(`${name}.bias`, [d], 0);
		const y = take(maxRows * d),
			dx = take(maxRows * d),
			unit = take(maxRows * d),
			scale = take(maxRows);
		return {
			forward(x) {
				const { rows } = size,
					gamma = weight.value,
					beta = bias.value;
				if (kernel) {
					kernel.normalise(from(x), from(y), from(unit), from(scale), from(gamma), from(beta), 4 * d, rows);
					return y;
				}
				for (let row = 0, at = 0; row < rows; row++, at += d) {
					let mean = 0,
						variance = 0;
					for (let i = 0; i < d; i++) mean += x[at + i];
					mean /= d;
					for (let i = 0; i < d; i++) {
						const off = x[at + i] - mean;
						variance += off * off;
					}
					const rate = (scale[row] = 1 / Math.sqrt(variance / d + 1e-5));
					for (let i = 0; i < d; i++) {
						const one = (unit[at + i] = (x[at + i] - mean) * rate);
						y[at + i] = one * gamma[i] + beta[i];
					}
				}
				return y;
			},
			backward(dy) {
				const { rows } = size,
					gamma = weight.value,
					dGamma = weight.gradient,
					dBeta = bias.gradient;
				if (kernel) {
					kernel.normaliseBack(
						from(dy),
						from(dx),
						from(unit),
						from(scale),
						from(gamma),
						from(dGamma),
						from(dBeta),
						4 * d,
						rows,
					);
					return dx;
				}
				for (let row = 0, at = 0; row < rows; row++, at += d) {
					let sum = 0,
						along = 0; // 梯度里，各个数一起变的一份与顺着 unit 的一份，归一化都抹掉了
					for (let i = 0; i < d; i++) {
						const g = dy[at + i],
							one = unit[at + i];
						sum += g * gamma[i];
						along += g * gamma[i] * one;
						dGamma[i] += g * one;
						dBeta[i] += g;
					}
					const rate = scale[row];
					sum /= d;
					along /= d;
					for (let i = 0; i < d; i++) dx[at + i] = rate * (dy[at + i] * gamma[i] - sum - unit[at + i] * along);
				}
				return dx;
			},
		};
	}

	// 多头注意力；mask 为 "causal" 时，一个位置只看它自己与前面的；rope 时，查询与键先按位置旋转
	function attention(name, d, heads, { mask, rope }) {
		const part = d / heads;
		const proj = Object.fromEntries(["q", "k", "v", "out"].map((each) => [each, linear(`${name}.${each}_proj`, d, d)]));
		const weights = take(maxRows * maxLength * heads),
			context = take(maxRows * d);
		const [dq, dk, dv] = [take(maxRows * d), take(maxRows * d), take(maxRows * d)];
		const dWeights = take(maxLength * maxLength);
		const turns = rope && rotations(part),
			scale = 1 / Math.sqrt(part),
			off = new Set(),
			hidden = new Set();
		let query, key, value;

		// 相邻的两维是一对，位置 p 上转 p 份角度；back 时转回去
		function rotate(x, back) {
			for (let row = 0; row < size.rows; row++) {
				const at = ((row % size.length) * part) / 2;
				for (let i = 0; i < d / 2; i++) {
					const pair = at + (i % (part / 2)),
						c = turns.cos[pair],
						s = back ? -turns.sin[pair] : turns.sin[pair];
					const j = row * d + 2 * i,
						[a, b] = [x[j], x[j + 1]];
					x[j] = a * c - b * s;
					x[j + 1] = a * s + b * c;
				}
			}
		}

		// n 行 n 个分数 → 权重；有因果掩码时，第 i 行只有前 i + 1 个看得见
		function softmax(x, at, n) {
			const causal = mask === "causal";
			if (kernel) return kernel.softmax(from(x, at), n, causal ? 1 : 0, scale);
			for (let i = 0; i < n; i++, at += n) {
				const row = x.subarray(at, at + n),
					columns = causal ? i + 1 : n;
				let max = row[0],
					sum = 0;
				for (let j = 1; j < columns; j++) if (row[j] > max) max = row[j];
				for (let j = 0; j < columns; j++) sum += row[j] = exp((row[j] - max) * scale);
				for (let j = 0; j < n; j++) row[j] = j < columns ? row[j] / sum : 0;
			}
		}

		// softmax 的梯度：各个权重的和总是 1，一起变的一份不算
		function softmaxBack(d, weight, at, n) {
			if (kernel) return kernel.softmaxBack(from(d), from(weight, at), n, scale);
			for (let to = 0; to < n * n; to += n) {
				let sum = 0;
				for (let j = to; j < to + n; j++) sum += d[j] * weight[at + j];
				for (let j = to; j < to + n; j++) d[j] = weight[at + j] * (d[j] - sum) * scale;
			}
		}

		// 盖住的那几列，都改成 value
		function cover(x, at, n, value) {
			for (const j of hidden) for (let i = 0; i < n; i++) x[at + i * n + j] = value;
		}

		// 每一句、每个头一次：它的数从哪里起，它的 N × N 个权重从哪里起
		function eachHead(run) {
			const n = size.length;
			for (let b = 0; b < size.batch; b++)
				for (let h = 0; h < heads; h++) run(b * n * d + h * part, (b * heads + h) * n * n, n, h);
		}

		return {
			weights, // (句, 头, 查询, 键)
			off, // 关掉的头
			hidden, // 盖住的位置：哪个头也看不见它
			forward(x) {
				[query, key, value] = [proj.q.forward(x), proj.k.forward(x), proj.v.forward(x)];
				if (rope) [query, key].forEach((each) => rotate(each, false));
				eachHead((at, wat, n, h) => {
					product(n, n, part, query, at, d, 1, key, at, 1, d, weights, wat, n);
					cover(weights, wat, n, -1e9);
					softmax(weights, wat, n);
					cover(weights, wat, n, 0);
					product(n, part, n, weights, wat, n, 1, value, at, d, 1, context, at, d);
					if (off.has(h)) for (let i = 0; i < n; i++) context.fill(0, at + i * d, at + i * d + part);
				});
				return proj.out.forward(context);
			},
			backward(dy) {
				const dContext = proj.out.backward(dy);
				eachHead((at, wat, n) => {
					product(n, n, part, dContext, at, d, 1, value, at, 1, d, dWeights, 0, n);
					product(n, part, n, weights, wat, 1, n, dContext, at, d, 1, dv, at, d);
					softmaxBack(dWeights, weights, wat, n);
					product(n, part, n, dWeights, 0, n, 1, key, at, d, 1, dq, at, d);
					product(n, part, n, dWeights, 0, 1, n, query, at, d, 1, dk, at, d);
				});
				if (rope) [dq, dk].forEach((each) => rotate(each, true));
				return proj.v.backward(dv, proj.k.backward(dk, proj.q.backward(dq)));
			},
		};
	}

	// 前馈网络：两个线性映射，中间小于 0 的都改成 0（ReLU）
	function feedForward(name, d) {
		const inner = linear(`${name}.inner`, d, 4 * d),
			outer = linear(`${name}.outer`, 4 * d, d);
		let hidden;
		return {
			forward(x) {
				hidden = inner.forward(x);
				relu(hidden, size.rows * 4 * d);
				return outer.forward(hidden);
			},
			backward(dy) {
				const dHidden = outer.backward(dy);
				reluBack(dHidden, hidden, size.rows * 4 * d);
				return inner.backward(dHidden);
			},
		};
	}

	// 子层：注意力或前馈网络，连同它的归一化与残差连接
	function sublayer(inner, name, d, { norm, residual }) {
		const normed = norm !== "none" && layerNorm(name, d);
		const sum = take(maxRows * d),
			dSum = take(maxRows * d);
		return {
			forward(x) {
				const y = inner.forward(norm === "pre" ? normed.forward(x) : x);
				const added = residual ? plus(x, y, sum, size.rows * d) : y;
				return norm === "post" ? normed.forward(added) : added;
			},
			backward(dy) {
				const dAdded = norm === "post" ? normed.backward(dy) : dy;
				const dInner = inner.backward(dAdded);
				const dx = norm === "pre" ? normed.backward(dInner) : dInner;
				return residual ? plus(dAdded, dx, dSum, size.rows * d) : dx;
			},
		};
	}

	// 词元的嵌入，加上位置的：learned 是另一张学出来的表，sinusoid 是算好的正弦与余弦
	function embedding(vocabSize, d, positions) {
		const tokens = parameter("tokens.weight", [vocabSize, d], 0.5);
		const learned = positions === "learned" && parameter("positions.weight", [maxLength, d], 0.5);
		const { cos, sin } = rotations(d),
			x = take(maxRows * d);
		let ids;
		return {
			forward(given) {
				ids = given;
				for (let row = 0; row < size.rows; row++) {
					const p = row % size.length;
					for (let i = 0, at = row * d; i < d; i++, at++) {
						x[at] = tokens.value[ids[row] * d + i];
						if (learned) x[at] += learned.value[p * d + i];
						if (positions === "sinusoid") x[at] += (i % 2 ? cos : sin)[(p * d) / 2 + (i >> 1)];
					}
				}
				return x;
			},
			backward(dx) {
				for (let row = 0; row < size.rows; row++)
					for (let i = 0, at = row * d; i < d; i++, at++) {
						tokens.gradient[ids[row] * d + i] += dx[at];
						if (learned) learned.gradient[(row % size.length) * d + i] += dx[at];
					}
			},
		};
	}

	return { exp, linear, layerNorm, attention, feedForward, sublayer, embedding };
};
