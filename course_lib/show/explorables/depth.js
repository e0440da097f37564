// 深度：同一串数穿过训练好的若干层，有加号的与没有加号的，各个词元的向量一层一层变成什么样，末尾答得对不对。
// 数：digits（N 个数，应当倒着答）、depths（训练过的各种层数）；其余各有两份，先是有加号的，每份一种层数一项：
// states（层数 + 1 个 N×K，词元的向量里取 K 个分量）、spreads（层数 + 1 个，词元之间的差异）、answers（N 个答案）、scores（每个种子的正确率）。
Explore.define("depth", (data, stage) => {
  const { html, svg, fixed, bars, slider, choice } = Explore;
  const { digits, depths } = data, right = [...digits].reverse(), SCALE = 2;
  const K = data.states[0][0][0][0].length, side = Math.ceil(Math.sqrt(K)), deepest = Math.max(...depths);
  let which = depths.length - 1, plus = 0;

  // 一格一个词元：side × side 个小方块，一块一个分量
  const tile = () => {
    const blocks = Array.from({ length: K }, (_, k) => svg("rect", { x: k % side, y: Math.floor(k / side), width: 1, height: 1 }));
    const paint = (vector) => blocks.forEach((block, k) => {
      block.style.fill = `var(--${vector[k] < 0 ? "query" : "key"})`;
      block.style.opacity = Math.min(1, Math.abs(vector[k]) / SCALE).toFixed(2);
    });
    return { node: html("td", {}, svg("svg", { viewBox: `0 0 ${side} ${side}`, "aria-hidden": "true" }, blocks)), paint };
  };
  const floors = Array.from({ length: deepest + 1 }, (_, l) => {
    const tiles = digits.map(tile), left = html("td", { class: "explore-number" });
    return { tiles, left, row: html("tr", {}, html("th", { scope: "row" }, l ? `${l} 层之后` : "嵌入"), tiles.map(({ node }) => node), left) };
  });
  const told = digits.map(() => html("td")), count = html("td", { class: "explore-number" });
  const line = (name, cells, last) => html("tr", {}, html("th", { scope: "row" }, name), cells, last);
  const tower = html("table", { class: "explore-tower" },
    html("thead", {}, line("输入", digits.map((digit) => html("td", {}, String(digit))), html("th", { scope: "col" }, "差异"))),
    html("tbody", {}, floors.map(({ row }) => row)),
    html("tfoot", {}, line("它答", told, count), line("应答", right.map((digit) => html("td", {}, String(digit))), html("td"))));

  const seeds = data.scores[0][0].map((_, seed) => `种子 ${seed}`);
  const marks = bars({ labels: seeds, values: data.scores[0][0], name: "三个种子在没见过的数串上的正确率", hue: "value" });
  const said = html("p", { class: "explore-said", "aria-live": "polite" });

  const draw = () => {
    const depth = depths[which], spreads = data.spreads[plus][which], answers = data.answers[plus][which], scores = data.scores[plus][which];
    floors.forEach(({ tiles, left, row }, l) => {
      row.hidden = l > depth;
      if (row.hidden) return;
      tiles.forEach(({ paint }, i) => paint(data.states[plus][which][l][i]));
      left.textContent = `${fixed(100 * spreads[l], spreads[l] < 0.0995 ? 1 : 0)}%`;
    });
    told.forEach((cell, i) => {
      cell.textContent = answers[i];
      cell.className = answers[i] === right[i] ? "explore-hit" : "explore-miss";
    });
    const hits = answers.filter((digit, i) => digit === right[i]).length;
    count.textContent = `对 ${hits} 个`;
    marks.update(scores);
    said.textContent = `${depth} 层，${plus ? "没有加号" : "有加号"}：最后一层之后，六个词元的差异还剩 ${floors[depth].left.textContent}；三个种子的正确率是 ${scores.map((score) => fixed(score)).join("、")}。`;
  };
  const depth = slider({ label: "层数", values: depths, at: which, show: (n) => `${n} 层`, change: (_, i) => { which = i; draw(); } });
  const adds = choice({ label: "加号", options: ["有", "没有"], change: (i) => { plus = i; draw(); } });
  stage.append(depth.node, adds.node,
    html("div", { class: "explore-around" }, html("div", { class: "explore-floors" }, tower), html("div", { class: "explore-near" }, html("p", { class: "explore-label" }, "没见过的数串，答对几成（瞎猜是 0.10）"), marks.node, said)));
  draw();
});
