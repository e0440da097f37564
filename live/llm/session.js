// 一次写作：写一个、一直写、停、走别的路、退回去。引擎一次只答一问，所以一件一件排着做。
//
// looking：正在看写下的第几个当初还能是什么，{ i, logits }，null 是看末尾。
// settings() 给出此刻的挑法；onWrote({ count, milliseconds })：又写了一个，这一回写了几个、用了多久；
// onBusy()：排着的多了或少了一件；onError(错误)；onRunning(在不在一直写)。
globalThis.LlmSession = class LlmSession {
  constructor(engine, told) {
    Object.assign(this, told, { engine, writer: new LlmWriter(engine), looking: null, running: false });
    this.queue = Promise.resolve();
    this.waiting = 0; // 排着的与正在做的
  }

  async turn(work) {
    const before = this.queue;
    let done;
    this.queue = new Promise((resolve) => (done = resolve));
    this.waiting++;
    this.onBusy();
    await before;
    try {
      return await work(this.writer);
    } catch (error) {
      this.stop();
      this.onError(error);
    } finally {
      this.waiting--;
      this.onBusy();
      done();
    }
  }

  setRunning(running) {
    if (this.running === running) return;
    this.running = running;
    this.onRunning(running);
  }

  stop() {
    this.setRunning(false);
  }

  get ended() {
    const { steps } = this.writer, { eosId } = this.engine.config;
    return steps.length > 0 && [eosId, 0].includes(steps[steps.length - 1].id);
  }

  get ready() {
    return this.writer.next !== null && !this.writer.full;
  }

  // 写一个；id 不给，就照现在的挑法
  step(id) {
    return this.turn(async (writer) => {
      if (!this.ready) return;
      const start = performance.now();
      await writer.write(id ?? writer.choose(this.settings()));
      this.onWrote({ count: 1, milliseconds: performance.now() - start });
    });
  }

  stream() {
    this.setRunning(true);
    return this.turn(async (writer) => {
      const start = performance.now();
      for (let count = 1; this.running && this.ready; count++) {
        await writer.write(writer.choose(this.settings()));
        this.onWrote({ count, milliseconds: performance.now() - start });
        if (this.ended) break;
      }
    }).finally(() => this.stop());
  }

  // 第 i 个换成 id，它后面的都不要
  take(i, id) {
    this.stop();
    return this.back(i).then(() => this.step(id));
  }

  back(i) {
    this.stop();
    return this.turn((writer) => i < writer.steps.length && writer.back(i));
  }

  look(i) {
    this.stop();
    return this.turn(async (writer) => {
      this.looking = i === null ? null : { i, logits: await writer.before(i) };
    });
  }

  // 末尾的那一步，用缓存与从头各算一遍
  compare() {
    return this.turn(async ({ ids }) => {
      if (ids.length > 1) await this.engine.feed(ids.slice(0, -1));
      const kept = await this.engine.feed(ids);
      const anew = await this.engine.feed(ids, { cache: false });
      return { n: ids.length, kept, anew };
    });
  }
};
