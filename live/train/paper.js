// 读这本书：取来文字，画出它与数次数的比，写出它接着写的一段。
globalThis.TrainPaper = (() => {
	const { html } = LiveMarks;
	const HERE = new URL("../", document.currentScript.src).href; // 文字两本书各有一份，各读各的
	const COUNT = 60,
		REST = 2500; // 一次写多少字；训练着，隔多少毫秒再写
	const BIT = Math.LN2;
	let fetched;

	async function unpack(base64) {
		const stream = new Blob([LiveEngine.decode(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
		return new Response(stream).json();
	}

	// 书里的文字，取一次就够；没有取成的，下次再取
	function open() {
		fetched ??= LiveEngine.read(HERE, "book/text").then(unpack);
		fetched.catch(() => (fetched = null));
		return fetched;
	}

	// 它接着写的一段；开头是读者的
	function paper({ engine, words }) {
		const begun = html("span", { class: "train-begun" }),
			written = html("span", { class: "train-written" });
		const again = html("button", { type: "button" }, "另写一段");
		const element = html(
			"figure",
			{ class: "train-paper" },
			html(
				"figcaption",
				{},
				html("span", {}, "它接着写的（浅色的是开头；一个字一个字抽签抽出来的，不是书里的话）"),
				again,
			),
			html("p", {}, begun, written),
		);
		let asked = 0,
			last = -Infinity,
			seed = 0,
			now,
			waiting;

		async function write() {
			const mine = ++asked,
				{ ids } = now;
			last = performance.now();
			const drawn = await engine.ask("write", [{ ...now, count: COUNT, seed }]).catch(() => null);
			if (!drawn || mine !== asked) return;
			const spelled = (ids) => ids.map((id) => words[id]).join("");
			[begun.textContent, written.textContent] = [spelled(ids), spelled(drawn)];
			element.dataset.at = now.at;
		}
		again.addEventListener("click", () => {
			seed++;
			return write();
		});

		// 此刻的它怎样写；running：还在训练，不必每步都写
		function show(given, running) {
			now = given;
			clearTimeout(waiting);
			if (!running) waiting = setTimeout(write, 200); // 正在打字，等一等
			else if (performance.now() - last > REST) return write();
		}
		return { element, show };
	}

	// 每个字多少比特；数次数的几条横线，名字写在右边
	const bits = (points) => points.map(([step, loss]) => [step, loss / BIT]);
	const guides = (lines, steps) =>
		Object.entries(lines).map(([name, value]) => ({
			kind: "train-guide",
			name: `${name} ${value.toFixed(2)}`,
			points: [
				[0, value],
				[steps, value],
			],
		}));
	const told = ({ loss, right }) => `没读过的两章，每个字 ${(loss / BIT).toFixed(2)} 比特，猜对 ${right.toFixed(2)}`;

	return { open, paper, bits, guides, told };
})();
