// 关掉一个头：点一个，看每个词元最后一层的向量移动多远，同层其余的头各关一次平均又是多远；旁边是没关时一个词元在两句里各看谁。
// 数：sentences，一对一对的句子，各有 name（按钮上的字）、tokens（第一句的 N 个词元）、endings（两句里不同的那个词）、place（它是第几个词元）、
// word（要看的是第几个词元）、rows（两句，每个头 N 个权重）、moved（两句，每个头 N 个移动的距离），都是整数，一千是 1；
// heads（每层几个头）；chosen（先关第几个头）。
Explore.define("switch_off", (data, stage) => {
	const { html, fixed, choice, nameOfHead, board, beside } = Explore;
	const { heads, sentences } = data,
		count = sentences[0].moved[0].length;
	const inLayer = (head) => Array.from({ length: heads }, (_, k) => Math.floor(head / heads) * heads + k);
	let chosen = data.chosen ?? 0,
		pair = sentences[0],
		ending = 0,
		shown;
	const moved = (head, i, its = pair, which = ending) => its.moved[which][head][i] / 1000;
	// 同层其余的头各关一次，第 i 个词元平均移动多远
	const others = (head, i) =>
		inLayer(head).reduce((total, other) => total + (other === head ? 0 : moved(other, i)), 0) / (heads - 1);
	const isTop = (head, i, ...which) =>
		moved(head, i, ...which) === Math.max(...inLayer(head).map((other) => moved(other, i, ...which)));
	// 全部的句子里，有几句是那个词元动得最多，有几句是这个头在这一层里对它最要紧
	const tally = (head) => {
		const all = sentences.flatMap((its) => its.endings.map((_, which) => [its, which]));
		const most = all.filter(([its, which]) => its.moved[which][head][its.word] === Math.max(...its.moved[which][head]));
		return [all.length, most.length, all.filter(([its, which]) => isTop(head, its.word, its, which)).length];
	};

	const {
		node: gallery,
		buttons,
		select,
	} = board({
		count,
		heads,
		kind: "explore-switch",
		name: "每行一层，每个头一格，点一格就关掉它",
		face: (head) => String(head % heads),
		pick: (head) => {
			chosen = head;
			draw();
		},
	});
	const said = html("p", { class: "explore-said", "aria-live": "polite" });
	const halves = html("div", { class: "explore-halves" }),
		ends = html("div", {});
	const bar = () => html("span", { class: "explore-fill" }),
		label = (text) => html("span", { class: "explore-label", lang: "en" }, text);
	const list = (name, rows) =>
		html(
			"ul",
			{ class: "explore-bars explore-moved", "aria-label": name },
			rows.map((row) => html("li", {}, row)),
		);

	const draw = () => {
		const { endings, place, word } = pair;
		const tokens = pair.tokens.map((token, i) => (i === place ? endings[ending] : token));
		// 条长只在同一层里比：这一层移动得最远的占满
		const top = Math.max(...inLayer(chosen).flatMap((head) => tokens.map((_, i) => moved(head, i)))) || 1;
		const [all, most, best] = tally(chosen);
		shown = {
			chosen,
			pair: sentences.indexOf(pair),
			ending,
			tally: [all, most, best],
			moved: tokens.map((_, i) => moved(chosen, i)),
			others: tokens.map((_, i) => others(chosen, i)),
			top,
			tops: tokens.map((_, i) => isTop(chosen, i)),
			looks: pair.rows.map((rows) => rows[chosen]),
		};
		said.textContent = `关掉${nameOfHead(chosen, heads)}，${tokens[word]} 移动 ${fixed(moved(chosen, word))}；同层其余 ${heads - 1} 个头各关一次，平均 ${fixed(others(chosen, word))}。这里一共 ${all} 句：有 ${most} 句里 ${tokens[word]} 是移动得最远的词元，有 ${best} 句里关掉它比关掉同层别的头都使 ${tokens[word]} 移动得远。`;
		const distances = tokens.map((token, i) => {
			const name = label(token),
				fill = bar(),
				tick = html("span", { class: "explore-tick" });
			name.classList.toggle("explore-mark", isTop(chosen, i));
			fill.style.width = `${(100 * moved(chosen, i)) / top}%`;
			tick.style.left = `${(100 * others(chosen, i)) / top}%`;
			return [
				name,
				html("span", { class: "explore-track" }, fill, tick),
				html("span", { class: "explore-number" }, fixed(moved(chosen, i))),
			];
		});
		const looks = pair.tokens.map((token, i) => {
			const shares = endings.map((_, which) => pair.rows[which][chosen][i] / 1000);
			const twins = shares.map((share) => {
				const fill = bar();
				fill.style.width = `${100 * share}%`;
				return fill;
			});
			return [
				label(i === place ? endings.join(" / ") : token),
				html("span", { class: "explore-twins" }, twins),
				html("span", { class: "explore-number" }, shares.map((share) => fixed(share)).join(" · ")),
			];
		});
		halves.replaceChildren(
			html(
				"div",
				{},
				html(
					"p",
					{ class: "explore-label" },
					"关掉它，每个词元移动多远；竖线是同层其余的头的平均，加粗的是在这一层关掉它移动得最远的词元",
				),
				list("关掉它，每个词元移动多远", distances),
			),
			html(
				"div",
				{},
				html("p", { class: "explore-label" }, `没关的时候，${tokens[word]} 看谁`),
				html(
					"p",
					{ class: "explore-legend" },
					endings.map((end, k) => html("span", { lang: "en", style: `--hue: var(--${["ink", "ochre"][k]})` }, end)),
				),
				list(`没关的时候，${tokens[word]} 看谁`, looks),
			),
		);
		select(chosen);
		buttons.forEach((button, head) => {
			const ratio = moved(head, word) / (others(head, word) || 1);
			button.style.setProperty("--shade", `${Math.round(Math.min(1, Math.max(0, (ratio - 0.8) / 2)) * 70)}%`);
		});
	};
	const readEnding = () => {
		ending = 0;
		ends.replaceChildren(
			choice({
				label: "句尾的词",
				options: pair.endings,
				change: (k) => {
					ending = k;
					draw();
				},
			}).node,
		);
	};
	const which = choice({
		label: "句子",
		options: sentences.map(({ name }) => name),
		change: (k) => {
			pair = sentences[k];
			readEnding();
			draw();
		},
	});
	readEnding();
	stage.append(beside([gallery, said, which.node, ends], halves));
	draw();
	return { state: () => shown };
});
