// 面板的三个部分：词元、注意力、余弦。各有 fill（句子变了）与 draw（选中的、宽窄或明暗变了），都照着 view 画：
// results 每句一个，是 engine.run 的结果；places 把各句的词元接在一起；chosen 与 partner 是其中选中的两个；
// state 见 panel.js；weights 是选中的头里，chosen 给它那一句每个词元的权重。要改选择，就调用 choose。
globalThis.LiveParts = (() => {
  const { html, fixed, inkOf, isSpecial, isPiece, named, draftRow, tokenRow } = LiveMarks;
  const { matrix, gallery, bars, lines, table } = LiveCharts;
  const VOCABULARY = { size: 30522, han: 244 };
  const HAN = /\p{Script=Han}/u;

  // attention[层] 按（头，查询，键）、hidden[层] 按（词元，特征）排成一串
  const weightsOf = ({ attention, tokens: { length: n } }, layer, head) =>
    attention[layer].subarray(head * n * n, (head + 1) * n * n);
  const vectorOf = ({ hidden, dModel }, layer, i) => hidden[layer].subarray(i * dModel, (i + 1) * dModel);

  const dot = (a, b) => a.reduce((sum, value, k) => sum + value * b[k], 0);
  const cosine = (a, b) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
  const mean = (numbers) => dot(numbers, numbers.map(() => 1)) / numbers.length;

  // 同一句里所有不同的词元两两的余弦（特殊词元不算），即《三个 bank》那一章的随机词对
  const differentPairs = (result, layer) => {
    const words = result.tokens.flatMap((token, i) => (isSpecial(token) ? [] : [i]));
    const others = (i) => words.filter((j) => j > i && result.ids[i] !== result.ids[j]);
    return words.flatMap((i) => others(i).map((j) => cosine(vectorOf(result, layer, i), vectorOf(result, layer, j))));
  };

  // 哪些词切成了几截，哪些成了 [UNK]，为什么
  const splitWords = ({ tokens, words }) =>
    tokens.flatMap((token, i) => {
      if (isSpecial(token) || isPiece(token) || !tokens[i + 1] || !isPiece(tokens[i + 1])) return [];
      const end = tokens.findIndex((each, j) => j > i && !isPiece(each));
      const pieces = tokens.slice(i, end).flatMap((piece) => [" ", named(piece)]);
      return [[`“${words[i]}”不在词表里，取词表里最长的开头，一截一截地切：`, ...pieces.slice(1), "。"]];
    });
  const unknownWords = (results) => {
    const unknown = [...new Set(results.flatMap((result) => result.unknown.map(({ word }) => word)))];
    const list = (words) => words.map((word) => `“${word}”`).join("");
    const han = unknown.filter((word) => HAN.test(word));
    const others = unknown.filter((word) => !HAN.test(word));
    const reasons = [];
    if (han.length)
      reasons.push([
        `${list(han)}成了 `,
        named("[UNK]"),
        `：汉字一个一个地切，而这份英文词表的 ${VOCABULARY.size} 个词元里只有 ${VOCABULARY.han} 个汉字，没有它们。`,
        "凡是不认识的，编号都是 100，模型分不出谁是谁。",
      ]);
    if (others.length) reasons.push([`${list(others)}里有一截在词表里怎么也配不上，整个词就成了 `, named("[UNK]"), "。"]);
    return reasons;
  };

  function tokens({ id, choose }) {
    const chips = html("fieldset"), notes = html("div", { class: "live-notes" });
    const legend = () => html("legend", {}, "选一个词元（方框里的数是它的编号）");
    let rows;
    return {
      title: "词元",
      elements: [chips, notes],
      // 还没有分词：先照词摆上，占住地方，免得下面的字跳
      draft(texts) {
        const words = (text) => ["[CLS]", ...(text.match(/[\p{L}\p{N}]+|\S/gu) || []), "[SEP]"];
        chips.replaceChildren(legend(), ...texts.map((text) => draftRow(words(text))));
      },
      fill({ results }) {
        let count = 0;
        rows = results.map((result) => {
          const first = count;
          count += result.tokens.length;
          const row = tokenRow({ ...result, group: `${id}-token`, onChoose: (i) => choose({ token: first + i }) });
          return { first, ...row };
        });
        chips.replaceChildren(legend(), ...rows.map(({ element }) => element));
        const lines = [...unknownWords(results), ...results.flatMap(splitWords)];
        notes.replaceChildren(...lines.map((line) => html("p", {}, ...line)));
      },
      draw({ state, chosen, weights, compares }) {
        rows.forEach(({ first, show }, sentence) =>
          show({
            chosen: state.token - first,
            partner: compares ? state.with - first : undefined,
            weights: sentence === chosen.sentence ? weights : [],
          }),
        );
      },
    };
  }

  function attention({ id, block, choose }) {
    const group = `${id}-head`;
    const nameOf = (layer, head) => `第 ${layer} 层第 ${head} 个头`;
    let heads = { element: html("fieldset", { class: "live-heads" }) }, painted, shade;
    const map = html("div", { class: "live-map", tabindex: 0, role: "application", "aria-label": "权重图：方向键换查询与键" });
    let move = () => {};
    map.addEventListener("keydown", (event) => {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      if (!step) return;
      event.preventDefault();
      move(...step);
    });
    const pointed = html("span", { class: "live-pointed" }), how = html("button", { type: "button" }, "它怎样算出来？"); // 整页才有那一部分
    how.addEventListener("click", () => block.querySelector(".live-oneCell").scrollIntoView());
    const reading = html("p", { "aria-live": "polite" }), keys = html("div", { class: "live-weights" });
    const detail = html("div", { class: "live-detail" }, html("div", {}, map, html("p", { class: "live-pair-of" }, pointed, ...(block.dataset.parts ? [] : [how]))), keys);
    return {
      title: "注意力",
      elements: [heads.element, reading, detail],
      weights: ({ state, chosen: { result, index } }) => {
        const n = result.tokens.length;
        return weightsOf(result, state.layer, state.head).subarray(index * n, (index + 1) * n);
      },
      fill({ results: [{ numLayers, numHeads }] }) {
        if (painted) return;
        const before = heads.element;
        const legend = `${numLayers} 层 × ${numHeads} 个头，选一张权重图`;
        const onChoose = (layer, head) => choose({ layer, head });
        heads = gallery({ rows: numLayers, columns: numHeads, group, legend, corner: "层", name: nameOf, onChoose });
        before.replaceWith(heads.element);
      },
      draw({ state: { layer, head, token }, chosen: { result, index, token: name }, partner, weights }) {
        const { tokens } = result, n = tokens.length, ink = inkOf(block);
        if (painted !== result || shade !== String(ink)) heads.show((l, h) => weightsOf(result, l, h), n, ink);
        [painted, shade] = [result, String(ink)];
        heads.choose(layer, head);

        const values = weightsOf(result, layer, head), label = `${nameOf(layer, head)}的权重图，数在下面`;
        const column = partner.result === result ? partner.index : undefined; // 键；配对的在另一句里，就没有
        const onChoose = (query, key) =>
          query in tokens && choose({ token: token - index + query, ...(key in tokens && { with: token - index + key }) });
        const onPoint = (query, key) => {
          const inside = query in tokens && key in tokens;
          pointed.textContent = inside ? `${tokens[query]} → ${tokens[key]}：${fixed(values[query * n + key])}` : "";
        };
        move = (down, right) => onChoose(index + down, (column ?? index) + right);
        const size = { rows: tokens, columns: tokens, width: detail.clientWidth };
        map.replaceChildren(matrix({ ...size, values, row: index, column, ink, label, onPoint, onChoose }));
        onPoint(index, column);

        const order = tokens.map((_, i) => i).sort((a, b) => weights[b] - weights[a]);
        const most = order.slice(0, 3).flatMap((i) => ["、", named(tokens[i]), ` ${fixed(weights[i])}`]);
        reading.replaceChildren(`${nameOf(layer, head)}里，`, named(name), " 看得最多的是 ", ...most.slice(1), "。");
        keys.replaceChildren(bars(tokens, weights));
      },
    };
  }

  function cosines({ id, choose }) {
    const select = html("select", { id: `${id}-with`, lang: "en" });
    select.addEventListener("change", () => choose({ with: select.selectedIndex }));
    const chart = html("div", { class: "live-lines" }), numbers = html("table");
    const ask = html("p", { class: "live-ask" }, html("label", { for: select.id }, "选中的词元，与谁比？"), select);
    return {
      title: "逐层的余弦相似度",
      elements: [ask, html("div", { class: "live-curves" }, chart, numbers)],
      fill({ results }) {
        const option = (token, i) => html("option", {}, `${token}（第 ${i} 个）`);
        const group = ({ tokens }, i) => html("optgroup", { label: `第${"一二"[i]}句` }, ...tokens.map(option));
        select.replaceChildren(...results.map(group));
      },
      draw({ state, chosen, partner }) {
        select.selectedIndex = state.with;
        const both = [...new Set([chosen.result, partner.result])];
        const perLayer = (numberOf) => chosen.result.hidden.map((_, layer) => numberOf(layer));
        for (const result of both) result.pairs ||= perLayer((layer) => differentPairs(result, layer));
        const vector = ({ result, index }, layer) => vectorOf(result, layer, index);
        const curves = [
          {
            kind: "live-pair",
            name: [named(chosen.token), " 与 ", named(partner.token)],
            values: perLayer((layer) => cosine(vector(chosen, layer), vector(partner, layer))),
          },
          {
            kind: "live-random",
            name: ["随机词对"],
            values: perLayer((layer) => mean(both.flatMap((result) => result.pairs[layer]))),
          },
        ].filter(({ values }) => !values.some(Number.isNaN)); // 只有一个词，就没有词对
        const label = "余弦相似度随层的变化，数在下面的表里";
        chart.replaceChildren(lines({ curves, width: chart.clientWidth, label, below: "层（0 是嵌入层的输出）" }));
        numbers.replaceChildren(...table({ curves, corner: "层" }));
      },
    };
  }

  return { tokens, attention, cosine: cosines };
})();
