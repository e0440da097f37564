// 词元的样子：看得见的字、切开的汉字的字节、特殊词元；一个词元一个方框。它不知道编号从哪里来。
globalThis.LlmTokens = (() => {
	const { html } = LiveMarks;
	const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
	const hex = (byte) => byte.toString(16).toUpperCase().padStart(2, "0");
	const MARKS = { " ": "␣", "\n": "↵", "\t": "⇥" };
	// 看不见的，以及会把左右倒过来的，都写成码位
	const HIDDEN = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Zl}\p{Zp}]/gu;
	const codePoint = (char) => `U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
	const visible = (text) => text.replace(/[ \n\t]/g, (char) => MARKS[char]).replace(HIDDEN, codePoint);

	// 一个编号：number 是它在整份词表里的编号，text 是它的字，拼不成完整的字就是 null；shown 是写出来的样子，spoken 是念出来的样子
	function spell(tokenizer, id) {
		const bytes = tokenizer.tokenBytes(id);
		let text = null;
		try {
			text = strict.decode(bytes);
		} catch {} // 切开的字
		const shown = text === null ? [...bytes].map(hex).join(" ") : visible(text);
		const spoken =
			text === null ? `字节 ${shown}` : text.trim() || shown.replaceAll("␣", "空格").replaceAll("↵", "换行");
		return {
			id,
			number: tokenizer.numberOf(id),
			bytes,
			text,
			shown,
			spoken,
			special: [...tokenizer.special.values()].includes(id),
		};
	}

	// 空格、换行淡一些，字才看得清；带汉字的照书的语言
	const named = ({ shown }) =>
		html(
			"bdi",
			{ class: "live-token", ...(/\p{Script=Han}/u.test(shown) ? {} : { lang: "en" }) },
			...shown
				.split(/([␣↵⇥]+)/)
				.filter(Boolean)
				.map((part) => (/[␣↵⇥]/.test(part) ? html("i", {}, part) : part)),
		);
	const kindOf = ({ text, special }) => (special ? "live-special" : text === null ? "llm-bytes" : "");
	const chip = (tag, word, note, attributes = {}, ...more) =>
		html(
			tag,
			{ ...attributes, class: `live-chip ${kindOf(word)} ${attributes.class ?? ""}` },
			...more,
			named(word),
			html("span", { class: "live-id" }, note),
		);

	// 哪些字切成了几截：{ 字, 从第几个词元起, 有几个词元 }
	function cutCharacters(words) {
		const found = [];
		for (let i = 0; i < words.length; i++) {
			if (words[i].text !== null) continue;
			for (let j = i + 1; j <= words.length && j - i <= 8; j++) {
				try {
					const text = strict.decode(Uint8Array.from(words.slice(i, j).flatMap(({ bytes }) => [...bytes])));
					found.push({ text, first: i, count: j - i });
					i = j - 1;
					break;
				} catch {} // 还差几个字节
			}
		}
		return found;
	}

	return { spell, visible, named, chip, cutCharacters };
})();
