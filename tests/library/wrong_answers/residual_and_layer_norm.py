import torch.nn.functional as F


def normalized(x, gamma, beta, eps, dim=-1, unbiased=False):
    variance = x.var(dim=dim, unbiased=unbiased, keepdim=True)
    return (x - x.mean(dim=dim, keepdim=True)) / (variance + eps).sqrt() * gamma + beta


def outside(x, gamma, beta, eps):
    sigma = x.std(-1, unbiased=False, keepdim=True)
    return (x - x.mean(-1, keepdim=True)) / (sigma + eps) * gamma + beta


def root_mean_square(x, gamma, beta, eps):
    return x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * gamma


def no_root(x, gamma, beta, eps):
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, unbiased=False, keepdim=True) + eps) * gamma + beta


def stack(step):
    def answer(x, layers, final_norm):
        for layer in layers:
            x = step(x, *layer)
        return final_norm(x)

    return answer


def right(x, attend, ffn, norm1, norm2):
    x = x + attend(norm1(x))
    return x + ffn(norm2(x))


def post(x, attend, ffn, norm1, norm2):
    x = norm1(x + attend(x))
    return norm2(x + ffn(x))


def normed_road(x, attend, ffn, norm1, norm2):
    x = norm1(x)
    x = x + attend(x)
    x = norm2(x)
    return x + ffn(x)


def no_final(x, layers, final_norm):
    for layer in layers:
        x = right(x, *layer)
    return x


def final_each_time(x, layers, final_norm):
    for layer in layers:
        x = final_norm(right(x, *layer))
    return x


WRONG_ANSWERS = {
    "residual_and_layer_norm.layer-norm": [
        (lambda *a: normalized(*a, unbiased=True), "不是 D − 1"),
        (outside, "加在根号里面"),
        (lambda x, gamma, beta, eps: normalized(x, gamma, beta, 0), "ε 没有用上"),
        (no_root, "忘了开方"),
        (lambda *a: normalized(*a, dim=1), "求在了词元那一维上"),
        (lambda *a: normalized(*a, dim=(0, 1)), "那是批归一化"),
        (lambda *a: normalized(*a, dim=(0, 1, 2)), "所有的数共用"),
        (lambda x, gamma, beta, eps: normalized(x, 1, 0, eps), "还要乘 γ、加 β"),
        (lambda x, gamma, beta, eps: normalized(x, gamma, 0, eps), "还要加 β"),
        (lambda x, gamma, beta, eps: F.layer_norm(x, (6,), beta, gamma, eps), "用反了"),
        (lambda x, gamma, beta, eps: F.layer_norm(x, (6,), gamma, 2 * beta, eps), "结果不等于"),
        (root_mean_square, "那是 RMSNorm 的写法"),
        (lambda x, gamma, beta, eps: x.mean(-1), "形状应当是 (2, 4, 6)"),
    ],
    "residual_and_layer_norm.norm-parameters": [
        (lambda layers, d: 0, "可学习的 γ 与 β"),
        (lambda layers, d: (2 * layers + 1) * d, "两样都有"),
        (lambda layers, d: 4 * layers * d, "嵌入层里的那个 LN"),
        (lambda layers, d: (layers + 1) * 2 * d, "每层有两个 LN，注意力之后"),
        (lambda layers, d: (2 * layers + 2) * 2 * d, "末尾不另加"),
        (lambda layers, d: layers * d, "应当是 140"),
    ],
    "residual_and_layer_norm.residual-gradient": [
        (lambda w, g: g @ w.T, "只是岔路"),
        (lambda w, g: g, "只是加号"),
        (lambda w, g: g + g @ w, "W 的转置"),
        (lambda w, g: g @ w, "两处都错了"),
        (lambda w, g: w + w.T, "形状应当是 (5, 3)"),
        (lambda w, g: 2 * g + g @ w.T, "两项之和"),
    ],
    "residual_and_layer_norm.pre-norm": [
        (stack(post), "这是 post-norm：归一化"),
        (no_final, "末尾的 final_norm 没有用"),
        (final_each_time, "用在了每一层"),
        (stack(normed_road), "主路就被归一化了"),
        (stack(lambda x, attend, ffn, n1, n2: ffn(n2(attend(n1(x))))), "少了残差连接"),
        (stack(lambda x, attend, ffn, n1, n2: x + attend(n1(x)) + ffn(n2(x))), "加过注意力的 x"),
        (stack(lambda x, attend, ffn, n1, n2: right(x, attend, ffn, n2, n1)), "用反了"),
        (stack(lambda x, attend, ffn, n1, n2: right(x, attend, ffn, n1, n1)), "同一个 norm1"),
        (lambda x, layers, final: final(right(x, *layers[0])), "只走了第一层"),
        (stack(lambda x, *parts: x + right(x, *parts)), "每层应当是"),
    ],
}
