// 词表怎样长出来：一次次把最常相邻的两段合成一段，文章里的字母跟着聚成片段。
// 数：texts（{ 名字: [词] }，头一段是训练用的）、special（特殊词元有几个，也算在词表里）、shown（各显示多少个词）。
Explore.define("merges", (data, stage) => {
	const { html, fixed, slider } = Explore;
	const PREFIX = "##",
		SECONDS = 0.5,
		names = Object.keys(data.texts);
	const plain = (piece) => (piece.startsWith(PREFIX) ? piece.slice(PREFIX.length) : piece);
	const larger = (a, b) => (a[0] === b[0] ? a[1] > b[1] : a[0] > b[0]);

	// 与 course_lib/wordpiece_training.py 相同：次数最多的一对先合，次数相同时取字典序最大的
	const train = (words) => {
		const counts = new Map();
		for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
		const splits = [...counts].map(([word, count]) => ({
			count,
			pieces: Array.from(word, (char, i) => (i ? PREFIX + char : char)),
		}));
		const letters = new Set(splits.flatMap(({ pieces }) => pieces)),
			merges = [];
		for (;;) {
			const pairs = new Map();
			for (const { pieces, count } of splits)
				for (let i = 1; i < pieces.length; i++) {
					const pair = [pieces[i - 1], pieces[i]],
						key = pair.join(" ");
					pairs.set(key, { pair, both: (pairs.get(key)?.both ?? 0) + count });
				}
			if (!pairs.size) return { letters, merges };
			const [best, ...next] = [...pairs.values()].sort((a, b) => b.both - a.both || (larger(a.pair, b.pair) ? -1 : 1));
			const [left, right] = best.pair,
				made = left + plain(right);
			merges.push({ left, right, made, both: best.both, next: next.slice(0, 3) });
			for (const split of splits) {
				const merged = [];
				for (const piece of split.pieces)
					if (merged.at(-1) === left && piece === right) merged[merged.length - 1] = made;
					else merged.push(piece);
				split.pieces = merged;
			}
		}
	};
	const { letters, merges } = train(data.texts[names[0]]);
	const vocabAfter = (n) => new Set([...letters, ...merges.slice(0, n).map(({ made }) => made)]);

	// 此刻的词表，按最长匹配切一个词
	const cut = (word, vocab) => {
		const pieces = [];
		for (let start = 0, end; start < word.length; start = end) {
			const prefix = start ? PREFIX : "";
			for (end = word.length; end > start && !vocab.has(prefix + word.slice(start, end)); end--);
			if (end === start) return ["[UNK]"];
			pieces.push(prefix + word.slice(start, end));
		}
		return pieces;
	};

	const said = html("p", { class: "explore-said", "aria-live": "polite" }),
		rivals = html("p", { class: "explore-note" });
	const shown = names.map((name) => ({
		name,
		note: html("p", {}),
		line: html("p", { class: "explore-text", lang: "en" }),
	}));
	let now;
	const named = (piece) => html("code", { lang: "en" }, piece);
	const show = (n) => {
		const vocab = vocabAfter(n),
			last = merges[n - 1],
			size = data.special + vocab.size;
		now = { n, made: last?.made ?? null, both: last?.both ?? null, size, cuts: [], means: [] };
		said.replaceChildren(
			...(last
				? [
						`第 ${n} 次合并：`,
						named(last.left),
						" 后面跟着 ",
						named(last.right),
						` 有 ${last.both} 次，最多，合成 `,
						named(last.made),
						"。",
					]
				: ["还没有合并，词表里只有单个的字母与标点。"]),
			`词表有 ${size} 个词元。`,
		);
		const losers = (last?.next ?? []).flatMap(({ pair, both }, i) => [
			i ? "，" : "",
			named(pair.join(" ")),
			` ${both} 次`,
		]);
		rivals.replaceChildren(...(losers.length ? ["其次：", ...losers] : ["　"]));
		for (const { name, note, line } of shown) {
			const words = data.texts[name],
				cuts = new Map(words.map((word) => [word, cut(word, vocab)]));
			const mean = words.reduce((sum, word) => sum + cuts.get(word).length, 0) / words.length;
			now.cuts.push(words.map((word) => cuts.get(word)));
			now.means.push(mean);
			note.textContent = `${name}：平均一个词 ${fixed(mean)} 个词元`;
			line.replaceChildren(
				...words.slice(0, data.shown).map((word) =>
					html(
						"span",
						{ class: "explore-cut" },
						cuts
							.get(word)
							.map((piece) =>
								html("span", { class: `explore-bit ${piece === last?.made ? "explore-hit" : ""}` }, plain(piece)),
							),
					),
				),
			);
		}
		[back.disabled, next.disabled] = [n === 0, n === merges.length];
	};

	let timer = null;
	const at = () => Number(bar.node.querySelector("input").value);
	const stop = () => {
		clearInterval(timer);
		timer = null;
		play.textContent = "播放";
	};
	const start = () => {
		if (at() === merges.length) bar.set(0);
		timer = setInterval(() => (at() < merges.length ? bar.set(at() + 1) : stop()), 1000 * SECONDS);
		play.textContent = "暂停";
	};
	const step = (by) => {
		stop();
		bar.set(at() + by);
	};
	const back = html("button", { type: "button", onclick: () => step(-1) }, "退一次");
	const play = html("button", { type: "button", onclick: () => (timer ? stop() : start()) }, "播放");
	const next = html("button", { type: "button", onclick: () => step(1) }, "合一次");
	const bar = slider({
		label: "合并了几次",
		values: Array.from({ length: merges.length + 1 }, (_, n) => n),
		change: show,
	});
	for (const hand of ["pointerdown", "keydown"]) bar.node.addEventListener(hand, stop);
	stage.append(
		...shown.flatMap(({ note, line }) => [note, line]),
		said,
		rivals,
		html("div", { class: "explore-row" }, back, play, next),
		bar.node,
	);
	show(0);
	return { state: () => now };
});
