// 下一个词元：最可能的十个与它们的概率，一条是一个按钮，点它就走那条路；四个滑杆当场改变概率。
globalThis.LlmBars = (() => {
	const { html, range } = LiveMarks;
	const { named } = LlmTokens;
	const { TEMPERATURES, KS, PS, MS } = LlmState;
	const SHOWN = 10;
	// 小得 32 位写不下的概率存成 0，也还是小，不是没有
	const percent = (share) => (share >= 0.0005 ? `${(100 * share).toFixed(1)} %` : "<0.1 %");
	const count = (number) => number.toLocaleString("en");

	// 从几个数里选一个的滑杆
	function slider({ label, values, show, onChange }) {
		const input = html("input", {
			type: "range",
			min: 0,
			max: values.length - 1,
			step: 1,
			"aria-label": label,
			"aria-describedby": "llm-about-dials",
		});
		const output = html("output");
		const write = () => {
			output.textContent = show(values[input.value]);
			input.setAttribute("aria-valuetext", output.textContent);
		};
		input.addEventListener("input", () => {
			write();
			onChange(values[input.value]);
		});
		const element = html("label", { class: "llm-slider" }, html("span", {}, label), input, output);
		const set = (value) => {
			input.value = values.indexOf(value);
			write();
		};
		return { element, set };
	}

	const ABOUT =
		"温度低，高的更高；top-k 只留前 k 名；top-p 从高往低留，加起来够 p 为止；min-p 去掉不到第一名的 p 倍的。";
	const unlimited = (show) => (value) => (value === 0 ? "不限" : show(value));
	const DIALS = {
		T: { label: "温度", values: TEMPERATURES, show: String },
		k: { label: "top-k", values: KS, show: unlimited(String) },
		p: { label: "top-p", values: PS, show: unlimited(String) },
		m: { label: "min-p", values: MS, show: unlimited(String) },
	};

	// onTake(编号)：走那条路；onDial({ T: 0.5 })：转了一个滑杆；看着写下的一个时，onBack()：退回到那里，onEnd()：再看末尾；onLens()：逐层看这一处
	function bars({ onTake, onDial, onBack, onEnd, onLens }) {
		const rows = range(SHOWN + 1).map(() => {
			const name = html("span", { class: "llm-name" }),
				number = html("span", { class: "llm-number" });
			const track = html("span", { class: "llm-track" }, html("span"));
			const button = html("button", { type: "button", class: "llm-bar" }, name, track, number);
			button.addEventListener("click", () => onTake(Number(button.dataset.token)));
			return { button, name, number, row: html("li", {}, button) };
		});
		const title = html("h2", { class: "llm-title" }),
			rest = html("p", { class: "llm-note llm-rest" });
		const list = html("ol", { class: "llm-bars" }, ...rows.map(({ row }) => row));
		const dials = Object.entries(DIALS).map(([name, dial]) => [
			name,
			slider({ ...dial, onChange: (value) => onDial({ [name]: value }) }),
		]);
		const plain = html("button", { type: "button", class: "llm-small" }, "滑杆还原");
		plain.addEventListener("click", () => onDial({ T: 1, k: 0, p: 0, m: 0 }));
		const returns = html("p", { class: "llm-line llm-returns", hidden: true });
		for (const [text, onClick] of [
			["退回到这里", onBack],
			["看末尾", onEnd],
		]) {
			const button = html("button", { type: "button", class: "llm-small" }, text);
			button.addEventListener("click", onClick);
			returns.append(button);
		}
		const lens = html(
			"button",
			{ type: "button", class: "llm-small", title: "打开下面的透镜：每一层提前读出来，会猜什么" },
			"逐层看",
		);
		lens.addEventListener("click", onLens);
		const element = html(
			"div",
			{ class: "llm-next" },
			html("div", { class: "llm-line llm-head" }, title, returns, lens),
			list,
			rest,
			html(
				"div",
				{ class: "llm-dials", role: "group", "aria-label": "改变概率" },
				...dials.map(([, { element }]) => element),
			),
			html("p", { class: "llm-note", id: "llm-about-dials" }, ABOUT, plain),
		);

		// 一条：share 是整理之后的概率，was 是整理之前的
		function fill({ button, name, number, row }, { word, share, was, chosen }) {
			row.hidden = false;
			button.disabled = !word;
			button.style.setProperty("--share", share);
			button.style.setProperty("--was", was);
			button.classList.toggle("llm-cut", share === 0);
			button.classList.toggle("llm-chosen", Boolean(chosen));
			name.replaceChildren(word ? named(word) : "…");
			name.classList.toggle("llm-bytes", Boolean(word) && word.text === null);
			number.textContent = !word ? "" : share === 0 ? "去掉" : percent(share);
			if (!word) return;
			button.dataset.token = word.id;
			button.dataset.probability = share;
			button.setAttribute(
				"aria-label",
				`${word.spoken}，${number.textContent}${chosen ? "，写的就是它" : "，点它就写它"}`,
			);
		}

		return {
			element,
			dials: (state) => {
				for (const [name, { set }] of dials) set(state[name]);
				plain.disabled = state.T === 1 && !state.k && !state.p && !state.m;
			},
			// 还没有打开：名字与概率是事先算好的
			preview(next) {
				title.textContent = "下一个词元";
				rows.forEach((row, i) => {
					if (i >= SHOWN) row.row.hidden = true;
					else if (!next[i]) fill(row, { share: 0, was: 0 });
					else
						fill(row, {
							word: { id: next[i][0], shown: LlmTokens.visible(next[i][1]), spoken: next[i][1] },
							share: next[i][2],
							was: next[i][2],
						});
				});
				rest.textContent = next.length
					? "␣ 是空格。这是事先算好的；打开之后，换成你自己的。"
					: "打开之后，这里是最可能的十个词元。";
			},
			// logits 是一处的分数，taken 是那一处已经写下的编号，没有就不写
			draw({ reader, logits, plainly, settings, taken, title: said }) {
				title.replaceChildren(...said);
				returns.hidden = taken === undefined;
				const now = LlmWriter.narrow(logits, settings);
				const top = LiveSampling.top(plainly, SHOWN).map(({ id }) => id);
				const ids = taken === undefined || top.includes(taken) ? top : [...top, taken];
				const words = reader.words(ids);
				rows.forEach((row, i) => {
					if (i >= ids.length) row.row.hidden = true;
					else fill(row, { word: words[i], share: now[ids[i]], was: plainly[ids[i]], chosen: ids[i] === taken });
				});
				const left = now.reduce((sum, share) => sum + (share > 0), 0);
				const others = Math.max(0, 1 - ids.reduce((sum, id) => sum + now[id], 0));
				const marks = `${words.some(({ shown }) => shown.includes("␣")) ? "␣ 是空格。" : ""}${words.some(({ shown }) => shown.includes("↵")) ? "↵ 是换行。" : ""}`;
				const cut = words.some(({ text }) => text === null) ? "带点线的是字节，一个字的前几截。" : "";
				const gone = left === ids.filter((id) => now[id] > 0).length; // 留下的都在上面
				rest.textContent = `其余 ${count(now.length - ids.length)} 个${gone ? "都去掉了" : `合计 ${percent(others)}`}${left < now.length ? `；只留下 ${count(left)} 个` : ""}。${marks}${cut}`;
			},
		};
	}

	return { bars, percent };
})();
