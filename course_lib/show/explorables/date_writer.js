// 一个字符一个字符地写日期：写到哪一个，交叉注意力看来源的哪些字，下一个字符的概率各是多少。
// 数：letters（目标词表，前 first 个不画）；dates，每个 { source（M 个字）、target（N 个字符）、
// heads（h×N×M，最后一层各头的权重）、logits（N×V）}；N 都相同。
Explore.define("date_writer", (data, stage) => {
  const { html, svg, fixed, softmax, bars, choice, stepper } = Explore;
  const steps = data.dates[0].target.length, letters = data.letters.slice(data.first);
  const CELL = 24, LEFT = 34, TOP = 26;
  let date = data.dates[0], head = null, now = 0;

  // 一个头，或者各头平均
  const weights = () => (head !== null ? date.heads[head] : date.heads[0].map((row, n) => row.map((_, m) =>
    date.heads.reduce((sum, map) => sum + map[n][m], 0) / date.heads.length)));
  const top = (row) => row.indexOf(Math.max(...row));

  // 两排字：来源亮起来，目标一格一格写出来
  const source = html("div", { class: "explore-chars" });
  const target = html("div", { class: "explore-row explore-writing", role: "group", "aria-label": "写到第几个" },
    date.target.map((_, n) => html("button", { type: "button", onclick: () => walk.go(n, true) })));
  const lightUp = (row) => source.replaceChildren(...date.source.map((char, m) =>
    html("span", { style: `--shade: ${Math.round(100 * row[m])}%` }, html("b", {}, char), html("small", {}, row[m] < 0.095 ? "" : `${Math.round(100 * row[m])}%`))));
  const fillIn = () => [...target.children].forEach((button, n) => {
    button.textContent = n <= now ? date.target[n] : "·";
    button.setAttribute("aria-label", `第 ${n + 1} 步，共 ${steps} 步${n <= now ? `：${date.target[n]}` : ""}`);
    button.setAttribute("aria-pressed", n === now);
  });

  // 写过的各行合起来，就是一张权重图
  const map = html("div", { class: "explore-dates" });
  const drawMap = (all) => {
    const columns = date.source.length, size = [LEFT + CELL * columns + 2, TOP + CELL * steps + 2];
    const label = (x, y, text, mark) => svg("text", { x, y, "text-anchor": "middle", class: mark && "explore-mark" }, text);
    const place = (m) => LEFT + CELL * m, line = (n) => TOP + CELL * n;
    map.replaceChildren(svg("svg", { class: "explore-aligned", viewBox: `0 0 ${size.join(" ")}`, style: `max-width: ${size[0]}px`, role: "img", "aria-label": `写过的 ${now + 1} 个字符各看来源的哪些字` },
      date.source.map((char, m) => label(place(m) + CELL / 2, 18, char, m === top(all[now]))),
      date.target.slice(0, now + 1).flatMap((char, n) => [
        label(LEFT / 2, line(n) + 17, char, n === now),
        ...all[n].map((weight, m) => svg("rect", { x: place(m) + 1, y: line(n) + 1, width: CELL - 2, height: CELL - 2, "fill-opacity": (0.04 + 0.96 * weight).toFixed(3) })),
      ]),
      svg("rect", { class: "explore-frame", x: LEFT, y: line(now), width: CELL * columns, height: CELL })));
  };

  const row = bars({ labels: letters, values: letters.map(() => 0), name: "下一个字符的概率" });
  const sayings = Array(steps).fill("");
  const draw = () => {
    const all = weights(), chances = softmax(date.logits[now]), seen = top(all[now]), best = top(chances);
    lightUp(all[now]);
    fillIn();
    drawMap(all);
    row.update(chances.slice(data.first));
    const written = date.target.slice(0, now).join("");
    return `${written ? `已经写出“${written}”，` : "一个也没有写，"}接下来：看得最多的字是“${date.source[seen]}”，权重 ${fixed(all[now][seen])}；概率最大的是“${data.letters[best]}”，${fixed(chances[best])}。`;
  };
  const walk = stepper({ steps: sayings, seconds: 1.2, dots: false, show: (n) => {
    now = n;
    walk.node.querySelector(".explore-said").textContent = draw();
  } });
  const dates = choice({ label: "日期", options: data.dates.map((each) => each.source.join("")), change: (i) => { date = data.dates[i]; walk.go(0, true); } });
  const heads = choice({ label: "看", options: ["各头平均", ...date.heads.map((_, h) => `头 ${h}`)], change: (i) => { head = i ? i - 1 : null; walk.go(now, true); } });
  const titled = (words, ...nodes) => html("div", {}, html("p", { class: "explore-label" }, words), nodes);
  stage.append(
    dates.node, heads.node,
    html("p", { class: "explore-label" }, "来源：越深，权重越大"), source,
    html("p", { class: "explore-label" }, "写出"), target, walk.node,
    html("div", { class: "explore-halves" },
      titled("写过的各个字符，看来源的哪些字", map),
      titled("下一个字符的概率", row.node)),
  );
  walk.go(0);
});
