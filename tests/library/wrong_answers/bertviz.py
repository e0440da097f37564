import torch

WRONG_ANSWERS = {
    "bertviz.mass": [
        (
            lambda attentions, query, keys: attentions[:, :, keys, query].sum(-1),
            "方向反了",
        ),
        (
            lambda attentions, query, keys: attentions[:, :, query, keys].mean(-1),
            "不是平均",
        ),
        (
            lambda attentions, query, keys: attentions[:, :, query, keys],
            "形状应当是 (3, 4)",
        ),
        (
            lambda attentions, query, keys: attentions[:, :, query, keys[0]],
            "那几列的权重之和",
        ),
    ],
    "bertviz.best-head": [
        (lambda table: int(table.argmax()), "还要拆成两个数"),
        (lambda table: divmod(int(table.argmax()), table.size(0)), "要除以头数"),
        (
            lambda table: divmod(int(table.argmax()), table.size(1))[::-1],
            "先层后头",
        ),
        (lambda table: (0, 0), "得分最高的是 (2, 1)"),
    ],
    "bertviz.entropy": [
        (lambda a: -(a * a.log()).sum(-1).mean(-1), "NaN"),
        (lambda a: torch.xlogy(a, a).sum(-1).mean(-1), "符号反了"),
        (lambda a: -torch.xlogy(a, a).sum(-1).sum(-1), "取平均"),
        (
            lambda a: -torch.xlogy(a, a).sum(-1).mean(-1) / torch.log(torch.tensor(2.0)),
            "以 2 为底",
        ),
        (lambda a: -torch.xlogy(a, a).sum(-1), "形状应当是 (3, 4)"),
        (lambda a: a.amax(-1).mean(-1), "各行的熵"),
    ],
    "bertviz.maps": [
        ((12, 4800), "还要乘上另一个 12"),
        ((1728, 691200), "多数了一遍头"),
        ((24, 9600), "先数表"),
        ((144, 2880), "不是 N"),
        ((144, 144), "再数数"),
        (144, "两个整数"),
    ],
}
