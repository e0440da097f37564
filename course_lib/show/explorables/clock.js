// 一排钟：每一对正弦与余弦是一根针，各走各的快慢；拨位置看编码怎样写成，拨间隔看每根针转过的角与从哪里出发无关。
// 数：d_model（宽度，偶数）、positions（位置从 0 到它）、offsets（间隔从 0 到它）；编码由公式当场算出。
Explore.define("clock", (data, stage) => {
	const { html, svg, fixed, dot, line, slider } = Explore;
	const pairs = data.d_model / 2,
		turn = 2 * Math.PI;
	const speeds = Array.from({ length: pairs }, (_, i) => 10000 ** ((-2 * i) / data.d_model));
	const encode = (position) => speeds.flatMap((speed) => [Math.sin(position * speed), Math.cos(position * speed)]);
	let here = 3,
		offset = 5,
		timer = null,
		turns;

	// 正弦作横、余弦作竖：位置 0 指着 12 点，往后顺时针走
	const point = (angle, radius) => `${(radius * Math.sin(angle)).toFixed(2)},${(-radius * Math.cos(angle)).toFixed(2)}`;
	const period = (seats) => (seats < 10000 ? fixed(seats, seats < 100 ? 1 : 0) : `${Math.round(seats / 10000)} 万`);
	const clocks = speeds.map((speed) => {
		const hand = (hue) => svg("line", { x1: 0, y1: 0, x2: 0, y2: -38, style: `stroke: var(--${hue})` });
		const first = hand("ink"),
			second = hand("ochre"),
			wedge = svg("path", {});
		const turned = html("span", { class: "explore-turned" }),
			pair = html("span", { class: "explore-pair" });
		const face = svg(
			"svg",
			{ viewBox: "-48 -48 96 96", "aria-hidden": "true" },
			svg("circle", { r: 44 }),
			svg("path", { class: "explore-tick", d: "M0,-44 V-38" }),
			wedge,
			second,
			first,
		);
		const node = html(
			"div",
			{ class: "explore-clock" },
			html("span", { class: "explore-label" }, `一圈 ${period(turn / speed)} 格`),
			face,
			turned,
			pair,
		);
		const update = () => {
			const from = here * speed,
				rest = (offset * speed) % turn,
				whole = Math.floor((offset * speed) / turn);
			first.style.transform = `rotate(${from}rad)`;
			second.style.transform = `rotate(${from + offset * speed}rad)`;
			wedge.setAttribute(
				"d",
				`M0,0 L${point(from, 26)} A26,26 0 ${rest > Math.PI ? 1 : 0} 1 ${point(from + rest, 26)} Z`,
			);
			turned.textContent = `转 ${whole ? `${whole} 圈又 ` : ""}${fixed((rest * 360) / turn, rest < 0.17 ? 1 : 0)}°`;
			pair.textContent = `${fixed(Math.sin(from))}, ${fixed(Math.cos(from))}`;
			return [whole, rest];
		};
		return { node, update };
	});

	// 编码的两份：一格一个数，青是正，褐是负，越浓绝对值越大
	const strip = () => {
		const cells = Array.from({ length: data.d_model }, (_, k) => svg("rect", { x: k, y: 0, width: 1, height: 1 }));
		const label = html("span", { class: "explore-label" });
		const node = html(
			"div",
			{ class: "explore-strip" },
			label,
			svg("svg", { viewBox: `0 0 ${data.d_model} 1`, preserveAspectRatio: "none", "aria-hidden": "true" }, cells),
		);
		const update = (position) => {
			label.textContent = `位置 ${position}`;
			encode(position).forEach((value, k) => {
				cells[k].style.fill = `var(--${value < 0 ? "minus" : "plus"})`;
				cells[k].style.opacity = Math.abs(value).toFixed(2);
			});
		};
		return { node, update };
	};
	const from = strip(),
		to = strip();

	const alike = (k) => dot(encode(here), encode(here + k)) / pairs;
	const offsets = Array.from({ length: data.offsets + 1 }, (_, k) => k);
	const curve = () => [offsets.map((k) => [k, alike(k)])];
	const chart = line({
		lines: [{ label: `点积 ÷ ${pairs}，横轴是间隔`, hue: "weight", points: curve()[0] }],
		name: "两份编码的点积随间隔的变化",
		width: Math.min(420, stage.clientWidth || 360),
		height: 130,
		x: [0, data.offsets],
		y: [0, 1],
	});
	const said = html("p", { class: "explore-said", "aria-live": "polite" });

	const draw = () => {
		turns = clocks.map(({ update }) => update());
		from.update(here);
		to.update(here + offset);
		chart.update(curve(), offset);
		said.textContent =
			offset === 0
				? `间隔 0：两根针重合，点积 ÷ ${pairs} 是 ${fixed(alike(0))}。`
				: `一根针在位置 ${here}，黄针在 ${here + offset}。两份编码的点积 ÷ ${pairs} 是 ${fixed(alike(offset))}；换个位置出发，转过的角和这个数都不变。`;
	};

	const positions = Array.from({ length: data.positions + 1 }, (_, p) => p);
	const place = slider({
		label: "位置",
		values: positions,
		at: here,
		change: (p) => {
			here = p;
			draw();
		},
	});
	const gap = slider({
		label: "间隔",
		values: offsets,
		at: offset,
		change: (k) => {
			offset = k;
			draw();
		},
	});
	const play = html("button", { type: "button", onclick: () => (timer ? stop() : start()) }, "播放");
	const stop = () => {
		clearInterval(timer);
		timer = null;
		play.textContent = "播放";
		said.setAttribute("aria-live", "polite");
	};
	const start = () => {
		if (here === data.positions) place.set(0);
		said.setAttribute("aria-live", "off");
		timer = setInterval(() => (here < data.positions ? place.set(here + 1) : stop()), 450);
		play.textContent = "暂停";
	};
	for (const hand of ["pointerdown", "keydown"]) place.node.addEventListener(hand, stop);
	stage.append(
		html(
			"div",
			{ class: "explore-clocks" },
			clocks.map(({ node }) => node),
		),
		from.node,
		to.node,
		chart.node,
		said,
		html("div", { class: "explore-row" }, play, place.node),
		gap.node,
	);
	draw();
	return {
		state: () => ({ here, offset, turns, from: encode(here), to: encode(here + offset), alike: alike(offset) }),
	};
});
