// 写下的：读得顺的一段；折起来的，是一个词元一个方框的一串。写下的方框是按钮，按了就看它当初还能是什么。
globalThis.LlmWritten = (() => {
	const { html } = LiveMarks;
	const { chip, cutCharacters, visible } = LlmTokens;
	const { percent } = LlmBars;

	// dropped：前文改了，先前写下的有几个不算数了
	const hint = (dropped) => {
		const said = dropped
			? `前文改了，先前写下的 ${dropped} 个词元不再接在后面；按浏览器的后退，就找回来。`
			: "按“写一个词元”，或者点一条你想要的。";
		return html("span", { class: "llm-hint", lang: "zh" }, said);
	};

	// onLook(第几个写下的)：看它当初还能写成什么；onSurprise(要不要)：看前文的每个词元有多意外
	function written({ template, onLook, onSurprise }) {
		const paper = html("p", { class: "llm-paper", lang: "en", tabindex: 0, role: "group", "aria-label": "它接着写的" });
		const chips = html("div", {
			class: "live-sentence llm-chips",
			tabindex: 0,
			role: "group",
			"aria-label": "词元，一个方框一个",
		});
		const count = html("span", { class: "llm-count" });
		const heard = html("p", { class: "llm-heard", "aria-live": "polite" });
		const surprise = LlmSurprise.surprise({ chips, onToggle: onSurprise });
		const small = html(
			"p",
			{ class: "llm-note" },
			"小字是编号，写下的是它原来的概率；点一个写下的，看它当初还能是什么。",
		);
		const fold = html("details", { class: "llm-tokens" }, html("summary", {}, count), small, surprise.element, chips);
		const element = html("div", { class: "llm-written" }, paper, template, fold, heard);
		let buttons = [],
			drafted = "",
			about = "";

		const cutNote = (words) => {
			const cut = cutCharacters(words)
				.map(({ text }) => text)
				.filter((text) => /\p{L}|\p{S}/u.test(text));
			const some = [...new Set(cut)].slice(0, 4);
			return some.length
				? `，${some.map((text) => `“${text}”`).join("")}${cut.length > some.length ? "等" : ""}切成了几截`
				: "";
		};
		const glue = (words) => {
			const glued = new Set();
			for (const { first, count } of cutCharacters(words)) for (let i = 1; i < count; i++) glued.add(first + i);
			return glued;
		};

		return {
			element,
			surprise,
			// 还没有打开：编号是事先算好的
			preview({ ids, words }) {
				chips.replaceChildren(...words.map((text, i) => chip("span", { text, shown: visible(text) }, ids[i])));
				count.textContent = words.length ? `前文 ${words.length} 个词元` : "打开之后，这里是它读到的词元";
				paper.replaceChildren(
					html("span", { class: "llm-before" }, words.join("")),
					html("span", { class: "llm-hint", lang: "zh" }, "打开之后，它从这里接着写。"),
				);
			},
			// 正在改的前文
			showDraft({ words, before, dropped }) {
				this.showPrompt(words);
				paper.replaceChildren(html("span", { class: "llm-before" }, before), hint(dropped));
			},
			// 前文的词元：打着字就看得见
			showPrompt(words) {
				const key = words.map(({ id }) => id).join();
				if (key === drafted) return;
				drafted = key;
				surprise.wait();
				const glued = glue(words);
				chips.replaceChildren(
					...words.map((word, i) => chip("span", word, word.number, { class: glued.has(i) ? "live-glued" : "" })),
				);
				count.textContent = about = `前文 ${words.length} 个词元${cutNote(words)}`;
				buttons = [];
			},
			// 写下的：{ word, share } 一个一个；before 是前文，text 是写下的字；looking 是正在看的那一个
			show({ steps, before, dropped, text, looking, ended }) {
				while (buttons.length > steps.length) buttons.pop().remove();
				steps.forEach(({ word, share }, i) => {
					if (buttons[i]?.dataset.token === String(word.id)) return;
					for (const old of buttons.splice(i)) old.remove();
					const button = chip("button", word, percent(share), {
						type: "button",
						class: "llm-wrote",
						"data-token": word.id,
						style: `--share: ${share}`,
					});
					button.setAttribute("aria-label", `${word.spoken}，${percent(share)}，看它当初还能写成什么`);
					button.addEventListener("click", () => onLook(buttons.indexOf(button)));
					buttons.push(button);
					chips.append(button);
				});
				buttons.forEach((button, i) => button.setAttribute("aria-pressed", i === looking));
				count.textContent = about + (steps.length ? `；写下 ${steps.length} 个，逐个地看` : "");
				const after = ended
					? [html("span", { class: "llm-ended", lang: "zh" }, "（说完了）")]
					: steps.length
						? []
						: [hint(dropped)];
				paper.replaceChildren(html("span", { class: "llm-before" }, before), html("b", {}, text), ...after);
			},
			open: () => (fold.open = true),
			// 换了模型：写的是它的语言
			turn(lang) {
				paper.lang = lang;
				drafted = "";
				surprise.forget();
			},
			// 只给读屏的人听：写一个念一个，一直写的写完了念全部
			announce: (text) => (heard.textContent = text),
			// 跟着写的跑；reader 在看前面的，就不打扰
			follow() {
				chips.scrollTop = chips.scrollHeight;
				paper.scrollTop = paper.scrollHeight;
			},
		};
	}

	return { written };
})();
