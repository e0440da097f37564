// “打开一个大语言模型”的面板：装入引擎，读前文，把前文、下一个词元、写下的、里面四部分接在一起，并把状态写进网址。
//
// 书里带着两个模型时，先问打开哪一个；两个各自打开，打开了就都留着，换一个，摆着的都换成它的。
{
	const { html } = LiveMarks;
	const { MODELS } = LlmState;
	const { root: ROOT, bytes, bytesZh } = document.currentScript.dataset;
	const BYTES = { "": bytes, zh: bytesZh };
	const PAUSE = 250; // 停笔多少毫秒才算

	class Panel {
		constructor(block) {
			this.block = block;
			this.address = new LiveAddress({
				block,
				given: block.dataset,
				// 书里没有的模型，网址里写着也不算
				toState: (given) => LlmState.toState(BYTES[given.model] ? given : { ...given, model: "" }),
				toFragment: LlmState.toFragment,
				onEnter: () => this.entered(),
			});
			this.loads = Object.fromEntries(Object.keys(MODELS).map((model) => [model, {}])); // 各装到哪里了，见 open
			this.version = 0; // 前文换过几次
			this.asked = 0; // 里面问过几次
			this.dropped = 0; // 前文改了，先前写下的有几个不算数了
			this.pause = null; // 等着停笔的计时器
			this.pen = new LlmPen(this);
			block.replaceChildren(...this.build());
			this.showState();
			this.preview();
			new ResizeObserver(() => (this.prompt.fit(), this.inside.redraw())).observe(block);
		}

		get state() {
			return this.address.state;
		}

		get model() {
			return this.state.model;
		}

		get load() {
			return this.loads[this.model];
		}

		// 一次写作与读前文的，打开了才有；一个模型一份
		get session() {
			return this.load.session;
		}

		get reader() {
			return this.load.reader;
		}

		// 前文又改了，还没有读
		get outdated() {
			return !this.session || this.session.writer.prompt !== this.ids;
		}

		// 停下了，前文没有读完
		get unread() {
			return !this.invalid && this.pause === null && (this.outdated || !this.session.writer.next);
		}

		// 写下的前面摆着的；一问一答时，前文是模板，摆在别处
		get before() {
			const { chat, past, text } = this.state;
			return past ? `${LlmState.told(past)}问：${text}\n答：` : chat ? "" : text;
		}

		build() {
			this.prompt = LlmPrompt.prompt({
				id: "llm",
				onEdit: () => this.edit(),
				onInput: () => this.typed(),
				onSubmit: () => this.pen.submit(),
				onEnter: (state) => this.enter({ ...state, view: this.state.view }),
				onMode: (chat) => this.enter({ ...this.state, chat, past: "", written: "", token: -1 }),
			});
			this.controls = LlmControls.controls({
				onOpen: () => this.open(),
				onPause: () => LiveLlm.pause(MODELS[this.model].folder),
				onStep: () => this.pen.step(),
				onStream: () => this.pen.streamOrStop(),
				onClear: () => this.session.back(0),
				onAgain: () => this.askAgain(),
				onPick: (draw) => this.choose({ draw }),
				onSeed: (seed) => this.choose({ seed: LlmState.toState({ seed }).seed }),
				onRewrite: () => this.pen.rewrite(),
			});
			this.desk = new LlmDesk({
				template: this.prompt.template,
				onTake: (id) => this.pen.take(id),
				onDial: (dial) => this.turnDial(dial),
				onBack: () => this.session.back(this.session.looking.i),
				onEnd: () => this.pen.look(null),
				onLens: () => this.openLens(),
				onLook: (i) => this.pen.look(i),
				onSurprise: (bits) => (this.choose({ bits: Number(bits) }), this.lookAtSurprise()),
			});
			this.inside = LlmInside.inside({
				id: "llm",
				choose: (part) => this.choose(part),
				onCache: (use) => (this.session.writer.cache = use),
				compare: () => this.session.compare(),
			});
			const link = html("p", { class: "llm-note llm-link" }, this.address.copier(), "前文、写下的与设置都写在里面。");
			this.desk.bars.element.append(link);
			const ask = html("div", { class: "llm-ask" }, this.prompt.element, this.controls.element);
			return [
				...(bytesZh ? this.buildModels() : []),
				this.prompt.examples,
				html("div", { class: "llm-desk" }, ask, ...this.desk.elements),
				this.inside.element,
			];
		}

		// 打开哪一个：自己写的前文带过去，例句就换成那一个的
		buildModels() {
			this.choices = Object.entries(MODELS).map(([model, { name }]) => {
				const input = LiveMarks.radio("llm-model", () => this.turnTo(model), { value: model });
				return html("label", {}, input, html("span", { lang: "en" }, name));
			});
			this.about = html("p", { class: "llm-note" });
			const legend = html("legend", {}, "打开哪一个？");
			return [html("fieldset", { class: "live-views live-models" }, legend, ...this.choices), this.about];
		}

		turnTo(model) {
			const { text, chat } = this.state,
				given = Object.values(MODELS[this.model].examples);
			const own = text.trim() && !given.some((each) => each.text === text);
			this.enter(LlmState.toState({ ...(own ? { text, chat } : Object.values(MODELS[model].examples)[0]), model }));
		}

		// 还没有打开：样子都在，只是动不了
		preview() {
			this.desk.preview(this.state);
			this.setLive(false);
		}

		setLive(live) {
			for (const element of [...this.desk.elements, this.inside.element]) {
				element.inert = !live;
				element.classList.toggle("live-stale", !live);
			}
			this.controls.setLive(live, this.session?.writer.steps.length);
		}

		// 前文有了毛病：说出来，下面先前的结果还在，调淡，也不再能动
		complain(message) {
			const before = this.session?.writer.next ? "下面还是先前的结果。" : "";
			this.controls.setRunning(false);
			const waiting = this.state.past && !this.state.text; // 等着再问一句，不是毛病
			this.controls.say(message + before, !waiting);
			this.prompt.area.setAttribute("aria-invalid", !waiting);
			this.setLive(false);
		}

		showBusy(loading = false) {
			this.block.setAttribute("aria-busy", Boolean(loading || this.session?.waiting || this.pause));
		}

		// -- 装入 --

		// load：opening，正在装；share，装入了多少；wrong，没有装成，为什么；session 与 reader，打开了
		async open() {
			const { load, model } = this,
				here = () => this.load === load, // 其间换成另一个，就不去动它的
				now = (tell) => (given) => here() && tell(given);
			Object.assign(load, { opening: true, share: 0, wrong: null });
			this.showLoad();
			this.showBusy(true);
			const onProgress = (loaded, total) => {
				load.share = [loaded, total];
				if (here()) this.controls.progress(loaded, total);
			};
			try {
				const engine = await LiveLlm.open({ root: ROOT, folder: MODELS[model].folder, onProgress });
				load.reader = new LlmReader(engine);
				load.session = new LlmSession(engine, {
					settings: () => this.state,
					onReading: (read, all) => here() && this.controls.tellReading(read, all),
					onRead: now(() => this.haveRead()),
					onWrote: now((wrote) => this.pen.wrote(wrote)),
					onSettled: now((from) => this.pen.settle(from)),
					onStopped: now(() => this.stopped()),
					onBusy: now(() => this.showBusy()),
					onError: (error) =>
						error.again ? this.reopen(error, load) : now(({ message }) => this.complain(message))(error),
					onRunning: now((running) => (this.controls.setRunning(running), this.inside.wait(running))),
				});
				load.opening = false;
				if (!here()) return;
				this.controls.opened();
				await this.compute();
				if (here()) this.controls.focus();
			} catch (error) {
				this.reopen(error, load);
			}
		}

		// 没有装成，或者后台线程停了：再开一次，取到的都还在
		reopen({ message }, load) {
			Object.assign(load, { session: null, opening: false, wrong: message });
			if (this.load !== load) return;
			this.setLive(false);
			this.controls.failed(message);
			this.showBusy();
		}

		// 换了模型：它装到哪里，就摆成哪里的样子
		showLoad() {
			const { opening, share, wrong, session } = this.load,
				{ name } = MODELS[this.model];
			if (session) return this.controls.opened();
			this.controls.closed({ name, bytes: BYTES[this.model] });
			if (opening) this.controls.loading();
			if (opening && share) this.controls.progress(...share);
			if (wrong) this.controls.failed(wrong);
		}

		// -- 状态 --

		choose(part) {
			this.address.change(part);
			this.showState();
			this.address.remember();
			if (["view", "layer", "head", "token"].some((name) => name in part)) this.lookInside();
		}

		// 转了滑杆就是要抽签：取最高的，滑杆改不了它
		turnDial(dial) {
			this.choose({ ...dial, draw: 1 });
			this.draw();
		}

		// 模板写成的原文，连同写下的
		get transcript() {
			const { reader, session } = this;
			return reader.read(this.state).whole + reader.tokenizer.decode(session.writer.steps.map(({ id }) => id));
		}

		// 都拿来当前文：system 那一句可以换，也可以再添一问
		edit() {
			this.enter({ ...this.state, text: this.transcript, chat: 0, past: "", written: "", token: -1 });
			this.prompt.area.focus();
		}

		// 都成了先前的，再问一句；没有说完的一句，模板替它收尾
		askAgain() {
			const past = this.transcript.replace(/<\|im_end\|>$/, "");
			this.enter({ ...this.state, text: "", past, written: "", token: -1 });
			this.prompt.area.focus();
		}

		// 逐层看：看着末尾，就是最后一个词元；看着写下的一个，就是它前面的那个，它从那里写出来
		openLens() {
			const {
				looking,
				writer: { prompt },
			} = this.session;
			this.choose({ view: "lens", token: looking ? prompt.length + looking.i - 1 : -1 });
			this.inside.reveal("lens");
		}

		// 换成一个例句、另一种写法
		enter(state) {
			if (!this.outdated) this.rememberWritten();
			this.address.enter(state);
		}

		// 状态整个换了，也许连模型也换了
		entered() {
			for (const { session } of Object.values(this.loads)) session?.stop();
			this.dropped = 0;
			this.showState();
			this.address.remember();
			if (this.session) this.compute();
			else {
				this.preview();
				this.showBusy(this.load.opening);
			}
		}

		// 先前写下的是接着先前的前文写的，前文一改就不算数：后退找得回来。词元当场就变，其余的等停笔
		typed() {
			this.session?.stop();
			if (!this.outdated) this.rememberWritten();
			const [text, { written }] = [this.prompt.area.value, this.state];
			this.address.change({ text, written: "", token: -1 });
			if (written) {
				this.dropped = written.split(".").length;
				this.address.remember(true);
			}
			const ids = this.session ? this.read() : this.preview();
			if (ids)
				this.desk.written.showDraft({ words: this.reader.words(ids), before: this.before, dropped: this.dropped });
			clearTimeout(this.pause);
			this.pause = setTimeout(() => {
				this.pause = null;
				this.address.remember();
				if (this.session) this.compute();
			}, PAUSE);
			if (this.session) this.showBusy();
		}

		showState() {
			const turned = this.shown !== this.model;
			this.shown = this.model;
			if (turned) this.showModel();
			this.prompt.show(this.state);
			this.controls.show(this.state);
			this.desk.bars.dials(this.state);
			this.inside.open(this.state.view);
			if (this.state.bits) this.desk.written.open();
		}

		showModel() {
			const chosen = MODELS[this.model];
			for (const { control } of this.choices ?? []) control.checked = control.value === this.model;
			if (this.about) {
				this.about.textContent = chosen.about ?? "";
				this.about.hidden = !chosen.about;
			}
			this.controls.setRunning(false);
			this.inside.wait(false);
			this.desk.written.turn(chosen.lang);
			this.inside.fit(chosen);
			this.showLoad();
		}

		// 写下的也写进网址，一直写的时候不写：有的浏览器不许写得太勤
		rememberWritten() {
			this.state.written = this.session.writer.steps.map(({ id }) => id).join(".");
			this.address.remember();
		}

		// -- 读前文 --

		// 前文的编号；有毛病就说，给出 null
		read() {
			try {
				const { whole, ids } = this.reader.read(this.state);
				this.prompt.showTemplate(whole, this.reader.tokenizer.special);
				this.invalid = false;
				return (this.ids = ids);
			} catch (error) {
				this.invalid = true;
				this.complain(error.message);
				return (this.ids = null);
			}
		}

		// 还在读先前那一段的，停下
		compute() {
			clearTimeout(this.pause);
			this.pause = null;
			const ids = this.read(),
				mine = ++this.version;
			if (!ids) return (this.session.stop(), this.showBusy());
			this.controls.say(ids.length > 40 ? `正在读 ${ids.length} 个词元……` : "正在读……");
			this.controls.tellSpeed(0);
			const written = this.state.written.split(".").filter(Boolean).map(Number);
			return this.session.begin(ids, written).then(() => {
				if (mine !== this.version || this.outdated || !this.session.writer.next) return; // 又换了，或者没有读完
				this.rememberWritten();
				this.lookAtSurprise();
				return this.lookInside();
			});
		}

		// 前文读完了；网址里写下的，又照样写了一个
		haveRead() {
			if (this.outdated) return;
			this.prompt.area.setAttribute("aria-invalid", false);
			this.setLive(true);
			this.controls.tellTime(this.session.writer);
			this.draw();
		}

		// 叫停了：前文没有读完的，可以接着读
		stopped() {
			const { writer } = this.session;
			if (this.invalid || this.pause !== null) return; // 有话要说，或者又打了字
			if (writer.next && !this.outdated) return this.draw();
			this.setLive(false);
			this.controls.unread(this.ids.length);
		}

		// -- 画 --

		draw() {
			if (!this.session?.writer.next || this.outdated) return;
			this.desk.draw(this);
			this.controls.setLive(true, this.session.writer.steps.length);
			this.controls.setRunning(this.session.running);
		}

		// 前文的每个词元有多意外：要看才算
		lookAtSurprise() {
			const { session, version } = this,
				words = this.reader.words(session.writer.prompt);
			const wanted = () => version === this.version && session === this.session;
			return this.desk.written.surprise.show({ session, words, wanted, on: Boolean(this.state.bits) });
		}

		async lookInside() {
			const { session, reader } = this;
			if (session?.running) this.inside.wait(true);
			if (!session?.writer.next || session.running) return;
			const mine = ++this.asked;
			await session.turn(async (writer) => {
				if (mine !== this.asked || session !== this.session || session.running) return;
				if (this.state.view) await writer.catchUp();
				const { ids } = writer,
					{ token } = this.state;
				const query = token >= 0 && token < ids.length ? token : ids.length - 1;
				await this.inside.show({
					engine: session.engine,
					words: reader.words(ids),
					state: this.state,
					query,
				});
			});
		}
	}

	document.querySelectorAll(".live-llm").forEach((block) => new Panel(block));
}
