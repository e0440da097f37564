// 网页里的大语言模型：计算都在后台线程（Worker）里，打字不会卡；取数据的事在 ../engine.js，分词器在页面里。
//
//   const engine = await LiveLlm.open({ root: "../live/", onProgress: (loaded, total) => {} });
//   const { logits } = await engine.feed(engine.tokenizer.encode("The capital of France is"));
//   const weights = await engine.attention(16, 0);
//
// feed 总是收下从头到尾的全部编号；与上次的开头相同的那些位置，键、值与隐藏状态都留着，只算后面的。
// 后台线程一次至多算 PIECE 个位置，算完一截说一声：所以看得见算到了哪里，也停得下来；分几截算，答案每一位都相同。
globalThis.LiveLlm = (() => {
	// 后台线程里运行的全部代码；它自成一体，用不到外面的名字
	function llmWorker(config, { fail, transfer }, liveBlocks, liveLanguageModel, liveSampling, liveQuestions) {
		const { numLayers, dModel, dHead, numHeads, numKvHeads, dFf, vocabSize, maxTokens, shardRows } = config;
		const model = { layers: [] },
			PIECE = 16;
		let blocks, languageModel, questions, cache;
		let ids = []; // 缓存里有哪些词元

		// 抄完的文件立即还给系统，不等浏览器想起来收：一共有 96 MB，中文的 300 MB
		const release = (buffer) => buffer.transfer?.(0);

		// 一个文件里依次的张量：向量是 fp32，矩阵是块
		function tensors(buffer) {
			let offset = 0;
			const vector = (length) => new Float32Array(buffer.slice(offset, (offset += 4 * length)));
			const matrix = (kind, outputs, inputs) => {
				const weight = blocks.matrix(blocks[kind], outputs, inputs),
					bytes = blocks.fileBytes(weight);
				blocks.fill(weight, new Uint16Array(buffer, offset, bytes / 2));
				offset += bytes;
				return weight;
			};
			return { vector, matrix };
		}

		// 一层的各个张量，次序就是文件里的；前馈网络的三个矩阵大的，各在自己的文件里
		function readLayer(buffer, number) {
			const { vector, matrix } = tensors(buffer),
				kinds = blocks.kinds.layers[number];
			const kvWidth = numKvHeads * dHead,
				[norm1, norm2] = [vector(dModel), vector(dModel)];
			const biases = config.qkvBias ? [dModel, kvWidth, kvWidth].map(vector) : [];
			const [qProj, kProj, vProj, outProj] = [dModel, kvWidth, kvWidth, dModel].map((outputs, i) =>
				Object.assign(matrix(kinds[i], outputs, dModel), { bias: biases[i] }),
			);
			const layer = { norm1, norm2, selfAttn: { qProj, kProj, vProj, outProj }, ffn: {} };
			if (config.splitFfn) return layer;
			const [gateProj, upProj] = [4, 5].map((i) => matrix(kinds[i], dFf, dModel));
			return { ...layer, ffn: { gateProj, upProj, downProj: matrix(kinds[6], dModel, dFf) } };
		}

		function readFfn(name, place, data, number) {
			const shape = name === "downProj" ? [dModel, dFf] : [dFf, dModel];
			model.layers[number].ffn[name] = tensors(data).matrix(blocks.kinds.layers[number][place], ...shape);
			release(data);
		}

		const files = {
			blocks(wasm) {
				blocks = liveBlocks(wasm, config);
				languageModel = liveLanguageModel(blocks, config);
				cache = languageModel.newCache();
				questions = liveQuestions(languageModel, liveSampling(), model, cache, config);
				const { tokens, output } = blocks.kinds;
				model.tokens = blocks.matrix(blocks[tokens], vocabSize, dModel);
				if (output) model.output = blocks.matrix(blocks[output], vocabSize, dModel);
			},
			vocab(data) {
				return JSON.parse(new TextDecoder().decode(data));
			},
			norm(data) {
				model.norm = new Float32Array(data);
			},
			tokens(data, number) {
				blocks.fill(model.tokens, new Uint16Array(data), number * shardRows);
				release(data);
			},
			output(data, number) {
				blocks.fill(model.output, new Uint16Array(data), number * shardRows);
				release(data);
			},
			layer(data, number) {
				model.layers[number] = readLayer(data, number);
				release(data);
			},
			gate: (...given) => readFfn("gateProj", 4, ...given),
			up: (...given) => readFfn("upProj", 5, ...given),
			down: (...given) => readFfn("downProj", 6, ...given),
		};

		function check(sequence) {
			if (sequence.length === 0) fail("还没有词元：请先写几个字。");
			if (sequence.length > maxTokens) fail(`这里有 ${sequence.length} 个词元，一次最多 ${maxTokens} 个，请写短一些。`);
			const unknown = sequence.find((id) => !(Number.isInteger(id) && id >= 0 && id < vocabSize));
			if (unknown !== undefined) fail(`编号 ${unknown} 不在词表里。`);
		}

		// 问得到的层、头、位置，都要在算过的里面
		function within(value, end, name) {
			if (ids.length === 0) fail("还没有算过一段文字。");
			if (!(Number.isInteger(value) && value >= 0 && value < end))
				fail(`没有第 ${value} ${name}，编号从 0 到 ${end - 1}。`);
		}

		const calls = {
			feed(sequence, useCache) {
				check(sequence);
				const start = performance.now();
				let kept = 0;
				while (useCache && kept < sequence.length && sequence[kept] === ids[kept]) kept++;
				const read = sequence.slice(0, kept + PIECE),
					whole = read.length === sequence.length;
				ids = []; // 算到一半出了错，留着的就都不算数
				questions.forget(kept);
				if (kept < read.length) languageModel.forward(read, model, cache, kept);
				ids = read;
				const logits = whole ? calls.logits(ids.length - 1) : null;
				return { logits, kept, end: ids.length, milliseconds: performance.now() - start };
			},

			attention(layer, head) {
				within(layer, numLayers, "层");
				within(head, numHeads, "个头");
				const weights = questions.attention(ids.length, layer, head);
				transfer(weights);
				return weights;
			},

			patterns() {
				within(0, 1);
				return questions.patterns(ids.length);
			},

			logits(position) {
				within(position, ids.length, "个位置");
				const logits = languageModel.read(position, numLayers, model, cache);
				transfer(logits);
				return logits;
			},

			surprises(from, end) {
				within(from - 1, ids.length, "个位置");
				within(end - 1, ids.length, "个位置");
				return questions.surprises(ids, from, end);
			},

			lens(position) {
				within(position, ids.length, "个位置");
				return questions.lens(position);
			},

			norms() {
				within(0, 1);
				return questions.norms(ids.length);
			},
		};

		return { files, calls };
	}

	class LlmEngine extends LiveEngine {
		constructor(root, folder) {
			const parts = `${liveBlocks}, ${liveLanguageModel}, ${liveSampling}, ${liveQuestions}`;
			super({ root, folder, code: `(config, tools) => (${llmWorker})(config, tools, ${parts})` });
			this.feeding = Promise.resolve();
		}

		// 全部取齐才算打开：每个词元都要用到每一层
		async open(onProgress) {
			await super.open(onProgress);
			await this.complete;
			this.tokenizer ??= this.buildTokenizer(await this.arrival("vocab.json"));
			return this;
		}

		buildTokenizer({ chatTemplate, ...vocabulary }) {
			const { bosId, eosId, padId } = this.config,
				{ BytePairTokenizer } = liveBytePair();
			return new BytePairTokenizer({ ...vocabulary, template: chatTemplate, bosId, eosId, padId });
		}

		// ids 从头到尾；kept 个位置是留着的，computed 个是新算的，logits (V,) 是最后一个位置的；cache: false 先全部忘掉。
		// onPiece(算了几个, 共几个)：还没有算完，又算完一截；signal 叫停了就不再算，算过的留着。几次 feed 排着做
		feed(ids, options = {}) {
			const answer = this.feeding.then(() => this.feedPieces(Array.from(ids), options));
			this.feeding = answer.catch(() => {});
			return answer;
		}

		async feedPieces(ids, { cache = true, onPiece, signal }) {
			let { logits, kept, end, milliseconds } = await this.ask("feed", [ids, cache]);
			while (!logits) {
				onPiece?.(end, ids.length);
				signal?.throwIfAborted();
				const piece = await this.ask("feed", [ids, true]);
				({ logits, end } = piece);
				milliseconds += piece.milliseconds;
			}
			return { logits, kept, computed: ids.length - kept, milliseconds };
		}

		// (N, N)，第 i 行是第 i 个位置给前面各个位置的权重
		attention(layer, head) {
			return this.ask("attention", [layer, head]);
		}

		// { first, previous, self }，各 (层, 头)：平均给第一个词元、前一个词元、自己多少
		patterns() {
			return this.ask("patterns");
		}

		// 算过的一个位置的分数 (V,)：由留着的隐藏状态再读一遍，与当初 feed 给的每一位都相同
		logits(position) {
			return this.ask("logits", [position]);
		}

		// 第 from 到 end 个词元（不含 end）各有多意外，单位是位；第 0 个前面什么也没有，所以 from 至少是 1
		surprises(from, end) {
			return this.ask("surprises", [from, end]);
		}

		// 嵌入与各层各一项：{ top: [{ id, probability } × 5], chosen: { rank, probability } }，chosen 说的是最后一层的第一名
		lens(position) {
			return this.ask("lens", [position]);
		}

		// (层 + 1, N)：隐藏状态有多长
		norms() {
			return this.ask("norms");
		}
	}

	// 打开一次就一直留着；没有取完，已经取到的也留着。folder 是数据在 data/ 里的文件夹，一个模型一个
	const engines = {};

	async function open({ root, folder = "llm", onProgress }) {
		if (!engines[folder] || engines[folder].stopped) engines[folder] = new LlmEngine(root, folder);
		return engines[folder].open(onProgress);
	}

	// 正在取的一个取完就停；再 open 就接着取
	const pause = (folder = "llm") => engines[folder]?.pause();

	return { open, pause };
})();
