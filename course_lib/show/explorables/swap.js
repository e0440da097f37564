// 激活修补：一格一个词元、一层，换成另一句话的同一格，答案改不改；颜色是改答的概率，点一格，或者拖层数、挑词元。
// 数：questions，每问 { name；tokens（N 个词元）；place（先换第几个）；from（换进来的是谁的）；answers（原来的答案、另一句的答案）；
// chances（N×L 个 [答原来的, 答另一句的]） }；layer（先在第几层之后换）。各问层数相同。
Explore.define("swap", (data, stage) => {
  const { html, svg, fixed, tokens, bars, slider, choice } = Explore;
  const layers = data.questions[0].chances[0].length, all = Array.from({ length: layers }, (_, l) => l + 1);
  let question = data.questions[0], place = question.place, layer = data.layer, rows, picker;

  const grid = html("div", { class: "explore-swap", role: "img" }), words = html("div", {});
  const ticks = html("div", { class: "explore-strip", "aria-hidden": "true" }, html("span"),
    html("span", { class: "explore-ticks" }, all.map((l) => html("span", {}, l === 1 || l % 10 === 0 || l === data.layer ? String(l) : ""))));
  const said = html("p", { class: "explore-said", "aria-live": "polite" });
  const answers = bars({ labels: ["", ""], values: [0, 0], name: "换了以后，两个答案的概率", hue: "ink" });
  answers.node.lastChild.style.setProperty("--hue", "var(--ochre)"); // 墨色的是原来的答案，黄的是另一句的

  const draw = () => {
    const [kept, changed] = question.chances[place][layer - 1], [first, other] = question.answers;
    rows.forEach(({ label, frame }, i) => {
      label.classList.toggle("explore-mark", i === place);
      frame.toggleAttribute("hidden", i !== place);
      frame.setAttribute("x", layer - 1);
    });
    answers.update([kept, changed], [], question.answers);
    said.textContent = `第 ${layer} 层之后，把 ${question.tokens[place]} 这一格换成 ${question.from} 那一句的：${changed > kept ? `改答 ${other}` : `还是 ${first}`}。`;
  };
  const row = (token, i) => {
    const top = Math.max(...question.chances.flat().map(([, changed]) => changed));
    const cells = question.chances[i].map(([, changed], l) => svg("rect", { x: l + 0.04, y: 0, width: 0.92, height: 1, style: `--shade: ${Math.round((100 * changed) / top)}%` }));
    const frame = svg("rect", { class: "explore-frame", y: 0, width: 1, height: 1 });
    const strip = svg("svg", { viewBox: `0 0 ${layers} 1`, preserveAspectRatio: "none", onclick: ({ clientX, currentTarget }) => {
      const { left, width } = currentTarget.getBoundingClientRect();
      place = i;
      picker.select(i, true);
      depth.set(Math.min(layers - 1, Math.max(0, Math.floor((layers * (clientX - left)) / width))));
    } }, cells, frame);
    const label = html("span", { class: "explore-label", lang: "en" }, token);
    return { label, frame, node: html("div", { class: "explore-strip" }, label, strip) };
  };
  const open = () => {
    place = question.place;
    rows = question.tokens.map(row);
    grid.style.setProperty("--rows", rows.length);
    grid.setAttribute("aria-label", `每个词元、每一层换一次，改答 ${question.answers[1]} 的概率`);
    grid.replaceChildren(...rows.map(({ node }) => node));
    picker = tokens({ words: question.tokens, name: "换哪一个词元", chosen: place, pick: (i) => { place = i; draw(); } });
    words.replaceChildren(picker.node);
    draw();
  };
  const depth = slider({ label: "层", values: all, at: layer - 1, change: (l) => { layer = l; draw(); } });
  const which = choice({ label: "哪一问", options: data.questions.map(({ name }) => name), change: (i) => { question = data.questions[i]; open(); } });
  stage.append(grid, ticks, depth.node, said, answers.node, words, which.node);
  open();
});
