// 逐层打开一个语言模型：把各层的向量提前送去输出，最可能的五个词元；各层给第一个词元多少注意力，向量有多长。
// 数：prompts，每句 { tokens（N 个词）；words、chances（L+1 份，每份 N 个词元，各有五个词与它们的概率）；
// first（L 份，每份 N 个，给第一个词元的注意力）；lengths（L+1 份，每份 N 个，向量的长度） }。各句层数相同。
Explore.define("lens", (data, stage) => {
  const { html, fixed, tokens, bars, line, slider, choice, stepper } = Explore;
  const layers = data.prompts[0].first.length;
  const shown = (word) => word.trim() || (word.includes("\n") ? "↵" : "␣"); // 空白也要看得见
  const powers = (length) => Math.log10(Math.max(1, length));
  const top = Math.ceil(Math.max(...data.prompts.flatMap(({ lengths }) => lengths.flat().map(powers))));
  let prompt = data.prompts[0], layer = 0, chosen = prompt.tokens.length - 1;

  const places = html("div", {});
  const guessed = bars({ labels: ["", "", "", "", ""], values: [0, 0, 0, 0, 0], name: "提前读出的五个词元", hue: "output", digits: 3 });
  const title = html("p", { class: "explore-label" });
  const numbers = html("p", { class: "explore-numbers", "aria-live": "polite" });
  const chart = (lines, high) => line({
    lines: lines.map(([label, hue]) => ({ label, hue, points: [] })), name: `${lines[0][0]}，逐层`, width: 320, height: 130, x: [0, layers], y: [0, high],
  });
  const share = chart([["给第一个词元的注意力", "weight"]], 1);
  const length = chart([["长度，10 的几次方", "faint"], ["第一个词元", "output"]], top);

  const draw = () => {
    const word = shown(prompt.tokens[chosen]);
    title.textContent = `从 ${word} 猜下一个词元`;
    guessed.update(prompt.chances[layer][chosen], [], prompt.words[layer][chosen].map(shown));
    const given = layer ? fixed(prompt.first[layer - 1][chosen]) : "还没有";
    numbers.textContent = `给第一个词元的注意力：${given}；向量长 ${fixed(prompt.lengths[layer][chosen], 0)}`;
    share.update([prompt.first.map((row, l) => [l + 1, row[chosen]])], layer);
    length.update([chosen, 0].map((place) => prompt.lengths.map((row, l) => [l, powers(row[place])])), layer);
  };
  const open = () => {
    chosen = prompt.tokens.length - 1;
    places.replaceChildren(tokens({ words: prompt.tokens.map(shown), name: "看哪个词元", chosen, pick: (i) => { chosen = i; draw(); } }).node);
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
  const steps = stepper({
    steps: Array.from({ length: layers + 1 }, (_, l) => (l ? `第 ${l} 层之后` : "第 0 层：嵌入，还没有听过别的词元")),
    seconds: 0.7, dots: false, show: (i) => together(i, () => depth.set(i)),
  });
  const sentence = choice({ label: "哪一句", options: data.prompts.map((one) => one.tokens.join("").trim()), change: (i) => { prompt = data.prompts[i]; open(); } });
  stage.append(
    sentence.node, places, depth.node, steps.node,
    html("div", { class: "explore-lens" }, html("div", {}, title, guessed.node, numbers), html("div", {}, share.node, length.node)),
  );
  open();
  steps.go(0);
});
