// 面板的“动手改一处”：关掉一个或几个头，遮住一个词元，或者换一个词，看每个词元的向量逐层移动多远；
// 旁边是对照：换成关同层别的头、遮别的词元、把这个词换成随手写下的别的词，又移动多远。
// 移动多远：两个向量之差的长度，除以没有动手时那个向量自己的长度，与 bertviz 一章的 moved 相同。
{
	const { html, range, fixed, radio, isSpecial, isPiece, named, placed } = LiveMarks;
	const ROWS = 16,
		RUNS = 11; // 列出几个词元；对照最多算几遍
	const WAYS = { "": "关掉一个头", mask: "遮住一个词元", swap: "换一个词" };
	// 各是一个词元，随手写的
	const WORDS = {
		"": "water green seven music stone never garden quickly doctor open under",
		zh: "水 绿色 七 音乐 花园 快速 医生 打开 下面 眼睛 老师",
	};
	const WAIT = 200; // 停手多少毫秒才算
	const nameOf = ([layer, head]) => `第 ${layer} 层第 ${head} 个头`;
	const code = (heads) => heads.map((pair) => pair.join("-")).join("_");
	const decode = (text) => (text ? text.split("_").map((pair) => pair.split("-").map(Number)) : []);
	const length = (vector) => Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));

	// 每个词元、每一层移动多远；start 到 end（不含）是换掉的，不比，后面的错开 shift 个位置
	function moved(before, after, { start = Infinity, end = Infinity } = {}) {
		const d = before.dModel,
			shift = after.tokens.length - before.tokens.length;
		return before.tokens.map((_, i) => {
			if (i >= start && i < end) return null;
			const j = i < start ? i : i + shift;
			return before.hidden.map((x, layer) => {
				const old = x.subarray(i * d, (i + 1) * d),
					now = after.hidden[layer].subarray(j * d, (j + 1) * d);
				return length(old.map((value, c) => value - now[c])) / length(old);
			});
		});
	}

	// 改什么，与拿来对照的改法；each 是各算一遍的 { options } 或 { word }
	function plan({ state, chosen: { result, index, token } }) {
		const { tokens, numLayers, numHeads } = result;
		if (state.way === "mask") {
			const others = range(tokens.length).filter((i) => i !== index),
				count = Math.min(RUNS, others.length);
			const spread = range(count).map((k) => others[Math.floor((k * others.length) / count)]);
			return {
				said: ["遮住 ", placed(tokens, index), "（谁也不许注意它）"],
				masked: index,
				main: { options: { masked: [index] } },
				others: spread.map((i) => ({ options: { masked: [i] } })),
				whose: `遮住另外 ${count} 个词元，各算一遍`,
			};
		}
		if (state.way === "swap") {
			let start = index,
				end = index + 1;
			while (isPiece(tokens[start])) start--;
			while (end < tokens.length && isPiece(tokens[end])) end++;
			const place = { start, end },
				others = WORDS[result.model]
					.split(" ")
					.filter((word) => word !== tokens[start] && word !== state.word.trim().toLowerCase());
			if (isSpecial(token) && token !== "[UNK]")
				return { problem: [named(token), " 是 BERT 自己加的记号，换不得：请在上面另选一个词。"] };
			if (!state.word.trim())
				return { problem: ["写一个词，换掉上面选中的 ", named(tokens.slice(start, end).join(" ")), "。"] };
			return {
				said: ["把 ", named(tokens.slice(start, end).join(" ")), " 换成 ", named(state.word.trim())],
				place,
				main: { word: state.word },
				others: others.map((word) => ({ word })),
				whose: `换成 ${others.length} 个随手写下的词，各算一遍`,
				about: `随手写下的词是 ${others.join("、")}。`,
			};
		}
		const known = ([layer, head]) => layer < numLayers && head < numHeads;
		const chosenHead = [state.layer, state.head];
		const off = [...decode(state.off).filter((pair) => known(pair) && code([pair]) !== code([chosenHead])), chosenHead];
		const has = (pair) => off.some((each) => code([each]) === code([pair]));
		// 同层的别的头：一个个往后挪，挪到还关着的就不算
		const shifted = range(numHeads)
			.slice(1)
			.map((k) => off.map(([layer, head]) => [layer, (head + k) % numHeads]));
		const others = shifted.filter((heads) => !heads.some(has)).map((heads) => ({ options: { off: heads } }));
		return {
			said: ["关掉", off.map(nameOf).join("、")],
			main: { options: { off } },
			others,
			whose:
				off.length > 1
					? `关掉同层别的头，同样多，共 ${others.length} 组`
					: `关掉同层其余 ${others.length} 个头，各一次`,
		};
	}

	LiveParts.intervene = ({ id, choose, engine }) => {
		const ways = html("fieldset", { class: "live-ways" }, html("legend", {}, "改哪里？词元就是选中的那个"));
		const inputs = Object.entries(WAYS).map(([way, name]) => {
			const input = radio(`${id}-way`, () => choose({ way }));
			ways.append(html("label", {}, input, html("span", {}, name)));
			return [way, input];
		});
		const word = html("input", {
			id: `${id}-word`,
			lang: "en",
			maxlength: LiveState.WORD_LENGTH,
			spellcheck: "false",
			autocapitalize: "off",
			autocomplete: "off",
		});
		const ask = html("p", { class: "live-ask" }, html("label", { for: word.id }, "换成"), word);
		const picker = html("div", { class: "live-picker", role: "radiogroup", "aria-label": "关掉哪个头" }),
			cells = new Map();
		const keep = html("button", { type: "button" }, "这一个也关着，再挑一个"),
			chips = html("span");
		const kept = html("p", { class: "live-kept" }, chips, keep);
		const reading = html("div", { "aria-live": "polite" }),
			waiting = html("p", { class: "live-waiting" });
		const table = html("table", { class: "live-moved" }),
			notes = html("div", { class: "live-notes" });
		const box = html(
			"div",
			{ class: "live-changed" },
			html("div", { class: "live-told" }, reading, waiting),
			table,
			notes,
		);
		let heard,
			job = 0,
			key,
			timer,
			seen = false,
			done,
			framed,
			laid;

		word.addEventListener("input", () => choose({ word: word.value }));
		keep.addEventListener("click", () => {
			const { off, layer, head } = heard.state,
				pairs = decode(off).filter((pair) => code([pair]) !== `${layer}-${head}`);
			choose({ off: code([...pairs, [layer, head]]) });
		});
		new IntersectionObserver(
			(entries) => {
				seen = entries.at(-1).isIntersecting;
				if (seen && heard && done !== key) later();
			},
			{ rootMargin: "300px" },
		).observe(ways);

		// 一遍一遍地算，每算完一遍就让别人先来；其间又改了，就不再往下算
		const later = () => {
			clearTimeout(timer);
			timer = setTimeout(compute, WAIT);
		};
		async function compute() {
			const mine = ++job,
				{ result, index: chosen } = heard.chosen,
				{ main, others, problem, ...told } = plan(heard);
			const { said, place } = told;
			const current = () => mine === job;
			const run = async ({ options, word: replacement }) => {
				const after = replacement
					? await engine().swap(result, place.start, place.end, replacement)
					: await engine().run(result.text, "", options);
				return { ...after, far: moved(result, after, place) };
			};
			done = key;
			if (problem) return say(problem);
			reading.replaceChildren();
			waiting.replaceChildren(...said, "，正在算……");
			try {
				const after = await run(main),
					base = [];
				if (!current()) return;
				for (const other of others) {
					if (!base.length) show({ ...told, result, chosen, after }); // 先看改了的，对照接着算
					waiting.replaceChildren(...said, `，再算对照：${base.length} / ${others.length}`);
					base.push({ ...other, far: (await run(other)).far });
					if (!current()) return;
				}
				waiting.textContent = "";
				show({ ...told, result, chosen, after, base });
				box.setAttribute("aria-busy", false);
			} catch (error) {
				if (current()) say([error.message]);
			}
		}

		// 挑头：一层一排，一格一个头
		function layOut({ model, numLayers, numHeads }) {
			if (laid === model) return;
			laid = model;
			cells.clear();
			picker.replaceChildren();
			picker.style.setProperty("--heads", numHeads);
			picker.append(
				html("span", {}, "层"),
				...range(numHeads).map((head) => html("span", { "aria-hidden": true }, head)),
			);
			for (const layer of range(numLayers)) {
				picker.append(html("span", { "aria-hidden": true }, layer));
				for (const head of range(numHeads)) {
					const input = radio(`${id}-off`, () => choose({ layer, head }), { "aria-label": nameOf([layer, head]) });
					cells.set(code([[layer, head]]), input);
					picker.append(html("label", {}, input));
				}
			}
		}

		// 表的样子：还没有算出来，先摆着
		function frame({ chosen: { result, index } }) {
			const blank = (i) =>
				html(
					"tr",
					i === index ? { class: "live-chosen" } : {},
					nameOfRow(result, i),
					...result.hidden.map(() => html("td", { class: "live-heat" }, "·")),
					html("td", { class: "live-final" }, html("span", { class: "live-track" })),
				);
			table.style.setProperty("--columns", result.hidden.length);
			table.classList.add("live-blank");
			table.replaceChildren(
				...headOf(result),
				html("tbody", {}, ...range(Math.min(ROWS, result.tokens.length)).map(blank)),
			);
			for (const each of [reading, waiting, notes]) each.replaceChildren();
		}
		const nameOfRow = ({ tokens }, i) => html("th", { scope: "row" }, placed(tokens, i));
		const headOf = ({ hidden }) => {
			const head = (name, attributes) => html("th", { scope: "col", ...attributes }, name);
			const names = ["嵌入", ...range(hidden.length - 1)].map((name) => head(name, { class: "live-heat" }));
			return [
				html(
					"caption",
					{},
					"每个词元的向量移动多远：过了第几层；末尾的条是最后一层，竖线是对照的平均，灰的一段从最少到最多",
				),
				html("thead", {}, html("tr", {}, head("词元"), ...names, head("最后一层 ┃ 对照"))),
			];
		};

		function say(words) {
			box.setAttribute("aria-busy", false);
			reading.replaceChildren(html("p", {}, ...words));
			waiting.textContent = "";
			fade(true);
		}
		// 改不成的时候，先前的表还在，只是淡了
		function fade(old) {
			for (const each of [table, notes]) each.inert = old;
		}

		function show({ result, chosen, after, said, place, masked, base, whose, about }) {
			fade(false);
			const { tokens } = result,
				{ far } = after,
				compared = range(tokens.length).filter((i) => far[i]);
			const end = (each, i) => each[i].at(-1);
			// 对照里，这个词元各移动多远；遮的正是它自己的那一遍不算
			const others = (i) =>
				(base ?? []).filter(({ options, far }) => options?.masked?.[0] !== i && far[i]).map(({ far }) => end(far, i));
			const mean = (numbers) => numbers.reduce((a, b) => a + b, 0) / numbers.length;
			const order = [...compared].sort((a, b) => end(far, b) - end(far, a)),
				most = order[0];
			if (base) {
				// 关头时先说选中的那个词元；遮住、换词，改的就是它，于是只说移动得最远的
				const told = place || masked !== undefined ? most : chosen,
					against = others(told);
				const farther = compared.filter((i) => end(far, i) > Math.max(...others(i))).length;
				const nearer = compared.filter((i) => end(far, i) < Math.min(...others(i))).length;
				const extent = `从 ${fixed(Math.min(...against))} 到 ${fixed(Math.max(...against))}`;
				const first = told === most ? [] : [placed(tokens, told), ` 移动 ${fixed(end(far, told))}。`];
				reading.replaceChildren(
					html(
						"p",
						{},
						...said,
						"，到最后一层，",
						...first,
						"移动得最远的是 ",
						placed(tokens, most),
						`：${fixed(end(far, most))}。`,
					),
					against.length
						? html(
								"p",
								{},
								`对照是${whose}：`,
								placed(tokens, told),
								` 平均移动 ${fixed(mean(against))}，${extent}。`,
								`${compared.length} 个词元里，移动得比对照的每一遍都远的有 ${farther} 个，都近的有 ${nearer} 个。`,
							)
						: html("p", {}, "没有别的可以对照。"),
				);
			}

			const kept = new Set(order.slice(0, tokens.length > ROWS ? ROWS : undefined));
			const top = Math.max(0.05, ...compared.flatMap((i) => far[i]));
			const longest = Math.max(0.05, ...compared.flatMap((i) => [end(far, i), ...others(i)]));
			const at = (value) => `${((100 * value) / longest).toFixed(2)}%`;
			const versus = (i) => {
				const numbers = others(i);
				if (!numbers.length) return [];
				const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
				return [
					html("span", { class: "live-range", style: `left: ${at(low)}; width: ${at(high - low)}` }),
					html("span", { class: "live-mean", style: `left: ${at(mean(numbers))}` }),
				];
			};
			const final = (i) =>
				html(
					"td",
					{ class: "live-final" },
					html(
						"span",
						{ class: "live-track" },
						html("span", { class: "live-fill", style: `width: ${at(end(far, i))}` }),
						...versus(i),
					),
					html("span", { class: "live-number" }, fixed(end(far, i))),
					html("span", { class: "live-number live-against" }, others(i).length ? fixed(mean(others(i))) : ""),
				);
			const layers = result.hidden.length;
			const cells = (row) =>
				row.map((value) =>
					html(
						"td",
						{ class: "live-heat", style: `--share: ${value / top}` },
						html("span", {}, value ? fixed(value) : "0"),
					),
				);
			const row = (i) => {
				const name = nameOfRow(result, i);
				if (!far[i])
					return html("tr", {}, name, html("td", { class: "live-gone", colspan: layers + 1 }, "换掉了，不比"));
				return html("tr", i === chosen ? { class: "live-chosen" } : {}, name, ...cells(far[i]), final(i));
			};
			table.classList.remove("live-blank");
			table.replaceChildren(
				...headOf(result),
				html(
					"tbody",
					{},
					...range(tokens.length)
						.filter((i) => kept.has(i) || !far[i])
						.map(row),
				),
			);
			const left = compared.length - kept.size,
				lines = [];
			if (left > 0)
				lines.push(
					`只列出移动得最远的 ${kept.size} 个，其余 ${left} 个更近，平均 ${fixed(mean(order.slice(kept.size).map((i) => end(far, i))))}。`,
				);
			if (base && about) lines.push(about);
			const shift = after.tokens.length - tokens.length;
			if (place)
				lines.push([
					"换过之后是：",
					...after.tokens
						.slice(1, -1)
						.flatMap((token) => [" ", named(token)])
						.slice(1),
					"。",
				]);
			if (shift)
				lines.push(
					`换成的词切成 ${place.end - place.start + shift} 截，后面的词元都${shift > 0 ? "后" : "前"}移 ${Math.abs(shift)} 个位置：位置嵌入不同，所以它们在嵌入那里就已经移动了。`,
				);
			lines.push(
				"距离以这个向量没有动手时的长度为 1；两个互相垂直、一样长的向量相距 1.41。移动得远，只说明有影响，不说明是好是坏。",
			);
			notes.replaceChildren(...lines.map((line) => html("p", {}, ...[line].flat())));
		}

		return {
			title: "动手改一处",
			elements: [ways, picker, kept, ask, box],
			fill() {},
			draw(view) {
				heard = view;
				const {
					state,
					chosen: { result, index },
				} = view;
				for (const [way, input] of inputs) input.checked = way === state.way;
				ask.hidden = state.way !== "swap";
				kept.hidden = picker.hidden = state.way !== "";
				layOut(result);
				if (word.value !== state.word) word.value = state.word;
				word.lang = LiveState.MODELS[result.model].lang;
				const pairs = decode(state.off);
				for (const [name, input] of cells) {
					input.checked = name === `${state.layer}-${state.head}`;
					input.parentElement.classList.toggle(
						"live-off",
						pairs.some((pair) => code([pair]) === name),
					);
				}
				const drop = (pair) => {
					const button = html(
						"button",
						{ type: "button", "aria-label": `${nameOf(pair)}：不关了` },
						`${nameOf(pair)} ✕`,
					);
					button.addEventListener("click", () => {
						keep.focus();
						choose({ off: code(pairs.filter((each) => each !== pair)) });
					});
					return button;
				};
				chips.replaceChildren(...pairs.map(drop));
				// 只有换了句子，或者换了改法，才重新算
				const part = { "": [state.layer, state.head, state.off], mask: [index], swap: [index, state.word] }[state.way];
				const now = JSON.stringify([state.way, part, result.text, result.model]);
				if (now === key) return;
				key = now;
				done = null;
				job++;
				if (framed !== result) frame(view);
				framed = result;
				box.setAttribute("aria-busy", true);
				box.style.setProperty("--rows", Math.min(ROWS, result.tokens.length)); // 先占住地方
				if (seen) later();
			},
		};
	};
}
