// “训练一个 Transformer”的面板：读者的选择、A 与 B 两次训练、它们的曲线与头、回头看的滑杆，并把状态写进网址。
{
	const { html, range, radio } = LiveMarks;
	const { CHAPTERS, CHOICES, TASKS, LENGTHS, toState, toFragment, sides, trouble, labelOf } = TrainChoices;
	const { curves, glance, differs, answers, heads } = TrainPictures;
	const { root: ROOT } = document.currentScript.dataset;
	const FRAME = 60; // 一次训练多少毫秒，画一次
	const SIDES = ["A", "B"];
	const { TASKS: RULES, batch, maxLength } = trainTasks({ trainRandom, trainReading });

	const button = (text, onPress, attributes = {}) => {
		const made = html("button", { type: "button", ...attributes }, text);
		made.addEventListener("click", onPress);
		return made;
	};
	const select = (pairs, onChoose, attributes = {}) => {
		const made = html("select", attributes, ...pairs.map(([value, label]) => html("option", { value }, label)));
		made.addEventListener("change", () => onChoose(made.value));
		return made;
	};

	class Panel {
		constructor(block) {
			this.block = block;
			this.address = new LiveAddress({
				block,
				given: block.dataset,
				toState,
				toFragment,
				sign: "task",
				onEnter: () => (this.restarted = this.restart()),
			});
			Object.assign(this, { runs: [], engines: [], version: 0, pace: 1, running: false, viewing: null, guessed: null });
			// 事先训练好的两次：打开时画的是它们，自己一开始训练就让开；印在纸上的，是它的画
			const still = block.querySelector(".train-still");
			this.stored = [...still.querySelectorAll("[data-told]")].map(({ dataset }) => JSON.parse(dataset.told));
			const printed = html(
				"figure",
				{ class: "train-printed" },
				still,
				html("figcaption", {}, "事先训练好的两次，照着抄，没见过的答对几成；在网页里，可以亲手训练。"),
			);
			block.replaceChildren(...this.build(), printed);
			this.cards = this.drawCards();
			let drawn; // 画好之后高度也变，那不必再画
			new ResizeObserver(
				([
					{
						contentRect: { width },
					},
				]) => {
					if (width === drawn) return;
					drawn = width;
					this.drawCurves();
				},
			).observe(this.plots);
			this.restart();
		}

		get state() {
			return this.address.state;
		}

		get done() {
			return Math.max(0, ...this.runs.map(({ done }) => done));
		}

		// -- 搭 --

		build() {
			const tasks = Object.entries(TASKS).map(([name, { name: title }]) => {
				const input = radio(
					"train-task",
					() =>
						this.enter({
							task: name,
							mask: TASKS[name].mask,
							text: "",
							hide: "",
							...TrainChoices.usual(name, this.state.task),
						}),
					{ value: name },
				);
				return html("label", { class: "train-task" }, input, html("span", {}, title));
			});
			this.tasks = html("fieldset", { class: "train-tasks" }, html("legend", {}, "教它做什么"), ...tasks);
			this.said = html("p", { class: "train-said" });
			this.guess = html("div", { class: "train-guess", hidden: true });

			this.choosers = Object.fromEntries(
				Object.entries(CHOICES).map(([name, { name: title, values }]) => [
					name,
					select(values, (value) => this.enter({ [name]: TrainChoices.valueOf(name, value) }), { "aria-label": title }),
				]),
			);
			const rows = Object.entries(CHOICES).map(([name, { name: title, said, chapter }]) =>
				html(
					"div",
					{ class: "train-choice" },
					html("label", {}, html("span", {}, title), this.choosers[name]),
					html("p", {}, said, " ", html("a", { href: `${CHAPTERS[chapter]}.html` }, "读这一章")),
				),
			);
			this.model = html("summary", {});
			const fold = html("details", { class: "train-model" }, this.model, html("div", {}, ...rows));

			this.other = select(
				[["", "没有 B"], ...Object.entries(CHOICES).map(([name, { name: title }]) => [name, title])],
				(other) => this.enter({ other, value: other && this.opposite(other) }),
				{ "aria-label": "B 改哪一样" },
			);
			this.value = html("select", { "aria-label": "B 改成什么" });
			this.value.addEventListener("change", () => this.enter({ value: this.value.value }));
			this.versus = html(
				"p",
				{ class: "train-versus" },
				html("b", {}, "B"),
				"与 A 只差：",
				this.other,
				" ",
				this.value,
			);

			this.play = button("训练", () => this.toggle(), { class: "live-open train-play" });
			this.once = button("走一步", () => this.advance(1));
			const again = button("从头来", () => this.restart({ untrained: true }));
			this.steps = select(
				LENGTHS.map((each) => [each, `${each} 步`]),
				(steps) => this.choose({ steps: Number(steps) }),
				{ "aria-label": "训练多少步" },
			);
			this.slider = html("input", {
				type: "range",
				min: 0,
				max: 0,
				value: 0,
				"aria-label": "回头看第几步",
				title: "走到第几步；往回拖，就回头看",
			});
			this.slider.addEventListener("input", () => this.view(Number(this.slider.value)));
			this.moment = html("output", {});
			const time = html("div", { class: "train-time" }, this.slider, this.moment);
			this.status = html("span", { role: "status" });
			this.speed = html("span", { class: "train-speed" });
			const told = html("p", { class: "train-told" }, this.status, this.speed);
			const controls = html("div", { class: "train-controls" }, this.play, this.once, again, this.steps, time);

			this.plots = html("div", { class: "train-plots" });

			this.text = html("input", {
				type: "text",
				"aria-label": "换一句",
				spellcheck: "false",
				autocomplete: "off",
				maxlength: 40,
			});
			this.text.addEventListener("input", () => this.write(this.text.value));
			this.allowed = html("span", { class: "train-allowed" });
			const own = html(
				"div",
				{ class: "train-own" },
				html("label", {}, html("span", {}, "读的这一句"), this.text),
				button("打乱", () => this.shuffle()),
				button("换回来", () => this.write("")),
				this.allowed,
			);
			this.pair = html("div", { class: "train-pair" });
			const link = html(
				"p",
				{ class: "train-link" },
				this.address.copier(),
				"选择都写在网址里：同一个链接，训练出来的一模一样。",
			);
			return [
				this.guess,
				this.tasks,
				this.said,
				this.plots,
				told,
				controls,
				this.pair,
				html("div", { class: "train-both" }, fold, this.versus),
				own,
				link,
			];
		}

		// 正文里的实验，一个一张卡片：画着 A 与 B 差在哪里；训练过的，画刚才的两条
		drawCards() {
			return Object.fromEntries(
				[...document.querySelectorAll('a[href*="guess="]')].map((a) => {
					const state = toState(Object.fromEntries(new URLSearchParams(a.hash.slice(1)))),
						{ words, length, far } = RULES[state.task];
					const ids = [...batch(state.task, [0, 99], 1, { testing: true }).ids.slice(0, 3)];
					const picture = html(
						"span",
						{ class: "train-glance", "aria-hidden": "true" },
						differs({ ...state, sides: sides(state), words: ids.map((id) => words[id]), length, far }),
					);
					a.before(picture);
					return [state.guess, picture];
				}),
			);
		}

		// 一样选择里，与 A 不同的一个
		opposite(name, state = this.state) {
			return String(CHOICES[name].values.map(([value]) => value).findLast((value) => value !== state[name]));
		}

		// -- 状态 --

		choose(part) {
			this.address.change(part);
			this.address.remember();
			this.show();
		}

		// 换了一样，就从头训练
		enter(part) {
			const next = { ...this.state, guess: "", ...part };
			if (next.other && String(next[next.other]) === String(next.value)) next.value = this.opposite(next.other, next);
			this.address.enter(next);
		}

		// 还没有开始，又正是事先训练好的那两次
		get stands() {
			const { hide, text, guess, ...chosen } = this.state;
			const same = Object.entries(chosen).every(([name, value]) => String(value) === String(TrainChoices.START[name]));
			return same && !this.untrained && !this.done && hide === "" && !text && !guess;
		}

		// -- 训练 --

		// 打开时、换回去时，是事先训练好的；读者按“从头来”，就真的从头来
		async restart({ untrained = false } = {}) {
			const mine = ++this.version,
				{ state } = this;
			Object.assign(this, {
				running: false,
				viewing: null,
				runs: [],
				guessed: null,
				rate: 0,
				untrained,
				stood: undefined,
			});
			delete this.block.dataset.done;
			this.ids = this.read(state.text);
			this.show();
			const all = sides(state),
				wrong = all.map(trouble).find(Boolean);
			if (wrong) {
				this.pair.replaceChildren();
				this.drawCurves();
				return this.say(wrong, true);
			}
			if (this.stands) this.showStored();
			try {
				const book = state.task === "read" ? await this.openBook(mine) : undefined;
				for (const i of range(all.length)) {
					if (this.engines[i]?.stopped) this.engines[i] = undefined;
					this.engines[i] ??= new TrainEngine(ROOT).ready(); // 一个接一个：两个一起取，同一个脚本会载入两遍
					await this.engines[i];
				}
				const engines = await Promise.all(this.engines.slice(0, all.length));
				const begun = await Promise.all(engines.map((engine, i) => engine.ask("start", [all[i], book])));
				if (mine !== this.version) return;
				this.runs = begun.map((each, i) => ({
					...each,
					engine: engines[i],
					choices: all[i],
					points: [each.point],
					done: 0,
					off: [],
					broken: false,
				}));
				this.show();
				await this.look();
				this.block.dataset.ready = mine;
			} catch (error) {
				if (mine === this.version) this.fail(error);
			}
		}

		foretold() {
			const { steps, seed } = TrainChoices.START,
				[a, b] = this.stored.map(({ right }) => right.at(-1).toFixed(2));
			return `事先训练好的一次“照着抄”（种子 ${seed}，${steps} 步）：两层的 A 答对 ${a}，一层的 B ${b}。`;
		}

		// 那两次走完了怎样读任务自己的一句；按不动
		showStored() {
			const { steps } = TrainChoices.START,
				all = sides(this.state),
				words = RULES[this.state.task].words,
				n = this.ids.length;
			const stored = this.stored.map(({ right, loss, seen }, i) => ({
				choices: all[i],
				off: [],
				stored: seen,
				points: [{ step: steps, test: { right: right.at(-1), loss: loss.at(-1) } }],
			}));
			this.buildPair(stored);
			const targets = RULES[this.state.task].answer(this.ids);
			stored.forEach((run) => {
				const { said, shares, loss, attention } = run.stored,
					probabilities = new Float32Array(n * words.length);
				said.forEach((word, i) => (probabilities[i * words.length + word] = shares[i]));
				const weights = Float32Array.from(new Uint8Array(LiveEngine.decode(attention)), (byte) => byte / 255),
					each = run.choices.heads * n * n;
				const seen = {
					at: steps,
					loss,
					probabilities,
					attention: range(run.choices.layers).map((i) => weights.subarray(i * each, (i + 1) * each)),
				};
				this.showRun(run, { ids: this.ids, targets, hidden: [] }, seen, seen);
			});
		}

		// 读这本书：选了才取
		async openBook(mine) {
			this.say("正在取这本书的行文，一百多 kB……");
			const book = await TrainPaper.open();
			if (mine !== this.version) return;
			Object.assign(RULES.read, trainReading(book), { lines: book.lines });
			this.ids = this.read(this.state.text);
			this.say("");
			return book;
		}

		fail({ message }) {
			this.running = false;
			this.engines.forEach((each) =>
				each?.then(
					(engine) => engine.close(),
					() => {},
				),
			);
			this.engines = [];
			this.say(`${message}已经训练的没有了，请按“从头来”。`, true);
			this.show();
		}

		toggle() {
			if (this.running) this.running = false;
			else if (this.done < this.state.steps && this.runs.length) this.loop();
			else if (this.runs.length) return this.reseed();
			this.show();
		}

		// 换一个种子，从头再练；猜过的还算数
		async reseed() {
			const { guess, seed } = this.state,
				{ guessed } = this;
			this.enter({ seed: (seed + 1) % CHOICES.seed.values.length, guess });
			const mine = this.version;
			this.guessed = guessed;
			await this.restarted;
			if (mine === this.version && !this.running) this.toggle();
		}

		async loop() {
			const mine = this.version;
			this.running = true;
			this.viewing = null;
			this.show();
			while (
				this.running &&
				mine === this.version &&
				this.done < this.state.steps &&
				this.runs.some(({ broken }) => !broken)
			) {
				await this.advance(Math.min(this.pace, this.state.steps - this.done));
				if (!document.hidden) await new Promise(requestAnimationFrame); // 到别的网页去了，也接着训练
			}
			if (mine !== this.version) return;
			this.running = false;
			this.finish();
			this.show();
		}

		// A 与 B 各走 steps 步，走完一起画
		async advance(steps) {
			const mine = this.version,
				began = performance.now();
			if (!this.runs.length || this.done >= this.state.steps) return;
			this.viewing = null;
			try {
				const told = await Promise.all(this.runs.map(({ engine }) => engine.ask("train", [steps])));
				if (mine !== this.version) return;
				told.forEach(({ points, broken }, i) => {
					const run = this.runs[i];
					run.points.push(...points.filter(({ loss }) => Number.isFinite(loss)));
					run.done += points.length;
					if (broken && !run.broken)
						this.say(
							`${SIDES[i]} 在第 ${run.done} 步飞出去了：损失不再是一个数，多半是学习率太大。先前的都还在，可以回头看。`,
							true,
						);
					run.broken = broken;
				});
				const elapsed = performance.now() - began,
					slowest = Math.max(...told.map(({ milliseconds }) => milliseconds));
				this.pace = Math.max(1, Math.min(40, Math.round((steps * FRAME) / Math.max(1, slowest))));
				this.rate = this.rate ? 0.8 * this.rate + (200 * steps) / elapsed : (1000 * steps) / elapsed;
				await this.look();
				if (this.done >= this.state.steps) this.finish();
			} catch (error) {
				if (mine === this.version) this.fail(error);
			}
		}

		finish() {
			this.showGuess();
			this.block.dataset.done = "";
			this.cards[this.state.guess]?.replaceChildren(
				glance(
					this.runs.map(({ points }) =>
						points
							.filter(({ test }) => test)
							.map(({ step, test, far }) => [step / this.state.steps, (far ?? test).right]),
					),
				),
			);
			if (this.done < this.state.steps || this.runs.some(({ broken }) => broken)) return;
			const last = ({ points }) => points.findLast(({ test }) => test).test,
				score = (run) => last(run).right.toFixed(2);
			if (this.state.task === "read")
				return this.say(
					`练完了。${this.runs.map((run, i) => `${SIDES[i]}：${TrainPaper.told(last(run))}`).join("；")}。`,
				);
			this.say(
				this.runs.length > 1
					? `练完了：没见过的句子，A 答对 ${score(this.runs[0])}，B 答对 ${score(this.runs[1])}。`
					: `练完了：没见过的句子，答对 ${score(this.runs[0])}。`,
			);
		}

		// -- 看 --

		// 读者写的一句，或者任务自己的一句：[编号]；写得不对就说，给出先前的
		read(text) {
			const { task } = this.state,
				{ words, shown } = RULES[task],
				most = maxLength(task);
			const { ids, length } = batch(task, [0, shown ? 0 : 99], 1, { testing: true });
			const example = [...ids.slice(0, shown ?? length)];
			this.allowed.textContent = "";
			if (!text) return example;
			const typed = [
				...text
					.replace(/\s/g, "")
					.replace(/,/g, "，")
					.replace(/？/g, words.includes("？") ? "？" : "?"),
			];
			const unknown = task !== "read" && typed.find((char) => !words.includes(char));
			if (unknown || !typed.length || typed.length > most) {
				this.allowed.textContent = unknown
					? `它不认得“${unknown}”，只认得 ${words.join(" ")}。`
					: typed.length
						? `最多 ${most} 个。`
						: "写一个字也行，不能是空的。";
				return this.ids ?? example;
			}
			return typed.map((char) => Math.max(0, words.indexOf(char === "↵" ? "\n" : char)));
		}

		spelled(ids = this.ids) {
			return ids
				.map((id) => RULES[this.state.task].words[id])
				.join("")
				.replaceAll("\n", "↵");
		}

		write(text) {
			this.address.change({ text });
			this.ids = this.read(text);
			this.address.remember();
			if (text === "") this.text.value = this.spelled();
			return this.look();
		}

		shuffle() {
			const random = trainRandom().stream(Date.now() % 1e6);
			this.text.value = this.spelled(random.shuffle([...this.ids]));
			return this.write(this.text.value);
		}

		// 盖住一个字，再按一次就揭开；一次只盖一个
		cover(i) {
			this.address.change({ hide: i === this.state.hide ? "" : i });
			this.address.remember();
			return this.look();
		}

		view(step) {
			this.viewing = step >= this.done ? null : step;
			return this.look();
		}

		async look() {
			const mine = this.version,
				asked = (this.asked = (this.asked ?? 0) + 1),
				{ ids } = this;
			if (!this.runs.length) return;
			if (this.stands) return (this.showStored(), this.show());
			if (!this.pair.contains(this.runs[0].row ?? null)) this.buildPair();
			const targets = RULES[this.state.task].answer(ids),
				at = this.viewing ?? Infinity,
				hidden = range(ids.length).filter((i) => i === this.state.hide);
			const seen = await Promise.all(
				this.runs.map(({ engine, off }) => engine.ask("look", [{ at, ids, targets, off, hidden }])),
			);
			const whole = await Promise.all(
				this.runs.map(({ engine, off }, i) =>
					off.length || hidden.length ? engine.ask("look", [{ at, ids, targets, off: [], hidden: [] }]) : seen[i],
				),
			);
			if (mine !== this.version || asked !== this.asked) return;
			this.runs.forEach((run, i) => this.showRun(run, { ids, targets, hidden }, seen[i], whole[i]));
			this.show();
		}

		buildPair(runs = this.runs) {
			const { other } = this.state;
			this.pair.replaceChildren(
				...runs.map((run, i) => {
					const what = other ? `${CHOICES[other].name} ${labelOf(other, run.choices[other])}` : "";
					run.score = html("span", { class: "train-score" });
					run.row = html("ol", { class: "train-answers" });
					run.loss = html("p", { class: "train-loss" });
					run.heads = heads({ ...run.choices, onToggle: (layer, head) => this.switchOff(run, layer, head) });
					run.paper =
						run.choices.task === "read" ? TrainPaper.paper({ engine: run.engine, words: RULES.read.words }) : null;
					const none = run.choices.layers ? [] : [html("p", {}, "0 层：没有注意力可看。")];
					return html(
						"section",
						{ class: `train-side train-${SIDES[i]}`, "aria-label": `训练 ${SIDES[i]}` },
						html("h2", {}, html("span", { class: "train-key" }, SIDES[i]), what, run.score),
						...(run.paper ? [run.paper.element] : []),
						run.row,
						run.loss,
						run.heads.element,
						...none,
					);
				}),
			);
			this.pair.classList.toggle("train-alone", runs.length < 2);
		}

		switchOff(run, layer, head) {
			const there = run.off.findIndex(([i, j]) => i === layer && j === head);
			if (there >= 0) run.off.splice(there, 1);
			else run.off.push([layer, head]);
			return this.look();
		}

		showRun(run, { ids, targets, hidden }, seen, whole) {
			const words = RULES[this.state.task].words.map((word) => (word === "\n" ? "↵" : word));
			answers({
				element: run.row,
				words,
				ids,
				targets,
				probabilities: seen.probabilities,
				hidden,
				onHide: run.stored ? null : (at) => this.cover(at),
			});
			if (run.choices.layers)
				run.heads.show({ attention: seen.attention, words, ids, off: run.off, still: Boolean(run.stored) });
			const point = run.points.findLast(({ step, test }) => test && step <= (this.viewing ?? Infinity));
			run.paper?.show({ at: this.viewing ?? Infinity, ids, off: run.off }, this.running);
			run.score.textContent = run.paper
				? TrainPaper.told(point.test)
				: `没见过的答对 ${point.test.right.toFixed(2)}${point.far ? `，更长的 ${point.far.right.toFixed(2)}` : ""}`;
			const asked = targets.some((target) => target >= 0);
			const first = run.row === this.pair.querySelector(".train-answers");
			const hint = first && run.choices.layers ? `；${run.stored ? "练过之后" : ""}点一格头，关掉它` : "";
			const done = [
				...hidden.map((at) => `盖住第 ${at + 1} 个 ${words[ids[at]]}`),
				...(run.off.length ? [`关掉 ${run.off.length} 个头`] : []),
			].join("、");
			run.loss.textContent = !asked
				? "这一句看不出该答什么，只看它的头。"
				: `这一句的损失 ${whole.loss.toFixed(2)}${done ? `；${done}之后 ${seen.loss.toFixed(2)}` : hint}`;
			this.seenAt = seen.at;
		}

		// -- 画 --

		say(message, wrong = false) {
			this.status.textContent = message;
			this.status.classList.toggle("live-wrong", wrong);
		}

		show() {
			const { state } = this,
				ready = this.runs.length > 0,
				ended = this.done >= state.steps;
			if (this.stood !== this.stands) this.say((this.stood = this.stands) ? this.foretold() : "");
			this.tasks.querySelectorAll("input").forEach((each) => (each.checked = each.value === state.task));
			this.said.textContent = TASKS[state.task].said;
			for (const [name, each] of Object.entries(this.choosers)) each.value = state[name];
			const two = (name, yes, no) => (state[name] ? yes : no);
			this.model.replaceChildren(
				html("b", {}, "A"),
				html(
					"span",
					{},
					`${state.layers} 层，${state.heads} 个头，宽 ${state.width}`,
					html(
						"span",
						{ class: "train-more" },
						`，${two("ffn", "有", "没有")}前馈网络，位置${labelOf("positions", state.positions)}，学习率 ${state.lr}`,
					),
					"……",
				),
				html("span", {}, "换一个模型"),
			);
			this.other.value = state.other;
			this.value.hidden = !state.other;
			if (state.other) {
				const values = CHOICES[state.other].values.filter(([value]) => value !== state[state.other]);
				this.value.replaceChildren(...values.map(([value, label]) => html("option", { value }, label)));
				this.value.value = state.value;
			}
			this.steps.value = state.steps;
			this.play.textContent = this.running
				? "停"
				: ended
					? "换一个种子再练"
					: this.done
						? "接着训练"
						: this.stands
							? "亲手训练"
							: "训练";
			this.play.disabled = !ready;
			this.once.disabled = !ready || ended || this.running;
			this.speed.textContent = this.running && this.rate ? `每秒 ${Math.round(this.rate)} 步${this.left()}` : "";
			this.slider.max = state.steps;
			this.slider.disabled = !this.done;
			this.slider.value = this.stands ? state.steps : (this.viewing ?? this.done);
			this.moment.textContent = `第 ${this.stands ? TrainChoices.START.steps : this.viewing === null ? this.done : this.seenAt} 步`;
			if (!this.text.matches(":focus") && this.ids) this.text.value = this.spelled();
			this.block.setAttribute("aria-busy", !ready);
			this.block.toggleAttribute("data-begun", this.done > 0);
			this.block.toggleAttribute("data-stored", this.stands);
			this.showGuess();
			this.drawCurves();
		}

		// 还要很久，就说多久
		left() {
			const seconds = (this.state.steps - this.done) / this.rate;
			return seconds < 20
				? ""
				: seconds < 90
					? `，还要大约 ${Math.round(seconds / 10) * 10} 秒`
					: `，还要大约 ${Math.round(seconds / 60)} 分钟`;
		}

		showGuess() {
			const { guess } = this.state,
				experiment = TrainExperiments[guess];
			this.guess.hidden = !experiment;
			const key = [guess, this.guessed, this.done >= this.state.steps].join();
			if (!experiment || key === this.shownGuess) return void (this.shownGuess = experiment ? key : "");
			this.shownGuess = key;
			const { question, options, right } = experiment,
				ended = this.done >= this.state.steps;
			const closed = ended && this.guessed !== null;
			const choices = options.map((option, i) =>
				button(
					ended && i === right ? `✓ ${option}` : option,
					() => {
						this.guessed = i;
						if (!this.running && !ended) this.toggle();
						this.showGuess();
					},
					{
						"aria-pressed": String(this.guessed === i),
						class: `${ended && i === right ? "right" : ""}${closed && this.guessed === i ? " mine" : ""}`,
						...(closed ? { disabled: "" } : {}),
					},
				),
			);
			const answer = document.querySelector(`[data-answer="${guess}"]`)?.textContent.replace(/\s*\n\s*/g, "") ?? "";
			const verdict =
				this.guessed === null ? "" : this.guessed === right ? "✓ 你猜对了。" : `✗ 你猜的是“${options[this.guessed]}”。`;
			this.guess.replaceChildren(
				html("p", {}, html("b", {}, "先猜："), question),
				html("div", {}, ...choices),
				html(
					"p",
					{ class: "train-room", "aria-hidden": "true" },
					"✗ 你猜的是",
					options.reduce((a, b) => (a.length > b.length ? a : b)),
					answer,
				),
				...(ended
					? [html("p", { role: "status" }, verdict, answer)]
					: this.guessed === null
						? []
						: [html("p", {}, "看看是不是。")]),
			);
		}

		// 事先训练好的那两次的曲线
		storedCurves(what) {
			return this.stored.map((told, i) => ({
				kind: `train-of-${SIDES[i]}`,
				name: SIDES[i],
				points: told[what].map((value, at) => [told.every * (at + 1), value]),
			}));
		}

		drawCurves() {
			const [each] = getComputedStyle(this.plots).gridTemplateColumns.match(/\d+/) ?? [],
				{ steps } = this.state;
			if (!each) return;
			const at = this.viewing ?? undefined;
			const pick = (read) => this.runs.flatMap(({ points }, i) => read(points, SIDES[i]));
			const tenths = (points, what) => {
				// 练的那一批只有几十句，忽上忽下：十步取一个平均
				const trained = points.filter((point) => point.loss !== undefined);
				return range(Math.floor(trained.length / 10)).map((i) => {
					const ten = trained.slice(10 * i, 10 * i + 10);
					return [ten.at(-1).step, ten.reduce((sum, point) => sum + point[what], 0) / 10];
				});
			};
			const tested = (points, exam, what) =>
				points.filter((point) => point[exam]).map((point) => [point.step, point[exam][what]]);
			const accuracy = pick((points, side) => [
				{ kind: `train-of-${side} train-thin`, points: tenths(points, "right") },
				{ kind: `train-of-${side} train-far`, points: tested(points, "far", "right") },
				{ kind: `train-of-${side}`, name: side, points: tested(points, "test", "right") },
			]);
			const loss = pick((points, side) => [
				{ kind: `train-of-${side} train-thin`, points: tenths(points, "loss") },
				{ kind: `train-of-${side}`, name: side, points: tested(points, "test", "loss") },
			]);
			const { stands } = this;
			const said =
				this.done || stands || !this.runs.length || each < 250
					? ""
					: this.state.guess && this.guessed === null
						? "先在上面猜一个"
						: "按“训练”，曲线从左边长出来";
			const figure = (title, label, all, top) =>
				html(
					"figure",
					{},
					html("figcaption", {}, title),
					curves({ label, width: each, height: 130, steps, top, curves: all, at, said }),
				);
			const ends = stands
				? this.stored.map(({ right }, i) => `${SIDES[i]} ${right.at(-1).toFixed(2)}`).join("，")
				: this.runs
						.map(({ points }, i) => `${SIDES[i]} ${points.findLast(({ test }) => test).test.right.toFixed(2)}`)
						.join("，");
			const { lines } = RULES[this.state.task];
			if (this.state.task === "read") {
				const bits = loss.map((curve) => ({ ...curve, points: TrainPaper.bits(curve.points) })),
					options = { width: each, height: 220, steps, at };
				return void this.plots.replaceChildren(
					html(
						"figure",
						{},
						html("figcaption", {}, "每个字多少比特，越少越好：粗的考没读过的两章，细的是正在读的；横线是数次数"),
						curves({
							...options,
							label: `每个字多少比特随步数的曲线，此刻${this.runs.map(({ points }, i) => ` ${SIDES[i]}：${TrainPaper.told(points.findLast(({ test }) => test).test)}`).join("；")}`,
							top: 10,
							floor: 4,
							right: 112,
							curves: [...TrainPaper.guides(lines ?? {}, steps), ...bits],
						}),
					),
					html(
						"figure",
						{},
						html("figcaption", {}, "下一个字猜对几成"),
						curves({ ...options, height: 130, label: "猜对几成随步数的曲线", top: 0.5, curves: accuracy }),
					),
				);
			}
			const hasFar = Boolean(RULES[this.state.task].far);
			this.plots.replaceChildren(
				figure(
					stands
						? "没见过的句子，答对几成"
						: `答对几成：粗的是没见过的，细的是正在练的${hasFar ? "，点线是更长的" : ""}`,
					`答对几成随步数的曲线，此刻 ${ends}`,
					stands ? this.storedCurves("right") : accuracy,
					1,
				),
				figure("损失", "损失随步数的曲线", stands ? this.storedCurves("loss") : loss, 4),
			);
		}
	}

	document.querySelectorAll(".live-train").forEach((block) => new Panel(block));
}
