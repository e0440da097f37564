"""输入对不对：不对就用一句话说出哪里不对、怎么办，不等到后面算出莫名其妙的结果。

要看张量里的数才答得出的，都先经过 `known_true`；只有它知道有编译这回事。
"""

import math
import operator
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import torch
from torch import Tensor, nn


def known_true(answer: Tensor) -> bool:
    """answer 是一个布尔值的张量：看得到，又是真的，才是 True；编译时看不到，拿回 Python 会把编译的图切断。"""
    return not torch.compiler.is_compiling() and bool(answer)


# ---- 尺寸


def check_positive(config: object, *names: str) -> None:
    """config 的这几个字段都应当是正整数，否则抛出 `ValueError`；不是整数时抛出 `TypeError`。"""
    for name in names:
        if _whole(config, name, "正整数") < 1:
            raise ValueError(f"{name}={getattr(config, name)}：应当是正整数。")


def _whole(config: object, name: str, should_be: str) -> int:
    """config 的这个字段，应当是整数，否则抛出 `TypeError`。"""
    value = getattr(config, name)
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name}={value!r}：应当是{should_be}。") from None


def check_head_size(d_model: int, num_heads: int) -> int:
    """返回每个头的宽度 d = D / h；除不尽就抛出 `ValueError`。"""
    if num_heads < 1 or d_model % num_heads:
        raise ValueError(f"d_model={d_model} 不能被 num_heads={num_heads} 整除，每个头分不到相同的宽度。")
    return d_model // num_heads


def check_pairs(d_head: int) -> None:
    """旋转位置编码把每个头的特征两个一对地转，宽度是奇数就抛出 `ValueError`。"""
    if d_head % 2:
        raise ValueError(f"每个头的宽度 {d_head} 是奇数，旋转位置编码要两个一对地转。")


def check_groups(num_heads: int, num_kv_heads: int) -> int:
    """返回几个查询头共用一个键值头；除不尽就抛出 `ValueError`。"""
    if num_kv_heads < 1 or num_heads % num_kv_heads:
        raise ValueError(
            f"num_heads={num_heads} 不能被 num_kv_heads={num_kv_heads} 整除，各组分不到相同的头数。"
        )
    return num_heads // num_kv_heads


def check_parts(config: object, parts: dict[str, tuple[str, ...]]) -> None:
    """config 的这几个字段都应当是 parts 里列出的几种之一，否则抛出 `ValueError`。"""
    for name, known in parts.items():
        if getattr(config, name) not in known:
            raise ValueError(f"{name}={getattr(config, name)!r}：可用的有 {'、'.join(known)}。")


def check_special_ids(config: object, vocab_size: int, *names: str) -> None:
    """config 的这几个编号都应当是词表里的，否则抛出 `ValueError`；不是整数时抛出 `TypeError`。"""
    known = f"词表里的编号，在 0 到 {vocab_size - 1} 之间"
    for name in names:
        if not 0 <= _whole(config, name, known) < vocab_size:
            raise ValueError(f"{name}={getattr(config, name)}：应当是{known}。")


def check_dropout(dropout: float) -> None:
    """丢弃的概率应当在 0 到 1 之间，否则抛出 `ValueError`。"""
    if not 0 <= dropout <= 1:
        raise ValueError(f"dropout={dropout}：丢弃的概率应当在 0 到 1 之间。")


def check_patch_size(length: int, patch_size: int) -> int:
    """返回边长 length 的一边切成几块；除不尽就抛出 `ValueError`。"""
    if patch_size < 1 or length % patch_size:
        raise ValueError(f"图像的边长 {length} 不能被 patch_size={patch_size} 整除，切不成整块。")
    return length // patch_size


# ---- 编号、长度与填充


def check_ids(ids: Tensor, table: nn.Embedding, name: str = "词元编号") -> None:
    """查 table 之前先看编号对不对：应当是整数，形状 (B, N) 且不为空，都在表的行数之内；name，报错时怎样称呼它们。

    错误：形状不对、有编号不在表里时抛出 `ValueError`；不是 int64 或 int32 时抛出 `TypeError`。
    """
    if ids.dim() != 2 or ids.numel() == 0:
        raise ValueError(f"{name}的形状应当是 (B, N) 且不为空，这里是 {tuple(ids.shape)}。")
    check_integers(ids, name)
    low, high = ids.aminmax()
    if known_true((low < 0) | (high >= table.num_embeddings)):
        wrong = int(low if low < 0 else high)
        raise ValueError(f"{name} {wrong} 不在 0 到 {table.num_embeddings - 1} 之间，分词器与模型不配套。")


