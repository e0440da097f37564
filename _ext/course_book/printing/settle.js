// 把一页停在画好的样子：此后不要脚本也是这样。Python 一侧再把外来的视图与面板换成它们的图。
async () => {
  const article = document.querySelector("article");
  const all = (selector) => [...article.querySelectorAll(selector)];
  for (const fold of all("details")) fold.removeAttribute("name");
  for (const fold of all("details:not(.claims, .hide)")) fold.open = true;
  document.documentElement.dataset.theme = "light";
  await document.fonts.ready;
  // 画布里的不在标记里
  for (const canvas of all("canvas")) {
    const picture = new Image();
    for (const { name, value } of canvas.attributes) picture.setAttribute(name, value);
    picture.src = canvas.toDataURL();
    canvas.replaceWith(picture);
  }
  // 读者能改的，现在是多少，也不在标记里
  for (const input of all("input")) {
    input.setAttribute("value", input.value);
    input.toggleAttribute("checked", input.checked);
  }
  for (const option of all("option")) option.toggleAttribute("selected", option.selected);
  for (const picture of all("img")) picture.setAttribute("src", picture.src);
  return all(".explore-stage").filter((stage) => !stage.children.length || stage.querySelector("noscript")).length;
}
