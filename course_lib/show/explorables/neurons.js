// 神经元：挑一个，看哪些词把它唤醒；再把激活函数弯一弯，看哪些答案变了。
// 数：words（词）、groups（每个词属于哪一组）、names（每个神经元叫什么）、before（每个神经元一行，激活之前的分数，一词一个）。
Explore.define("neurons", (data, stage) => {
  const { html, fixed, bars, line, choice } = Explore;
  const SHOWN = 14;
  // 标准正态的累积分布：级数展开，8 位有效数字
  const phi = (x) => {
    if (Math.abs(x) > 7) return x > 0 ? 1 : 0;
    let term = x, sum = x;
    for (let k = 1; k < 120; k++) { term *= (x * x) / (2 * k + 1); sum += term; }
    return 0.5 + (sum * Math.exp(-x * x / 2)) / Math.sqrt(2 * Math.PI);
  };
  const ACTIVATIONS = {
    GELU: (x) => x * phi(x),
    ReLU: (x) => Math.max(0, x),
    什么也不做: (x) => x,
  };
  let chosen = 0, bend = "GELU";

  const list = html("div", {}), said = html("p", { class: "explore-said", "aria-live": "polite" });
  const xs = Array.from({ length: 81 }, (_, i) => -4 + i / 10);
  const curve = line({
    lines: [{ label: "输出", hue: "weight", points: xs.map((x) => [x, ACTIVATIONS.GELU(x)]) }],
    name: "激活函数：横轴是激活之前的分数，竖轴是激活值", width: 300, height: 150, x: [-4, 4], y: [-4, 4],
  });

  const draw = () => {
    const act = ACTIVATIONS[bend];
    const answers = data.words.map((word, i) => ({ word, group: data.groups[i], value: act(data.before[chosen][i]) }));
    answers.sort((a, b) => b.value - a.value);
    const top = answers.slice(0, SHOWN), most = Math.max(top[0].value, 1e-9);
    const rows = bars({ labels: top.map(({ word }) => word), values: top.map(({ value }) => Math.max(0, value) / most), name: "激活值最高的词" });
    rows.node.classList.add("explore-words");
    rows.node.querySelectorAll("li").forEach((row, i) => {
      row.querySelector(".explore-note").textContent = top[i].group;
      row.querySelector(".explore-number").textContent = fixed(top[i].value);
      row.querySelector(".explore-label").lang = "en";
    });
    list.replaceChildren(rows.node);
    curve.update([xs.map((x) => [x, act(x)])]);
    const negative = answers.filter(({ value }) => value < 0), lowest = answers[answers.length - 1];
    said.textContent = `${data.words.length} 个词里，激活值为负的 ${negative.length} 个，最低 ${fixed(lowest.value)}（${lowest.word}）。`;
  };
  const neuron = choice({ label: "神经元", options: data.names, change: (i) => { chosen = i; draw(); } });
  const kinds = Object.keys(ACTIVATIONS);
  const activation = choice({ label: "激活函数", options: kinds, change: (i) => { bend = kinds[i]; draw(); } });
  stage.append(neuron.node, activation.node, html("div", { class: "explore-flow" }, html("div", { class: "explore-side" }, list), curve.node), said);
  draw();
});
