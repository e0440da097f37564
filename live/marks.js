// 记号：网页的元素、数字、墨色、一行词元。它们不知道自己画在哪里，别的互动图也能用。
globalThis.LiveMarks = (() => {
	const fill = (made, attributes, children) => {
		for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value === true ? "" : value);
		made.append(...children);
		return made;
	};
	const html = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
	const svg = (tag, attributes = {}, ...children) =>
		fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

	const range = (count) => Array.from({ length: count }, (_, i) => i);
	// 两位小数；负号是真的减号，-0.00 就是 0.00
	const fixed = (number) => number.toFixed(2).replace(/^-(0\.00$)?/, (_, zero) => zero || "−");

	// 权重的颜色，画布要用：[红, 绿, 蓝]
	const inkOf = (element) =>
		getComputedStyle(element)
			.getPropertyValue("--weight")
			.match(/[0-9a-f]{2}/gi)
			.map((each) => parseInt(each, 16));

	// group 相同的单选钮，选中的只有一个，方向键在其中走
	const radio = (group, onChoose, attributes = {}) => {
		const input = html("input", { type: "radio", name: group, ...attributes });
		input.addEventListener("change", onChoose);
		return input;
	};

	// 英文的写作 [CLS]，多语的写作 <s>
	const isSpecial = (token) => /^(\[(PAD|UNK|CLS|SEP|MASK)\]|<(\/?s|pad|unk|mask)>)$/.test(token);
	const isUnknown = (token) => /^(\[UNK\]|<unk>)$/.test(token);
	const isPiece = (token) => /^##./.test(token); // 与前一个词元同出一词
	// 带汉字的照书的语言；▁ 是空格，淡一些
	const named = (token) => {
		const mark = token.startsWith("▁") ? [html("span", { class: "live-space" }, "▁")] : [];
		const language = /\p{Script=Han}/u.test(token) ? {} : { lang: "en" };
		return html("span", { class: "live-token", ...language }, ...mark, token.slice(mark.length));
	};

	// 同一个词元在句子里不止一个，就说明是第几个
	const placed = (tokens, i) => {
		const several = tokens.some((token, j) => j !== i && token === tokens[i]);
		return html(
			"span",
			{},
			named(tokens[i]),
			...(several ? [html("span", { class: "live-id" }, `（第 ${i} 个）`)] : []),
		);
	};

	const chip = (tag, kind, token, note, ...more) =>
		html(tag, { class: `live-chip ${kind}` }, ...more, named(token), html("span", { class: "live-id" }, note));

	// 一行词元，note 写在下面；还不知道分成什么样时，先占住地方
	const draftRow = (words) =>
		html(
			"div",
			{ class: "live-sentence live-draft", "aria-hidden": true },
			...words.map((word) => chip("span", "", word, "…")),
		);

	// 一行选得中的词元；show 改选中的、配对的与每个的浓淡
	function tokenRow({ tokens, ids, group, onChoose }) {
		const chips = tokens.map((token, i) => {
			const kind = isUnknown(token)
				? "live-unknown"
				: isSpecial(token)
					? "live-special"
					: isPiece(token)
						? "live-glued"
						: "";
			return chip(
				"label",
				kind,
				token,
				ids[i],
				radio(group, () => onChoose(i)),
			);
		});
		const show = ({ chosen, partner, weights = [] }) =>
			chips.forEach((each, i) => {
				each.control.checked = i === chosen;
				each.classList.toggle("live-partner", i === partner);
				each.style.setProperty("--share", weights[i] ?? 0);
			});
		return { element: html("div", { class: "live-sentence" }, ...chips), show };
	}

	return { html, svg, range, fixed, inkOf, radio, isSpecial, isUnknown, isPiece, named, placed, draftRow, tokenRow };
})();
