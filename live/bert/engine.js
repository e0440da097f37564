// 网页里的 BERT：数据要用时才取，分词与计算都在后台线程（Worker）里，打字不会卡。
//
//   const engine = await LiveBert.open({ root: "../live/", onProgress: (loaded, total) => {} });
//   const { tokens, hidden, attention } = await engine.run("time flies like an arrow");
//   await engine.complete;
//
// 打开就把全部文件照同一个次序取来：先是各层，再是词元的嵌入，常用的词编号小，在前面。
// 所以不等取完就算得了一句话；而取什么、先取什么，都与你写的字无关。取完了（complete），就不再取。
//
// 经 http 用 fetch 取 .bin；从 file:// 打开时浏览器不许 fetch，也不许从文件启动 Worker，
// 于是数据另有一份写成 base64 放在普通的脚本里，Worker 则由别的几个文件里的函数拼成。
// 取不到、算不了时，Promise 以一句可以给读者看的中文失败；带着 again 的，再 open 一次就是再试一次。
globalThis.LiveBert = (() => {
  // 后台线程里运行的全部代码；它自成一体，用不到外面的名字
  function liveWorker({ WordPieceTokenizer }, liveBert, liveWeights, liveSimd) {
    let config, tokenizer, bert, read, embeddings;
    const layers = [], shards = [];
    const fail = (message) => { throw Object.assign(Error(message), { forReader: true }); };

    function decode(base64) {
      if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64).buffer;
      return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)).buffer;
    }

    const calls = {
      // 收下一个数据文件：http 来的是 ArrayBuffer，脚本来的是 base64
      receive(name, data) {
        const incomplete = () => fail(`数据文件 ${name} 不完整，请再试一次。`);
        try {
          if (typeof data === "string") data = decode(data);
          if (name === "config.json") config = JSON.parse(new TextDecoder().decode(data));
        } catch {
          incomplete();
        }
        if (name === "config.json") return config;
        if (data.byteLength !== config.files[name]) incomplete();
        const [, kind, number] = name.match(/^([a-z]+)(\d*)/);
        if (kind === "linear") {
          const simd = liveSimd(data, config);
          [bert, read] = [liveBert(simd), liveWeights(simd, config)];
        }
        if (kind === "vocab") tokenizer = new WordPieceTokenizer(new TextDecoder().decode(data));
        if (kind === "embeddings") embeddings = read.readEmbeddings(data);
        if (kind === "layer") layers[number] = read.readLayer(data);
        if (kind === "tokens") shards[number] = read.readShard(data);
      },

      encode(text, pair) {
        if (/\p{Surrogate}/u.test(`${text} ${pair}`)) fail("文字里有半个字符（落单的代理码位），请删去它再试。");
        if (tokenizer.tokenize(text).length === 0) fail("请先输入一句话。");
        const encoded = tokenizer.encode(text, pair), n = encoded.ids.length;
        if (n > config.maxTokens) fail(`这里有 ${n} 个词元，一次最多 ${config.maxTokens} 个，请写短一些。`);
        return encoded;
      },

      // 换一个词：从 start 到 end（不含）的词元换成 word 切出的；一个个词元地换，别处的一字不动
      swap({ tokens, ids, segments, words }, start, end, word) {
        const inner = calls.encode(word, ""), count = inner.ids.length - 2;
        const replace = (old, made) => [...old.slice(0, start), ...made, ...old.slice(end)];
        const n = ids.length - (end - start) + count;
        if (n > config.maxTokens) fail(`换过之后有 ${n} 个词元，一次最多 ${config.maxTokens} 个，请换一个短一些的词。`);
        return {
          tokens: replace(tokens, inner.tokens.slice(1, -1)),
          ids: replace(ids, inner.ids.slice(1, -1)),
          segments: replace(segments, Array(count).fill(segments[start])),
          words: replace(words, inner.words.slice(1, -1)),
        };
      },

      // 一个头的查询、键、值，各 (N, d)：x 是这一层的输入，投影就是 selfAttn 里的，只留这个头的 d 个特征
      head(x, layer, head) {
        const { dModel, numHeads } = config, d = dModel / numHeads, { qProj, kProj, vProj } = layers[layer].selfAttn;
        const mine = (y) => Float32Array.from({ length: y.length / numHeads }, (_, i) => y[Math.floor(i / d) * dModel + head * d + (i % d)]);
        const [query, key, value] = [qProj, kProj, vProj].map((proj) => mine(bert.linear(x, proj)));
        return { query, key, value };
      },

      run({ ids, segments }, options) {
        const { shardRows, numLayers, numHeads, dModel } = config;
        const tokens = (id) => shards[Math.floor(id / shardRows)](id % shardRows);
        const start = performance.now();
        const output = bert.forward(ids, segments, { embeddings: { ...embeddings, tokens }, layers, numHeads }, options);
        return { numLayers, numHeads, dModel, ...output, milliseconds: performance.now() - start };
      },
    };

    onmessage = ({ data: { id, call, args } }) => {
      try {
        const result = calls[call](...args);
        // 结果里的大数组移交给页面，不复制
        const arrays = call === "run" ? [...result.hidden, ...result.attention] : [];
        postMessage({ id, result }, arrays.map(({ buffer }) => buffer));
      } catch (error) {
        const message = error.forReader ? error.message : `算不下去了（${error.message}），请刷新页面再试。`;
        postMessage({ id, error: message });
      }
    };
  }

  const failure = (message) => Object.assign(Error(message), { again: true });

  // 从 file:// 打开时，数据脚本把内容交到这里
  const delivered = new Map();
  const deliver = (name, base64) => delivered.set(name, base64);

  class Engine {
    constructor(root) {
      this.folder = new URL("data/bert/", new URL(root, document.baseURI));
      this.loading = new Map(); // 文件名 → 取它的 Promise
      this.loaded = new Map(); // 文件名 → 已经取到的字节数
      this.failures = new Map(); // 文件名 → 没有取成的次数
      this.arrivals = null; // 文件名 → 取到它与它前面各个文件的 Promise
      this.waiting = []; // 问了后台线程、还没有答复的
      const code = `(${liveWorker})((${liveTokenizer})(), ${liveBert}, ${liveWeights}, ${liveSimd});`;
      try {
        this.worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
      } catch {
        throw failure("这个浏览器开不了后台线程，请换一个新一些的浏览器。");
      }
      this.worker.onmessage = ({ data: { id, result, error } }) => {
        const { resolve, reject } = this.waiting[id];
        delete this.waiting[id];
        if (error === undefined) resolve(result);
        else reject(Error(error));
      };
      this.worker.onerror = () => {
        this.worker.terminate();
        this.stopped = failure("后台线程停了，可能是内存不够，请再试一次。");
        for (const { reject } of this.waiting.filter(Boolean)) reject(this.stopped);
      };
    }

    ask(call, args, transfer = []) {
      return new Promise((resolve, reject) => {
        if (this.stopped) reject(this.stopped);
        else this.worker.postMessage({ id: this.waiting.push({ resolve, reject }) - 1, call, args }, transfer);
      });
    }

    // 同一个文件只取一次；没有取成的忘掉，下次再取
    load(name) {
      if (!this.loading.has(name)) this.loading.set(name, this.receive(name));
      return this.loading.get(name);
    }

    async receive(name) {
      try {
        const data = this.folder.protocol === "file:" ? await this.readScript(name) : await this.download(name);
        return await this.ask("receive", [name, data], typeof data === "string" ? [] : [data]);
      } catch ({ message }) {
        this.broken = true; // 后面的不再取，到下一次 open 为止
        this.loading.delete(name);
        this.loaded.delete(name);
        this.failures.set(name, (this.failures.get(name) ?? 0) + 1);
        throw failure(message);
      }
    }

    async download(name) {
      let response, size = 0;
      const chunks = [];
      try {
        // 上次没有取成的话，浏览器存下的也许就是坏的
        response = await fetch(new URL(name, this.folder), { cache: this.failures.has(name) ? "reload" : "default" });
        const body = response.body.getReader();
        for (let { done, value } = await body.read(); !done; { done, value } = await body.read()) {
          chunks.push(value);
          this.progress(name, (size += value.length));
        }
      } catch {
        throw Error(`取不到数据文件 ${name}，请看看网络是否连着，再试一次。`);
      }
      if (!response.ok) throw Error(`网站上没有数据文件 ${name}（${response.status}），请过一会儿再试。`);
      const data = new Uint8Array(size);
      for (const chunk of chunks.reverse()) data.set(chunk, (size -= chunk.length));
      return data.buffer;
    }

    readScript(name) {
      return new Promise((resolve, reject) => {
        const script = document.createElement("script");
        const again = this.failures.has(name) ? `?${this.failures.get(name)}` : "";
        script.src = new URL(`${name}.js${again}`, this.folder);
        script.onload = () => {
          script.remove();
          if (!delivered.has(name)) reject(Error(`数据文件 ${name}.js 不完整，请再试一次。`));
          resolve(delivered.get(name));
          delivered.delete(name);
          this.progress(name, this.config?.files[name]);
        };
        script.onerror = () => {
          script.remove();
          reject(Error(`找不到数据文件 ${name}.js，请看看书的文件夹里 live/data/bert 是否完整，再试一次。`));
        };
        document.head.append(script);
      });
    }

    progress(name, bytes) {
      this.loaded.set(name, bytes);
      if (!this.config) return;
      const files = Object.keys(this.config.files);
      const sum = (bytesOf) => files.reduce((total, file) => total + (bytesOf(file) ?? 0), 0);
      this.onProgress?.(sum((file) => this.loaded.get(file)), sum((file) => this.config.files[file]));
    }

    // 一个接一个：一起取并不快多少，却要同时占着内存
    loadAll() {
      this.arrivals = new Map();
      this.complete = Promise.resolve();
      for (const name of Object.keys(this.config.files)) {
        this.complete = this.complete.then(() => this.load(name));
        this.arrivals.set(name, this.complete);
      }
      this.complete.catch(() => {}); // 没有人等着它，也不必在控制台里抱怨
    }

    // 到了这个编号的一片，前面的也都到了
    arrival(id) {
      return this.arrivals.get(`tokens${Math.floor(id / this.config.shardRows)}.bin`);
    }

    async open(onProgress) {
      this.onProgress = onProgress;
      this.config = await this.load("config.json");
      if (!this.arrivals || this.broken) this.loadAll();
      this.broken = false;
      await this.arrival(0); // [CLS] 在头一片里，到这里才算得了一句话
      return this;
    }

    // 文本（或一对文本）→ 词元、编号、段；words[i] 是词元 i 所在的词，unknown 是成了 [UNK] 的词与它的位置
    encode(text, pair) {
      return this.ask("encode", [text, pair]);
    }

    // hidden[0] 是嵌入，hidden[l] 是第 l 层的输出，各 N × dModel；attention[l] 是 numHeads × N × N
    // options：off 里的 [层, 头] 关掉，masked 里的位置谁也不许注意
    async run(text, pair, options) {
      return this.runEncoded(await this.encode(text, pair), options);
    }

    async runEncoded(encoded, options) {
      await this.arrival(Math.max(...encoded.ids));
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

  // 打开一次就一直留着；没有取完，已经取到的也留着
  let engine;

  async function open({ root, onProgress }) {
    if (!engine || engine.stopped) engine = new Engine(root);
    return engine.open(onProgress);
  }

  return { open, deliver };
})();
