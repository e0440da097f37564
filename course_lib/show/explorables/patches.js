// 图像块：点一块，看它的一行数、句子里它的前后、数最接近的五块；换块宽，打乱次序。
// 数：image（正方形图像的 data 网址）、size（边长）、widths（可选的块宽，都整除边长）、at（先用哪一个）、chosen（先点第几块）。
Explore.define("patches", (data, stage) => {
	const { html, fixed, slider, choice, walk } = Explore;
	const NEAREST = 5,
		AROUND = 4,
		CHANNELS = ["红", "绿", "蓝"],
		S = data.size;
	const paper = (width, height, attributes = {}) =>
		html("canvas", { width, height, "aria-hidden": "true", ...attributes });
	let P = data.widths[data.at],
		columns,
		rows,
		order,
		seats,
		mixed = false,
		chosen = data.chosen,
		pixels,
		shown;

	const photo = paper(2 * S, 2 * S),
		spots = Array.from({ length: NEAREST + 1 }, (_, i) =>
			html("span", { class: i ? "explore-spot" : "explore-spot explore-mark" }),
		);
	const surface = html(
		"div",
		{ class: "explore-photo", role: "slider", tabindex: 0, "aria-label": "图像块，方向键换一块", "aria-valuemin": 1 },
		photo,
		spots,
	);
	const big = paper(1, 1, { class: "explore-big" });
	const strips = CHANNELS.map((name) => ({ name, canvas: paper(1, 1) }));
	const numbers = html("p", { class: "explore-numbers" }),
		counted = html("p", { class: "explore-note" }),
		said = html("p", { class: "explore-said", "aria-live": "polite" });
	const sentence = Array.from({ length: 2 * AROUND + 1 }, () => ({ canvas: paper(1, 1), number: html("span", {}) }));
	const source = paper(S, S),
		brush = source.getContext("2d", { willReadFrequently: true });

	// 块从左到右、从上到下排；一行数的次序是通道、行、列，与 patchify 相同
	const cut = () => {
		columns = S / P;
		rows = Array.from({ length: columns ** 2 }, (_, n) => {
			const top = Math.floor(n / columns) * P,
				left = (n % columns) * P,
				row = [];
			for (let c = 0; c < 3; c++)
				for (let i = 0; i < P; i++)
					for (let j = 0; j < P; j++) row.push(pixels[4 * ((top + i) * S + left + j) + c] / 255);
			return row;
		});
		// 打乱是固定的：同一个块宽，每次都是同一种次序
		order = rows.map((_, n) => n);
		for (let n = order.length - 1, seed = 7; n > 0 && mixed; n--) {
			seed = (seed * 1103515245 + 12345) % 2147483648;
			const k = seed % (n + 1);
			[order[n], order[k]] = [order[k], order[n]];
		}
		seats = rows.map((_, n) => order.indexOf(n));
	};
	const nearest = (n) =>
		rows
			.map((row, k) => [row.reduce((sum, x, i) => sum + (x - rows[n][i]) ** 2, 0), k])
			.filter(([, k]) => k !== n)
			.sort((a, b) => a[0] - b[0])
			.slice(0, NEAREST)
			.map(([, k]) => k);
	const copy = (n, canvas, x = 0, y = 0, side = canvas.width) => {
		const to = canvas.getContext("2d");
		to.imageSmoothingEnabled = false;
		to.drawImage(source, (n % columns) * P, Math.floor(n / columns) * P, P, P, x, y, side, side);
	};

	const drawPhoto = () => {
		photo.getContext("2d").clearRect(0, 0, 2 * S, 2 * S);
		order.forEach((n, seat) => copy(n, photo, (seat % columns) * 2 * P, Math.floor(seat / columns) * 2 * P, 2 * P - 2));
	};
	const draw = () => {
		const row = rows[chosen],
			seat = seats[chosen],
			length = row.length;
		shown = {
			P,
			mixed,
			chosen,
			seat,
			near: nearest(chosen),
			ends: [...row.slice(0, 4), ...row.slice(-2)],
			count: rows.length,
			scores: (rows.length + 1) ** 2,
		};
		[chosen, ...shown.near].forEach((n, i) => {
			const side = 100 / columns;
			spots[i].dataset.patch = n;
			spots[i].style.cssText =
				`left: ${(seats[n] % columns) * side}%; top: ${Math.floor(seats[n] / columns) * side}%; width: ${side}%; height: ${side}%`;
		});
		big.width = big.height = P;
		copy(chosen, big);
		strips.forEach(({ canvas }, c) => {
			canvas.width = P * P;
			const to = canvas.getContext("2d"),
				line = to.createImageData(P * P, 1);
			for (let i = 0; i < P * P; i++) {
				line.data[4 * i + c] = 255 * row[c * P * P + i];
				line.data[4 * i + 3] = 255;
			}
			to.putImageData(line, 0, 0);
		});
		numbers.textContent = [...row.slice(0, 4).map((x) => fixed(x)), "…", ...row.slice(-2).map((x) => fixed(x))].join(
			"　",
		);
		sentence.forEach(({ canvas, number }, i) => {
			const k = seat + i - AROUND,
				inside = k >= 0 && k < rows.length;
			canvas.width = canvas.height = P;
			if (inside) copy(order[k], canvas);
			number.textContent = inside ? k + 1 : "";
		});
		const name = `第 ${seat + 1} 个词元`,
			shape = `${P} × ${P} × 3 = ${length} 个数`;
		said.textContent = mixed
			? `${name}：次序打乱了，它换了座位，自己的 ${length} 个数却一个没有变，最接近的五块也还是那五块。`
			: `${name}，从上往下第 ${Math.floor(seat / columns) + 1} 排、从左往右第 ${(seat % columns) + 1} 块：${shape}。蓝框是数最接近的五块。`;
		for (const [key, value] of Object.entries({ valuemax: rows.length, valuenow: seat + 1, valuetext: name }))
			surface.setAttribute(`aria-${key}`, value);
		const n = rows.length,
			scores = shown.scores.toLocaleString("en");
		counted.textContent = `${columns} × ${columns} = ${n} 块，加 [CLS] 是 ${n + 1} 个词元；一层一个头要算 ${scores} 个分数`;
	};
	const remake = () => {
		cut();
		drawPhoto();
		draw();
	};
	const move = (seat) => {
		if (seat >= 0 && seat < rows.length && order[seat] !== chosen) {
			chosen = order[seat];
			draw();
		}
	};

	walk(surface, (right, down) => move(seats[chosen] + right + columns * down));
	const point = (event) => {
		const box = surface.getBoundingClientRect(),
			cell = (x, size) => Math.max(0, Math.min(columns - 1, Math.floor((x / size) * columns)));
		move(cell(event.clientY - box.top, box.height) * columns + cell(event.clientX - box.left, box.width));
	};
	surface.addEventListener("click", point);
	surface.addEventListener("pointermove", (event) => {
		if (event.pointerType === "mouse" || event.buttons) point(event);
	});

	const widths = slider({
		label: "块宽",
		values: data.widths,
		at: data.at,
		show: (width) => `${width} 像素`,
		change: (width) => {
			// 换了块宽，仍点着原来那一处
			const middle = (n) => Math.floor(((n + 0.5) * P) / width),
				now = middle(Math.floor(chosen / columns)) * (S / width) + middle(chosen % columns);
			[P, chosen] = [width, now];
			remake();
		},
	});
	const orders = choice({
		label: "次序",
		options: ["原样", "打乱"],
		change: (i) => {
			mixed = Boolean(i);
			remake();
		},
	});
	const image = new Image();
	image.onload = () => {
		brush.drawImage(image, 0, 0, S, S);
		pixels = brush.getImageData(0, 0, S, S).data;
		stage.append(
			html(
				"div",
				{ class: "explore-patches" },
				surface,
				html(
					"div",
					{ class: "explore-side" },
					html("p", { class: "explore-label" }, "这一块"),
					big,
					html("p", { class: "explore-label" }, "它的一行数，先红，再绿，再蓝"),
					strips.map(({ name, canvas }) => html("div", { class: "explore-channel" }, html("span", {}, name), canvas)),
					numbers,
				),
			),
			html("p", { class: "explore-label" }, "在句子里，它的前后"),
			html(
				"div",
				{ class: "explore-sentence" },
				sentence.map(({ canvas, number }) => html("div", {}, canvas, number)),
			),
			said,
			counted,
			widths.node,
			orders.node,
		);
		remake();
	};
	image.src = data.image;
	return { state: () => shown };
});
