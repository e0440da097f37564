// 换过的三块积木，逐层逐词元：RMSNorm 前后的长度，SwiGLU 的门乘另一路，几个查询头合用的一份键与值各看谁。
// 数：tokens（N 个词元）；before、after（L 份，每份 N 个，归一化之前与之后的长度）；gates、ups（L×N×K 个整数，一百是 1，门的系数与另一路）；
// looks（L×h×N×N 个整数，一千是 1，每个查询头的注意力）；groups（几份键与值）；layer（先看第几层）、place（第几个词元）、head（第几个头）。
Explore.define("bricks", (data, stage) => {
  const { html, fixed, tokens, bars, slider } = Explore;
  const words = data.tokens, layers = data.before.length, heads = data.looks[0].length, shared = heads / data.groups;
  let layer = data.layer, place = data.place, head = data.head;

  const label = (...words) => html("p", { class: "explore-label" }, ...words);
  const spans = (...texts) => texts.map((text) => html("span", { class: "explore-label" }, text));
  // 一条横条与它的数；数有正负的，从中间往两边
  const meter = (sided) => {
    const fill = html("i"), number = html("span", { class: "explore-number" });
    const update = (value, top, text) => {
      fill.style.width = `${(sided ? 50 : 100) * Math.abs(value) / top}%`;
      fill.classList.toggle("explore-below", value < 0);
      number.textContent = text;
    };
    return { nodes: [html("span", { class: sided ? "explore-meter explore-sided" : "explore-meter" }, fill), number], update };
  };

  const lengths = words.map((word) => ({ name: html("span", { class: "explore-label", lang: "en" }, word), before: meter(), after: meter() }));
  const norm = html("div", { class: "explore-meters", role: "group", "aria-label": "RMSNorm 前后，各个词元的长度" }, html("span"), spans("原来的长度", "除过以后"),
    lengths.map(({ name, before, after }) => [name, before.nodes, after.nodes]).flat(2));
  const products = data.gates[0][0].map(() => [meter(true), meter(true), meter(true)]);
  const gated = html("div", { class: "explore-meters explore-gated", role: "group", "aria-label": "门的系数、另一路、乘出来的" }, spans("门的系数", "×", "另一路", "=", "乘出来", ""),
    products.map((three) => three.map(({ nodes }) => nodes)).flat(2));

  const buttons = Array.from({ length: heads }, (_, h) => html("button", { type: "button", class: "explore-query", "aria-label": `第 ${h + 1} 个查询头`, onclick: () => { head = h; draw(); } }, String(h + 1)));
  const rows = Array.from({ length: data.groups }, (_, g) => html("div", { class: "explore-shared" },
    html("span", {}, buttons.slice(g * shared, (g + 1) * shared)), html("span", { class: "explore-sign", "aria-hidden": "true" }, "→"),
    html("b", { class: "explore-key" }, `键 ${g + 1}`), html("b", { class: "explore-value" }, `值 ${g + 1}`)));
  const looking = label(), looks = bars({ labels: words, values: words.map(() => 0), name: "这个查询头看谁" });
  const said = html("p", { class: "explore-said", "aria-live": "polite" });

  const draw = () => {
    const [before, after] = [data.before[layer - 1], data.after[layer - 1]], [gate, up] = [data.gates, data.ups].map((all) => all[layer - 1][place].map((x) => x / 100));
    lengths.forEach((row, i) => {
      row.name.classList.toggle("explore-mark", i === place);
      row.before.update(before[i], Math.max(...before), fixed(before[i], 0));
      row.after.update(after[i], Math.max(...after), fixed(after[i], 0));
    });
    const all = gate.map((g, k) => [g, up[k], g * up[k]]), top = Math.max(...all.flat().map(Math.abs), 0.01);
    all.forEach((three, k) => three.forEach((value, j) => products[k][j].update(value, top, fixed(value))));
    const group = Math.floor(head / shared), given = data.looks[layer - 1][head][place].map((x) => x / 1000), most = given.indexOf(Math.max(...given));
    buttons.forEach((button, h) => button.setAttribute("aria-pressed", h === head));
    rows.forEach((row, g) => row.classList.toggle("explore-mark", g === group));
    looking.textContent = `第 ${head + 1} 个查询头里，${words[place]} 看谁`;
    looks.update(given);
    said.textContent = `第 ${layer} 层，进前馈网络时：${words[place]} 的向量长 ${fixed(before[place], 0)}，除过以后 ${fixed(after[place], 0)}；这一层的第 ${head + 1} 个查询头用第 ${group + 1} 份键与值，看得最多的是 ${words[most]}，${fixed(given[most])}。`;
  };
  const depth = slider({ label: "层", values: Array.from({ length: layers }, (_, l) => l + 1), at: layer - 1, change: (l) => { layer = l; draw(); } });
  const picker = tokens({ words, name: "看哪个词元", chosen: place, pick: (i) => { place = i; draw(); } });
  stage.append(
    html("div", { class: "explore-bricks" },
      html("div", {}, label("RMSNorm：先除成一样长"), norm),
      html("div", {}, label("SwiGLU：一路乘另一路"), gated),
      html("div", {}, label(`GQA：${shared} 个查询头合用一份键与值`), rows, looking, looks.node)),
    said, depth.node, picker.node,
  );
  draw();
});
