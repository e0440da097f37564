// 可以动手的图共用的零件：标记、词元行、带数的矩阵、横条、折线、弧、滑杆、步骤，以及几样算术。
//
// 一种图一个脚本，开头说明它要哪些数，末尾 Explore.define("名字", (data, stage) => …)，把零件放进 stage，
// 末了给出 { state }：state() 是图上此刻的设置与数，不是写出来的字；测试向 figure.state() 问。
// 笔记本里每格输出都带着这些脚本，可能执行好几遍；已经有了就只去认领新来的图。
(() => {
	if (window.Explore) return window.Explore.mount();

	// ---- 标记 ----

	const fill = (made, attributes, children) => {
		for (const [name, value] of Object.entries(attributes)) {
			if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
			else if (value !== false && value != null) made.setAttribute(name, value === true ? "" : value);
		}
		made.append(...children.flat());
		return made;
	};
	const html = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
	const svg = (tag, attributes = {}, ...children) =>
		fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
	// 负号用真的负号；四舍五入成零的不带负号
	const fixed = (number, digits = 2) => {
		if (number === null || Number.isNaN(number)) return "NaN";
		if (!Number.isFinite(number)) return number < 0 ? "−∞" : "∞";
		const text = number.toFixed(digits);
		return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
	};
	// 一个词元：空白也要看得见，标点加引号
	const shown = (word) =>
		(/^[\p{P}\p{S}]+$/u.test(word.trim()) ? `“${word.trim()}”` : word.trim()) || (word.includes("\n") ? "↵" : "␣");
	let count = 0;
	const freshId = () => `explore-${++count}`;

	// ---- 算术：与 course_lib 相同，矩阵是一行一个列表 ----

	const transpose = (a) => a[0].map((_, j) => a.map((row) => row[j]));
	const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
	const matmul = (a, b) => {
		const columns = transpose(b);
		return a.map((row) => columns.map((column) => dot(row, column)));
	};
	const map = (a, f) => a.map((row, i) => row.map((x, j) => f(x, i, j)));
	// 减去最大的再取指数，不会溢出；整行都是 -∞ 时是 NaN，与天真的写法相同
	const softmax = (row) => {
		const top = Math.max(...row);
		const powers = row.map((x) => Math.exp(x - top));
		const total = powers.reduce((sum, x) => sum + x, 0);
		return powers.map((x) => x / total);
	};

	// ---- 零件：各给出 { node, … }，update 用新的数重画 ----

	// 一行词元，点一个：pick(第几个)
	const tokens = ({ words, name, chosen = 0, pick }) => {
		const buttons = words.map((word, i) =>
			html("button", { type: "button", class: "explore-token", lang: "en", onclick: () => select(i) }, word),
		);
		const select = (i, quiet = false) => {
			buttons.forEach((button, j) => button.setAttribute("aria-pressed", i === j));
			if (!quiet) pick(i);
		};
		select(chosen, true);
		return { node: html("div", { class: "explore-row", role: "group", "aria-label": name }, buttons), select };
	};

	// 带数的矩阵：颜色的深浅是绝对值与 scale 之比，负数是空心的；pick(i, j) 有了才能点，方向键走，回车点
	const matrix = ({ values, rows, columns, title, hue = "faint", digits = 2, scale, pick }) => {
		const cells = values.map((row, i) =>
			row.map((_, j) => html("td", pick ? { tabindex: -1, role: "button", onclick: () => pick(i, j) } : {})),
		);
		const head =
			columns &&
			html(
				"tr",
				{},
				rows ? html("td", { class: "explore-corner" }) : [],
				columns.map((label) => html("th", { scope: "col" }, label)),
			);
		const lines = cells.map((row, i) => html("tr", {}, rows ? html("th", { scope: "row" }, rows[i]) : [], row));
		const table = html(
			"table",
			{},
			html("caption", {}, title),
			head ? html("thead", {}, head) : [],
			html("tbody", {}, lines),
		);
		const label = (i, j) => [rows?.[i], columns?.[j]].filter(Boolean).join(" → ");

		const update = (next, { mark = () => false, faded = () => false } = {}) => {
			const known = next.flat().filter(Number.isFinite);
			const top = scale ?? Math.max(1e-9, ...known.map(Math.abs));
			next.forEach((row, i) =>
				row.forEach((value, j) => {
					const cell = cells[i][j],
						shade = Number.isFinite(value) ? Math.min(1, Math.abs(value) / top) : 0;
					const text = value === undefined ? "" : fixed(value, digits); // undefined 是还没有翻开的格
					if (cell.textContent !== text) cell.textContent = text;
					cell.style.setProperty("--shade", `${Math.round(shade * 100)}%`);
					cell.classList.toggle("explore-negative", value < 0);
					cell.classList.toggle("explore-mark", Boolean(mark(i, j)));
					cell.classList.toggle("explore-faded", Boolean(faded(i, j)));
					if (pick) cell.setAttribute("aria-label", `${label(i, j)}：${text || "还没翻开"}`);
				}),
			);
		};
		if (pick) {
			cells[0][0].tabIndex = 0;
			table.addEventListener("keydown", (event) => {
				const i = cells.findIndex((row) => row.includes(event.target)),
					j = i < 0 ? -1 : cells[i].indexOf(event.target);
				const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
				if (j >= 0 && (event.key === "Enter" || event.key === " ")) pick(i, j);
				else if (j < 0 || !step) return;
				else {
					const next = cells[i + step[0]]?.[j + step[1]];
					if (next) [cells[i][j].tabIndex, next.tabIndex] = [-1, 0];
					next?.focus();
				}
				event.preventDefault();
			});
		}
		update(values);
		return { node: html("div", { class: "explore-matrix", style: `--hue: var(--${hue})` }, table), update, cells };
	};

	// 横条：每条一个名字、一个 0 到 1 的数；update 的 notes 写在名字旁边，names 换掉名字，top 是画满一条的数
	const bars = ({ labels, values, name, hue = "weight", digits = 2 }) => {
		const parts = labels.map((label) => ({
			label: html("span", { class: "explore-label" }, label),
			note: html("span", { class: "explore-note" }),
			fill: html("span", { class: "explore-fill" }),
			number: html("span", { class: "explore-number" }),
		}));
		const update = (next, notes = [], names = null, top = 1) =>
			next.forEach((value, i) => {
				if (names) parts[i].label.textContent = names[i];
				parts[i].note.textContent = notes[i] ?? "";
				parts[i].fill.style.width = `${(100 * (Number.isFinite(value) ? Math.max(0, value) : 0)) / top}%`;
				parts[i].number.textContent = fixed(value, digits);
			});
		update(values);
		const lines = parts.map(({ label, note, fill: bar, number }) =>
			html("li", {}, label, note, html("span", { class: "explore-track" }, bar), number),
		);
		return {
			node: html("ul", { class: "explore-bars", "aria-label": name, style: `--hue: var(--${hue})` }, lines),
			update,
		};
	};

	// 一条横条与它的数，各占一格；有正负的（sided）从中间往两边，负的是空心的
	const meter = (sided = false) => {
		const bar = html("i"),
			number = html("span", { class: "explore-number" });
		const update = (value, top, text) => {
			bar.style.width = `${((sided ? 50 : 100) * Math.abs(value)) / top}%`;
			bar.classList.toggle("explore-below", value < 0);
			number.textContent = text;
		};
		return {
			nodes: [html("span", { class: sided ? "explore-meter explore-sided" : "explore-meter" }, bar), number],
			update,
		};
	};

	// 折线：每条 { label, hue, points: [[x, y], …] }，没有 label 就不进图例；横轴竖轴的两端各写一个数，竖轴的怎样写由 ends 定；room 是右边留的空，留得多就把名字写在线尾，不要图例，update 的 called 换掉名字；x 处可以立一条线，最后一条在那里的数写在左边（falling：写在线的下面，给往下掉的线）
	const line = ({
		lines,
		name,
		width = 320,
		height = 140,
		x: [left, right],
		y: [low, high],
		ends = (y) => fixed(y, 1),
		room = 10,
		falling = false,
	}) => {
		const at = ([x, y]) => [
			(40 + ((x - left) / (right - left)) * (width - 40 - room)).toFixed(1),
			(height - 20 - ((y - low) / (high - low)) * (height - 30)).toFixed(1),
		];
		const cursor = svg("line", { class: "explore-cursor", y1: 6, y2: height - 20 });
		const paths = lines.map(({ hue }) => svg("polyline", { class: `explore-${hue}`, style: `stroke: var(--${hue})` }));
		const tip = svg("text", { class: "explore-tip", "text-anchor": "end" });
		const names = lines.map(() => svg("text", { class: "explore-end", x: width - room + 8 })),
			named = room > 10;
		const legend = named
			? []
			: html(
					"div",
					{ class: "explore-legend" },
					lines
						.filter(({ label }) => label)
						.map(({ label, hue }) => html("span", { class: `explore-${hue}`, style: `--hue: var(--${hue})` }, label)),
				);
		const update = (next, where = null, said = "", called = lines.map(({ label }) => label)) => {
			if (named) {
				// 线尾的名字自下而上，挤在一起的往上让，顶到头就一起往下；没有名字的不占地方
				const tails = next.map((points) => Number(points.length ? at(points.at(-1))[1] : height)),
					order = [...tails.keys()].filter((i) => called[i]).sort((a, b) => tails[b] - tails[a]);
				const places = [];
				order.reduce((below, i) => (places[i] = Math.min(tails[i] + 5, below - 17)), Infinity);
				const over = Math.max(0, 14 - Math.min(...order.map((i) => places[i])));
				names.forEach((name, i) => {
					const y = (places[i] ?? 0) + over;
					name.setAttribute("y", y);
					name.textContent = called[i];
					name.setAttribute("style", `fill: var(--${lines[i].hue})`);
				});
			}
			next.forEach((points, i) =>
				paths[i].setAttribute("points", points.map((point) => at(point).join(",")).join(" ")),
			);
			cursor.toggleAttribute("hidden", where === null);
			if (where !== null) for (const end of ["x1", "x2"]) cursor.setAttribute(end, at([where, low])[0]);
			tip.textContent = said;
			if (!said) return;
			const [x, y] = at(next.at(-1).find(([x]) => x === where));
			tip.setAttribute("x", Math.max(80, x - 5));
			tip.setAttribute("y", falling ? Math.min(height - 26, y + 18) : Math.max(14, y - 8));
		};
		update(lines.map(({ points }) => points));
		const text = (x, y, anchor, words) => svg("text", { x, y, "text-anchor": anchor }, words);
		const frame = [
			text(36, height - 18, "end", ends(low)),
			text(36, 14, "end", ends(high)),
			text(40, height - 5, "start", String(left)),
			text(width - room, height - 5, "end", String(right)),
		];
		return {
			node: html(
				"div",
				{ class: "explore-line" },
				svg(
					"svg",
					{ viewBox: `0 0 ${width} ${height}`, style: `max-width: ${width}px`, role: "img", "aria-label": name },
					cursor,
					paths,
					frame,
					names,
					tip,
				),
				legend,
			),
			update,
		};
	};

	// 一行词元之上的弧：weights[i] 是从 from 到第 i 个的粗细，不小于 least 的写出数来；width 以内放不下的词斜着写
	const arcs = ({ words, name, hue = "weight", width = 640, least = 2 }) => {
		const gap = Math.min(90, width / words.length),
			middle = (i) => gap * (i + 0.5);
		const slanted = gap < 9 * Math.max(...words.map((word) => word.length)),
			base = 30 + 0.24 * gap * words.length;
		const paths = words.map(() => svg("path", {}));
		const numbers = words.map((_, i) => svg("text", { x: middle(i), y: base + 20, "text-anchor": "middle" }));
		const texts = words.map((word, i) => {
			const at = [middle(i) + (slanted ? 4 : 0), base + 40];
			return svg(
				"text",
				{
					x: at[0],
					y: at[1],
					"text-anchor": slanted ? "end" : "middle",
					transform: slanted && `rotate(-50 ${at.join(" ")})`,
					lang: "en",
				},
				word,
			);
		});
		const update = (from, weights) => {
			paths.forEach((path, i) => {
				const [a, b] = [middle(from), middle(i)],
					lift = base - 26 - 0.45 * Math.abs(b - a);
				path.setAttribute(
					"d",
					i === from
						? `M${a - 6},${base} C${a - 20},${base - 34} ${a + 20},${base - 34} ${a + 6},${base}`
						: `M${a},${base} C${a},${lift} ${b},${lift} ${b},${base}`,
				);
				path.style.strokeWidth = `${0.4 + 12 * weights[i]}`;
				path.style.opacity = 0.15 + 0.85 * weights[i];
				numbers[i].textContent = weights[i] < least ? "" : fixed(weights[i]);
			});
			texts.forEach((text, i) => text.classList.toggle("explore-mark", i === from));
		};
		const left = slanted ? 20 : 0,
			size = [
				gap * words.length + left,
				base + (slanted ? 46 + 5.5 * Math.max(...words.map((word) => word.length)) : 48),
			];
		return {
			node: html(
				"div",
				{ class: "explore-arcs", style: `--hue: var(--${hue})` },
				svg(
					"svg",
					{
						viewBox: `${-left} 0 ${size.join(" ")}`,
						style: `max-width: ${size[0]}px`,
						role: "img",
						"aria-label": name,
					},
					paths,
					numbers,
					texts,
				),
			),
			update,
		};
	};

	// 在 node 上按方向键：go(向右几格, 向下几格)
	const walk = (node, go) =>
		node.addEventListener("keydown", (event) => {
			const step = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
			if (!step) return;
			event.preventDefault();
			go(...step, event);
		});

	// 点一下 node，或者鼠标从近处经过，挑屏幕上最近的一点：spots() 是各点在屏幕上的 [x, y]；一样近就留着 now() 那一点
	const nearest = (node, spots, pick, now = () => -1, reach = 14) => {
		const look = ({ clientX, clientY }, most) => {
			const away = spots().map(([x, y]) => Math.hypot(x - clientX, y - clientY)),
				least = Math.min(...away);
			if (least < most && !(away[now()] <= least)) pick(away.indexOf(least));
		};
		node.addEventListener("pointermove", (event) => event.pointerType === "mouse" && look(event, reach));
		node.addEventListener("click", (event) => look(event, Infinity));
	};

	// 全部的头，每行一层，一格一个，face(头) 是格里的东西；整块只占一站，方向键走，回车挑
	const nameOfHead = (head, heads) => `第 ${Math.floor(head / heads)} 层第 ${head % heads} 个头`;
	const board = ({ count, heads, name, kind, face, label = (head) => nameOfHead(head, heads), pick }) => {
		const buttons = Array.from({ length: count }, (_, head) =>
			html(
				"button",
				{ type: "button", class: kind, tabindex: -1, "aria-label": label(head), onclick: () => pick(head) },
				face(head),
			),
		);
		const layers = Array.from({ length: count / heads }, (_, layer) =>
			html(
				"div",
				{ class: "explore-layer" },
				html("span", { class: "explore-label" }, html("span", {}, "层 "), String(layer)),
				buttons.slice(layer * heads, (layer + 1) * heads),
			),
		);
		const node = html("div", { class: "explore-gallery", role: "group", "aria-label": name }, layers);
		walk(node, (right, down, { target }) => buttons[buttons.indexOf(target) + right + heads * down]?.focus());
		const select = (chosen) =>
			buttons.forEach((button, head) => {
				button.setAttribute("aria-pressed", head === chosen);
				button.tabIndex = head === chosen ? 0 : -1;
			});
		return { node, buttons, select };
	};

	// 滑杆：values 是它能取的各个数
	const slider = ({ label, values, at = 0, show = String, change }) => {
		const shown = html("output", {}),
			id = freshId();
		const input = html("input", { id, type: "range", min: 0, max: values.length - 1, step: 1, value: at });
		const set = (quiet) => {
			const value = values[input.value];
			shown.textContent = show(value);
			input.setAttribute("aria-valuetext", show(value));
			if (!quiet) change(value, Number(input.value));
		};
		input.addEventListener("input", () => set(false));
		set(true);
		return {
			node: html("div", { class: "explore-slider" }, html("label", { for: id }, label), input, shown),
			set: (i) => {
				input.value = i;
				set(false);
			},
		};
	};

	// 几个选项里选一个
	const choice = ({ label, options, at = 0, change }) => {
		const buttons = options.map((option, i) => html("button", { type: "button", onclick: () => select(i) }, option));
		const select = (i, quiet = false) => {
			buttons.forEach((button, j) => button.setAttribute("aria-pressed", i === j));
			if (!quiet) change(i);
		};
		select(at, true);
		return {
			node: html(
				"div",
				{ class: "explore-row", role: "group", "aria-label": label },
				html("span", { class: "explore-label" }, label),
				buttons,
			),
			select,
		};
	};

	// 几条里选一条：一行一个选项，名字、横条、数；update 给各条的长（百分之几）与写的数
	const contest = ({ label, options, at, change }) => {
		const fills = options.map(() => html("span", { class: "explore-fill" })),
			numbers = options.map(() => html("small", {}));
		const { node } = choice({
			label,
			options: options.map((option, i) =>
				html("span", {}, html("span", {}, option), html("span", { class: "explore-track" }, fills[i]), numbers[i]),
			),
			at,
			change,
		});
		node.classList.add("explore-contest");
		const update = (lengths, texts) =>
			fills.forEach((fill, i) => {
				fill.style.width = `${lengths[i]}%`;
				numbers[i].textContent = texts[i];
			});
		return { node, update };
	};

	// 滑杆放在 width 宽、右边留 room 的折线图下面，与横轴对齐；钮的半宽是 8
	const under = (width, room, ...nodes) =>
		html(
			"div",
			{
				class: "explore-dial",
				style: `max-width: ${width}px; grid-template-columns: ${(100 * 32) / width}% minmax(0, 1fr) ${(100 * (room - 8)) / width}%`,
			},
			nodes,
		);

	// 几栏：宽得下时左右并排，图与滑杆才同在一屏里
	const beside = (...columns) =>
		html(
			"div",
			{ class: "explore-beside" },
			columns.map((nodes) => html("div", {}, nodes)),
		);

	// 步骤：这一步的一句话，下面是上一步、播放、下一步；steps 是每一步的一句话，dots 是每步一个可点的圆点。打开时停在中间的，头一次播放从头走。读者不要动画时，播放只是按时换步
	const stepper = ({ steps, show, seconds = 2.2, dots: dotted = true }) => {
		let now = 0,
			timer = null,
			touched = false;
		const said = html("p", { class: "explore-said", "aria-live": "polite" });
		const dots = steps.map((_, i) =>
			html("button", {
				type: "button",
				class: "explore-dot",
				"aria-label": `第 ${i + 1} 步，共 ${steps.length} 步`,
				title: steps[i] || null,
				onclick: () => go(i, true),
			}),
		);
		const back = html("button", { type: "button", onclick: () => go(now - 1, true) }, "上一步");
		const next = html("button", { type: "button", onclick: () => go(now + 1, true) }, "下一步");
		const play = html("button", { type: "button", onclick: () => (timer ? stop() : start()) }, "播放");
		const stop = () => {
			clearInterval(timer);
			timer = null;
			play.textContent = "播放";
		};
		const start = () => {
			if (!touched || now === steps.length - 1) go(0);
			touched = true;
			timer = setInterval(() => (now < steps.length - 1 ? go(now + 1) : stop()), 1000 * seconds);
			play.textContent = "暂停";
		};
		const go = (i, byHand = false) => {
			if (byHand) stop();
			touched ||= byHand;
			now = Math.max(0, Math.min(steps.length - 1, i));
			said.textContent = steps[now];
			dots.forEach((dot, j) =>
				j === now ? dot.setAttribute("aria-current", "step") : dot.removeAttribute("aria-current"),
			);
			back.disabled = now === 0;
			next.disabled = now === steps.length - 1;
			show(now);
		};
		return {
			node: html(
				"div",
				{ class: "explore-stepper" },
				said,
				html(
					"div",
					{ class: "explore-row" },
					back,
					play,
					next,
					dotted ? html("span", { class: "explore-dots" }, dots) : [],
				),
			),
			go,
		};
	};

	// ---- 高矮：读者动手时下面的字不许跳。各图的样式给会变的块留足了地方；留得不够的，高了就不再矮回去 ----

	const onlyGrow = (stage) => {
		let width = 0;
		const watch = new ResizeObserver((entries) => {
			if (stage.clientWidth !== width) {
				width = stage.clientWidth;
				for (const { target } of entries) target.style.minHeight = "";
			}
			for (const { target } of entries) target.style.minHeight = `${target.offsetHeight}px`;
		});
		for (const block of stage.querySelectorAll(":scope > :not(svg), .explore-said, .explore-cards"))
			watch.observe(block);
	};

	// ---- 认领页面里的图：快看到时才画 ----

	const kinds = {};
	const draw = (figure) => {
		const build = kinds[figure.dataset.explore],
			stage = figure.querySelector(".explore-stage"),
			text = figure.querySelector("script").textContent;
		if (!build || "ready" in figure.dataset) return;
		figure.dataset.ready = "";
		stage.replaceChildren();
		figure.state = build(JSON.parse(text), stage)?.state;
		onlyGrow(stage);
	};
	const near = new IntersectionObserver(
		(entries) => {
			for (const { target } of entries.filter(({ isIntersecting }) => isIntersecting)) {
				near.unobserve(target);
				setTimeout(draw, 0, target); // 几幅一起来，一幅一件事，读者不久等
			}
		},
		{ rootMargin: "3000px 0px" }, // 画了才知道多高：一下子滚好几屏的，也要在看到之前画好
	);
	const waiting = () => document.querySelectorAll("figure.explore:not([data-ready])");
	const mount = () => {
		for (const figure of waiting()) if (kinds[figure.dataset.explore]) near.observe(figure);
	};
	const define = (name, build) => {
		kinds[name] ??= build;
		mount();
	};
	addEventListener("beforeprint", () => waiting().forEach(draw));
	window.Explore = {
		define,
		mount,
		html,
		svg,
		fixed,
		shown,
		transpose,
		dot,
		matmul,
		map,
		softmax,
		tokens,
		matrix,
		bars,
		meter,
		line,
		arcs,
		walk,
		nearest,
		nameOfHead,
		freshId,
		board,
		slider,
		choice,
		contest,
		under,
		beside,
		stepper,
	};
})();
