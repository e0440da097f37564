// Unigram 分词器：与 course_lib/unigram.py 同名、同序，在带来的词表上结果逐个编号相同。
//
// 文本依次经过：特殊词元切分 → 归一化 → 空格写成 ▁ 并在它前面切开 → 求最好的一条路 → 查编号。
// 只定义这一个函数，后台线程（Worker）里也有一份；encode 给的与 tokenizer.js 里的一样。
globalThis.liveUnigram = function () {
	const [BOS, EOS, UNK] = ["<s>", "</s>", "<unk>"];
	const SPACE = "▁"; // 空格写成它，词元里就看得出词从哪里开始
	const SPECIAL = /(<s>|<pad>|<\/s>|<unk>|<mask>)/;

	const lengthOf = (text) => Array.from(text).length; // 以字符计，不以 UTF-16 的单元
	const bytesOf = (text) => new TextEncoder().encode(text).length;

	// 一个字素：字母连同它的重音符号；浏览器不会分的话，一个字符就是一个
	const segmenter = globalThis.Intl?.Segmenter && new Intl.Segmenter("und", { granularity: "grapheme" });
	const clustersOf = (text) =>
		segmenter ? Array.from(segmenter.segment(text), ({ segment }) => segment) : Array.from(text);

	function replacement(chars, table) {
		if (table.has(chars[0])) return table.get(chars[0]);
		if (chars[0].normalize("NFKD") === chars[0]) {
			for (let end = 2; end <= chars.length; end++) {
				const composed = chars.slice(0, end).join("").normalize("NFKC");
				if (lengthOf(composed) === 1) return composed;
			}
		}
		return null;
	}

	// 照表换掉字符，连着的几个空格并成一个 → 一列字符
	function normalize(text, table) {
		const out = [];
		for (const cluster of clustersOf(text)) {
			const chars = Array.from(cluster);
			const whole = bytesOf(cluster) < 6 ? replacement(chars, table) : null;
			for (const part of whole === null ? chars.map((char) => table.get(char) ?? char) : [whole])
				for (const char of part) if (char !== " " || out.at(-1) !== " ") out.push(char);
		}
		return out;
	}

	// 分数之和最高的切法（Viterbi），各段的 [起, 止]；几种一样高，就取末一段最长的
	function bestPath(chars, scores, unknown, longest) {
		const best = [0, ...Array(chars.length).fill(-Infinity)],
			came = Array(chars.length + 1).fill(0);
		for (let start = 0; start < chars.length; start++) {
			let piece = "";
			for (let end = start + 1; end <= Math.min(chars.length, start + longest); end++) {
				piece += chars[end - 1];
				const score = scores.get(piece) ?? (end === start + 1 ? unknown : -Infinity);
				if (best[start] + score > best[end]) [best[end], came[end]] = [best[start] + score, start];
			}
		}
		const path = [];
		for (let end = chars.length; end; end = came[end]) path.unshift([came[end], end]);
		return path;
	}

	class UnigramTokenizer {
		// pieces：带来的片段；scores、ids：各自的分数、在整份词表里的编号；normalization：字符 → 换成什么；
		// unknown：词表里没有的单个字的分数
		constructor({ pieces, scores, ids, normalization, unknown }) {
			this.scores = new Map(pieces.map((piece, row) => [piece, scores[row]]));
			this.vocab = new Map(pieces.map((piece, row) => [piece, ids[row]]));
			this.normalization = new Map(Object.entries(normalization));
			this.unknown = unknown;
			this.longest = Math.max(...pieces.map(lengthOf));
		}

		// 归一化，再在空格前面切开 → 各个词，一个词是一列字符；joined：接着别的字写，最前面不加 ▁
		words(text, joined = false) {
			const chars = normalize(text, this.normalization);
			if (chars.length && chars[0] !== " " && !joined) chars.unshift(" ");
			const words = [];
			for (const char of chars) {
				if (char === " " || !words.length) words.push([]);
				words.at(-1).push(char === " " ? SPACE : char);
			}
			return words;
		}

		// 文本 → [{ token, word }]；相邻的、词表里没有的字并成一个 <unk>，word 是那几个字
		tokenize(text, { joined = false } = {}) {
			return text.split(SPECIAL).flatMap((part, i) => {
				if (i % 2) return [{ token: part, word: null }]; // 正则里有一个捕获组，所以奇数段恰好是特殊词元
				return this.words(part, joined && i === 0).flatMap((chars) => {
					const found = [];
					for (const [start, end] of bestPath(chars, this.scores, this.unknown, this.longest)) {
						const piece = chars.slice(start, end).join("");
						if (this.scores.has(piece)) found.push({ token: piece, word: piece });
						else if (found.at(-1)?.token === UNK) found.at(-1).word += piece;
						else found.push({ token: UNK, word: piece });
					}
					return found;
				});
			});
		}

		// 一句或两句 → <s> 甲 </s> 或 <s> 甲 </s> </s> 乙 </s>；这一种模型不靠段嵌入分两段，段都是 0
		encode(text, pair, options) {
			const special = (token) => ({ token, word: null });
			const second = pair ? [special(EOS), ...this.tokenize(pair), special(EOS)] : [];
			const all = [special(BOS), ...this.tokenize(text, options), special(EOS), ...second];
			return {
				tokens: all.map(({ token }) => token),
				ids: all.map(({ token }) => this.vocab.get(token)),
				segments: all.map(() => 0),
				words: all.map(({ word }) => word),
				// 自己写出的 <unk> 不算
				unknown: all.flatMap(({ token, word }, index) => (token === UNK && word ? [{ word, index }] : [])),
			};
		}
	}

	return { normalize, bestPath, UnigramTokenizer };
};
