// 笔：按钮与回车怎样变成写、停、改走、退回与回头看；写完一回，面板上别处怎样跟上。
globalThis.LlmPen = class LlmPen {
	constructor(panel) {
		this.panel = panel;
	}

	wrote({ count, milliseconds }) {
		if (this.panel.outdated) return;
		this.panel.dropped = 0;
		this.panel.controls.tellSpeed((1000 * count) / milliseconds, this.panel.session.writer.cache ? "" : "（没有缓存）");
		this.panel.draw();
		if (!this.panel.session.running) this.panel.controls.tellTime(this.panel.session.writer);
	}

	// 写完一回：说用时，写进网址，里面也跟上；读屏的人听到第 from 个起写下的
	settle(from = Infinity) {
		if (this.panel.outdated || !this.panel.session.writer.next) return; // 前文又改了，或者后台线程停了
		const heard = this.panel.session.writer.steps.slice(from).map(({ id }) => id);
		this.panel.desk.written.announce(heard.length ? `写了：${this.panel.reader.decode(heard)}` : "");
		this.panel.state.token = -1;
		this.panel.controls.tellTime(this.panel.session.writer);
		this.panel.draw();
		this.panel.rememberWritten();
		return this.panel.lookInside();
	}

	// 回车：还没有打开就打开；一问一答就答完，接着写就写一个
	submit() {
		if (!this.panel.session) this.panel.controls.press();
		else if (this.panel.state.chat && !this.panel.session.running) this.stream();
		else this.step();
	}

	// 刚打的字还没有算，先算；算不了的，不写
	isReady() {
		if (this.panel.pause !== null) this.panel.compute();
		return !this.panel.invalid && !this.panel.session.running;
	}

	step() {
		if (this.isReady()) this.panel.session.step();
	}

	stream() {
		if (!this.isReady()) return;
		this.panel.controls.say("正在写……");
		return this.panel.session.stream();
	}

	// 那一个按钮：在写、在读，就停；叫停了，前文没有读完，就接着读；别的事还在做，就等做完了再写
	streamOrStop() {
		const { session } = this.panel;
		if (session.running || this.panel.controls.reading) session.stop();
		else if (!session.waiting && this.panel.unread) this.panel.compute();
		else this.stream();
	}

	// 点了一条：看着末尾，就写它；看着写下的一个，就从那里改走这条路
	take(id) {
		const { session } = this.panel,
			{
				looking,
				writer: { steps },
			} = session,
			from = looking?.i ?? steps.length;
		return steps[from]?.id === id ? this.look(null) : session.take(from, id);
	}

	rewrite() {
		const some = this.panel.session.writer.steps.length;
		this.panel.choose({ seed: Math.floor(1000 * Math.random()), draw: 1 });
		return this.panel.session.back(0).then(() => some && this.panel.session && this.stream());
	}

	// 再按一次正在看的，就看末尾
	look(i) {
		const { session } = this.panel;
		return session.look(session.looking?.i === i ? null : i).then(() => this.panel.draw());
	}
};