def check_integers(ids: Tensor, name: str = "词元编号") -> None:
    """编号应当是 int64 或 int32，否则抛出 `TypeError`：torch 查表只认这两种；name，报错时怎样称呼它们。"""
    if ids.dtype not in (torch.long, torch.int32):
        raise TypeError(f"{name}应当是整数（int64 或 int32），这里是 {ids.dtype}；请先用 .long()。")


def check_length(length: int, max_len: int) -> None:
    """序列有 length 个位置，超过 max_len 就抛出 `ValueError`。"""
    if length > max_len:
        raise ValueError(f"序列有 {length} 个词元，超过了 max_len={max_len}，请先截断或分段。")


def check_shape(x: Tensor, name: str, expected: tuple[int, ...], whose: str) -> None:
    """x 的形状应当与 whose 的 expected 相同，否则抛出 `ValueError`。"""
    if x.shape != expected:
        raise ValueError(f"{name} 的形状 {tuple(x.shape)} 应与 {whose} 的 {tuple(expected)} 相同。")


def check_padding(attention_mask: Tensor) -> None:
    """分词器的 attention_mask 应当是 (B, N)，只含 0 和 1，否则抛出 `ValueError`。"""
    if attention_mask.dim() != 2:
        raise ValueError(f"attention_mask 的形状应当是 (B, N)，这里是 {tuple(attention_mask.shape)}。")
    if known_true((attention_mask != attention_mask.bool().to(attention_mask.dtype)).any()):
        raise ValueError("attention_mask 只能含 0 和 1：1 = 真实词元，0 = 填充。")


# ---- 注意力


def check_mask(mask: Tensor, name: str = "掩码", means: str = "可以注意") -> None:
    """掩码应当是布尔张量，否则抛出 `TypeError`：0 与 1 的整数当下标、取反、相加，算得出另一个结果，也不报错。

    参数：name，报错时怎样称呼它；means，True 是什么。
    """
    if mask.dtype != torch.bool:
        raise TypeError(
            f"{name}应当是布尔张量（True = {means}），这里是 {mask.dtype}；整数掩码请先用 .bool()。"
        )


def check_attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> None:
    """query (..., N, d)、key (..., M, d)、value (..., M, d_v)，布尔的 mask 可广播到 (..., N, M)。

    错误：掩码不是布尔型时抛出 `TypeError`；其余的不合抛出 `ValueError`。
    """
    if query.size(-1) != key.size(-1):
        raise ValueError(f"query 的宽度 {query.size(-1)} 与 key 的宽度 {key.size(-1)} 不同，没法做点积。")
    if key.size(-2) != value.size(-2):
        raise ValueError(f"key 有 {key.size(-2)} 个位置，value 有 {value.size(-2)} 个，应当一一对应。")
    batches = [x.shape[:-2] for x in (query, key, value)]
    if _together(*batches) is None:
        shapes = "、".join(f"{tuple(batch)}" for batch in batches)
        raise ValueError(f"query、key、value 的批与头分别是 {shapes}，应当相同，或者能广播到一起。")
    if mask is None:
        return
    check_mask(mask)
    expected = (*_together(*batches[:2]), query.size(-2), key.size(-2))
    if _together(mask.shape, expected) != expected:
        raise ValueError(
            f"掩码的形状 {tuple(mask.shape)} 不能广播到 {expected}；分词器的 attention_mask 请先经过 padding_mask。"
        )


def _together(*shapes: tuple[int, ...]) -> tuple[int, ...] | None:
    """几个形状广播到一起的形状；广播不到一起就是 None。（torch.broadcast_shapes 慢得多，每层每步都要用它。）"""
    if len(set(shapes)) == 1:
        return shapes[0]
    most = max(map(len, shapes))
    padded = [(1,) * (most - len(shape)) + tuple(shape) for shape in shapes]
    sizes = [{shape[i] for shape in padded} - {1} for i in range(most)]
    return None if any(len(each) > 1 for each in sizes) else tuple(next(iter(each), 1) for each in sizes)


