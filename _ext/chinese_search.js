// 与 chinese_search.py 的切法一致；单独一个汉字保持原样
var splitQuery = (query) =>
  (query.match(/[A-Za-z0-9_]+|[\u3400-\u9fff]+/g) || []).flatMap((run) =>
    run.length < 2 || run.charCodeAt(0) < 0x3400
      ? [run]
      : Array.from({ length: run.length - 1 }, (_, i) => run.slice(i, i + 2)));

{
  const { _parseQuery: parse, makeSearchSummary: summarise } = Search;
  let words = [];

  // 高亮与摘要用读者写下的整个词，不用切出来的两字一段
  Search._parseQuery = (query) => {
    const parsed = parse(query);
    words = query.toLowerCase().split(/\s+/).filter(Boolean);
    localStorage.setItem("sphinx_highlight_terms", words.join(" "));
    parsed[3] = new Set(words);
    return parsed;
  };
  Search.makeSearchSummary = (page, keywords, anchor) => summarise(page, new Set(words), anchor);

  // 只从正文里取摘要，不带上页眉的按钮
  Search.htmlToText = (page, anchor) => {
    const article = new DOMParser().parseFromString(page, "text/html").querySelector("article");
    if (!article) return "";
    article.querySelectorAll(".headerlink, script, style, iframe").forEach((node) => node.remove());
    const section = anchor && article.querySelector(`[id="${anchor.slice(1)}"]`);
    return (section || article).textContent;
  };

  // 标题里含有查询的排在前面
  Scorer.score = ([, title, , , score]) =>
    score + (words.length && words.every((word) => title.toLowerCase().includes(word)) ? 50 : 0);

  // 从 file:// 打开时，浏览器不许读别的页面
  if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}
