// 一道练习（一格，也许有几问）的编辑框：代替网页里那个不能改的格；没有脚本时、印出来时，还是原来的格。
//
// 格里的 <template data-exercise="……"> 写着能在网页里检查的几问的名字，空格隔开。代码从原来的格里取，不要其中的 import 与 check；
// 头一次点进来才去取 Python 与这一章的数据。
globalThis.ExerciseEditor = (() => {
	const CHECK = /^check\("([^"]+)", (.*)\)$/;
	const IMPORT = "from course_lib.exercises import check";
	const MARKS = { "✓": "right", "✗": "wrong", "○": "unfinished", "⚠": "wrong" };
	const here = new URL("../", document.currentScript.src).href; // 练习的数据里有字，两本书各有一份
	const SLOW = 150; // 毫秒；这么快就好了的，不必说正在做

	function element(tag, properties = {}, ...children) {
		const made = Object.assign(document.createElement(tag), properties);
		made.append(...children);
		return made;
	}

	// 一章一个文件，各格共用；取不到的话，下次再取
	const chapters = {};
	function chapterData(topic) {
		chapters[topic] ??= LiveEngine.read(here, `exercises/${topic}.json`).then((base64) =>
			JSON.parse(new TextDecoder().decode(LiveEngine.decode(base64))),
		);
		chapters[topic].catch(() => delete chapters[topic]);
		return chapters[topic];
	}

	class ExerciseEditor {
		constructor({ parentElement: cell, dataset }, { number, onDone }) {
			const lines = cell.querySelector(".cell_input pre").textContent.trimEnd().split("\n");
			this.checks = lines.map((line) => line.match(CHECK)).filter(Boolean);
			this.names = dataset.exercise.split(" ");
			const own = lines
				.filter((line) => line !== IMPORT && !CHECK.test(line))
				.join("\n")
				.trim();
			this.skeleton = own.replace(/^(def .*:) \.\.\.$/gm, "$1\n    ..."); // 另起一段，好往里写
			this.onDone = onDone;
			this.build(number);
			this.set(ExerciseStore.text(this.names[0]) ?? this.skeleton);
			cell.prepend(this.box);
			cell.classList.add("editable");
		}

		build(number) {
			const id = `exercise-code-${number}`;
			const button = (text, onclick) => element("button", { type: "button", textContent: text, onclick });
			this.gutter = element("pre", { className: "exercise-lines", ariaHidden: "true" });
			this.area = element("textarea", {
				id,
				wrap: "off",
				spellcheck: false,
				autocapitalize: "off",
				autocomplete: "off",
			});
			this.area.setAttribute("autocorrect", "off");
			this.area.setAttribute("aria-describedby", `${id}-keys`);
			this.output = element("pre", { className: "exercise-output", hidden: true, tabIndex: 0 });
			this.output.setAttribute("aria-label", "输出");
			this.said = element("div", { className: "exercise-said" });
			this.said.setAttribute("aria-live", "polite");
			this.copyButton = button("复制成一格", () => this.copy());
			this.box = element(
				"div",
				{ className: "exercise" },
				element(
					"p",
					{ className: "exercise-head" },
					element("label", { htmlFor: id, textContent: "在这里写" }),
					element("span", { id: `${id}-keys`, textContent: "Tab 缩进；先按 Esc 再按 Tab，就离开；Ctrl + Enter 检查" }),
				),
				element("div", { className: "exercise-code" }, this.gutter, this.area),
				element(
					"div",
					{ className: "exercise-buttons" },
					button("运行", () => this.run(false)),
					Object.assign(
						button("检查", () => this.run(true)),
						{ className: "main" },
					),
					button("恢复原样", () => this.restore()),
					this.copyButton,
				),
				this.output,
				this.said,
			);
			this.box.setAttribute("role", "group");
			this.box.setAttribute("aria-label", "练习");
			this.area.addEventListener("input", () => this.changed());
			this.area.addEventListener("focus", () => this.prepare().catch(() => {}), { once: true }); // 取不到的，运行时再说
			this.area.addEventListener("blur", () => (this.area.scrollLeft = 0)); // 写完长的一句，各句的开头还看得见
			pythonKeys(this.area, { onCheck: () => this.run(true) });
		}

		set(text) {
			this.area.value = text;
			this.draw();
		}

		// 只有读者改了才记：读不出来的那一回，不把记着的抹掉。先前的结论说的是先前的代码，变淡
		changed() {
			this.draw();
			for (const sentence of this.said.children) sentence.className = "stale";
			const { value } = this.area;
			ExerciseStore.keepText(this.names[0], value.trim() === this.skeleton ? null : value);
		}

		draw() {
			const count = this.area.value.split("\n").length;
			this.area.rows = Math.max(3, count);
			this.gutter.replaceChildren(
				...Array.from({ length: count }, (_, i) => element("span", { textContent: `${i + 1}\n` })),
			);
		}

		// 也像打字一样改，撤销得回来
		restore() {
			this.area.focus();
			this.area.select();
			if (!document.execCommand("insertText", false, this.skeleton)) {
				this.set(this.skeleton);
				this.changed();
			}
			this.say();
		}

		async copy() {
			const text = [IMPORT, "", "", this.area.value.trim(), "", "", ...this.checks.map(([line]) => line), ""].join(
				"\n",
			);
			try {
				await navigator.clipboard.writeText(text);
			} catch {
				// 从 file:// 打开时也许没有剪贴板，借一个看不见的输入框
				const area = element("textarea", { value: text, className: "exercise-unseen" });
				this.box.append(area);
				area.select();
				document.execCommand("copy");
				area.remove();
				this.copyButton.focus();
			}
			this.say({ text: "复制好了：贴到 Jupyter 或 Colab 里这一章的一格，先运行那一章开头的一格。" });
		}

		prepare() {
			return Promise.all([chapterData(this.names[0].split(".")[0]), LivePython.open().ready()]);
		}

		// 各句：{ text, kind, name }，name 是有几问时的那一问；错在读者的哪里，那里的编号也标出来
		say(...sentences) {
			for (const { text } of sentences) {
				const [, number] = text.match(/(?:^✗ |你的答案..到)第 (\d+) /) ?? [];
				this.gutter.children[number - 1]?.classList.add("wrong");
			}
			this.said.replaceChildren(
				...sentences.map(({ text, kind = "", name }) =>
					element("p", { className: kind }, ...(name ? [element("code", { textContent: name }), " "] : []), text),
				),
			);
		}

		async run(checking) {
			if (this.busy) return;
			this.busy = true;
			this.output.hidden = true;
			this.output.textContent = "";
			for (const line of this.gutter.children) line.className = "";
			let doing = "正在准备网页里的 Python……";
			const slow = setTimeout(() => this.say({ text: doing }), SLOW);
			try {
				const [{ modules, exercises }] = await this.prepare();
				const asked = this.names.map((name) => exercises[name]);
				doing = "正在运行……";
				const result = await LivePython.open().run(
					{ code: this.area.value, given: asked[0].given, exercises: checking ? asked : [] },
					modules,
					(text) => this.print(text),
				);
				this.show(result, checking);
			} catch (error) {
				this.say({ text: error.message, kind: "wrong" });
			} finally {
				clearTimeout(slow);
				this.busy = false;
			}
		}

		print(text) {
			this.output.append(text);
			this.output.hidden = false;
		}

		show({ late, failed, error, verdicts }, checking) {
			const wrong = (text) => this.say({ text: `✗ ${text}`, kind: "wrong" });
			if (late) return wrong(`运行了 ${late} 秒还没有完，已经停下：多半是循环停不下来，看看它的条件会不会变成假。`);
			if (failed) return wrong("网页里的 Python 运行不下去了，已经换上一个新的，再试一次。");
			if (error) return wrong(error);
			if (!checking)
				return this.say({ text: this.output.hidden ? "运行完了，没有打印什么；对不对，按“检查”。" : "运行完了。" });
			const several = this.checks.length > 1;
			const sentences = this.checks.map(([, name, answer]) => {
				const text = verdicts[this.names.indexOf(name)] ?? "这一问网页里检查不了：按“复制成一格”，到 Jupyter 里检查。";
				if (text[0] === "✓") this.onDone(name);
				return { text, kind: MARKS[text[0]], name: several && answer };
			});
			return this.say(...sentences);
		}
	}

	return ExerciseEditor;
})();
