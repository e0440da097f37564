// 写：前文与写下的词元。一步的分数有近五万个数，不留着：回头看、改走别的路时，由引擎留着的隐藏状态再读出来。
globalThis.LlmWriter = class LlmWriter {
	constructor(engine) {
		this.engine = engine;
		this.prompt = [];
		this.steps = []; // 写下的每一个：{ id, share }，share 是它原来的概率
		this.next = null; // 末尾的分数，还没有写的那个词元就从这里挑
		this.cache = true;
	}

	get ids() {
		return [...this.prompt, ...this.steps.map(({ id }) => id)];
	}

	get full() {
		return this.ids.length >= this.engine.config.maxTokens;
	}

	// 引擎手里的，与现在的一样长才问得到里面；options 是 engine.feed 的，叫停了就以 AbortError 失败
	async feed(options) {
		this.fed = null;
		this.last = await this.engine.feed(this.ids, options);
		this.fed = String(this.ids);
		return this.last.logits;
	}

	async catchUp() {
		if (this.fed !== String(this.ids)) await this.feed({});
	}

	async begin(prompt, options) {
		[this.prompt, this.steps, this.next] = [prompt, [], null];
		this.next = await this.feed({ ...options, cache: this.cache });
	}

	async write(id, options) {
		this.steps.push({ id, share: LiveSampling.probabilityOf(id, this.next) });
		try {
			this.next = await this.feed({ ...options, cache: this.cache });
		} catch (error) {
			this.steps.pop();
			throw error;
		}
	}

	// 写第 i 个之前的分数
	async before(i) {
		await this.catchUp();
		return this.engine.logits(this.prompt.length + i - 1);
	}

	async back(i) {
		this.next = await this.before(i);
		this.steps.length = i;
	}

	// 照现在的挑法，末尾挑谁；抽签只由种子与位置决定，退回去再写，写出来的一样
	choose({ draw, seed, ...settings }) {
		if (!draw) return this.next.indexOf(this.next.reduce((a, b) => Math.max(a, b)));
		return LiveSampling.draw(LlmWriter.narrow(this.next, settings), LlmWriter.dice(seed, this.ids.length));
	}

	static narrow(logits, { T = 1, k = 0, p = 0, m = 0 }) {
		const limits = { topK: k, topP: p, minP: m };
		const given = Object.entries(limits).filter(([, limit]) => limit > 0);
		return LiveSampling.narrow(logits, { temperature: T, ...Object.fromEntries(given) });
	}

	// mulberry32，先把种子与位置搅在一起
	static dice(seed, place) {
		let state = Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(place + 1, 0x85ebca6b);
		return () => {
			state = (state + 0x6d2b79f5) | 0;
			let t = Math.imul(state ^ (state >>> 15), 1 | state);
			t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
			return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
		};
	}
};
