// “打开 BERT”的面板：取句子，问 engine.js 要词元、注意力与隐藏状态，交给 parts.js 里的几个部分去画。
//
// 书里每个 <div class="live-bert"> 成为一个面板。带 data-parts 的是各章末尾的小面板，只有它写明的几部分；
// 不带的是整页，样样都有，先问打开哪一个 BERT，并把状态写进网址。data-zh 是换成多语的时摆着的，写法与网址里的一样。
// 两个 BERT 各自打开，打开了就都留着；换一个，摆着的都换成它的。
//读者看到的话，繁体的书用的是它转换过的副本。
{
	const { html } = LiveMarks;
	const { MODELS, toState, toFragment, pick } = LiveState;
	const { root: ROOT, page: PAGE, bytes, bytesZh } = document.currentScript.dataset;
	const BYTES = { "": bytes, zh: bytesZh };
	// 从硬盘打开时，数据是写成 base64 的脚本，大三分之一
	const downloadOf = (model) =>
		location.protocol === "file:"
			? `读入约 ${Math.round((BYTES[model] * 4) / 3e6)} MB`
			: `下载约 ${Math.round(BYTES[model] / 1e6)} MB`;
	const PARTS = ["tokens", "attention", "oneCell", "journey", "intervene", "cosine"]; // 整页的，依次
	const TABS = { oneCell: "一格", intervene: "动手" };
	const PAUSE = 250; // 停笔多少毫秒才算

	let panels = 0;

	class Panel {
		constructor(block) {
			this.block = block;
			this.id = `live-bert-${++panels}`;
			this.whole = !block.dataset.parts;
			this.address = new LiveAddress({
				block,
				given: block.dataset,
				toState: (fields) => toState(fields, this.openingOf(fields.model)),
				toFragment,
				writes: this.whole,
				onEnter: () => this.entered(),
				onArrive: () => this.arrive(),
			});
			this.loads = Object.fromEntries(Object.keys(MODELS).map((model) => [model, {}])); // 各装到哪里了，见 open
			this.arriving = false; // 算完了，要到链接指着的部分去
			this.pause = null; // 等着停笔的计时器
			this.results = []; // 每句一个
			const { preview, previewZh } = block.dataset,
				written = block.dataset.model ? { zh: preview } : { "": preview, zh: previewZh };
			const stored = (model) => livePreview(written[model]).map((result) => ({ ...result, model }));
			this.stored = Object.fromEntries(Object.keys(MODELS).map((model) => [model, stored(model)])); // 面板自己的句子，事先算好的
			block.replaceChildren(this.buildForm(), this.buildOutput());
			this.showState();
			this.preview();
			new ResizeObserver(() => this.width !== this.output.clientWidth && this.draw()).observe(this.output);
			new MutationObserver(() => this.draw()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
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

		get opened() {
			return this.load.opened;
		}

		// 一个模型打开之前摆着的句子、词元与头
		openingOf(model) {
			const { dataset } = this.block;
			return model === "zh" && dataset.zh ? Object.fromEntries(new URLSearchParams(dataset.zh)) : dataset;
		}

		// -- 表单与结果的架子 --

		buildForm() {
			this.text = this.buildField("text", "");
			this.other = this.buildField("other", "第二句，另外算一遍，用来比较");
			this.button = html("button", { class: "live-open" });
			this.progress = html("progress", { "aria-label": "装入了多少", max: 1, value: 0, hidden: true });
			this.arrived = html("span", { class: "live-arrived" });
			this.status = html("p", { class: "live-status", role: "status" }, "还没有装入模型。");
			this.fields = html("div", { class: "live-fields" }, this.text.parentElement);
			this.more = html(
				"details",
				{ class: "live-more" },
				html("summary", {}, "再添一句来比"),
				this.other.parentElement,
			);
			if (this.whole) this.fields.append(this.more);
			else if (this.state.other) this.fields.append(this.other.parentElement);
			const bar = html("div", { class: "live-bar" }, this.button, this.progress, this.arrived, this.status);
			this.examples = html("div", { class: "live-examples", role: "group", "aria-label": "例句" });
			const asked = this.whole ? [...(BYTES.zh ? [this.buildModels()] : []), this.examples] : [];
			this.form = html("form", {}, ...asked, bar, this.fields);
			this.form.addEventListener("submit", (event) => {
				event.preventDefault();
				if (this.opened && event.submitter !== this.button) this.compute();
				else if (!this.load.opening) this.open();
			});
			return this.form;
		}

		buildField(name, label) {
			const id = `${this.id}-${name}`;
			const area = html("textarea", {
				id,
				rows: 2,
				spellcheck: "false",
				autocapitalize: "off",
				autocomplete: "off",
			});
			area.addEventListener("input", () => {
				this.change({ [name]: area.value });
				this.pauseThenCompute();
			});
			// 句子里用不着换行，回车就是提交；输入法选字的回车不算（Safari 只用 229 说它在选字）
			area.addEventListener("keydown", (event) => {
				if (event.key !== "Enter" || event.isComposing || event.keyCode === 229) return;
				event.preventDefault();
				this.form.requestSubmit();
			});
			html("div", { class: "live-field" }, html("label", { for: id }, label), area);
			return area;
		}

		// 打开哪一个：自己写的句子带过去，例句就换成那一个的
		buildModels() {
			this.choices = Object.entries(MODELS).map(([model, { name }]) => {
				const input = LiveMarks.radio(`${this.id}-model`, () => this.turnTo(model), { value: model });
				return html("label", {}, input, html("span", {}, name));
			});
			return html(
				"fieldset",
				{ class: "live-views live-models" },
				html("legend", {}, "打开哪一个 BERT？"),
				...this.choices,
			);
		}

		turnTo(model) {
			const { text, other } = this.state,
				given = [this.openingOf(this.model), ...Object.values(MODELS[this.model].examples)];
			const own = text.trim() && !given.some((each) => each.text === text);
			const opening = this.openingOf(model);
			this.address.enter(toState({ ...(own ? { text, other } : opening), model }, opening));
		}

		fillExamples() {
			const { model } = this;
			if (this.examples.dataset.model === model) return;
			this.examples.dataset.model = model;
			const buttons = Object.entries(MODELS[model].examples).map(([name, example]) => {
				const button = html("button", { type: "button" }, name);
				button.addEventListener("click", () => this.address.enter(toState({ ...example, model }, {})));
				return button;
			});
			this.examples.replaceChildren(...buttons);
		}

		buildOutput() {
			const names = this.whole ? PARTS : this.block.dataset.parts.split(" ");
			const given = {
				id: this.id,
				block: this.block,
				choose: (part) => this.choose(part),
				show: (name) => this.showPart(name),
				engine: () => this.load.engine,
			};
			this.parts = Object.fromEntries(names.map((name) => [name, LiveParts[name](given)]));
			this.link = html("a", {}, this.whole ? "此刻的链接" : "到“打开 BERT”一页里接着看");
			const about = this.whole ? "，存下或发给别人，打开就是同样的句子、词元与头。" : "，那里样样都有。";
			this.lead = html("div", { class: "live-lead" });
			this.rest = html("div", { class: "live-rest" });
			this.output = html(
				"div",
				{ class: "live-output", role: "group", "aria-label": "结果", tabindex: -1 },
				this.lead,
				this.rest,
			);
			this.sections = Object.fromEntries(Object.entries(this.parts).map((each) => this.buildSection(...each)));
			const told = html("p", { class: "live-link" }, this.link, about);
			this.rest.append(told);
			if (!this.whole) return this.output;
			told.append(this.address.copier());
			this.arrange(this.sections);
			return this.output;
		}

		// 整页：词元与全部的头领头，宽处它们在左边总看得见；窄处页签与选中的词元总在眼前
		arrange(sections) {
			const { tokens, attention } = sections,
				top = html("div", { class: "live-top" }, this.parts.tokens.top);
			this.lead.append(tokens.heading, top, tokens.element, attention.lead);
			this.tabs = liveTabs({ id: this.id, output: this.output, top, sections, onPick: (name) => this.showPart(name) });
		}

		buildSection(name, { title, tab, lead, elements }) {
			const heading = html(this.whole ? "h2" : "h3", {}, title); // 整页的在大标题下，小面板在一节里
			const element = html("div", { class: `live-${name}` }, heading, ...(lead ? [lead] : []), ...elements);
			this.rest.append(element);
			return [name, { element, heading, lead, tab: tab ?? TABS[name] }];
		}

		// 还没有打开：摆着事先算好的；句子换过，就只摆它的词，别的等打开
		preview() {
			const stored = this.stored[this.model],
				same = String(this.texts()) === String(stored.map(({ text }) => text));
			this.results = same ? stored : [];
			this.drawn = false;
			this.output.removeAttribute("aria-busy");
			for (const [name, { element, lead }] of Object.entries(this.sections)) {
				const waits = name !== "tokens" && !(same && this.isStored(name));
				for (const each of lead ? [element, lead] : [element]) each.toggleAttribute("data-waits", waits);
			}
			this.say(
				this.load.opening ? "正在装入……" : same ? "下面是事先算好的；打开之后，换成你自己的句子。" : "还没有装入模型。",
			);
			if (!same) return this.parts.tokens.draft(this.texts(), this.model);
			this.pick(true);
			this.fill();
			this.draw();
		}

		// 这一部分要画的，事先算好了没有
		isStored(name) {
			return name === "tokens" || { attention: "attention", cosine: "hidden" }[name] in this.results[0];
		}

		// 打开了：摆着的都不算数，各部分都出来
		endPreview() {
			this.results = [];
			this.output.inert = false;
			for (const each of this.output.querySelectorAll("[data-waits]")) each.removeAttribute("data-waits");
		}

		fill() {
			for (const [name, part] of Object.entries(this.parts))
				if (this.opened || this.isStored(name)) part.fill({ results: this.results });
		}

		showPart(name) {
			if (this.tabs.narrow.matches) this.choose({ tab: name });
			this.tabs.reveal(name);
		}

		// 说一句话；wrong 是出了错的那一处，那时下面若是先前句子的结果，就调淡，也不再能选
		say(message, wrong = null) {
			const stale = Boolean(
				wrong && this.drawn && String(this.texts()) !== String(this.results.map(({ text }) => text)),
			);
			this.status.textContent = stale ? `${message}下面还是先前的结果。` : message;
			this.status.classList.toggle("live-wrong", Boolean(wrong));
			this.output.classList.toggle("live-stale", stale);
			this.output.inert = stale || !this.opened;
			this.output.hidden = this.opened && wrong !== null && !this.drawn;
			for (const area of [this.text, this.other]) area.setAttribute("aria-invalid", area === wrong);
		}

		// -- 装入：算得了一句话就算，其余的接着装 --

		// load：opening，正在装；opened，算得了；share，装入了多少；complete，都装入了；wrong，没有装成，或者没有装完
		async open() {
			const { model, load } = this,
				here = () => this.model === model; // 其间换成另一个，就不去动它的
			const onProgress = (loaded, total) => {
				load.share = loaded / total;
				if (here()) this.showLoad();
			};
			Object.assign(load, { opening: true, wrong: false, share: 0 });
			this.showLoad();
			this.say("正在装入……");
			try {
				load.engine = await LiveBert.open({ root: ROOT, model, onProgress });
				Object.assign(load, { opening: false, opened: true });
				if (here()) {
					this.showLoad();
					this.endPreview();
					if (document.activeElement === document.body) this.output.focus({ preventScroll: true });
					await this.compute();
					if (here()) this.comeForward();
				}
				await load.engine.complete;
				load.complete = true;
				if (here()) this.showLoad();
			} catch (error) {
				this.offerAgain(error, model);
			}
		}

		// 先摆出算好的样子，打开了才要人写
		showLoad() {
			const { opening, opened, share, complete, wrong } = this.load;
			this.button.hidden = Boolean(opened && !opening && !wrong);
			this.button.disabled = Boolean(opening);
			this.button.textContent = wrong ? "再试一次" : `${MODELS[this.model].opens}（${downloadOf(this.model)}）`;
			this.fields.hidden = !(opening || opened || wrong);
			this.progress.hidden = share === undefined || Boolean(complete || wrong);
			this.progress.value = share ?? 0;
			if (wrong || share === undefined) this.arrived.textContent = "";
			else this.arrived.textContent = complete ? "都装入了，此后断网也能用。" : `${Math.floor(100 * share)} %`;
		}

		// 刚打开：读者还在看按钮这里，结果却在屏幕下面，就到结果那里去
		comeForward() {
			const { top, bottom } = this.status.getBoundingClientRect(),
				{ tab } = this.state;
			const low = this.tabs?.narrow.matches ? innerHeight / 2 : innerHeight - 100;
			if (!this.drawn || top < 0 || bottom > innerHeight) return;
			if (tab && this.tabs && !this.tabs.narrow.matches) this.tabs.reveal(tab);
			else if (this.output.getBoundingClientRect().top > low) this.output.scrollIntoView();
		}

		// 点了一个链接：它指着哪一部分，就到那里去
		arrive() {
			this.arriving = this.computing;
			if (this.drawn && !this.arriving && this.state.tab) this.tabs.reveal(this.state.tab);
		}

		// 没有装成、没有装完，或者后台线程停了
		offerAgain(error, model = this.model) {
			Object.assign(this.loads[model], { opening: false, wrong: true });
			if (this.model !== model) return;
			this.showLoad();
			this.say(error.message, this.button);
		}

		// -- 状态 --

		texts() {
			const { text, other } = this.state;
			return other.trim() ? [text, other] : [text];
		}

		// 状态整个换了
		entered() {
			this.results = [];
			this.showState();
			this.remember();
			if (!this.opened) return this.preview();
			if (!this.drawn) this.endPreview();
			this.compute();
		}

		showState() {
			const { field, lang } = MODELS[this.model];
			this.text.value = this.state.text;
			this.text.labels[0].textContent = field;
			for (const area of [this.text, this.other]) area.lang = lang;
			for (const { control } of this.choices ?? []) control.checked = control.value === this.model;
			this.fillExamples();
			this.showLoad();
			this.other.value = this.state.other;
			this.more.open ||= Boolean(this.state.other);
			this.showLinks();
		}

		showLinks() {
			this.link.href = PAGE + toFragment(this.state);
		}

		// 整页的状态写进网址；小面板里只写进去整页的链接
		remember() {
			this.showLinks();
			this.address.remember();
		}

		change(part) {
			this.address.change(part);
		}

		choose(part) {
			this.change(part);
			this.remember();
			this.draw();
		}

		// 选中的词元与头都要在；keep：原来选中的还对得上
		pick(keep) {
			const [{ numLayers, numHeads }] = this.results,
				{ layer, head } = this.state;
			Object.assign(this.state, pick(this.state, this.places(), keep), {
				layer: Math.min(layer, numLayers - 1),
				head: Math.min(head, numHeads - 1),
			});
		}

		// 两句的词元接在一起数
		places() {
			return this.results.flatMap((result, sentence) =>
				result.tokens.map((token, index) => ({ result, sentence, token, index, id: result.ids[index] })),
			);
		}

		// -- 计算：一次只算一遍，其间又改过就再算 --

		// 网址也等停笔再写：有的浏览器不许写得太勤
		pauseThenCompute() {
			this.output.setAttribute("aria-busy", this.opened);
			clearTimeout(this.pause);
			this.pause = setTimeout(() => (this.opened ? this.compute() : this.remember()), PAUSE);
		}

		async compute() {
			clearTimeout(this.pause);
			this.pause = null;
			this.changed = true;
			if (this.computing) return;
			this.computing = true;
			this.output.setAttribute("aria-busy", true);
			while (this.changed) {
				this.changed = false;
				await this.computeOnce();
			}
			this.computing = false;
			if (this.arriving) this.arrive();
			this.output.setAttribute("aria-busy", this.pause !== null);
		}

		async computeOnce() {
			const results = [],
				{ model } = this,
				{ engine } = this.load;
			for (const [i, text] of this.texts().entries()) {
				const same = this.results.find((result) => result.text === text);
				try {
					results.push(same || { text, model, ...(await engine.run(text)) });
				} catch (error) {
					if (model !== this.model) return;
					return error.again ? this.offerAgain(error) : this.say(error.message, [this.text, this.other][i]);
				}
				if (this.changed || model !== this.model) return; // 其间又改了，或者换了一个模型
			}
			const chosen = () => String([this.state.token, this.state.with].map((i) => this.places()[i]?.token));
			const before = this.results.length ? chosen() : null;
			this.results = results;
			this.pick(before === null || before === chosen());
			this.remember();
			this.drawn = true;
			const times = results.map(
				({ tokens, milliseconds }) => `${tokens.length} 个词元算了 ${Math.round(milliseconds)} 毫秒`,
			);
			this.say(`${times.join("，另一句 ")}。`);
			this.fill();
			this.draw();
		}

		// 选中的变了，或者宽窄、明暗变了
		draw() {
			this.tabs?.show(this.state.tab || "attention");
			this.width = this.output.clientWidth;
			if (!this.results.length || !this.width) return;
			const { results, state } = this,
				places = this.places();
			const view = { results, state, places, chosen: places[state.token], partner: places[state.with] };
			view.weights = results[0].attention && this.parts.attention?.weights(view);
			view.compares = Boolean(this.parts.cosine);
			const shown = (name) => (this.opened || this.isStored(name)) && (name === "tokens" || !this.tabs?.isHidden(name));
			for (const [name, part] of Object.entries(this.parts)) if (shown(name)) part.draw(view);
			this.tabs?.centre();
		}
	}

	// 整页的马上就画，章末的快看到时才画
	const near = new IntersectionObserver(
		(entries) => {
			for (const { target } of entries.filter(({ isIntersecting }) => isIntersecting)) {
				near.unobserve(target);
				new Panel(target);
			}
		},
		{ rootMargin: "1000px 0px" },
	);
	for (const block of document.querySelectorAll(".live-bert")) {
		if (block.dataset.parts) near.observe(block);
		else new Panel(block);
	}
}
