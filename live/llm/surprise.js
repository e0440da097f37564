// 前文的每个词元有多意外：读到它前面时给它的概率是 p，意外就是 −log₂ p 位。要看才算，由引擎留着的隐藏状态读出来。
globalThis.LlmSurprise = (() => {
	const { html, range } = LiveMarks;
	const { named } = LlmTokens;
	const { percent } = LlmBars;
	const PIECE = 16; // 一次至多算几个，算完一次就让别的先做
	const FULL = 16; // 到多少位，条就满了
	const said = (bits) => `${bits.toFixed(1)} 位`;

	// chips：写着前文词元的那一串，最前面的几个就是；onToggle(要不要看)
	function surprise({ chips, onToggle }) {
		const about = html(
			"span",
			{ class: "llm-note", id: "llm-about-surprise" },
			"每个方框底下一条，越长，读到它前面时越没有料到它。",
		);
		const button = html(
			"button",
			{ type: "button", class: "llm-small", "aria-pressed": false, "aria-describedby": about.id },
			"有多意外",
		);
		const reading = html("p", { class: "llm-note llm-surprise", "aria-live": "polite", hidden: true });
		let on = false,
			words = [],
			bits = [],
			at = null,
			turn = 0,
			fresh = false; // bits[i] 是第 i 个的，第 0 个前面什么也没有，没有数

		const whole = () => {
			const total = bits.slice(1).reduce((sum, each) => sum + each, 0),
				mean = total / (words.length - 1);
			const most = range(words.length)
				.slice(1)
				.reduce((a, b) => (bits[b] > bits[a] ? b : a));
			const perplexity = (2 ** mean).toLocaleString("en", { maximumSignificantDigits: 3 });
			return [
				`第一个不算，共 ${said(total)}，平均 ${said(mean)}（困惑度 ${perplexity}）；最意外的是 `,
				named(words[most]),
				`，${said(bits[most])}。`,
			];
		};
		const one = (i) => {
			if (i === 0) return [named(words[0]), "：第一个，前面什么也没有，不算。"];
			return [named(words[i]), `：${said(bits[i])}，读到它前面时，给它的概率是 ${percent(2 ** -bits[i])}。`];
		};
		function read() {
			const short = words.length < 2 ? ["至少要两个词元：第一个前面什么也没有。"] : null;
			const waiting = bits.length < words.length ? [`正在算……${bits.length} / ${words.length}`] : null;
			reading.replaceChildren(...(short ?? waiting ?? (at === null ? whole() : one(at))));
			[...chips.children].forEach((chip, i) => chip.classList.toggle("llm-pointed", on && i === at));
		}
		function point(i) {
			if (!on || !fresh || bits.length < words.length || !(i === null || i in words)) return;
			at = i;
			read();
		}
		const indexOf = ({ target }) => [...chips.children].indexOf(target.closest(".live-chip"));
		const pointed = (event) => point(indexOf(event) in words ? indexOf(event) : null);
		for (const name of ["pointerover", "click"]) chips.addEventListener(name, pointed);
		chips.addEventListener("pointerleave", ({ pointerType }) => pointerType === "mouse" && point(null));
		chips.addEventListener("blur", () => point(null));
		chips.addEventListener("keydown", (event) => {
			const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
			if (!on || !step || event.target !== chips) return;
			event.preventDefault();
			point(at === null ? 0 : at + step);
		});
		button.addEventListener("click", () => onToggle(!on));

		return {
			element: html("div", {}, html("p", { class: "llm-line" }, button, about), reading),
			// 还在看的是不是 given，由 wanted() 说；session 一次算几个，其间别的可以插进来
			async show({ session, words: given, wanted, on: want }) {
				const mine = ++turn,
					current = () => mine === turn && wanted();
				const { engine } = session,
					same = given.findIndex(({ id }, i) => id !== words[i]?.id);
				[on, words, at, fresh] = [want, given, null, true];
				bits = bits.slice(0, same < 0 ? given.length : same); // 开头没有变的，不必再算
				button.setAttribute("aria-pressed", on);
				reading.hidden = !on;
				chips.classList.toggle("llm-with-bits", on);
				if (!on) return;
				bits[0] = 0;
				this.draw();
				while (bits.length < given.length) {
					const more = await session.turn(async (writer) => {
						if (!current()) return null;
						await writer.catchUp();
						return engine.surprises(bits.length, Math.min(bits.length + PIECE, given.length));
					});
					if (!more || !current()) return;
					bits.push(...more);
					this.draw();
				}
			},
			// 换了模型：先前的都不算数，编号相同也不是同一个词元
			forget() {
				turn++;
				[on, words, bits, at, fresh] = [false, [], [], null, false];
				button.setAttribute("aria-pressed", false);
				reading.hidden = true;
				chips.classList.remove("llm-with-bits");
			},
			// 前文又改了，还没有重算
			wait() {
				[at, fresh] = [null, false];
				reading.textContent = "……";
			},
			draw() {
				range(bits.length)
					.slice(1)
					.forEach((i) => {
						const chip = chips.children[i];
						chip?.style.setProperty("--bits", Math.min(1, bits[i] / FULL));
						chip?.setAttribute("data-bits", bits[i]);
						chip?.setAttribute("title", said(bits[i]));
					});
				read();
			},
		};
	}

	return { surprise };
})();
