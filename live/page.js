// “打开 BERT”的页面：取句子，问 engine.js 要词元、注意力与隐藏状态，画出来。
//
// 书里每个 <div class="live-bert"> 成为一个面板。带 data-parts 的是各章末尾的小面板，只有它写明的几部分；
// 不带的是整页，样样都有，并把状态写进网址。读者看到的话都在这里，繁体的书用的是它转换过的副本。
{
  const { root: ROOT, page: PAGE, bytes: BYTES } = document.currentScript.dataset;
  // 从硬盘打开时，数据是写成 base64 的脚本，大三分之一
  const DOWNLOAD =
    location.protocol === "file:" ? `读入约 ${Math.ceil((BYTES * 4) / 3e6)} MB` : `下载约 ${Math.ceil(BYTES / 1e6)} MB`;

  const EXAMPLES = {
    "they 看谁": {
      text: "John and Paul wrote several songs when they were inspired.",
      token: 8, with: 1, layer: 5, head: 5,
    },
    "箭与香蕉": {
      text: "time flies like an arrow", other: "fruit flies like a banana",
      token: 2, with: 9, layer: 0, head: 2,
    },
    "三个 bank": {
      text:
        "After stealing money from the bank vault, the bank robber was seen fishing on the Mississippi river bank.",
      token: 19, with: 6, layer: 5, head: 5,
    },
    "两句里的 bank": {
      text: "The manager of the bank refused to approve our loan.",
      other: "Tall grass along the bank hid the nests of the ducks.",
      token: 5, with: 18, layer: 5, head: 5,
    },
    "切成几截": { text: "Unbelievably, tokenization splits rare words.", token: 1, with: 2, layer: 0, head: 2 },
    "中文": { text: "你好，BERT！我住在山上。", token: 1, with: 2, layer: 0, head: 2 },
  };
  const VOCABULARY = { size: 30522, han: 244 };
  const LEGEND = "选一个词元（方框里的数是它的编号）";
  const PAUSE = 250; // 停笔多少毫秒才算
  const SPECIAL = /^\[(PAD|UNK|CLS|SEP|MASK)\]$/;
  const HAN = /\p{Script=Han}/u;

  // ---- 标记 ----

  const fill = (made, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value === true ? "" : value);
    made.append(...children);
    return made;
  };
  const html = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes = {}, ...children) =>
    fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  const named = (token) => html("span", { class: "live-token", lang: "en" }, token);
  const fixed = (number) => number.toFixed(2).replace(/^-(0\.00)?/, (_, zero) => zero || "−");

  // ---- 从 engine.run 的结果里取数：attention[层] 按（头，查询，键）、hidden[层] 按（词元，特征）排成一串 ----

  const weightsOf = ({ attention, tokens: { length: n } }, layer, head) =>
    attention[layer].subarray(head * n * n, (head + 1) * n * n);
  const vectorOf = ({ hidden, dModel }, layer, token) => hidden[layer].subarray(token * dModel, (token + 1) * dModel);

  const cosine = (a, b) => {
    let [dot, aa, bb] = [0, 0, 0];
    for (let k = 0; k < a.length; k++) {
      dot += a[k] * b[k];
      aa += a[k] * a[k];
      bb += b[k] * b[k];
    }
    return dot / Math.sqrt(aa * bb);
  };

  // 同一句里所有不同的词元两两的余弦（特殊词元不算），即《三个 bank》那一章的随机词对
  const differentPairs = (result, layer) => {
    const words = result.tokens.flatMap((token, i) => (SPECIAL.test(token) ? [] : [i]));
    return words.flatMap((i, at) =>
      words
        .slice(at + 1)
        .filter((j) => result.ids[i] !== result.ids[j])
        .map((j) => cosine(vectorOf(result, layer, i), vectorOf(result, layer, j))),
    );
  };
  const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

  // ---- 状态与网址：#text=…&other=…&token=2&with=8&layer=5&head=5；词元从 0 数起，第二句接着第一句数 ----

  const NUMBERS = ["token", "with", "layer", "head"];
  const toState = (source) => ({
    text: source.text || "",
    other: source.other || "",
    ...Object.fromEntries(NUMBERS.map((name) => [name, /^\d+$/.test(source[name]) ? Number(source[name]) : 0])),
  });
  const toFragment = ({ other, ...state }) => `#${new URLSearchParams(other ? { ...state, other } : state)}`;
  const stateInAddress = () => {
    const fields = new URLSearchParams(location.hash.slice(1));
    return fields.has("text") ? toState(Object.fromEntries(fields)) : null;
  };

  // ---- 图 ----

  // 一个像素是一个权重，浓淡是它的大小；放大交给 CSS
  const paintMap = (canvas, weights, n, [red, green, blue]) => {
    canvas.width = canvas.height = n;
    const image = new ImageData(n, n);
    weights.forEach((weight, i) => {
      image.data[4 * i] = red;
      image.data[4 * i + 1] = green;
      image.data[4 * i + 2] = blue;
      image.data[4 * i + 3] = 255 * weight;
    });
    canvas.getContext("2d").putImageData(image, 0, 0);
    return canvas;
  };

  // 一张权重图，左边是查询，上边是键；格子太小时只写选中的那个查询
  const drawMap = ({ tokens, weights, query, width, ink }) => {
    const n = tokens.length;
    const margin = 14 + 7.3 * Math.max(...tokens.map((token) => token.length));
    const cell = Math.min(26, (width - margin - 4) / n);
    const roomy = cell >= 10;
    const top = roomy ? margin : 12;
    const side = cell * n;
    const names = tokens.flatMap((token, i) => {
      const middle = (i + 0.5) * cell;
      const chosen = i === query ? "live-chosen" : "";
      const row = svg("text", { class: `live-left ${chosen}`, x: margin - 6, y: top + middle }, token);
      if (!roomy) return chosen ? [row] : [];
      const turn = `translate(${margin + middle} ${top - 6}) rotate(-90)`;
      return [row, svg("text", { class: "live-turned", transform: turn }, token)];
    });
    const href = paintMap(html("canvas"), weights, n, ink).toDataURL();
    const box = { x: margin, y: top, width: side, height: side };
    const drawn = svg(
      "svg",
      { width: margin + side + 4, height: top + side + 4, "font-size": roomy ? Math.min(13, cell) : 12 },
      svg("image", { ...box, href, preserveAspectRatio: "none" }),
      svg("rect", { ...box, class: "live-frame" }),
      svg("rect", { class: "live-query", x: margin, y: top + query * cell, width: side, height: cell }),
      ...names,
    );
    // 指着的是哪一格：查询在整条上都认得，键要指在格子里
    drawn.place = ({ clientX, clientY }) => {
      const { left, top: upper } = drawn.getBoundingClientRect();
      const [key, row] = [(clientX - left - margin) / cell, (clientY - upper - top) / cell].map(Math.floor);
      return row >= 0 && row < n && key < n ? { query: row, key } : null;
    };
    return drawn;
  };

  // 每层一个数的几条线；横轴是层
  const drawLines = (lines, width) => {
    const [height, left, right, top, bottom] = [230, 52, 12, 12, 44];
    const layers = lines[0].values.length;
    const floor = Math.min(0, Math.floor(4 * Math.min(...lines.flatMap(({ values }) => values))) / 4);
    const x = (layer) => left + ((width - left - right) * layer) / (layers - 1);
    const y = (value) => top + ((height - top - bottom) * (1 - value)) / (1 - floor);
    const ticks = [];
    for (let tick = floor; tick <= 1; tick += 0.25)
      ticks.push(
        svg("line", { class: "live-tick", x1: left, x2: width - right, y1: y(tick), y2: y(tick) }),
        svg("text", { class: "live-left", x: left - 8, y: y(tick) }, fixed(tick)),
      );
    const below = (at, height, text) => svg("text", { class: "live-below", x: at, y: height }, text);
    return svg(
      "svg",
      { width, height, "font-size": 13 },
      ...ticks,
      ...lines[0].values.map((_, layer) => below(x(layer), height - bottom + 16, layer)),
      below((left + width - right) / 2, height - 8, "层（0 是嵌入层的输出）"),
      ...lines.map(({ kind, values }) =>
        svg(
          "g",
          { class: kind },
          svg("polyline", { points: values.map((value, layer) => `${x(layer)},${y(value)}`).join(" ") }),
          ...values.map((value, layer) => svg("circle", { cx: x(layer), cy: y(value), r: 4 })),
        ),
      ),
    );
  };

  // ---- 面板 ----

  let panels = 0;

  class Panel {
    constructor(block) {
      this.block = block;
      this.id = `live-bert-${++panels}`;
      this.whole = !block.dataset.parts;
      this.heading = this.whole ? "h2" : "h3"; // 整页的在大标题下，小面板在一节里
      this.state = (this.whole && stateInAddress()) || toState(block.dataset);
      this.opened = false;
      this.pause = null; // 等着停笔的计时器
      this.results = []; // 每句一个
      block.replaceChildren(this.buildForm(), this.buildOutput());
      this.showState();
      if (this.whole) addEventListener("hashchange", () => this.followAddress());
      new ResizeObserver(() => this.width !== this.output.clientWidth && this.draw()).observe(this.output);
      new MutationObserver(() => this.draw()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    }

    // -- 表单 --

    buildForm() {
      this.text = this.buildField("text", "英文句子");
      this.other = this.buildField("other", "第二句（可以不填），另外算一遍，用来比较");
      this.button = html("button", { class: "live-open" }, `打开 BERT（${DOWNLOAD}）`);
      this.progress = html("progress", { "aria-label": "装入了多少", max: 1, value: 0, hidden: true });
      this.status = html("p", { class: "live-status", role: "status" }, "还没有装入模型。");
      this.form = html("form", {}, this.text.parentElement);
      if (this.whole) this.form.prepend(this.buildExamples());
      if (this.whole || this.state.other) this.form.append(this.other.parentElement);
      this.form.append(html("div", { class: "live-bar" }, this.button, this.progress, this.status));
      this.form.addEventListener("submit", (event) => {
        event.preventDefault();
        if (this.opened) this.compute();
        else if (!this.button.disabled) this.open();
      });
      return this.form;
    }

    buildField(name, label) {
      const id = `${this.id}-${name}`;
      const area = html("textarea", { id, rows: 2, lang: "en", spellcheck: "false", autocapitalize: "off" });
      area.addEventListener("input", () => {
        this.state[name] = area.value;
        this.pauseThenCompute();
      });
      // 句子里用不着换行，回车就是提交
      area.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || event.isComposing) return;
        event.preventDefault();
        this.form.requestSubmit();
      });
      html("div", { class: "live-field" }, html("label", { for: id }, label), area);
      return area;
    }

    buildExamples() {
      const buttons = Object.entries(EXAMPLES).map(([name, state]) => {
        const button = html("button", { type: "button" }, name);
        button.addEventListener("click", () => this.enter(toState(state)));
        return button;
      });
      return html("div", { class: "live-examples", role: "group", "aria-label": "例句" }, ...buttons);
    }

    // 说一句话；wrong 是出了错的那一处
    say(message, wrong = null) {
      this.status.textContent = message;
      this.status.classList.toggle("live-wrong", Boolean(wrong));
      this.output.classList.toggle("live-stale", Boolean(wrong));
      for (const area of [this.text, this.other]) area.setAttribute("aria-invalid", area === wrong);
    }

    async open() {
      this.button.disabled = true;
      this.progress.hidden = this.output.hidden = false;
      this.fillDraft();
      this.say("正在装入……");
      try {
        await LiveBert.open({ root: ROOT, onProgress: (loaded, total) => (this.progress.value = loaded / total) });
        this.opened = true;
      } catch (error) {
        this.button.disabled = false;
        this.button.textContent = "再试一次";
        this.progress.hidden = this.output.hidden = true;
        this.say(error.message, this.button);
        return;
      }
      this.button.hidden = this.progress.hidden = true;
      if (document.activeElement === document.body) this.output.focus({ preventScroll: true });
      this.say("正在计算……");
      await this.compute();
    }

    // -- 状态 --

    // 换成一个例句，或者网址里写着的样子
    enter(state) {
      this.state = state;
      this.results = [];
      this.showState();
      this.remember();
      if (this.opened) this.compute();
    }

    followAddress() {
      const state = stateInAddress();
      if (!state || toFragment(state) === toFragment(this.state)) return;
      this.enter(state);
      this.block.scrollIntoView();
    }

    showState() {
      this.text.value = this.state.text;
      this.other.value = this.state.other;
      this.link.href = PAGE + toFragment(this.state);
    }

    // 整页的状态写进网址；小面板里是那个去整页的链接
    remember() {
      this.link.href = PAGE + toFragment(this.state);
      if (this.whole) history.replaceState(null, "", toFragment(this.state));
    }

    choose(part) {
      Object.assign(this.state, part);
      this.remember();
      this.draw();
    }

    // 两句的词元接在一起数
    places() {
      return this.results.flatMap((result, sentence) =>
        result.tokens.map((token, index) => ({ result, sentence, token, index })),
      );
    }

    // 没有选过、或者句子改得对不上了：挑同一个词的头两次出现，没有就挑开头两个
    pick() {
      const ids = this.results.flatMap((result) => result.ids);
      const words = this.places().flatMap(({ token }, i) => (SPECIAL.test(token) ? [] : [i]));
      const first = words.find((i) => words.some((j) => j > i && ids[j] === ids[i]));
      const twice = words.filter((i) => ids[i] === ids[first]);
      [this.state.token, this.state.with] = first === undefined ? [1, Math.min(2, ids.length - 1)] : twice;
    }

    // -- 计算：一次只算一遍，其间又改过就再算 --

    // 网址也等停笔再写：有的浏览器不许写得太勤
    pauseThenCompute() {
      this.output.setAttribute("aria-busy", this.opened);
      clearTimeout(this.pause);
      this.pause = setTimeout(() => (this.opened ? this.compute() : this.remember()), PAUSE);
    }

    async compute() {
      clearTimeout(this.pause);
      this.pause = null;
      this.changed = true;
      if (this.computing) return;
      this.computing = true;
      this.output.setAttribute("aria-busy", true);
      while (this.changed) {
        this.changed = false;
        await this.computeOnce();
      }
      this.computing = false;
      this.output.setAttribute("aria-busy", this.pause !== null);
    }

    async computeOnce() {
      const areas = this.state.other.trim() ? [this.text, this.other] : [this.text];
      const results = [];
      for (const area of areas) {
        const text = area.value;
        const same = this.results.find((result) => result.text === text);
        try {
          const engine = await LiveBert.open({ root: ROOT }); // 后台线程若停过，这里得到的是新的一个
          results.push(same || { text, ...(await engine.run(text)) });
        } catch (error) {
          return this.say(error.message, area);
        }
        if (this.changed) return;
      }
      const chosen = () => [this.state.token, this.state.with].map((i) => this.places()[i]?.token);
      const before = chosen();
      const first = !this.results.length;
      this.results = results;
      const after = chosen();
      if (after.includes(undefined) || (!first && String(before) !== String(after))) this.pick();
      const { numLayers, numHeads } = results[0];
      this.state.layer = Math.min(this.state.layer, numLayers - 1);
      this.state.head = Math.min(this.state.head, numHeads - 1);
      this.remember();
      this.fill();
      this.draw();
      const times = results.map(({ tokens, milliseconds }) => `${tokens.length} 个词元算了 ${Math.round(milliseconds)} 毫秒`);
      this.say(`${times.join("，另一句 ")}。`);
    }

    // -- 结果：打开时先搭好架子，算好了再填 --

    buildOutput() {
      const parts = { tokens: this.buildTokens, attention: this.buildAttention, cosine: this.buildCosine };
      this.parts = this.whole ? Object.keys(parts) : this.block.dataset.parts.split(" ");
      this.link = html("a", {}, this.whole ? "此刻的链接" : "到“打开 BERT”一页里接着看");
      const about = this.whole ? "，存下或发给别人，打开就是同样的句子、词元与头。" : "，那里样样都有。";
      const attributes = { class: "live-output", role: "group", "aria-label": "结果", tabindex: -1, hidden: true };
      this.output = html(
        "div",
        attributes,
        ...this.parts.map((name) => html("div", { class: `live-${name}` }, ...parts[name].call(this))),
        html("p", { class: "live-link" }, this.link, about),
      );
      return this.output;
    }

    buildTokens() {
      this.chips = html("fieldset");
      this.notes = html("div", { class: "live-notes" });
      return [html(this.heading, {}, "词元"), this.chips, this.notes];
    }

    buildAttention() {
      this.heads = html("fieldset", { class: "live-heads" });
      this.heads.addEventListener("keydown", (event) => this.moveHead(event));
      this.map = html("div", { class: "live-map" });
      this.map.addEventListener("click", (event) => this.pointAt(event, true));
      this.map.addEventListener("pointermove", (event) => this.pointAt(event, false));
      this.pointed = html("p", { class: "live-pointed" });
      this.reading = html("p", { "aria-live": "polite" });
      this.keys = html("ol", { class: "live-keys" });
      const picture = html("div", {}, this.map, this.pointed);
      this.detail = html("div", { class: "live-detail" }, picture, this.keys);
      return [html(this.heading, {}, "注意力"), this.heads, this.reading, this.detail];
    }

    buildCosine() {
      const id = `${this.id}-with`;
      this.partner = html("select", { id, lang: "en" });
      this.partner.addEventListener("change", () => this.choose({ with: this.partner.selectedIndex }));
      this.lines = html("div", { class: "live-lines" });
      this.table = html("table");
      const ask = html("p", { class: "live-ask" }, html("label", { for: id }, "选中的词元，与谁比？"), this.partner);
      return [html(this.heading, {}, "逐层的余弦相似度"), ask, html("div", { class: "live-curves" }, this.lines, this.table)];
    }

    // 还没有分词：先照词摆上，占住地方，免得下面的字跳
    fillDraft() {
      const words = (text) => ["[CLS]", ...(text.match(/[\p{L}\p{N}]+|\S/gu) || []), "[SEP]"];
      const chip = (word) => html("span", { class: "live-chip" }, named(word), html("span", { class: "live-id" }, "…"));
      const texts = [this.state.text, this.state.other].filter((text) => text.trim());
      const sentences = texts.map((text) =>
        html("div", { class: "live-sentence live-draft", "aria-hidden": true }, ...words(text).map(chip)),
      );
      this.chips.replaceChildren(html("legend", {}, LEGEND), ...sentences);
    }

    // -- 句子变了：摆出词元、各个头与可比的词元 --

    fill() {
      const places = this.places();
      const radio = ({ result, token, index }, place) => {
        const input = html("input", { type: "radio", name: `${this.id}-token`, value: place });
        input.addEventListener("change", () => this.choose({ token: place }));
        const kind = token === "[UNK]" ? "live-unknown" : SPECIAL.test(token) ? "live-special" : "";
        const glued = token.startsWith("##") ? "live-glued" : "";
        const id = html("span", { class: "live-id" }, result.ids[index]);
        return html("label", { class: `live-chip ${kind} ${glued}` }, input, named(token), id);
      };
      const sentences = this.results.map((_, sentence) => {
        const own = places.flatMap((place, i) => (place.sentence === sentence ? [radio(place, i)] : []));
        return html("div", { class: "live-sentence" }, ...own);
      });
      this.chips.replaceChildren(html("legend", {}, LEGEND), ...sentences);
      this.notes.replaceChildren(...this.explain().map((line) => html("p", {}, ...line)));
      if (this.heads && !this.maps) this.fillHeads();
      if (this.partner) {
        const name = ({ token, index }) => `${token}（第 ${index} 个）`;
        const option = (place) => html("option", {}, name(place));
        const group = (_, sentence) => {
          const own = places.filter((place) => place.sentence === sentence);
          return html("optgroup", { label: `第${"一二"[sentence]}句` }, ...own.map(option));
        };
        this.partner.replaceChildren(...this.results.map(group));
      }
    }

    // 哪些词切成了几截，哪些成了 [UNK]，为什么
    explain() {
      const split = this.places().flatMap(({ result: { tokens, words }, index: i }) => {
        if (SPECIAL.test(tokens[i]) || tokens[i].startsWith("##") || !tokens[i + 1]?.startsWith("##")) return [];
        const length = tokens.slice(i + 1).findIndex((token) => !token.startsWith("##")) + 1;
        const pieces = tokens.slice(i, i + length).flatMap((token) => [" ", named(token)]);
        return [[`“${words[i]}”不在词表里，取词表里最长的开头，一截一截地切：`, ...pieces.slice(1), "。"]];
      });
      const unknown = [...new Set(this.results.flatMap((result) => result.unknown.map(({ word }) => word)))];
      const han = unknown.filter((word) => HAN.test(word));
      const others = unknown.filter((word) => !HAN.test(word));
      const list = (words) => words.map((word) => `“${word}”`).join("");
      const reasons = [];
      if (han.length)
        reasons.push([
          `${list(han)}成了 `,
          named("[UNK]"),
          `：汉字一个一个地切，而这份英文词表的 ${VOCABULARY.size} 个词元里只有 ${VOCABULARY.han} 个汉字，没有它们。`,
          "凡是不认识的，编号都是 100，模型分不出谁是谁。",
        ]);
      if (others.length) reasons.push([`${list(others)}里有一截在词表里怎么也配不上，整个词就成了 `, named("[UNK]"), "。"]);
      return [...reasons, ...split];
    }

    fillHeads() {
      const { numLayers, numHeads } = this.results[0];
      const numbers = (count) => Array.from({ length: count }, (_, i) => i);
      const cell = (layer, head) => {
        const label = `第 ${layer} 层第 ${head} 个头`;
        const input = html("input", { type: "radio", name: `${this.id}-head`, "aria-label": label, title: label });
        input.addEventListener("change", () => this.choose({ layer, head }));
        return html("label", { class: "live-cell" }, input, html("canvas"));
      };
      this.maps = numbers(numLayers).map((layer) => numbers(numHeads).map((head) => cell(layer, head)));
      this.heads.style.setProperty("--heads", numHeads);
      this.heads.replaceChildren(
        html("legend", {}, `${numLayers} 层 × ${numHeads} 个头，选一张权重图`),
        html("span", {}, "层"),
        ...numbers(numHeads).map((head) => html("span", {}, head)),
        ...this.maps.flatMap((row, layer) => [html("span", {}, layer), ...row]),
      );
    }

    // 左右键由单选钮自己管；上下键走一层，而不是走到旁边的头
    moveHead(event) {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const row = this.maps[this.state.layer + step];
      row?.[this.state.head].control.click();
      row?.[this.state.head].control.focus();
    }

    pointAt(event, choose) {
      const { result, index } = this.places()[this.state.token];
      const place = this.map.firstChild.place(event);
      if (place && choose) this.choose({ token: this.state.token - index + place.query });
      const weight = place && this.weights()[place.query * result.tokens.length + place.key];
      const told = place && place.key >= 0;
      this.pointed.textContent = told
        ? `${result.tokens[place.query]} → ${result.tokens[place.key]}：${fixed(weight)}`
        : "";
    }

    // -- 选中的变了，或者宽窄、明暗变了：重画 --

    weights() {
      const { layer, head, token } = this.state;
      return weightsOf(this.places()[token].result, layer, head);
    }

    draw() {
      this.width = this.output.clientWidth;
      if (!this.results.length || !this.width) return;
      const places = this.places();
      const inputs = this.chips.querySelectorAll("input");
      const chosen = places[this.state.token];
      inputs[this.state.token].checked = true;
      inputs.forEach((input, i) => {
        input.parentElement.classList.toggle("live-partner", Boolean(this.partner) && i === this.state.with);
      });
      if (this.heads) this.drawAttention(chosen, inputs);
      if (this.partner) this.drawCosine(chosen, places[this.state.with]);
    }

    drawAttention({ result, token, index }, inputs) {
      const { layer, head } = this.state;
      const { tokens } = result;
      const n = tokens.length;
      const ink = getComputedStyle(this.block).getPropertyValue("--live-ink").split(" ").map(Number);
      const looks = String([ink, this.results.indexOf(result)]);
      if (this.painted !== result || this.looks !== looks)
        this.maps.forEach((row, l) =>
          row.forEach((cell, h) => paintMap(cell.lastChild, weightsOf(result, l, h), n, ink)),
        );
      [this.painted, this.looks] = [result, looks];
      this.maps[layer][head].control.checked = true;

      const weights = this.weights();
      const row = [...weights.subarray(index * n, (index + 1) * n)];
      const width = this.detail.clientWidth;
      const map = drawMap({ tokens, weights, query: index, width, ink });
      map.setAttribute("role", "img");
      map.setAttribute("aria-label", `第 ${layer} 层第 ${head} 个头的权重图，数在下面`);
      this.map.replaceChildren(map);
      this.pointed.textContent = "";

      const offset = this.state.token - index;
      inputs.forEach((input, i) => input.parentElement.style.setProperty("--weight", row[i - offset] || 0));
      const order = row.map((_, i) => i).sort((a, b) => row[b] - row[a]);
      const most = order.slice(0, 3).flatMap((i) => ["、", named(tokens[i]), ` ${fixed(row[i])}`]);
      this.reading.replaceChildren(`第 ${layer} 层第 ${head} 个头里，`, named(token), " 看得最多的是 ", ...most.slice(1), "。");
      const item = (weight, i) => {
        const bar = html("span", { class: "live-bar-of" });
        const made = html("li", {}, named(tokens[i]), bar, html("span", { class: "live-number" }, fixed(weight)));
        made.style.setProperty("--weight", weight);
        return made;
      };
      this.keys.replaceChildren(...row.map(item));
    }

    drawCosine(chosen, partner) {
      this.partner.selectedIndex = this.state.with;
      const both = [...new Set([chosen.result, partner.result])];
      const layers = chosen.result.hidden.map((_, layer) => layer);
      for (const result of both) result.pairs ||= layers.map((layer) => differentPairs(result, layer));
      const lines = [
        {
          kind: "live-pair",
          name: [named(chosen.token), " 与 ", named(partner.token)],
          values: layers.map((layer) =>
            cosine(vectorOf(chosen.result, layer, chosen.index), vectorOf(partner.result, layer, partner.index)),
          ),
        },
        {
          kind: "live-random",
          name: ["随机词对"],
          values: layers.map((layer) => mean(both.flatMap((result) => result.pairs[layer]))),
        },
      ].filter(({ values }) => !values.some(Number.isNaN)); // 只有一个词，就没有词对
      const chart = drawLines(lines, this.lines.clientWidth);
      chart.setAttribute("role", "img");
      chart.setAttribute("aria-label", "余弦相似度随层的变化，数在下面的表里");
      this.lines.replaceChildren(chart);
      const head = ({ kind, name }) => html("th", { scope: "col", class: kind }, ...name);
      const row = (layer) => {
        const cells = lines.map(({ values }) => html("td", {}, fixed(values[layer])));
        return html("tr", {}, html("th", { scope: "row" }, layer), ...cells);
      };
      this.table.replaceChildren(
        html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "层"), ...lines.map(head))),
        html("tbody", {}, ...layers.map(row)),
      );
    }
  }

  document.querySelectorAll(".live-bert").forEach((block) => new Panel(block));
}
