// 逐层打开一个语言模型：把各层的向量提前送去输出，从末一个词元读出的五个词；旁边是两件只与第一个词元有关的怪事：给它的注意力，它的长度。
// 数：vocabulary，出现过的词；prompts，每句 { name；tokens（N 个词）；words（L+1 份，末一个词元读出的五个词在 vocabulary 里的号）；
// chances（同样形状，它们的概率）；answers（L+1 个，最后一层的第一名在这一层的概率）；
// looks（L 份，每份 N 个，末一个词元的注意力，各头平均）；lengths（L+1 份，每份 N 个，向量的长度） }。各句层数相同。
Explore.define("lens", (data, stage) => {
  const { html, fixed, bars, line, slider, choice, stepper, meter, under, beside, shown } = Explore;
  const layers = data.prompts[0].looks.length;
  let prompt = data.prompts[0], layer = 0;

  const label = (text = "") => html("p", { class: "explore-label" }, text);
  const title = label(), climbing = label(), looking = label(), long = label("向量的长度");
  const guessed = bars({ labels: ["", "", "", "", ""], values: [0, 0, 0, 0, 0], name: "提前读出的五个词元", hue: "ink", digits: 3 });
  const width = Math.min(420, stage.clientWidth || 420), room = 100;
  const chart = line({ lines: [{ label: "", hue: "ink", points: [] }], name: "答案的概率，逐层", width, height: 130, x: [0, layers], y: [0, 1], ends: String, room });
  // 第一个词元与其余的平均，各一条
  const pair = (name, hue) => {
    const rows = [0, 1].map(() => ({ word: html("span", { class: "explore-label" }), ...meter() }));
    const node = html("div", { class: "explore-pair", role: "group", "aria-label": name, style: `--hue: var(--${hue})` }, rows.map(({ word, nodes }) => [word, ...nodes]).flat());
    return { node, update([first, ...rest], top, digits) {
      const mean = rest.reduce((sum, x) => sum + x, 0) / rest.length;
      rows[0].word.textContent = shown(prompt.tokens[0]);
      rows[1].word.textContent = "其余平均";
      [first, mean].forEach((value, i) => rows[i].update(value, top, fixed(value, digits)));
    } };
  };
  const given = pair("注意力", "weight"), lengths = pair("长度", "grey");

  const draw = () => {
    const word = shown(prompt.tokens.at(-1)), five = prompt.words[layer], [last] = prompt.words[layers];
    const answer = shown(data.vocabulary[last]), p = fixed(prompt.answers[layer], 3), top = shown(data.vocabulary[five[0]]);
    const after = layer ? `第 ${layer} 层之后` : "第 0 层，还没有听过别的词元";
    said.textContent = five[0] === last ? `${after}，从 ${word} 读出的第一名就是最后的答案 ${answer}，${p}。` : `${after}，从 ${word} 读出的第一名是 ${top}；最后的答案 ${answer} 得 ${p}。`;
    title.textContent = `从 ${word} 提前读出的下一个词元`;
    climbing.textContent = `各层读出 ${answer} 的概率`;
    looking.textContent = layer ? `${word} 给谁的注意力` : `${word} 还谁也没有看`;
    guessed.update(prompt.chances[layer], [], five.map((i) => shown(data.vocabulary[i])));
    [...guessed.node.children].forEach((row, i) => row.classList.toggle("explore-mark", five[i] === last));
    given.update(layer ? prompt.looks[layer - 1] : prompt.tokens.map(() => 0), 1, 2);
    lengths.update(prompt.lengths[layer], Math.max(...prompt.lengths.flat()), 0); // 各层同一把尺
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
  const depth = slider({ label: "层", values: Array.from({ length: layers + 1 }, (_, l) => l), change: (_, i) => together(i, () => steps.go(i, true)) });
  const steps = stepper({ steps: Array(layers + 1).fill(""), seconds: 0.7, dots: false, show: (i) => together(i, () => depth.set(i)) });
  const [said, transport] = steps.node.children, [, play] = transport.children;
  const dial = under(width, room, depth.node, play);
  const sentence = choice({ label: "哪一句", options: data.prompts.map(({ name }) => name), change: (i) => { prompt = data.prompts[i]; draw(); } });
  stage.append(beside([title, guessed.node], [climbing, chart.node, dial]), said, beside([looking, given.node], [long, lengths.node]), sentence.node);
  steps.go(layers - 1); // 打开时在倒数第二层：答案刚刚露面
});
