// 深度：同一串数穿过训练好的若干层，有加号的与没有加号的并排，各个词元的向量一层一层变成什么样，末尾答得对不对。
// 数：digits（N 个数，应当倒着答）、depths（训练过的各种层数）；其余各有两份，先是有加号的，每份一种层数一项：
// states（层数 + 1 个 N×K，词元的向量里取 K 个分量）、spreads（层数 + 1 个，词元之间的差异）、answers（N 个答案）、scores（每个种子的正确率）。
Explore.define("depth", (data, stage) => {
  const { html, svg, fixed, bars, slider } = Explore;
  const { digits, depths } = data, right = [...digits].reverse(), SCALE = 2;
  const K = data.states[0][0][0][0].length, side = Math.ceil(Math.sqrt(K)), deepest = Math.max(...depths);
  let which = depths.length - 1;

  // 一格一个词元：side × side 个小方块，一块一个分量
  const tile = () => {
    const blocks = Array.from({ length: K }, (_, k) => svg("rect", { x: k % side, y: Math.floor(k / side), width: 1, height: 1 }));
    const paint = (vector) => blocks.forEach((block, k) => {
      block.style.fill = `var(--${vector[k] < 0 ? "minus" : "plus"})`;
      block.style.opacity = Math.min(1, Math.abs(vector[k]) / SCALE).toFixed(2);
    });
    return { node: html("td", {}, svg("svg", { viewBox: `0 0 ${side} ${side}`, "aria-hidden": "true" }, blocks)), paint };
  };
  const line = (name, cells, last) => html("tr", {}, html("th", { scope: "row" }, name), cells, last);
  // 一座楼，下面是它在没见过的数串上的正确率：plus 是 0，有加号；是 1，没有
  const tower = (name, plus) => {
    const floors = Array.from({ length: deepest + 1 }, (_, l) => {
      const tiles = digits.map(tile), left = html("td", { class: "explore-number" });
      return { tiles, left, row: line(l ? `${l} 层之后` : "嵌入", tiles.map(({ node }) => node), left) };
    });
    const told = digits.map(() => html("td")), count = html("td", { class: "explore-number" });
    const table = html("table", { class: "explore-tower" }, html("caption", {}, name),
      html("thead", {}, line("输入", digits.map((digit) => html("td", {}, String(digit))), html("th", { scope: "col" }, "差异"))),
      html("tbody", {}, floors.map(({ row }) => row)),
      html("tfoot", {}, line("它答", told, count), line("应答", right.map((digit) => html("td", {}, String(digit))), html("td"))));
    const marks = bars({ labels: data.scores[0][0].map((_, seed) => `种子 ${seed}`), values: data.scores[plus][which], name: `${name}：三个种子在没见过的数串上的正确率`, hue: "ink" });
    const update = () => {
      const depth = depths[which], spreads = data.spreads[plus][which], answers = data.answers[plus][which];
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
      count.textContent = `对 ${answers.filter((digit, i) => digit === right[i]).length} 个`;
      marks.update(data.scores[plus][which]);
      return `${name}的，六个词元的差异还剩 ${floors[depth].left.textContent}`;
    };
    return { node: html("div", {}, table, marks.node), update };
  };
  const towers = [tower("有加号", 0), tower("没有加号", 1)];
  const said = html("p", { class: "explore-said", "aria-live": "polite" });
  const draw = () => { said.textContent = `${depths[which]} 层，最后一层之后：${towers.map(({ update }) => update()).join("；")}。横条是没见过的数串答对几成，瞎猜是 0.10。`; };
  const depth = slider({ label: "层数", values: depths, at: which, show: (n) => `${n} 层`, change: (_, i) => { which = i; draw(); } });
  stage.append(html("div", { class: "explore-halves explore-towers" }, towers.map(({ node }) => node)), said, depth.node);
  draw();
});
