// 网页里的 BERT：分词与计算都在后台线程（Worker）里，打字不会卡；取数据的事在 ../engine.js。
//
//   const engine = await LiveBert.open({ root: "../live/", model: "", onProgress: (loaded, total) => {} });
//   const { tokens, hidden, attention } = await engine.run("time flies like an arrow");
//   await engine.complete;
//
// model 是 "zh" 时是多语的那一个，不写就是英文的；两个各有一个后台线程，数据各在一个文件夹里。
// 打开就把全部文件照同一个次序取来：先是各层，再是词元的嵌入，常用的词编号小，在前面，所以不等取完就算得了一句话。
globalThis.LiveBert = (() => {
	// 后台线程里运行的全部代码；它自成一体，用不到外面的名字
	function bertWorker(
		config,
		{ fail, transfer },
		{ WordPieceTokenizer, UnigramTokenizer },
		liveBert,
		liveWeights,
		liveSimd,
	) {
		const { shardRows, numLayers, numHeads, dModel, maxTokens } = config;
		let tokenizer, bert, read, embeddings, vocabulary;
		let rowOf = (id) => id; // 编号 → 嵌入表里带来的第几行
		const layers = [],
			shards = [];
		const lengthsOf = (x) =>
			Float32Array.from({ length: x.length / dModel }, (_, i) =>
				Math.hypot(...x.subarray(i * dModel, (i + 1) * dModel)),
			);

		const files = {
			linear(data) {
				const simd = liveSimd(data, config);
				[bert, read] = [liveBert(simd), liveWeights(simd, config)];
			},
			vocab(data) {
				const text = new TextDecoder().decode(data);
				if (UnigramTokenizer) vocabulary = JSON.parse(text);
				else tokenizer = new WordPieceTokenizer(text);
			},
			scores(data) {
				vocabulary.scores = new Float32Array(data);
			},
			ids(data) {
				const ids = new Uint32Array(data),
					rows = new Map(Array.from(ids, (id, row) => [id, row]));
				tokenizer = new UnigramTokenizer({ ...vocabulary, ids });
				rowOf = (id) => rows.get(id);
			},
			embeddings(data) {
				embeddings = read.readEmbeddings(data);
			},
			layer(data, number) {
				layers[number] = read.readLayer(data);
			},
			tokens(data, number) {
				shards[number] = read.readShard(data);
			},
		};

		const calls = {
			encode(text, pair, options) {
				if (/\p{Surrogate}/u.test(`${text} ${pair}`)) fail("文字里有半个字符（落单的代理码位），请删去它再试。");
				if (tokenizer.tokenize(text).every(({ token }) => token === "▁")) fail("请先输入一句话。");
				const encoded = tokenizer.encode(text, pair, options),
					n = encoded.ids.length;
				if (n > maxTokens) fail(`这里有 ${n} 个词元，一次最多 ${maxTokens} 个，请写短一些。`);
				return { ...encoded, rows: encoded.ids.map(rowOf) };
			},

			// 换一个词：从 start 到 end（不含）的词元换成 word 切出的；一个个词元地换，别处的一字不动
			swap({ tokens, ids, segments, words }, start, end, word) {
				const joined = !tokens[start].startsWith("▁"), // 原来接着别的字写，换上的也是
					inner = calls.encode(word, "", { joined }),
					count = inner.ids.length - 2;
				const replace = (old, made) => [...old.slice(0, start), ...made, ...old.slice(end)];
				const n = ids.length - (end - start) + count;
				if (n > maxTokens) fail(`换过之后有 ${n} 个词元，一次最多 ${maxTokens} 个，请换一个短一些的词。`);
				const changed = replace(ids, inner.ids.slice(1, -1));
				return {
					tokens: replace(tokens, inner.tokens.slice(1, -1)),
					ids: changed,
					rows: changed.map(rowOf),
					segments: replace(segments, Array(count).fill(segments[start])),
					words: replace(words, inner.words.slice(1, -1)),
				};
			},

			// 一个头的查询、键、值，各 (N, d)：x 是这一层的输入，投影就是 selfAttn 里的，只留这个头的 d 个特征
			head(x, layer, head) {
				const d = dModel / numHeads,
					{ qProj, kProj, vProj } = layers[layer].selfAttn;
				const mine = (y) =>
					Float32Array.from(
						{ length: y.length / numHeads },
						(_, i) => y[Math.floor(i / d) * dModel + head * d + (i % d)],
					);
				const [query, key, value] = [qProj, kProj, vProj].map((proj) => mine(bert.linear(x, proj)));
				return { query, key, value };
			},

			run({ ids, segments }, options) {
				const tokens = (id) => shards[Math.floor(rowOf(id) / shardRows)](rowOf(id) % shardRows);
				const start = performance.now();
				const output = bert.forward(
					ids,
					segments,
					{ embeddings: { ...embeddings, tokens }, layers, numHeads },
					options,
				);
				const { hidden, attention } = output,
					steps = output.between.flatMap((three, l) => [...three, hidden[l + 1]]);
				const milliseconds = performance.now() - start,
					lengths = [hidden[0], ...steps].map(lengthsOf);
				transfer(...hidden, ...attention);
				return { numLayers, numHeads, dModel, hidden, attention, lengths, milliseconds };
			},
		};

		return { files, calls };
	}

	class BertEngine extends LiveEngine {
		constructor(root, { folder, tokenizer }) {
			const parts = `(${tokenizer()})(), ${liveBert}, ${liveWeights}, ${liveSimd}`;
			super({ root, folder, code: `(config, tools) => (${bertWorker})(config, tools, ${parts})` });
		}

		async open(onProgress) {
			await super.open(onProgress);
			await this.arrival("tokens0.bin"); // [CLS] 与 <s> 在头一片里，到这里才算得了一句话
			return this;
		}

		// 文本（或一对文本）→ 词元、编号、段；words[i] 是词元 i 所在的词，unknown 是成了 [UNK] 或 <unk> 的词与它的位置，
		// rows 是各个编号在带来的嵌入表里的第几行
		encode(text, pair) {
			return this.ask("encode", [text, pair]);
		}

		// hidden[0] 是嵌入，hidden[l] 是第 l 层的输出，各 N × dModel；attention[l] 是 numHeads × N × N；
		// lengths 是每一步之后各个词元的向量有多长，各 N 个数：嵌入，再是每层的注意力、残差 + 归一化、前馈网络、残差 + 归一化
		// options：off 里的 [层, 头] 关掉，masked 里的位置谁也不许注意
		async run(text, pair, options) {
			return this.runEncoded(await this.encode(text, pair), options);
		}

		async runEncoded(encoded, options) {
			// 到了最靠后的一片，前面的也都到了
			await this.arrival(`tokens${Math.floor(Math.max(...encoded.rows) / this.config.shardRows)}.bin`);
			return { ...encoded, ...(await this.ask("run", [encoded, options])) };
		}

		// 已经切好的一句，其中几个词元换成一个词
		async swap({ tokens, ids, segments, words }, start, end, word) {
			return this.runEncoded(await this.ask("swap", [{ tokens, ids, segments, words }, start, end, word]));
		}

		// run 的一个结果里，一个头的 query、key、value，各 N × d：就是那次前向用的数
		head({ hidden }, layer, head) {
			return this.ask("head", [hidden[layer], layer, head]);
		}
	}

	// 载入页面时还不必有的，用到才看
	const MODELS = {
		"": { folder: "bert", tokenizer: () => liveTokenizer },
		zh: { folder: "multilingual", tokenizer: () => liveUnigram },
	};

	// 打开一次就一直留着；没有取完，已经取到的也留着
	const engines = {};

	async function open({ root, model = "", onProgress }) {
		if (!engines[model] || engines[model].stopped) engines[model] = new BertEngine(root, MODELS[model]);
		return engines[model].open(onProgress);
	}

	return { open };
})();
