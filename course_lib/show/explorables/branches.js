// 岔路：一个真实的语言模型给下一个词元的概率；转温度、截 top-k，点一条就走上那条岔路，再看它后面。
// 数：prompts（[{ name, text, scores, tails, next }]），name 是按钮上的名字，text 是前文；
// scores（[[词元, 分数], …]，从高到低）；tails（每个温度一个数：其余词元的 log Σ exp(分数 / T)）；rest（其余有几个词元）；
// next（词元 → { scores, tails, next }，只有算好的几条岔路才有）；temperatures（滑杆上的温度）。
Explore.define("branches", (data, stage) => {
	const { html, fixed, slider, choice } = Explore;
	const SHOWN = 8,
		KS = [1, 2, 3, 5, 8, 12, Infinity],
		TS = data.temperatures;
	let prompt = 0,
		path = [],
		T = TS.indexOf(1),
		k = Infinity,
		shown;

	// 每个词元的概率，末一个是其余的合计；与 course_lib.sampling.narrow 之后再过 softmax 相同
	const shares = ({ scores, tails }, at, kept) => {
		const powers = scores.map(([, score], i) => (i < kept ? Math.exp((score - scores[0][1]) / TS[at]) : 0));
		powers.push(kept === Infinity ? Math.exp(tails[at] - scores[0][1] / TS[at]) : 0);
		const total = powers.reduce((sum, x) => sum + x, 0);
		return powers.map((x) => x / total);
	};
	const here = () => path.reduce((node, word) => node.next[word], data.prompts[prompt]);
	// 成书里有“打开一个大语言模型”那一页，侧栏里就有它的链接；笔记本里没有
	const realModel = () => document.querySelector('nav a[href$="llm.html"]')?.href;
	const visible = (word) => word.replaceAll(" ", "␣").replaceAll("\n", "↵");

	const text = html("p", { class: "explore-said explore-text", lang: "en", "aria-live": "polite" });
	const list = html("ul", { class: "explore-bars", "aria-label": "下一个词元的概率", style: "--hue: var(--weight)" });
	const said = html("p", { class: "explore-said", "aria-live": "polite" });
	const draw = () => {
		const node = here(),
			now = shares(node, T, k),
			plain = shares(node, TS.indexOf(1), Infinity);
		const { text: before } = data.prompts[prompt];
		text.replaceChildren(
			html("span", {}, before),
			...path.map((word) => html("b", {}, word)),
			html("span", { class: "explore-caret" }, "▁"),
		);
		const row = (label, share, was) => {
			const open = share > 0 && node.next?.[label];
			const name = label === null ? "其余" : visible(label);
			return html(
				"li",
				{ class: share > 0 ? "" : "explore-cut-off" },
				open
					? html(
							"button",
							{ type: "button", lang: "en", "aria-label": `走这一条：${name}`, onclick: () => go([...path, label]) },
							name,
						)
					: html("span", { class: "explore-label", lang: label === null ? "zh-CN" : "en" }, name),
				html("span", { class: "explore-note" }, fixed(was)),
				html(
					"span",
					{ class: "explore-track" },
					html("span", { class: "explore-fill", style: `width: ${100 * share}%` }),
				),
				html("span", { class: "explore-number" }, share > 0 ? fixed(share, 3) : "去掉"),
			);
		};
		const rest = (all) => all.slice(SHOWN).reduce((sum, x) => sum + x, 0);
		list.replaceChildren(
			...node.scores.slice(0, SHOWN).map(([word], i) => row(word, now[i], plain[i])),
			row(null, rest(now), rest(plain)),
		);
		shown = {
			prompt,
			path,
			T: TS[T],
			k,
			shares: [...now.slice(0, SHOWN), rest(now)],
			plain: [...plain.slice(0, SHOWN), rest(plain)],
			open: Object.keys(node.next ?? {}).length,
		};
		const others = (data.rest + node.scores.length - SHOWN).toLocaleString("en");
		said.textContent = `其余是 ${others} 个词元的合计。${node.next ? "带框的可以点：走上那条岔路，看它后面又是什么。" : "这条路书里只算到这里。"}`;
		const reached = new URLSearchParams({ text: before + path.join("") });
		if (!node.next && realModel()) said.append(html("a", { href: `${realModel()}#${reached}` }, "在真模型里接着写"));
		back.disabled = path.length === 0;
	};
	const go = (next) => {
		path = next;
		draw();
		list.querySelector("button")?.focus({ preventScroll: true });
	};
	const which = choice({
		label: "前文",
		options: data.prompts.map(({ name }) => name),
		change: (i) => {
			prompt = i;
			path = [];
			draw();
		},
	});
	const dials = [
		slider({
			label: "温度 T",
			values: TS,
			at: T,
			change: (_, at) => {
				T = at;
				draw();
			},
		}),
		slider({
			label: "top-k",
			values: KS,
			at: KS.length - 1,
			show: (value) => (value === Infinity ? "不限" : String(value)),
			change: (value) => {
				k = value;
				draw();
			},
		}),
	];
	const back = html("button", { type: "button", onclick: () => go(path.slice(0, -1)) }, "退一步");
	stage.append(
		text,
		list,
		said,
		html("div", { class: "explore-row" }, back),
		html(
			"div",
			{ class: "explore-dials" },
			dials.map(({ node }) => node),
		),
		which.node,
	);
	draw();
	return { state: () => shown };
});
