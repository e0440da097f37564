// 词的地图：一个点是嵌入矩阵里的一行，压到平面上；余弦是在全宽里算好交来的。两样，给了哪样的数就画哪样：
// 走一走：words（N 个词）、groups（{ 组名: [第几个词, …] }）、total（全表有几行）、chosen（先看第几个词）、
//   tables（{ 表名: { points: N×2, near: 每个词一份 [[第几个词, 余弦], …], everywhere: 每个词一份 [[词, 余弦], …], groups: { 组名: [组内, 跨组] } } }）；
// a 之于 b，如同 c 之于谁，走一步 c − a + b：questions（[{ words: [a, b, c, 答案], points: 4×2, landing: [x, y], near: [[词, 余弦], …] }]）、total。
{
	const { html, svg, fixed, bars, walk, nearest, choice, stepper } = Explore;
	const HUES = ["query", "key", "value", "weight", "output", "faint"];
	const word = (text) => html("b", { lang: "en" }, text);
	const listed = (near) => near.map(([text, cosine]) => `${text} ${fixed(cosine)}`).join("、");
	let maps = 0;

	// 一张平面，点是 dots（{ label, hue }）；给了 pick 就能点、能用方向键走
	const plane = ({ dots, name, pick }) => {
		const id = `word-map-${++maps}`;
		const marks = dots.map(({ label, hue }, i) => {
			const text = svg("text", { lang: "en" }, label),
				leader = svg("line", {}),
				circle = svg("circle", { r: 4.5 });
			const node = svg(
				"g",
				{ id: `${id}-${i}`, role: pick && "option", "aria-label": pick && label, style: `--hue: var(--${hue})` },
				leader,
				circle,
				text,
			);
			return { node, text, leader, circle, label, place: [0, 0] };
		});
		const arrows = svg("g", { class: "explore-arrows" });
		const canvas = svg(
			"svg",
			{ role: pick ? "listbox" : "img", tabindex: pick ? 0 : null, "aria-label": name },
			arrows,
			marks.map(({ node }) => node),
		);
		const node = html("div", { class: "explore-map" }, canvas);
		let shown = null,
			width = 0,
			height = 0;

		// 名字写在点的四周，挑一处不与别人相碰的；要紧的先挑，实在没有地方的就不写
		const label = (order, strong, lines) => {
			const boxes = marks
				.filter(({ node }) => !node.hasAttribute("hidden"))
				.map(({ place: [x, y] }) => [x - 5, y - 5, x + 5, y + 5]);
			for (const [from, to, , head] of lines) {
				// 也不压在箭头上
				const [a, b] = [marks[from].place, marks[to].place],
					count = head ? Math.hypot(b[0] - a[0], b[1] - a[1]) / 6 : 0;
				for (let i = 0; i < count; i++)
					boxes.push(
						[0, 1, 0, 1].map((axis, side) => a[axis] + ((b[axis] - a[axis]) * i) / count + (side < 2 ? -3 : 3)),
					);
			}
			const cost = ([left, top, right, bottom]) => {
				const out = Math.max(0, -left) + Math.max(0, right - width) + Math.max(0, -top) + Math.max(0, bottom - height);
				const over = boxes.reduce(
					(sum, [l, t, r, b]) =>
						sum +
						Math.max(0, Math.min(right, r) - Math.max(left, l)) * Math.max(0, Math.min(bottom, b) - Math.max(top, t)),
					0,
				);
				return over + 1000 * out;
			};
			for (const i of order) {
				const {
					text,
					leader,
					place: [x, y],
					label: said,
				} = marks[i];
				text.classList.toggle("explore-mark", strong(i));
				const wide = (text.getComputedTextLength() || 8 * said.length) + 4,
					high = 17;
				let best = null;
				for (const far of [7, 16, 28, 42]) {
					for (let turn = 0; turn < 16 && best?.price !== 0; turn++) {
						const angle = (turn * Math.PI) / 8;
						const middle = [x + Math.cos(angle) * (far + wide / 2), y + Math.sin(angle) * (far + high / 2)];
						const box = [middle[0] - wide / 2, middle[1] - high / 2, middle[0] + wide / 2, middle[1] + high / 2];
						const price = cost(box);
						if (!best || price < best.price) best = { price, box, far, middle };
					}
				}
				const room = best.price === 0 || (strong(i) && best.price < 1000);
				text.toggleAttribute("hidden", !room);
				leader.toggleAttribute("hidden", !room || best.far < 16);
				if (!room) continue;
				boxes.push(best.box);
				for (const [key, value] of Object.entries({ x: best.middle[0] - x, y: best.middle[1] - y + 5 }))
					text.setAttribute(key, value.toFixed(1));
				leader.setAttribute("x2", (Math.max(best.box[0], Math.min(x, best.box[2])) - x).toFixed(1));
				leader.setAttribute("y2", (Math.max(best.box[1], Math.min(y, best.box[3])) - y).toFixed(1));
			}
		};
		const arrow = ([from, to, thick, head]) => {
			const [a, b] = [marks[from].place, marks[to].place],
				angle = Math.atan2(b[1] - a[1], b[0] - a[0]);
			const barb = (turn) => `M${b} L${b[0] - 11 * Math.cos(angle + turn)},${b[1] - 11 * Math.sin(angle + turn)}`;
			return svg("path", { d: `M${a} L${b} ${head ? barb(0.4) + barb(-0.4) : ""}`, style: `stroke-width: ${thick}` });
		};
		const paint = () => {
			width = node.clientWidth;
			if (!width || !shown) return;
			height = Math.round(Math.min(440, Math.max(340, width * 0.75)));
			canvas.setAttribute("viewBox", `0 0 ${width} ${height}`);
			canvas.style.height = `${height}px`;
			const { points, chosen, lit = [], faded = () => false, hidden = () => false, lines = [] } = shown;
			const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
			const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
			const scale = Math.min((width - 50) / (right - left), (height - 50) / (high - low)); // 两个方向一样长，箭头平行才看得出
			marks.forEach(({ node, place }, i) => {
				place[0] = width / 2 + (points[i][0] - (left + right) / 2) * scale;
				place[1] = height / 2 - (points[i][1] - (low + high) / 2) * scale;
				node.style.transform = `translate(${place[0].toFixed(1)}px, ${place[1].toFixed(1)}px)`;
				node.toggleAttribute("hidden", hidden(i));
				node.classList.toggle("explore-mark", i === chosen && !faded(i));
				node.classList.toggle("explore-faded", faded(i));
				if (pick) node.setAttribute("aria-selected", i === chosen);
			});
			if (pick) canvas.setAttribute("aria-activedescendant", `${id}-${chosen}`);
			arrows.replaceChildren(...lines.map(arrow));
			const strong = (i) => lit.includes(i),
				rank = (i) => (i === chosen ? 0 : strong(i) ? 1 : faded(i) ? 3 : 2);
			label(
				marks
					.map((_, i) => i)
					.filter((i) => !hidden(i))
					.sort((i, j) => rank(i) - rank(j)),
				strong,
				lines,
			);
		};
		new ResizeObserver(() => node.clientWidth !== width && paint()).observe(node);

		if (pick) {
			nearest(
				canvas,
				() => {
					const box = canvas.getBoundingClientRect(),
						zoom = box.width / width; // 放映时页面是放大的
					return marks.map(({ place: [x, y] }) => [x * zoom + box.left, y * zoom + box.top]);
				},
				pick,
			);
			walk(canvas, (...to) => {
				const [x, y] = marks[shown.chosen].place;
				// 顺着那个方向，离得最近的一个；偏得越多越不算
				const price = marks.map(({ place }) => {
					const [across, down] = [place[0] - x, place[1] - y],
						along = across * to[0] + down * to[1],
						aside = Math.abs(across * to[1]) + Math.abs(down * to[0]);
					return along > 0.5 ? along + 3 * aside : Infinity;
				});
				const least = Math.min(...price);
				if (least < Infinity) pick(price.indexOf(least));
			});
		}
		return {
			node,
			draw: (next) => {
				shown = next;
				paint();
			},
		};
	};

	const side = (name, count) => {
		const list = bars({ labels: Array(count).fill(""), values: Array(count).fill(0), name });
		const said = html("p", { class: "explore-said", "aria-live": "polite" });
		return { node: html("div", { class: "explore-near" }, said, list.node), said, list };
	};

	const roam = ({ words, groups, total, tables, chosen = 0 }, stage) => {
		const [names, kinds] = [Object.keys(tables), Object.keys(groups)];
		const kindOf = (i) => kinds.findIndex((kind) => groups[kind].includes(i));
		let table = names[0],
			kind = null;
		const dots = words.map((label, i) => ({ label, hue: HUES[kindOf(i) % HUES.length] }));
		const map = plane({
			dots,
			name: "词的地图，用方向键走",
			pick: (i) => {
				if (i !== chosen || kind !== null) {
					chosen = i;
					kind = null;
					byKind.select(0, true);
					draw();
				}
			},
		});
		const panel = side("地图上离它最近的词", tables[table].near[0].length);
		const draw = () => {
			const { points, near, everywhere, groups: close } = tables[table];
			if (kind !== null) {
				const [inside, across] = close[kind];
				map.draw({ points, chosen, faded: (i) => kindOf(i) !== kinds.indexOf(kind), lit: groups[kind] });
				panel.said.replaceChildren(
					word(kind),
					`，${table}的表：组里两两的余弦平均 ${fixed(inside)}，与别组的词平均 ${fixed(across)}。`,
				);
				panel.list.node.classList.add("explore-quiet");
				return;
			}
			const mine = near[chosen],
				lit = mine.map(([i]) => i);
			map.draw({
				points,
				chosen,
				lit: [chosen, ...lit],
				lines: mine.map(([i, cosine]) => [chosen, i, 0.5 + 4 * Math.max(0, cosine)]),
			});
			panel.said.replaceChildren(
				word(words[chosen]),
				`，${table}的表。全部 ${total.toLocaleString("en")} 行里，离它最近的是 ${listed(everywhere[chosen])}；地图上离它最近的是：`,
			);
			panel.list.node.classList.remove("explore-quiet");
			panel.list.update(
				mine.map(([, cosine]) => cosine),
				[],
				mine.map(([i]) => words[i]),
			);
		};
		const byTable = choice({
			label: "哪张表",
			options: names,
			change: (i) => {
				table = names[i];
				draw();
			},
		});
		const byKind = choice({
			label: "哪一组",
			options: ["一个词", ...kinds],
			change: (i) => {
				kind = i ? kinds[i - 1] : null;
				draw();
			},
		});
		stage.append(html("div", { class: "explore-around" }, map.node, panel.node), byTable.node, byKind.node);
		draw();
		return {
			state: () => ({
				table,
				kind,
				chosen,
				near: tables[table].near[chosen],
				averages: kind && tables[table].groups[kind],
			}),
		};
	};

	const step = ({ questions, total }, stage) => {
		const body = html("div", {});
		let now;
		const ask = ({ words, points, landing, near }) => {
			const [a, b, c, answer] = words,
				sum = `${c} − ${a} + ${b}`;
			const dots = [
				...words.map((label, i) => ({ label, hue: ["ink", "ink", "ochre", "ochre"][i] })),
				{ label: "☆ 落点", hue: "ochre" },
			];
			const map = plane({ dots, name: `${words.join("、")} 与 ${sum} 的落点` }),
				panel = side("离落点最近的行", 5);
			const left = near.filter(([text]) => !words.slice(0, 3).includes(text));
			const says = [
				`${a}、${b}、${c}、${answer}：四行数，压到离它们最近的平面上。`,
				`从 ${a} 到 ${b} 是一步：${b} − ${a}。`,
				`同样的一步，搬到 ${c} 的脚下走：${sum}，落在 ☆。`,
				`全部 ${total.toLocaleString("en")} 行里，离 ☆ 最近的是 ${near[0][0]}，余弦 ${fixed(near[0][1])}。`,
				`题目里的三个词不算，第一名是 ${left[0][0]}，${fixed(left[0][1])}${left[0][0] === answer ? "，对了" : `，不是 ${answer}`}。`,
			];
			const steps = stepper({
				steps: says,
				show: (i) => {
					const lines = [
						[0, 1, 2.5, true],
						[2, 4, 2.5, true],
					].slice(0, Math.min(i, 2));
					map.draw({ points: [...points, landing], lit: [0, 1, 2, 3, 4], hidden: (dot) => dot === 4 && i < 2, lines });
					const shown = (i === 4 ? left : near).slice(0, 5);
					now = { words, step: i, lines: lines.map(([from, to]) => [from, to]), shown };
					panel.list.node.classList.toggle("explore-quiet", i < 3);
					panel.list.update(
						shown.map(([, cosine]) => cosine),
						[],
						shown.map(([text]) => text),
					);
				},
			});
			panel.said.remove();
			body.replaceChildren(html("div", { class: "explore-around" }, map.node, panel.node), steps.node);
			steps.go(2);
		};
		const options = questions.map(({ words: [a, b, c] }) => `${c} − ${a} + ${b}`);
		stage.append(body, choice({ label: "哪一题", options, change: (i) => ask(questions[i]) }).node);
		ask(questions[0]);
		return { state: () => now };
	};

	Explore.define("word_map", (data, stage) => {
		return data.tables ? roam(data, stage) : step(data, stage);
	});
}
