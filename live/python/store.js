// 读者写下的代码与做对了哪些，只记在这个浏览器里：键都以 exercise/ 开头。浏览器不让存（例如隐私模式）时，关掉这一页就没有了。
globalThis.ExerciseStore = (() => {
	const PREFIX = "exercise/",
		OFF = `${PREFIX}off`;
	const kept = new Map();
	const guarded = (work, otherwise) => {
		try {
			return work();
		} catch {
			return otherwise;
		}
	};
	const read = (key) => guarded(() => localStorage.getItem(key), null) ?? kept.get(key) ?? null;
	const write = (key, value) => {
		kept.set(key, value);
		guarded(() => (value === null ? localStorage.removeItem(key) : localStorage.setItem(key, value)));
	};
	const keys = () => [...new Set([...kept.keys(), ...guarded(() => Object.keys(localStorage), [])])];
	const text = (name) => `${PREFIX}text/${name}`,
		done = (name) => `${PREFIX}done/${name}`;

	return {
		text: (name) => read(text(name)),
		keepText: (name, value) => write(text(name), value),
		isDone: (name) => read(done(name)) !== null,
		markDone(name) {
			if (read(OFF) === null) write(done(name), "1");
		},
		get off() {
			return read(OFF) !== null;
		},
		// 不记了，就连各章记下的一起忘掉
		set off(value) {
			if (value) for (const key of keys()) if (key.startsWith(done(""))) write(key, null);
			write(OFF, value ? "1" : null);
		},
	};
})();
