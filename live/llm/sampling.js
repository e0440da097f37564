// 抽样：把分数整理成概率，再抽一个词元；与 course_lib/sampling.py 的 narrow 留下同样的词元，概率相同。
//
// 温度、top-k、top-p、min-p 的次序也相同；温度是 0 就是贪心。词表有几万个词元，滑块一动就要重算，所以都只用带类型的数组。
// 后台线程里也用它：liveSampling 自成一体，用不到外面的名字。
globalThis.liveSampling = function () {
	// 分数 → 概率，写进 probabilities，可以就是 logits 自己；-Infinity 的概率是 0
	function softmax(logits, probabilities = new Float32Array(logits.length)) {
		let most = -Infinity,
			sum = 0;
		for (let i = 0; i < logits.length; i++) if (logits[i] > most) most = logits[i];
		for (let i = 0; i < logits.length; i++) sum += probabilities[i] = Math.exp(logits[i] - most);
		for (let i = 0; i < logits.length; i++) probabilities[i] /= sum;
		return probabilities;
	}

	// 一个编号的概率，与 softmax 里的那一个相同；不必为它另要一份与词表一样长的数组
	function probabilityOf(id, logits) {
		let most = -Infinity,
			sum = 0;
		for (let i = 0; i < logits.length; i++) if (logits[i] > most) most = logits[i];
		for (let i = 0; i < logits.length; i++) sum += Math.exp(logits[i] - most);
		return Math.fround(Math.fround(Math.exp(logits[id] - most)) / sum);
	}

	// 只留最高的 topK 个，再从高到低留到概率之和达到 topP 为止；给编号排序太慢，所以只排分数，找出留到哪一个分数
	function highest(logits, topK, topP) {
		const ordered = Float32Array.from(logits).sort().reverse().subarray(0, topK),
			probabilities = softmax(ordered);
		let count = 0;
		// 排在前面的已经够了就停
		for (let before = 0; count < ordered.length && !(topP < 1 && before >= topP); count++)
			before += probabilities[count];
		const least = ordered[count - 1];
		let places = count; // 分数恰好是 least 的，先留编号小的，有几个位子
		while (places && ordered[places - 1] === least) places--;
		places = count - places;
		const kept = new Float32Array(logits.length).fill(-Infinity);
		for (let id = 0; id < logits.length; id++)
			if (logits[id] > least || (logits[id] === least && places-- > 0)) kept[id] = logits[id];
		return kept;
	}

	function check(temperature, topK, topP, minP) {
		if (!(temperature >= 0)) throw Error(`温度是 ${temperature}，应当不小于 0；0 就是贪心。`);
		if (!(topK >= 1)) throw Error(`top-k 是 ${topK}，应当至少是 1。`);
		if (!(topP > 0 && topP <= 1)) throw Error(`top-p 是 ${topP}，应当大于 0，不超过 1。`);
		if (!(minP >= 0 && minP <= 1)) throw Error(`min-p 是 ${minP}，应当在 0 与 1 之间；0 就是不限。`);
	}

	// 分数最高的概率是 1，相同的取编号小的
	function greedy(logits) {
		let best = 0;
		for (let id = 1; id < logits.length; id++) if (logits[id] > logits[best]) best = id;
		const probabilities = new Float32Array(logits.length);
		probabilities[best] = 1;
		return probabilities;
	}

	// 分数 → 整理之后的概率，去掉的是 0；不给的就不限
	function narrow(logits, { temperature = 1, topK = Infinity, topP = 1, minP = 0 } = {}) {
		check(temperature, topK, topP, minP);
		if (temperature === 0) return greedy(logits);
		const scaled = Float32Array.from(logits);
		let most = -Infinity;
		for (let id = 0; id < scaled.length; id++) most = Math.max(most, (scaled[id] /= temperature));
		const narrowed = topK < scaled.length || topP < 1 ? highest(scaled, topK, topP) : scaled;
		const floor = Math.fround(most + Math.log(minP)); // 概率之比就是分数之差的指数
		for (let id = 0; id < scaled.length; id++) if (scaled[id] < floor) narrowed[id] = -Infinity;
		return softmax(narrowed, narrowed); // 每写一个词元都要算，少留些垃圾
	}

	// 概率最大的 k 个，从大到小，相同的先排编号小的；概率是 0 的不算
	function top(probabilities, k) {
		const best = [];
		for (let id = 0; id < probabilities.length; id++) {
			const probability = probabilities[id];
			if (probability <= (best.length < k ? 0 : best[k - 1].probability)) continue;
			let i = best.length;
			while (i && best[i - 1].probability < probability) i--;
			best.splice(i, 0, { id, probability });
			best.length = Math.min(best.length, k);
		}
		return best;
	}

	// 按概率抽一个编号；random() 给出 [0, 1) 里的数
	function draw(probabilities, random = Math.random) {
		let rest = random() * probabilities.reduce((sum, probability) => sum + probability, 0),
			last = 0; // 舍入之后合计不恰好是 1
		for (let id = 0; id < probabilities.length; id++) {
			if (!probabilities[id]) continue;
			if ((rest -= probabilities[id]) < 0) return id;
			last = id;
		}
		return last;
	}

	return { softmax, probabilityOf, narrow, top, draw };
};
globalThis.LiveSampling = liveSampling();
