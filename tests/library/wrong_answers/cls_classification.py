import math

import torch

WRONG_ANSWERS = {
    "cls_classification.mean-pool": [
        (lambda hidden, mask: hidden.mean(1), "填充也算进去了"),
        (lambda hidden, mask: hidden[:, 0], "取位置 0"),
        (lambda hidden, mask: (hidden * mask[..., None]).mean(1), "分母不对"),
        (lambda hidden, mask: (hidden * mask[..., None]).sum(1), "只求了和"),
        (lambda hidden, mask: hidden[mask.bool()].mean(0), "形状应当是 (3, 4)"),
        (lambda hidden, mask: (hidden * mask[..., None]).sum(1) / mask.sum(), "真实词元的向量的平均"),
    ],
    "cls_classification.max-pool": [
        (lambda hidden, mask: hidden.amax(1), "填充也参加了比较"),
        (lambda hidden, mask: (hidden * mask[..., None]).amax(1), "0 反而最大"),
        (lambda hidden, mask: (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True), "取平均"),
        (lambda hidden, mask: hidden.max(1), "应当是张量"),
        (lambda hidden, mask: hidden.masked_fill(mask[..., None] == 0, torch.inf).amin(1), "最大的那个"),
    ],
    "cls_classification.loss-floor": [
        (lambda classes: 0.0, "只过一次 softmax"),
        (lambda classes: math.e / (math.e + classes - 1), "还要取负对数"),
        (lambda classes: math.log(classes), "各类概率相等"),
        (lambda classes: math.log2(1 + (classes - 1) / math.e), "自然对数"),
        (lambda classes: math.log(1 + 1 / math.e), "3 类时得到 0.3133"),
        (lambda classes: 0.5, "当作 logits"),
    ],
    "cls_classification.enough-reviews": [
        (lambda p, error: math.ceil(p * (1 - p) / error), "error 要平方"),
        (lambda p, error: math.ceil((p * (1 - p)) ** 0.5 / error), "分子是 p(1-p)"),
        (lambda p, error: math.ceil(0.25 / error**2), "另有其数"),
        (lambda p, error: math.floor(p * (1 - p) / error**2), "最小整数"),
    ],
}
