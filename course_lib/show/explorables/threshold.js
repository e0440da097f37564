// 阈值：按分数排好的两类喷注各一条阶梯，拖动阈值，看留下多少信号、混进多少本底，压低几倍，比另一种办法“提升”几倍。
// 数：methods（每种办法 { name, signal, background }：按分数从低到高排好，等分成若干格，每格几个）；
// rivals（比的对象 { name, cuts: [[信号效率, 压低的倍数], …] }，效率从低到高）；at（一开始阈值在第几格的左边）；least（本底少于几个就不算）。
Explore.define("threshold", (data, stage) => {
	const { html, fixed, line, slider, choice } = Explore;
	const width = Math.min(560, stage.clientWidth || 360),
		BINS = data.methods[0].signal.length;
	const sum = (counts) => counts.reduce((total, n) => total + n, 0);
	let at = data.at,
		method = 0,
		rival = 0,
		shown;

	// 比的对象在这个信号效率处压低几倍：两点之间连直线
	const factorOf = (cuts, e) => {
		const i = Math.max(
				1,
				cuts.findIndex(([x]) => x >= e),
			),
			[[x0, y0], [x1, y1]] = [cuts[i - 1], cuts[i]];
		return y0 + ((y1 - y0) * (e - x0)) / (x1 - x0);
	};
	const cut = ({ signal, background }, k) => {
		const kept = sum(signal.slice(k)),
			passed = sum(background.slice(k));
		return { kept, passed, e: kept / sum(signal), factor: sum(background) / passed };
	};
	const gains = () =>
		Array.from({ length: BINS }, (_, k) => cut(data.methods[method], k))
			.filter(({ passed, e }) => passed >= data.least && e >= data.rivals[rival].cuts[0][0])
			.map(({ e, factor }) => [e, factor / factorOf(data.rivals[rival].cuts, e)]);
	const steps = (counts) =>
		counts.flatMap((n, k) => [
			[k / BINS, n],
			[(k + 1) / BINS, n],
		]);

	const { methods } = data,
		tallest = (i) => Math.max(...methods[i].signal, ...methods[i].background);
	const high = 100 * Math.ceil(Math.max(...methods.map((_, i) => tallest(i))) / 100);
	const score = line({
		lines: [
			{ label: "双叉（信号）", hue: "ink", points: [] },
			{ label: "单叉（本底）", hue: "ochre", points: [] },
		],
		name: "横轴是按分数从低到高的名次，竖轴是喷注数",
		width,
		height: 170,
		x: [0, 1],
		y: [0, high],
		ends: String,
	});
	const gain = line({
		lines: [
			{ label: "“提升”几倍", hue: "ink", points: [] },
			{ label: "1 倍：一样好", hue: "faint", points: [] },
		],
		name: "横轴是信号效率，竖轴是“提升”几倍",
		width,
		height: 130,
		x: [0, 1],
		y: [0, 10],
		ends: String,
	});
	const said = html("p", { class: "explore-said", "aria-live": "polite" });
	const draw = () => {
		const now = methods[method],
			{ kept, passed, e, factor } = cut(now, at);
		score.update([steps(now.signal), steps(now.background)], at / BINS);
		gain.update(
			[
				gains(),
				[
					[0, 1],
					[1, 1],
				],
			],
			e,
		);
		const kind = data.rivals[rival],
			few = passed < data.least || e < kind.cuts[0][0];
		shown = { method, rival, at, kept, passed, e, factor, other: few ? null : factorOf(kind.cuts, e) };
		const more = few
			? "混进来的太少，这个倍数不算数"
			: `${kind.name}在同样的信号效率处是 ${fixed(factorOf(kind.cuts, e), 1)} 倍，“提升”${fixed(factor / factorOf(kind.cuts, e), 1)} 倍`;
		said.textContent = `双叉留下 ${fixed(100 * e, 1)}%（${kept} 个），单叉混进 ${passed} 个：本底压低 ${fixed(factor, 1)} 倍。${more}。`;
	};
	const names = (list) => list.map(({ name }) => name);
	const values = Array.from({ length: BINS }, (_, k) => k);
	stage.append(
		html("p", { class: "explore-label" }, "按分数从低到高排好，每格里两类各有几个；竖线右边的留下"),
		score.node,
		slider({
			label: "阈值挡住",
			values,
			at,
			show: (k) => `${Math.round((100 * k) / BINS)}%`,
			change: (k) => {
				at = k;
				draw();
			},
		}).node,
		said,
		html("p", { class: "explore-label" }, "“提升”随信号效率怎样变"),
		gain.node,
		choice({
			label: "办法",
			options: names(methods),
			change: (i) => {
				method = i;
				draw();
			},
		}).node,
		choice({
			label: "比的是",
			options: names(data.rivals),
			change: (i) => {
				rival = i;
				draw();
			},
		}).node,
	);
	draw();
	return { state: () => shown };
});
