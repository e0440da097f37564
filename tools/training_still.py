"""把“训练一个 Transformer”打开时的那两次训练存进 _ext/course_book/doctree/training_still.json：

    python -m tools.training_still

由网页自己的代码（live/train/）在真的 Chromium 里训练，种子 1，照着抄，两层与一层；改了那里的代码，就再运行一次。
"""

import json
from pathlib import Path

from wasmtime import wat2wasm

from tools.chromium import open_browser

ROOT = Path(__file__).parents[1]
LIVE = ROOT / "live/train"
STORED = ROOT / "_ext/course_book/doctree/training_still.json"
SCRIPTS = ("random", "products", "parts", "model", "optimiser", "tasks", "trainer", "choices")
EVERY, STEPS = 20, 400
# 每 20 步考一次：没见过的答对几成，平均的损失；走完了，读一句没见过的：各处的答案与把握，各层各头的权重（0 到 255，一个字节一个）
TRAIN = """([every, steps]) => {
  const tools = {trainRandom, trainProducts, trainParts, trainModel, trainOptimiser, trainTasks};
  const { batch, TASKS } = trainTasks(tools), short = (value) => Math.round(100 * value) / 100;
  return TrainChoices.sides(TrainChoices.START).map((choices) => {
    const run = trainRun(tools)(choices, wasm), right = [], loss = [], V = run.words.length;
    for (let i = 1; i <= steps; i++) {
      run.advance();
      if (i % every) continue;
      const { test } = run.grade();
      right.push(short(test.right));
      loss.push(short(test.loss));
    }
    const ids = [...batch(choices.task, [0, 99], 1, { testing: true }).ids], targets = TASKS[choices.task].answer(ids);
    const seen = run.look({ at: Infinity, ids, targets, off: [], hidden: [] });
    const rows = ids.map((_, i) => [...seen.probabilities.subarray(i * V, (i + 1) * V)]);
    const shares = rows.map((row) => Math.max(...row)), said = rows.map((row, i) => row.indexOf(shares[i]));
    const bytes = seen.attention.flatMap((layer) => [...layer]).map((weight) => Math.round(255 * weight));
    return { every, right, loss, seen: { said, shares: shares.map(short), loss: short(seen.loss), attention: btoa(String.fromCharCode(...bytes)) } };
  });
}"""


def train(page) -> list[dict]:
    """page 是空白的一页，已经装上 live/train/ 的各个脚本与 wasm。"""
    return page.evaluate(TRAIN, [EVERY, STEPS])


def main() -> None:
    with open_browser() as browser:
        page = browser.new_page()
        page.set_default_timeout(600_000)
        for name in SCRIPTS:
            page.add_script_tag(path=LIVE / f"{name}.js")
        kernel = bytes(wat2wasm((LIVE / "products.wat").read_text(encoding="utf-8")))
        page.evaluate("(bytes) => { globalThis.wasm = new Uint8Array(bytes); }", list(kernel))
        told = train(page)
    lines = ",\n".join(json.dumps(each) for each in told)
    STORED.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
