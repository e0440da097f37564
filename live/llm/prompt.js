// 前文：例句、接着写或一问一答、输入框、模板写成的原文。只管取字，分词与计算都不在这里。
globalThis.LlmPrompt = (() => {
	const { html, radio } = LiveMarks;
	const { MODELS, toState } = LlmState;
	const MODES = ["接着写", "一问一答"];
	const HAN = /\p{Script=Han}/u;

	// onEdit()：把模板写成的原文拿去改；onInput()：打了字；onSubmit()：按了回车；onEnter(state)：换成一个例句；onMode()：换了写法
	function prompt({ id, onEdit, onInput, onSubmit, onEnter, onMode }) {
		const area = html("textarea", {
			id: `${id}-text`,
			rows: 2,
			lang: "en",
			spellcheck: "false",
			autocapitalize: "off",
			autocomplete: "off",
		});
		area.addEventListener("input", onInput);
		// 回车写下去，换行用 Shift 加回车；输入法选字的回车不算（Safari 只用 229 说它在选字）
		area.addEventListener("keydown", (event) => {
			if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
			event.preventDefault();
			onSubmit();
		});
		const label = html("label", { for: area.id, class: "llm-label" });
		// 框随字长高，到样式里的 max-height 为止
		const fit = () => {
			area.style.height = "auto";
			area.style.height = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`;
		};
		const han = html("p", { class: "llm-note llm-han", role: "status" });
		let current; // 哪一个模型
		const tellHan = () => (han.textContent = (HAN.test(area.value) && MODELS[current].han) || "");
		area.addEventListener("input", () => (fit(), tellHan()));
		const modes = MODES.map((name, i) => {
			const input = radio(`${id}-mode`, () => onMode(i), { value: i });
			return html("label", { class: "llm-choice" }, input, html("span", {}, name));
		});
		const examples = html("div", { class: "live-examples", role: "group", "aria-label": "例句" });
		const exampleOf = (model, [name, example]) => {
			const button = html("button", { type: "button" }, name);
			button.addEventListener("click", () => onEnter(toState({ ...example, model })));
			return button;
		};
		// 换一个模型：例句是它的，写的也是它的语言
		function turn(model) {
			if (model === current) return;
			current = model;
			area.lang = written.lang = MODELS[model].lang;
			examples.replaceChildren(...Object.entries(MODELS[model].examples).map((each) => exampleOf(model, each)));
		}
		const written = html("pre", {
			class: "llm-template",
			tabindex: 0,
			role: "group",
			lang: "en",
			"aria-label": "照模板写成的原文",
		});
		const edit = html("button", { type: "button", class: "llm-small" }, "拿去改");
		edit.addEventListener("click", onEdit);
		const note = html("p", { class: "llm-note" }, "它读到的，照模板写成：", edit);
		const template = html("div", { hidden: true }, note, written);
		const element = html(
			"div",
			{ class: "llm-prompt" },
			html(
				"div",
				{ class: "llm-line" },
				label,
				html("div", { class: "llm-choices", role: "radiogroup", "aria-label": "怎样写" }, ...modes),
			),
			area,
			han,
		);
		return {
			element,
			area,
			fit,
			template,
			examples,
			show({ model, text, chat }) {
				turn(model);
				if (area.value !== text) area.value = text;
				fit();
				tellHan();
				label.textContent = chat ? "问它" : "前文";
				modes.forEach((each, i) => (each.control.checked = i === chat));
				template.hidden = !chat;
			},
			// 特殊词元标出来：它们是词表里的词元，不是字
			showTemplate(text, special) {
				const parts = text.split(/(<\|[^|]*\|>)/).filter(Boolean);
				written.replaceChildren(...parts.map((part) => (special.has(part) ? html("b", {}, part) : part)));
			},
		};
	}

	return { prompt };
})();
