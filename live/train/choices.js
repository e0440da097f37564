// 读者选得了的：一样一行，说它是什么，到哪一章去读；怎样写进网址，怎样的一对选不到一起。
globalThis.TrainChoices = (() => {
	const CHAPTERS = {
		encoder: "10_encoder_is_bert",
		heads: "06_multi_head_attention",
		embedding: "03_embedding",
		ffn: "07_feed_forward",
		residual: "08_residual_and_layer_norm",
		positions: "09_positional_encoding",
		masks: "05_attention_masks",
		training: "15_training",
	};
	const YES_NO = [
		[1, "有"],
		[0, "没有"],
	];
	const numbers = (...values) => values.map((value) => [value, String(value)]);
	// 名字、能选的 [值, 说法]、一句话、哪一章
	const CHOICES = {
		layers: {
			name: "层数",
			values: numbers(0, 1, 2, 3, 4),
			chapter: "encoder",
			said: "听别人、自己想，算一层；0 层只剩嵌入与最后的线性映射，谁也听不见谁。",
		},
		heads: {
			name: "头数",
			values: numbers(1, 2, 4, 8),
			chapter: "heads",
			said: "一层里同时开几组讨论；宽度不变，头越多，每个越窄。",
		},
		width: { name: "宽度", values: numbers(16, 32, 64), chapter: "embedding", said: "一个词元用几个数来记。" },
		ffn: { name: "前馈网络", values: YES_NO, chapter: "ffn", said: "听过之后独自思考的那一半，中间宽四倍。" },
		plusAttention: {
			name: "注意力外的加号",
			values: YES_NO,
			chapter: "residual",
			said: "残差连接：听来的添在原来的笔记上；没有它，听来的就顶替了原来的。",
		},
		plusFfn: {
			name: "前馈网络外的加号",
			values: YES_NO,
			chapter: "residual",
			said: "另一个残差连接，在前馈网络外面。",
		},
		norm: {
			name: "层归一化",
			values: [
				["pre", "之前"],
				["post", "之后"],
				["none", "没有"],
			],
			chapter: "residual",
			said: "放在注意力与前馈网络之前（pre-norm）还是之后（post-norm）。",
		},
		positions: {
			name: "位置",
			values: [
				["learned", "学来的"],
				["sinusoid", "正弦"],
				["rope", "旋转"],
				["none", "没有"],
			],
			chapter: "positions",
			said: "座位号：一张学来的表，算好的正弦，还是把查询与键转一转（RoPE）。",
		},
		mask: {
			name: "因果掩码",
			values: [
				["none", "没有"],
				["causal", "有"],
			],
			chapter: "masks",
			said: "有它，每个位置只看得见自己与前面的。",
		},
		lr: {
			name: "学习率",
			values: numbers(0.0003, 0.001, 0.003, 0.01, 0.03, 0.1),
			chapter: "training",
			said: "AdamW 每一步改多少。",
		},
		warmUp: {
			name: "预热",
			values: [
				[0, "没有"],
				[20, "20 步"],
				[100, "100 步"],
			],
			chapter: "training",
			said: "开头的这些步，学习率从小到大。",
		},
		clip: {
			name: "裁剪",
			values: [
				[0, "没有"],
				[1, "到 1"],
			],
			chapter: "training",
			said: "梯度太长，就按比例缩短。",
		},
		batch: {
			name: "一批",
			values: [
				[8, "8 句"],
				[16, "16 句"],
				[32, "32 句"],
			],
			chapter: "training",
			said: "每一步看几句。",
		},
		wrong: {
			name: "答案写错",
			values: [
				[0, "没有"],
				[0.25, "四分之一"],
				[0.5, "一半"],
				[0.75, "四分之三"],
			],
			chapter: "training",
			said: "训练用的答案里，有这么多换成随手抽来的一个；考试的答案总是对的。",
		},
		seed: {
			name: "种子",
			values: numbers(0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
			chapter: "training",
			said: "开头的参数与每一步的数据都由它而来：种子相同，训练就一模一样。",
		},
	};
	const TASKS = {
		reverse: { name: "倒写", mask: "none", said: "八个字母倒着写一遍：第一个位置要说出第八个字母。" },
		sort: { name: "排序", mask: "none", said: "八个数字从小到大排好。" },
		copy: {
			name: "照着抄",
			mask: "causal",
			said: "几个字母写了又写，每处说出下一个；训练时一段是 3、4、5、7 个，考的是从没见过的 6 个。",
		},
		brackets: { name: "括号配对", mask: "causal", said: "右括号都写成了问号，要说出各是哪一种。" },
		count: { name: "数一数", mask: "none", said: "每个位置说出：这个字母在这一句里有几个。" },
		add: { name: "加法进位", mask: "none", said: "两位数加两位数，三个问号一起答；考的算式，训练时没有见过。" },
		bite: { name: "谁咬谁", mask: "none", said: "狗咬猫，谁疼？猫咬狗，谁疼？一样的几个字，次序不同，答案就不同。" },
		read: {
			name: "读这本书",
			mask: "causal",
			said: "这本书自己的行文，一个字一个字地猜下一个；考的是留下没有读的两章。练一遍要一两分钟，可以一边练，一边往下读。",
		},
	};
	// 读这本书的字多，要宽一些，也多走几步；别的事做完了，换回来
	const READING = { width: 64, positions: "rope", batch: 16, steps: 600, other: "layers", value: "1" };
	const LENGTHS = [200, 400, 600, 1000, 2000];
	// text 是读者自己写的一句；hide 是盖住的第几个（从 0 数起）；other 是 B 改的那一样，value 改成什么；steps 走到第几步为止；guess 是哪个实验
	const START = {
		task: "copy",
		layers: 2,
		heads: 4,
		width: 32,
		ffn: 1,
		plusAttention: 1,
		plusFfn: 1,
		norm: "pre",
		positions: "learned",
		mask: "causal",
		lr: 0.003,
		warmUp: 20,
		clip: 1,
		batch: 32,
		wrong: 0,
		seed: 1,
		other: "layers",
		value: "1",
		steps: 400,
		text: "",
		hide: "",
		guess: "",
	};

	// 从 before 换到 task，跟着换的几样
	function usual(task, before) {
		if (task === before) return {};
		const own = Object.fromEntries(Object.keys(READING).map((name) => [name, START[name]]));
		return task === "read" ? READING : before === "read" ? own : {};
	}

	const valueOf = (name, given) => CHOICES[name].values.find(([value]) => String(value) === String(given))?.[0];
	const labelOf = (name, given) =>
		CHOICES[name].values.find(([value]) => String(value) === String(given))?.[1] ?? String(given);

	// 网址谁都能写：认不得的字段不要，认不得的值用原来的；层数太多、头分不开，留着它，好说出哪里不行
	function toState(given = {}) {
		const state = { ...START };
		for (const name of Object.keys(CHOICES))
			if (name in given) state[name] = valueOf(name, given[name]) ?? odd(name, given[name]) ?? START[name];
		if (given.task in TASKS) state.task = given.task;
		if ("task" in given && !("mask" in given)) state.mask = TASKS[state.task].mask;
		if (given.other === "" || given.other in CHOICES) state.other = given.other;
		if ("value" in given) state.value = String(given.value);
		if (state.other && valueOf(state.other, state.value) === undefined)
			state.value = String(CHOICES[state.other].values[0][0]);
		if (LENGTHS.includes(Number(given.steps))) state.steps = Number(given.steps);
		if (/^[a-z]{1,20}$/.test(given.guess ?? "")) state.guess = given.guess;
		if (/^\d{1,2}$/.test(given.hide)) state.hide = Number(given.hide);
		state.text = String(given.text ?? "").slice(0, 40);
		return state;
	}
	const odd = (name, given) =>
		["layers", "heads"].includes(name) && /^\d{1,2}$/.test(given) ? Number(given) : undefined;
	const toFragment = (state, at) => {
		const fields = Object.entries(state).filter(
			([name, value]) => ["task", "mask"].includes(name) || String(value) !== String(START[name]),
		);
		return `#${new URLSearchParams(at ? [...fields, ["at", at]] : fields)}`;
	};

	// A 与 B 各自的选择；没有 B 时只有一个
	function sides(state) {
		const a = Object.fromEntries(["task", ...Object.keys(CHOICES)].map((name) => [name, state[name]]));
		if (!state.other) return [a];
		return [a, { ...a, [state.other]: valueOf(state.other, state.value) }];
	}

	// 选不到一起的，说一句；没有毛病就给空的
	function trouble({ layers, heads, width, positions }) {
		if (layers > 4) return `${layers} 层在网页里训练太久，最多 4 层；这几个任务，2 层就够看了。`;
		if (heads < 1 || heads > 8) return "头数是 1 到 8。";
		if (width % heads) return `宽 ${width} 分不成一样宽的 ${heads} 份，请换一个头数。`;
		if (positions === "rope" && (width / heads) % 2) return "旋转要两维一对，一个头的宽度得是偶数。";
		return "";
	}

	return { CHAPTERS, CHOICES, TASKS, LENGTHS, START, usual, toState, toFragment, sides, trouble, labelOf, valueOf };
})();
