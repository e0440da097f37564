// 整张词表（vocab.txt 的文字）：要用时才取，取一次就留着，没有取成就下次再取。
globalThis.liveVocabulary = (() => {
	const { root } = document.currentScript.dataset;
	let arriving = null,
		failures = 0;

	async function read() {
		const base64 = await LiveEngine.read(root, "bert/vocab.txt", failures);
		return new TextDecoder().decode(LiveEngine.decode(base64));
	}

	return () =>
		(arriving ??= read().catch(() => {
			arriving = null;
			failures++;
			throw Error("取不到词表，请看看网络是否连着，再打一个字试试。");
		}));
})();
