// 任务：几行数据，一眼看得出在做什么。一句是一行词元，answer 说每个位置上该答什么（-1 是不考）。
//
// make(random, n) 给出一句，n 是它多长；练的都是 length 那么长，far 是更长的，只拿来考（0 是没有）。
// 练的与考的分开：一句话搅成一个整数，五份里留一份只拿来考；训练时抽到了就重抽。
globalThis.trainTasks = function ({ trainRandom, trainReading, book }) {
	const { stir, stream } = trainRandom();
	const range = (from, to) => Array.from({ length: to - from }, (_, i) => from + i);
	const LETTERS = [..."abcdefghij"],
		DIGITS = [..."0123456789"],
		ANIMALS = [..."狗猫鼠鸡牛羊马猪"];
	const CANNOT = [-1]; // 自己写的一句，看不出该答什么

	// 一串不重样的
	const distinct = (random, count, n) => random.shuffle(range(0, count)).slice(0, n);
	const any = (count) => (random, n) => range(0, n).map(() => random.below(count));
	const spread = (ids, answers) => ids.map((_, i) => answers[answers.length - ids.length + i] ?? -1); // 答案在末尾

	const TASKS = {
		// 倒着写一遍
		reverse: { words: LETTERS, length: 8, far: 0, make: any(10), answer: (ids) => ids.toReversed() },
		// 从小到大
		sort: { words: DIGITS, length: 8, far: 12, make: any(10), answer: (ids) => ids.toSorted((a, b) => a - b) },
		// 一段不重样的字母写了又写，每处说出下一个；每段 3、4、5、7 个，考的是 6 个的，训练时没有见过
		copy: {
			words: LETTERS,
			length: 16,
			far: 0,
			apart: true,
			make(random, n, testing) {
				const period = testing ? 6 : random.pick([3, 4, 5, 7]),
					pattern = distinct(random, 10, period);
				return range(0, n).map((i) => pattern[i % period]);
			},
			answer: (ids) =>
				ids
					.map((id, i) => ids[ids.lastIndexOf(id, i - 1) + 1])
					.map((next, i) => (i && ids.lastIndexOf(ids[i], i - 1) >= 0 ? next : -1)),
		},
		// 右括号都写成 ?，要说出是哪一种
		brackets: {
			words: [..."([{?)]}"],
			length: 12,
			far: 16,
			make(random, n) {
				const ids = [];
				for (let i = 0, open = 0; i < n; i++) {
					const closes = open && (open >= Math.min(4, n - i) || random.below(2));
					ids.push(closes ? 3 : random.below(3));
					open += closes ? -1 : 1;
				}
				return ids;
			},
			answer(ids) {
				const open = [];
				return ids.map((id) => (id < 3 ? (open.push(id), -1) : open.length ? 4 + open.pop() : -1));
			},
		},
		// 这个字母在这一句里有几个
		count: {
			words: [..."abcd", ..."123456789"],
			length: 8,
			far: 12,
			make: any(4),
			answer: (ids) => ids.map((id) => 3 + Math.min(9, ids.filter((other) => other === id).length)),
		},
		// 两位数加两位数，三个 ? 处写和
		add: {
			words: [...DIGITS, ..."+=?"],
			length: 9,
			far: 0,
			make: (random) => [random.below(10), random.below(10), 10, random.below(10), random.below(10), 11, 12, 12, 12],
			answer(ids) {
				const [, a, b] = ids.join(" ").match(/^(\d \d) 10 (\d \d) 11 12 12 12$/) ?? CANNOT;
				if (!a) return ids.map(() => -1);
				const sum = [a, b].reduce((total, two) => total + Number(two.replace(" ", "")), 0);
				return spread(ids, [...String(sum).padStart(3, "0")].map(Number));
			},
		},
		// 狗咬猫，谁疼？谁凶？
		bite: {
			words: [...ANIMALS, ..."咬，谁疼凶？"],
			length: 7,
			far: 0,
			make(random) {
				const [biter, bitten] = distinct(random, 8, 2);
				return [biter, 8, bitten, 9, 10, 11 + random.below(2), 13];
			},
			// 同一对反过来的也留着考：只有考的与练的次序不同，词元却一样
			answer(ids) {
				const [, biter, bitten, asked] = ids.join(" ").match(/^([0-7]) 8 ([0-7]) 9 10 (11|12) 13$/) ?? CANNOT;
				return spread(ids, biter ? [Number(asked === "11" ? bitten : biter)] : CANNOT);
			},
		},
		// 读这本书，见 reading.js
		...(trainReading && { read: trainReading(book) }),
	};

	// 只拿来考的：搅过的整数除以 5 余 0
	const kept = (ids) => stir(7, ...ids) % 5 === 0;

	// place 是一张卷子里的第几句
	function sentence(task, random, n, testing, place) {
		for (;;) {
			const ids = task.make(random, n, testing, place);
			if (task.apart || kept(ids) === testing) return ids;
		}
	}

	// 一批 count 句，同样长；wrong 是答案写错的份数：错的是随手从这一批的答案里抽的
	function batch(name, key, count, { testing = false, far = false, wrong = 0 } = {}) {
		const task = TASKS[name],
			random = stream(name, ...key),
			length = far ? task.far : task.length;
		const ids = new Int32Array(count * length),
			targets = ids.slice();
		for (let i = 0; i < count; i++) {
			const words = sentence(task, random, length, testing, key.at(-1) * count + i);
			ids.set(words, i * length);
			targets.set(task.answer(words), i * length);
		}
		if (wrong) {
			const lies = stream("lies", ...key),
				answers = targets.filter((answer) => answer >= 0);
			for (let i = 0; i < targets.length; i++)
				if (targets[i] >= 0 && lies.next() < wrong) targets[i] = lies.pick(answers);
		}
		return { ids, targets, length };
	}

	// 最多多长：自己写的一句也不能再长
	const maxLength = (name) => Math.max(TASKS[name].length, TASKS[name].far, 16);

	return { TASKS, batch, maxLength };
};
