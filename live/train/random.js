// 有种子的随机数：种子与名字相同，给出的就相同，换一个浏览器也一样，因为只用整数的运算。
globalThis.trainRandom = function () {
	// 一串数搅成一个 32 位的整数
	function stir(...numbers) {
		let state = 0x2545f491;
		for (const number of numbers) {
			state = Math.imul(state ^ number, 0x9e3779b1);
			state = Math.imul(state ^ (state >>> 15), 0x85ebca77);
			state ^= state >>> 13;
		}
		return state >>> 0;
	}

	const spelled = (name) => [...name].map((char) => char.codePointAt(0));

	// 一列随机数：next() 给出 [0, 1) 里的一个，below(n) 给出小于 n 的一个整数
	function stream(...key) {
		const seed = stir(...key.flatMap((part) => (typeof part === "string" ? spelled(part) : [part])));
		let drawn = 0;
		const next = () => stir(seed, drawn++) / 2 ** 32;
		const below = (n) => Math.floor(next() * n);
		const pick = (list) => list[below(list.length)];
		const shuffle = (list) => {
			for (let i = list.length - 1; i > 0; i--) {
				const j = below(i + 1);
				[list[i], list[j]] = [list[j], list[i]];
			}
			return list;
		};
		return { next, below, pick, shuffle };
	}

	return { stir, stream };
};
