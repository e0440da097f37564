// 停钟：训练好的模型去读长一倍的句子，停住几只钟里的一只，看它把每个座位看得多靠后、先后答对几成。
// 数：laps（各只钟一圈几格）；at（先看第几组）；runs（每组 { trained：训练过几个座位，seeds：几个种子，
// late 与 right：先是都走着，再是依次停住每一只，各是 2 × trained 个座位有多靠后、答对的比例 }）。
Explore.define("stop_clocks", (data, stage) => {
	const { html, svg, fixed, bars, line, choice } = Explore;
	const turn = 2 * Math.PI;
	let run = data.runs[data.at],
		halted = null;

	// 钟面：外圈实心的是训练过的座位，内圈空心的是没训练过的；停住之后，针不再离开最后一个训练过的座位
	const clocks = data.laps.map((lap, i) => {
		const seats = svg("g"),
			state = html("span", {});
		const face = svg("svg", { viewBox: "-48 -48 96 96", "aria-hidden": "true" }, svg("circle", { r: 44 }), seats);
		const node = html(
			"button",
			{ type: "button", class: "explore-clock", onclick: () => press(i) },
			html("span", {}, `${fixed(lap, 1)} 格`),
			face,
			state,
		);
		const update = () => {
			const stopped = halted === i;
			node.setAttribute("aria-pressed", stopped);
			state.textContent = stopped ? `停在 ${run.trained - 1} 号` : "走着";
			seats.replaceChildren(
				...Array.from({ length: 2 * run.trained }, (_, seat) => {
					const far = seat >= run.trained,
						angle = (Math.min(seat, stopped ? run.trained - 1 : seat) * turn) / lap,
						r = far ? 23 : 35;
					return svg("circle", {
						class: far ? "explore-far" : "explore-near",
						r: 4,
						cx: (r * Math.sin(angle)).toFixed(1),
						cy: (-r * Math.cos(angle)).toFixed(1),
					});
				}),
			);
		};
		return { node, update };
	});
	const press = (i) => {
		halted = halted === i ? null : i;
		draw();
	};

	// 每组一幅折线，横轴是座位，只露出正在看的一幅
	const charts = data.runs.map(({ trained, late }) => {
		const all = late.flat(),
			last = 2 * trained - 1;
		const points = (values) => {
			const all = values.map((y, x) => [x, y]);
			return [all.slice(0, trained), all.slice(trained - 1)];
		};
		const [near, far] = points(late[0]);
		const chart = line({
			lines: [
				{ label: "训练过的座位", hue: "ink", points: near },
				{ label: "没训练过的", hue: "ochre", points: far },
			],
			name: "模型把每个座位看得多靠后，横轴是座位",
			width: Math.min(420, stage.clientWidth || 360),
			height: 150,
			x: [0, last],
			y: [Math.min(...all), Math.max(...all)],
			ends: (y) => (y > 0 ? "靠后" : "靠前"),
		});
		return { node: chart.node, update: (values) => chart.update(points(values)) };
	});
	const score = bars({
		labels: ["都走着", "现在"],
		values: [0, 0],
		name: "A 与 B 都在没训练过的座位，先后答对的比例",
		hue: "ink",
	});
	const said = html("p", { class: "explore-said", "aria-live": "polite" });
	const draw = () => {
		const state = halted === null ? 0 : halted + 1,
			chosen = data.runs.indexOf(run);
		clocks.forEach(({ update }) => update());
		charts.forEach(({ node }, i) => {
			node.hidden = i !== chosen;
		});
		charts[chosen].update(run.late[state]);
		score.update([run.right[0], run.right[state]]);
		const which = state ? `停住一圈 ${fixed(data.laps[halted], 1)} 格的` : "六只都走着";
		said.textContent = `训练 ${run.trained} 个座位，读 ${2 * run.trained} 个。${which}：两个都在没训练过的座位时，答对 ${fixed(run.right[state])}（${run.seeds} 个种子平均，乱猜是 0.50）。`;
	};
	const size = choice({
		label: "训练时有",
		options: data.runs.map(({ trained }) => `${trained} 个座位`),
		at: data.at,
		change: (i) => {
			run = data.runs[i];
			halted = null;
			draw();
		},
	});
	stage.append(
		...charts.map(({ node }) => node),
		score.node,
		said,
		html("p", { class: "explore-label" }, "一圈几格"),
		html(
			"div",
			{ class: "explore-clocks", role: "group", "aria-label": "六只钟，按一只就停住它，再按又走" },
			clocks.map(({ node }) => node),
		),
		size.node,
	);
	draw();
	return {
		state: () => ({
			run: data.runs.indexOf(run),
			halted,
			late: run.late[halted === null ? 0 : halted + 1],
			right: [run.right[0], run.right[halted === null ? 0 : halted + 1]],
		}),
	};
});