def check_sequences(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, d_model: int) -> None:
    """多头注意力的输入各是 (B, 位置数, D)，批大小相同，掩码不是三维，否则抛出 `ValueError`。"""
    for name, x in (("query", query), ("key", key), ("value", value)):
        if x.dim() != 3 or x.size(-1) != d_model:
            raise ValueError(
                f"{name} 的形状应当是 (批, 位置数, {d_model})，这里是 {tuple(x.shape)}；只有一句时请写 {name}[None]。"
            )
    if not len(query) == len(key) == len(value):  # 只有一份的键能广播，各句就都去读同一份，不报错
        raise ValueError(
            f"query、key、value 的批大小是 {len(query)}、{len(key)}、{len(value)}，应当相同；"
            "都读同一份时请写 key.expand(len(query), -1, -1)。"
        )
    if mask is not None and mask.dim() == 3:
        raise ValueError(
            f"三维掩码 {tuple(mask.shape)} 的第一维会被当成头，而不是批；按批给的掩码请写 mask.unsqueeze(1)。"
        )


def check_caches(caches: Sequence[object] | None, num_layers: int, kind: type) -> None:
    """缓存应当是 `new_cache()` 给的一列，每层一个 kind，不用就是 None；不然抛出 `TypeError` 或 `ValueError`。"""
    if caches is not None and not isinstance(caches, (list, tuple)):
        raise TypeError(f"cache 应当是 new_cache() 给的一列，这里是 {type(caches).__name__}。")
    if caches is not None and len(caches) != num_layers:
        raise ValueError(f"cache 有 {len(caches)} 层的，模型有 {num_layers} 层：请用 new_cache() 给的一列。")
    if odd := [type(each).__name__ for each in caches or () if not isinstance(each, kind)]:
        raise TypeError(
            f"cache 的每一层应当是 {kind.__name__}，这里有 {odd[0]}：请用这个模型自己的 new_cache()。"
        )


def check_remembered(old: Tensor, new: Tensor) -> None:
    """缓存里的 old 与新的 new 都是 (B, 头数, 位置数, d)，只许位置数不同，否则抛出 `ValueError`。"""
    if old.shape[:2] != new.shape[:2] or old.size(-1) != new.size(-1):
        raise ValueError(
            f"缓存里的 {tuple(old.shape)} 与新的 {tuple(new.shape)} 只许第三维不同：一批一份缓存，请用 new_cache() 另起。"
        )


def check_window(window: int) -> int:
    """返回滑动窗口的位置数；不是正整数就抛出 `ValueError`。"""
    if window < 1:
        raise ValueError(f"window={window}：窗口至少要看得见自己，应当是正整数。")
    return window


def check_latent(query: Tensor, latent: Tensor, to_key: Tensor, to_value: Tensor) -> None:
    """展开矩阵 to_key (h, d, c)、to_value (h, v, c) 要与 query (B, h, N, d)、latent (B, M, c) 合得上，否则抛出 `ValueError`。"""
    expected = (query.size(1), query.size(-1), latent.size(-1))
    check_shape(to_key, "to_key", expected, "(头数, 查询不转的宽度, 潜在向量的宽度)")
    expected = (query.size(1), to_value.size(1), latent.size(-1))
    check_shape(to_value, "to_value", expected, "(头数, 值的宽度, 潜在向量的宽度)")


def check_memory(query: Tensor, key: Tensor, value: Tensor, decay: Tensor, rate: Tensor) -> None:
    """线性注意力的 query、key 是 (B, h, N, d)，value 是 (B, h, N, v)，decay 与 rate 是 (B, h, N)，否则抛出 `ValueError`。"""
    if key.dim() != 4:
        raise ValueError(f"key 的形状应当是 (批, 头数, 位置数, 宽度)，这里是 {tuple(key.shape)}。")
    check_shape(query, "query", key.shape, "key")
    check_shape(value, "value", (*key.shape[:-1], value.size(-1)), "key（宽度除外）")
    for name, x in (("decay", decay), ("rate", rate)):
        check_shape(x, name, key.shape[:-1], "key 的前三维")


