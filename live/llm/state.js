// 面板的状态：哪一个模型、前文、怎样写、种子、选中的头；例句，以及怎样写进网址的 # 后面（那一段浏览器不发给网站）。
globalThis.LlmState = (() => {
	const EXAMPLES = {
		法国的首都: { text: "The capital of France is" },
		从前: { text: "Once upon a time, there was a", draw: 1, T: 0.8, seed: 3 },
		天为什么蓝: { text: "Why is the sky blue?", chat: 1 },
		没有的国家: { text: "What is the capital of Marovia?", chat: 1 },
		"17 + 25": { text: "What is 17 + 25?", chat: 1 },
		照着抄: { text: "Blork, zane, mivel, tupra. Blork, zane, mivel," },
		代码: { text: "def fibonacci(n):\n    if n < 2:\n        return n\n    return" },
		中文: { text: "日本的首都是" },
	};
	const CHINESE = {
		法国的首都: { text: "中国的首都是北京，法国的首都是", layer: 21, head: 6 },
		从前: { text: "从前有座山，山里有座庙，庙里有个老和尚在讲故事，讲的是", draw: 1, T: 0.8, seed: 3 },
		天为什么蓝: { text: "天空为什么是蓝色的？", chat: 1 },
		没有的国家: { text: "马罗维亚的首都是哪里？", chat: 1 },
		"17 + 25": { text: "十七加二十五等于多少？", chat: 1 },
		狗与人: { text: "狗咬了人。人咬了狗。", bits: 1 },
		代码: { text: "用 Python 写一个求平均数的函数。", chat: 1 },
	};
	// 还没有打开时，摆着头一个例句事先算好的样子
	const PREVIEW = {
		text: "The capital of France is",
		ids: [504, 3575, 282, 4649, 314],
		words: ["The", " capital", " of", " France", " is"],
		next: [
			[7042, " Paris", 0.773],
			[260, " the", 0.065],
			[4528, " London", 0.012],
			[2250, " Le", 0.01],
			[1315, " New", 0.009],
			[5145, " La", 0.009],
			[216, " ", 0.007],
			[441, " not", 0.007],
			[3692, " Mon", 0.006],
			[3575, " capital", 0.004],
		],
	};
	// folder 是数据在哪里；about 摆在选模型的一行下面，han 是前文里写了汉字时说的
	const MODELS = {
		"": {
			name: "SmolLM2",
			folder: "llm",
			lang: "en",
			numLayers: 30,
			numHeads: 9,
			examples: EXAMPLES,
			preview: PREVIEW,
			han: "这个模型几乎只懂英文：中文它也读，写出来的多半不成句。换成英文试试。",
		},
		zh: {
			name: "Qwen2.5-Coder",
			folder: "qwen",
			lang: "zh",
			numLayers: 24,
			numHeads: 14,
			examples: CHINESE,
			about:
				"0.5B，懂中文。词表太大，只带了写中文的各个词元与常用的英文词：别的切成更小的几截，概率与透镜也只看带着的，所以英文不如它本来的样子。",
		},
	};
	const TEMPERATURES = [0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 2];
	const KS = [1, 2, 3, 5, 10, 20, 50, 100, 0];
	const PS = [0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 0];
	const MS = [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5];
	const VIEWS = ["attention", "lens", "norms", "cache"];

	// model 是哪一个；chat 一问一答；past 是再问一句时，先前的几问几答照模板写成的原文；bits 看不看前文的每个词元有多意外；draw 抽签；T、k、p、m 是四个滑杆，0 是不限；token 不写就是最后一个；层与头从 1 数起
	const START = {
		model: "",
		text: "",
		chat: 0,
		past: "",
		draw: 0,
		T: 1,
		k: 0,
		p: 0,
		m: 0,
		seed: 1,
		written: "",
		view: "",
		layer: 24,
		head: 5,
		token: -1,
		bits: 0,
	};
	const nearest = (values, value) => values.reduce((a, b) => (Math.abs(b - value) < Math.abs(a - value) ? b : a));
	const whole = (value, from, to) => Math.min(to, Math.max(from, Math.floor(value)));
	const MEND = {
		model: (value) => (Object.hasOwn(MODELS, value) ? value : ""),
		text: String,
		chat: Boolean,
		past: String,
		draw: Boolean,
		T: (value) => nearest(TEMPERATURES, value),
		k: (value) => nearest(KS, value),
		p: (value) => nearest(PS, value),
		m: (value) => nearest(MS, value),
		seed: (value) => whole(value, 0, 999_999),
		written: (value) => (/^\d{1,5}(\.\d{1,5}){0,255}$/.test(value) ? value : ""),
		view: (value) => (VIEWS.includes(value) ? value : ""),
		layer: (value) => whole(value, 1, Infinity),
		head: (value) => whole(value, 1, Infinity),
		token: (value) => whole(value, -1, 255),
		bits: Boolean,
	};
	// 网址谁都能写：认不得的字段不要，数不是数的用原来的
	function toState(given = {}) {
		const state = Object.fromEntries(
			Object.entries(START).map(([name, value]) => {
				const read = typeof value === "number" ? Number(given[name] ?? value) : (given[name] ?? value);
				const mended = Number.isNaN(read) ? value : MEND[name](read);
				return [name, typeof value === "number" ? Number(mended) : mended];
			}),
		);
		const { numLayers, numHeads } = MODELS[state.model];
		return { ...state, layer: Math.min(state.layer, numLayers), head: Math.min(state.head, numHeads) };
	}
	const toFragment = (state, at) => {
		const fields = Object.entries(state).filter(([name, value]) => name === "text" || value !== START[name]);
		return `#${new URLSearchParams(at ? [...fields, ["at", at]] : fields)}`;
	};

	// 先前的几问几答，读得顺的样子
	const told = (past) =>
		[...past.matchAll(/<\|im_start\|>(user|assistant)\n(.*?)(?=<\|im_end\|>|$)/gs)]
			.map(([, who, said]) => `${who === "user" ? "问" : "答"}：${said}\n`)
			.join("");

	return { told, MODELS, TEMPERATURES, KS, PS, MS, VIEWS, START, toState, toFragment };
})();
