// 面板的“词元”：一句切成哪些词元，选哪一个；切成几截的、成了 [UNK] 或 <unk> 的，说明为什么。
{
	const { html, isSpecial, isPiece, named, draftRow, tokenRow } = LiveMarks;
	const VOCABULARY = { size: 30522, han: 244 };
	const HAN = /\p{Script=Han}/u;

	// 哪些词切成了几截，哪些成了 [UNK]，为什么
	const splitWords = ({ tokens, words }) =>
		tokens.flatMap((token, i) => {
			if (isSpecial(token) || isPiece(token) || !tokens[i + 1] || !isPiece(tokens[i + 1])) return [];
			const end = tokens.findIndex((each, j) => j > i && !isPiece(each));
			const pieces = tokens.slice(i, end).flatMap((piece) => [" ", named(piece)]);
			return [[`“${words[i]}”不在词表里，取词表里最长的开头，一截一截地切：`, ...pieces.slice(1), "。"]];
		});
	const list = (words) => words.map((word) => `“${word}”`).join("");
	const distinct = (words) => [...new Set(words)];
	const unknownIn = (results) => distinct(results.flatMap((result) => result.unknown.map(({ word }) => word)));
	const unknownWords = (results) => {
		const unknown = unknownIn(results);
		const han = unknown.filter((word) => HAN.test(word));
		const others = unknown.filter((word) => !HAN.test(word));
		const reasons = [];
		if (han.length)
			reasons.push([
				`${list(han)}成了 `,
				named("[UNK]"),
				`：汉字一个一个地切，而这份英文词表的 ${VOCABULARY.size} 个词元里只有 ${VOCABULARY.han} 个汉字，没有它们。`,
				"凡是不认识的，编号都是 100，模型分不出谁是谁。上面换成中文的，就多半认得。",
			]);
		if (others.length)
			reasons.push([`${list(others)}里有一截在词表里怎么也配不上，整个词就成了 `, named("[UNK]"), "。"]);
		return reasons;
	};

	// 多语的：带来的词表只有一部分，没有的字，与切碎了的英文词
	const notTravelling = (results) => {
		const unknown = unknownIn(results),
			lines = [];
		const broken = results.flatMap(({ tokens }) =>
			tokens.flatMap((token, i) => {
				if (!/^▁?[A-Za-z]+$/.test(token) || (!token.startsWith("▁") && /[A-Za-z]$/.test(tokens[i - 1]))) return [];
				let end = i + 1;
				while (/^[A-Za-z]+$/.test(tokens[end] ?? "")) end++;
				return end > i + 1 ? [tokens.slice(i, end).join("").replace("▁", "")] : [];
			}),
		);
		if (unknown.length)
			lines.push([
				`${list(unknown)}成了 `,
				named("<unk>"),
				"：词表里的汉字、标点、数字全带来了，英文只带来一部分，别的文字没有带；没有的字，相邻的并成一个 ",
				named("<unk>"),
				"，编号都是 3，模型分不出谁是谁。",
			]);
		if (broken.length)
			lines.push([`${list(distinct(broken))}切成了几截：英文的片段只带来一部分，用整份词表来切，也许整一些。`]);
		return lines;
	};

	LiveParts.tokens = ({ id, choose }) => {
		const chips = html("fieldset"),
			notes = html("div", { class: "live-notes" });
		const legend = () => html("legend", {}, "选一个词元（方框里的数是它的编号）");
		let rows;
		return {
			title: "词元",
			tab: "词元",
			top: chips, // 窄处总在眼前
			elements: [chips, notes],
			// 还没有分词：先照词摆上，占住地方，免得下面的字跳
			draft(texts, model) {
				const { first, last } = LiveState.MODELS[model];
				const words = (text) => [
					first,
					...(text.match(/\p{Script=Han}|[^\P{L}\p{Script=Han}]+|\p{N}+|\S/gu) || []),
					last,
				];
				chips.replaceChildren(legend(), ...texts.map((text) => draftRow(words(text))));
			},
			fill({ results }) {
				let count = 0;
				rows = results.map((result) => {
					const first = count;
					count += result.tokens.length;
					const row = tokenRow({ ...result, group: `${id}-token`, onChoose: (i) => choose({ token: first + i }) });
					return { first, ...row };
				});
				chips.replaceChildren(legend(), ...rows.map(({ element }) => element));
				const lines =
					results[0].model === "zh"
						? notTravelling(results)
						: [...unknownWords(results), ...results.flatMap(splitWords)];
				notes.replaceChildren(...lines.map((line) => html("p", {}, ...line)));
			},
			draw({ state, chosen, weights, compares }) {
				rows.forEach(({ first, show }, sentence) =>
					show({
						chosen: state.token - first,
						partner: compares ? state.with - first : undefined,
						weights: sentence === chosen.sentence ? weights : [],
					}),
				);
			},
		};
	};
}
