"""网页里的练习，依次检查几次各要几毫秒；测试与 bench 都用。"""

PAGE = "chapters/04_scaled_dot_product_attention.html"
MILLISECONDS = """async () => {
  const box = document.querySelector(".exercise"), said = box.querySelector(".exercise-said");
  const times = [];
  for (let i = 0; i < 6; i++) {
    said.replaceChildren();
    const start = performance.now();
    box.querySelector(".main").click();
    while (!/^[✓✗○⚠]/.test(said.innerText)) await new Promise((resolve) => setTimeout(resolve, 5));
    times.push(performance.now() - start);
  }
  return times;
}"""
