// 逐层打开一个语言模型：把各层的向量提前送去输出，最可能的五个词元；这一层里它看谁，各个词元的向量有多长。
// 数：vocabulary，出现过的词；prompts，每句 { name；tokens（N 个词）；words（L+1 份，每份 N 个词元，各有五个词在 vocabulary 里的号）；
// chances（同样形状，它们的概率）；answers（L+1 份，每份 N 个，最后一层的第一名在这一层的概率）；
// looks（L 份 N×N，各头平均的注意力）；lengths（L+1 份，每份 N 个，向量的长度） }。各句层数相同。
Explore.define("lens", (data, stage) => {
  const { html, fixed, tokens, bars, line, slider, choice, stepper, meter, shown } = Explore;
  const layers = data.prompts[0].looks.length;
  let prompt = data.prompts[0], layer = 0, chosen = prompt.tokens.length - 1, looks, longest, lengths;

  const places = html("div", {}), around = html("div", {});
  const label = (text) => html("p", { class: "explore-label" }, text);
  const guessed = bars({ labels: ["", "", "", "", ""], values: [0, 0, 0, 0, 0], name: "提前读出的五个词元", hue: "ink", digits: 3 });
  const title = label(""), looking = html("span", { class: "explore-label" });
  const width = stage.clientWidth || 640, narrow = width < 560, room = narrow ? 84 : 250;
  const chart = line({
    lines: ["ink", "weight"].map((hue) => ({ label: "", hue, points: [] })),
    name: "答案的概率与给第一个词元的注意力，逐层", width, height: 150, x: [0, layers], y: [0, 1], ends: String, room, gap: 40,
  });

  const draw = () => {
    const word = shown(prompt.tokens[chosen]), first = shown(prompt.tokens[0]), read = (l) => prompt.words[l][chosen];
    const five = read(layer), [last] = read(layers), answer = shown(data.vocabulary[last]), p = fixed(prompt.answers[layer][chosen], 3);
    const after = layer ? `第 ${layer} 层之后` : "第 0 层，还没有听过别的词元";
    said.textContent = five[0] === last ? `${after}，从 ${word} 读出的第一名就是最后的答案 ${answer}，${p}。` : `${after}，从 ${word} 读出的第一名是 ${shown(data.vocabulary[five[0]])}；最后的答案 ${answer} 得 ${p}。`;
    title.textContent = `从 ${word} 这一格提前读出的下一个词元`;
    looking.textContent = layer ? `${word} 看谁` : "还谁也没有看";
    guessed.update(prompt.chances[layer][chosen], [], five.map((i) => shown(data.vocabulary[i])));
    [...guessed.node.children].forEach((row, i) => row.classList.toggle("explore-mark", five[i] === last));
    const none = prompt.tokens.map(() => 0);
    looks.update(layer ? prompt.looks[layer - 1][chosen] : none);
    lengths.forEach(({ update }, i) => update(prompt.lengths[layer][i], longest, fixed(prompt.lengths[layer][i], 0)));
    chart.update([prompt.answers.map((row, l) => [l, row[chosen]]), prompt.looks.map((rows, l) => [l + 1, rows[chosen][0]])], layer, "",
      narrow ? [`读出 ${answer}`, `看 ${first}`] : [`${word} 读出 ${answer} 的概率`, `${word} 给 ${first} 的注意力`]);
  };
  const open = () => {
    chosen = prompt.tokens.length - 1;
    const words = prompt.tokens.map(shown);
    places.replaceChildren(tokens({ words, name: "看哪个词元", chosen, pick: (i) => { chosen = i; draw(); } }).node);
    looks = bars({ labels: words, values: words.map(() => 0), name: "这一层里它看谁" });
    longest = Math.max(...prompt.lengths.flat()); // 各层同一把尺
    lengths = words.map(() => meter());
    [...looks.node.children].forEach((row, i) => row.querySelector(".explore-note").replaceWith(...lengths[i].nodes));
    around.replaceChildren(looks.node);
    draw();
  };

  let moving = false; // 滑杆与步骤互相带动，只许带一次
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
  const [said, transport] = steps.node.children;
  // 滑杆与图的横轴对齐，钮的半宽是 8
  const dial = html("div", { class: "explore-dial", style: `max-width: ${width}px; grid-template-columns: ${(100 * 32) / width}% minmax(0, 1fr) ${(100 * (room - 8)) / width}%` }, depth.node, transport);
  const sentence = choice({ label: "哪一句", options: data.prompts.map(({ name }) => name), change: (i) => { prompt = data.prompts[i]; open(); } });
  stage.append(
    html("div", { class: "explore-lens" }, html("div", {}, title, guessed.node), html("div", {}, html("p", { class: "explore-looks-head" }, html("span", { class: "explore-label" }, "向量的长度"), looking), around)),
    said, chart.node, dial, places, sentence.node,
  );
  open();
  steps.go(layers - 1); // 打开时在倒数第二层：答案刚刚读得出来
});
