// 勘误实验室的索引：按出处与题目筛选；每条头一次点开的选项记作猜过，猜中的打 ✓，翻开新的一页从头记起。
{
  const filter = document.querySelector(".errata-filter");
  const rows = [...document.querySelectorAll(".errata-index tbody tr")];
  const selects = [...filter.querySelectorAll("select")];
  const [shown, guessed, right] = filter.querySelectorAll("b");

  const show = () => {
    for (const row of rows) {
      row.hidden = selects.some(({ value, dataset }) => value && !row.cells[dataset.column].textContent.startsWith(value));
    }
    shown.textContent = rows.filter((row) => !row.hidden).length;
  };
  for (const select of selects) select.addEventListener("change", show);

  const rowOf = (section) => rows.find((row) => decodeURIComponent(row.querySelector("a").hash.slice(1)) === section.id);
  for (const option of document.querySelectorAll(".erratum .guess details")) {
    option.addEventListener("toggle", () => {
      const row = rowOf(option.closest(".erratum"));
      if (!option.open || row.dataset.guess) return;
      row.dataset.guess = option.classList.contains("right") ? "right" : "wrong";
      const made = rows.map((each) => each.dataset.guess).filter(Boolean);
      guessed.textContent = made.length;
      right.textContent = made.filter((each) => each === "right").length;
      guessed.parentElement.hidden = false;
    });
  }

  // 检索找来的词在“应当说”里，就不必先猜
  for (const { startContainer } of CSS.highlights?.get("found") ?? []) {
    startContainer.parentElement.closest(".answer")?.parentElement.classList.add("told");
  }
  filter.hidden = false;
}
