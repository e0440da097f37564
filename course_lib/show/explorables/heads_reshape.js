// 分头：一个矩阵切成几个头，各算各的，再合起来；少做一步 transpose，就看得见它怎样乱。
// 数：tokens（N 个词）、x（N×D）、w_query、w_key、w_value、w_out（D×D）、heads（头数）、chosen（先跟着第几个词元）。
Explore.define("heads_reshape", (data, stage) => {
	const { html, fixed, transpose, matmul, map, softmax, tokens, matrix, choice, stepper } = Explore;
	const words = data.tokens,
		n = words.length,
		D = data.x[0].length,
		h = data.heads,
		d = D / h,
		size = n * d;
	const HUES = ["ochre", "plus", "minus", "grey"]; // 一个头一种颜色
	const each = (count, f) => Array.from({ length: count }, (_, i) => f(i));
	let wrong = false,
		chosen = data.chosen ?? 0,
		now = 0,
		shown;

	// 第 i 个头那张表的第 r 行第 k 个数，是原来的第几个；原来的第 m 个，属于哪个词、哪个头
	const place = (i, r, k) => (wrong ? i * size + r * d + k : r * D + i * d + k);
	const wordOf = (m) => Math.floor(m / D),
		headOf = (m) => Math.floor((m % D) / d);
	const cut = (flat) => each(h, (i) => each(n, (r) => each(d, (k) => flat[place(i, r, k)])));
	const rowsOf = (flat) => each(n, (r) => flat.slice(r * D, (r + 1) * D));

	const attend = () => {
		const [query, key, value] = [data.w_query, data.w_key, data.w_value].map((w) => cut(matmul(data.x, w).flat()));
		const weights = query.map((q, i) => map(matmul(q, transpose(key[i])), (s) => s / Math.sqrt(d)).map(softmax));
		const z = weights.map((w, i) => matmul(w, value[i])),
			joined = Array(n * D);
		z.forEach((rows, i) =>
			rows.forEach((row, r) =>
				row.forEach((x, k) => {
					joined[place(i, r, k)] = x;
				}),
			),
		);
		return { query, weights, z, joined: rowsOf(joined), output: matmul(rowsOf(joined), data.w_out) };
	};
	const right = attend();
	const length = (a) => Math.hypot(...a.flat());

	// 带数的矩阵；at(i, j) 是这一格原来的第几个：颜色照它的头，描框照它的词，换步时照它认出同一个数
	const sheet = ({ values, rows, title, at, hue, name, scale, marked }) => {
		const made = matrix({ values, rows, title, hue, scale });
		if (at)
			made.cells.forEach((row, i) =>
				row.forEach((cell, j) => {
					cell.style.setProperty("--hue", `var(--${HUES[headOf(at(i, j)) % HUES.length]})`);
					cell.classList.add("explore-owned");
					if (name) cell.dataset.at = `${name}${at(i, j)}`;
				}),
			);
		made.update(values, { mark: marked ?? ((i, j) => at && wordOf(at(i, j)) === chosen) });
		return made.node;
	};
	const sign = (text) => html("span", { class: "explore-sign" }, text);
	const product = (left, factor, result) => [
		left,
		sign("×"),
		html("div", { class: "explore-result" }, factor),
		html("div", { class: "explore-result" }, sign("="), result),
	];
	const raised = (...name) => [name[0], html("sup", {}, name[1])];
	const label = (m) => (wrong ? `${words[wordOf(m)]}·${headOf(m)}` : words[wordOf(m)]);
	const labels = (i) => each(n, (r) => label(place(i, r, 0)));
	const inHead = (i) => [...new Set(each(n, (r) => words[wordOf(place(i, r, 0))]))].join("、");
	const whole = (i, j) => i * D + j;

	const draw = (state) => {
		const top = (a) => Math.max(...a.flat(2).map(Math.abs));
		const x = () => sheet({ values: data.x, rows: words, title: "X", marked: (i) => i === chosen });
		const query = (more) =>
			sheet({
				values: rowsOf(matmul(data.x, data.w_query).flat()),
				rows: words,
				title: raised("XW", "Q"),
				at: whole,
				name: "q",
				...more,
			});
		const perHead = (values, title, name) =>
			values.map((table, i) =>
				sheet({
					values: table,
					rows: labels(i),
					title: `${title} ${i}`,
					hue: HUES[i % HUES.length],
					scale: top(values),
					name,
					at: (r, k) => place(i, r, k),
				}),
			);
		const tables = () =>
			state.weights.map((table, i) => {
				const made = matrix({
					values: table,
					rows: labels(i),
					columns: labels(i),
					title: `权重，头 ${i}`,
					hue: "weight",
					scale: 1,
				});
				made.update(table, { mark: (r) => wordOf(place(i, r, 0)) === chosen });
				return made.node;
			});
		const joined = () => sheet({ values: state.joined, rows: words, title: "拼接", at: whole, name: "z" });
		const views = () =>
			words.map((word, r) =>
				sheet({
					values: each(h, (i) => each(d, (k) => right.query[i][r][k])),
					title: word,
					scale: top(right.query),
					name: "q",
					at: (i, k) => r * D + i * d + k,
				}),
			);
		const factor = (values, title, at) => sheet({ values, title, at, marked: () => false });
		return [
			() => [x()],
			() =>
				product(
					x(),
					factor(data.w_query, raised("W", "Q"), (_, j) => j),
					query(),
				),
			() => (wrong ? perHead(state.query, "Q，头", "q") : views()),
			() => perHead(state.query, "Q，头", "q"),
			tables,
			() => perHead(state.z, "Z，头", "z"),
			() => [joined()],
			() =>
				product(
					joined(),
					factor(data.w_out, raised("W", "O"), (i) => i),
					sheet({ values: state.output, rows: words, title: "输出", hue: "output", marked: (i) => i === chosen }),
				),
		][now]();
	};
	const say = (state) => [
		`${n} 个词元，每个 ${D} 个数。两个头都要用到它。`,
		`两个头的投影左右并排：金色的 ${d} 列是第 0 个头的，青色的是第 1 个头的。乘一次，两个头的查询就都有了。`,
		wrong
			? `一步 view(${h}, ${n}, ${d})：照着内存里的次序，从正中间切开。`
			: `view(${n}, ${h}, ${d})：每个词元的 ${D} 个数切成 ${h} 段，一个头一段。数都在原处，只是换了个看法。`,
		wrong
			? `形状对了，程序也不报错。可是第 0 个头里只有 ${inHead(0)}，第 1 个头里只有 ${inHead(1)}，颜色也混了。`
			: `transpose(0, 1)：头换到前面。每个头收齐 ${n} 个词元，各是一张 ${n}×${d} 的表，颜色不混。`,
		`键照样切开。每个头用自己的查询和键算分数，做 softmax：一个头一张 ${n}×${n} 的权重。${wrong ? `两半句话，谁也看不到对方。` : ""}`,
		`值也照样切开。按各自的权重混合，得到各头的输出 Z，各是 ${n}×${d}。`,
		wrong
			? `再一步 view(${n}, ${D}) 变回去，形状又对了。`
			: `换回来，首尾拼接：金色是第 0 个头说的，青色是第 1 个头说的。`,
		wrong
			? `输出与对的相差 ${fixed(length(map(state.output, (y, i, j) => y - right.output[i][j])) / length(right.output))}（差的长度除以对的长度），没有任何报错。`
			: `W 的金色一半乘头 0 的 Z，青色一半乘头 1 的 Z，再相加：输出的每个数都用到了两个头。`,
	];

	const flow = html("div", { class: "explore-flow" }),
		texts = say(right);
	const still = matchMedia("(prefers-reduced-motion: reduce)");
	// 同一个数，从上一步的地方挪到这一步的地方
	const redraw = (moving) => {
		const state = wrong ? attend() : right,
			from = new Map();
		shown = { now, wrong, chosen, ...state };
		texts.splice(0, texts.length, ...say(state));
		for (const cell of flow.querySelectorAll("[data-at]")) from.set(cell.dataset.at, cell.getBoundingClientRect());
		flow.replaceChildren(...draw(state));
		if (!moving || still.matches) return;
		const trips = [...flow.querySelectorAll("[data-at]")]
			.filter((cell) => from.has(cell.dataset.at))
			.map((cell) => {
				const old = from.get(cell.dataset.at),
					here = cell.getBoundingClientRect();
				return cell.animate(
					[{ transform: `translate(${old.left - here.left}px, ${old.top - here.top}px)` }, { transform: "none" }],
					{ duration: 900, easing: "ease-in-out" },
				).finished;
			});
		flow.classList.add("explore-moving");
		Promise.allSettled(trips).then(() => flow.classList.remove("explore-moving"));
	};
	const chooser = tokens({
		words,
		name: "跟着哪个词元走",
		chosen,
		pick: (i) => {
			chosen = i;
			redraw(false);
		},
	});
	const steps = stepper({
		steps: texts,
		seconds: 3.2,
		show: (i) => {
			now = i;
			redraw(true);
		},
	});
	const order = choice({
		label: "拆头",
		options: ["先 view，再 transpose", "一步 view"],
		change: (i) => {
			wrong = i === 1;
			texts.splice(0, texts.length, ...say(wrong ? attend() : right));
			steps.go(now, true);
		},
	});
	stage.append(flow, steps.node, order.node, chooser.node);
	steps.go(3); // 打开在刚分好头的那一步
	return { state: () => shown };
});
