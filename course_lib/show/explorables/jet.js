// 一个喷注落在探测器上：一个圆是一个粒子，面积是 pT，颜色的深浅是 [CLS] 给它的注意力，或者拿走它以后判断变多少。
// 打乱登记的次序：图不动，表在变，两个模型各自改不改口。
// 数：heads（每个头的名字）；chosen（先看第几个喷注）；jets，每个喷注 { label（1 = 双叉）, particles: n×3（pT、Δη、Δφ，按 pT 排好）,
//   attention: 每个头 [给 [CLS] 自己的, 给各个粒子的…], without: n 个（拿走那个粒子后双叉的概率）,
//   orders: K×n（头一个是排好的）, said: K 对 [Transformer, 拉直的] 给出的双叉的概率 }。
{
	let made = 0;
	Explore.define("jet", (data, stage) => {
		const id = `explore-jet-${++made}`;
		const { html, svg, fixed, bars, choice, walk, nearest } = Explore;
		const NAMES = ["甲", "乙", "丙", "丁", "戊", "己", "庚", "辛"],
			KINDS = ["单叉", "双叉"],
			RADIUS = 0.8,
			ROWS = 5;
		const SIZE = 330,
			MIDDLE = SIZE / 2;
		const far = Math.max(
			RADIUS,
			...data.jets.flatMap(({ particles }) => particles.flatMap(([, eta, phi]) => [Math.abs(eta), Math.abs(phi)])),
		);
		const scale = (MIDDLE - 16) / far;
		const at = ([, eta, phi]) => [MIDDLE + eta * scale, MIDDLE - phi * scale];
		let which = data.chosen ?? 0,
			head = 0,
			turn = 0,
			chosen = 0,
			shown;

		// ---- 图 ----
		const axes = [
			svg("circle", { class: "explore-jet-rim", cx: MIDDLE, cy: MIDDLE, r: RADIUS * scale }),
			svg("line", { class: "explore-jet-axis", x1: 0, x2: SIZE, y1: MIDDLE, y2: MIDDLE }),
			svg("line", { class: "explore-jet-axis", y1: 0, y2: SIZE, x1: MIDDLE, x2: MIDDLE }),
			svg("text", { x: SIZE - 4, y: MIDDLE - 6, "text-anchor": "end" }, "Δη"),
			svg("text", { x: MIDDLE + 6, y: 14 }, "Δφ"),
		];
		const dots = svg("g", {});
		const plane = svg(
			"svg",
			{
				viewBox: `0 0 ${SIZE} ${SIZE}`,
				role: "listbox",
				tabindex: 0,
				"aria-label": "喷注里的粒子，用方向键一个一个看",
			},
			axes,
			dots,
		);
		const pick = (i) => {
			chosen = i;
			draw();
		};
		nearest(
			plane,
			() => {
				const { left, top, width } = plane.getBoundingClientRect();
				return data.jets[which].particles
					.map(at)
					.map(([x, y]) => [left + (x * width) / SIZE, top + (y * width) / SIZE]);
			},
			pick,
			() => chosen,
		);
		walk(plane, (right, down) => {
			const count = data.jets[which].particles.length;
			pick((chosen + right + down + count) % count);
		});

		// ---- 旁边：登记的表，两个模型的判断，所选粒子的几个数 ----
		const rows = Array.from({ length: ROWS }, () => html("tr", {}));
		const table = html(
			"table",
			{ class: "explore-jet-rows" },
			html("caption", {}, `登记的表，头 ${ROWS} 个粒子`),
			html(
				"thead",
				{},
				html(
					"tr",
					{},
					["pT（GeV）", "Δη", "Δφ"].map((name) => html("th", { scope: "col" }, name)),
				),
			),
			html("tbody", {}, rows),
		);
		const verdicts = bars({
			labels: ["Transformer", "拉直"],
			values: [0, 0],
			name: "判成双叉的概率，空心圈是打乱之前",
			hue: "ink",
		});
		const before = [...verdicts.node.querySelectorAll(".explore-track")].map((track) => {
			const mark = html("span", { class: "explore-jet-before" });
			track.append(mark);
			return mark;
		});
		const verdict = html("p", { class: "explore-said", "aria-live": "polite" });
		const particle = html("p", { class: "explore-said", "aria-live": "polite" });

		const draw = () => {
			const jet = data.jets[which],
				{ particles, without, label } = jet,
				[sure, flat] = jet.said[turn];
			const whole = jet.said[0][0],
				byHead = head < data.heads.length;
			const depth = byHead ? jet.attention[head].slice(1) : without.map((value) => whole - value);
			const top = Math.max(1e-9, ...depth.map(Math.abs));
			shown = {
				which,
				head,
				turn,
				chosen,
				depth,
				said: jet.said[turn],
				before: jet.said[0],
				without: without[chosen],
				rows: jet.orders[turn].slice(0, ROWS).map((i) => particles[i]),
			};
			dots.replaceChildren(
				...particles.map((one, i) => {
					const [x, y] = at(one),
						hue = byHead ? "weight" : depth[i] < 0 ? "minus" : "plus";
					return svg("circle", {
						id: `${id}-${i}`,
						role: "option",
						"aria-selected": String(i === chosen),
						"aria-label": `第 ${i + 1} 硬的粒子，pT ${fixed(one[0], 1)} GeV`,
						class: i === chosen && "explore-jet-chosen",
						cx: x.toFixed(1),
						cy: y.toFixed(1),
						r: Math.max(3, 1.7 * Math.sqrt(one[0])).toFixed(1),
						style: `--hue: var(--${hue}); --depth: ${(Math.abs(depth[i]) / top).toFixed(3)}`,
					});
				}),
			);
			plane.setAttribute("aria-activedescendant", `${id}-${chosen}`);
			jet.orders[turn].slice(0, ROWS).forEach((i, k) => {
				rows[k].replaceChildren(...particles[i].map((value, axis) => html("td", {}, fixed(value, axis ? 2 : 1))));
				rows[k].classList.toggle("explore-jet-chosen", i === chosen);
			});
			verdicts.update([sure, flat]);
			before.forEach((mark, i) => {
				mark.style.left = `${100 * jet.said[0][i]}%`;
			});
			verdict.textContent =
				`判成双叉的概率，上面两条，空心圈是打乱之前；其实是${KINDS[label]}。` +
				(turn
					? `打乱以后，Transformer 动了 ${fixed(Math.abs(sure - whole), 3)}，拉直的动了 ${fixed(Math.abs(flat - jet.said[0][1]), 3)}。`
					: "现在的次序是 pT 从大到小。");
			const [pt, eta, phi] = particles[chosen];
			const seen = byHead
				? `这个头里，[CLS] 给它的注意力是 ${fixed(jet.attention[head][chosen + 1], 3)}，给自己的是 ${fixed(jet.attention[head][0], 3)}。`
				: "";
			particle.textContent = `选中的粒子：pT ${fixed(pt, 1)} GeV，Δη ${fixed(eta)}，Δφ ${fixed(phi)}。${seen}拿走它，Transformer 的概率从 ${fixed(whole)} 变成 ${fixed(without[chosen])}。`;
		};

		const jets = choice({
			label: "喷注",
			options: data.jets.map((_, i) => NAMES[i]),
			at: which,
			change: (i) => {
				which = i;
				turn = chosen = 0;
				draw();
			},
		});
		const colors = choice({
			label: "颜色",
			options: [...data.heads, "拿走它的影响"],
			change: (i) => {
				head = i;
				draw();
			},
		});
		const shuffle = html(
			"button",
			{
				type: "button",
				onclick: () => {
					turn = 1 + (turn % (data.jets[which].orders.length - 1));
					draw();
				},
			},
			"打乱登记的次序",
		);
		const back = html(
			"button",
			{
				type: "button",
				onclick: () => {
					turn = 0;
					draw();
				},
			},
			"排回去",
		);
		stage.append(
			html(
				"div",
				{ class: "explore-jet-around" },
				html("div", { class: "explore-jet-plane" }, plane),
				html(
					"div",
					{ class: "explore-jet-side" },
					table,
					verdicts.node,
					verdict,
					html("div", { class: "explore-row" }, shuffle, back),
				),
			),
			particle,
			jets.node,
			colors.node,
		);
		draw();
		return { state: () => shown };
	});
}
