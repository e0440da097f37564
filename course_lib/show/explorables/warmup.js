// 预热：上面是论文的学习率，转预热的步数与模型的宽度；下面是真的训练过的几组，各几个种子的损失。
// 数：runs（每组 { name, peak, warm, losses }：名字、最高的学习率、预热几步、每个种子一串损失）；
// usual（只知道各个字符有多常见时的损失）；window（几步平均）。
Explore.define("warmup", (data, stage) => {
  const { html, fixed, line, slider, choice } = Explore;
  const STEPS = 20000, WARM = [1000, 2000, 4000, 8000, 16000], WIDTH = [256, 512, 1024], LAST = 20;
  const width = Math.min(560, stage.clientWidth || 360);
  const hues = ["ink", "ochre", "grey"];
  let [warm, wide] = [4000, 512];

  // 论文的式子：D^(-1/2) · min(s^(-1/2), s · w^(-3/2))
  const rate = (s) => wide ** -0.5 * Math.min(s ** -0.5, s * warm ** -1.5);
  const spots = Array.from({ length: 201 }, (_, i) => Math.max(1, (STEPS / 200) * i));
  const points = () => spots.map((s) => [s, 1000 * rate(s)]);
  const paper = line({ lines: [{ label: "学习率，10⁻³", hue: "weight", points: points() }], name: "论文的学习率：横轴是步数，竖轴是学习率，以 10⁻³ 计", width, height: 150, x: [0, STEPS], y: [0, 2] });
  const top = html("p", { class: "explore-said", "aria-live": "polite" });
  const draw = () => {
    paper.update([points()], warm);
    top.textContent = `宽 ${wide}、预热 ${warm} 步：第 ${warm} 步最高，是 ${fixed(1000 * rate(warm))} × 10⁻³；走到第 ${STEPS} 步，是 ${fixed(1000 * rate(STEPS))} × 10⁻³。`;
  };

  const mean = (row) => row.reduce((sum, x) => sum + x, 0) / row.length;
  const smooth = (losses) => losses.slice(data.window - 1).map((_, i) => [i + data.window, mean(losses.slice(i, i + data.window))]);
  const count = data.runs[0].losses[0].length;
  const level = [[1, data.usual], [count, data.usual]];
  const tall = Math.max(...data.runs.flatMap(({ losses }) => losses.flatMap((row) => smooth(row).map(([, y]) => y))));
  const seeds = data.runs[0].losses.map((row, i) => ({ label: `种子 ${i}`, hue: hues[i], points: smooth(row) }));
  const lines = [{ label: "只知道各个字符有多常见", hue: "faint", points: level }, ...seeds];
  const chart = line({ lines, name: "训练损失，横轴是步数", width, height: 190, x: [1, count], y: [0.5, Math.ceil(tall)] });
  const said = html("p", { class: "explore-said", "aria-live": "polite" });
  const show = (i) => {
    const { peak, warm: steps, losses } = data.runs[i];
    chart.update([level, ...losses.map(smooth)], steps > 1 ? steps : null);
    const ends = losses.map((row) => fixed(mean(row.slice(-LAST)))).join("、");
    said.textContent = `学习率${steps > 1 ? `前 ${steps} 步升到 ${peak}（竖线处），此后不变` : `从第一步起就是 ${peak}`}。末 ${LAST} 步的平均损失，三个种子是 ${ends}。`;
  };
  const run = choice({ label: "训练", options: data.runs.map(({ name }) => name), change: show });
  stage.append(
    html("p", { class: "explore-label" }, "论文的学习率"), paper.node, top,
    slider({ label: "预热的步数", values: WARM, at: WARM.indexOf(warm), change: (value) => { warm = value; draw(); } }).node,
    slider({ label: "模型的宽度", values: WIDTH, at: WIDTH.indexOf(wide), change: (value) => { wide = value; draw(); } }).node,
    html("div", { class: "explore-part" }, html("p", { class: "explore-label" }, `我们的训练：${count} 步的损失（${data.window} 步平均）`), chart.node, said, run.node),
  );
  draw();
  show(0);
});
