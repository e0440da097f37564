// AdamW，连同预热与裁剪：与 torch.optim.AdamW、clip_grad_norm_ 的式子相同。
globalThis.trainOptimiser = function () {
	const [BETA1, BETA2, EPS, DECAY] = [0.9, 0.999, 1e-8, 0.01];

	// x 的 n 次方，一次次地乘：** 的末一位，各家浏览器不一定相同
	function power(x, n) {
		let y = 1;
		for (let i = 0; i < n; i++) y *= x;
		return y;
	}

	// 第 step 步（从 0 数起）的学习率：前 warmUp 步从小到大
	const learningRate = ({ lr, warmUp }, step) => (warmUp ? lr * Math.min(1, (step + 1) / warmUp) : lr);

	// 梯度的总长度超过 most，就按比例缩短；most 为 0 是不裁。返回原来的长度
	function clip(gradients, most) {
		let sum = 0;
		for (let i = 0; i < gradients.length; i++) sum += gradients[i] * gradients[i];
		const length = Math.sqrt(sum),
			scale = most / (length + 1e-6);
		if (most && scale < 1) for (let i = 0; i < gradients.length; i++) gradients[i] *= scale;
		return length;
	}

	// first、second 是梯度与梯度的平方的滑动平均；products.wat 里有同样的一份（adamW），一次算四个数
	function step({ values, gradients, first, second, kernel, from }, rate, t) {
		const one = 1 - power(BETA1, t),
			root = Math.sqrt(1 - power(BETA2, t));
		if (kernel)
			return kernel.adamW(
				from(values),
				from(gradients),
				from(first),
				from(second),
				4 * values.length,
				1 - rate * DECAY,
				rate / one,
				root,
			);
		for (let i = 0; i < values.length; i++) {
			const g = gradients[i];
			first[i] = BETA1 * first[i] + (1 - BETA1) * g;
			second[i] = BETA2 * second[i] + (1 - BETA2) * g * g;
			values[i] = values[i] * (1 - rate * DECAY) - ((rate / one) * first[i]) / (Math.sqrt(second[i]) / root + EPS);
		}
	}

	return { learningRate, clip, step };
};
