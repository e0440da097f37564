// 学的过程：滑杆拨到训练的第几步，看那时写出的日期对了哪几个字，像日期的与写对的各占几成。
// 数：sources（几句来源）、truth（各自的答案）、steps（留了快照的步）；
// runs（每次训练 { name, written: 每一步写出的几句, valid, right: 每一步的两个比例 }）；at（打开时是第几份快照）。
Explore.define("learning", (data, stage) => {
	const { html, fixed, line, slider, choice } = Explore;
	const width = Math.min(560, stage.clientWidth || 360),
		last = data.steps.at(-1);
	let run = data.runs[0],
		now = data.at,
		missed;

	const share = (x) => `${fixed(100 * x, x > 0 && x < 0.02 ? 1 : 0)} %`;
	const points = (shares) => data.steps.map((step, i) => [step, shares[i]]);
	const chart = line({
		lines: [
			{ label: "日历上有的", hue: "ochre", points: points(run.valid) },
			{ label: "一字不差的", hue: "ink", points: points(run.right) },
		],
		name: "写出的日期：日历上有的与一字不差的各占几成，横轴是训练的步数",
		width,
		height: 150,
		x: [0, last],
		y: [0, 1],
		ends: (y) => `${100 * y}%`,
	});
	const rows = html("div", { class: "explore-learned", role: "list" }),
		said = html("p", { class: "explore-said", "aria-live": "polite" });
	const draw = () => {
		missed = data.truth.map((answer, i) =>
			[...run.written[now][i]].flatMap((letter, n) => (letter === answer[n] ? [] : [n])),
		);
		rows.replaceChildren(
			...data.sources.map((source, i) => {
				const text = run.written[now][i];
				const letters = [...text].map((letter, n) =>
					html("span", { class: missed[i].includes(n) ? "explore-missed" : "" }, letter),
				);
				return html(
					"div",
					{ role: "listitem" },
					html("span", { class: "explore-label" }, source),
					html("b", { "aria-label": text || "一个字也没写" }, text ? letters : "（没有写）"),
				);
			}),
		);
		chart.update([points(run.valid), points(run.right)], data.steps[now]);
		said.textContent = `${run.name}，第 ${data.steps[now]} 步：日历上有的 ${share(run.valid[now])}，一字不差的 ${share(run.right[now])}。`;
	};
	stage.append(
		rows,
		said,
		slider({
			label: "训练了多少步",
			values: data.steps,
			at: now,
			change: (_, i) => {
				now = i;
				draw();
			},
		}).node,
		chart.node,
		choice({
			label: "哪一次训练",
			options: data.runs.map(({ name }) => name),
			change: (i) => {
				run = data.runs[i];
				draw();
			},
		}).node,
	);
	draw();
	return {
		state: () => ({
			run: data.runs.indexOf(run),
			step: data.steps[now],
			missed,
			valid: run.valid[now],
			right: run.right[now],
		}),
	};
});
