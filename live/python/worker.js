// 网页里的 Python：后台线程里运行的全部代码。它自成一体，用不到外面的名字；engine.js 把它与 Brython 拼成一个脚本。
//
// 读者写的是 Python，Brython 把它译成 JavaScript，就在这个线程里运行，所以线程里先不留能碰到外面的东西：
// 沙箱（engine.js）不给它网络、存储与网页；这里再把名字也拿走，读者的代码里连提也提不到。
globalThis.pythonWorker = {
	// 在 Brython 之前：告诉它自己在 file:///page/ 里，它就不去别处找模块，也不碰 indexedDB
	before() {
		Object.defineProperty(self, "location", {
			value: { href: "file:///page/python", origin: "file://", pathname: "/page/python" },
		});
		globalThis.__BRYTHON__ = { brython_path: "file:///page/" };
	},

	// 在 Brython 之后：modules 是 Python 的各个模块，名字 → [后缀, 源码]
	after(modules) {
		// JavaScript 自己的，加上 Brython 与这里要用的；此外都是浏览器给的，一个不留
		const KEPT = new Set(
			(
				"Object Function Array Number Boolean String Symbol Date Promise RegExp JSON Math Intl BigInt Proxy Reflect " +
				"Map Set WeakMap WeakSet WeakRef FinalizationRegistry ArrayBuffer DataView Atomics Iterator globalThis self " +
				"parseFloat parseInt isFinite isNaN Infinity NaN undefined eval escape unescape encodeURI encodeURIComponent " +
				"decodeURI decodeURIComponent constructor console performance setTimeout clearTimeout URL Event Node NodeList"
			).split(" "),
		);
		const isKept = (name) => KEPT.has(name) || /Error$|^\w+Array$|^__/.test(name);
		const $B = __BRYTHON__;
		const MOST = 20_000; // 一次运行最多送出这么多字符：page.py 剪得更短，读者的代码却可能绕过它

		onmessage = ({ ports: [port] }) => {
			const send = port.postMessage.bind(port); // 留在这里，读者的代码换掉什么也冒充不了
			onmessage = null;
			for (let scope = self; scope !== Object.prototype; scope = Object.getPrototypeOf(scope)) {
				for (const name of Object.getOwnPropertyNames(scope)) if (!isKept(name)) delete scope[name];
			}

			globalThis.console = Object.fromEntries(Object.keys(console).map((name) => [name, () => {}])); // Brython 遇错爱说话
			let current, room;
			$B.addToOutput = (text) => {
				const output = String(text).slice(0, room);
				room -= output.length;
				if (output) send({ id: current, output });
				return $B.builtins.None;
			};
			const output = "(function ($B) { $B.addToImported('_output', { write: $B.addToOutput }); })(__BRYTHON__)";
			$B.loadBrythonPackage({ ...modules, _output: [".js", output] });
			try {
				$B.runPythonSource("import page", "start");
			} catch (error) {
				send({ broken: String($B.error_trace($B.exception(error))) });
				return;
			}
			const answer = $B.$getattr($B.imported.page, "answer");
			// Python 通往 JavaScript 的几扇门
			for (const name of ["browser", "browser.aio", "javascript"]) delete $B.imported[name];
			delete $B.builtins.__BRYTHON__;

			port.onmessage = ({ data }) => {
				const id = (current = data.id);
				room = MOST;
				const files = Object.entries(data.modules).map(([name, text]) => [name, [".py", text, []]]);
				$B.loadBrythonPackage(Object.fromEntries(files));
				let result;
				try {
					result = JSON.parse($B.$call(answer, data.request));
				} catch (error) {
					result = { failed: String(error?.message ?? $B.error_trace($B.exception(error))) };
				}
				send({ id, result });
			};
			send({ ready: true });
		};
	},
};
