// 一个数：把它乘上几倍，几段话的损失、一句话的下一个词元怎样变。
// 数：times（T 个倍数，间隔相等）；curves（几段，每段 { name；losses（T 个） }）；blind（瞎猜的损失）；
// asked（哪一句）；words、chances（T 份，每份下一个词元的前五名与概率）；at（先看第几个倍数）。
Explore.define("one_number", (data, stage) => {
	const { html, fixed, bars, line, slider, choice, under, beside, shown } = Explore;
	const { times, curves } = data,
		[least, most] = [times[0], times.at(-1)],
		wide = stage.clientWidth > 600,
		room = 64;
	let at = data.at,
		chosen = 0;

	const width = Math.min(wide ? 540 : 420, stage.clientWidth || 420),
		high = Math.ceil(Math.max(...curves.flatMap(({ losses }) => losses)));
	// 挑中的一段画在最后：粗的是它，只有它写名字、写数
	const order = () => [...curves.filter((_, i) => i !== chosen), curves[chosen]];
	const chart = line({
		lines: ["faint", ...order().map((_, i) => (i < curves.length - 1 ? "faint" : "ink"))].map((hue) => ({
			label: "",
			hue,
			points: [],
		})),
		name: "横轴是这个数乘几倍，竖轴是损失",
		width,
		height: wide ? 250 : 210,
		x: [least, most],
		y: [0, high],
		ends: String,
		room,
		falling: true,
	});
	const next = bars({ labels: Array(5).fill(""), values: Array(5).fill(0), name: "下一个词元的前五名", hue: "ink" });
	const said = html("p", { class: "explore-said", "aria-live": "polite" });
	const draw = () => {
		const lines = order(),
			{ name, losses } = lines.at(-1);
		chart.update(
			[
				[
					[least, data.blind],
					[most, data.blind],
				],
				...lines.map((one) => one.losses.map((loss, i) => [times[i], loss])),
			],
			times[at],
			fixed(losses[at]),
			["瞎猜", ...lines.map((one) => (one.name === name ? name : ""))],
		);
		presets.select(ready.indexOf(times[at]), true);
		const five = data.words[at],
			plain = five.map(shown); // 只差开头一个空格的两个，没有空格的写明
		next.update(
			data.chances[at],
			[],
			plain.map((word, i) =>
				!five[i].startsWith(" ") && plain.indexOf(word) !== plain.lastIndexOf(word) ? `${word} 无空格` : word,
			),
		);
		said.textContent = `这个数乘 ${times[at]}：${name}那段的损失 ${fixed(losses[at])}；“${data.asked}”后面最可能是 ${shown(data.words[at][0])}，${fixed(data.chances[at][0])}。`;
	};
	const ready = [1, 0.5, 0];
	const scale = slider({
		label: "倍",
		values: times,
		at,
		change: (_, i) => {
			at = i;
			draw();
		},
	});
	const presets = choice({
		label: "现成的",
		options: ["×1", "×½", "×0"],
		change: (i) => scale.set(times.indexOf(ready[i])),
	});
	const dial = under(width, room, scale.node);
	const heading = (...texts) => html("p", { class: "explore-label" }, ...texts);
	stage.append(
		beside(
			[
				choice({
					label: "哪一段",
					options: curves.map(({ name }) => name),
					change: (i) => {
						chosen = i;
						draw();
					},
				}).node,
				heading("猜后面每个词元，平均损失"),
				chart.node,
				dial,
				presets.node,
			],
			[heading(html("span", { lang: "en" }, data.asked), " 的下一个"), next.node],
		),
		said,
	);
	draw();
	return {
		state: () => ({
			times: times[at],
			chosen,
			loss: curves[chosen].losses[at],
			words: data.words[at],
			chances: data.chances[at],
		}),
	};
});
