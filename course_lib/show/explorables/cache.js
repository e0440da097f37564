// KV 缓存：写到第几个字，从头算要算几个位置，用缓存要算几个；拿掉因果掩码，存着的就过了时。
// 数：words（各个位置，第一个是开头）；writing（各步写的是什么）；gaps（有掩码、没有掩码 → 各步 → 存着的与重算的各差多少）；sizes（D、F、L、M）。
Explore.define("cache", (data, stage) => {
	const { html, fixed, slider, choice } = Explore;
	const { D, F, L, M } = data.sizes,
		count = data.writing.length,
		STALE = 0.005;
	let n = count - 1,
		unmasked = 0,
		shown;

	const place = 6 * D * D + 2 * D * F + 2 * M * D; // 一个位置、一层，看前面的一项另算
	const cached = (at) => L * (place + 2 * at * D);
	const anew = (at) => L * (at * (place + 2 * at * D) + 2 * M * D * D);
	const commas = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

	const row = (name) => {
		const cells = data.words.map((word) => html("span", {}, html("b", {}, word), html("small", {})));
		return {
			cells,
			node: html(
				"div",
				{},
				html("p", { class: "explore-label" }, name),
				html("div", { class: "explore-chars explore-places" }, cells),
			),
		};
	};
	const whole = row("从头算"),
		kept = row("用缓存");
	const said = html("p", { class: "explore-said", "aria-live": "polite" });
	const update = () => {
		const gaps = data.gaps[unmasked][n - 1],
			stale = gaps.some((gap, i) => i < n - 1 && gap > STALE);
		data.words.forEach((_, i) => {
			const [here, last] = [i < n, i === n - 1];
			const set = (cell, work, old, note) => {
				cell.className = !here ? "explore-empty" : work ? "explore-work" : old ? "explore-stale" : "";
				cell.querySelector("small").textContent = here ? note : "";
			};
			set(whole.cells[i], true, false, "算");
			set(kept.cells[i], last, gaps[i] > STALE, last ? "算" : `差 ${fixed(gaps[i])}`);
		});
		const [fast, slow] = [cached(n), anew(n)];
		const sum = (n * (n + 1)) / 2;
		shown = { n, unmasked, slow, fast, sum, stale: gaps.filter((gap, i) => i < n - 1 && gap > STALE).length, gaps };
		said.textContent =
			`写“${data.writing[n - 1]}”：从头算 ${n} 个位置，${commas(slow)} 次乘法；用缓存 1 个，${commas(fast)} 次。` +
			`写到这里，一共算了 ${sum} 个与 ${n} 个。` +
			(stale
				? "没有掩码，旧的位置看得见新来的字，键变了：存着的过了时，不能用。"
				: "存着的与重算的相同，可以拿来就用。");
	};
	const steps = slider({
		label: "写第几个",
		values: data.writing.map((_, i) => i + 1),
		at: n - 1,
		change: (value) => {
			n = value;
			update();
		},
	});
	const mask = choice({
		label: "因果掩码",
		options: ["有", "拿掉"],
		change: (i) => {
			unmasked = i;
			update();
		},
	});
	stage.append(whole.node, kept.node, said, steps.node, mask.node);
	update();
	return { state: () => shown };
});
