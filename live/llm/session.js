// 一次写作：读前文、写一个、一直写、停、走别的路、退回去、回头看。引擎一次只答一问，所以一件一件排着做。
//
// looking：正在看写下的第几个当初还能是什么，{ i, logits }，null 是看末尾。
// settings() 给出此刻的挑法；onReading(读了几个, 共几个)：前文很长，读到哪里；onRead()：读完了；
// onWrote({ count, milliseconds })：又写了一个，这一回写了几个、用了多久；onSettled(从第几个起)：写完、退完一回；
// onBusy()：排着的多了或少了一件；onError(错误)；onRunning(在不在一直写)；onStopped()：算到一半，叫停了。
globalThis.LlmSession = class LlmSession {
	constructor(engine, told) {
		Object.assign(this, told, { engine, writer: new LlmWriter(engine), looking: null, running: false });
		this.queue = Promise.resolve();
		this.waiting = 0; // 排着的与正在做的
		this.stopper = new AbortController();
	}

	async turn(work) {
		const before = this.queue;
		let done;
		this.queue = new Promise((resolve) => (done = resolve));
		this.waiting++;
		this.onBusy();
		await before;
		try {
			return await work(this.writer);
		} catch (error) {
			if (error.name !== "AbortError") {
				this.stop();
				this.onError(error);
			} else if (this.waiting === 1) this.onStopped(); // 后面没有别的排着
		} finally {
			this.waiting--;
			this.onBusy();
			done();
		}
	}

	setRunning(running) {
		if (this.running === running) return;
		this.running = running;
		this.onRunning(running);
	}

	// 不再一直写；正在读前文、从头重算的，算完手上的几个位置就停
	stop() {
		this.setRunning(false);
		this.stopper.abort();
		this.stopper = new AbortController();
	}

	get ended() {
		const { steps } = this.writer,
			{ eosId, special } = this.engine.tokenizer;
		return steps.length > 0 && [eosId, special.get("<|endoftext|>")].includes(steps[steps.length - 1].id);
	}

	get ready() {
		return this.writer.next !== null && !this.writer.full;
	}

	// 换一段前文，再照 written 写下去；还在读先前那一段的，不必读完
	begin(prompt, written) {
		this.stop();
		const { signal } = this.stopper,
			{ vocabSize } = this.engine.config;
		return this.turn(async (writer) => {
			if (signal.aborted) return;
			this.looking = null;
			await writer.begin(prompt, { signal, onPiece: this.onReading });
			this.onRead();
			for (const id of written) {
				if (signal.aborted || writer.full || id >= vocabSize) break;
				await writer.write(id, { signal });
				this.onRead();
			}
		});
	}

	async write(writer, id, start, count) {
		this.looking = null;
		await writer.write(id ?? writer.choose(this.settings()), { signal: this.stopper.signal });
		this.onWrote({ count, milliseconds: performance.now() - start });
	}

	// 写一个；id 不给，就照现在的挑法
	step(id) {
		const from = this.writer.steps.length;
		return this.turn((writer) => this.ready && this.write(writer, id, performance.now(), 1)).then(() =>
			this.onSettled(from),
		);
	}

	// 前面的还没有做完，就等着再写；只有这之后叫的停才停得了它
	stream() {
		const { signal } = this.stopper;
		let from;
		this.setRunning(true);
		return this.turn(async (writer) => {
			signal.throwIfAborted();
			const start = performance.now();
			from = writer.steps.length;
			for (let count = 1; !signal.aborted && this.ready && !(count > 1 && this.ended); count++)
				await this.write(writer, undefined, start, count);
		}).then(() => {
			if (!signal.aborted) this.setRunning(false);
			return this.onSettled(from);
		});
	}

	// 第 i 个换成 id，它后面的都不要
	take(i, id) {
		this.stop();
		return this.turn(async (writer) => {
			if (i < writer.steps.length) await writer.back(i);
			if (this.ready) await this.write(writer, id, performance.now(), 1);
		}).then(() => this.onSettled());
	}

	back(i) {
		this.stop();
		return this.turn(async (writer) => {
			this.looking = null;
			if (i < writer.steps.length) await writer.back(i);
		}).then(() => this.onSettled());
	}

	look(i) {
		this.stop();
		return this.turn(async (writer) => {
			this.looking = i === null ? null : { i, logits: await writer.before(i) };
		});
	}

	// 末尾的那一步，用缓存与从头各算一遍
	compare() {
		return this.turn(async ({ ids }) => {
			if (ids.length > 1) await this.engine.feed(ids.slice(0, -1));
			const kept = await this.engine.feed(ids);
			const anew = await this.engine.feed(ids, { cache: false });
			return { n: ids.length, kept, anew };
		});
	}
};
