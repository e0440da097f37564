// 一次训练：模型、数据、优化器放在一起，走一步，记一步；隔些时候考一次，把参数留下一份，好回头看。
globalThis.trainRun = function (tools) {
	const { TASKS, batch, maxLength } = trainTasks(tools),
		{ learningRate, clip, step } = trainOptimiser();
	const EXAM = 128,
		KEPT = 48,
		ROOM = 8e6; // 考多少句；最多留多少份参数，一共多少字节

	return function run(choices, wasm) {
		const { task, seed, wrong } = choices,
			words = TASKS[task].words;
		const model = trainModel(tools)({ ...choices, vocabSize: words.length, maxLength: maxLength(task) }, wasm);
		const exams = { test: exam({ testing: true }), far: TASKS[task].far ? exam({ testing: true, far: true }) : null };
		let done = 0,
			stride = 1;
		const kept = new Map(),
			most = Math.min(KEPT, Math.floor(ROOM / (4 * model.values.length))); // 第几步 → 那时的参数；最多几份

		function exam(settings) {
			return Array.from({ length: Math.ceil(EXAM / choices.batch) }, (_, i) =>
				batch(task, [0, i], choices.batch, settings),
			);
		}

		// 一张卷子考下来：平均的损失，答对的比例
		function examine(sheets) {
			let loss = 0,
				right = 0,
				counted = 0;
			for (const { ids, targets, length } of sheets) {
				const seen = model.lossOf(model.forward(ids, choices.batch, length), targets);
				[loss, right, counted] = [loss + seen.loss * seen.counted, right + seen.right, counted + seen.counted];
			}
			return { loss: loss / counted, right: right / counted };
		}

		// 走一步：往前算，往后退，裁一裁，改参数
		function advance() {
			const { ids, targets, length } = batch(task, [seed, done], choices.batch, { wrong });
			const { loss, right, counted } = model.lossOf(model.forward(ids, choices.batch, length), targets);
			model.backward(targets, counted);
			const size = clip(model.gradients, choices.clip);
			step(model, learningRate(choices, done), ++done);
			return { step: done, loss, right: right / counted, size };
		}

		const grade = () => ({ step: done, test: examine(exams.test), far: exams.far && examine(exams.far) });

		// 此刻的参数抄一份；丢掉的腾出来再用，不必等浏览器来收
		const spare = [];
		function copied() {
			const copy = spare.pop() ?? new Float32Array(model.values.length);
			copy.set(model.values);
			return copy;
		}

		// 留下此刻的参数；太多了，就隔一份丢一份
		function keep() {
			kept.set(done, copied());
			if (kept.size <= most) return;
			stride *= 2;
			for (const at of [...kept.keys()])
				if (at % (10 * stride) && at !== done) {
					spare.push(kept.get(at));
					kept.delete(at);
				}
		}

		// 第 at 步留下的参数（没有就取它前面最近的）怎样读一句：各层各头的权重、各处的概率、损失；off 里是关掉的头，[层, 头]，hidden 里是盖住的位置
		function look({ at, ids, targets, off, hidden }) {
			const now = at < done && copied(),
				n = ids.length;
			const found = Math.max(...[...kept.keys()].filter((each) => each <= at));
			if (now) model.values.set(kept.get(found));
			model.attentions.forEach((each, layer) => {
				off.filter(([i]) => i === layer).forEach(([, head]) => each.off.add(head));
				hidden.forEach((position) => each.hidden.add(position));
			});
			const { loss } = model.lossOf(model.forward(ids, 1, n), targets);
			model.attentions.forEach((each) => [each.off, each.hidden].forEach((all) => all.clear()));
			if (now) {
				model.values.set(now);
				spare.push(now);
			}
			return {
				at: now ? found : done,
				loss,
				attention: model.attentions.map(({ weights }) => weights.slice(0, choices.heads * n * n)),
				probabilities: model.probabilities.slice(0, n * words.length),
			};
		}

		return {
			model,
			choices,
			words,
			graded: TASKS[task].graded,
			most: maxLength(task),
			advance,
			grade,
			keep,
			kept,
			look,
			get done() {
				return done;
			},
		};
	};
};
