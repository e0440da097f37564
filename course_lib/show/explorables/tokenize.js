// 分词：一句话切成词、词元与编号；点一个词，看最长匹配由长到短怎样试。
// 数：samples（{ 例句: [规范化之后的词] }）、vocab（{ 词元: 编号 }，例句用得到的都在里面）。
// 成书的网页另外带着 liveTokenizer 与 liveVocabulary（见 live/），那里可以打字；笔记本里没有，就只有例句。
Explore.define("tokenize", (data, stage) => {
	const { html, choice, stepper } = Explore;
	const [UNK, CLS, SEP, LONGEST, SHOWN] = ["[UNK]", "[CLS]", "[SEP]", 100, 12];
	const texts = Object.keys(data.samples),
		slice = new Map(Object.entries(data.vocab));
	let vocab = slice,
		tokenizer = null,
		items = [],
		chosen = 0,
		edited = false,
		now;

	// 每取一段是一步：由长到短试过哪些，取走哪一段（一段也没有就是 null），还剩什么
	const match = (word) => {
		const chars = Array.from(word),
			steps = [];
		if (chars.length > LONGEST) return [{ tries: [], piece: null, from: word }];
		for (let start = 0, end; start < chars.length; start = end) {
			const tries = [],
				from = chars.slice(start).join("");
			for (end = chars.length; end > start; end--) {
				tries.push((start ? "##" : "") + chars.slice(start, end).join(""));
				if (vocab.has(tries.at(-1))) break;
			}
			steps.push({ tries, from, piece: end > start ? tries.at(-1) : null, rest: chars.slice(end).join("") });
			if (end === start) break;
		}
		return steps;
	};
	const cut = (word) => {
		const steps = match(word),
			lost = steps.some(({ piece }) => piece === null);
		return { word, steps, pieces: lost ? [UNK] : steps.map(({ piece }) => piece) };
	};
	const special = (token) => ({ word: null, pieces: [token] });

	// 打的字：网页里的分词器给出每个词元与它所在的词，同一个词的收在一起
	const typed = (text) => {
		const tokens = tokenizer.tokenize(text),
			found = [];
		for (let i = 0; i < tokens.length; i += found.at(-1).pieces.length)
			found.push(tokens[i].word === null ? special(tokens[i].token) : cut(tokens[i].word));
		return found;
	};

	// ---- 词、词元、编号 ----

	const line = html("div", { class: "explore-row explore-words", role: "group", "aria-label": "词与它切成的词元" });
	const read = html("p", { class: "explore-read" }),
		detail = html("div", { class: "explore-part" });
	const piece = (token) => {
		const kind = token === UNK ? "unknown" : token.startsWith("##") ? "inner" : "";
		return html("span", { class: `explore-piece ${kind}`, lang: "en" }, token, html("small", {}, vocab.get(token)));
	};
	const show = (words) => {
		items = [special(CLS), ...words, special(SEP)];
		// 先看切得最碎的那个词，一样碎就看最长的
		const size = ({ word, steps } = {}) => (word == null ? 0 : 1000 * steps.length + word.length);
		chosen = items.reduce((most, item, i) => (size(item) > size(items[most]) ? i : most), -1);
		const ids = items.flatMap(({ pieces }) => pieces.map((token) => vocab.get(token)));
		now = { ids };
		line.replaceChildren(
			...items.map(({ word, pieces }, i) =>
				html(
					word === null ? "span" : "button",
					word === null
						? { class: "explore-word" }
						: { type: "button", class: "explore-word", onclick: () => choose(i) },
					html("span", { class: "explore-whole", lang: "en" }, word ?? " "),
					html("span", { class: "explore-cut" }, pieces.map(piece)),
				),
			),
		);
		read.replaceChildren(`模型读到的，是这 ${ids.length} 个整数：`, html("code", {}, ids.join(" ")));
		choose(chosen);
	};

	// ---- 一个词：一段一段地试 ----

	const choose = (i) => {
		chosen = i;
		line.childNodes.forEach((node, j) => node.tagName === "BUTTON" && node.setAttribute("aria-pressed", j === i));
		if (i < 0) return detail.replaceChildren();
		const { word, steps } = items[i],
			ladder = html("ol", { class: "explore-ladder", lang: "en", tabindex: 0, "aria-label": "由长到短试过的" });
		const tell = ({ tries, from, piece: hit, rest }) => {
			if (!tries.length) return `${word} 超过 ${LONGEST} 个字符，不试了，整个词是 [UNK]。`;
			const start = from === word ? `从整个 ${word} 试起` : `还剩 ${from}，前面加上 ##，再从最长的试起`;
			if (hit === null) return `${start}：短到一个字符也不在词表里。有一段配不上，整个词就作废，成了 [UNK]。`;
			const after = rest ? `取走它。` : "取走它，词切完了。";
			return `${start}，试到第 ${tries.length} 个，${hit} 在词表里，编号 ${vocab.get(hit)}，${after}`;
		};
		const climb = ({ tries, piece: hit }) => {
			Object.assign(now, { word, tries, hit });
			const rungs = tries.map((text) => html("li", { class: text === hit ? "explore-hit" : "" }, text));
			if (rungs.length > SHOWN)
				rungs.splice(SHOWN / 2, rungs.length - SHOWN, html("li", { class: "explore-gap" }, "…"));
			ladder.replaceChildren(...rungs);
		};
		const walk = stepper({ steps: steps.map(tell), show: (step) => climb(steps[step]) });
		walk.go(0);
		detail.replaceChildren(html("p", {}, "最长匹配：", html("b", { lang: "en" }, word)), ladder, walk.node);
	};

	// ---- 例句与打字 ----

	const pick = (i) => {
		if (field) field.value = texts[i];
		edited = false;
		show(data.samples[texts[i]].map(cut));
	};
	const samples = choice({ label: "例句", options: texts, change: pick });
	const status = html("p", { class: "explore-note", "aria-live": "polite" });
	const field =
		globalThis.liveVocabulary &&
		html("input", {
			type: "text",
			maxlength: 300,
			value: texts[0],
			autocomplete: "off",
			autocapitalize: "off",
			spellcheck: "false",
			"aria-label": "换成你自己的一句话",
			onfocus: () => load(),
			oninput: () => {
				edited = true;
				samples.select(-1, true);
				load();
			},
		});
	// 取词表之前打的字，取来之后再切
	const load = async () => {
		if (!tokenizer) {
			status.textContent = "正在取整张词表……";
			try {
				const text = await globalThis.liveVocabulary();
				const { WordPieceTokenizer } = globalThis.liveTokenizer();
				tokenizer ??= new WordPieceTokenizer(text);
				vocab = tokenizer.vocab;
				status.textContent = `整张词表取来了，${vocab.size} 个词元；你打的字不离开这台机器。`;
			} catch (error) {
				status.textContent = error.message;
				return;
			}
		}
		if (edited) show(typed(field.value));
	};
	status.textContent = field
		? "在框里打字，要用整张词表：点一下框就去取，0.2 MB。"
		: "这里只带着例句里的词：别的句子，在下面的代码格里换上；成书的网页里，可以直接打字。";
	stage.append(line, read, samples.node, ...(field ? [field] : []), status, detail);
	show(data.samples[texts[0]].map(cut));
	return { state: () => now };
});
