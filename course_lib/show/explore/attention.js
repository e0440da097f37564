// 一次注意力，一步一个矩阵。
// 数：tokens（N 个词）、x（N×D）、w_query、w_key、w_value（D×d）、chosen（先看第几个查询）；
// 另可给 wide：{ d: [一个查询与几个键的点积] }，拖动 d，看 softmax 怎样饱和。
Explore.define("attention", (data, stage) => {
  const { html, fixed, transpose, dot, matmul, map, softmax, tokens, matrix, bars, slider, choice, stepper } = Explore;
  const words = data.tokens, d = data.w_query[0].length, root = Math.sqrt(d);
  const [query, key, value] = [data.w_query, data.w_key, data.w_value].map((w) => matmul(data.x, w));
  const dots = matmul(query, transpose(key)), scores = map(dots, (s) => s / root);
  const weights = scores.map(softmax), output = matmul(weights, value);
  let from = data.chosen ?? 0, to = 0;

  const numbered = (name, count) => Array.from({ length: count }, (_, i) => `${name}${i + 1}`);
  const features = numbered("", data.x[0].length), head = numbered("", d);
  const raised = (name) => [`W`, html("sup", {}, name)];
  const small = (values, title, hue, columns = head, rows = words) => matrix({ values, rows, columns, title, hue });
  const table = (values, title, hue = "weight", scale) =>
    matrix({ values, rows: words, columns: words, title, hue, scale, pick: (i, j) => ([from, to] = [i, j], chooser.select(i, true), mark()) });

  const parts = {
    x: small(data.x, "X", "ink", features),
    wQuery: small(data.w_query, raised("Q"), "query", head, features), query: small(query, "Q 查询", "query"),
    wKey: small(data.w_key, raised("K"), "key", head, features), key: small(key, "K 键", "key"),
    wValue: small(data.w_value, raised("V"), "value", head, features), value: small(value, "V 值", "value"),
    keyT: matrix({ values: transpose(key), rows: head, columns: words, title: "Kᵀ", hue: "key" }),
    dots: table(dots, "点积 QKᵀ"), scores: table(scores, "分数"), weights: table(weights, "权重", "weight", 1),
    output: small(output, "输出", "output"),
  };
  const { x, keyT } = parts;
  const STEPS = [
    [["x"], "每个词元是一行数，合起来是矩阵 X。点一个词元，跟着它走。"],
    [["x", "×", "wQuery", "=", "query"], "X 乘 W^Q：每个词元得到一个查询，它想知道什么。"],
    [["x", "×", "wKey", "=", "key"], "同一个 X 乘 W^K：每个词元得到一个键，别人凭什么来找它。"],
    [["x", "×", "wValue", "=", "value"], "同一个 X 乘 W^V：每个词元得到一个值，别人找上它时，它交出什么。"],
    [["query", "×", "keyT", "=", "dots"], "查询与键两两做点积：第 i 行第 j 列，是第 i 个查询与第 j 个键合不合得来。点一格，看它怎样算出。"],
    [["dots", `÷ ${fixed(root)} =`, "scores"], `除以 √d = √${d}，得到分数。大小次序不变，只是都缩小了。`],
    [["scores", "softmax →", "weights"], "每一行各做一次 softmax，得到权重：没有负数，一行加起来是 1。"],
    [["weights", "×", "value", "=", "output"], "按权重把各个值加起来，就是输出：每个词元一行，宽度与值相同。"],
  ];

  const flow = html("div", { class: "explore-flow" }), detail = html("div", { class: "explore-detail" });
  let step = 0;
  const strip = (numbers, name, hue) => matrix({ values: [numbers], rows: [name], hue, title: "" }).node;
  const mark = () => {
    const row = { mark: (i) => i === from };
    for (const name of ["x", "query", "output"]) parts[name].update({ x: data.x, query, output }[name], row);
    const pair = { mark: (i, j) => i === from && j === to };
    parts.dots.update(dots, pair);
    parts.scores.update(scores, pair);
    parts.weights.update(weights, row);
    parts.key.update(key, step === 4 ? { mark: (i) => i === to } : row);
    parts.value.update(value, step === 7 ? {} : row);
    keyT.update(transpose(key), { mark: (_, j) => j === to });
    const products = query[from].map((q, k) => q * key[to][k]);
    detail.replaceChildren(...(step < 4 ? [] : [
      html("p", {}, html("b", { lang: "en" }, words[from]), " 的查询与 ", html("b", { lang: "en" }, words[to]), " 的键，逐个相乘："),
      html("div", { class: "explore-strips" }, strip(query[from], "q", "query"), strip(key[to], "k", "key"), strip(products, "q·k", "weight")),
      html("p", {}, `加起来 ${fixed(dot(query[from], key[to]))}，除以 ${fixed(root)} 得分数 ${fixed(scores[from][to])}，在这一行里分到 ${fixed(weights[from][to])}。`),
    ]));
  };
  const chooser = tokens({ words, name: "跟着哪个词元走", chosen: from, pick: (i) => { from = i; mark(); } });
  const steps = stepper({
    steps: STEPS.map(([, said]) => said),
    show: (i) => {
      step = i;
      flow.replaceChildren(...STEPS[i][0].map((part) => parts[part]?.node ?? html("span", { class: "explore-sign" }, part)));
      mark();
    },
  });
  to = scores[from].indexOf(Math.max(...scores[from]));
  stage.append(chooser.node, steps.node, flow, detail);
  steps.go(0);

  if (!data.wide) return;
  const widths = Object.keys(data.wide).map(Number).sort((a, b) => a - b), count = data.wide[widths[0]].length;
  const ways = [["不除", () => 1], ["除以 √d", Math.sqrt], ["除以 d", (n) => n]];
  let [width, way] = [widths[0], 1];
  const row = bars({ labels: numbered("键 ", count), values: Array(count).fill(0), name: "一个查询给各个键的权重" });
  const said = html("p", { class: "explore-said", "aria-live": "polite" });
  const draw = () => {
    const shares = softmax(data.wide[width].map((s) => s / ways[way][1](width)));
    row.update(shares);
    said.textContent = `d = ${width}，${ways[way][0]}：最大的权重是 ${fixed(Math.max(...shares))}；平均分配时各 ${fixed(1 / count, 3)}。`;
  };
  const bySlider = slider({ label: "宽度 d", values: widths, change: (n) => { width = n; draw(); } });
  const byChoice = choice({ label: "点积", options: ways.map(([name]) => name), at: way, change: (i) => { way = i; draw(); } });
  stage.append(html("div", { class: "explore-part" }, html("p", {}, html("b", {}, "为什么要除以 √d？"), "拖动 d，再换一种除法。"), bySlider.node, byChoice.node, row.node, said));
  draw();
});
