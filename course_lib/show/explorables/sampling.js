// 抽样：整理模型给下一个词元的概率，左边看下一个词元，右边看整个写完会是哪一种；再让它写几遍。
// 数：words（词表，一个编号一个）；end（结尾是第几个）；scores（前文 → 每个词元的分数，不许写的是 null）；
// starts（可以选的前文）；forms（教过的写法）；shares（它们真正的份数，合计 1）；
// new（没教过而读得懂的）；others（读得懂、写的却是别的）；其余的不成话。
Explore.define("sampling", (data, stage) => {
	const { html, fixed, softmax, bars, slider, choice } = Explore;
	const SHOWN = 7,
		WRITTEN = 8;
	const KS = [1, 2, 3, 4, 5, 6, 8, data.words.length],
		PS = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1];
	const TS = [0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3];
	let start = 0,
		[T, k, p] = [2, data.words.length, 1],
		now;

	const ranked = (row) => row.map((_, i) => i).sort((a, b) => row[b] - row[a] || a - b);
	// 与 course_lib.sampling.narrow 相同，再过 softmax；去掉的是 0；转一次滑杆，每个前文只算一遍
	let known = {};
	const narrowed = (text) => (known[text] ??= narrow(text));
	const narrow = (text) => {
		const scores = data.scores[text].map((score) => (score === null ? -Infinity : score / T));
		const order = ranked(scores),
			left = order.map((i, rank) => (rank < k ? scores[i] : -Infinity));
		if (p < 1) {
			let before = 0;
			softmax(left).forEach((share, rank) => {
				if (before >= p) left[rank] = -Infinity;
				before += share;
			});
		}
		const kept = scores.map(() => 0);
		softmax(left).forEach((share, rank) => {
			kept[order[rank]] = share;
		});
		return kept;
	};
	const whole = (form) =>
		[...form].reduce((product, word, i) => product * narrowed(form.slice(0, i))[data.words.indexOf(word)], 1) *
		narrowed(form)[data.end];

	// 抽签：种子固定的发生器，一页里每次打开都从头抽起
	let seed = 1;
	const random = () => {
		seed = (seed + 0x6d2b79f5) | 0;
		let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
	const draw = (shares) => {
		let rest = random();
		const i = shares.findIndex((share) => (rest -= share) < 0);
		return i < 0 ? shares.indexOf(Math.max(...shares)) : i;
	};
	const write = () => {
		let text = "";
		while (data.scores[text]) {
			const i = draw(narrowed(text));
			if (i === data.end) break;
			text += data.words[i];
		}
		return text;
	};

	const next = bars({
		labels: Array(SHOWN + 1).fill(""),
		values: Array(SHOWN + 1).fill(0),
		name: "下一个词元的概率",
		hue: "ink",
	});
	const finished = bars({
		labels: [...data.forms, "没教过的", "别的月", "不成话"],
		values: Array(data.forms.length + 3).fill(0),
		name: "整个写完，各是哪一种",
		hue: "output",
	});
	const said = html("p", { class: "explore-said", "aria-live": "polite" });
	const paper = html("p", { class: "explore-written", "aria-live": "polite" });
	const update = () => {
		known = {};
		const text = data.starts[start],
			plainly = softmax(data.scores[text].map((score) => score ?? -Infinity));
		const order = ranked(plainly),
			shares = narrowed(text),
			shown = order.slice(0, SHOWN),
			others = order.slice(SHOWN);
		const total = (row, ids) => ids.reduce((sum, i) => sum + row[i], 0);
		const one = (row) => [...shown.map((i) => row[i]), total(row, others)];
		next.update(
			one(shares),
			one(plainly).map((x) => fixed(x)),
			[...shown.map((i) => data.words[i]), `其余 ${others.length} 个`],
		);
		const left = [...shown.map((i) => shares[i] > 0), others.some((i) => shares[i] > 0)];
		next.node.querySelectorAll("li").forEach((row, i) => {
			row.classList.toggle("explore-cut-off", !left[i]);
			if (!left[i]) row.querySelector(".explore-number").textContent = "去掉";
		});
		const sum = (forms) => forms.reduce((total, form) => total + whole(form), 0);
		const each = data.forms.map(whole),
			right = sum(data.forms),
			rest = [sum(data.new), sum(data.others)];
		const broken = Math.max(0, 1 - right - rest[0] - rest[1]);
		finished.update([...each, ...rest, broken], [...data.shares.map((x) => fixed(x)), "", "0.00", "0.00"]);
		const count = shares.filter((share) => share > 0).length;
		now = { text, T, k, p, next: one(shares), shown, count, finished: [...each, ...rest, broken], written: [] };
		said.textContent = `${text ? `写到“${text}”时` : "一个字也没写时，"}留下 ${count} 个词元。整个写完，教过的合计 ${fixed(right)}，没教过的 ${fixed(rest[0])}，别的月 ${fixed(rest[1])}，不成话 ${fixed(broken)}。`;
		paper.replaceChildren();
	};
	const place = choice({
		label: "前文",
		options: data.starts.map((text) => text || "（开头）"),
		change: (i) => {
			start = i;
			update();
		},
	});
	const all = data.words.length;
	const dials = [
		slider({
			label: "温度 T",
			values: TS,
			at: TS.indexOf(T),
			change: (value) => {
				T = value;
				update();
			},
		}),
		slider({
			label: "top-k",
			values: KS,
			at: KS.indexOf(k),
			show: (value) => (value === all ? "不限" : String(value)),
			change: (value) => {
				k = value;
				update();
			},
		}),
		slider({
			label: "top-p",
			values: PS,
			at: PS.indexOf(p),
			show: (value) => (value === 1 ? "不限" : String(value)),
			change: (value) => {
				p = value;
				update();
			},
		}),
	];
	const writes = html(
		"button",
		{
			type: "button",
			onclick: () => {
				now.written = Array.from({ length: WRITTEN }, write);
				paper.replaceChildren(
					...now.written.map((text) => {
						const ours = data.forms.includes(text) || data.new.includes(text);
						return html(
							"span",
							{ class: ours ? "explore-right" : data.others.includes(text) ? "explore-other" : "explore-wrong" },
							data.scores[text] ? text || "（空）" : `${text}…`,
						);
					}),
				);
			},
		},
		`照这样写 ${WRITTEN} 遍`,
	);
	const column = (title, node) => html("div", {}, html("p", { class: "explore-label" }, title), node);
	stage.append(
		html(
			"div",
			{ class: "explore-halves" },
			column("下一个词元的概率，灰色的数是整理之前", next.node),
			column("整个写完，各是哪一种，灰色的数是真正的份数", finished.node),
		),
		said,
		html(
			"div",
			{ class: "explore-dials" },
			dials.map(({ node }) => node),
		),
		place.node,
		html("div", { class: "explore-row" }, writes),
		paper,
	);
	update();
	return { state: () => now };
});
