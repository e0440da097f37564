// 一次训练在自己的后台线程里：页面不卡，A 与 B 各用一个核。要取的只有几千个字节：products.wasm；取不到也算得出，只是慢。
globalThis.TrainEngine = (() => {
	// 后台线程的代码；用到的函数都写成文字带进去
	function trainWorker(tools, { transfer }) {
		const EVERY = 10; // 隔多少步考一次；头十步每步都考
		let wasm, run, broken;

		// book 只有读这本书才有
		function start(choices, book) {
			tools.book = book;
			run = tools.trainRun(tools)(choices, wasm);
			broken = false;
			run.keep();
			const { count, bytes, simd } = run.model;
			return { count, bytes, simd, point: run.grade() };
		}

		// 走 steps 步：多少步由页面定，A 与 B 一样多
		function train(steps) {
			const points = [],
				began = performance.now();
			for (let i = 0; i < steps && !broken; i++) {
				const point = run.advance();
				broken = !Number.isFinite(point.loss) || !Number.isFinite(point.size);
				if (!broken && (run.graded?.(point.step) ?? (point.step % EVERY === 0 || point.step < EVERY))) {
					Object.assign(point, run.grade());
					run.keep();
				}
				points.push(point);
			}
			return { points, broken, milliseconds: performance.now() - began };
		}

		function look(given) {
			const seen = run.look(given);
			transfer(seen.probabilities, ...seen.attention);
			return seen;
		}

		// 接着 ids 写 count 个字；at、off 同 look
		function write({ at, ids, count, seed, off }) {
			const { words, most } = run;
			const last = (ids) =>
				run
					.look({ at, ids, targets: ids.map(() => -1), off, hidden: [] })
					.probabilities.slice((ids.length - 1) * words.length);
			return tools.trainWriting(tools)({ ids, count, seed, most, look: last });
		}

		return { files: { products: (buffer) => void (wasm = buffer) }, calls: { start, train, look, write } };
	}

	const PARTS = {
		trainRandom,
		trainProducts,
		trainParts,
		trainModel,
		trainOptimiser,
		trainTasks,
		trainReading,
		trainWriting,
		trainRun,
	};
	const given = Object.entries(PARTS)
		.map(([name, part]) => `const ${name} = ${part};`)
		.join("\n");

	return class TrainEngine extends LiveEngine {
		constructor(root) {
			super({
				root,
				folder: "train",
				code: `(config, tools) => { ${given} return (${trainWorker})({ ${Object.keys(PARTS)} }, tools); }`,
			});
		}

		// 等到 products.wasm 取来；取不到，就用 JavaScript 的循环
		async ready() {
			await this.open();
			await this.complete.catch(() => {});
			return this;
		}

		close() {
			this.worker.terminate();
		}
	};
})();
