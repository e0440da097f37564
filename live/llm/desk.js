// 桌面：右边下一个词元的十条，左下写下的；看着末尾，或者看着写下的第几个（looking）。
globalThis.LlmDesk = class LlmDesk {
	constructor({ template, onTake, onDial, onBack, onEnd, onLens, onLook, onSurprise }) {
		this.bars = LlmBars.bars({ onTake, onDial, onBack, onEnd, onLens });
		this.written = LlmWritten.written({ template, onLook, onSurprise });
		this.elements = [this.bars.element, this.written.element];
	}

	// 还没有打开：样子都在，英文的头一个例句的数是事先算好的
	preview({ model, text, chat }) {
		const { preview } = LlmState.MODELS[model],
			known = text === preview?.text && !chat;
		this.bars.preview(known ? preview.next : []);
		this.written.preview(known ? preview : { ids: [], words: [] });
	}

	// 没有整理过的概率；只记着最近的一份，一份有几万个数
	plainly(logits) {
		if (this.plain?.logits !== logits)
			this.plain = { logits, shares: LiveSampling.softmax(logits, this.plain?.shares) };
		return this.plain.shares;
	}

	draw({
		session: {
			writer: { steps, prompt, next },
			looking,
			ended,
		},
		reader,
		state,
		before,
		dropped,
	}) {
		const step = looking && steps[looking.i],
			logits = step ? looking.logits : next;
		const title = step ? [LlmTokens.named(reader.words([step.id])[0]), " 那里，还能写"] : ["下一个词元"];
		this.bars.draw({ reader, logits, plainly: this.plainly(logits), settings: state, taken: step?.id, title });
		this.written.showPrompt(reader.words(prompt));
		const ids = steps.map(({ id }) => id),
			words = reader.words(ids);
		const shown = steps.map(({ share }, i) => ({ word: words[i], share }));
		this.written.show({
			steps: shown,
			before,
			dropped,
			text: reader.decode(ids),
			looking: step ? looking.i : null,
			ended,
		});
		if (!step) this.written.follow();
	}
};
