"""《使用大语言模型》的练习。"""

import torch

from ..exercise import Exercise

WORDS = [list("banana"), list("aaaa"), list("aaab"), list("xyz"), list("ababa")]
PAIRS = [("a", "n"), ("a", "a"), ("a", "a"), ("a", "b"), ("a", "b")]


def merge(parts, pair, most=10**9):
    """从左往右合并，至多 most 次。"""
    done, i = [], 0
    while i < len(parts):
        if most and tuple(parts[i : i + 2]) == pair:
            done, i, most = [*done, "".join(pair)], i + 2, most - 1
        else:
            done, i = [*done, parts[i]], i + 1
    return done


def overlapping(parts, pair):
    found = [tuple(parts[i : i + 2]) == pair for i in range(len(parts))]
    return ["".join(pair) if hit else part for part, hit in zip(parts, found, strict=True)]


def again(parts, pair):
    """合并出来的也拿去同右边的再比，一路吞下去。"""
    done = []
    for part in parts:
        if done and done[-1][-1] == pair[0] and part == pair[1]:
            done[-1] += part
        else:
            done.append(part)
    return done


def from_right(parts, pair):
    return merge(parts[::-1], pair[::-1])[::-1] if pair[0] == pair[1] else merge(parts, pair)


REPLIES = [" 121.\n\nThe", " 42\n81 + 1 = 82", "1210", "The sum is 9.", "", " 117 + 75", " 8 or 9", "7"]
ANSWERS = [121, 42, 121, 9, 5, 192, 9, 7]


def graded(replies, answers, found):
    """逐条比：found(回答) 给出一列数字，头一个就是它的答案。"""
    return sum([int(n) for n in found(reply)[:1]] == [a] for reply, a in zip(replies, answers, strict=True))


def numbers(reply):
    return "".join(c if c.isdigit() else " " for c in reply).split()


# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("using_a_language_model.merge-once",
        cases=lambda rng: list(zip(WORDS, PAIRS, strict=True)),
        right=lambda parts, pair: merge(parts, pair),
        wrong={
            "只合并了头一处：同一步里，从左到右每一处都要合并。": lambda parts, pair: merge(parts, pair, 1),
            "右边那一段合并之后还留着：一对换成一段，总数要少一个。": overlapping,
            "合并出来的又同右边的合并了：一步只认原来的一对，aaaa 合并 (a, a) 是 aa、aa。": again,
            "是从右往左合并的：aaab 合并 (a, a) 是 aa、a、b。": from_right,
            "合并成的一段应当是一个字符串，两半直接连起来，中间没有空格。":
                lambda parts, pair: [" ".join(pair) if part == "".join(pair) else part for part in merge(parts, pair)],
            "什么也没有合并：相邻的两段与 pair 相同，就换成连起来的一段。": lambda parts, pair: list(parts),
        },
        otherwise="从左到右看相邻的两段，与 pair 相同就换成连起来的一段，往后跳两段；不同就照抄，往后跳一段。",
        praise="训练与编码用的都是这一步：训练挑最多的一对，编码挑最早学到的一对。",
    ),
    Exercise("using_a_language_model.bits-per-byte",
        cases=lambda rng: [(-rng.rand(5) * 6, "今天天气"), (-rng.rand(9) * 4, "a cat sat"), (-rng.rand(3), "é")],
        right=lambda log_p, text: float(-log_p.sum() / torch.tensor(2.0).log() / len(text.encode())),
        wrong={
            "符号反了：对数概率是负的，意外的程度是它的相反数。": lambda log_p, text: float(log_p.sum() / torch.tensor(2.0).log() / len(text.encode())),
            "单位还是奈特：除以 ln 2 才是比特。": lambda log_p, text: float(-log_p.sum() / len(text.encode())),
            "除以的是字符的个数：一个汉字是 3 个字节，要数 text.encode() 有多长。": lambda log_p, text: float(-log_p.sum() / torch.tensor(2.0).log() / len(text)),
            "除以的是词元的个数：那样就又受分词器的影响，要除以字节数。": [
                lambda log_p, text: float(-log_p.mean() / torch.tensor(2.0).log()),
                lambda log_p, text: float(-log_p.mean() / torch.tensor(2.0).log() / len(text.encode())),
            ],
            "乘了 ln 2：奈特换成比特，数应当变大。": lambda log_p, text: float(-log_p.sum() * torch.tensor(2.0).log() / len(text.encode())),
            "这是困惑度，每个词元一个平均：这一题要的是每个字节几比特，不取指数。": lambda log_p, text: float((-log_p.mean()).exp()),
        },
        otherwise="各词元的负对数概率加起来，除以 ln 2，再除以 UTF-8 的字节数。",
        praise="分母是字节，换了分词器、换了语言也能比。",
    ),
    Exercise("using_a_language_model.grade",
        cases=lambda rng: [(REPLIES, ANSWERS), (REPLIES[:3], ANSWERS[:3]), (REPLIES[3:], ANSWERS[3:])],
        right=lambda replies, answers: graded(replies, answers, numbers),
        wrong={
            "拿整个字符串去比的：121. 与 121 是同一个数，先取出数字再比。": lambda replies, answers: sum(
                reply.strip() == str(a) for reply, a in zip(replies, answers, strict=True)),
            "只看答案在不在回答里面：1210 里也有 121，那不是答对。": lambda replies, answers: sum(
                str(a) in reply for reply, a in zip(replies, answers, strict=True)),
            "取的是末一个数：先说了答案，后面又写了别的算式，要看第一个。": lambda replies, answers: graded(
                replies, answers, lambda reply: numbers(reply)[::-1]),
            "哪一个数对了都算：只看第一个，不然 8 or 9 这样两头押的也得分。": lambda replies, answers: sum(
                str(a) in numbers(reply) for reply, a in zip(replies, answers, strict=True)),
            "只认开头的数字：前面有字也不要紧，The sum is 9. 的第一个数是 9。": lambda replies, answers: graded(
                replies, answers, lambda reply: numbers(reply)[: reply.strip()[:1].isdigit()]),
        },
        otherwise="每个回答里找第一串连着的数字，换成整数，与那一题的答案比；一个数也没有就算错。",
        praise="判卷的尺子也会量错：逐字去比，后面多一个句号就判成错的。",
    ),
]
