// 把一页停在画好的样子：此后不要脚本也是这样。Python 一侧再把外来的视图与面板换成它们的图。
async () => {
	const TALLEST = 800;
	const article = document.querySelector("article");
	const all = (selector) => [...article.querySelectorAll(selector)];
	for (const fold of all("details")) fold.removeAttribute("name");
	for (const fold of all("details:not(.meta > *)")) fold.open = true;
	document.documentElement.dataset.theme = "light";
	// 离得远的图还没有画：与读者自己印的时候一样，叫它们都画出来，再过几帧，有的图要看自己有多宽
	dispatchEvent(new Event("beforeprint"));
	await document.fonts.ready;
	await new Promise((done) => setTimeout(done, 200));
	// 分步的图走到最后一步：每一步的东西都摆出来了
	for (const row of all(".explore-stepper > .explore-row")) {
		const next = row.children[2];
		for (let step = 0; step < 100 && !next.disabled; step++) next.click();
	}
	// 第 0 层各个 bank 还叠在一处，最后一层才散开
	for (const layer of all("[data-explore=banks] input[type=range]")) {
		layer.value = layer.max;
		layer.dispatchEvent(new Event("input"));
	}
	// 一页放不下的缩小一些
	for (const figure of all("figure.explore"))
		figure.style.zoom = Math.min(1, TALLEST / figure.getBoundingClientRect().height);
	// 画布里的不在标记里
	for (const canvas of all("canvas")) {
		const picture = new Image();
		for (const { name, value } of canvas.attributes) picture.setAttribute(name, value);
		picture.src = canvas.toDataURL();
		canvas.replaceWith(picture);
	}
	// 读者能改的，现在是多少，也不在标记里
	for (const input of all("input")) {
		input.setAttribute("value", input.value);
		input.toggleAttribute("checked", input.checked);
	}
	for (const option of all("option")) option.toggleAttribute("selected", option.selected);
	for (const picture of all("img")) picture.setAttribute("src", picture.src);
	return all("figure.explore")
		.filter((figure) => !("ready" in figure.dataset) || !figure.querySelector(".explore-stage").children.length)
		.map((figure) => figure.dataset.explore);
};
