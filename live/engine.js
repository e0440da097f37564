// 两页共用的引擎底子：按下按钮才取数据，一个文件接一个文件，次序写在 config.json 里；计算都在后台线程（Worker）里。
//
// 每个数据文件都是一个普通的脚本，只有一句 LiveEngine.deliver("bert/vocab.txt", () => {/*base64……*/})：
// 从 file:// 打开时浏览器不许 fetch，只肯载入脚本；经 http 也用这一份，当作文字取来，不运行它，用过的文字浏览器就收得走。
// base64 多出的三分之一，网站压缩之后就没有了。
// 取什么、先取什么，都与你写的字无关；取完了（complete），就不再取。
//
// 一个具体的引擎继承 LiveEngine，给它后台线程的代码 code：一个函数的文字，
//   (config, { fail, transfer }) => ({ files: { layer(buffer, number) {…}, … }, calls: { run(…) {…}, … } })
// files 按文件名的字母部分收下一个个文件，calls 是 ask 能问的。fail(一句话) 是说给读者听的错；
// transfer(数组, …) 把结果里的大数组移交给页面，不复制。
// 取不到、算不了时，Promise 以一句可以给读者看的中文失败；带着 again 的，再 open 一次就接着取还缺的。
globalThis.LiveEngine = (() => {
	function decode(base64) {
		if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64).buffer;
		return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)).buffer;
	}

	// 后台线程的架子；它自成一体，用不到外面的名字
	function liveWorker(decode, build) {
		let config,
			built,
			moved = [];
		const fail = (message) => {
			throw Object.assign(Error(message), { forReader: true });
		};
		const transfer = (...arrays) => moved.push(...arrays.map(({ buffer }) => buffer));

		function receive(name, base64) {
			let data;
			const incomplete = () => fail(`数据文件 ${name}.js 不完整，请再试一次。`);
			try {
				data = decode(base64);
				if (name === "config.json") config = JSON.parse(new TextDecoder().decode(data));
			} catch {
				incomplete();
			}
			if (name === "config.json") {
				built = build(config, { fail, transfer });
				return config;
			}
			if (data.byteLength !== config.files[name]) incomplete();
			const [, kind, number] = name.match(/^([a-z]+)(\d*)/);
			return built.files[kind](data, Number(number));
		}

		onmessage = ({ data: { id, call, args } }) => {
			moved = [];
			try {
				const result = call === "receive" ? receive(...args) : built.calls[call](...args);
				postMessage({ id, result }, moved);
			} catch (error) {
				const message = error.forReader ? error.message : `算不下去了（${error.message}），请刷新页面再试。`;
				postMessage({ id, error: message });
			}
		};
	}

	const failure = (message) => Object.assign(Error(message), { again: true });
	const delivered = new Map();

	// 载入过的脚本，浏览器留着原文；页面自己的内存很小，收垃圾总也轮不到它们，一个大语言模型就白占 130 MB。
	// 所以每取 PILE 字节，要一块要不到的内存：Chromium 先把能收的都收走（约 40 毫秒），才说没有；别的浏览器立刻就说没有
	const PILE = 24e6;
	function sweep() {
		try {
			new ArrayBuffer(2 ** 35 - 1);
		} catch {} // 本来就要不到
	}
	const sweepLater = () => setTimeout(sweep); // 正在做的这件事，手里还拿着刚取到的

	// 下面两个函数都返回一段文字，里面有 /*base64……*/；断在半路的、不是 name 的，也许是空的
	async function fetchText(url, name) {
		const answer = await fetch(url);
		if (!answer.ok) throw Error(answer.statusText);
		const text = await answer.text();
		return text.startsWith(`LiveEngine.deliver("${name}"`) ? text : "";
	}

	function loadScript(url, name) {
		return new Promise((resolve, reject) => {
			const script = document.createElement("script");
			script.src = url;
			script.onload = () => {
				script.remove();
				resolve(delivered.get(name) ?? "");
				delivered.delete(name);
			};
			script.onerror = () => {
				script.remove();
				reject();
			};
			document.head.append(script);
		});
	}

	return class LiveEngine {
		static decode = decode;

		// 从 file:// 载入的数据脚本把内容交到这里。内容是函数里的注释，从它的原文里取：写成字符串的话，
		// 浏览器在脚本的原文之外另抄一份
		static deliver(name, content) {
			delivered.set(name, content.toString());
		}

		// 一个数据文件的 base64。上次没有取成的话，浏览器存下的也许就是坏的，所以 attempt 不是 0 时换一个网址
		static async read(root, name, attempt = 0) {
			const url = new URL(`data/${name}.js${attempt ? `?${attempt}` : ""}`, new URL(root, document.baseURI));
			const file = `${name.split("/")[1]}.js`,
				local = url.protocol === "file:";
			const text = await (local ? loadScript(url, name) : fetchText(url, name)).catch(() => {
				throw failure(`取不到数据文件 ${file}，请看看${local ? "书的文件夹里有没有它" : "网络是否连着"}，再试一次。`);
			});
			// 内容也许以 / 开头，与前面的 /* 连成 /*/，所以从后面找 */
			const start = text.indexOf("/*") + 2,
				end = text.lastIndexOf("*/");
			if (end < start) throw failure(`数据文件 ${file} 不完整，请再试一次。`);
			return text.slice(start, end);
		}

		// folder 是数据在 data/ 里的文件夹；code 见本文件开头
		constructor({ root, folder, code }) {
			Object.assign(this, { root, folder });
			this.loading = new Map(); // 文件名 → 取它的 Promise
			this.loaded = new Set(); // 已经收下的
			this.failures = new Map(); // 文件名 → 没有取成的次数
			this.arrivals = new Map(); // 文件名 → 取到它与它前面各个文件的 Promise
			this.waiting = []; // 问了后台线程、还没有答复的
			const source = `(${liveWorker})(${decode}, ${code});`;
			try {
				this.worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
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

		ask(call, args = [], transfer = []) {
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
				const base64 = await LiveEngine.read(this.root, `${this.folder}/${name}`, this.failures.get(name));
				const result = await this.ask("receive", [name, base64]);
				this.loaded.add(name);
				if (this.config) this.progress();
				return result;
			} catch ({ message }) {
				this.broken = true; // 后面的不再取，到下一次 open 为止
				this.loading.delete(name);
				this.failures.set(name, (this.failures.get(name) ?? 0) + 1);
				throw failure(message);
			}
		}

		progress() {
			const files = Object.entries(this.config.files);
			const sum = (pairs) => pairs.reduce((total, [, bytes]) => total + bytes, 0);
			this.onProgress?.(sum(files.filter(([name]) => this.loaded.has(name))), sum(files));
		}

		// 一个接一个：一起取并不快多少，却要同时占着内存
		loadAll() {
			let pile = 0;
			this.complete = Promise.resolve();
			for (const [name, bytes] of Object.entries(this.config.files)) {
				this.complete = this.complete.then(() => {
					this.broken = this.paused;
					if (this.paused) throw failure("停下了；已经取到的都留着，再按一次就接着取。");
					if ((pile += bytes) > PILE) {
						pile = 0;
						sweepLater();
					}
					return this.load(name);
				});
				this.arrivals.set(name, this.complete);
			}
			this.complete.then(sweepLater, () => {}); // 没有取成，有人等着它的自会知道，不必在控制台里抱怨
		}

		// 收下了这个文件与它前面的各个；结果是 files 里收它的函数给的
		arrival(name) {
			return this.arrivals.get(name);
		}

		// 取到 config.json，其余的接着取；全部取完要等 complete
		async open(onProgress) {
			this.onProgress = onProgress;
			this.paused = false;
			this.config = await this.load("config.json");
			if (!this.complete || this.broken) this.loadAll();
			this.broken = false;
			return this;
		}

		// 正在取的这一个取完就停，complete 失败；再 open 就接着取
		pause() {
			this.paused = true;
		}
	};
})();
