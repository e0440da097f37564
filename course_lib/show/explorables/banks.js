// 同一个词，一句一个点，各连到这一层里最像它的一个，过界的是红的虚线：拖动层数，看各句里的它怎样分成两边；点一个，看它的句子，和最像它的一句；换一个词元，比一比各有几个挑中同一边的（一行一条）。
// 数：sentences（N 句）、short（各句的短名）、word（那个词）、senses（每句在哪一边，0 或 1）、names（两边的名字）；
// places（量哪几个词元，第一个先看，是 word 自己；别的在句末）：每个有 name、points（每层一个 N×2，平面上的位置）、cosines（每层一个 N×N）；control（没有词义的是哪一个）；chosen（先看第几句）。
Explore.define("banks", (data, stage) => {
	const { html, svg, fixed, slider, contest, walk, freshId } = Explore;
	const { sentences, senses, names, places, control } = data;
	let { name, points, cosines } = places[0];
	const layers = points.map((_, layer) => layer),
		last = layers.length - 1,
		narrow = stage.clientWidth < 560,
		[width, height] = narrow ? [340, 250] : [580, 330],
		ROOM = narrow ? 21 : 24,
		id = freshId();
	const hues = ["ink", "ochre"],
		shapes = ["●", "▲"];
	let layer = last,
		chosen = data.chosen ?? 0,
		timer = null,
		shown;

	const still = (near) => Math.min(...near.flat()) > 0.99999; // 全都一样，就谈不上谁最像谁
	const nearest = (i, near = cosines[layer]) =>
		near[i].reduce((best, cosine, j) => (j !== i && (best < 0 || cosine > near[i][best]) ? j : best), -1);
	const chance = senses.reduce(
		(sum, sense) => sum + (senses.filter((one) => one === sense).length - 1) / (senses.length - 1),
		0,
	); // 瞎挑，平均挑中几个
	const hits = (near = cosines[layer]) => sentences.filter((_, i) => senses[nearest(i, near)] === senses[i]).length;

	// 一个词元的各层同一把尺子，点占满图；图放在正中
	const box = () =>
		[0, 1].map((axis) => {
			const values = points.flat().map((p) => p[axis]);
			return [Math.min(...values), Math.max(...values)];
		});
	const fit = () =>
		Math.min(...[width, height].map((size, axis) => (size - 60) / (ends[axis][1] - ends[axis][0] || 1)));
	let ends = box(),
		scale = fit();
	const away = ([x, y], [a, b]) => Math.hypot(x - a, y - b);
	// 各个点在哪里；挨得太近的拨开一些，才点得着、看得清
	const spread = () => {
		const spots = points[layer].map((point) => {
			const [x, y] = ends.map(([low, high], axis) => (point[axis] - (low + high) / 2) * scale);
			return [width / 2 + x, height / 2 - y];
		});
		for (let turn = 0; !alike && turn < 40; turn++) {
			spots.forEach((a, i) =>
				spots.slice(i + 1).forEach((b) => {
					const far = away(a, b) || 1e-3,
						push = Math.max(0, (ROOM - far) / 2 / far);
					[0, 1].forEach((axis) => {
						const by = (b[axis] - a[axis]) * push;
						a[axis] -= by;
						b[axis] += by;
					});
				}),
			);
		}
		return spots;
	};

	const wires = svg("g", {}),
		heaps = names.map((name, i) =>
			svg("text", { class: "explore-heap", style: `--hue: var(--${hues[i]})`, "text-anchor": "middle" }, name),
		);
	const dots = sentences.map((sentence, i) =>
		svg(
			"g",
			{
				id: `${id}-${i}`,
				role: "option",
				"aria-label": `${names[senses[i]]}：${sentence}`,
				style: `--hue: var(--${hues[senses[i]]})`,
			},
			senses[i] ? svg("polygon", { points: "0,-8 8,6 -8,6" }) : svg("circle", { r: 7 }),
			svg("text", {}),
		),
	);
	const map = svg(
		"svg",
		{ viewBox: `0 0 ${width} ${height}`, role: "listbox", tabindex: 0, "aria-label": "一句一个点，用方向键一句一句看" },
		wires,
		heaps,
		dots,
	);
	const legend = html(
		"p",
		{ class: "explore-label" },
		names.map((name, i) => html("span", { style: `--hue: var(--${hues[i]})` }, html("b", {}, shapes[i]), ` ${name}`)),
		html("span", { style: "--hue: var(--minus)" }, html("i"), "过了界"),
	);

	const marked = (sentence) =>
		name === data.word
			? sentence.split(new RegExp(`\\b(${name})\\b`, "i")).map((piece, k) => (k % 2 ? html("b", {}, piece) : piece))
			: [`${sentence} `, html("b", {}, name)];
	const card = (label) => {
		const title = html("span", { class: "explore-label" }),
			text = html("span", { lang: "en" });
		const update = (i, extra) => {
			title.replaceChildren(
				`${label}　`,
				html(
					"b",
					{},
					html("span", { style: `color: var(--${hues[senses[i]]})` }, shapes[senses[i]]),
					` ${names[senses[i]]}`,
				),
				extra,
			);
			text.replaceChildren(...marked(sentences[i]));
		};
		const say = (words) => {
			title.replaceChildren(words);
			text.replaceChildren();
		};
		return { node: html("p", {}, title, html("br"), text), update, say };
	};
	const mine = card("这一句"),
		close = card("这一层里最像它的");
	const cards = html("div", { class: "explore-cards", "aria-live": "polite" }, mine.node, close.node);
	const said = html("p", { class: "explore-said", "aria-live": "polite" });

	// 每个点一根线，连到最像它的一个，箭头收在那个点的外面
	const wire = (i) => {
		const j = nearest(i),
			[[a, b], [c, d]] = [spots[i], spots[j]],
			far = Math.hypot(c - a, d - b) || 1,
			[u, v] = [(c - a) / far, (d - b) / far];
		const end = [c - 11 * u, d - 11 * v],
			wing = (side) => [end[0] - 8 * u - 4 * side * v, end[1] - 8 * v + 4 * side * u].join(",");
		const head = far > 36 ? [svg("polyline", { points: `${wing(1)} ${end.join(",")} ${wing(-1)}` })] : [];
		return svg(
			"g",
			{ class: senses[i] === senses[j] ? "" : "explore-cross", style: `--hue: var(--${hues[senses[i]]})` },
			svg("line", { x1: a, y1: b, x2: end[0], y2: end[1] }),
			head,
		);
	};
	let drawn = [],
		alike = false,
		spots,
		wired,
		piled;
	const rewire = () => {
		alike = still(cosines[layer]);
		spots = spread();
		drawn = alike ? [] : sentences.map((_, i) => wire(i));
		wires.replaceChildren(...drawn);
		wired = spots.map((a, i) => {
			const b = spots[nearest(i)];
			return Array.from({ length: 25 }, (_, k) => [0, 1].map((axis) => a[axis] + (k / 24) * (b[axis] - a[axis])));
		});
		piled = piles();
	};
	// 点走到了，线与名字才画上
	const move = () => {
		rewire();
		draw();
		if (!matchMedia("(prefers-reduced-motion: reduce)").matches)
			[wires, ...dots.map((dot) => dot.lastChild)].forEach((part) =>
				part.animate([{ opacity: 0 }, { opacity: 0, offset: 0.8 }, { opacity: 1 }], 700),
			);
	};

	// 两堆的名字：挨着自己的一堆，不碰点和线，离另一堆远；两堆混在一起、放不下的，就不写，看图例
	const middle = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
	const piles = () => {
		const sides = [0, 1].map((side) => spots.filter((_, i) => senses[i] === side)),
			middles = sides.map((side) => [0, 1].map((axis) => middle(side.map((spot) => spot[axis]))));
		const least = (spot, own) => Math.min(...own.filter((one) => one !== spot).map((one) => away(one, spot)));
		const apart = [least, (spot, own) => away(spot, middles[sides.indexOf(own)])].map(
			(far) => spots.filter((spot, i) => far(spot, sides[senses[i]]) < far(spot, sides[1 - senses[i]])).length,
		);
		if (alike || Math.min(...apart) < 0.85 * spots.length) return [];
		const spare = Array.from({ length: Math.floor(width / 8) }, (_, i) =>
			Array.from({ length: Math.floor(height / 8) }, (_, j) => [8 * i + 4, 8 * j + 4]),
		)
			.flat()
			.filter(([x, y]) => x > 14 && x < width - 14 && y > 14 && y < height - 14)
			.filter((at) => least(at, spots) > 28);
		// 由近到远，头一处不碰着线的就是
		const along = wired.flat(),
			found = sides.map((own, side) =>
				spare
					.filter((at) => 1.5 * least(at, own) < least(at, sides[1 - side]))
					.sort((a, b) => away(a, middles[side]) - away(b, middles[side]))
					.find((at) => along.every((spot) => away(spot, at) > 18)),
			);
		return found.every(Boolean) ? found : [];
	};

	// 写出名字的：选中的、最像它的、过了界的；每个名字在八个方向、一近一远里挑碰着最少的，后添的不许碰着
	const ways = [1, 1.7].flatMap((far) =>
		[
			[0, -1],
			[0, 1],
			[1, 0],
			[-1, 0],
			[1, -1],
			[-1, -1],
			[1, 1],
			[-1, 1],
		].map(([u, v]) => [far * u, far * v]),
	);
	const named = () => {
		if (alike) return new Map([[chosen, { text: `${sentences.length} 个`, x: 0, y: -14, anchor: "middle" }]]);
		const pair = [chosen, nearest(chosen)],
			over = sentences.flatMap((_, i) => (senses[nearest(i)] === senses[i] ? [] : [i, nearest(i)]));
		const must = pair.slice(0, narrow ? 1 : 2); // 窄处放不下那么多：只写一对，另一个还得写得清楚
		const boxes = piled.map(([x, y]) => [x - 12, y - 13, x + 12, y + 13]),
			labels = new Map();
		[...new Set([...pair, ...(narrow ? [] : over)])].forEach((i) => {
			const text = data.short[i],
				wide = 14 * text.length;
			const [best] = ways
				.map(([u, v], k) => {
					const [x, y] = [u * (v ? 9 : 13), v * (u ? 16 : 18)],
						left = spots[i][0] + x - (u < 0 ? wide : u ? 0 : wide / 2),
						mid = spots[i][1] + y;
					const box = [left - 2, mid - 9, left + wide + 2, mid + 9],
						within = ([a, b], room) => a > box[0] - room && a < box[2] + room && b > box[1] - room && b < box[3] + room;
					const hard =
						spots.filter((spot, j) => j !== i && within(spot, 7)).length +
						boxes.filter((one) => box[0] < one[2] && one[0] < box[2] && box[1] < one[3] && one[1] < box[3]).length +
						(box[0] < 0 || box[2] > width || box[1] < 0 || box[3] > height ? 1 : 0) +
						(wired[chosen].some((spot) => within(spot, 2)) ? 1 : 0);
					const gap = ([a, b]) => Math.hypot(Math.max(box[0] - a, 0, a - box[2]), Math.max(box[1] - b, 0, b - box[3]));
					const stray = spots.filter((spot) => spot !== spots[i] && gap(spot) < gap(spots[i])).length; // 离别的点更近，就认错了人
					return {
						clear: !hard && !stray,
						cost: 100 * hard + 60 * stray + wired.flat().filter((spot) => within(spot, 0)).length + k / 10,
						box,
						label: { text, x, y: y + 5, anchor: u < 0 ? "end" : u ? "start" : "middle" },
					};
				})
				.sort((a, b) => a.cost - b.cost);
			if (!must.includes(i) && !best.clear) return;
			boxes.push(best.box);
			labels.set(i, best.label);
		});
		return labels;
	};

	const draw = () => {
		const other = nearest(chosen),
			labels = named();
		heaps.forEach((heap, i) => {
			const [x, y] = piled[i] ?? [0, 0];
			if (piled.length) heap.style.transform = `translate(${x}px, ${y + 7}px)`;
			heap.setAttribute("visibility", piled.length ? "visible" : "hidden");
			legend.children[i].hidden = piled.length > 0;
		});
		legend.lastChild.style.visibility = wires.querySelector(".explore-cross") ? "" : "hidden";
		dots.forEach((dot, i) => {
			dot.style.transform = `translate(${spots[i].map((x) => `${x.toFixed(1)}px`).join(", ")})`;
			dot.setAttribute("aria-selected", i === chosen);
			dot.classList.toggle("explore-mark", i === chosen);
			const { text, x, y, anchor } = labels.get(i) ?? { text: "", x: 0, y: 0, anchor: "middle" };
			Object.entries({ x, y, "text-anchor": anchor }).forEach(([key, value]) => dot.lastChild.setAttribute(key, value));
			dot.lastChild.textContent = text;
			dot.classList.toggle("explore-near", !alike && i === other);
			drawn[i]?.classList.toggle("explore-mark", i === chosen);
		});
		if (drawn.length) wires.append(drawn[chosen]);
		map.append(dots[chosen]); // 叠在一起时，选中的在最上面
		map.setAttribute("aria-activedescendant", dots[chosen].id);
		mine.update(chosen, "");
		if (alike) close.say(`这一层里，${sentences.length} 个 ${name} 都一样，叠在一处。`);
		else close.update(other, `，余弦 ${fixed(cosines[layer][chosen][other], 3)}`);
		const count = sentences.length,
			[of, against] = [data.word, control].map((wanted) => places.find((one) => one.name === wanted).cosines[layer]);
		said.replaceChildren(
			still(of) ? `${count} 个 ${data.word} 都一样。` : `${count} 个 ${data.word}，${hits(of)} 个挑中同一边的。`,
			html("br"),
			`没有词义的 ${control}，${still(against) ? "也都一样" : hits(against) === count ? `${count} 个全中` : `${hits(against)} 个挑中`}。`,
		);
		const right = places.map((one) => (still(one.cosines[layer]) ? null : hits(one.cosines[layer])));
		shown = {
			name,
			layer,
			chosen,
			other: alike ? null : other,
			cosine: alike ? null : cosines[layer][chosen][other],
			right,
		};
		which.update(
			right.map((hit) => (100 * (hit ?? 0)) / count),
			right.map((hit) => (hit === null ? "都一样" : `${hit}/${count}`)),
		);
	};
	const pick = (i) => {
		if (i !== chosen) {
			chosen = i;
			draw();
		}
	};
	Explore.nearest(
		map,
		() => {
			const box = map.getBoundingClientRect(),
				zoom = box.width / width;
			return spots.map(([x, y]) => [x * zoom + box.left, y * zoom + box.top]);
		},
		pick,
		() => chosen,
	);
	walk(map, (right, down) => pick((chosen + right + down + sentences.length) % sentences.length));

	const stop = () => {
		clearInterval(timer);
		timer = null;
		play.textContent = "播放";
	};
	const start = () => {
		if (layer === last) rail.set(0);
		play.textContent = "暂停";
		timer = setInterval(() => (moving(() => rail.set(layer + 1)), layer === last && stop()), 1800);
	};
	let playing = false;
	const moving = (step) => {
		playing = true;
		step();
		playing = false;
	};
	const play = html("button", { type: "button", onclick: () => (timer ? stop() : start()) }, "播放");
	const rail = slider({
		label: "层",
		values: layers,
		at: last,
		show: (at) => `第 ${at} 层`,
		change: (at) => {
			if (!playing) stop();
			layer = at;
			move();
		},
	});
	const which = contest({
		label: "词元",
		options: places.map((one) => one.name),
		change: (at) => {
			({ name, points, cosines } = places[at]);
			ends = box();
			scale = fit();
			move();
		},
	});
	stage.append(
		html(
			"div",
			{ class: "explore-banks" },
			html(
				"div",
				{
					class: "explore-top",
					style: `--chance: ${(100 * chance) / sentences.length}%; --count: ${sentences.length}`,
				},
				said,
				which.node,
				html("p", { class: "explore-label" }, `虚线是瞎挑，${fixed(chance, 1)} 个`),
			),
			html("div", { class: "explore-plane" }, map, legend, html("div", { class: "explore-row" }, play, rail.node)),
			html("div", { class: "explore-side" }, cards),
		),
	);
	rewire();
	draw();
	return { state: () => shown };
});