def check_experts(num_experts: int, top_k: int, groups: int = 1, top_groups: int = 1) -> None:
    """从 num_experts 个专家里挑 top_k 个；分组时每组一样大，至少两个，挑中的组里够挑，否则抛出 `ValueError`。"""
    if not 1 <= top_k <= num_experts:
        raise ValueError(f"top_k={top_k}：应当在 1 到专家数 {num_experts} 之间。")
    if groups == 1:
        return
    if groups < 1 or num_experts % groups or num_experts < 2 * groups:
        raise ValueError(f"{num_experts} 个专家分不成 {groups} 个同样大、至少两个的组。")
    if not 1 <= top_groups <= groups or top_k > top_groups * (num_experts // groups):
        raise ValueError(f"top_groups={top_groups}：挑中的组里不够挑 {top_k} 个专家。")


# ---- 图像


def check_images(images: Tensor, expected: tuple[int, int, int], dtype: torch.dtype) -> None:
    """每张图的形状都是 expected，即 (C, H, W)，批不为空，没有 NaN 或无穷，类型是 dtype。

    错误：类型不同时抛出 `TypeError`；其余的不合抛出 `ValueError`。
    """
    if images.dim() != 4 or images.shape[1:] != expected or len(images) == 0:
        raise ValueError(f"每张图的形状应当是 {expected}，批不为空，这里的 images 是 {tuple(images.shape)}。")
    if images.dtype != dtype:
        raise TypeError(f"像素的类型是 {images.dtype}，权重却是 {dtype}；请先用 images.to({dtype})。")
    if not images.is_meta and known_true(~images.isfinite().all()):  # meta 设备上没有数可看
        raise ValueError("images 里有 NaN 或无穷，注意力会把它传给这张图的每个词元。")


# ---- 生成与训练


def check_mode(model: nn.Module) -> None:
    """确认模型不在训练模式，否则抛出 `ValueError`。"""
    if model.training:
        raise ValueError("模型在训练模式，dropout 会让每次的结果都不同：请先调用 model.eval()。")


def check_sampling(
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
    repetition_penalty: float = 1.0,
) -> None:
    """确认抽样的参数都在 `narrow` 与 `penalize` 说的范围之内，否则抛出 `ValueError`。"""
    if not temperature > 0:
        raise ValueError(f"temperature={temperature}：温度应当大于 0；想要贪心，请用 most_likely。")
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k={top_k}：应当至少是 1。")
    for name, share in (("top_p", top_p), ("min_p", min_p)):
        if share is not None and not 0 < share <= 1:
            raise ValueError(f"{name}={share}：应当大于 0，不超过 1。")
    if not repetition_penalty > 0:
        raise ValueError(f"repetition_penalty={repetition_penalty}：应当大于 0，1 就是不罚。")


def check_logits(logits: Tensor) -> None:
    """每一横排 (..., V) 里最高的分数应当是有限的，才挑得出下一个，否则抛出 `ValueError`。"""
    if known_true(~logits.amax(dim=-1).isfinite().all()):  # 有 NaN，最高的就是 NaN
        raise ValueError(
            "分数里有 NaN、+∞，或者整排都是 -∞，挑不出下一个词元：请查模型的权重与输入，温度也不要太小。"
        )


def check_stops(stop_ids: Iterable[int]) -> list[int]:
    """确认是一列整数并返回成列表，否则抛出 `TypeError`。"""
    try:
        return [operator.index(i) for i in stop_ids]
    except TypeError:
        raise TypeError(f"stop_ids 应当是一列编号，没有就不写，收到的是 {stop_ids!r:.60}。") from None


def check_chosen(chosen: Tensor, rows: int) -> Tensor:
    """确认每行恰好挑了一个编号，形状 (rows,)，并原样返回，否则抛出 `ValueError`。"""
    if chosen.shape != (rows,):
        raise ValueError(f"choose 应当给每行一个编号，形状 ({rows},)，这里是 {tuple(chosen.shape)}。")
    return chosen


def check_prompt(ids: Tensor, attention_mask: Tensor | None, max_new_tokens: int, max_len: int) -> None:
    """确认接着 ids 写 max_new_tokens 个，写得下，也接得上，否则抛出 `ValueError`。"""
    if not 1 <= max_new_tokens <= max_len - ids.size(1):
        raise ValueError(
            f"max_new_tokens={max_new_tokens}：应当至少是 1，加上已有的 {ids.size(1)} 个，不超过模型的上限 {max_len}。"
        )
    if attention_mask is not None and not attention_mask[..., -1].all():
        raise ValueError(
            "有的行末尾是填充，新词元接在填充后面就读不到开头：请让分词器用 padding_side='left'。"
        )


def check_float_type(dtype: torch.dtype) -> None:
    """确认是模型能用的浮点类型，否则抛出 `ValueError`。"""
    if dtype not in (known := (torch.float32, torch.bfloat16, torch.float16, torch.float64)):
        raise ValueError(f"dtype={dtype!r} 不行，只能是 {'、'.join(map(str, known))}。")


def check_request(model: nn.Module, max_len: int, beam_width: int = 1) -> None:
    """确认编码器-解码器可以写了：eval 状态，开头与结尾在词表里，max_len 与束宽都在范围之内，否则抛出 `ValueError`。"""
    if beam_width < 1:
        raise ValueError(f"beam_width={beam_width}：束宽应当至少是 1。")
    check_mode(model)
    check_special_ids(model.config, model.config.target_vocab, "bos_id", "eos_id")
    if not 2 <= max_len <= model.config.max_len:
        raise ValueError(f"max_len={max_len}：应当在 2 与模型的上限 {model.config.max_len} 之间。")


def check_target(model: nn.Module, target: Tensor) -> None:
    """确认模型是 eval 状态，target 是 (B, N)、N ≥ 2、每行以 bos_id 开头，否则抛出 `ValueError`。"""
    check_mode(model)
    if target.dim() != 2 or target.size(1) < 2:
        raise ValueError(f"target 的形状应当是 (B, N)，N 至少是 2，这里是 {tuple(target.shape)}。")
    starts, bos_id = set(target[:, 0].tolist()), model.config.bos_id
    if starts != {bos_id}:
        raise ValueError(f"target 的每一行都应当以 bos_id={bos_id} 开头，这里的开头有 {sorted(starts)}。")


def check_trainable(model: nn.Module) -> None:
    """确认模型有可以训练的参数，否则抛出 `ValueError`。"""
    if not any(p.requires_grad for p in model.parameters()):
        raise ValueError(
            "模型没有可以训练的参数：或者一个参数也没有，或者都被 requires_grad_(False) 冻住了。"
        )


def check_loss(loss: float, step: int, lr: float, given: str = "输入") -> None:
    """第 step 步的损失应当是有限的，否则抛出 `FloatingPointError`；赶在更新之前，模型里就还是有限的数。"""
    if not math.isfinite(loss):
        raise FloatingPointError(f"第 {step} 步的损失是 {loss}：学习率 {lr} 可能太大，或者{given}里有 NaN。")


def check_trained(model: nn.Module, lr: float) -> None:
    """最后一步没有下一个损失来说它好不好，所以看学到的参数：应当是有限的，否则抛出 `FloatingPointError`。"""
    if not all(p.isfinite().all() for p in model.parameters() if p.requires_grad):
        raise FloatingPointError(f"最后一步之后，权重里有 NaN 或无穷：学习率 {lr} 可能太大。")


def check_data(data: Sequence[Tensor]) -> int:
    """确认各部分是样本一样多且不为零的张量，返回个数，否则抛出 `TypeError` 或 `ValueError`。"""
    if odd := [type(part).__name__ for part in data if not isinstance(part, Tensor)]:
        raise TypeError(f"训练数据的各部分应当是张量，这里有 {odd[0]}；请先用 torch.as_tensor。")
    counts = [len(part) for part in data]
    if not counts or min(counts) != max(counts) or counts[0] == 0:
        raise ValueError(f"训练数据的各部分应当同样长且不为空，这里的长度是 {counts}。")
    return counts[0]


def check_same_shape(**tensors: Tensor) -> None:
    """确认几个张量形状相同，否则抛出 `ValueError`，说出各自的形状。"""
    if len({x.shape for x in tensors.values()}) > 1:
        shapes = "、".join(f"{name} {tuple(x.shape)}" for name, x in tensors.items())
        raise ValueError(f"这几项的形状应当相同：{shapes}。")


def check_counted(mask: Tensor, name: str, means: str) -> None:
    """损失在哪些词元上算：布尔，至少有一个；不是布尔型时抛出 `TypeError`，一个也没有时抛出 `ValueError`。"""
    check_mask(mask, f"{name} ", means)
    if known_true(~mask.any()):
        raise ValueError(f"{name} 里没有一个 True：一个{means}也没有，损失没有可算的。")


def check_groups_of_rewards(rewards: Tensor) -> None:
    """确认每组至少有两个回答，否则抛出 `ValueError`。"""
    if rewards.dim() == 0 or rewards.size(-1) < 2:
        raise ValueError(f"一组至少要有两个回答才比得出高下，这里的 rewards 是 {tuple(rewards.shape)}。")


def check_pass_at_k(right: Tensor, samples: int, k: int) -> None:
    """确认 1 ≤ k ≤ samples，每道题对的个数在 0 与 samples 之间，否则抛出 `ValueError`。"""
    if not 1 <= k <= samples:
        raise ValueError(f"k={k}：应当在 1 与每道题抽的个数 {samples} 之间。")
    if right.numel() and not 0 <= right.min() <= right.max() <= samples:
        raise ValueError(f"right 应当在 0 与每道题抽的个数 {samples} 之间。")


# ---- 分词


def check_text(text: str, name: str = "text", many: str = "一次只收一个，多个请逐个来。") -> str:
    """确认 `text` 是可以编码成 UTF-8 的字符串并原样返回，否则抛出 `TypeError` 或 `ValueError`；many，给了一列时怎样说。"""
    if not isinstance(text, str):
        hint = many if isinstance(text, (list, tuple)) else "请先转成字符串。"
        raise TypeError(f"{name} 应当是 str，收到的是 {type(text).__name__}：{text!r:.60}；{hint}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        code = f"U+{ord(text[error.start]):04X}"
        raise ValueError(
            f"{name} 的第 {error.start} 个字符 {code} 是落单的代理码位；请检查文本是怎么读进来的。"
        ) from None
    return text


def check_texts(texts: Sequence[str], text_pairs: Sequence[str] | None) -> None:
    """确认是一批文本（或文本对），一样多且不为零，否则抛出 `TypeError` 或 `ValueError`。"""
    if isinstance(texts, str) or isinstance(text_pairs, str):
        raise TypeError("batch 要的是一列文本，收到的是单个字符串；请写成 [text]，或改用 encode。")
    pairs = len(texts) if text_pairs is None else len(text_pairs)
    if not texts or len(texts) != pairs:
        raise ValueError(f"texts 有 {len(texts)} 个，text_pairs 有 {pairs} 个；应当一样多且不为零。")


def check_known(ids: Iterable[int], table: Mapping[int, object]) -> list[int]:
    """确认 `ids`（列表或一维张量）是一列整数，又都是 `table` 的键，返回成列表，否则抛出 `TypeError` 或 `ValueError`。"""
    try:
        ids = [operator.index(i) for i in ids]
    except TypeError:
        raise TypeError(f"ids 应当是一列整数（列表或一维张量），收到的是 {ids!r:.60}。") from None
    for i in ids:
        if i not in table:
            known = f"{min(table)} 到 {max(table)}"
            raise ValueError(f"编号 {i} 不在词表里（词表有 {len(table)} 个词元，编号从 {known}）。")
    return ids


def check_vocab(vocab: Mapping[str, int]) -> None:
    """确认词表不为空，每个词元有自己的编号，否则抛出 `ValueError`。"""
    if not vocab:
        raise ValueError("词表是空的，至少要有一个词元。")
    index, times = Counter(vocab.values()).most_common(1)[0]
    if times > 1:
        shared = "、".join(token for token, other in vocab.items() if other == index)
        raise ValueError(f"编号 {index} 被几个词元共用：{shared}；每个词元要有自己的编号。")


def check_merges(merges: Iterable[tuple[str, str]], vocab: Mapping[str, int]) -> None:
    """确认每一对合并的结果都是词元，否则抛出 `ValueError`。"""
    for left, right in merges:
        if left + right not in vocab:
            raise ValueError(f"{left!r} 与 {right!r} 合并的结果不在词表里；词表与合并规则要出自同一个模型。")


def check_messages(messages: Sequence[Mapping[str, str]]) -> None:
    """确认是不为空的一列消息，每条恰好有 role 与 content，都是字符串，否则抛出 `ValueError`。"""
    if not messages or not all(
        isinstance(m, Mapping) and set(m) == {"role", "content"} and all(isinstance(m[key], str) for key in m)
        for m in messages
    ):
        raise ValueError(f"messages 应当是只带 role 与 content 的一列字典，收到的是 {messages!r:.60}。")
