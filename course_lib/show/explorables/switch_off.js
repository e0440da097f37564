// 关掉一个头：点一个，看每个词元最后一层的向量移动多远，同层其余的头各关一次平均又是多远；旁边是没关时一个词元在两句里各看谁。
// 数：tokens（第一句的 N 个词元）、endings（两句里不同的那个词）、place（它是第几个词元）、word（右边画哪个词元看谁）、
// heads（每层几个头）、rows（每句每头 N 个权重）、moved（每句每头 N 个移动的距离），都是整数，一千是 1；chosen（先关第几个头）。
Explore.define("switch_off", (data, stage) => {
  const { html, fixed, choice, nameOfHead, board } = Explore;
  const { heads, endings, place, word } = data, count = data.moved[0].length;
  const layerOf = (head) => Math.floor(head / heads), name = (head) => nameOfHead(head, heads);
  const moved = (head, i) => data.moved[sentence][head][i] / 1000;
  // 同层其余的头各关一次，第 i 个词元平均移动多远
  const others = (head, i) => {
    const first = layerOf(head) * heads;
    let total = 0;
    for (let other = first; other < first + heads; other++) if (other !== head) total += moved(other, i);
    return total / (heads - 1);
  };
  const isTop = (head, i) => {
    const first = layerOf(head) * heads, layer = Array.from({ length: heads }, (_, k) => moved(first + k, i));
    return moved(head, i) === Math.max(...layer);
  };
  let chosen = data.chosen ?? 0, sentence = 0;

  const { node: gallery, buttons, select } = board({
    count, heads, kind: "explore-switch", name: "每行一层，每个头一格，点一格就关掉它", face: (head) => String(head % heads), pick: (head) => pick(head),
  });

  // 左边：一条是关掉它移动多远，竖线是同层其余的平均
  const labels = data.tokens.map(() => html("span", { class: "explore-label", lang: "en" }));
  const far = data.tokens.map(() => ({ fill: html("span", { class: "explore-fill" }), tick: html("span", { class: "explore-tick" }), number: html("span", { class: "explore-number" }) }));
  const distances = html("ul", { class: "explore-bars explore-moved", "aria-label": "关掉它，每个词元移动多远" },
    far.map(({ fill, tick, number }, i) => html("li", {}, labels[i], html("span", { class: "explore-track" }, fill, tick), number)));
  // 右边：一个词元两条，两句各一条
  const seen = data.tokens.map(() => endings.map(() => html("span", { class: "explore-fill" })));
  const shares = data.tokens.map(() => html("span", { class: "explore-number" }));
  const looks = html("ul", { class: "explore-bars explore-moved", "aria-label": `没关的时候，${data.tokens[word]} 看谁` },
    data.tokens.map((token, i) => html("li", {}, html("span", { class: "explore-label", lang: "en" }, i === place ? endings.join(" / ") : token), html("span", { class: "explore-twins" }, seen[i]), shares[i])));

  const said = html("p", { class: "explore-said", "aria-live": "polite" });
  const draw = () => {
    const tokens = data.tokens.map((token, i) => (i === place ? endings[sentence] : token));
    const near = Math.floor(chosen / heads) * heads;
    // 条长只在同一层里比：这一层移动得最远的占满
    const top = Math.max(...Array.from({ length: heads }, (_, k) => data.moved[sentence][near + k]).flat()) / 1000 || 1;
    const won = tokens.filter((_, i) => isTop(chosen, i)).length;
    said.textContent = `关掉${name(chosen)}，${tokens[word]} 移动 ${fixed(moved(chosen, word))}；同层其余 ${heads - 1} 个头各关一次，平均 ${fixed(others(chosen, word))}。${tokens.length} 个词元里，有 ${won} 个在这一层是关掉它移动得最远。`;
    tokens.forEach((token, i) => {
      labels[i].textContent = token;
      labels[i].classList.toggle("explore-mark", isTop(chosen, i));
      far[i].fill.style.width = `${(100 * moved(chosen, i)) / top}%`;
      far[i].tick.style.left = `${(100 * others(chosen, i)) / top}%`;
      far[i].number.textContent = fixed(moved(chosen, i));
      const row = endings.map((_, k) => data.rows[k][chosen][i] / 1000);
      row.forEach((share, k) => { seen[i][k].style.width = `${100 * share}%`; });
      shares[i].textContent = row.map((share) => fixed(share)).join(" · ");
    });
    select(chosen);
    buttons.forEach((button, head) => {
      const ratio = moved(head, word) / (others(head, word) || 1);
      button.style.setProperty("--shade", `${Math.round(Math.min(1, Math.max(0, (ratio - 0.8) / 2)) * 70)}%`);
    });
  };
  const pick = (head) => { chosen = head; draw(); };
  const which = choice({ label: "句尾的词", options: endings, change: (k) => { sentence = k; draw(); } });
  stage.append(gallery, said, html("div", { class: "explore-halves" },
    html("div", {}, html("p", { class: "explore-label" }, "关掉它，每个词元移动多远；竖线是同层其余的头的平均，加粗的是在这一层关掉它移动得最远的词元"), distances, which.node),
    html("div", {}, html("p", { class: "explore-label" }, `没关的时候，${data.tokens[word]} 看谁`), html("p", { class: "explore-legend" }, endings.map((ending, k) => html("span", { lang: "en", style: `--hue: var(--${["ink", "ochre"][k]})` }, ending))), looks)));
  draw();
});
