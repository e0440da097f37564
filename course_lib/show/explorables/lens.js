// 逐层打开一个语言模型：把各层的向量提前送去输出，从末一个词元读出的五个词，与最后的答案一层层的概率。
// 数：vocabulary，出现过的词；prompts，每句 { name；last（末一个词元）；words（L+1 份，读出的五个词在 vocabulary 里的号）；
// chances（同样形状，它们的概率）；answers（L+1 个，最后一层的第一名在这一层的概率） }。各句层数相同。
Explore.define("lens", (data, stage) => {
	const { html, fixed, bars, line, slider, choice, stepper, under, beside, shown } = Explore;
	const layers = data.prompts[0].answers.length - 1;
	let prompt = data.prompts[0],
		layer = 0;

	const label = (text = "") => html("p", { class: "explore-label" }, text);
	const title = label(),
		climbing = label();
	const guessed = bars({
		labels: ["", "", "", "", ""],
		values: [0, 0, 0, 0, 0],
		name: "提前读出的五个词元",
		hue: "ink",
		digits: 3,
	});
	const width = Math.min(420, stage.clientWidth || 420),
		room = 112;
	const chart = line({
		lines: [{ label: "", hue: "ink", points: [] }],
		name: "答案的概率，逐层",
		width,
		height: 130,
		x: [0, layers],
		y: [0, 1],
		ends: String,
		room,
	});

	const draw = () => {
		const word = shown(prompt.last),
			five = prompt.words[layer],
			[last] = prompt.words[layers];
		const answer = shown(data.vocabulary[last]),
			p = fixed(prompt.answers[layer], 3),
			top = shown(data.vocabulary[five[0]]);
		const after = layer ? `第 ${layer} 层之后` : "第 0 层，还没有听过别的词元";
		said.textContent =
			five[0] === last
				? `${after}，从 ${word} 读出的第一名就是最后的答案 ${answer}，${p}。`
				: `${after}，从 ${word} 读出的第一名是 ${top}；最后的答案 ${answer} 得 ${p}。`;
		title.textContent = `从 ${word} 提前读出的下一个词元`;
		climbing.textContent = `各层读出 ${answer} 的概率`;
		guessed.update(
			prompt.chances[layer],
			[],
			five.map((i) => shown(data.vocabulary[i])),
		);
		[...guessed.node.children].forEach((row, i) => row.classList.toggle("explore-mark", five[i] === last));
		chart.update([prompt.answers.map((p, l) => [l, p])], layer, fixed(prompt.answers[layer]), [answer]);
	};

	let moving = false; // 滑杆与播放互相带动，只许带一次
	const together = (i, follow) => {
		layer = i;
		if (!moving) {
			moving = true;
			follow();
			moving = false;
		}
		draw();
	};
	const depth = slider({
		label: "层",
		values: Array.from({ length: layers + 1 }, (_, l) => l),
		change: (_, i) => together(i, () => steps.go(i, true)),
	});
	const steps = stepper({
		steps: Array(layers + 1).fill(""),
		seconds: 0.7,
		dots: false,
		show: (i) => together(i, () => depth.set(i)),
	});
	const [said, transport] = steps.node.children,
		[, play] = transport.children;
	const dial = under(width, room, depth.node, play);
	const sentence = choice({
		label: "哪一句",
		options: data.prompts.map(({ name }) => name),
		change: (i) => {
			prompt = data.prompts[i];
			draw();
		},
	});
	stage.append(beside([title, guessed.node], [climbing, chart.node, dial]), said, sentence.node);
	steps.go(layers - 1); // 打开时在倒数第二层：答案刚刚露面
	return {
		state: () => ({
			prompt: data.prompts.indexOf(prompt),
			layer,
			words: prompt.words[layer],
			chances: prompt.chances[layer],
			answer: prompt.answers[layer],
		}),
	};
});
