// 掩码：点一格，准看或者不准看，权重当场重新分。
// 数：tokens（N 个词）、scores（N×N，还没有挡过的分数）、padding（哪几个是填充，布尔）。
Explore.define("mask", (data, stage) => {
  const { html, fixed, map, softmax, matrix, choice } = Explore;
  const words = data.tokens, n = words.length;
  const RULES = [
    ["都可以看", () => true],
    ["填充", (i, j) => !data.padding[j]],
    ["因果", (i, j) => j <= i],
    ["填充与因果", (i, j) => j <= i && !data.padding[j]],
  ];
  let keep = map(data.scores, (_, i, j) => RULES[0][1](i, j)), zero = false, last = null;

  const attend = (scores, allowed) => {
    if (zero && !allowed.includes(true)) return scores.map(() => 0);
    return softmax(scores.map((s, j) => (allowed[j] ? s : -Infinity)));
  };
  const weights = () => data.scores.map((row, i) => attend(row, keep[i]));

  const permit = matrix({
    values: map(data.scores, () => 0), rows: words, columns: words, title: "掩码：点一格，换一换", hue: "key",
    pick: (i, j) => { keep[i][j] = !keep[i][j]; last = i; rules.select(-1, true); draw(); },
  });
  const shown = matrix({ values: weights(), rows: words, columns: words, title: "权重", hue: "weight", scale: 1 });
  const said = html("p", { class: "explore-said", "aria-live": "polite" });

  const draw = () => {
    const shares = weights();
    shown.update(shares, { mark: (i) => i === last, faded: (i, j) => !keep[i][j] });
    permit.update(map(keep, (allowed) => Number(allowed)), { mark: (i) => i === last });
    permit.cells.forEach((row, i) => row.forEach((cell, j) => {
      cell.textContent = keep[i][j] ? "✓" : "✕";
      cell.setAttribute("aria-label", `${words[i]} 看 ${words[j]}：${keep[i][j] ? "可以" : "不可以"}`);
      cell.setAttribute("aria-pressed", keep[i][j]);
    }));
    const empty = keep.findIndex((row) => !row.includes(true));
    const row = last ?? n - 1, most = shares[row].indexOf(Math.max(...shares[row]));
    said.textContent =
      empty >= 0
        ? `${words[empty]} 那一行一个也不许看：${zero ? "本课的库给零" : "0 ÷ 0，整行是 NaN"}。`
        : `${words[row]} 能看 ${keep[row].filter(Boolean).length} 个，给 ${words[most]} 最多，${fixed(shares[row][most])}；这一行加起来仍是 1。`;
  };
  const rules = choice({
    label: "掩码", options: RULES.map(([name]) => name),
    change: (i) => { keep = map(data.scores, (_, a, b) => RULES[i][1](a, b)); last = null; draw(); },
  });
  const empties = choice({ label: "整行被挡住时", options: ["照算（NaN）", "给零"], change: (i) => { zero = i === 1; draw(); } });
  const block = html("button", { type: "button", onclick: () => { const i = last ?? 0; keep[i] = keep[i].map(() => false); last = i; rules.select(-1, true); draw(); } }, "挡住一整行");
  stage.append(rules.node, html("div", { class: "explore-flow" }, permit.node, html("span", { class: "explore-sign" }, "→"), shown.node), html("div", { class: "explore-row" }, block), empties.node, said);
  draw();
});
