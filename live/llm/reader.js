// 读前文：照写法拼成它读到的原文，切成词元；有毛病就抛出一句可以给读者看的话。
globalThis.LlmReader = class LlmReader {
	static LONGEST = 40_000; // 再长，切成词元也要等上一会儿，而词元早已超过上限

	constructor({ tokenizer, config }) {
		Object.assign(this, { tokenizer, config });
		this.spelled = new Map(); // 编号 → 它的样子
	}

	words(ids) {
		for (const id of ids) if (!this.spelled.has(id)) this.spelled.set(id, LlmTokens.spell(this.tokenizer, id));
		return ids.map((id) => this.spelled.get(id));
	}

	// whole 是它读到的原文，ids 是编号
	read({ text, chat, past }) {
		if (!text.trim()) throw Error(past ? "接着问一句，再按回车。" : chat ? "请先问一句话。" : "请先写一点前文。");
		if (text.length > LlmReader.LONGEST) throw Error(`这里有 ${text.length} 个字符，太长了，请写短一些。`);
		const asked = `<|im_end|>\n<|im_start|>user\n${text}<|im_end|>\n<|im_start|>assistant\n`;
		const whole = past ? past + asked : chat ? this.tokenizer.chat([{ role: "user", content: text }]) : text;
		const ids = this.tokenizer.encode(whole),
			{ maxTokens } = this.config;
		if (ids.length > maxTokens) throw Error(`这里有 ${ids.length} 个词元，一次最多 ${maxTokens} 个，请写短一些。`);
		if (!ids.length) throw Error("这些字符不在任何一个词元里，请换几个字。");
		return { whole, ids };
	}

	decode(ids) {
		return this.tokenizer.decode(ids, true);
	}
};
