// 按钮：打开与停下、写一个与一直写、怎样挑、种子；以及按钮下面的一句话。
globalThis.LlmControls = (() => {
	const { html, radio } = LiveMarks;
	const PICKS = ["取最高的", "抽签"];
	const MISSING = "这本书成书时没有带上它（约 100 MB）：在书的源文件夹里运行 make book，不写 LIVE_LLM=0，就有了。";
	const million = (bytes) => Math.round(bytes / 1e6);
	// 数据是写成 base64 的脚本，大三分之一，网站压缩之后就没有了；从硬盘打开，没有人压缩
	const sizeOf = (bytes) =>
		location.protocol === "file:" ? `读入约 ${million((bytes * 4) / 3)} MB` : `下载约 ${million(bytes)} MB`;

	function controls({ onOpen, onPause, onStep, onStream, onClear, onAgain, onPick, onSeed, onRewrite }) {
		const button = (text, onClick, attributes = {}) => {
			const made = html("button", { type: "button", ...attributes }, text);
			made.addEventListener("click", onClick);
			return made;
		};
		const open = button("", onOpen, { class: "live-open" }),
			pause = button("停下", () => ((stopped = true), onPause()), { hidden: true });
		const progress = html("progress", { "aria-label": "装入了多少", max: 1, value: 0, hidden: true });
		const arrived = html("span", { class: "live-arrived" });
		const opening = html("div", { class: "llm-line llm-opening" }, open, pause, progress, arrived);

		const step = button("写一个词元", onStep, { class: "live-open" }),
			stream = button("一直写", onStream);
		const clear = button("清掉写下的", onClear),
			again = button("再问一句", onAgain, { hidden: true });
		const picks = PICKS.map((name, i) =>
			html(
				"label",
				{ class: "llm-choice" },
				radio("llm-draw", () => onPick(i), { value: i }),
				html("span", {}, name),
			),
		);
		const seed = html("input", {
			type: "number",
			min: 0,
			max: 999999,
			step: 1,
			inputmode: "numeric",
			"aria-label": "种子：种子相同，抽出的也相同",
		});
		seed.addEventListener("change", () => onSeed(Number(seed.value) || 0));
		const seeded = html(
			"span",
			{ class: "llm-seed" },
			html("span", { "aria-hidden": true }, "种子"),
			seed,
			button("换个种子重写", onRewrite, { class: "llm-small" }),
		);
		const choices = html("div", { class: "llm-choices", role: "radiogroup", "aria-label": "怎样挑" }, ...picks);
		const writing = html(
			"div",
			{ class: "llm-controls", hidden: true },
			html("div", { class: "llm-line" }, step, stream, clear, again),
			html("div", { class: "llm-line" }, choices, seeded),
		);

		// 前文很长时：读了几个；读屏的只听一句，不逐段念
		const read = html("progress", { "aria-label": "前文读了多少", value: 0 }),
			counted = html("span", { "aria-hidden": true });
		const reading = html("span", { class: "llm-reading-on", hidden: true }, read, counted);
		const status = html("span", { role: "status" }),
			speed = html("span", { "data-tokens-per-second": "", class: "llm-speed" });
		const element = html("div", {}, opening, writing, html("p", { class: "live-status" }, status, reading, speed));
		let focused = false,
			stopped = false,
			chatting = false; // 焦点在不在打开的按钮上；是不是读者叫停的；是不是一问一答

		return {
			element,
			show(state) {
				picks.forEach((each, i) => (each.control.checked = i === state.draw));
				seed.value = state.seed;
				chatting = Boolean(state.chat);
				seeded.hidden = !state.draw;
			},
			get reading() {
				return !reading.hidden;
			},
			say(message, wrong = false) {
				reading.hidden = true;
				counted.textContent = "";
				status.textContent = message;
				status.classList.toggle("live-wrong", wrong);
			},
			tellTime({ last, ids, full }) {
				const time = last.computed ? `；算 ${last.computed} 个用 ${Math.round(last.milliseconds)} 毫秒` : "";
				this.say(full ? `写满 ${ids.length} 个词元了；退回几个，或者清掉写下的。` : `${ids.length} 个词元${time}。`);
			},
			tellReading(count, all) {
				reading.hidden = false;
				[read.value, read.max] = [count, all];
				counted.textContent = `${count} / ${all}`;
				stream.textContent = "停";
				step.disabled = !(stream.disabled = false);
			},
			// 读到一半，叫停了
			unread(all) {
				this.say(`停下了：${all} 个词元，读了 ${read.value} 个；改短一些，或者接着读。`);
				stream.textContent = "接着读";
				stream.disabled = false;
			},
			tellSpeed(perSecond, note = "") {
				speed.dataset.tokensPerSecond = perSecond ? perSecond.toFixed(1) : "";
				speed.textContent = perSecond ? `每秒 ${perSecond.toFixed(1)} 个${note}` : "";
			},
			setLive(live, canClear) {
				step.disabled = stream.disabled = !live;
				clear.disabled = !live || !canClear;
				again.hidden = !live || !canClear || !chatting;
			},
			setRunning(running) {
				stream.textContent = running ? "停" : "一直写";
				step.disabled = running;
			},
			// -- 打开 --
			press: () => open.click(),
			// bytes：要取多少字节，没有就是书里没有带
			closed({ name, bytes }) {
				open.textContent = bytes ? `打开 ${name}（${sizeOf(bytes)}）` : "书里没有它";
				open.disabled = !bytes;
				opening.hidden = false;
				pause.hidden = writing.hidden = progress.hidden = true;
				arrived.textContent = "";
				this.tellSpeed(0);
				this.say(bytes ? "还没有装入模型。" : MISSING);
			},
			loading() {
				focused = opening.contains(document.activeElement);
				open.disabled = true;
				opening.hidden = pause.hidden = progress.hidden = false;
				writing.hidden = true;
				this.say("正在装入……");
			},
			progress(loaded, total) {
				progress.value = loaded / total;
				arrived.textContent = `${Math.floor((100 * loaded) / total)} %`;
			},
			failed(message) {
				this.say(message, !stopped);
				open.textContent = stopped ? "接着取" : "再试一次";
				stopped = false;
				open.disabled = opening.hidden = false;
				pause.hidden = writing.hidden = true;
			},
			opened() {
				focused ||= opening.contains(document.activeElement);
				opening.hidden = true;
				writing.hidden = false;
			},
			focus: () => focused && step.focus({ preventScroll: true }), // 按钮没有了，焦点落在接着要按的那个上
		};
	}

	return { controls };
})();
