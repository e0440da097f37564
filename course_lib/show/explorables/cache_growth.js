// 缓存随长度怎样长：几个模型各一条横条，末尾是装得下几个词元；换一换内存的大小。
// 数：models（每个 { name, each: 每个词元几个字节, start: 起步几个字节 }）。
Explore.define("cache_growth", (data, stage) => {
	const { html, fixed, bars, slider, choice } = Explore;
	const LENGTHS = Array.from({ length: 13 }, (_, i) => 256 * 2 ** i),
		MEMORY = [24, 80];
	let n = 16384,
		memory = 0,
		shown;

	const commas = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
	const bytes = ({ each, start }, length) => each * length + start;
	const room = ({ each, start }) => Math.floor((MEMORY[memory] * 1e9 - start) / each);
	const fits = ({ each, start }) => {
		if (each === 0) return start <= MEMORY[memory] * 1e9 ? "装得下，多长都一样" : "装不下";
		return `装得下 ${commas(room({ each, start }))} 个`;
	};
	const sized = (count) => (count >= 1e9 ? `${fixed(count / 1e9, 1)} GB` : `${fixed(count / 1e6, 1)} MB`);
	const list = bars({
		labels: data.models.map(({ name }) => name),
		values: data.models.map(() => 0),
		name: "各个模型的缓存",
		hue: "value",
	});
	for (const item of list.node.querySelectorAll("li")) {
		// 名字与说明在上，横条在下：名字长，一排放不下
		item.style.display = "block";
		item.querySelector(".explore-note").style.marginInlineStart = "0.8em";
		item.querySelector(".explore-track").style.display = "block";
		item.querySelector(".explore-number").remove();
	}
	const said = html("p", { class: "explore-said", "aria-live": "polite" });
	const draw = () => {
		const all = data.models.map((model) => bytes(model, n)),
			most = Math.max(...all);
		list.update(
			all.map((count) => count / most),
			data.models.map((model, i) => `${sized(all[i])}，${fits(model)}`),
		);
		const over = data.models.filter((_, i) => all[i] > MEMORY[memory] * 1e9).map(({ name }) => name);
		shown = {
			n,
			memory: MEMORY[memory],
			sizes: all,
			rooms: data.models.map((model) => (model.each ? room(model) : null)),
			over,
		};
		said.textContent = `${commas(n)} 个词元：${over.length ? `${over.join("、").replace(/\w$/, "$& ")}装不进 ${MEMORY[memory]} GB` : `都装得进 ${MEMORY[memory]} GB`}。`;
	};
	const length = slider({
		label: "词元",
		values: LENGTHS,
		at: LENGTHS.indexOf(n),
		show: commas,
		change: (value) => {
			n = value;
			draw();
		},
	});
	const size = choice({
		label: "内存",
		options: MEMORY.map((size) => `${size} GB`),
		change: (i) => {
			memory = i;
			draw();
		},
	});
	stage.append(list.node, said, length.node, size.node);
	draw();
	return { state: () => shown };
});
