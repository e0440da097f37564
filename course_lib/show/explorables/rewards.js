// 奖励教了什么：滑杆拨到第几次更新，看那时写出的几个回答，答对的与一步步想的各占几成；可以换一种奖励。
// 数：problems（几道题）、answers（各自的末位）、steps（留了快照的更新）、at（打开时是第几份快照）；
// runs（每种奖励 { name, written: 每份快照写出的几句, right, thinks: 两个比例, length: 平均写几个词元 }）。
Explore.define("rewards", (data, stage) => {
	const { html, fixed, line, slider, choice } = Explore;
	const width = Math.min(560, stage.clientWidth || 360),
		last = data.steps.at(-1);
	let run = data.runs[0],
		now = data.at,
		hits;

	const share = (x) => `${fixed(100 * x, 0)} %`;
	const points = (shares) => data.steps.map((step, i) => [step, shares[i]]);
	const chart = line({
		lines: [
			{ label: "一步步想的", hue: "ochre", points: points(run.thinks) },
			{ label: "答对的", hue: "ink", points: points(run.right) },
		],
		name: "答对的与一步步想的各占几成，横轴是更新的次数",
		width,
		height: 150,
		x: [0, last],
		y: [0, 1],
		ends: (y) => `${100 * y}%`,
	});
	const rows = html("div", { class: "explore-learned", role: "list" }),
		said = html("p", { class: "explore-said", "aria-live": "polite" });
	// 句号前的一个就是答案；没有句号，就没有答案
	const right = (text, answer) => text.endsWith("。") && text.split(" ").at(-2) === String(answer);
	const draw = () => {
		hits = data.answers.map((answer, i) => right(run.written[now][i], answer));
		rows.replaceChildren(
			...data.problems.map((problem, i) => {
				const text = run.written[now][i],
					hit = hits[i];
				return html(
					"div",
					{ role: "listitem" },
					html("span", { class: "explore-label" }, problem),
					html("b", {}, html("span", { class: hit ? "" : "explore-missed" }, text), hit ? " ✓" : " ✗"),
				);
			}),
		);
		chart.update([points(run.thinks), points(run.right)], data.steps[now]);
		said.textContent = `奖励“${run.name}”，更新 ${data.steps[now]} 次：答对 ${share(run.right[now])}，一步步想的 ${share(run.thinks[now])}，平均写 ${fixed(run.length[now], 1)} 个词元。`;
	};
	stage.append(
		rows,
		said,
		slider({
			label: "更新了多少次",
			values: data.steps,
			at: now,
			change: (_, i) => {
				now = i;
				draw();
			},
		}).node,
		chart.node,
		choice({
			label: "奖励什么",
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
			hits,
			right: run.right[now],
			thinks: run.thinks[now],
			length: run.length[now],
		}),
	};
});
