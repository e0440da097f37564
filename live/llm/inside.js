// 打开看里面：先选一个词元，再打开四折中的一折；没有打开的不算。
globalThis.LlmInside = (() => {
  const { html, radio } = LiveMarks;
  const { chip } = LlmTokens;

  // choose(状态的一部分)；refresh()：打开了一折，请把它算出来
  function inside({ id, choose, refresh, onCache, compare }) {
    const told = { id, choose, onCache, compare };
    const views = { attention: LlmAttention.attention(told), lens: LlmLayers.lens(told), norms: LlmLayers.norms(told), cache: LlmLayers.cache(told) };
    const folds = Object.entries(views).map(([name, { title, about, element }]) => {
      const fold = html("details", { class: "llm-fold", "data-view": name }, html("summary", {}, html("b", {}, title), html("span", {}, about)), element);
      fold.addEventListener("toggle", () => {
        if (fold.open && opened() !== name) {
          current = name;
          for (const other of folds) if (other !== fold) other.open = false;
          choose({ view: name });
          refresh();
        } else if (!fold.open && opened() === name) {
          current = "";
          choose({ view: "" });
          refresh();
        }
      });
      return fold;
    });
    let current = "";
    const opened = () => current;
    const chips = html("fieldset", { class: "llm-where" }), status = html("p", { class: "llm-wrong", role: "status" });
    const element = html("div", { class: "llm-inside" }, html("h2", {}, "里面"), html("p", { class: "llm-note llm-which" }, "打开一折，再选一个词元；不选，就是最后一个。"), chips, status, ...folds);
    let labels = [], key = "", turn = 0;

    return {
      element,
      open(name) {
        current = name;
        folds.forEach((fold) => (fold.open = fold.dataset.view === name));
      },
      redraw: () => views[current]?.redraw(),
      // words：每个词元；query：选中的一个
      async show({ engine, words, state, query, changed }) {
        const mine = ++turn, showsWeights = current === "attention";
        chips.hidden = !current || current === "cache";
        const ids = words.map(({ id }) => id).join();
        if (ids !== key) {
          key = ids;
          labels = words.map((word, i) => chip("label", word, i, {}, radio(`${id}-query`, () => choose({ token: i }))));
          chips.replaceChildren(html("legend", {}, "选一个词元（小字是位置）"), html("div", { class: "live-sentence llm-chips" }, ...labels));
        }
        labels.forEach((label, i) => (label.control.checked = i === query));
        if (!current) return;
        element.setAttribute("aria-busy", true);
        try {
          const weights = await views[current].show({ engine, words, state, query, changed });
          if (mine !== turn) return;
          labels.forEach((label, i) => label.style.setProperty("--share", (showsWeights && weights?.[i]) || 0));
          status.textContent = "";
        } catch (error) {
          status.textContent = error.message;
        }
        if (mine === turn) element.setAttribute("aria-busy", false);
      },
    };
  }

  return { inside };
})();
