// 网页里运行 Python：Brython 与课程自己的几个 Python 文件，头一次用到才取；读者的代码在沙箱里的后台线程运行，超时就结束它。
//
//   const python = LivePython.open();
//   const { verdicts, error } = await python.run({ code, … }, modules, (text) => {});  // 打印的一段段交给末一个函数
// modules 是这一章的 Python 文件，名字 → 源码；用到了才编译。
//
// 沙箱是一个不显示的 <iframe>：它自成一源，碰不到这一页与浏览器里存的东西；它的 Content-Security-Policy 不许任何请求，
// 在它里面开的后台线程也一样。这都由浏览器看守，读者的代码怎样写都出不去。
globalThis.LivePython = (() => {
	const SECONDS = 10; // 一次运行最多这么久：慢的电脑上，光译好一章的模块就要两三秒
	const PATIENCE = 30; // 引擎自己准备好，最多等这么久
	const POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob:; worker-src blob:";
	const { dataset, src } = document.currentScript;
	const failure = (message) => Object.assign(Error(message), { again: true });

	// 沙箱里的全部代码：把收到的一段脚本当作后台线程开起来，连着的口子交给它
	function inside() {
		onmessage = ({ data, ports }) => {
			const worker = new Worker(URL.createObjectURL(new Blob([data], { type: "text/javascript" })));
			worker.postMessage(null, ports);
		};
	}

	async function unpack(base64) {
		const stream = new Blob([LiveEngine.decode(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
		return new Response(stream).text();
	}

	// Brython 两本书共用一份；课程自己的 Python 文件里有字，两本书各有一份
	async function source() {
		const here = new URL("../", src).href;
		const [brython, modules] = await Promise.all([
			LiveEngine.read(dataset.root, "python/brython").then(unpack),
			LiveEngine.read(here, "exercises/python").then(unpack),
		]);
		const { library, scripts } = JSON.parse(brython);
		const { before, after } = pythonWorker;
		const all = JSON.stringify({ ...scripts, ...JSON.parse(modules) });
		return `({ ${before} }).before();\n${library}\n({ ${after} }).after(${all});`;
	}

	class LivePython {
		constructor() {
			this.queue = Promise.resolve();
			this.count = 0;
		}

		// 沙箱里准备好的后台线程；没有就开一个
		ready() {
			this.source ??= source();
			this.source.catch(() => (this.source = null)); // 取不到的话，下次再取
			this.started ??= this.source.then((text) => this.start(text));
			this.started.catch(() => this.end());
			return this.started;
		}

		start(text) {
			return new Promise((resolve, reject) => {
				const frame = document.createElement("iframe");
				const { port1, port2 } = new MessageChannel();
				const late = setTimeout(
					() => reject(failure("网页里的 Python 迟迟没有准备好，请再试一次，或者换一个新一些的浏览器。")),
					PATIENCE * 1000,
				);
				port1.onmessage = ({ data: { broken } }) => {
					clearTimeout(late);
					if (broken) reject(failure(`网页里的 Python 准备不了（${broken}），请换一个新一些的浏览器。`));
					else resolve(port1);
				};
				frame.hidden = true;
				frame.sandbox = "allow-scripts";
				frame.srcdoc = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${POLICY}"><script>(${inside})()</script>`;
				frame.onload = () => frame.contentWindow.postMessage(text, "*", [port2]);
				this.frame = frame;
				document.body.append(frame);
			});
		}

		// 后台线程随沙箱一起没了
		end() {
			this.frame?.remove();
			this.started = this.frame = null;
		}

		// 一次一件，先来的先做
		run(request, modules, onOutput) {
			const turn = this.queue.then(() => this.turn(request, modules, onOutput));
			this.queue = turn.catch(() => {});
			return turn;
		}

		async turn(request, modules, onOutput) {
			const port = await this.ready();
			const id = ++this.count;
			const result = await new Promise((resolve) => {
				const late = setTimeout(() => resolve({ late: SECONDS }), SECONDS * 1000);
				port.onmessage = ({ data }) => {
					if (data.id !== id) return;
					if (data.output !== undefined) return onOutput(data.output);
					clearTimeout(late);
					resolve(data.result);
				};
				port.postMessage({ id, modules, request: JSON.stringify(request) });
			});
			// 结束掉的、被读者的代码改坏了的，都换一个新的，下次就不必等
			if (result.late || result.spoiled || result.failed) {
				this.end();
				this.ready();
			}
			return result;
		}
	}

	let python;
	return { open: () => (python ??= new LivePython()) };
})();
