// 还没有打开时摆着的样子：成书时算好、写在面板的 data-preview 里的结果（见 doctree/bert_previews.py），换成 engine.run 给的那种。
globalThis.livePreview = (written = "[]") => {
	const bytes = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
	const split = (numbers, count) => {
		const size = numbers.length / count;
		return Array.from({ length: count }, (_, i) => numbers.subarray(i * size, (i + 1) * size));
	};
	return JSON.parse(written).map(({ attention, hidden, ...result }) => ({
		...result,
		words: result.tokens,
		unknown: [],
		...(attention && {
			attention: split(
				Float32Array.from(bytes(attention), (percent) => percent / 100),
				result.numLayers,
			),
		}),
		...(hidden && { hidden: split(new Int16Array(bytes(hidden).buffer), result.numLayers + 1) }),
	}));
};
