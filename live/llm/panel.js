// “打开一个大语言模型”的面板：装入引擎，把前文、下一个词元、写下的、里面四部分接在一起，并把状态写进网址。
{
  const { html, radio } = LiveMarks;
  const { toState, toFragment, inAddress, PREVIEW } = LlmState;
  const { spell } = LlmTokens;
  const { root: ROOT, bytes: BYTES } = document.currentScript.dataset;
  // base64 大三分之一，网站压缩之后就没有了；从硬盘打开，没有人压缩
  const SIZE =
    location.protocol === "file:" ? `读入约 ${Math.round((BYTES * 4) / 3e6)} MB` : `下载约 ${Math.round(BYTES / 1e6)} MB`;
  const PAUSE = 250; // 停笔多少毫秒才算
  const LONGEST = 40_000; // 再长，切成词元也要等上一会儿，而词元早已超过上限

  class Panel {
    constructor(block) {
      this.block = block;
      const address = inAddress();
      this.kept = "text" in address; // 网址里有没有状态
      this.at = address.at;
      this.state = toState(this.kept ? address : block.dataset);
      this.spelled = new Map();
      this.busy = Promise.resolve();
      this.version = 0; // 前文换过几次
      this.asked = 0; // 里面问过几次
      this.looking = null; // 正在看第几个写下的，null 是末尾
      block.replaceChildren(...this.build());
      this.showState();
      this.preview();
      addEventListener("hashchange", () => this.followAddress());
      addEventListener("load", () => document.getElementById(this.at)?.scrollIntoView());
      new ResizeObserver(() => this.inside.redraw()).observe(this.body);
    }

    // -- 架子 --

    build() {
      const button = (text, onClick, attributes = {}) => {
        const made = html("button", { type: "button", ...attributes }, text);
        made.addEventListener("click", onClick);
        return made;
      };
      this.prompt = LlmPrompt.prompt({
        id: "llm",
        onInput: () => this.typed(),
        onSubmit: () => (this.engine ? this.step() : this.openButton.click()),
        onEnter: (state) => this.enter(state),
        onMode: (chat) => this.enter({ ...this.state, chat, written: "", token: -1 }),
      });
      this.bars = LlmBars.bars({ onTake: (id) => this.take(id), onDial: (dial) => this.turnDial(dial) });
      this.written = LlmWritten.written({ onLook: (i) => this.look(this.looking === i ? null : i) });
      this.inside = LlmInside.inside({
        id: "llm",
        choose: (part) => this.choose(part),
        refresh: () => this.lookInside(),
        onCache: (use) => (this.writer.cache = use),
        compare: () => this.compare(),
      });

      this.openButton = button(BYTES ? `打开 SmolLM2（${SIZE}）` : "书里没有它的数据", () => this.open(), { class: "live-open" });
      this.openButton.disabled = !BYTES;
      this.pauseButton = button("停下", () => LiveLlm.pause(), { hidden: true });
      this.progress = html("progress", { "aria-label": "装入了多少", max: 1, value: 0, hidden: true });
      this.arrived = html("span", { class: "live-arrived" });
      this.opening = html("div", { class: "llm-line llm-opening" }, this.openButton, this.pauseButton, this.progress, this.arrived);

      this.stepButton = button("写一个词元", () => this.step(), { class: "live-open" });
      this.streamButton = button("一直写", () => (this.running ? this.stop() : this.stream()));
      this.clearButton = button("从头来", () => this.back(0));
      this.picks = ["取最高的", "抽签"].map((name, i) => {
        const input = radio("llm-draw", () => this.choose({ draw: i }), { value: i });
        return html("label", { class: "llm-choice" }, input, html("span", {}, name));
      });
      this.seed = html("input", { type: "number", min: 0, max: 999999, step: 1, inputmode: "numeric", "aria-label": "种子：种子相同，抽出的也相同" });
      this.seed.addEventListener("change", () => this.choose(toState({ ...this.state, seed: this.seed.value || 0 })));
      this.again = button("换个种子重写", () => this.rewrite(), { class: "llm-small" });
      this.seeded = html("span", { class: "llm-seed" }, html("span", { "aria-hidden": true }, "种子"), this.seed, this.again);
      this.controls = html(
        "div",
        { class: "llm-controls", hidden: true },
        html("div", { class: "llm-line" }, this.stepButton, this.streamButton, this.clearButton),
        html("div", { class: "llm-line" }, html("div", { class: "llm-choices", role: "radiogroup", "aria-label": "怎样挑" }, ...this.picks), this.seeded),
      );

      this.speed = html("span", { "data-tokens-per-second": "", class: "llm-speed" });
      this.status = html("span", { role: "status" });
      this.line = html("p", { class: "live-status" }, this.status, this.speed);
      this.returns = html("p", { class: "llm-line llm-returns", hidden: true }, button("退回到这里", () => this.back(this.looking)), button("看末尾", () => this.look(null)));
      this.bars.title.after(this.returns);
      this.body = html("div", { class: "llm-desk" }, html("div", { class: "llm-ask" }, this.prompt.element, this.opening, this.controls, this.line), this.bars.element, this.written.element);
      return [this.prompt.examples, this.body, this.inside.element];
    }

    // 还没有打开：样子都在，只是动不了；头一个例句的数是事先算好的
    preview() {
      const known = this.state.text === PREVIEW.text && !this.state.chat;
      this.bars.dials(this.state);
      this.bars.preview(known ? PREVIEW.next : []);
      this.written.preview(known ? PREVIEW : { ids: [], words: [] });
      this.setLive(false);
      if (!BYTES) this.say("这本书成书时没有带上它（约 98 MB）：在书的源文件夹里运行 make book，不写 LIVE_LLM=0，就有了。");
      else this.say("还没有装入模型。");
    }

    setLive(live) {
      for (const part of [this.bars.element, this.written.element, this.inside.element]) {
        part.inert = !live;
        part.classList.toggle("live-stale", !live);
      }
      for (const each of [this.stepButton, this.streamButton, this.clearButton]) each.disabled = !live;
    }

    // 说一句话；wrong 是前文有了毛病，那时下面还是先前的结果，调淡，也不再能动
    say(message, wrong = false) {
      const stale = wrong && this.writer?.next;
      this.status.textContent = stale ? `${message}下面还是先前的结果。` : message;
      this.status.classList.toggle("live-wrong", wrong);
      this.prompt.area.setAttribute("aria-invalid", wrong);
      if (this.engine) this.setLive(!wrong);
    }

    // -- 装入 --

    async open() {
      if (this.openButton.disabled) return;
      const onProgress = (loaded, total) => {
        this.progress.value = loaded / total;
        this.arrived.textContent = `${Math.floor((100 * loaded) / total)} %`;
      };
      this.openButton.disabled = true;
      this.pauseButton.hidden = this.progress.hidden = false;
      this.say("正在装入……");
      try {
        const focused = this.opening.contains(document.activeElement);
        this.engine = await LiveLlm.open({ root: ROOT, onProgress });
        this.writer = new LlmWriter(this.engine);
        this.opening.hidden = true;
        this.controls.hidden = false;
        await this.compute();
        if (focused || document.activeElement === document.body) this.stepButton.focus({ preventScroll: true });
      } catch (error) {
        this.openButton.disabled = false;
        this.openButton.textContent = this.pauseButton.hidden ? "再试一次" : "接着装入";
        this.pauseButton.hidden = this.progress.hidden = true;
        this.say(error.message);
        this.status.classList.add("live-wrong");
      }
    }

    // 引擎一次只答一问；排在后面的等着
    async turn(work) {
      const before = this.busy;
      let done;
      this.busy = new Promise((resolve) => (done = resolve));
      await before;
      this.block.setAttribute("aria-busy", true);
      try {
        return await work();
      } catch (error) {
        this.running = false;
        this.say(error.message, true);
      } finally {
        this.block.setAttribute("aria-busy", false);
        done();
      }
    }

    // -- 状态 --

    choose(part) {
      Object.assign(this.state, part);
      this.at = undefined;
      this.showState();
      this.remember();
      if ("layer" in part || "head" in part || "token" in part) this.lookInside();
    }

    // 转了滑杆就是要抽签：取最高的，滑杆改不了它
    turnDial(dial) {
      this.choose({ ...dial, draw: 1 });
      this.draw();
    }

    enter(state, at) {
      this.stop();
      [this.state, this.at] = [state, at];
      this.showState();
      this.inside.open(state.view);
      this.remember();
      if (this.engine) this.compute();
      else this.preview();
    }

    typed() {
      this.stop();
      Object.assign(this.state, { text: this.prompt.area.value, written: "", token: -1 });
      this.at = undefined;
      clearTimeout(this.pause);
      if (!this.engine) this.preview();
      else this.read();
      this.pause = setTimeout(() => {
        this.remember();
        if (this.engine) this.compute();
      }, PAUSE);
    }

    // 网址变了：写着前文的，换上；是到某一节去的，把前文再写回去
    followAddress() {
      const address = inAddress();
      if (!("text" in address)) {
        this.at = decodeURIComponent(location.hash.slice(1));
        if (this.kept) this.remember();
        return;
      }
      const returned = history.state?.live; // 前进、后退回到的地方
      const state = toState(address);
      if (toFragment(state) !== toFragment(this.state)) this.enter(state, address.at);
      else this.at = address.at;
      if (returned) document.getElementById(this.at)?.scrollIntoView();
      else this.block.scrollIntoView();
    }

    showState() {
      this.prompt.show(this.state);
      this.bars.dials(this.state);
      this.picks.forEach((each, i) => (each.control.checked = i === this.state.draw));
      this.seed.value = this.state.seed;
      this.seeded.classList.toggle("llm-idle", !this.state.draw);
    }

    remember() {
      this.kept = true;
      if (this.writer?.next) this.state.written = this.writer.steps.map(({ id }) => id).join(".");
      history.replaceState({ live: true }, "", toFragment(this.state, this.at));
      history.scrollRestoration = this.at ? "manual" : "auto";
    }

    // -- 计算 --

    words(ids) {
      for (const id of ids) if (!this.spelled.has(id)) this.spelled.set(id, spell(this.engine.tokenizer, id));
      return ids.map((id) => this.spelled.get(id));
    }

    // 前文 → 编号，当场写出来；有毛病就说，给出 null
    read() {
      const { text, chat } = this.state, { tokenizer, config } = this.engine;
      try {
        if (!text.trim()) throw Error(chat ? "请先问一句话。" : "请先写一点前文。");
        if (text.length > LONGEST) throw Error(`这里有 ${text.length} 个字符，太长了，请写短一些。`);
        const whole = chat ? tokenizer.chat([{ role: "user", content: text }]) : text;
        const ids = tokenizer.encode(whole), n = ids.length;
        if (n > config.maxTokens) throw Error(`这里有 ${n} 个词元，一次最多 ${config.maxTokens} 个，请写短一些。`);
        if (!n) throw Error("这些字符在词表里一个也没有，请换几个字。");
        this.prompt.showTemplate(whole, tokenizer.special);
        return ids;
      } catch (error) {
        this.say(error.message, true);
        return null;
      }
    }

    async compute() {
      clearTimeout(this.pause);
      const mine = ++this.version, ids = this.read();
      if (!ids) return;
      const replay = this.state.written.split(".").filter(Boolean).map(Number);
      await this.turn(async () => {
        if (mine !== this.version) return;
        this.looking = null;
        this.say(ids.length > 40 ? `正在读 ${ids.length} 个词元……` : "");
        this.block.setAttribute("aria-busy", true);
        await this.writer.begin(ids);
        this.tellTime();
        this.speed.textContent = this.speed.dataset.tokensPerSecond = "";
        this.draw();
        // 网址里写下的：照样再写一遍，每一步的分数才都在
        for (const id of replay) {
          if (mine !== this.version || this.writer.full || id >= this.engine.config.vocabSize) break;
          await this.writer.write(id);
          this.draw();
        }
        if (mine === this.version) this.remember();
      });
      if (mine === this.version) this.lookInside();
    }

    tellTime() {
      const { computed, milliseconds } = this.writer.last, n = this.writer.ids.length;
      this.say(`${n} 个词元，这一步算了 ${computed} 个，${Math.round(milliseconds)} 毫秒。`);
    }

    // 写一个：id 不给，就照现在的挑法
    step(id) {
      if (!this.engine || this.running) return;
      return this.turn(async () => {
        if (!this.writer.next || this.isFull()) return;
        const start = performance.now();
        await this.writer.write(id ?? this.writer.choose(this.state));
        this.looking = null;
        this.tellSpeed(1, performance.now() - start);
        this.afterWriting();
      }).then(() => this.lookInside());
    }

    stream() {
      if (!this.engine || this.running) return;
      this.running = true;
      this.looking = null;
      this.streamButton.textContent = "停";
      this.stepButton.disabled = true;
      return this.turn(async () => {
        const start = performance.now();
        for (let written = 1; this.running && this.writer.next && !this.isFull(); written++) {
          const id = this.writer.choose(this.state);
          await this.writer.write(id);
          this.tellSpeed(written, performance.now() - start);
          this.draw();
          if (this.ended()) break;
        }
        if (this.writer.next) this.afterWriting();
      }).finally(() => {
        this.stop();
        this.stepButton.disabled = false;
        this.lookInside();
      });
    }

    stop() {
      this.running = false;
      this.streamButton.textContent = "一直写";
    }

    ended() {
      const { steps } = this.writer, { eosId } = this.engine.config;
      return steps.length > 0 && [eosId, 0].includes(steps[steps.length - 1].id);
    }

    isFull() {
      if (this.writer.full) this.say(`写满 ${this.engine.config.maxTokens} 个词元了；退回几个，或者从头来。`);
      return this.writer.full;
    }

    afterWriting() {
      this.draw();
      if (!this.isFull()) this.tellTime();
      this.state.token = -1;
      this.remember();
    }

    tellSpeed(count, milliseconds) {
      const speed = (1000 * count) / milliseconds;
      this.speed.dataset.tokensPerSecond = speed.toFixed(1);
      this.speed.textContent = `每秒 ${speed.toFixed(1)} 个词元${this.writer.cache ? "" : "（没有用缓存）"}`;
    }

    // 点了一条：看着末尾，就写它；看着写下的一个，就从那里改走这条路
    take(id) {
      this.stop();
      const from = this.looking;
      if (from !== null && this.writer.steps[from]?.id === id) return this.look(null);
      return this.turn(() => from !== null && this.writer.back(from)).then(() => this.step(id));
    }

    back(i) {
      this.stop();
      return this.turn(async () => {
        if (i < this.writer.steps.length) this.writer.back(i);
        this.looking = null;
        this.afterWriting();
      }).then(() => this.lookInside());
    }

    rewrite() {
      const steps = this.writer.steps.length;
      this.choose({ seed: Math.floor(Math.random() * 1000), draw: 1 });
      return this.back(0).then(() => steps && this.stream());
    }

    look(i) {
      if (this.running) this.stop();
      this.looking = i;
      this.draw();
      if (i !== null) this.bars.title.focus({ preventScroll: true });
    }

    // 同一步，用缓存与从头算
    async compare() {
      const { ids } = this.writer;
      return this.turn(async () => {
        if (ids.length > 1) await this.engine.feed(ids.slice(0, -1));
        const kept = await this.engine.feed(ids);
        const anew = await this.engine.feed(ids, { cache: false });
        return { n: ids.length, kept, anew };
      });
    }

    // -- 画 --

    plainly(logits) {
      if (this.plain?.logits !== logits) this.plain = { logits, shares: LiveSampling.softmax(logits) };
      return this.plain.shares;
    }

    draw() {
      if (!this.writer?.next) return;
      const { tokenizer } = this.engine, { steps, prompt, next } = this.writer;
      const step = this.looking === null ? null : steps[this.looking];
      const logits = step ? step.logits : next;
      for (const each of steps) each.share ??= this.plainly(each.logits)[each.id];
      this.bars.draw({ tokenizer, logits, plainly: this.plainly(logits), settings: this.state, taken: step?.id });
      this.bars.title.replaceChildren(...(step ? [LlmTokens.named(this.words([step.id])[0]), " 那里，当初还能写"] : ["下一个词元"]));
      this.returns.hidden = !step;
      this.written.showPrompt(this.words(prompt));
      const words = this.words(steps.map(({ id }) => id));
      this.written.show({
        steps: steps.map(({ share }, i) => ({ word: words[i], share })),
        text: tokenizer.decode(steps.map(({ id }) => id), true),
        looking: this.looking,
        ended: this.ended(),
      });
      if (!step) this.written.follow();
      this.clearButton.disabled = !steps.length;
    }

    async lookInside() {
      if (!this.writer?.next || this.running) return;
      const mine = ++this.asked;
      await this.turn(async () => {
        if (mine !== this.asked || this.running) return;
        const { ids } = this.writer, words = this.words(ids);
        const query = this.state.token >= 0 && this.state.token < ids.length ? this.state.token : ids.length - 1;
        if (this.state.view) await this.writer.catchUp();
        const changed = this.seen !== String(ids);
        await this.inside.show({ engine: this.engine, words, state: this.state, query, changed });
        if (this.state.view === "attention") this.seen = String(ids);
      });
    }
  }

  document.querySelectorAll(".live-llm").forEach((block) => new Panel(block));
}
