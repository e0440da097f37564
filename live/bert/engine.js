// 网页里的 BERT：分词与计算都在后台线程（Worker）里，打字不会卡；取数据的事在 ../engine.js。
//
//   const engine = await LiveBert.open({ root: "../live/", onProgress: (loaded, total) => {} });
//   const { tokens, hidden, attention } = await engine.run("time flies like an arrow");
//   await engine.complete;
//
// 打开就把全部文件照同一个次序取来：先是各层，再是词元的嵌入，常用的词编号小，在前面，所以不等取完就算得了一句话。
globalThis.LiveBert = (() => {
  // 后台线程里运行的全部代码；它自成一体，用不到外面的名字
  function bertWorker(config, { fail, transfer }, { WordPieceTokenizer }, liveBert, liveWeights, liveSimd) {
    const { shardRows, numLayers, numHeads, dModel, maxTokens } = config;
    let tokenizer, bert, read, embeddings;
    const layers = [], shards = [];

    const files = {
      linear(data) {
        const simd = liveSimd(data, config);
        [bert, read] = [liveBert(simd), liveWeights(simd, config)];
      },
      vocab(data) { tokenizer = new WordPieceTokenizer(new TextDecoder().decode(data)); },
      embeddings(data) { embeddings = read.readEmbeddings(data); },
      layer(data, number) { layers[number] = read.readLayer(data); },
      tokens(data, number) { shards[number] = read.readShard(data); },
    };

    const calls = {
      encode(text, pair) {
        if (/\p{Surrogate}/u.test(`${text} ${pair}`)) fail("文字里有半个字符（落单的代理码位），请删去它再试。");
        if (tokenizer.tokenize(text).length === 0) fail("请先输入一句话。");
        const encoded = tokenizer.encode(text, pair), n = encoded.ids.length;
        if (n > maxTokens) fail(`这里有 ${n} 个词元，一次最多 ${maxTokens} 个，请写短一些。`);
        return encoded;
      },

      run({ ids, segments }) {
        const tokens = (id) => shards[Math.floor(id / shardRows)](id % shardRows);
        const start = performance.now();
        const output = bert.forward(ids, segments, { embeddings: { ...embeddings, tokens }, layers, numHeads });
        transfer(...output.hidden, ...output.attention);
        return { numLayers, numHeads, dModel, ...output, milliseconds: performance.now() - start };
      },
    };

    return { files, calls };
  }

  class BertEngine extends LiveEngine {
    constructor(root) {
      const parts = `(${liveTokenizer})(), ${liveBert}, ${liveWeights}, ${liveSimd}`;
      super({ root, folder: "bert", code: `(config, tools) => (${bertWorker})(config, tools, ${parts})` });
    }

    async open(onProgress) {
      await super.open(onProgress);
      await this.arrival("tokens0.bin"); // [CLS] 在头一片里，到这里才算得了一句话
      return this;
    }

    // 文本（或一对文本）→ 词元、编号、段；words[i] 是词元 i 所在的词，unknown 是成了 [UNK] 的词与它的位置
    encode(text, pair) {
      return this.ask("encode", [text, pair]);
    }

    // hidden[0] 是嵌入，hidden[l] 是第 l 层的输出，各 N × dModel；attention[l] 是 numHeads × N × N
    async run(text, pair) {
      const encoded = await this.encode(text, pair);
      // 到了编号最大的一片，前面的也都到了
      await this.arrival(`tokens${Math.floor(Math.max(...encoded.ids) / this.config.shardRows)}.bin`);
      return { ...encoded, ...(await this.ask("run", [encoded])) };
    }
  }

  // 打开一次就一直留着；没有取完，已经取到的也留着
  let engine;

  async function open({ root, onProgress }) {
    if (!engine || engine.stopped) engine = new BertEngine(root);
    return engine.open(onProgress);
  }

  return { open };
})();
