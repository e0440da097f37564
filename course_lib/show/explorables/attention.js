// 注意力，两样，给了哪样的数就画哪样：
// 一步一个矩阵：tokens（N 个词）、x（N×D）、w_query、w_key、w_value（D×d）、chosen（先看第几个查询）；
// 拖动宽度，看 softmax 怎样饱和：wide（{ d: [一个查询与几个键的点积] }）。
{
  const { html, fixed, transpose, dot, matmul, map, softmax, tokens, matrix, bars, slider, choice, stepper } = Explore;
  const numbered = (name, count) => Array.from({ length: count }, (_, i) => `${name}${i + 1}`);

  const stepByStep = (data, stage) => {
    const words = data.tokens, d = data.w_query[0].length, root = Math.sqrt(d);
    const [query, key, value] = [data.w_query, data.w_key, data.w_value].map((w) => matmul(data.x, w));
    const dots = matmul(query, transpose(key)), scores = map(dots, (s) => s / root);
    const weights = scores.map(softmax), output = matmul(weights, value);
    let from = data.chosen ?? 0, to = scores[from].indexOf(Math.max(...scores[from])), step = 0;

    const features = numbered("", data.x[0].length), head = numbered("", d);
    const raised = (name) => ["W", html("sup", {}, name)];
    const small = (values, title, hue, columns = head, rows = words) => matrix({ values, rows, columns, title, hue });
    const pick = (i, j) => {
      [from, to] = [i, j];
      chooser.select(i, true);
      mark();
    };
    const table = (values, title, scale) => matrix({ values, rows: words, columns: words, title, hue: "weight", scale, pick });
    const parts = {
      x: small(data.x, "X", "faint", features),
      wQuery: small(data.w_query, raised("Q"), "query", head, features), query: small(query, "Q 查询", "query"),
      wKey: small(data.w_key, raised("K"), "key", head, features), key: small(key, "K 键", "key"),
      wValue: small(data.w_value, raised("V"), "value", head, features), value: small(value, "V 值", "value"),
      keyT: small(transpose(key), "Kᵀ", "key", words, head),
      dots: table(dots, "点积 QKᵀ"), scores: table(scores, "分数"), weights: table(weights, "权重", 1),
      output: small(output, "输出", "output"),
    };
    const STEPS = [
      [["x"], "每个词元是一行数，合起来是矩阵 X。点一个词元，跟着它走。"],
      [["x", "×", "wQuery", "=", "query"], "X 乘第一个矩阵：每个词元得到一个查询，它想知道什么。"],
      [["x", "×", "wKey", "=", "key"], "同一个 X 乘第二个矩阵：每个词元得到一个键，别人凭什么来找它。"],
      [["x", "×", "wValue", "=", "value"], "同一个 X 乘第三个矩阵：每个词元得到一个值，别人找上它时，它交出什么。"],
      [["query", "×", "keyT", "=", "dots"], "查询与键两两做点积，一对一格。点一格，看它怎样算出来。"],
      [["dots", `÷ ${fixed(root)} =`, "scores"], `除以 √d = √${d}，得到分数：次序不变，只是都缩小了。`],
      [["scores", "softmax →", "weights"], "每一行各做一次 softmax，得到权重：没有负数，一行加起来是 1。"],
      [["weights", "×", "value", "=", "output"], "按权重把各个值加起来，就是输出：每个词元一行，宽度与值相同。"],
    ];
    const flow = html("div", { class: "explore-flow" }), detail = html("div", { class: "explore-detail" });
    const strip = (numbers, name, hue) => matrix({ values: [numbers], rows: [name], hue, title: "" }).node;
    const strips = (...nodes) => html("div", { class: "explore-strips" }, nodes);
    const said = (text) => html("p", {}, text);
    const name = (i) => html("b", { lang: "en" }, words[i]);

    // 从点积那一步起，写出这一步的一格或一行怎样算出来
    const details = {
      4: () => [
        html("p", {}, name(from), " 的查询与 ", name(to), " 的键，逐个相乘，再加起来："),
        strips(strip(query[from], "q", "query"), strip(key[to], "k", "key"), strip(query[from].map((q, k) => q * key[to][k]), "q·k", "weight")),
        said(`加起来是 ${fixed(dots[from][to])}。`),
      ],
      5: () => [said(`${fixed(dots[from][to])} ÷ √${d} = ${fixed(dots[from][to])} ÷ ${fixed(root)} = ${fixed(scores[from][to])}`)],
      6: () => {
        const powers = scores[from].map(Math.exp), total = powers.reduce((sum, x) => sum + x, 0);
        return [
          html("p", {}, name(from), " 这一行，各取指数："),
          strips(...words.map((word, i) => strip([powers[i]], word, "weight"))),
          said(`加起来 ${fixed(total)}；每个除以它，${words[to]} 得 ${fixed(powers[to])} ÷ ${fixed(total)} = ${fixed(weights[from][to])}。`),
        ];
      },
      7: () => [
        html("p", {}, "四份值各乘自己的权重，再加起来，就是 ", name(from), " 的输出："),
        strips(...words.map((word, i) => strip(value[i].map((x) => weights[from][i] * x), `${fixed(weights[from][i])} × ${word}`, "value"))),
      ],
    };

    // 跟着的那个词元描上框
    const mark = () => {
      const row = { mark: (i) => i === from }, pair = { mark: (i, j) => i === from && j === to };
      parts.x.update(data.x, row);
      parts.query.update(query, row);
      parts.key.update(key, row);
      parts.value.update(value, step === STEPS.length - 1 ? {} : row);
      parts.keyT.update(transpose(key), { mark: (_, j) => j === to });
      parts.dots.update(dots, pair);
      parts.scores.update(scores, step === 6 ? row : pair);
      parts.weights.update(weights, row);
      parts.output.update(output, row);
      detail.replaceChildren(...(details[step]?.() ?? []));
    };
    const chooser = tokens({ words, name: "跟着哪个词元走", chosen: from, pick: (i) => {
      from = i;
      to = scores[i].indexOf(Math.max(...scores[i]));
      mark();
    } });
    const steps = stepper({
      steps: STEPS.map(([, said]) => said),
      show: (i) => {
        step = i;
        // 等号与它后面的结果不拆开
        const nodes = STEPS[i][0].map((part) => parts[part]?.node ?? html("span", { class: "explore-sign" }, part));
        flow.replaceChildren(...(nodes.length > 1 ? [...nodes.slice(0, -2), html("div", { class: "explore-result" }, nodes.slice(-2))] : nodes));
        mark();
      },
    });
    stage.append(chooser.node, steps.node, flow, detail);
    steps.go(0);
  };

  const saturate = ({ wide }, stage) => {
    const widths = Object.keys(wide).map(Number).sort((a, b) => a - b), count = wide[widths[0]].length;
    const ways = [["不除", () => 1], ["除以 √d", Math.sqrt], ["除以 d", (d) => d]];
    let width = widths[0], way = 0;
    const row = bars({ labels: numbered("键 ", count), values: Array(count).fill(0), name: "一个查询与各个键的分数，给它们的权重" });
    const said = html("p", { class: "explore-said", "aria-live": "polite" });
    const draw = () => {
      const scores = wide[width].map((s) => s / ways[way][1](width)), shares = softmax(scores);
      row.update(shares, scores.map((s) => fixed(s, 1)));
      said.textContent = `d = ${width}，${ways[way][0]}：分数从 ${fixed(Math.min(...scores), 1)} 到 ${fixed(Math.max(...scores), 1)}，最大的权重是 ${fixed(Math.max(...shares))}；平均分配时各 ${fixed(1 / count, 3)}。`;
    };
    const bySlider = slider({ label: "宽度 d", values: widths, change: (d) => { width = d; draw(); } });
    const byChoice = choice({ label: "点积", options: ways.map(([name]) => name), at: way, change: (i) => { way = i; draw(); } });
    stage.append(bySlider.node, byChoice.node, row.node, said);
    draw();
  };

  Explore.define("attention", (data, stage) => {
    if (data.x) stepByStep(data, stage);
    if (data.wide) saturate(data, stage);
  });
}
