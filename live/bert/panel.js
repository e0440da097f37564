// “打开 BERT”的面板：取句子，问 engine.js 要词元、注意力与隐藏状态，交给 parts.js 里的几个部分去画。
//
// 书里每个 <div class="live-bert"> 成为一个面板。带 data-parts 的是各章末尾的小面板，只有它写明的几部分；
// 不带的是整页，样样都有，并把状态写进网址。读者看到的话，繁体的书用的是它转换过的副本。
{
  const { html } = LiveMarks;
  const { EXAMPLES, toState, toFragment, pick } = LiveState;
  const { root: ROOT, page: PAGE, bytes: BYTES } = document.currentScript.dataset;
  // 从硬盘打开时，数据是写成 base64 的脚本，大三分之一
  const DOWNLOAD =
    location.protocol === "file:" ? `读入约 ${Math.round((BYTES * 4) / 3e6)} MB` : `下载约 ${Math.round(BYTES / 1e6)} MB`;
  const PARTS = ["tokens", "journey", "attention", "oneCell", "intervene", "cosine"]; // 整页的，依次
  const TABS = { oneCell: "一格", intervene: "动手" };
  const PAUSE = 250; // 停笔多少毫秒才算

  let panels = 0;

  class Panel {
    constructor(block) {
      this.block = block;
      this.id = `live-bert-${++panels}`;
      this.whole = !block.dataset.parts;
      this.address = new LiveAddress({
        block,
        given: block.dataset,
        toState: (fields) => toState(fields, block.dataset),
        toFragment,
        writes: this.whole,
        onEnter: () => this.entered(),
        onArrive: () => this.arrive(),
      });
      this.opened = false;
      this.arriving = false; // 算完了，要到链接指着的部分去
      this.pause = null; // 等着停笔的计时器
      this.results = []; // 每句一个
      block.replaceChildren(this.buildForm(), this.buildOutput());
      this.showState();
      new ResizeObserver(() => this.width !== this.output.clientWidth && this.draw()).observe(this.output);
      new MutationObserver(() => this.draw()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    }

    get state() {
      return this.address.state;
    }

    // -- 表单与结果的架子 --

    buildForm() {
      this.text = this.buildField("text", "英文句子");
      this.other = this.buildField("other", "第二句（可以不填），另外算一遍，用来比较");
      this.button = html("button", { class: "live-open" }, `打开 BERT（${DOWNLOAD}）`);
      this.progress = html("progress", { "aria-label": "装入了多少", max: 1, value: 0, hidden: true });
      this.arrived = html("span", { class: "live-arrived" });
      this.status = html("p", { class: "live-status", role: "status" }, "还没有装入模型。");
      this.form = html("form", {}, this.text.parentElement);
      if (this.whole) this.form.prepend(this.buildExamples());
      if (this.whole || this.state.other) this.form.append(this.other.parentElement);
      this.form.append(html("div", { class: "live-bar" }, this.button, this.progress, this.arrived, this.status));
      this.form.addEventListener("submit", (event) => {
        event.preventDefault();
        if (this.opened && event.submitter !== this.button) this.compute();
        else if (!this.button.disabled) this.open();
      });
      return this.form;
    }

    buildField(name, label) {
      const id = `${this.id}-${name}`;
      const area = html("textarea", { id, rows: 2, lang: "en", spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
      area.addEventListener("input", () => {
        this.change({ [name]: area.value });
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
      const buttons = Object.entries(EXAMPLES).map(([name, example]) => {
        const button = html("button", { type: "button" }, name);
        button.addEventListener("click", () => this.address.enter(toState(example, {})));
        return button;
      });
      return html("div", { class: "live-examples", role: "group", "aria-label": "例句" }, ...buttons);
    }

    buildOutput() {
      const names = this.whole ? PARTS : this.block.dataset.parts.split(" ");
      const given = { id: this.id, block: this.block, choose: (part) => this.choose(part), show: (name) => this.showPart(name), engine: () => this.engine };
      this.parts = Object.fromEntries(names.map((name) => [name, LiveParts[name](given)]));
      this.link = html("a", {}, this.whole ? "此刻的链接" : "到“打开 BERT”一页里接着看");
      const about = this.whole ? "，存下或发给别人，打开就是同样的句子、词元与头。" : "，那里样样都有。";
      this.output = html("div", { class: "live-output", role: "group", "aria-label": "结果", tabindex: -1, hidden: true });
      const sections = Object.fromEntries(Object.entries(this.parts).map((each) => this.buildSection(...each)));
      const told = html("p", { class: "live-link" }, this.link, about);
      this.output.append(told);
      if (!this.whole) return this.output;
      told.append(this.address.copier());
      const { element } = sections.tokens, top = html("div", { class: "live-top" }, this.parts.tokens.top);
      element.before(element.firstChild, top); // 词元在页签之下、各部分之上，窄处总在眼前
      this.tabs = liveTabs({ id: this.id, output: this.output, top, sections, onPick: (name) => this.showPart(name) });
      return this.output;
    }

    buildSection(name, { title, tab, elements }) {
      const heading = html(this.whole ? "h2" : "h3", {}, title); // 整页的在大标题下，小面板在一节里
      const element = html("div", { class: `live-${name}` }, heading, ...elements);
      this.output.append(element);
      return [name, { element, heading, tab: tab ?? TABS[name] }];
    }

    showPart(name) {
      if (this.tabs.narrow.matches) this.choose({ tab: name });
      this.tabs.reveal(name);
    }

    // 说一句话；wrong 是出了错的那一处，那时下面若是先前句子的结果，就调淡，也不再能选
    say(message, wrong = null) {
      const stale = Boolean(wrong && this.drawn && String(this.texts()) !== String(this.results.map(({ text }) => text)));
      this.status.textContent = stale ? `${message}下面还是先前的结果。` : message;
      this.status.classList.toggle("live-wrong", Boolean(wrong));
      this.output.classList.toggle("live-stale", stale);
      this.output.inert = stale;
      this.output.hidden = wrong !== null && !this.drawn;
      for (const area of [this.text, this.other]) area.setAttribute("aria-invalid", area === wrong);
    }

    // -- 装入：算得了一句话就算，其余的接着装 --

    async open() {
      const onProgress = (loaded, total) => {
        this.progress.value = loaded / total;
        this.arrived.textContent = `${Math.floor((100 * loaded) / total)} %`;
      };
      this.button.disabled = true;
      this.progress.hidden = false;
      if (!this.drawn) this.parts.tokens.draft(this.texts());
      this.say("正在装入……");
      try {
        this.engine = await LiveBert.open({ root: ROOT, onProgress });
        this.opened = this.button.hidden = true;
        if (document.activeElement === document.body) this.output.focus({ preventScroll: true });
        await this.compute();
        this.comeForward();
        await this.engine.complete;
        this.progress.hidden = true;
        this.arrived.textContent = "都装入了，此后断网也能用。";
      } catch (error) {
        this.offerAgain(error);
      }
    }

    // 刚打开：读者还在看按钮这里，结果却在屏幕下面，就到结果那里去
    comeForward() {
      const { top, bottom } = this.status.getBoundingClientRect(), { tab } = this.state;
      if (!this.drawn || top < 0 || bottom > innerHeight) return;
      if (tab && this.tabs && !this.tabs.narrow.matches) this.tabs.reveal(tab);
      else if (this.output.getBoundingClientRect().top > innerHeight - 100) this.output.scrollIntoView();
    }

    // 点了一个链接：它指着哪一部分，就到那里去
    arrive() {
      this.arriving = this.computing;
      if (this.drawn && !this.arriving && this.state.tab) this.tabs.reveal(this.state.tab);
    }

    // 没有装成、没有装完，或者后台线程停了
    offerAgain(error) {
      this.button.disabled = this.button.hidden = false;
      this.button.textContent = "再试一次";
      this.progress.hidden = true;
      this.arrived.textContent = "";
      this.say(error.message, this.button);
    }

    // -- 状态 --

    texts() {
      const { text, other } = this.state;
      return other.trim() ? [text, other] : [text];
    }

    // 状态整个换了
    entered() {
      this.results = [];
      this.showState();
      this.remember();
      if (this.opened) this.compute();
    }

    showState() {
      this.text.value = this.state.text;
      this.other.value = this.state.other;
      this.showLinks();
    }

    showLinks() {
      this.link.href = PAGE + toFragment(this.state);
    }

    // 整页的状态写进网址；小面板里只写进去整页的链接
    remember() {
      this.showLinks();
      this.address.remember();
    }

    change(part) {
      this.address.change(part);
    }

    choose(part) {
      this.change(part);
      this.remember();
      this.draw();
    }

    // 两句的词元接在一起数
    places() {
      return this.results.flatMap((result, sentence) =>
        result.tokens.map((token, index) => ({ result, sentence, token, index, id: result.ids[index] })),
      );
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
      if (this.arriving) this.arrive();
      this.output.setAttribute("aria-busy", this.pause !== null);
    }

    async computeOnce() {
      const results = [];
      for (const [i, text] of this.texts().entries()) {
        const same = this.results.find((result) => result.text === text);
        try {
          results.push(same || { text, ...(await this.engine.run(text)) });
        } catch (error) {
          return error.again ? this.offerAgain(error) : this.say(error.message, [this.text, this.other][i]);
        }
        if (this.changed) return;
      }
      const chosen = () => String([this.state.token, this.state.with].map((i) => this.places()[i]?.token));
      const before = this.results.length ? chosen() : null;
      this.results = results;
      Object.assign(this.state, pick(this.state, this.places(), before === null || before === chosen()));
      const [{ numLayers, numHeads }] = results;
      this.state.layer = Math.min(this.state.layer, numLayers - 1);
      this.state.head = Math.min(this.state.head, numHeads - 1);
      this.remember();
      this.drawn = true;
      const times = results.map(({ tokens, milliseconds }) => `${tokens.length} 个词元算了 ${Math.round(milliseconds)} 毫秒`);
      this.say(`${times.join("，另一句 ")}。`);
      for (const part of Object.values(this.parts)) part.fill({ results });
      this.draw();
    }

    // 选中的变了，或者宽窄、明暗变了
    draw() {
      this.tabs?.show(this.state.tab || "attention");
      this.width = this.output.clientWidth;
      if (!this.results.length || !this.width) return;
      const { results, state } = this, places = this.places();
      const view = { results, state, places, chosen: places[state.token], partner: places[state.with] };
      view.weights = this.parts.attention?.weights(view);
      view.compares = Boolean(this.parts.cosine);
      for (const [name, part] of Object.entries(this.parts)) if (name === "tokens" || !this.tabs?.isHidden(name)) part.draw(view);
      this.tabs?.centre();
    }
  }

  document.querySelectorAll(".live-bert").forEach((block) => new Panel(block));
}
