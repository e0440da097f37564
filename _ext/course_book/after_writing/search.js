// 检索：从读者的话里取出词，给各页打分，列出每一页里最相关的一节。各节的原文由 search.py 放进索引
{
	const HAN = /[\u3400-\u9fff]/;
	const ROOT = ["√", "根号", "根號", "sqrt"];
	// 只是问法，不是要找的东西
	const ASIDES =
		/有?[为為]?什[么麼][是用]?|是什[么麼]|怎[么麼][样樣]?|如何|哪[些个個]|[几幾][个個]|多[少大]|[吗嗎呢的和与與]|\b(?:an?|the|of|in|to|is|are|do|does|we|why|how|what|and)\b/g;

	const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
	const has = (text, term) => text.search(term) >= 0;
	// 次数多了，再多一次就不算什么
	const often = (text, term, half) => {
		const times = (text.match(term) || []).length;
		return times / (times + half);
	};
	const sum = (terms, worth) => terms.reduce((total, term) => total + worth(term), 0);

	// 西文从词首认起，短的要整个相同；下划线隔开的各算一词，所以 mask 也找到 attention_mask
	const pattern = (form) =>
		/^[a-z]/.test(form) ? `(?<![a-z0-9])${literal(form)}${form.length < 4 ? "(?![a-z0-9])" : ""}` : literal(form);

	const plain = (query) => query.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
	// 读者的说法换成书里的；空格与问法不算，“QKV 是什么”也认得出
	const inBookWords = (query, readersWords) =>
		readersWords.reduce(
			(text, [said, written]) =>
				text.replace(
					new RegExp(HAN.test(said) ? literal(said) : `(?<![a-z0-9_])${literal(said)}(?![a-z0-9_])`, "g"),
					` ${written} `,
				),
			plain(query),
		);
	const bare = (text) =>
		plain(text)
			.replace(ASIDES, "")
			.replace(/[\s？?]/g, "");

	// 先认出术语，连同术语表里它的别名与英文；余下的汉字，书里有就整段找，没有就每相邻两字一找，不需要词典
	const readQuery = (query, sameWords, book) => {
		const found = [];
		let rest = ` ${plain(query)} `;
		const known = [ROOT, ...sameWords].flatMap((forms) => forms.map((form) => [form, forms]));
		for (const [form, forms] of known.sort(([a], [b]) => b.length - a.length)) {
			const anywhere = form === "√" || (form.length > 1 && HAN.test(form));
			const here = anywhere ? literal(form) : `(?<![\\w\u3400-\u9fff])${literal(form)}(?![\\w\u3400-\u9fff])`;
			const shorter = rest.replace(new RegExp(here, "g"), " ");
			if (shorter !== rest) found.push(forms);
			rest = shorter;
		}
		for (const run of rest.replace(ASIDES, " ").match(/[a-z0-9_]+|[\u3400-\u9fff]+/g) || [])
			if (!HAN.test(run) || (run.length > 1 && book.includes(run))) found.push([run]);
			else for (let i = 0; i < run.length - 1; i++) found.push([run.slice(i, i + 2)]);
		if (!found.length && query.trim()) found.push([query.trim().toLowerCase()]);
		return found.map((forms) => new RegExp(forms.map(pattern).join("|"), "gi"));
	};

	const PROSE = /[，。；：？！]/;

	const rank = (said, { docnames, sections, titles, same_words: sameWords, readers_words: readersWords }) => {
		const query = inBookWords(said, readersWords);
		const pages = docnames.map((name, i) => ({
			name,
			title: titles[i],
			sections: sections[i].map(([anchor, heading, text]) => ({ anchor, heading, text })),
			text: sections[i].map(([, heading, text]) => `${heading}\n${text}`).join("\n"),
		}));
		const terms = readQuery(query, sameWords, pages.map(({ text }) => text).join("\n"));
		// 提到它的页越少，越说明问题
		const having = (term) => pages.filter(({ text }) => has(text, term)).length;
		const rarity = new Map(terms.map((term) => [term, Math.log(1 + pages.length / (0.5 + having(term)))]));
		const total = (worth) => sum(terms, (term) => rarity.get(term) * worth(term));

		for (const page of pages) {
			// 题名里有，胜过小标题里有，再胜过正文里多；“深入”先可以不读，它的小标题只算一半
			const inHeading = (term) =>
				Math.max(...page.sections.map(({ heading }) => has(heading, term) * (heading.startsWith("深入") ? 0.5 : 1)));
			// 头一次讲一个术语的地方写着“术语（term）”，两样都是它的名字；话里还有别的，就不全是来找它的
			const introduced = (term) => has(page.text, new RegExp(`(?:${term.source})（(?:${term.source})`, "i"));
			page.score = total(
				(term) =>
					2 * often(page.text, term, 10) +
					inHeading(term) +
					introduced(term) / terms.length +
					2 * has(page.title, term),
			);
			// 附录什么都提到一句，讲它的是各章；除非要找的就是那一页
			const teaches = /\/\d/.test(page.name) || terms.every((term) => has(page.title, term));
			const share = sum(terms, (term) => has(page.text, term)) / terms.length;
			page.score *= share < 0.3 ? 0 : share * (teaches ? 1 : 0.3);
			// 整句话都在的，胜过只是字字常说的
			if (terms.length > 1 && query.length > 7 && page.text.toLowerCase().includes(query)) page.score += 10;
			// 说出了题名的，就是来找那一页的
			const named = bare(page.title.split("：")[0]) === bare(query);
			if (named) page.score += 100;

			for (const section of page.sections) {
				const aside = /^(小[结結]|[练練][习習]|勘[误誤]|延伸[阅閱][读讀])$/.test(section.heading) ? 0.5 : 1;
				const fold = section.heading.startsWith("深入") ? 0.75 : 1;
				const prose = section.text
					.split("\n")
					.filter((line) => PROSE.test(line))
					.join("\n");
				// 话里说到的，胜过代码里写着的
				const inText = (term) => 0.3 * often(section.text, term, 4) + 0.7 * often(prose, term, 4);
				section.score = total((term) => inText(term) + has(section.heading, term)) * aside * fold;
			}
			const better = (best, section) => (section.score > best.score ? section : best);
			page.best = named ? page.sections[0] : page.sections.reduce(better);
		}
		return { terms, found: pages.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score) };
	};

	// 摘要：含词最多的一行，从有词的那一句开始；两样都有时取正文
	const summary = (lines, terms) => {
		const worth = (line) => (0.01 + sum(terms, (term) => has(line, term))) * (PROSE.test(line) ? 2 : 1);
		const best = lines.reduce((best, line, i) => (worth(line) > worth(lines[best]) ? i : best), 0);
		const places = terms.map((term) => lines[best].search(term)).filter((place) => place >= 0);
		const before = lines[best].slice(0, places.length ? Math.min(...places) : 0);
		const start = before.length - Math.min(before.match(/[^。；？！]*$/)[0].length, 60);
		const after = lines.slice(best);
		const end = after.findIndex((line) => PROSE.test(line) !== PROSE.test(after[0]));
		const said = after
			.slice(0, end < 0 ? after.length : end)
			.join(" ")
			.slice(start);
		// 只写在代码里的，先说这段代码之前的那句话
		const told = !PROSE.test(lines[best]) && lines.slice(0, best).findLast((line) => PROSE.test(line));
		const text = (told ? `${told.slice(0, 60)}… ` : "") + said;
		return (start && !told ? "…" : "") + text.slice(0, 160) + (text.length > 160 ? "…" : "");
	};

	const element = (tag, className, ...children) => {
		const made = Object.assign(document.createElement(tag), { className });
		made.append(...children);
		return made;
	};

	Search.query = (query) => {
		const { found, terms } = rank(query, Search._index);
		const any = new RegExp(`(${terms.map(({ source }) => source).join("|") || "(?!)"})`, "gi");
		const mark = (text) => text.split(any).map((piece, i) => (i % 2 ? element("mark", "", piece) : piece));

		for (const { name, title, best, sections } of found) {
			const top = best === sections[0];
			const link = element("a", "", ...mark(top ? title : `${title} › ${best.heading}`));
			link.href = `${name}.html${top ? "" : `#${best.anchor}`}`;
			Search.output.append(
				element("li", "", link, element("p", "context", ...mark(summary(best.text.split("\n"), terms)))),
			);
		}
		Search.stopPulse();
		Search.title.textContent = _("Search Results");
		Search.status.textContent = found.length
			? `${found.length} 页里有，最相关的在前。`
			: `没有找到“${query}”。试试少写几个字，换成英文，或者查一查术语表：本书也许换了一个叫法。`;

		// 点开一页之后，由 book.js 标出这些词；单个字母满页都是，不标
		const words = new Set(found.flatMap(({ text }) => text.toLowerCase().match(any) || []));
		localStorage.setItem("found-words", JSON.stringify([...words].filter((word) => word === "√" || word.length > 1)));
	};
}
