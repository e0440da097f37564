// WordPiece 分词器：与 course_lib/tokenization.py 同名、同序，结果逐字相同。
//
// 文本依次经过：特殊词元切分 → 清理 → 汉字两侧加空格 → 去重音 → 转小写 → 按空白与标点切词 → 最长匹配。
// 只定义这一个函数：页面上有一份，后台线程（Worker）里也有一份，代码取自同一处。
globalThis.liveTokenizer = function () {
	const [UNK, CLS, SEP] = ["[UNK]", "[CLS]", "[SEP]"];
	const PREFIX = "##"; // 词内的后续片段以它开头
	const MAX_WORD_LENGTH = 100;
	const SPECIAL = /(\[PAD\]|\[UNK\]|\[CLS\]|\[SEP\]|\[MASK\])/;

	// 只认汉字，不认假名与谚文；区间照搬参考实现，连它漏掉的扩展 E 区开头（2B820–2B91F）也照样漏掉
	const CJK =
		/[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu;

	// 标点：Unicode 的 P 类，外加全部 ASCII 符号（如 $、+、^，它们不属于 P 类）
	const isPunctuation = (char) => /[!-/:-@[-`{-~]|\p{P}/u.test(char);

	// 去掉看不见的字符（控制、格式、私用区、U+FFFD），各种空白一律换成普通空格
	const cleanText = (text) =>
		text.replace(/[\t\n\r\p{Zs}\p{Zl}\p{Zp}]/gu, " ").replace(/[\p{Cc}\p{Cf}\p{Co}\ufffd]/gu, "");

	// 在每个汉字两侧加空格，使一个汉字成为一个词
	const spaceCjk = (text) => text.replace(CJK, " $& ");

	// 去掉重音：先按 NFD 把 é 拆成 e 与组合符，再丢掉组合符（Mn 类）
	const removeAccents = (text) => text.normalize("NFD").replace(/\p{Mn}/gu, "");

	// 逐字符转小写：整串的 toLowerCase() 会看上下文，把词尾的 Σ 变成 ς
	const toLower = (text) => Array.from(text, (char) => char.toLowerCase()).join("");

	// 按空白切开，并让每个标点自成一词
	const splitWords = (text) =>
		Array.from(text, (char) => (isPunctuation(char) ? ` ${char} ` : char))
			.join("")
			.split(/\s+/)
			.filter(Boolean);

	const normalizeWords = (text) => splitWords(toLower(removeAccents(spaceCjk(cleanText(text)))));

	// 贪心最长匹配：从左到右，每次取词表里最长的前缀；有一段配不上，整个词就是 [UNK]
	function longestMatch(word, vocab) {
		const chars = Array.from(word); // 按字符而不按 UTF-16 的单元数长度
		if (chars.length > MAX_WORD_LENGTH) return [UNK];
		const pieces = [];
		for (let start = 0, end; start < chars.length; start = end) {
			const prefix = start ? PREFIX : "";
			for (end = chars.length; end > start; end--) if (vocab.has(prefix + chars.slice(start, end).join(""))) break;
			if (end === start) return [UNK];
			pieces.push(prefix + chars.slice(start, end).join(""));
		}
		return pieces;
	}

	class WordPieceTokenizer {
		// vocab：vocab.txt 的文字，一个词元占一行，行号就是编号
		constructor(vocab) {
			this.vocab = new Map(
				vocab
					.trimEnd()
					.split("\n")
					.map((token, id) => [token, id]),
			);
		}

		// 文本 → [{token, word}]，word 是词元所在的那个词；文本里写出的特殊词元不再切开，没有所在的词
		tokenize(text) {
			return text.split(SPECIAL).flatMap((part, i) =>
				i % 2 // 正则里有一个捕获组，所以奇数段恰好是特殊词元
					? [{ token: part, word: null }]
					: normalizeWords(part).flatMap((word) => longestMatch(word, this.vocab).map((token) => ({ token, word }))),
			);
		}

		// 一句或两句 → [CLS] 甲 [SEP] 或 [CLS] 甲 [SEP] 乙 [SEP]；空的第二句当作没有，与参考实现相同
		encode(text, pair) {
			const special = (token) => ({ token, word: null });
			const first = [special(CLS), ...this.tokenize(text), special(SEP)];
			const second = pair ? [...this.tokenize(pair), special(SEP)] : [];
			const all = [...first, ...second];
			return {
				tokens: all.map(({ token }) => token),
				ids: all.map(({ token }) => this.vocab.get(token)),
				segments: all.map((_, i) => (i < first.length ? 0 : 1)),
				words: all.map(({ word }) => word),
				// 自己写出的 [UNK] 不算
				unknown: all.flatMap(({ token, word }, index) => (token === UNK && word ? [{ word, index }] : [])),
			};
		}
	}

	return { cleanText, spaceCjk, removeAccents, toLower, splitWords, normalizeWords, longestMatch, WordPieceTokenizer };
};
