// 读这本书：书里的行文，一个字一个词元，猜下一个字。文字要等读者选了这件事才取（data/book/text.js），考的是留下没有读的两章。
//
// book 是 { words: 词表, training, held: 两段文字, lines: { 名字: 数次数的模型在留下的两章上要多少比特 } }；没有取来时，一个字也没有。
globalThis.trainReading = function ({ words, training, held } = { words: ["〓"], training: "〓", held: "〓" }) {
	const LENGTH = 64,
		EXAM = 128; // 一段多少字；考多少段，均匀地分在留下的两章里
	const numbers = new Map(words.map((word, i) => [word, i]));
	const numbered = (text) => Int32Array.from(text, (char) => numbers.get(char) ?? 0); // 少见的字都是第 0 个
	const read = numbered(training),
		kept = numbered(held);
	return {
		words,
		numbered,
		length: LENGTH,
		far: 0,
		apart: true,
		shown: 21,
		make(random, n, testing, place) {
			if (!testing) return read.slice(...from(random.below(Math.max(1, read.length - n)), n));
			return kept.slice(...from(Math.floor(((place % EXAM) * (kept.length - n)) / (EXAM - 1)), n));
		},
		answer: (ids) => Array.from(ids, (_, i) => ids[i + 1] ?? -1), // 每个位置猜它后面的一个
		graded: (step) => step % 50 === 0 || step === 10 || step === 20,
	};

	function from(at, n) {
		return [Math.max(0, at), Math.max(0, at) + n];
	}
};

// 接着写：look(编号) 给出末一处的概率，照着抽签，一次一个；不抽第 0 个，它只是“别的字”
globalThis.trainWriting = function ({ trainRandom }) {
	const sharper = (p) => p * Math.sqrt(Math.sqrt(p)); // 温度 0.8：概率的 1.25 次方
	return function write({ ids, count, seed, most, look }) {
		const { next } = trainRandom().stream("write", seed),
			written = [...ids];
		for (let i = 0; i < count; i++) {
			const chances = look(written.slice(-most)).map((p, id) => (id ? sharper(p) : 0));
			let left = next() * chances.reduce((sum, p) => sum + p, 0),
				id = 0;
			while (id < chances.length - 1 && (left -= chances[id]) > 0) id++;
			written.push(id);
		}
		return written.slice(ids.length);
	};
};
