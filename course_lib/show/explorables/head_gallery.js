// 头的画廊：全部的头各一张小图，贴着量得的注意模式；挑一种模式，或者点一个头，看它的每个词元看谁。
// 数：tokens（N 个词元）、maps（每个头一张，N×N 个整数，一千是 1，先层后头）、heads（每层几个头）、
// kinds（各种模式的名字）、badges（贴在小图下面的短名字）、kind（每个头是第几种）、
// measured（量了哪几样，末一样是每行最大的一份）、shares（每样每个头一个数）、chosen（先看第几个头）、word（先看第几个词元）。
Explore.define("head_gallery", (data, stage) => {
	const { html, svg, fixed, tokens, bars, choice, nameOfHead, board, beside } = Explore;
	const words = data.tokens,
		n = words.length,
		count = data.maps.length;
	const share = (head, i, j) => data.maps[head][i * n + j] / 1000;
	const kindOf = (head) => data.kinds[data.kind[head]];
	const name = (head) => nameOfHead(head, data.heads);
	let chosen = data.chosen ?? 0,
		word = data.word ?? 0;

	// 小图：权重分几档，一档一条路径，不必一格一个元素
	const STEPS = [0.04, 0.12, 0.25, 0.45, 0.7];
	const small = (head) => {
		const paths = STEPS.map(() => "");
		for (let at = 0; at < n * n; at++) {
			const level = STEPS.findLastIndex((least) => data.maps[head][at] / 1000 >= least);
			if (level >= 0) paths[level] += `M${at % n},${Math.floor(at / n)}h1v1h-1z`;
		}
		return svg(
			"svg",
			{ viewBox: `0 0 ${n} ${n}`, "aria-hidden": "true" },
			paths.map((d, level) => svg("path", { d, "fill-opacity": 0.15 + (0.85 * STEPS[level]) / 0.7 })),
		);
	};
	const {
		node: gallery,
		buttons,
		select,
	} = board({
		count,
		heads: data.heads,
		kind: "explore-head",
		name: "每行一层，每个头一张小图",
		label: (head) => `${name(head)}：${kindOf(head)}`,
		face: (head) => [small(head), html("span", {}, data.badges[data.kind[head]])],
		pick: (head) => pick(head),
	});

	// 大图：每行一个查询，每列一个键
	const LEFT = 84,
		TOP = 74,
		SIDE = 20;
	const cells = words.map((_, i) =>
		words.map((_, j) =>
			svg("rect", { x: LEFT + SIDE * j, y: TOP + SIDE * i, width: SIDE - 1, height: SIDE - 1, onclick: () => ask(i) }),
		),
	);
	const lefts = words.map((text, i) =>
		svg("text", { x: LEFT - 6, y: TOP + SIDE * i + 14, "text-anchor": "end", lang: "en" }, text),
	);
	const tops = words.map((text, j) =>
		svg(
			"text",
			{ x: 0, y: 0, transform: `translate(${LEFT + SIDE * j + 8}, ${TOP - 6}) rotate(-55)`, lang: "en" },
			text,
		),
	);
	const frame = svg("rect", { class: "explore-frame", x: LEFT - 1, width: SIDE * n + 1, height: SIDE + 1 });
	const wide = LEFT + SIDE * n + 40,
		high = TOP + SIDE * n + 4;
	const big = svg(
		"svg",
		{ class: "explore-rows", viewBox: `0 0 ${wide} ${high}`, role: "img" },
		lefts,
		tops,
		cells.flat(),
		frame,
	);
	const row = bars({ labels: words, values: Array(n).fill(0), name: "这个词元给各个词元的权重" });
	const said = html("p", { class: "explore-said", "aria-live": "polite" }),
		asked = html("p", { class: "explore-label" });

	const ask = (i) => {
		word = i;
		chooser.select(i, true);
		draw();
	};
	const line = () => words.map((_, j) => share(chosen, word, j));
	const draw = () => {
		const measured = data.measured.map((what, k) => `${what} ${fixed(data.shares[k][chosen])}`).join("，");
		said.textContent = `${name(chosen)}：${kindOf(chosen)}。平均下来，${measured}。`;
		select(chosen);
		cells.forEach((line, i) =>
			line.forEach((cell, j) => cell.setAttribute("fill-opacity", Math.max(0.04, share(chosen, i, j)))),
		);
		big.setAttribute("aria-label", `${name(chosen)}的权重图，每行一个查询，每列一个键`);
		frame.setAttribute("y", TOP + SIDE * word - 1);
		lefts.forEach((text, i) => text.classList.toggle("explore-mark", i === word));
		asked.textContent = `${words[word]} 看谁：`;
		row.update(line());
	};
	const pick = (head) => {
		chosen = head;
		draw();
	};

	const members = data.kinds.map((_, k) => data.kind.flatMap((kind, head) => (kind === k ? [head] : [])));
	const filter = choice({
		label: "注意模式",
		options: ["全部", ...data.kinds],
		change: (i) => {
			buttons.forEach((button, head) => button.classList.toggle("explore-dim", i > 0 && data.kind[head] !== i - 1));
			if (i === 0) return;
			const kind = i - 1,
				[first] = members[kind];
			if (first !== undefined) {
				pick(first);
				said.textContent = `${data.kinds[kind]}：${members[kind].length} 个。${said.textContent}`;
				const [frame, box] = [gallery, buttons[first]].map((node) => node.getBoundingClientRect());
				if (box.right > frame.right || box.left < frame.left)
					gallery.scrollLeft += box.left - frame.left - frame.width / 2;
			} else
				said.textContent = `${data.kinds[kind]}：一个也没有。${kind < data.measured.length - 1 ? `给得最多的头，平均也只有 ${fixed(Math.max(...data.shares[kind]))}。` : ""}`;
		},
	});
	const chooser = tokens({
		words,
		name: "哪个词元的一行",
		chosen: word,
		pick: (i) => {
			word = i;
			draw();
		},
	});
	const chart = html("div", {}, asked, row.node);
	stage.append(
		beside([gallery, filter.node, said, chooser.node], html("div", { class: "explore-halves" }, big, chart)),
	);
	draw();
	return { state: () => ({ chosen, word, row: line(), measured: data.shares.map((all) => all[chosen]) }) };
});
