// 字节级 BPE 分词器：与 course_lib/byte_pair.py、course_lib/pretokenization.py 同名、同序，编号逐个相同。
//
// 文本依次经过：特殊词元切分 → 预切分 → UTF-8 字节 → 按学到的次序合并 → 查编号。
// 只定义这一个函数，用不到外面的名字：页面上、后台线程（Worker）里用的是同一份。
globalThis.liveBytePair = function () {
	const [START, END] = ["<|im_start|>", "<|im_end|>"]; // 对话模板里，一条消息的开头与结尾
	const [CONTROL, USER_DEFINED] = [3, 4]; // GGUF 里的两种词元：在文本里整个出现，不切开

	// 空白写作 \p{White_Space}：JavaScript 的 \s 多一个 U+FEFF，少一个 U+0085
	const GPT2 =
		/'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;
	const DIGIT = /(\p{N})/u;
	// 缩写不分大小写（ſ 是 s 的另一种小写），字母前面可以带一个别的符号，数字一个一段，符号连着后面的换行，换行自成一段
	const QWEN2 =
		/'(?:[sSſ]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\p{White_Space}\p{L}\p{N}]+[\r\n]*|\p{White_Space}*[\r\n]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;

	// 先把每个数字单独切出来，再按 GPT-2 的正则切；连起来就是原文
	const pretokenize = (text) => text.split(DIGIT).flatMap((part) => part.match(GPT2) ?? []);

	// tokenizer.ggml.pre 的另一种：先归一化成 NFC（e 与 ́ 并成一个字符 é），再切；连起来是归一化之后的原文
	const PRETOKENIZERS = { qwen2: (text) => text.normalize("NFC").match(QWEN2) ?? [] };

	// 256 个字节各用哪个字符来写：看得见的字符代表自己，其余 68 个字节从 U+0100 起依次借用
	function byteCharacters() {
		let borrowed = 256;
		const visible = (byte) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
		return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(visible(byte) ? byte : borrowed++));
	}

	const BYTE_TO_CHAR = byteCharacters();
	const CHAR_TO_BYTE = new Map(BYTE_TO_CHAR.map((char, byte) => [char, byte]));
	const utf8 = new TextEncoder();

	// 把文本的 UTF-8 字节逐个写成可见字符：" 我" → ["Ġ", "æ", "Ī", "ĳ"]
	const spell = (text) => Array.from(utf8.encode(text), (byte) => BYTE_TO_CHAR[byte]);

	// spell 的逆
	const unspell = (token) => Uint8Array.from(token, (char) => CHAR_TO_BYTE.get(char));

	// 最小的先出来的堆，与 Python 的 heapq 同名
	function heappush(heap, item) {
		let i = heap.push(item) - 1;
		for (let parent; i && heap[(parent = (i - 1) >> 1)] > item; i = parent) heap[i] = heap[parent];
		heap[i] = item;
	}

	function heappop(heap) {
		const least = heap[0],
			item = heap.pop();
		let i = 0;
		for (let child; (child = 2 * i + 1) < heap.length; i = child) {
			if (heap[child + 1] < heap[child]) child++;
			if (heap[child] >= item) break;
			heap[i] = heap[child];
		}
		if (heap.length) heap[i] = item;
		return least;
	}

	// 反复合并次序最靠前（相同则最靠左）的相邻一对，直到没有可合并的；ranks："左 右" → 次序，小的先合并
	function merge(parts, ranks) {
		parts = [...parts];
		const end = parts.length,
			waiting = []; // 等着合并的，先比次序再比位置，写成一个数：次序 × end + 左段的位置
		const left = parts.map((_, i) => i - 1),
			right = parts.map((_, i) => i + 1); // 每一段眼下的左邻与右邻
		const rank = (i) => (i >= 0 && right[i] < end ? ranks.get(`${parts[i]} ${parts[right[i]]}`) : undefined);
		const wait = (i) => {
			const order = rank(i);
			if (order !== undefined) heappush(waiting, order * end + i);
		};
		for (let i = 0; i < end; i++) wait(i);
		while (waiting.length) {
			const first = heappop(waiting),
				i = first % end,
				j = right[i];
			if (rank(i) !== (first - i) / end) continue; // 等待的时候，其中一段已经被别人并走了
			parts[i] += parts[j];
			parts[j] = "";
			right[i] = right[j];
			if (right[j] < end) left[right[j]] = i;
			wait(left[i]);
			wait(i);
		}
		return parts.filter(Boolean);
	}

	const escape = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

	class BytePairTokenizer {
		// tokens、merges 与 template 照 GGUF 文件里的原样；types[编号] 说一个词元是一般的还是特殊的，是数，或者一个词元一个字。
		// 只带着词表的一部分时，编号是带着的里面的第几个，numbers 是它们在整份词表里的编号
		constructor({ tokens, types, merges, pre, numbers, template = "", bosId = null, eosId = null, padId = null }) {
			this.tokens = tokens;
			this.pieces = PRETOKENIZERS[pre] ?? pretokenize;
			this.numberOf = (id) => numbers?.[id] ?? id;
			this.vocab = new Map(tokens.map((token, id) => [token, id]));
			const special = tokens.filter((_, id) => [CONTROL, USER_DEFINED].includes(Number(types[id])));
			this.special = new Map(special.map((token) => [token, this.vocab.get(token)]));
			this.ranks = new Map(merges.map((pair, rank) => [pair, rank]));
			Object.assign(this, { template, bosId, eosId, padId });
			const longestFirst = special.map(escape).sort((a, b) => b.length - a.length);
			this.splitSpecial = RegExp(`(${longestFirst.join("|") || "(?!)"})`);
		}

		// 把文本切成段：特殊词元自成一段，其余按正则切开；连起来就是原文
		pretokenize(text) {
			if (/\p{Surrogate}/u.test(text)) throw Error("文字里有半个字符（落单的代理码位），请删去它再试。");
			// 正则里有一个捕获组，所以奇数段恰好是特殊词元
			return text.split(this.splitSpecial).flatMap((part, i) => (i % 2 ? [part] : this.pieces(part)));
		}

		// 把文本切成词元（特殊词元之外都写成可见字符）；词表里没有的字节会被略去，与参考实现相同
		tokenize(text) {
			return this.pretokenize(text).flatMap((piece) => {
				if (this.special.has(piece)) return [piece];
				return merge(
					spell(piece).filter((char) => this.vocab.has(char)),
					this.ranks,
				);
			});
		}

		// 把文本变成编号，首尾不另加词元
		encode(text) {
			return this.tokenize(text).map((token) => this.vocab.get(token));
		}

		// 一个编号代表的字节，不一定拼得成完整的字符
		tokenBytes(id) {
			const token = this.tokens[id];
			if (token === undefined)
				throw Error(
					`编号 ${id} 不在词表里：词表有 ${this.tokens.length} 个词元，编号从 0 到 ${this.tokens.length - 1}。`,
				);
			return this.special.has(token) ? utf8.encode(token) : unspell(token);
		}

		// 把编号连成文本；拼不成 UTF-8 的字节写作 �
		decode(ids, skipSpecialTokens = false) {
			const kept = ids.filter((id) => !(skipSpecialTokens && this.special.has(this.tokens[id])));
			const bytes = kept.flatMap((id) => [...this.tokenBytes(id)]);
			return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes));
		}

		// 按对话模板把一串消息写成一个文本：每条是 <|im_start|>角色、换行、内容、<|im_end|>、换行；
		// 没有以 system 消息开头时，补上模板自带的那一句；addGenerationPrompt 再写出助手的开头
		chat(messages, addGenerationPrompt = true) {
			if (!this.template.includes(START)) throw Error(`这个模型没有带 ${START} 的对话模板；请改用指令微调过的模型。`);
			const isText = (value) => typeof value === "string";
			if (!messages.length || !messages.every((message) => isText(message?.role) && isText(message?.content)))
				throw Error("messages 应当是带 role 与 content 的一列消息。");
			// 模板里的换行，有的写作反斜杠与 n
			const system = this.template.match(RegExp(`${escape(START)}system(?:\n|\\\\n)([^{}']+)${escape(END)}`));
			if (system && messages[0].role !== "system") messages = [{ role: "system", content: system[1] }, ...messages];
			const text = messages.map(({ role, content }) => `${START}${role}\n${content}${END}\n`).join("");
			return addGenerationPrompt ? `${text}${START}assistant\n` : text;
		}
	}

	return { pretokenize, byteCharacters, spell, unspell, merge, BytePairTokenizer };
};
