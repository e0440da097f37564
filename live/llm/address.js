// 状态与网址：改了就写进 # 后面，网址变了就换上；写着到哪一节（at），就到那一节。
globalThis.LlmAddress = class LlmAddress {
  // given：网址里没有状态时的；onEnter()：换上了网址里的状态
  constructor(block, given, onEnter) {
    this.block = block;
    const address = LlmState.inAddress();
    this.kept = "text" in address; // 网址里有没有状态
    this.at = address.at;
    this.state = LlmState.toState(this.kept ? address : given);
    this.onEnter = onEnter;
    addEventListener("hashchange", () => this.follow());
    addEventListener("load", () => this.goToSection());
  }

  change(part) {
    Object.assign(this.state, part);
    this.at = undefined;
  }

  remember() {
    this.kept = true;
    history.replaceState({ live: true }, "", LlmState.toFragment(this.state, this.at));
    history.scrollRestoration = this.at ? "manual" : "auto"; // 写着哪一节，就到那一节，不必浏览器去找原来的高度
  }

  // 写着前文的，换上；是到某一节去的，把前文再写回去
  follow() {
    const address = LlmState.inAddress();
    if (!("text" in address)) {
      this.at = decodeURIComponent(location.hash.slice(1));
      if (this.kept) this.remember();
      return;
    }
    const returned = history.state?.live; // 前进、后退回到的地方
    const state = LlmState.toState(address), same = LlmState.toFragment(state) === LlmState.toFragment(this.state);
    this.at = address.at;
    if (!same) {
      this.state = state;
      this.onEnter();
    }
    if (returned) this.goToSection();
    else this.block.scrollIntoView();
  }

  goToSection() {
    document.getElementById(this.at)?.scrollIntoView();
  }
};
