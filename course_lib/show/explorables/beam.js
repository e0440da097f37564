// 束搜索：一步一步展开的树，留下的是实线，没留下的是虚线；写完之后按长度修正排一排。
// 数：words（词表，一个编号一个）；end（结尾是第几个）；scores（前文 → 每个词元的分数，不许写的是 null）；steps（至多写几个词元）。
Explore.define("beam", (data, stage) => {
	const { html, svg, fixed, softmax, slider, choice, stepper } = Explore;
	const WIDTHS = [1, 2, 3, 4],
		ALPHAS = Array.from({ length: 21 }, (_, i) => i / 10),
		SPARE = 2;
	let width = 2,
		alpha = 0;

	// 与 course_lib.translation.beam_search 相同：每一步从所有的接法里留下总分最高的 width 条，写完的不再变长
	const search = () => {
		const root = { text: "", total: 0, length: 0, done: false };
		const levels = [];
		let beams = [root];
		while (levels.length < data.steps && beams.some(({ done }) => !done)) {
			const options = beams
				.flatMap((parent) => {
					if (parent.done) return [{ ...parent, parent, word: "", kept: false }];
					const shares = softmax(data.scores[parent.text].map((score) => score ?? -Infinity));
					return shares.map((share, i) => ({
						parent,
						word: data.words[i],
						total: parent.total + Math.log(share),
						length: parent.length + 1,
						text: i === data.end ? parent.text : parent.text + data.words[i],
						done: i === data.end,
					}));
				})
				.filter(({ total }) => total > -Infinity)
				.sort((a, b) => b.total - a.total);
			beams = options.slice(0, width);
			for (const beam of beams) beam.kept = true;
			levels.push({ beams, lost: options.slice(width, width + SPARE) });
		}
		return { root, levels, beams };
	};
	const score = ({ total, length }) => total / ((5 + length) / 6) ** alpha;
	const first = (beams) => beams.reduce((a, b) => (score(b) > score(a) ? b : a));

	const STEP = 64,
		ROW = 42,
		LEFT = 14;
	const picture = html("div", { class: "explore-tree" }),
		walk = html("div", {});
	const ranking = html("table", { class: "explore-table" });
	const rank = ({ beams }) => {
		const best = first(beams);
		const cells = (tag, row) => row.map((text) => html(tag, {}, text));
		ranking.replaceChildren(
			html("thead", {}, html("tr", {}, cells("th", ["写完的", "概率", "词元数", "分数", "交出"]))),
			html(
				"tbody",
				{},
				[...beams]
					.sort((a, b) => score(b) - score(a))
					.map((beam) =>
						html(
							"tr",
							{ class: beam === best && "explore-best" },
							cells("td", [
								beam.text,
								fixed(Math.exp(beam.total)),
								String(beam.length),
								fixed(score(beam)),
								beam === best ? "✓" : "",
							]),
						),
					),
			),
		);
	};

	let found, step;
	const update = (whole) => {
		found = search();
		const { root, levels } = found,
			nodes = [root];
		levels.forEach(({ beams, lost }, depth) =>
			[...beams, ...lost].forEach((node) => {
				nodes.push(Object.assign(node, { depth, children: [] }));
			}),
		);
		root.children = [];
		for (const node of nodes) if (node.parent) node.parent.children.push(node);
		let rows = 0; // 没有下文的各占一行，有下文的站在它们中间
		const lay = (node) => {
			node.children.sort((a, b) => b.total - a.total).forEach(lay);
			node.y = node.children.length ? (node.children[0].y + node.children.at(-1).y) / 2 : ROW * (rows++ + 0.5);
			node.x = LEFT + (node === root ? 0 : STEP * (node.depth + 0.6));
		};
		lay(root);
		const parts = nodes
			.filter(({ parent }) => parent)
			.map((node) => {
				const from = node.parent.x + (node.parent === root ? 4 : 20),
					to = node.x - 20,
					middle = (from + to) / 2;
				const line = svg("path", {
					d: `M${from},${node.parent.y} C${middle},${node.parent.y} ${middle},${node.y} ${to},${node.y}`,
				});
				const word = !node.word ? "完" : node.word === data.words[data.end] ? "结尾" : node.word;
				const box = svg("rect", { x: node.x - 20, y: node.y - 18, width: 40, height: 36, rx: 6 });
				const texts = [
					svg("text", { x: node.x, y: node.y - 2, class: "explore-word-of" }, word),
					svg("text", { x: node.x, y: node.y + 13 }, fixed(Math.exp(node.total))),
				];
				return {
					depth: node.depth,
					node: svg("g", { class: node.kept ? "explore-kept" : "explore-lost" }, line, box, texts),
				};
			});
		const size = [LEFT + STEP * (levels.length + 0.2), ROW * rows];
		picture.replaceChildren(
			svg(
				"svg",
				{
					viewBox: `0 0 ${size.join(" ")}`,
					style: `max-width: ${1.25 * size[0]}px`,
					role: "img",
					"aria-label": "束搜索的树",
				},
				svg("circle", { cx: root.x, cy: root.y, r: 4 }),
				parts.map(({ node }) => node),
			),
		);
		const name = ({ text, done }) => `“${text}”${done ? "（写完了）" : ""}`;
		const sayings = levels.map(
			({ beams, lost }, i) =>
				`第 ${i + 1} 步，留下${beams.map((beam) => `${name(beam)} ${fixed(Math.exp(beam.total))}`).join("、")}；没留下的里，最大的是 ${fixed(Math.exp(lost[0]?.total ?? -Infinity))}。`,
		);
		const steps = stepper({
			steps: sayings,
			show: (now) => {
				step = now;
				for (const part of parts) part.node.classList.toggle("explore-later", part.depth > now);
				for (const part of [ranking, penalty.node]) part.classList.toggle("explore-quiet", now < levels.length - 1);
			},
		});
		walk.replaceChildren(steps.node);
		rank(found);
		steps.go(whole ? levels.length - 1 : 0);
	};
	const beamWidth = choice({
		label: "束宽",
		options: WIDTHS.map(String),
		at: WIDTHS.indexOf(width),
		change: (i) => {
			width = WIDTHS[i];
			update();
		},
	});
	const penalty = slider({
		label: "长度修正 α",
		values: ALPHAS,
		show: (value) => fixed(value, 1),
		change: (value) => {
			alpha = value;
			rank(found);
		},
	});
	stage.append(
		html("div", { class: "explore-around" }, picture, html("div", { class: "explore-side" }, ranking, penalty.node)),
		walk,
		beamWidth.node,
	);
	update(true); // 打开时是走完的
	return {
		state: () => ({
			width,
			alpha,
			step,
			kept: found.levels.map(({ beams }) => beams.map(({ text, total }) => [text, Math.exp(total)])),
			best: first(found.beams).text,
			length: first(found.beams).length,
			score: score(first(found.beams)),
		}),
	};
});
