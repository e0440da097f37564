// 面板的状态：句子、选中的词元与头；例句，以及怎样写进网址的 # 后面（那一段浏览器不发给网站）。
globalThis.LiveState = (() => {
	const EXAMPLES = {
		"they 看谁": {
			text: "John and Paul wrote several songs when they were inspired.",
			token: 8,
			with: 1,
			layer: 5,
			head: 5,
		},
		箭与香蕉: {
			text: "time flies like an arrow",
			other: "fruit flies like a banana",
			token: 2,
			with: 9,
			layer: 0,
			head: 2,
		},
		"三个 bank": {
			text: "After stealing money from the bank vault, the bank robber was seen fishing on the Mississippi river bank.",
			token: 19,
			with: 6,
			layer: 5,
			head: 5,
		},
		"两句里的 bank": {
			text: "The manager of the bank refused to approve our loan.",
			other: "Tall grass along the bank hid the nests of the ducks.",
			token: 5,
			with: 18,
			layer: 5,
			head: 5,
		},
		切成几截: {
			text: "Unbelievably, tokenization splits rare words.",
			token: 1,
			with: 2,
			layer: 0,
			head: 2,
			tab: "tokens",
		},
		认不全的汉字: { text: "你好，BERT！我住在山上。", token: 1, with: 2, layer: 0, head: 2, tab: "tokens" },
	};

	// 多语的：词元是 Unigram 切的，<s> 是第 0 个
	const CHINESE = {
		它看谁: { text: "这只猫很小，它喜欢睡觉。", token: 7, with: 3, layer: 8, head: 8 },
		她看谁: { text: "小红的妈妈很忙，她每天工作到很晚。", token: 8, with: 4, layer: 11, head: 0 },
		两句里的苹果: {
			text: "苹果很甜，我每天吃一个。",
			other: "苹果发布了新手机。",
			token: 2,
			with: 14,
			layer: 8,
			head: 8,
		},
		谁咬了谁: { text: "狗咬了人。", other: "人咬了狗。", token: 3, with: 11, layer: 8, head: 8, tab: "cosine" },
		一句两种字: { text: "I like cats，我也喜欢猫。", token: 3, with: 8, layer: 8, head: 8 },
		词表外的字: { text: "龘字有四十八画，한국어不在这里。", token: 2, with: 1, layer: 8, head: 8, tab: "tokens" },
	};

	// 两个模型：网址里的名字 → 按钮与框上写的，例句，最前与最后的记号，打字的框是什么语言
	const MODELS = {
		"": {
			name: "英文（6 层）",
			opens: "打开 BERT",
			field: "英文句子",
			lang: "en",
			first: "[CLS]",
			last: "[SEP]",
			examples: EXAMPLES,
		},
		zh: {
			name: "中文（12 层，多语）",
			opens: "打开多语 BERT",
			field: "写一句中文，繁体也行",
			lang: "",
			first: "<s>",
			last: "</s>",
			examples: CHINESE,
		},
	};

	const WORD_LENGTH = 40;

	// #text=…&other=…&token=2&with=8&layer=5&head=5；词元从 0 数起，第二句接着第一句数
	// way、word、off 是“动手改一处”的：遮住（mask）、换词（swap），换成什么，还关着哪些头（5-5_3-1 是两个）
	// view、least、kind、pin 是“注意力”的：画成弧线（arcs），别的词元的弧画到多大的权重，挑哪一种头，钉住哪一个（3-1）；tab 是窄处的页签
	// model 是 zh，就是多语的那一个；不写是英文的
	// 没有写明词元的，算出来再挑；at 是滚到了哪一节，不算状态

	const toState = (
		{ text = "", other = "", model, way, word = "", off, view, least, kind, pin, tab, ...numbers },
		{ layer, head },
	) => {
		const number = (name) => (/^\d+$/.test(numbers[name]) ? Number(numbers[name]) : undefined);
		return {
			text,
			other,
			model: model === "zh" ? "zh" : "",
			token: number("token"),
			with: number("with"),
			layer: number("layer") ?? Number(layer ?? 0),
			head: number("head") ?? Number(head ?? 0),
			way: /^(mask|swap)$/.test(way) ? way : "",
			word: word.slice(0, WORD_LENGTH),
			view: view === "arcs" ? view : "",
			least: /^0\.\d{1,2}$/.test(least) ? least : "",
			kind: /^(previous|next|self|first|stop|broad|other)$/.test(kind) ? kind : "",
			pin: /^\d{1,2}-\d{1,2}$/.test(pin) ? pin : "",
			tab: /^(tokens|journey|attention|oneCell|intervene|cosine)$/.test(tab) ? tab : "",
			off: /^\d+-\d+(_\d+-\d+)*$/.test(off) ? off : "",
		};
	};
	const toFragment = (state, at) => {
		const fields = Object.entries({ ...state, at }).filter(([name, value]) => name === "text" || (value ?? "") !== "");
		return `#${new URLSearchParams(fields)}`;
	};

	// 选中的留着；没有选过、或者句子改得对不上了（keep 是假），就挑头一个出现两次的词，再挑另一处的同一个词，没有就挑相邻的
	function pick({ token, with: partner }, places, keep) {
		const another = (i) => places.findIndex(({ id }, j) => j !== i && id === places[i].id);
		if (!keep || !places[token])
			token = Math.max(
				places[1]?.token === "▁" ? 2 : 1,
				places.findIndex(({ token }, i) => /^▁?\p{L}/u.test(token) && another(i) > i),
			);
		if (!keep || !places[partner]) {
			const next = token + (token + 1 < places.length ? 1 : -1);
			partner = another(token) < 0 ? next : another(token);
		}
		return { token, with: partner };
	}

	return { EXAMPLES, MODELS, WORD_LENGTH, toState, toFragment, pick };
})();
