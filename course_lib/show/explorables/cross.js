// 两种话题 × 两种修饰语，四格是一个词的偏向；下面一词一条：换修饰语变多少，以换话题变的为 1。点一个词，四格换成它的。
// 数：words（一条一个），每个有 word、inside（坐在那个座位上的为真，否则写在句末）、lean（2×2，话题 × 修饰语，正数偏后一边）、share；
// texts（2×2，一格一句，{} 是那个座位）、seat（原来坐着的词）、marks（两种修饰语各自的词）、topics、kinds（两行、两列的名字）、names（偏的两边）、ends（横条两端的意思）、chosen（先看哪个词）。
Explore.define("cross", (data, stage) => {
  const { html, fixed, beside } = Explore;
  const { words, texts, marks, topics, kinds, names, ends, seat } = data, hues = ["ink", "ochre"], top = Math.max(1, ...words.map(({ share }) => share));
  let chosen = words.find(({ word }) => word === data.chosen);

  const cells = topics.map(() => kinds.map(() => html("td", {})));
  const table = html("table", { class: "explore-crossed" },
    html("thead", {}, html("tr", {}, html("td", {}), kinds.map((kind) => html("th", { scope: "col" }, kind)))),
    html("tbody", {}, topics.map((topic, i) => html("tr", {}, html("th", { scope: "row" }, topic), cells[i]))));
  const said = html("p", { class: "explore-said", "aria-live": "polite" });
  const buttons = words.map((one) => html("button", { type: "button", class: "explore-heed", onclick: () => { chosen = one; draw(); } },
    html("span", { lang: "en" }, one.word), html("span", { class: "explore-track" }, html("span", { class: "explore-fill", style: `width: ${(100 * one.share) / top}%` })), html("span", { class: "explore-number" }, fixed(one.share))));
  const scale = html("p", { class: "explore-label explore-heed-ends" }, ends.map((end) => html("span", {}, end)));

  // 挨着的词加粗，看的是哪一个就框着哪一个
  const sentence = (i, j) => {
    const [before, after] = texts[i][j].split("{}"), [ahead, rest] = before.split(marks[j]);
    const looked = html("mark", {}, chosen.word), sitting = chosen.inside ? looked : seat;
    return html("span", { lang: "en" }, ahead, html("b", {}, marks[j]), rest, sitting, after, chosen.inside ? "" : [" ", looked]);
  };
  const draw = () => {
    const { word, lean, share } = chosen, most = Math.max(...lean.flat().map(Math.abs));
    cells.forEach((row, i) => row.forEach((cell, j) => {
      const value = lean[i][j], side = Number(value > 0);
      cell.style.setProperty("--hue", `var(--${hues[side]})`);
      cell.style.setProperty("--shade", `${Math.round((100 * Math.abs(value)) / most)}%`);
      cell.replaceChildren(sentence(i, j), html("strong", {}, `偏${names[side]} ${fixed(Math.abs(value), 3)}`));
    }));
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", words[i] === chosen));
    const [[a, b], [c, d]] = lean, topic = (c + d - a - b) / 2, kind = (b + d - a - c) / 2;
    said.replaceChildren(html("b", { lang: "en" }, word), `：换话题，偏向平均变 ${fixed(topic, 3)}；换身边的词，变 ${fixed(kind, 3)}，是前者的 ${fixed(share)}。`);
  };
  stage.append(beside([table, said], [html("div", { role: "group", "aria-label": "点一个词" }, buttons), scale]));
  draw();
});
