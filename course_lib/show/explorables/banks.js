// 同一个词，一句一个点，各连到这一层里最像它的一个，过界的是红的虚线：拖动层数，看各句里的它怎样分成两边；点一个，看它的句子，和最像它的一句；换一个词元，比一比谁分得开。
// 数：sentences（N 句）、short（各句的短名）、word（那个词）、senses（每句在哪一边，0 或 1）、names（两边的名字）；
// places（量哪几个词元，第一个先看）：每个有 name、points（每层一个 N×2，平面上的位置）、shares（每层一个数，平面上留住了几成的差别）、cosines（每层一个 N×N）；chosen（先看第几句）。
Explore.define("banks", (data, stage) => {
  const { html, svg, fixed, line, slider, choice, walk } = Explore;
  const { sentences, senses, names, places } = data;
  let { name, points, shares, cosines } = places[0];
  const layers = points.map((_, layer) => layer), last = layers.length - 1, narrow = stage.clientWidth < 560, [width, height] = narrow ? [340, 250] : [580, 330], id = `banks-${document.querySelectorAll(".explore-banks").length}`;
  const hues = ["ink", "ochre"], shapes = ["●", "▲"];
  let layer = last, chosen = data.chosen ?? 0, timer = null;

  // 同义、异义两堆的平均余弦；自己与自己不算
  const average = (at, wanted, among = cosines) => {
    let [sum, count] = [0, 0];
    senses.forEach((a, i) => senses.forEach((b, j) => { if (i !== j && (a === b) === wanted) { sum += among[at][i][j]; count++; } }));
    return sum / count;
  };
  const nearest = (i, near = cosines[layer]) => near[i].reduce((best, cosine, j) => (j !== i && (best < 0 || cosine > near[i][best]) ? j : best), -1);
  const hits = (near = cosines[layer]) => sentences.filter((_, i) => senses[nearest(i, near)] === senses[i]).length;

  // 一个词元的各层同一把尺子，点占满图；图放在正中
  const box = () => [0, 1].map((axis) => { const values = points.flat().map((p) => p[axis]); return [Math.min(...values), Math.max(...values)]; });
  const fit = () => Math.min(...[width, height].map((size, axis) => (size - 60) / (ends[axis][1] - ends[axis][0] || 1)));
  let ends = box(), scale = fit();
  const place = (at, i) => {
    const [x, y] = ends.map(([low, high], axis) => (points[at][i][axis] - (low + high) / 2) * scale);
    return [width / 2 + x, height / 2 - y];
  };

  const wires = svg("g", {});
  const dots = sentences.map((sentence, i) => svg("g", { id: `${id}-${i}`, role: "option", "aria-label": `${names[senses[i]]}：${sentence}`, style: `--hue: var(--${hues[senses[i]]})` },
    senses[i] ? svg("polygon", { points: "0,-8 8,6 -8,6" }) : svg("circle", { r: 7 }), svg("text", { y: -14, "text-anchor": "middle" })));
  const map = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "listbox", tabindex: 0, "aria-label": "一句一个点，用方向键一句一句看" }, wires, dots);
  const legend = html("p", { class: "explore-label" }, names.map((name, i) => html("span", { style: `--hue: var(--${hues[i]})` }, html("b", {}, shapes[i]), ` ${name}`)), html("span", { style: "--hue: var(--minus)" }, "╌╌ 过了界"));

  const marked = (sentence) => sentence.split(new RegExp(`\\b(${data.word})\\b`, "i")).map((piece, k) => (k % 2 ? html("b", {}, piece) : piece));
  const card = (label) => {
    const title = html("span", { class: "explore-label" }), text = html("span", { lang: "en" });
    const update = (i, extra) => {
      title.replaceChildren(`${label}　`, html("b", {}, html("span", { style: `color: var(--${hues[senses[i]]})` }, shapes[senses[i]]), ` ${names[senses[i]]}`), extra);
      text.replaceChildren(...marked(sentences[i]));
    };
    const say = (words) => { title.replaceChildren(words); text.replaceChildren(); };
    return { node: html("p", {}, title, html("br"), text), update, say };
  };
  const mine = card("这一句"), close = card("这一层里最像它的");
  const cards = html("div", { class: "explore-cards", "aria-live": "polite" }, mine.node, close.node);
  const said = html("p", { class: "explore-said", "aria-live": "polite" });
  // 差：各个词元同一根竖轴，正在看的一条最深
  const gaps = places.map((one) => layers.map((at) => [at, average(at, true, one.cosines) - average(at, false, one.cosines)]));
  const reach = gaps.flat().map(([, gap]) => gap);
  const curves = () => [...gaps.filter((_, i) => places[i].name !== name), gaps[places.findIndex((one) => one.name === name)]];
  const called = () => [...places.filter((one) => one.name !== name).map((one) => one.name), name].map((word) => `${/\w/.test(word) ? word : `“${word}”`} ${hits(places.find((one) => one.name === word).cosines[last])}/${sentences.length}`);
  const chart = line({
    lines: curves().map((points, i) => ({ label: called()[i], hue: i < places.length - 1 ? "grey" : "ink", points })),
    name: "同一边的平均余弦减去两边之间的，随层怎样变", width: 300, height: 150, room: 92, x: [0, last], y: [Math.min(0, Math.round(10 * Math.min(...reach)) / 10), Math.ceil(10 * Math.max(...reach)) / 10],
  });

  // 每个点一根线，连到最像它的一个，箭头收在那个点的外面
  const wire = (i) => {
    const j = nearest(i), [[a, b], [c, d]] = [i, j].map((k) => place(layer, k)), far = Math.hypot(c - a, d - b) || 1, [u, v] = [(c - a) / far, (d - b) / far];
    const end = [c - 11 * u, d - 11 * v], wing = (side) => [end[0] - 8 * u - 4 * side * v, end[1] - 8 * v + 4 * side * u].join(",");
    const head = far > 36 ? [svg("polyline", { points: `${wing(1)} ${end.join(",")} ${wing(-1)}` })] : [];
    return svg("g", { class: senses[i] === senses[j] ? "" : "explore-cross", style: `--hue: var(--${hues[senses[i]]})` }, svg("line", { x1: a, y1: b, x2: end[0], y2: end[1] }), head);
  };
  let drawn = [], alike = false;
  const rewire = () => {
    alike = Math.min(...cosines[layer].flat()) > 0.99999; // 全都一样，就谈不上谁最像谁
    drawn = alike ? [] : sentences.map((_, i) => wire(i));
    wires.replaceChildren(...drawn);
  };
  // 点走到了，线才画上
  const move = () => {
    rewire();
    draw();
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) wires.animate([{ opacity: 0 }, { opacity: 0, offset: 0.7 }, { opacity: 1 }], 1300);
  };

  const draw = () => {
    const other = nearest(chosen), above = place(layer, chosen)[1] < place(layer, other)[1];
    dots.forEach((dot, i) => {
      dot.style.transform = `translate(${place(layer, i).map((x) => `${x.toFixed(1)}px`).join(", ")})`;
      dot.setAttribute("aria-selected", i === chosen);
      dot.classList.toggle("explore-mark", i === chosen);
      dot.lastChild.textContent = i === chosen && alike ? `${sentences.length} 个` : i === chosen || (i === other && !alike) ? data.short[i] : "";
      dot.lastChild.setAttribute("y", (i === chosen) === above || alike ? -14 : 24); // 两个名字背着线写
      drawn[i]?.classList.toggle("explore-mark", i === chosen);
    });
    if (drawn.length) wires.append(drawn[chosen]);
    map.append(dots[chosen]); // 叠在一起时，选中的在最上面
    map.setAttribute("aria-activedescendant", dots[chosen].id);
    mine.update(chosen, "");
    if (alike) close.say(`这一层里，${sentences.length} 个 ${name} 都一样，叠在一处。`);
    else close.update(other, `，余弦 ${fixed(cosines[layer][chosen][other], 3)}`);
    const kept = alike ? "" : `平面上留住了 ${Math.round(100 * shares[layer])}% 的差别。`;
    said.replaceChildren(`${name}，第 ${layer} 层：`, html("b", {}, alike ? `${sentences.length} 个都一样` : `${sentences.length} 个里 ${hits()} 个挑中同一边的`), `，差 ${fixed(gaps[places.findIndex((one) => one.name === name)][layer][1], 3)}。${kept}`);
    chart.update(curves(), layer, "", called());
  };
  const pick = (i) => { if (i !== chosen) { chosen = i; draw(); } };
  Explore.nearest(map, () => {
    const box = map.getBoundingClientRect(), zoom = box.width / width;
    return sentences.map((_, i) => place(layer, i)).map(([x, y]) => [x * zoom + box.left, y * zoom + box.top]);
  }, pick, () => chosen);
  walk(map, (right, down) => pick((chosen + right + down + sentences.length) % sentences.length));

  const stop = () => { clearInterval(timer); timer = null; play.textContent = "播放"; };
  const start = () => {
    if (layer === last) rail.set(0);
    play.textContent = "暂停";
    timer = setInterval(() => (moving(() => rail.set(layer + 1)), layer === last && stop()), 1300);
  };
  let playing = false;
  const moving = (step) => { playing = true; step(); playing = false; };
  const play = html("button", { type: "button", onclick: () => (timer ? stop() : start()) }, "播放");
  const rail = slider({ label: "层", values: layers, at: last, show: (at) => (at ? `第 ${at} 层` : "嵌入层"), change: (at) => { if (!playing) stop(); layer = at; move(); } });
  const which = choice({ label: "词元", options: places.map((one) => one.name), change: (at) => {
    ({ name, points, shares, cosines } = places[at]);
    ends = box();
    scale = fit();
    move();
  } });
  stage.append(html("div", { class: "explore-flow explore-banks" },
    html("div", { class: "explore-plane" }, map, legend, html("div", { class: "explore-row" }, play, rail.node), which.node),
    html("div", { class: "explore-side" }, cards, said, html("p", { class: "explore-label" }, "差：同一边减两边之间；线尾：挑中几个"), chart.node),
  ));
  rewire();
  draw();
});
