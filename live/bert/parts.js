// 面板的各个部分共用的约定与算式；一个部分一个文件，都挂在 LiveParts 上。
//
// 一个部分是 ({ id, block, choose, show, engine }) => ({ title, tab, elements, fill, draw })：fill（句子变了）与
// draw（选中的、宽窄或明暗变了）都照着 view 画：results 每句一个，是 engine.run 的结果；places 把各句的词元接在一起；
// chosen 与 partner 是其中选中的两个；state 见 state.js；weights 是选中的头里，chosen 给它那一句每个词元的权重。
// 要改选择，就调用 choose；要到另一部分去，就调用 show。tab 是窄处的页签上写的。
globalThis.LiveParts = {};
globalThis.LiveNumbers = (() => {
	// attention[层] 按（头，查询，键）、hidden[层] 按（词元，特征）排成一串
	const weightsOf = ({ attention, tokens: { length: n } }, layer, head) =>
		attention[layer].subarray(head * n * n, (head + 1) * n * n);
	const vectorOf = ({ hidden, dModel }, layer, i) => hidden[layer].subarray(i * dModel, (i + 1) * dModel);

	const dot = (a, b) => a.reduce((sum, value, k) => sum + value * b[k], 0);
	const cosine = (a, b) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
	const mean = (numbers) => numbers.reduce((a, b) => a + b, 0) / numbers.length;

	const nameOf = (layer, head) => `第 ${layer} 层第 ${head} 个头`;

	return { weightsOf, vectorOf, cosine, mean, nameOf };
})();
