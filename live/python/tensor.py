"""页面里练习用的张量：仿照 torch 的一小部分，写法、形状、报错、打印都照它，一个文件，只用 math。

它不是 torch。没有自动求导，没有 GPU，没有 nn.Module，没有复数；用到这里没有的，会说“到 Jupyter 里用 torch”。
数存在一个 Python 列表里，算的时候用双精度，存进去再舍入成 float32，所以末一位可能与 torch 不同。
`rand`、`randn`、`randperm` 是自己的随机数，同一个种子给出的数与 torch 的不同。
视图与 torch 一样共用一份数：改 `x[0]`、`x.T`，`x` 也跟着变。

它既在 CPython 里运行（测试拿它与 torch 逐项比），也在页面的 Brython 里运行，在那里登记成名叫 torch 的模块；
所以只写两边都快的写法：带下标的列表推导，不用 zip。
"""

import math
import sys

PUBLIC = {"inf": math.inf, "nan": math.nan, "pi": math.pi, "e": math.e}  # torch.名字
FUNCTIONAL, SPECIAL, LINALG = {}, {}, {}  # torch.nn.functional、torch.special、torch.linalg 的名字
INF, NAN = math.inf, math.nan

# Brython 会把 AttributeError 的话换成它自己的，要换一种才说得出来
Missing = NameError if sys.implementation.name == "Brython" else AttributeError


def _missing(name):
    kind = AttributeError if name.split(".")[-1].startswith("__") else Missing
    return kind(f"这里没有 torch.{name}，到 Jupyter 里用 torch。")


def __getattr__(name):
    if name in PUBLIC:
        return PUBLIC[name]
    raise _missing(name)


# ---- 类型：布尔 < 整数 < 小数 ----


class dtype:
    """一种数：kind 是 0 布尔、1 整数、2 小数；小数有 digits 位二进制有效数字，最小的正数是 2 的 low 次方。"""

    is_complex = False

    def __init__(self, name, kind, digits=0, low=0, top=0):
        self.name, self.kind, self.digits, self.low, self.top = name, kind, digits, low, top
        self.is_floating_point = kind == 2

    def __repr__(self):
        return f"torch.{self.name}"


ORDER = [
    dtype("bool", 0),
    *[dtype(f"int{n}", 1, n, -(2 ** (n - 1)), 2 ** (n - 1) - 1) for n in (8, 16, 32, 64)],
    dtype("float16", 2, 11, -24, 65504.0),
    dtype("bfloat16", 2, 8, -133, 2.0**128 - 2.0**120),
    dtype("float32", 2, 24, -149, 2.0**128 - 2.0**104),
    dtype("float64", 2, 53, -1074, sys.float_info.max if hasattr(sys, "float_info") else 1.7976931348623157e308),
]
BOOL, INT64, HALF, BFLOAT, FLOAT, DOUBLE = ORDER[0], *ORDER[4:]
PUBLIC.update({t.name: t for t in ORDER}, dtype=dtype, float=FLOAT, double=DOUBLE, half=HALF)
PUBLIC.update(int=ORDER[3], long=INT64, short=ORDER[2])


class device:
    """只有 CPU。"""

    def __init__(self, type="cpu", index=None):
        if str(type).split(":")[0] != "cpu":
            raise RuntimeError(f"这里只有 CPU，没有 {type}，到 Jupyter 里用 torch。")
        self.type, self.index = "cpu", index

    def __repr__(self):
        return "device(type='cpu')"

    def __str__(self):
        return "cpu"

    def __eq__(self, other):
        return isinstance(other, device)

    def __hash__(self):
        return 0


CPU = device()


class finfo:
    """一种小数的范围。"""

    def __init__(self, type=FLOAT):
        if type.kind != 2:
            raise TypeError(f"finfo 要小数类型，{type} 是整数，用 iinfo。")
        self.dtype, self.bits, self.max, self.min = type, _bytes(type) * 8, type.top, -type.top
        self.eps, self.smallest_normal = 2.0 ** (1 - type.digits), 2.0 ** (type.low + type.digits - 1)
        self.tiny = self.smallest_normal


class iinfo:
    """一种整数的范围。"""

    def __init__(self, type):
        if type.kind != 1:
            raise TypeError(f"iinfo 要整数类型，{type} 不是，用 finfo。")
        self.dtype, self.bits, self.max, self.min = type, type.digits, type.top, type.low


PUBLIC.update(device=device, finfo=finfo, iinfo=iinfo)


def _bytes(type):
    return {0: 1, 1: type.digits // 8, 2: 2 if type.digits < 24 else 4 if type is FLOAT else 8}[type.kind]


# 乘 2**29 + 1 再减，留下的是前 24 位；先缩小、再放大，太小的数就在双精度的尽头被舍去
SPLIT, DOWN, UP = 2.0**29 + 1, 2.0**-925, 2.0**925


def _fit(values, type):
    """把算出的数放进这种类型：小数舍入，溢出成无穷；整数回绕。"""
    if type.kind == 2:
        if type is DOUBLE:
            return values
        if type is FLOAT and math.hypot(*values) < type.top:  # 没有无穷与 NaN
            return [(c := (y := x * DOWN * UP) * SPLIT) - (c - y) for x in values]
        return [_nearest(x, type) for x in values]
    if type.kind == 0:
        return [bool(x) for x in values]
    if values and not (type.low <= min(values) and max(values) <= type.top):
        return [(x - type.low) % (2 * -type.low) + type.low for x in values]
    return values


def _nearest(x, type):
    if x != x or x in (INF, -INF, 0):
        return float(x)
    grid = 2.0 ** max(math.frexp(x)[1] - type.digits, type.low)
    size = abs(round(x / grid) * grid)
    return math.copysign(size if size <= type.top else INF, x)


def _cast(values, source, target):
    """一列数换一种类型；类型相同就是原来那一列。"""
    if source is target:
        return values
    if target.kind == 0:
        return [x != 0 for x in values]
    if target.kind == 2:
        return _fit([float(x) for x in values], target)
    return _fit([int(x) if x - x == 0 else INT64.low for x in values], target)


def _kind_of(number):
    """一个 Python 的数当作哪种类型；不是数就是 None。"""
    if isinstance(number, bool):
        return BOOL
    return INT64 if isinstance(number, int) else FLOAT if isinstance(number, float) else None


def _promote(a, b):
    if a is None or b is None:
        return a or b
    if a.kind == b.kind and {a, b} == {HALF, BFLOAT}:
        return FLOAT
    return a if ORDER.index(a) > ORDER.index(b) else b


def _result_type(*operands):
    """有维的张量说了算，其次是一个数的张量，最后是 Python 的数；后两者只有更高一级才改得动前面的。"""
    found = [None, None, None]
    for x in operands:
        tensor = isinstance(x, Tensor)
        level = (0 if x.shape else 1) if tensor else 2
        found[level] = _promote(found[level], x.dtype if tensor else _kind_of(x))
    result = None
    for other in found:
        if other and (result is None or other.kind > result.kind):
            result = _promote(result, other)
    return result


# ---- 形状 ----


class Size(tuple):
    """形状：一个元组。"""

    def __repr__(self):
        return f"torch.Size({list(self)})"

    __str__ = __repr__

    def __getitem__(self, index):
        got = tuple.__getitem__(self, index)
        return Size(got) if isinstance(index, slice) else got

    def numel(self):
        return math.prod(self)


PUBLIC["Size"] = Size


def _sizes(args):
    """`f(2, 3)` 与 `f((2, 3))` 都行。"""
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = args[0]
    for n in args:
        if isinstance(n, float) or not hasattr(n, "__index__"):
            raise TypeError(f"形状里的每一项都应当是整数，这里有 {n!r}。")
    return tuple([int(n) for n in args])


def _row_major(shape):
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def _walk(shape, strides, start=0):
    """依次走过每个元素时，它们在列表里的位置。"""
    at = [start]
    for i in range(len(shape)):
        if shape[i] != 1:
            steps = [k * strides[i] for k in range(shape[i])]
            at = [p + s for p in at for s in steps]
    return at


def _broadcast(*shapes):
    """广播之后的形状：从最后一维对齐，相同，或者有一个是 1。"""
    longest = max([len(shape) for shape in shapes], default=0)
    result = [1] * longest
    for shape in shapes:
        for i in range(len(shape)):
            d = longest - len(shape) + i
            if result[d] == 1:
                result[d] = shape[i]
            elif shape[i] not in (1, result[d]):
                said = "与".join([f" {tuple(shape)} " for shape in shapes])
                raise RuntimeError(f"形状{said}不能广播：第 {d} 维一个是 {result[d]}，一个是 {shape[i]}。")
    return tuple(result)


def _axis(dim, ndim):
    """把 -1 这样的维数成从前面数的。"""
    if isinstance(dim, bool) or not hasattr(dim, "__index__"):
        raise TypeError(f"dim 应当是整数，这里是 {dim!r}。")
    dim, ndim = int(dim), max(ndim, 1)
    if not -ndim <= dim < ndim:
        raise IndexError(f"没有第 {dim} 维：只有 {ndim} 维，应当在 {-ndim} 与 {ndim - 1} 之间。")
    return dim % ndim


def _axes(dim, ndim):
    """要合并的几维；None 与空的是全部。"""
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return list(range(ndim))
    dims = [_axis(d, ndim) for d in (dim if isinstance(dim, (tuple, list)) else [dim])]
    if len(set(dims)) < len(dims):
        raise RuntimeError(f"dim={dim} 里有一维写了两次。")
    return dims if ndim else []


# ---- 张量 ----


class Tensor:
    """张量：一列数、一个形状、一种类型；视图另有步子与起点，`_strides` 是 None 就是整列数挨着放。"""

    requires_grad, is_leaf, is_sparse, is_cuda, grad_fn, device = False, True, False, False, None, CPU

    def __init__(self, data=(), shape=None, dtype=None, strides=None, offset=0):
        if shape is None:  # 读者写的 torch.Tensor([...])
            data = _tensor(data, dtype=FLOAT)
            data, shape, dtype = data._data, data.shape, FLOAT
        self._data, self.shape, self.dtype = data, shape if isinstance(shape, Size) else Size(shape), dtype
        self._strides, self._offset = strides, offset

    def __getattr__(self, name):
        raise _missing(f"Tensor.{name}")

    def __getitem__(self, index):
        shape, strides, at = _lookup(self, index)
        if strides is None:
            data = self._data
            return Tensor([data[p] for p in at], shape, self.dtype)
        return Tensor(self._data, shape, self.dtype, strides, at)

    def __setitem__(self, index, value):
        shape, strides, at = _lookup(self, index)
        if strides is None:
            _check_overlap(self)
        else:
            _check_overlap(Tensor(self._data, shape, self.dtype, strides, at))
            at = _walk(shape, strides, at)
        values, data = _to_assign(value, shape, self.dtype), self._data
        for i in range(len(at)):
            data[at[i]] = values[i]

    def __len__(self):
        if not self.shape:
            raise TypeError("一个数的张量没有长度。")
        return self.shape[0]

    def __iter__(self):
        if not self.shape:
            raise TypeError("一个数的张量不能逐个取。")
        return iter(_unbind(self))

    def __bool__(self):
        if _numel(self) != 1:
            said = "它是空的" if not _numel(self) else f"它有 {_numel(self)} 个数"
            raise RuntimeError(f"张量不能直接当真假用，{said}；要问“全都”用 .all()，“至少一个”用 .any()。")
        return bool(_item(self))

    def __float__(self):
        return float(_item(self))

    def __int__(self):
        return int(_item(self))

    def __index__(self):
        if self.dtype.kind == 2 or _numel(self) != 1:
            raise TypeError("只有一个整数的张量才能当下标。")
        return int(_item(self))

    def __format__(self, spec):
        if self.shape and spec:
            raise TypeError("格式只用得到一个数上；先用 .item() 或下标取出来。")
        return repr(self) if self.shape else format(_item(self), spec)

    def __contains__(self, value):
        return bool(_any(_eq(self, value)))

    def __hash__(self):
        return id(self)

    def __deepcopy__(self, memo):
        return _clone(self)

    def __repr__(self):
        return _show(self)


def _property(name, get):
    setattr(Tensor, name, property(get))


_property("ndim", lambda self: len(self.shape))
_property("T", lambda self: _permute(self, tuple(range(len(self.shape)))[::-1]))
_property("mT", lambda self: _transpose(_at_least(self, 2, ".mT"), -2, -1))
_property("data", lambda self: _seen(self, self.shape, _layout(self)))
_property("itemsize", lambda self: _bytes(self.dtype))
_property("nbytes", lambda self: _bytes(self.dtype) * _numel(self))
PUBLIC["Tensor"] = Tensor


def _at_least(x, ndim, name):
    if len(x.shape) < ndim:
        raise RuntimeError(f"{name} 要至少 {ndim} 维的张量，这里是 {len(x.shape)} 维。")
    return x


def _offer(*places):
    """把函数 `_name` 登记成 torch.name；places 里有 Tensor 就也是方法，其余是别的名字空间。"""

    def add(f):
        name = f.__name__[1:]
        for place in places:
            if place is Tensor:
                setattr(Tensor, name, f)
            else:
                place[name] = f
        return f

    return add


_both, _method, _function = _offer(PUBLIC, Tensor), _offer(Tensor), _offer(PUBLIC)


def _check(x, name="input"):
    if not isinstance(x, Tensor):
        raise TypeError(f"{name} 应当是张量，这里是 {type(x).__name__}。")
    return x


def _layout(x):
    return x._strides or _row_major(x.shape)


def _flat(x):
    """各个元素依次排成的一列；不是视图时就是存着的那一列，不要改它。"""
    if x._strides is None:
        return x._data
    count, data = _numel(x), x._data
    if x._strides == _row_major(x.shape):
        return data[x._offset : x._offset + count]
    return [data[p] for p in _walk(x.shape, x._strides, x._offset)]


def _spread(x, shape):
    """广播成 shape 之后的各个元素。"""
    if x.shape == shape:
        return _flat(x)
    if len(_flat(x)) == 1:
        return [_flat(x)[0]] * math.prod(shape)
    wide = _expand(x, shape)
    return [x._data[p] for p in _walk(shape, wide._strides, x._offset)]


def _seen(x, shape, strides, offset=None):
    return Tensor(x._data, shape, x.dtype, tuple(strides), x._offset if offset is None else offset)


def _check_overlap(x):
    if x._strides and any([x.shape[i] > 1 and x._strides[i] == 0 for i in range(len(x.shape))]):
        raise RuntimeError("expand 出来的几份共用同一份数，不能就地改；先 .clone()。")


def _write(x, values):
    """就地改写；视图改的是它背后的那一列。"""
    _check_overlap(x)
    if x._strides is None:
        x._data[:] = values
    else:
        at, values = _walk(x.shape, x._strides, x._offset), list(values)
        for i in range(len(at)):
            x._data[at[i]] = values[i]
    return x


def _to_assign(value, shape, type):
    """赋给 shape 这么大一块的各个数。"""
    if not isinstance(value, Tensor):
        if _kind_of(value) is None:
            raise TypeError(f"只能把数或张量赋给张量，这里是 {value.__class__.__name__}。")
        return _cast([value], _kind_of(value), type) * math.prod(shape)
    given = value.shape
    while len(given) > len(shape) and given[0] == 1:
        given = given[1:]
    if len(given) > len(shape) or _broadcast_or_none(given, shape) != tuple(shape):
        raise RuntimeError(f"形状 {tuple(value.shape)} 的张量放不进形状 {tuple(shape)} 的地方。")
    return list(_cast(_spread(_reshape(value, given), tuple(shape)), value.dtype, type))


def _broadcast_or_none(*shapes):
    try:
        return _broadcast(*shapes)
    except RuntimeError:
        return None


# ---- 下标 ----


def _lookup(x, index):
    """`x[index]` 的形状、步子与起点；有列表、张量、掩码时步子是 None，最后一样是各个元素的位置。"""
    if isinstance(index, list) and any([isinstance(i, (list, tuple, range, slice, Tensor)) or i is None for i in index]):
        index = tuple(index)  # 列表里还有列表，torch 当作几个下标
    items = [_tidy(item) for item in (index if isinstance(index, tuple) else (index,))]
    used = sum([_covers(item) for item in items])
    if used > len(x.shape):
        raise IndexError(f"下标太多：张量有 {len(x.shape)} 维，这里给了 {used} 个。")
    rest = [slice(None)] * (len(x.shape) - used)
    dots = next((i for i in range(len(items)) if items[i] is ...), None)
    items = [*items, *rest] if dots is None else [*items[:dots], *rest, *items[dots + 1 :]]

    shape, strides, start, d, picks = [], [], x._offset, 0, {}
    layout = _layout(x)
    for item in items:
        if item is None:
            shape.append(1)
            strides.append(0)
        elif isinstance(item, bool):
            picks[len(shape)] = _tensor([0] if item else [], dtype=INT64)
            shape.append(1)
            strides.append(0)
        elif isinstance(item, slice):
            if item.step is not None and item.step <= 0:
                raise ValueError("切片的步长应当大于 0，要反过来用 .flip()。")
            first, stop, step = item.indices(x.shape[d])
            shape.append(len(range(first, stop, step)))
            strides.append(layout[d] * step)
            start += first * layout[d]
            d += 1
        elif isinstance(item, int):
            start += _inside(item, x.shape[d], d) * layout[d]
            d += 1
        elif item.dtype is BOOL:
            if item.shape != x.shape[d : d + len(item.shape)]:
                raise IndexError(f"掩码的形状 {tuple(item.shape)} 与张量的 {tuple(x.shape)} 对不上。")
            for places in _nonzero(item, as_tuple=True):
                picks[len(shape)] = places
                shape.append(x.shape[d])
                strides.append(layout[d])
                d += 1
        else:
            picks[len(shape)] = item
            shape.append(x.shape[d])
            strides.append(layout[d])
            d += 1
    if not picks:
        return Size(shape), tuple(strides), start

    chosen = _broadcast_or_none(*[item.shape for item in picks.values()])
    if chosen is None:
        said = "、".join([str(tuple(item.shape)) for item in picks.values()])
        raise IndexError(f"几个下标的形状 {said} 不能广播到一起。")
    jumps = [0] * math.prod(chosen)
    for i, item in picks.items():
        places = [_inside(place, shape[i], i) for place in _spread(item, chosen)]
        jumps = [jumps[k] + places[k] * strides[i] for k in range(len(places))]
    where = list(picks)
    first = where[0] if where[-1] - where[0] + 1 == len(where) else 0  # 不挨着，就放到最前面
    others = [i for i in range(len(shape)) if i not in picks]
    before, after = others[:first], others[first:]
    heads = _walk([shape[i] for i in before], [strides[i] for i in before], start)
    tails = _walk([shape[i] for i in after], [strides[i] for i in after])
    shape = [*[shape[i] for i in before], *chosen, *[shape[i] for i in after]]
    return Size(shape), None, [p + j + q for p in heads for j in jumps for q in tails]


def _tidy(item):
    """下标的一项化成整数、布尔、切片、None、... 或者张量。"""
    if isinstance(item, (list, tuple, range)):
        item = _tensor(list(item)) if len(item) else _tensor([], dtype=INT64)
    if isinstance(item, Tensor):
        if item.dtype.kind == 2:
            raise IndexError("下标应当是整数或布尔的张量，这里是小数的；先 .long()。")
        return item if item.shape else _item(item)
    if item is None or item is ... or isinstance(item, (bool, slice)):
        return item
    if isinstance(item, int):
        return item
    raise IndexError(f"下标应当是整数、切片、None、...、列表或张量，这里是 {item!r}。")


def _covers(item):
    """下标的一项占去几维。"""
    if item is None or item is ... or isinstance(item, bool):
        return 0
    return len(item.shape) if isinstance(item, Tensor) and item.dtype is BOOL else 1


def _inside(i, n, dim):
    if not -n <= i < n:
        raise IndexError(f"下标 {i} 越界：第 {dim} 维只有 {n} 个。")
    return i + n if i < 0 else i


# ---- 造张量 ----


def _new(values, shape, type):
    return Tensor(values, shape, type)


@_function
def _tensor(data, *, dtype=None, device=None, requires_grad=False):
    if requires_grad:
        raise _missing("tensor(requires_grad=True)")
    if isinstance(data, Tensor):
        return _to(_clone(data), dtype)
    shape, values = _unpack(data)
    if not values:
        return _new([], shape, dtype or FLOAT)
    kinds = {_kind_of(x) for x in values}
    if None in kinds:
        bad = next(x for x in values if _kind_of(x) is None)
        raise TypeError(f"张量里只能放数，这里有 {bad!r}。")
    source = FLOAT if FLOAT in kinds else INT64 if INT64 in kinds else BOOL
    if source is FLOAT:
        return _new(_cast([float(x) for x in values], DOUBLE, dtype or FLOAT), shape, dtype or FLOAT)
    return _new(_fit(_cast([int(x) if source is INT64 else x for x in values], source, dtype or source), source), shape, dtype or source)


def _unpack(data):
    """嵌套的列表变成（形状，一列数）。"""
    if isinstance(data, Tensor) and _numel(data) == 1:
        return (), [_item(data)]
    if isinstance(data, Tensor):
        raise ValueError("列表里的张量应当各是一个数；要把几个张量叠起来，用 torch.stack。")
    if not isinstance(data, (list, tuple, range)):
        return (), [data]
    if not len(data):
        return (0,), []
    if not isinstance(data[0], (list, tuple, range, Tensor)):
        parts = [((), [x]) if not isinstance(x, (list, tuple, range, Tensor)) else _unpack(x) for x in data]
    else:
        parts = [_unpack(x) for x in data]
    shape = parts[0][0]
    for i in range(len(parts)):
        if parts[i][0] != shape:
            raise ValueError(f"各行应当一样长：第 0 项的形状是 {shape}，第 {i} 项是 {parts[i][0]}。")
    return (len(data), *shape), [x for part in parts for x in part[1]]


@_function
def _full(size, fill_value, *, dtype=None, device=None):
    size = _sizes((size,))
    value = _tensor(fill_value, dtype=dtype)
    return _new([value._data[0]] * math.prod(size), size, value.dtype)


@_function
def _zeros(*size, dtype=None, device=None):
    return _full(_sizes(size), 0, dtype=dtype or FLOAT)


@_function
def _ones(*size, dtype=None, device=None):
    return _full(_sizes(size), 1, dtype=dtype or FLOAT)


@_function
def _empty(*size, dtype=None, device=None):
    return _zeros(*size, dtype=dtype)


@_function
def _zeros_like(input, *, dtype=None, device=None):
    return _zeros(input.shape, dtype=dtype or input.dtype)


@_function
def _ones_like(input, *, dtype=None, device=None):
    return _ones(input.shape, dtype=dtype or input.dtype)


@_function
def _empty_like(input, *, dtype=None, device=None):
    return _zeros_like(input, dtype=dtype)


@_function
def _full_like(input, fill_value, *, dtype=None, device=None):
    return _full(input.shape, fill_value, dtype=dtype or input.dtype)


@_method
def _new_zeros(self, *size, dtype=None, device=None):
    return _zeros(*size, dtype=dtype or self.dtype)


@_method
def _new_ones(self, *size, dtype=None, device=None):
    return _ones(*size, dtype=dtype or self.dtype)


@_method
def _new_full(self, size, fill_value, *, dtype=None, device=None):
    return _full(size, fill_value, dtype=dtype or self.dtype)


@_function
def _arange(start, end=None, step=1, *, dtype=None, device=None):
    start, end = (0, start) if end is None else (start, end)
    start, end, step = [_item(x) if isinstance(x, Tensor) else x for x in (start, end, step)]
    if step == 0 or (end - start) / step < 0:
        raise RuntimeError(f"arange 从 {start} 到 {end}，步长 {step} 走不到。")
    source = FLOAT if FLOAT in (_kind_of(start), _kind_of(end), _kind_of(step)) else INT64
    values = [start + i * step for i in range(math.ceil((end - start) / step))]
    return _new(_cast(_fit(values, source), source, dtype or source), (len(values),), dtype or source)


@_function
def _linspace(start, end, steps, *, dtype=None, device=None):
    gap = (end - start) / max(steps - 1, 1)
    values = [start + i * gap if i < steps / 2 else end - (steps - 1 - i) * gap for i in range(steps)]
    return _new(_fit(values, dtype or FLOAT), (steps,), dtype or FLOAT)


@_function
def _eye(n, m=None, *, dtype=None, device=None):
    m = n if m is None else m
    values = [i == j for i in range(n) for j in range(m)]
    return _new(_cast(values, BOOL, dtype or FLOAT), (n, m), dtype or FLOAT)


class Generator:
    """自己的随机数（不是 torch 的）：乘 48271，对 2**31 - 1 取余。"""

    def __init__(self, device="cpu"):
        self.manual_seed(0)

    def manual_seed(self, seed):
        self.state = (int(seed) * 16807 + 20261123) % 2147483646 + 1
        for _ in range(3):
            self.uniform()
        return self

    def get_state(self):
        return self.state

    def set_state(self, state):
        self.state = state
        return self

    def uniform(self):
        """0 与 1 之间，不含 1；三个词元的种子也不会给出相近的数。"""
        self.state = self.state * 48271 % 2147483647
        return (self.state >> 7) / 16777216  # 24 位，float32 恰好装得下

    def normal(self):
        radius = math.sqrt(-2 * math.log(1 - self.uniform()))
        return radius * math.cos(2 * math.pi * self.uniform())


default_generator = Generator()
PUBLIC.update(Generator=Generator, default_generator=default_generator)


@_function
def _manual_seed(seed):
    return default_generator.manual_seed(seed)


@_function
def _get_rng_state():
    return default_generator.state


@_function
def _set_rng_state(new_state):
    default_generator.state = new_state


def _random(draw, size, generator, dtype):
    source = generator or default_generator
    type = dtype or FLOAT
    return _new(_fit([draw(source) for _ in range(math.prod(size))], type), size, type)


@_function
def _rand(*size, generator=None, dtype=None, device=None):
    return _random(Generator.uniform, _sizes(size), generator, dtype)


@_function
def _randn(*size, generator=None, dtype=None, device=None):
    return _random(Generator.normal, _sizes(size), generator, dtype)


@_function
def _randint(low, high=None, size=None, *, generator=None, dtype=None, device=None):
    if size is None:  # randint(high, size)
        low, high, size = 0, low, high
    if high is None:
        low, high = 0, low
    if low >= high:
        raise RuntimeError(f"randint 从 {low} 到 {high} 里没有整数可抽。")
    return _random(lambda g: low + int(g.uniform() * (high - low)), _sizes((size,)), generator, dtype or INT64)


@_function
def _randperm(n, *, generator=None, dtype=None, device=None):
    source, order = generator or default_generator, list(range(n))
    for i in range(n - 1, 0, -1):
        j = int(source.uniform() * (i + 1))
        order[i], order[j] = order[j], order[i]
    return _new(order, (n,), dtype or INT64)


@_function
def _rand_like(input, *, dtype=None, device=None):
    return _rand(input.shape, dtype=dtype or input.dtype)


@_function
def _randn_like(input, *, dtype=None, device=None):
    return _randn(input.shape, dtype=dtype or input.dtype)


# ---- 取出来，换类型 ----


@_both
def _numel(input):
    return math.prod(input.shape)


@_method
def _item(self):
    if _numel(self) != 1:
        raise RuntimeError(f"有 {_numel(self)} 个数的张量不能用 .item()，要 .tolist()，或者先求和、取平均。")
    return _flat(self)[0]


@_method
def _tolist(self):
    values = list(_flat(self))
    if not self.shape:
        return values[0]
    for n in reversed(self.shape[1:]):
        count = len(values) // n if n else math.prod(self.shape[: len(self.shape) - 1])
        values = [values[i * n : i * n + n] for i in range(count)]
    return values


@_method
def _size(self, dim=None):
    return self.shape if dim is None else self.shape[_axis(dim, len(self.shape))]


@_method
def _dim(self):
    return len(self.shape)


@_method
def _stride(self, dim=None):
    return _layout(self) if dim is None else _layout(self)[dim]


@_method
def _is_contiguous(self):
    shape, strides = self.shape, _row_major(self.shape)
    return 0 in shape or all([shape[i] == 1 or _layout(self)[i] == strides[i] for i in range(len(shape))])


@_method
def _contiguous(self):
    return self if _is_contiguous(self) else _clone(self)


@_both
def _clone(input):
    return _new(list(_flat(_check(input))), input.shape, input.dtype)


@_both
def _is_floating_point(input):
    return input.dtype.kind == 2


@_both
def _is_complex(input):
    return False


@_function
def _is_tensor(obj):
    return isinstance(obj, Tensor)


@_method
def _to(self, *args, dtype=None, device=None, copy=False):
    for given in args:
        if isinstance(given, Tensor):
            dtype = given.dtype
        elif isinstance(given, PUBLIC["dtype"]):
            dtype = given
        elif not isinstance(given, PUBLIC["device"]):
            PUBLIC["device"](given)
    if device is not None:
        PUBLIC["device"](device)
    if dtype is None or dtype is self.dtype:
        return _clone(self) if copy else self
    return _new(list(_cast(_flat(self), self.dtype, dtype)), self.shape, dtype)


def _converter(type):
    return lambda self: _to(self, type)


for _name in ("bool", "int", "long", "short", "half", "bfloat16", "float", "double"):
    setattr(Tensor, _name, _converter(PUBLIC[_name]))
for _name in ("cpu", "detach", "to_dense", "resolve_conj", "resolve_neg"):
    setattr(Tensor, _name, lambda self: self)
Tensor.type_as = lambda self, other: _to(self, other.dtype)
Tensor.type = lambda self, dtype=None: _to(self, dtype) if dtype else f"torch.{self.dtype.name}"


# ---- 换形状：都是视图 ----


def _restride(shape, strides, new):
    """不搬数就能看成新形状的步子；做不到是 None。"""
    chunks = []  # 挨着放的几维并成一块：大小与步子
    for i in range(len(shape)):
        if shape[i] != 1:
            if chunks and chunks[-1][1] == shape[i] * strides[i]:
                chunks[-1] = (chunks[-1][0] * shape[i], strides[i])
            else:
                chunks.append((shape[i], strides[i]))
    left, step, result = 1, 1, []
    for n in reversed(new):
        if n != 1 and left == 1 and chunks:
            left, step = chunks.pop()
        if left % n:
            return None
        result.append(step)
        left, step = left // n, step * n
    return tuple(reversed(result))


def _fill_in(shape, count):
    """把形状里的 -1 算出来。"""
    known = math.prod([n for n in shape if n != -1])
    if list(shape).count(-1) > 1 or any([n < -1 for n in shape]):
        raise RuntimeError(f"形状 {tuple(shape)} 里至多有一个 -1，其余不能是负数。")
    if -1 in shape and known and count % known == 0:
        return tuple([count // known if n == -1 else n for n in shape])
    if -1 in shape or known != count:
        raise RuntimeError(f"{count} 个数排不成形状 {tuple(shape)}。")
    return tuple(shape)


def _reshaped(x, shape):
    if x._strides is None:
        return Tensor(x._data, shape, x.dtype)
    if 0 in x.shape:
        return _new([], shape, x.dtype)
    strides = _restride(x.shape, x._strides, shape)
    return None if strides is None else _seen(x, shape, strides)


@_both
def _reshape(input, *shape):
    shape = _fill_in(_sizes(shape), _numel(_check(input)))
    view = _reshaped(input, shape)
    return _new(_flat(input), shape, input.dtype) if view is None else view


@_method
def _view(self, *shape):
    view = _reshaped(self, _fill_in(_sizes(shape), _numel(self)))
    if view is None:
        raise RuntimeError(
            f"形状 {tuple(self.shape)} 的这个张量在内存里不是依次放着的（转置过、切过），"
            ".view 不搬数，看不成新的形状；用 .reshape，或者先 .contiguous()。"
        )
    return view


@_method
def _view_as(self, other):
    return self.view(other.shape)


@_method
def _reshape_as(self, other):
    return _reshape(self, other.shape)


@_both
def _flatten(input, start_dim=0, end_dim=-1):
    shape = input.shape or (1,)
    start, end = _axis(start_dim, len(shape)), _axis(end_dim, len(shape))
    if start > end:
        raise RuntimeError(f"flatten 的 start_dim={start_dim} 在 end_dim={end_dim} 之后。")
    return _reshape(input, (*shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :]))


@_both
def _unflatten(input, dim, sizes):
    dim = _axis(dim, len(input.shape))
    sizes = _fill_in(_sizes((sizes,)), input.shape[dim])
    return input.view(*input.shape[:dim], *sizes, *input.shape[dim + 1 :])


@_both
def _ravel(input):
    return _reshape(input, -1)


@_both
def _permute(input, *dims):
    dims = _sizes(dims)
    if len(dims) != len(input.shape):
        raise RuntimeError(f"permute 要把 {len(input.shape)} 维各写一次，这里写了 {len(dims)} 个。")
    dims = [_axis(d, len(input.shape)) for d in dims]
    if sorted(dims) != list(range(len(input.shape))):
        raise RuntimeError(f"permute 要把 {len(input.shape)} 维各写一次，这里是 {tuple(dims)}。")
    strides = _layout(input)
    return _seen(input, [input.shape[d] for d in dims], [strides[d] for d in dims])


@_both
def _transpose(input, dim0, dim1):
    dims = list(range(len(input.shape)))
    a, b = _axis(dim0, len(dims)), _axis(dim1, len(dims))
    if dims:
        dims[a], dims[b] = b, a
    return _permute(input, dims)


@_both
def _t(input):
    if len(input.shape) > 2:
        raise RuntimeError(f".t() 只管两维以内的，这里有 {len(input.shape)} 维；用 .mT 或 .transpose。")
    return _permute(input, list(range(len(input.shape)))[::-1])


@_both
def _movedim(input, source, destination):
    ndim = len(input.shape)
    order = [d for d in range(ndim) if d != _axis(source, ndim)]
    order.insert(_axis(destination, ndim), _axis(source, ndim))
    return _permute(input, order)


@_both
def _unsqueeze(input, dim):
    dim = _axis(dim, len(input.shape) + 1)
    strides = _layout(input)
    step = strides[dim] * input.shape[dim] if dim < len(strides) else 1
    return _seen(
        input, (*input.shape[:dim], 1, *input.shape[dim:]), (*strides[:dim], step, *strides[dim:])
    )


@_both
def _squeeze(input, dim=None):
    drop = [d for d in _axes(dim, len(input.shape)) if input.shape[d] == 1]
    keep, strides = [d for d in range(len(input.shape)) if d not in drop], _layout(input)
    return _seen(input, [input.shape[d] for d in keep], [strides[d] for d in keep])


@_method
def _expand(self, *sizes):
    sizes, strides, result = _sizes(sizes), _layout(self), []
    more = len(sizes) - len(self.shape)
    if more < 0:
        raise RuntimeError(f"expand 只能添维，形状 {tuple(self.shape)} 扩不成 {tuple(sizes)}。")
    shape = list(sizes)
    for i in range(len(sizes)):
        n = self.shape[i - more] if i >= more else 1
        if shape[i] == -1 and i >= more:
            shape[i] = n
        if n not in (1, shape[i]) or shape[i] < 0:
            raise RuntimeError(f"expand 只能把大小为 1 的维变大，形状 {tuple(self.shape)} 扩不成 {tuple(sizes)}。")
        result.append(strides[i - more] if i >= more and n == shape[i] else 0)
    return _seen(self, shape, result)


@_method
def _expand_as(self, other):
    return _expand(self, other.shape)


@_function
def _broadcast_to(input, size):
    return _expand(input, size)


@_function
def _broadcast_shapes(*shapes):
    return Size(_broadcast(*[(s,) if isinstance(s, int) else s for s in shapes]))


@_function
def _broadcast_tensors(*tensors):
    shape = _broadcast(*[x.shape for x in tensors])
    return tuple([_expand(x, shape) for x in tensors])


@_both
def _narrow(input, dim, start, length):
    dim = _axis(dim, len(input.shape))
    if not 0 <= start <= start + length <= input.shape[dim]:
        raise RuntimeError(f"第 {dim} 维只有 {input.shape[dim]} 个，取不到从 {start} 起的 {length} 个。")
    return input[(slice(None),) * dim + (slice(start, start + length),)]


@_both
def _select(input, dim, index):
    return input[(slice(None),) * _axis(dim, len(input.shape)) + (index,)]


@_both
def _unbind(input, dim=0):
    return tuple([_select(input, dim, i) for i in range(input.shape[_axis(dim, len(input.shape))])])


@_both
def _split(tensor, split_size_or_sections, dim=0):
    n, parts = _at_least(tensor, 1, "split").shape[_axis(dim, len(tensor.shape))], split_size_or_sections
    if isinstance(parts, int):
        parts = [min(parts, n - i) for i in range(0, n, parts)] or [0]
    if sum(parts) != n:
        raise RuntimeError(f"各段合计应当是 {n}，这里是 {list(parts)}。")
    return tuple([_narrow(tensor, dim, sum(parts[:i]), parts[i]) for i in range(len(parts))])


@_both
def _chunk(input, chunks, dim=0):
    n = _at_least(input, 1, "chunk").shape[_axis(dim, len(input.shape))]
    return _split(input, max(math.ceil(n / chunks), 1), dim)


@_both
def _diagonal(input, offset=0, dim1=0, dim2=1):
    ndim, strides = len(input.shape), _layout(input)
    a, b = _axis(dim1, ndim), _axis(dim2, ndim)
    count = max(min(input.shape[a] + min(offset, 0), input.shape[b] - max(offset, 0)), 0)
    start = input._offset + (offset * strides[b] if offset > 0 else -offset * strides[a])
    rest = [d for d in range(ndim) if d not in (a, b)]
    shape = [*[input.shape[d] for d in rest], count]
    return _seen(input, shape, [*[strides[d] for d in rest], strides[a] + strides[b]], start)


# ---- 搬数 ----


@_both
def _flip(input, *dims):
    data, shape, strides = input._data, input.shape, list(_layout(input))
    start = input._offset
    for d in _axes(_sizes(dims), len(shape)) if _sizes(dims) else []:
        start, strides[d] = start + (shape[d] - 1) * strides[d], -strides[d]
    return _new([data[p] for p in _walk(shape, strides, start)], shape, input.dtype)


@_both
def _fliplr(input):
    return _flip(input, 1)


@_both
def _flipud(input):
    return _flip(input, 0)


@_both
def _roll(input, shifts, dims=None):
    if dims is None:
        return _reshape(_roll(_reshape(input, -1), shifts, 0), input.shape)
    if isinstance(dims, (tuple, list)):
        for i in range(len(dims)):
            input = _roll(input, shifts[i] if isinstance(shifts, (tuple, list)) else shifts, dims[i])
        return input
    n = input.shape[_axis(dims, len(input.shape))]
    return _index_select(input, dims, _tensor([(i - shifts) % n for i in range(n)], dtype=INT64))


@_method
def _repeat(self, *repeats):
    repeats = _sizes(repeats)
    if len(repeats) < len(self.shape):
        raise RuntimeError(f"repeat 的次数至少要写 {len(self.shape)} 个，这里是 {len(repeats)} 个。")
    shape = (*[1] * (len(repeats) - len(self.shape)), *self.shape)
    twice = _reshape(self, [n for s in shape for n in (1, s)])
    wide = _expand(twice, [n for i in range(len(shape)) for n in (repeats[i], shape[i])])
    return _reshape(_clone(wide), [repeats[i] * shape[i] for i in range(len(shape))])


@_both
def _tile(input, *dims):
    dims = _sizes(dims)
    return _repeat(input, (*[1] * (len(input.shape) - len(dims)), *dims))


@_both
def _repeat_interleave(input, repeats, dim=None):
    if dim is None:
        input, dim = _reshape(input, -1), 0
    n = input.shape[_axis(dim, len(input.shape))]
    times = _tolist(_expand(_reshape(repeats, -1), n)) if isinstance(repeats, Tensor) else [repeats] * n
    return _index_select(input, dim, _tensor([i for i in range(n) for _ in range(times[i])], dtype=INT64))


@_function
def _cat(tensors, dim=0):
    tensors = [_check(x, "cat 的每一项") for x in tensors]
    tensors = [x for x in tensors if x.shape != (0,)] or tensors[:1]
    if not tensors or not all([x.shape for x in tensors]):
        raise RuntimeError("cat 要一列张量，至少一个，各至少一维；一个数的张量用 stack。")
    dim, like = _axis(dim, len(tensors[0].shape)), tensors[0].shape
    for x in tensors:
        if len(x.shape) != len(like) or any([x.shape[d] != like[d] for d in range(len(like)) if d != dim]):
            raise RuntimeError(f"cat 除了第 {dim} 维，各个形状应当相同，这里有 {tuple(like)} 与 {tuple(x.shape)}。")
    type = _result_type(*tensors)
    parts = [_cast(_flat(x), x.dtype, type) for x in tensors]
    blocks, values = [math.prod(x.shape[dim:]) for x in tensors], []
    for i in range(math.prod(like[:dim])):
        for k in range(len(parts)):
            values.extend(parts[k][i * blocks[k] : (i + 1) * blocks[k]])
    total = sum([x.shape[dim] for x in tensors])
    return _new(values, (*like[:dim], total, *like[dim + 1 :]), type)


@_function
def _stack(tensors, dim=0):
    tensors = [_check(x, "stack 的每一项") for x in tensors]
    if not tensors:
        raise RuntimeError("stack 至少要一个张量。")
    for x in tensors:
        if x.shape != tensors[0].shape:
            raise RuntimeError(f"stack 的各个形状应当相同，这里有 {tuple(tensors[0].shape)} 与 {tuple(x.shape)}。")
    return _cat([_unsqueeze(x, dim) for x in tensors], _axis(dim, len(tensors[0].shape) + 1))


PUBLIC.update(concat=_cat, concatenate=_cat)


@_function
def _hstack(tensors):
    return _cat(tensors, 0 if len(tensors[0].shape) < 2 else 1)


@_function
def _vstack(tensors):
    return _cat([x if len(x.shape) > 1 else _reshape(x, 1, -1) for x in tensors], 0)


def _triangle(input, keep):
    n, m = _at_least(input, 2, "三角").shape[-2:]
    kept, values, zero = [keep(i, j) for i in range(n) for j in range(m)], _flat(input), _zero(input.dtype)
    return _new([values[p] if kept[p % (n * m)] else zero for p in range(len(values))], input.shape, input.dtype)


def _zero(type):
    return (False, 0, 0.0)[type.kind]


@_both
def _tril(input, diagonal=0):
    return _triangle(input, lambda i, j: j <= i + diagonal)


@_both
def _triu(input, diagonal=0):
    return _triangle(input, lambda i, j: j >= i + diagonal)


@_both
def _diag(input, diagonal=0):
    if len(input.shape) != 1:
        return _clone(_diagonal(input, diagonal))
    n = len(input) + abs(diagonal)
    square = _zeros(n, n, dtype=input.dtype)
    _write(_diagonal(square, diagonal), _flat(input))
    return square


@_both
def _trace(input):
    return _sum(_diagonal(input))


@_both
def _nonzero(input, *, as_tuple=False):
    values, shape = _flat(input), input.shape
    found, strides = [p for p in range(len(values)) if values[p] != 0], _row_major(input.shape)
    places = [[p // strides[d] % shape[d] for p in found] for d in range(len(shape))]
    if as_tuple:
        return tuple([_new(column, (len(found),), INT64) for column in places])
    rows = [places[d][k] for k in range(len(found)) for d in range(len(shape))]
    return _new(rows, (len(found), len(shape)), INT64)


@_both
def _masked_select(input, mask):
    shape = _broadcast(input.shape, mask.shape)
    return _expand(input, shape)[_expand(mask, shape)]


@_both
def _index_select(input, dim, index):
    return input[(slice(None),) * _axis(dim, len(input.shape)) + (_reshape(index, -1),)]


def _along(input, dim, index, name):
    """gather、scatter 的每一格对应 input 的哪个位置。"""
    dim, strides = _axis(dim, len(input.shape)), list(_layout(input))
    if index.dtype is not INT64:
        raise RuntimeError(f"{name} 的 index 应当是整数（int64）张量，这里是 {index.dtype}。")
    if len(index.shape) != len(input.shape):
        raise RuntimeError(f"{name} 的 index 应当有 {len(input.shape)} 维，这里是 {len(index.shape)} 维。")
    if any([index.shape[d] > input.shape[d] for d in range(len(index.shape)) if d != dim]):
        raise RuntimeError(f"{name} 的 index 形状 {tuple(index.shape)} 比 {tuple(input.shape)} 大（第 {dim} 维除外）。")
    step, picks = strides[dim] if strides else 0, _flat(index)
    if strides:
        strides[dim] = 0
    n = input.shape[dim] if input.shape else 1
    for i in picks:
        if not 0 <= i < n:
            raise RuntimeError(f"{name} 的编号 {i} 越界：第 {dim} 维只有 {n} 个。")
    at = _walk(index.shape, strides, input._offset)
    return [at[k] + picks[k] * step for k in range(len(picks))]


@_both
def _gather(input, dim, index):
    data = input._data
    return _new([data[p] for p in _along(input, dim, index, "gather")], index.shape, input.dtype)


def _scattered(input, dim, index, src, add, name):
    result = _clone(input)
    at, data = _along(result, dim, index, name), result._data
    if isinstance(src, Tensor):
        if src.dtype is not input.dtype:
            raise RuntimeError(f"{name} 的 src 应当与张量同类型，这里是 {src.dtype} 与 {input.dtype}。")
        values = _flat(src[tuple([slice(n) for n in index.shape])])
    else:
        values = _cast([src], _kind_of(src), input.dtype) * len(at)
    for k in range(len(at)):
        data[at[k]] = data[at[k]] + values[k] if add else values[k]
    _write(result, _fit(data, input.dtype))
    return result


@_both
def _scatter(input, dim, index, src=None, *, value=None):
    return _scattered(input, dim, index, value if src is None else src, False, "scatter")


@_both
def _scatter_add(input, dim, index, src):
    return _scattered(input, dim, index, src, True, "scatter_add")


@_both
def _index_add(input, dim, index, source, *, alpha=1):
    dim, result = _axis(dim, len(input.shape)), _clone(input)
    if len(index.shape) > 1 or source.shape[dim] != _numel(index):
        raise RuntimeError(f"index_add 的 index 有 {_numel(index)} 个编号，source 的第 {dim} 维却有 {source.shape[dim]} 个。")
    for k, i in enumerate(_flat(index)):
        row = _select(result, dim, i)
        _write(row, _flat(_add(row, _mul(_select(source, dim, k), alpha))))
    return result


@_both
def _index_fill(input, dim, index, value):
    result = _clone(input)
    result[(slice(None),) * _axis(dim, len(input.shape)) + (index,)] = value
    return result


@_both
def _index_put(input, indices, values, accumulate=False):
    result = _clone(input)
    if accumulate:
        shape, _, at = _lookup(result, tuple(indices))
        given, data = _to_assign(values, shape, input.dtype), result._data
        for k in range(len(at)):
            data[at[k]] = data[at[k]] + given[k]
    else:
        result[tuple(indices)] = values
    return result


@_both
def _bincount(input, weights=None, minlength=0):
    counts = [0] * max(minlength, max(_flat(input), default=-1) + 1)
    for i in _flat(input):
        counts[i] += 1
    return _new(counts, (len(counts),), INT64)


@_both
def _unique(input, sorted=True):
    values = []
    for x in _flat(_sort(_reshape(input, -1))[0]):
        if not values or values[-1] != x:
            values.append(x)
    return _new(values, (len(values),), input.dtype)


# ---- 逐元素的运算 ----


def _guard(f):
    """没有定义处给 NaN，溢出给无穷，像 torch 那样，而不抛出异常。"""

    def safe(*args):
        try:
            return f(*args)
        except (ValueError, ZeroDivisionError):
            return NAN
        except OverflowError:
            return INF

    return safe


_exp_of = _guard(math.exp)


def _logarithm(f):
    safe = _guard(f)
    return lambda x: safe(x) if x else -INF


def _sigmoid_of(x):
    return 1 / (1 + _exp_of(-x)) if x > -700 or x != x else 0.0


def _round_of(x):
    return math.copysign(round(x), x) if x - x == 0 else x


def _whole(f):
    return lambda x: math.copysign(f(x), x) if x - x == 0 else x


def _gelu_of(x):
    return x * 0.5 * math.erfc(-x / math.sqrt(2)) if x != -INF else NAN


def _softplus_of(x):
    return max(x, 0.0) + math.log1p(_exp_of(-abs(x)))


# 结果的类型："原样" 不变也不必舍入；"舍入" 不变；"小数" 整数先变小数；"布尔"
UNARY = {
    "原样": {
        "abs": abs,
        "neg": lambda x: -x,
        "sign": lambda x: x if x != x else type(x)((x > 0) - (x < 0)),
        "floor": _whole(math.floor),
        "ceil": _whole(math.ceil),
        "trunc": _whole(math.trunc),
        "relu": lambda x: x if x != x else max(x, type(x)(0)),
        "positive": lambda x: x,
    },
    "舍入": {"square": lambda x: x * x},
    "小数": {
        "exp": _exp_of,
        "exp2": _guard(lambda x: 2.0**x),
        "expm1": _guard(math.expm1),
        "log": _logarithm(math.log),
        "log2": _logarithm(math.log2),
        "log10": _logarithm(math.log10),
        "log1p": lambda x: -INF if x == -1 else _guard(math.log1p)(x),
        "sqrt": _guard(math.sqrt),
        "rsqrt": lambda x: INF if x == 0 else _guard(lambda y: 1 / math.sqrt(y))(x),
        "reciprocal": lambda x: _divide(1.0, x),
        "sigmoid": _sigmoid_of,
        **{f: _guard(getattr(math, f)) for f in "sin cos tan sinh cosh tanh asin acos atan asinh acosh erf erfc".split()},
    },
    "布尔": {
        "isnan": lambda x: x != x,
        "isinf": lambda x: x in (INF, -INF),
        "isfinite": lambda x: x - x == 0,
        "logical_not": lambda x: x == 0,
    },
}


def _divide(a, b):
    try:
        return a / b
    except ZeroDivisionError:
        return NAN if a == 0 or a != a else math.copysign(INF, a) * math.copysign(1, b)


def _floor_divide_of(a, b):
    if isinstance(a, float):
        return _whole(math.floor)(_divide(a, b)) if b == 0 or a - a != 0 else a // b
    return _not_by_zero(a, b) and a // b


def _remainder_of(a, b):
    if isinstance(a, float):
        return _guard(lambda: a % b)()
    return _not_by_zero(a, b) and a % b


def _not_by_zero(a, b):
    if b == 0:
        raise RuntimeError("整数除以了 0（ZeroDivisionError）。")
    return True


def _power(a, b):
    if isinstance(a, int):
        if b < 0:
            return (1 if b % 2 == 0 else a) if a in (1, -1) else 0
        return a**b
    try:
        return math.pow(a, b)
    except OverflowError:
        return -INF if a < 0 and b % 2 == 1 else INF
    except ValueError:
        return INF if a == 0 else NAN


def _xlogy_of(a, b):
    return 0.0 if a == 0 and b == b else a * _logarithm(math.log)(b)


def _not_empty(x, name):
    if not _numel(x):
        raise RuntimeError(f"{name} 不能用在空的张量上。")
    return x


def _larger(a, b):
    return a if a != a or a > b else b


def _smaller(a, b):
    return a if a != a or a < b else b


BINARY = {
    "舍入": {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "pow": _power,
        "floor_divide": _floor_divide_of,
        "remainder": _remainder_of,
        "fmod": lambda a, b: _guard(math.fmod)(a, b) if isinstance(a, float) else int(math.fmod(a, b)),
    },
    "原样": {"maximum": _larger, "minimum": _smaller},
    "小数": {
        "true_divide": _divide,
        "atan2": math.atan2,
        "xlogy": _xlogy_of,
        "hypot": math.hypot,
        "logaddexp": lambda a, b: _larger(a, b) + math.log1p(_exp_of(-abs(a - b))) if a != b else a + math.log(2),
    },
    "布尔": {
        "eq": lambda a, b: a == b,
        "ne": lambda a, b: a != b,
        "lt": lambda a, b: a < b,
        "le": lambda a, b: a <= b,
        "gt": lambda a, b: a > b,
        "ge": lambda a, b: a >= b,
        "logical_and": lambda a, b: a != 0 and b != 0,
        "logical_or": lambda a, b: a != 0 or b != 0,
        "logical_xor": lambda a, b: (a != 0) != (b != 0),
    },
    "整数": {
        "bitwise_and": lambda a, b: a & b,
        "bitwise_or": lambda a, b: a | b,
        "bitwise_xor": lambda a, b: a ^ b,
    },
}
NO_BOOL = {
    "sub": "布尔张量不能相减；要把掩码取反，用 ~mask。",
    "neg": "布尔张量没有负号；要把掩码取反，用 ~mask。",
}


def _pointwise(name, f, rule, *operands):
    """先换成同一种类型，广播到同一个形状，再逐个算。"""
    type = _result_type(*operands)
    if name in NO_BOOL and BOOL in [x.dtype if isinstance(x, Tensor) else _kind_of(x) for x in operands]:
        raise RuntimeError(NO_BOOL[name])
    if rule == "小数" and type.kind < 2:
        type = FLOAT
    if rule == "整数" and type.kind == 2:
        raise RuntimeError(f"{name} 用在布尔或整数张量上，这里是 {type}。")
    shapes = [x.shape for x in operands if isinstance(x, Tensor)]
    shape = shapes[0] if len(shapes) == 1 else _broadcast(*shapes)
    count, columns = math.prod(shape), []
    for x in operands:
        if isinstance(x, Tensor):
            columns.append(_cast(_spread(x, shape), x.dtype, type))
        else:
            columns.append(_cast([x], _kind_of(x), type) * count)
    if len(columns) == 1:
        a = columns[0]
        values = [f(x) for x in a]
    else:
        a, b = columns
        values = [f(a[i], b[i]) for i in range(count)]
    if rule == "布尔":
        return _new(values, shape, BOOL)
    return _new(values if rule == "原样" else _fit(values, type), shape, type)


def _numeric(x):
    return isinstance(x, Tensor) or _kind_of(x) is not None


def _make_unary(name, f, rule):
    def op(input):
        return _pointwise(name, f, rule, _check(input))

    op.__name__ = "_" + name
    return op


def _make_binary(name, f, rule):
    def op(input, other):
        if not (_numeric(input) and _numeric(other)):
            bad = other if _numeric(input) else input
            raise TypeError(f"{name} 的两边应当是张量或数，这里有 {bad.__class__.__name__}。")
        return _pointwise(name, f, rule, input, other)

    op.__name__ = "_" + name
    return op


for _rule, _table in UNARY.items():
    for _name, _f in _table.items():
        globals()["_" + _name] = _both(_make_unary(_name, _f, _rule))
for _rule, _table in BINARY.items():
    for _name, _f in _table.items():
        globals()["_" + _name] = _both(_make_binary(_name, _f, _rule))


def _swap(op):
    return lambda self, other: op(other, self)


OPERATORS = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "truediv": _true_divide,
    "floordiv": _floor_divide,
    "mod": _remainder,
    "pow": _pow,
    "and": _bitwise_and,
    "or": _bitwise_or,
    "xor": _bitwise_xor,
}
COMPARISONS = {"eq": _eq, "ne": _ne, "lt": _lt, "le": _le, "gt": _gt, "ge": _ge}


def _operator(op, strict=True):
    return lambda self, other: op(self, other) if _numeric(other) else NotImplemented


def _in_place(op):
    """`x += y` 与 `x.add_(y)`：算好再写回原处；形状与类型都不许因此改变。"""

    def change(self, *args, **options):
        result = op(self, *args, **options)
        if result.shape != self.shape:
            raise RuntimeError(f"就地改不能改形状：原来是 {tuple(self.shape)}，结果是 {tuple(result.shape)}。")
        if result.dtype.kind > self.dtype.kind:
            raise RuntimeError(f"就地改不能换类型：原来是 {self.dtype}，结果是 {result.dtype}。")
        return _write(self, _cast(_flat(result), result.dtype, self.dtype))

    return change


for _name, _f in OPERATORS.items():
    setattr(Tensor, f"__{_name}__", _operator(_f))
    setattr(Tensor, f"__r{_name}__", _operator(_swap(_f)))
    setattr(Tensor, f"__i{_name}__", _in_place(_f))
for _name, _f in COMPARISONS.items():
    setattr(Tensor, f"__{_name}__", _operator(_f))
Tensor.__neg__, Tensor.__abs__, Tensor.__pos__ = _neg, _abs, _positive


@_both
def _bitwise_not(input):
    if input.dtype.kind == 2:
        raise RuntimeError(f"~ 用在布尔或整数张量上，这里是 {input.dtype}。")
    values = _flat(input)
    return _new([not x for x in values] if input.dtype is BOOL else [~x for x in values], input.shape, input.dtype)


Tensor.__invert__ = _bitwise_not


@_both
def _div(input, other, *, rounding_mode=None):
    result = {None: _true_divide, "floor": _floor_divide, "trunc": _true_divide}[rounding_mode](input, other)
    if rounding_mode == "trunc":
        return _to(_trunc(result), _result_type(input, other))
    return result


@_both
def _round(input, *, decimals=0):
    _check(input)
    if input.dtype.kind < 2:
        return _clone(input)
    scale = 10.0**decimals
    return _new(_fit([_round_of(x * scale) / scale for x in _flat(input)], input.dtype), input.shape, input.dtype)


@_both
def _clamp(input, min=None, max=None):
    if min is None and max is None:
        raise RuntimeError("clamp 至少要给 min 与 max 中的一个。")
    input = input if min is None else _pointwise("clamp", _larger, "原样", input, min)
    return input if max is None else _pointwise("clamp", _smaller, "原样", input, max)


@_both
def _clamp_min(input, min):
    return _clamp(input, min)


@_both
def _clamp_max(input, max):
    return _clamp(input, None, max)


@_both
def _nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    top = input.dtype.top if posinf is None else posinf
    low = -input.dtype.top if neginf is None else neginf
    values = [nan if x != x else top if x == INF else low if x == -INF else x for x in _flat(input)]
    return _new(_fit(values, input.dtype), input.shape, input.dtype)


@_function
def _where(condition, input=None, other=None):
    if input is None and other is None:
        return _nonzero(condition, as_tuple=True)
    if not isinstance(condition, Tensor) or condition.dtype is not BOOL:
        raise RuntimeError("where 的条件应当是布尔张量。")
    type = _result_type(input, other)
    shape = _broadcast(*[x.shape for x in (condition, input, other) if isinstance(x, Tensor)])
    a, b = [
        _cast(_spread(x, shape), x.dtype, type)
        if isinstance(x, Tensor)
        else _cast([x], _kind_of(x), type) * math.prod(shape)
        for x in (input, other)
    ]
    ask = _spread(condition, shape)
    return _new([a[i] if ask[i] else b[i] for i in range(len(ask))], shape, type)


Tensor.where = lambda self, condition, other: _where(condition, self, other)


@_both
def _masked_fill(input, mask, value):
    if not isinstance(mask, Tensor) or mask.dtype is not BOOL:
        raise RuntimeError("masked_fill 的掩码应当是布尔张量（True 的地方换掉）；整数的掩码先写 == 0 或 .bool()。")
    if isinstance(value, Tensor) and value.shape:
        raise RuntimeError(f"masked_fill 只能填一个数，这里是形状 {tuple(value.shape)} 的张量。")
    number = _item(value) if isinstance(value, Tensor) else value
    type = input.dtype
    fill = _cast([number], _kind_of(number), type)[0]
    if type.kind and fill - fill != 0 and number - number == 0 or type.kind == 1 and number - number != 0:
        named = {"float16": "at::Half", "bfloat16": "at::BFloat16"}.get(type.name, type.name)
        raise RuntimeError(f"value cannot be converted to type {named} without overflow")  # torch 的原话
    shape = _broadcast(input.shape, mask.shape)
    values, hide = _spread(input, shape), _spread(mask, shape)
    return _new([fill if hide[i] else values[i] for i in range(len(hide))], shape, type)


# ---- 合并几维 ----


def _rows(x, dims):
    """每个结果要合并的那些数，各成一列。"""
    strides, data = _layout(x), x._data
    keep = [d for d in range(len(x.shape)) if d not in dims]
    outer = _walk([x.shape[d] for d in keep], [strides[d] for d in keep], x._offset)
    inner = _walk([x.shape[d] for d in dims], [strides[d] for d in dims])
    return [[data[p + q] for q in inner] for p in outer]


def _kept(x, dims, keepdim):
    return [1 if d in dims else x.shape[d] for d in range(len(x.shape)) if keepdim or d not in dims]


def _reduced(input, dim, keepdim, f, type):
    dims = _axes(dim, len(_check(input).shape))
    values = [f(row) for row in _rows(input, dims)]
    return _new(_fit(values, type), _kept(input, dims, keepdim), type)


def _top_of(row, best=max):
    if not row:
        raise IndexError("空的张量没有最大最小值。")
    total = sum(row)
    return next((x for x in row if x != x), best(row)) if total != total else best(row)


def _low_of(row):
    return _top_of(row, min)


def _place_of(row, x):
    return row.index(x) if x == x else next(i for i in range(len(row)) if row[i] != row[i])


def _variance(row, correction=1):
    mean = sum(row) / len(row) if row else NAN
    return _divide(sum([(x - mean) ** 2 for x in row]), max(len(row) - correction, 0)) if row else NAN


def _log_sum_exp(row):
    top = max(row, default=-INF)
    if top - top != 0:
        return top
    return top + math.log(sum([_exp_of(x - top) for x in row]))


def _norm_of(row, p=2):
    sizes = [abs(x) for x in row]
    if p == 2:
        return math.sqrt(sum([x * x for x in row]))
    if p in (INF, -INF):
        return max(sizes) if p > 0 else min(sizes)
    if p == 0:
        return float(len([x for x in sizes if x != 0]))
    return _power(sum([_power(x, float(p)) for x in sizes]), 1 / p)


# 名字：（怎样合并，结果的类型）；"加" 是布尔与整数都成 int64，"小数" 是只收小数
REDUCTIONS = {
    "sum": (sum, "加"),
    "prod": (math.prod, "加"),
    "mean": (lambda row: sum(row) / len(row) if row else NAN, "小数"),
    "logsumexp": (_log_sum_exp, "变小数"),
    "amax": (_top_of, "原样"),
    "amin": (_low_of, "原样"),
    "all": (lambda row: 0 not in row, "布尔"),
    "any": (lambda row: any([x != 0 for x in row]), "布尔"),
    "count_nonzero": (lambda row: len([x for x in row if x != 0]), "个数"),
}


def _make_reduction(name, f, rule):
    def op(input, dim=None, keepdim=False, *, dtype=None, axis=None):
        kind = _check(input).dtype
        if dtype is not None:
            input, kind = _to(input, dtype), dtype
        if rule == "小数" and kind.kind < 2:
            raise RuntimeError(f"{name} 只收小数，这里是 {kind}；先 .float()。")
        if rule == "变小数" and kind.kind < 2:
            kind = FLOAT
        type = {"布尔": BOOL, "个数": INT64}.get(rule, INT64 if rule == "加" and kind.kind < 2 else kind)
        return _reduced(input, dim if axis is None else axis, keepdim, f, dtype or type)

    op.__name__ = "_" + name
    return op


for _name, (_f, _rule) in REDUCTIONS.items():
    globals()["_" + _name] = _both(_make_reduction(_name, _f, _rule))


def _spread_of(finish):
    def op(input, dim=None, unbiased=None, keepdim=False, *, correction=1):
        if isinstance(dim, bool):  # x.var(False)
            dim, unbiased = None, dim
        if input.dtype.kind < 2:
            raise RuntimeError(f"方差只收小数，这里是 {input.dtype}；先 .float()。")
        less = correction if unbiased is None else int(unbiased)
        return _reduced(input, dim, keepdim, lambda row: finish(_variance(row, less)), input.dtype)

    return op


for _name, _f in {"var": lambda x: x, "std": _guard(math.sqrt)}.items():
    setattr(Tensor, _name, _spread_of(_f))
    PUBLIC[_name] = getattr(Tensor, _name)


@_both
def _norm(input, p=2, dim=None, keepdim=False, dtype=None):
    if input.dtype.kind < 2:
        raise RuntimeError(f"norm 只收小数，这里是 {input.dtype}；先 .float()。")
    p = 2 if p == "fro" else p
    return _reduced(input, dim, keepdim, lambda row: _norm_of(row, p), input.dtype)


LINALG["norm"] = lambda input, ord=2, dim=None, keepdim=False: _norm(input, ord or 2, dim, keepdim)
LINALG["vector_norm"] = LINALG["norm"]


class Pair(tuple):
    """一次给两样的结果：`.values` 与 `.indices`，或者 `.min` 与 `.max`。"""

    names = ("values", "indices")
    values = property(lambda self: self[0])
    indices = property(lambda self: self[1])

    def __repr__(self):
        parts = [f"{self.names[i]}={self[i]!r}" for i in range(2)]
        return "torch.return_types(\n" + ",\n".join(parts) + ")"


class Ends(Pair):
    names = ("min", "max")
    min = property(lambda self: self[0])
    max = property(lambda self: self[1])


def _extreme(name, best, pair):
    """max 与 min：一个数，沿一维的（数，编号），或者两个张量逐个比。"""

    def op(input, dim=None, keepdim=False, *, other=None):
        other = dim if isinstance(dim, Tensor) else other
        if other is not None:
            return pair(input, other)
        if dim is None:
            return _reduced(_not_empty(input, name), None, False, best, input.dtype)
        dims = _axes(int(dim), len(input.shape))
        rows, shape = _rows(input, dims), _kept(input, dims, keepdim)
        found = [best(row) for row in rows]
        places = [_place_of(rows[i], found[i]) for i in range(len(rows))]
        return Pair((_new(found, shape, input.dtype), _new(places, shape, INT64)))

    def arg(input, dim=None, keepdim=False):
        if not _numel(input) and dim is None:
            raise IndexError("空的张量没有最大最小值。")
        if input.dtype is BOOL:
            raise RuntimeError(f"arg{name} 不收布尔张量；先 .int()。")
        return _reduced(input, dim, keepdim, lambda row: _place_of(row, best(row)), INT64)

    setattr(Tensor, name, op)
    setattr(Tensor, "arg" + name, arg)
    PUBLIC.update({name: op, "arg" + name: arg})


_extreme("max", _top_of, _maximum)
_extreme("min", _low_of, _minimum)


@_both
def _aminmax(input, *, dim=None, keepdim=False):
    if dim is None:
        _not_empty(input, "aminmax")
    return Ends((_amin(input, dim, keepdim), _amax(input, dim, keepdim)))


@_both
def _median(input, dim=None, keepdim=False):
    ordered, order = _sort(_reshape(input, -1) if dim is None else input, 0 if dim is None else dim)
    at = (ordered.shape[0 if dim is None else dim] - 1) // 2
    if dim is None:
        return ordered[at]
    pick = slice(at, at + 1) if keepdim else at
    before = (slice(None),) * _axis(dim, len(input.shape))
    return Pair((ordered[(*before, pick)], order[(*before, pick)]))


@_both
def _quantile(input, q, dim=None, keepdim=False):
    if isinstance(q, Tensor) and q.shape:
        return _stack([_quantile(input, x, dim, keepdim) for x in q])
    q = float(q)
    if _not_empty(input, "quantile").dtype.kind < 2 or not 0 <= q <= 1:
        raise RuntimeError(f"quantile 只收小数的张量，q 在 0 与 1 之间；这里是 {input.dtype} 与 {q}。")

    def between(row):
        row = sorted(row)
        at = q * (len(row) - 1)
        low = math.floor(at)
        return row[low] + (row[math.ceil(at)] - row[low]) * (at - low)

    return _reduced(input, dim, keepdim, between, input.dtype)


# ---- 沿一维，一列变一列 ----


def _each_row(input, dim, f, type, fit=True):
    """f 收下沿 dim 的一列，给出一列；结果放回原来的次序。"""
    dim = _axis(dim, len(_check(input).shape))
    if not input.shape:
        return _new(_fit(f(list(_flat(input))), type), (), type)
    rows = [f(row) for row in _rows(input, [dim])]
    values = [x for row in rows for x in row]
    count = len(rows[0]) if rows else input.shape[dim]
    outer = [input.shape[d] for d in range(len(input.shape)) if d != dim]
    result = _new(_fit(values, type) if fit else values, (*outer, count), type)
    return result if dim == len(outer) else _clone(_movedim(result, -1, dim))


def _softmax_row(row):
    top = max(row, default=0)
    powers = [_exp_of(x - top) for x in row]
    total = sum(powers)
    return [x / total for x in powers]


def _log_softmax_row(row):
    less = _log_sum_exp(row)
    return [x - less for x in row]


def _running(step):
    def f(row):
        result = row[:1]
        for x in row[1:]:
            result.append(step(result[-1], x))
        return result

    return f


ROWS = {
    "softmax": (_softmax_row, 2),
    "log_softmax": (_log_softmax_row, 2),
    "cumsum": (_running(lambda a, b: a + b), 1),
    "cumprod": (_running(lambda a, b: a * b), 1),
    "logcumsumexp": (_running(lambda a, b: _log_sum_exp([a, b])), 2),
}


def _make_row(name, f, kind):
    def op(input, dim, dtype=None, *, axis=None):
        input = _to(_check(input), dtype) if dtype else _check(input)
        if input.dtype.kind < kind and kind == 2:
            raise RuntimeError(f"{name} 只收小数，这里是 {input.dtype}；先 .float()。")
        if input.dtype.kind < kind:
            input = _to(input, INT64)
        type = INT64 if input.dtype.kind == 1 else input.dtype
        return _each_row(input, dim, f, type)

    op.__name__ = "_" + name
    return op


for _name, (_f, _kind) in ROWS.items():
    globals()["_" + _name] = _both(_make_row(_name, _f, _kind))
FUNCTIONAL.update(softmax=_softmax, log_softmax=_log_softmax)


def _order(descending):
    """排序之后的编号；相同的保持先后，NaN 算最大。"""

    def f(row):
        if any([x != x for x in row]):
            return sorted(range(len(row)), key=lambda i: (row[i] != row[i], row[i]), reverse=descending)
        return sorted(range(len(row)), key=lambda i: row[i], reverse=descending)

    return f


@_both
def _sort(input, dim=-1, descending=False, stable=False):
    order = _each_row(input, dim, _order(descending), INT64, fit=False)
    return Pair((_gather(input, dim, order) if input.shape else _clone(input), order))


@_both
def _argsort(input, dim=-1, descending=False, stable=False):
    return _each_row(input, dim, _order(descending), INT64, fit=False)


@_both
def _topk(input, k, dim=-1, largest=True, sorted=True):
    n = input.shape[_axis(dim, len(input.shape))] if input.shape else 1
    if not 0 <= k <= n:
        raise RuntimeError(f"topk 的 k={k} 超出范围：那一维只有 {n} 个。")
    order = _each_row(input, dim, lambda row: _order(largest)(row)[:k], INT64, fit=False)
    return Pair((_gather(input, dim, order), order))


# ---- 矩阵 ----


@_both
def _matmul(input, other):
    a, b = _check(input), _check(other, "other")
    if not a.shape or not b.shape:
        raise RuntimeError("@ 的两边至少各有一维；一个数用 * 乘。")
    if a.dtype is not b.dtype or a.dtype is BOOL:
        raise RuntimeError(f"@ 的两边应当是同一种数（不是布尔），这里是 {a.dtype} 与 {b.dtype}；先 .float()。")
    left = a if len(a.shape) > 1 else _unsqueeze(a, 0)
    right = b if len(b.shape) > 1 else _unsqueeze(b, 1)
    (n, k), (inner, m) = left.shape[-2:], right.shape[-2:]
    if k != inner:
        raise RuntimeError(
            f"@ 左边最后一维是 {k}，右边倒数第二维是 {inner}，应当相同；形状是 {tuple(a.shape)} 与 {tuple(b.shape)}。"
        )
    batch = _broadcast(left.shape[:-2], right.shape[:-2])
    heads = _expand(left, (*batch, n, k)), _expand(right, (*batch, k, m))
    starts = [_walk(batch, _layout(x), x._offset) for x in heads]
    x, y, every, values = a._data, b._data, range(k), []
    by_row = _walk([n, k], _layout(heads[0])[-2:])
    by_column = _walk([m, k], _layout(heads[1])[-2:][::-1])
    for i in range(len(starts[0])):
        p, q = starts[0][i], starts[1][i]
        lines = [[x[p + by_row[r + j]] for j in every] for r in range(0, n * k, k or 1)] if k else [[]] * n
        columns = [[y[q + by_column[c + j]] for j in every] for c in range(0, m * k, k or 1)] if k else [[]] * m
        for u in lines:
            for v in columns:
                values.append(sum([u[j] * v[j] for j in every]))
    shape = [*batch, *([n] if len(a.shape) > 1 else []), *([m] if len(b.shape) > 1 else [])]
    return _new(_fit([v + _zero(a.dtype) for v in values], a.dtype), shape, a.dtype)


Tensor.__matmul__ = lambda self, other: _matmul(self, other) if isinstance(other, Tensor) else NotImplemented


def _of_dims(name, left, right):
    """只收这么多维的乘法：mm、bmm、mv、dot。"""

    def op(input, other):
        if len(input.shape) != left or len(other.shape) != right:
            raise RuntimeError(
                f"{name} 要 {left} 维与 {right} 维的张量，这里是 {len(input.shape)} 维与 {len(other.shape)} 维。"
            )
        if left == 3 and len(input) != len(other):
            raise RuntimeError(f"{name} 的两边要有同样多的矩阵，这里是 {len(input)} 与 {len(other)} 个。")
        return _matmul(input, other)

    op.__name__ = "_" + name
    return _both(op)


for _name, _left, _right in (("mm", 2, 2), ("bmm", 3, 3), ("mv", 2, 1), ("dot", 1, 1)):
    _of_dims(_name, _left, _right)


@_both
def _outer(input, vec2):
    if len(input.shape) != 1 or len(vec2.shape) != 1:
        raise RuntimeError("outer 的两边应当各是一维。")
    return _mul(_unsqueeze(input, 1), _unsqueeze(vec2, 0))


@_function
def _einsum(equation, *operands):
    """每个字母一维；箭头右边没有的字母求和。"""
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = operands[0]
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms, sizes = left.split(","), {}
    if "." in equation:
        raise _missing("einsum 的 ...")
    if len(terms) != len(operands):
        raise RuntimeError(f"einsum 的式子里有 {len(terms)} 个张量，这里给了 {len(operands)} 个。")
    for i in range(len(terms)):
        if len(terms[i]) != len(operands[i].shape):
            raise RuntimeError(f"einsum 的 {terms[i]} 有 {len(terms[i])} 个字母，张量却有 {len(operands[i].shape)} 维。")
        for d in range(len(terms[i])):
            if sizes.setdefault(terms[i][d], operands[i].shape[d]) != operands[i].shape[d]:
                raise RuntimeError(f"einsum 里字母 {terms[i][d]} 的大小不一致。")
    letters = sorted(set(left) - {","})
    out = list(right) if arrow else [c for c in letters if left.count(c) == 1]
    summed = [c for c in letters if c not in out]
    every, columns, type = out + summed, [], _result_type(*operands)
    for i in range(len(terms)):
        strides = _layout(operands[i])
        steps = [sum([strides[d] for d in range(len(terms[i])) if terms[i][d] == c]) for c in every]
        columns.append([operands[i]._data[p] for p in _walk([sizes[c] for c in every], steps, operands[i]._offset)])
    values = [math.prod([column[k] for column in columns]) for k in range(len(columns[0]))]
    full = _new(values, [sizes[c] for c in every], type)
    return _reduced(full, list(range(len(out), len(every))), False, sum, type) if summed else full


# ---- 相等 ----


@_both
def _equal(input, other):
    return input.shape == other.shape and list(_flat(input)) == list(_flat(other))


@_both
def _isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    if input.dtype is not other.dtype:
        raise RuntimeError(f"比较的两边应当是同一种数，这里是 {input.dtype} 与 {other.dtype}。")

    def close(a, b):
        return a == b or abs(a - b) <= atol + rtol * abs(b) < INF or (equal_nan and a != a and b != b)

    return _pointwise("isclose", close, "布尔", input, other)


@_both
def _allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    return bool(_all(_isclose(input, other, rtol, atol, equal_nan)))


# ---- 别名，就地的写法 ----

ALIASES = {
    "div": "divide",
    "mul": "multiply",
    "sub": "subtract",
    "pow": "float_power_",
    "abs": "absolute",
    "neg": "negative",
    "clamp": "clip",
    "gt": "greater",
    "ge": "greater_equal",
    "lt": "less",
    "le": "less_equal",
    "ne": "not_equal",
    "transpose": "swapaxes",
    "movedim": "moveaxis",
    "acos": "arccos",
    "asin": "arcsin",
    "atan": "arctan",
    "atan2": "arctan2",
    "trunc": "fix",
}
for _name, _alias in ALIASES.items():
    setattr(Tensor, _alias, getattr(Tensor, _name))
    PUBLIC[_alias] = PUBLIC[_name]
Tensor.swapdims, Tensor.ndimension, Tensor.nelement = _transpose, _dim, _numel

for _name in (
    "add sub mul div pow floor_divide remainder abs neg exp log sqrt rsqrt reciprocal square sigmoid tanh relu sin cos "
    "floor ceil round trunc clamp clamp_min clamp_max masked_fill tril triu scatter scatter_add index_add index_fill "
    "index_put nan_to_num logical_not logical_and logical_or bitwise_and bitwise_or eq ne lt le gt ge cumsum"
).split():
    setattr(Tensor, _name + "_", _in_place(PUBLIC[_name]))
Tensor.fill_ = lambda self, value: _write(self, _to_assign(value, self.shape, self.dtype))
Tensor.zero_ = lambda self: self.fill_(0)
Tensor.copy_ = lambda self, src: self.fill_(src)
Tensor.normal_ = lambda self, mean=0.0, std=1.0: self.copy_(_randn(self.shape) * std + mean)
Tensor.uniform_ = lambda self, low=0.0, high=1.0: self.copy_(_rand(self.shape) * (high - low) + low)


class no_grad:
    """这里本来就没有梯度，所以什么也不做。"""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def __call__(self, f):
        return f


PUBLIC.update(no_grad=no_grad, inference_mode=no_grad)

# ---- torch.nn.functional ----

_F = _offer(FUNCTIONAL)
FUNCTIONAL.update(sigmoid=_sigmoid, tanh=_tanh)
SPECIAL.update(xlogy=_xlogy, softmax=_softmax, log_softmax=_log_softmax, logsumexp=_logsumexp, erf=_erf, expit=_sigmoid)
SPECIAL["entr"] = _make_unary("entr", lambda x: -_xlogy_of(x, x) if x >= 0 else -INF if x < 0 else NAN, "小数")


def _float_only(name, f):
    def op(input):
        if _check(input).dtype.kind < 2:
            raise RuntimeError(f"{name} 只收小数，这里是 {input.dtype}；先 .float()。")
        return _pointwise(name, f, "舍入", input)

    return op


FUNCTIONAL["silu"] = _float_only("silu", lambda x: x * _sigmoid_of(x))
FUNCTIONAL["softplus"] = _float_only("softplus", _softplus_of)
FUNCTIONAL["logsigmoid"] = _float_only("logsigmoid", lambda x: -_softplus_of(-x))
_gelu_exact = _float_only("gelu", _gelu_of)
_gelu_tanh = _float_only(
    "gelu", lambda x: 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
)


@_F
def _gelu(input, approximate="none"):
    return _gelu_tanh(input) if approximate == "tanh" else _gelu_exact(input)


@_F
def _relu_(input, inplace=False):
    return _relu(input)


FUNCTIONAL["relu"] = FUNCTIONAL.pop("relu_")


@_F
def _leaky_relu(input, negative_slope=0.01):
    return _where(input > 0, input, input * negative_slope)


@_F
def _layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    shape = _sizes((normalized_shape,))
    if tuple(input.shape[len(input.shape) - len(shape) :]) != shape:
        raise RuntimeError(f"layer_norm 的 normalized_shape 是 {shape}，输入的末几维却是 {tuple(input.shape)} 里的。")
    dims = list(range(-len(shape), 0))
    x = (input - input.mean(dims, keepdim=True)) * (input.var(dims, False, True) + eps).rsqrt()
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


@_F
def _rms_norm(input, normalized_shape, weight=None, eps=None):
    dims = list(range(-len(_sizes((normalized_shape,))), 0))
    x = input * (input.square().mean(dims, keepdim=True) + (2.0**-23 if eps is None else eps)).rsqrt()
    return x if weight is None else x * weight


@_F
def _normalize(input, p=2.0, dim=1, eps=1e-12):
    return input / _norm(input, p, dim, True).clamp_min(eps)


@_F
def _cosine_similarity(x1, x2, dim=1, eps=1e-8):
    shape = _broadcast(x1.shape, x2.shape)
    x1, x2 = _expand(x1, shape), _expand(x2, shape)
    lengths = _norm(x1, 2, dim).clamp_min(eps) * _norm(x2, 2, dim).clamp_min(eps)
    return (x1 * x2).sum(dim) / lengths


PUBLIC["cosine_similarity"] = _cosine_similarity


@_F
def _linear(input, weight, bias=None):
    x = _matmul(input, weight.T)
    return x if bias is None else x + bias


@_F
def _embedding(input, weight, padding_idx=None):
    return weight[input]


@_F
def _one_hot(tensor, num_classes=-1):
    if tensor.dtype is not INT64:
        raise RuntimeError(f"one_hot 要整数（int64）张量，这里是 {tensor.dtype}。")
    top = max(_flat(tensor), default=-1)
    if num_classes != -1 and top >= num_classes or min(_flat(tensor), default=0) < 0:
        raise RuntimeError(f"one_hot 的编号应当在 0 与 {num_classes - 1} 之间。")
    classes = _arange(top + 1 if num_classes == -1 else num_classes)
    return _to(_unsqueeze(tensor, -1) == classes, INT64)


@_F
def _pad(input, pad, mode="constant", value=None):
    if mode != "constant" or min(pad) < 0:
        raise _missing(f'nn.functional.pad(mode="{mode}")')
    for i in range(0, len(pad), 2):
        dim = len(input.shape) - 1 - i // 2
        ends = [[*input.shape[:dim], n, *input.shape[dim + 1 :]] for n in pad[i : i + 2]]
        input = _cat([_full(ends[0], value or 0, dtype=input.dtype), input, _full(ends[1], value or 0, dtype=input.dtype)], dim)
    return input


def _pooled(loss, reduction):
    return loss if reduction == "none" else loss.sum() if reduction == "sum" else loss.mean()


@_F
def _mse_loss(input, target, reduction="mean"):
    return _pooled((input - target).square(), reduction)


@_F
def _nll_loss(input, target, ignore_index=-100, reduction="mean", smoothing=0.0):
    classes = input if len(input.shape) == 1 else _movedim(input, 1, -1)
    if classes.shape[:-1] != target.shape:
        raise RuntimeError(f"输入的形状 {tuple(input.shape)} 与答案的 {tuple(target.shape)} 对不上：类别在第 1 维。")
    real = target != ignore_index
    n = classes.shape[-1]
    for i in _flat(target[real]):
        if not 0 <= i < n:
            raise IndexError(f"答案 {i} 不在 0 与 {n - 1} 之间。")
    picked = _gather(classes, -1, _unsqueeze(_where(real, target, 0), -1))[..., 0]
    loss = -(picked * (1 - smoothing) + classes.mean(-1) * smoothing) if smoothing else -picked
    loss = _where(real, loss, 0.0)
    return loss.sum() / real.sum() if reduction == "mean" else _pooled(loss, reduction)


@_F
def _cross_entropy(input, target, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    dim = 0 if len(input.shape) == 1 else 1
    log_p = _log_softmax(input, dim)
    if target.dtype.kind < 2:
        return _nll_loss(log_p, target, ignore_index, reduction, label_smoothing)
    if target.shape != input.shape:
        raise RuntimeError(f"答案是概率时，形状应当是 {tuple(input.shape)}，这里是 {tuple(target.shape)}。")
    target = target * (1 - label_smoothing) + label_smoothing / input.shape[dim]
    loss = -(log_p * target).sum(dim)
    return loss.sum() / max(_numel(loss), 1) if reduction == "mean" else _pooled(loss, reduction)


@_F
def _scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None):
    if dropout_p:
        raise _missing("nn.functional.dropout")
    scores = query @ key.mT * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if is_causal:
        attn_mask = _tril(_ones(scores.shape[-2:], dtype=BOOL))
    if attn_mask is not None and attn_mask.dtype is BOOL:
        scores = _masked_fill(scores, ~attn_mask, -INF)
    elif attn_mask is not None:
        scores = scores + attn_mask
    weights = _softmax(scores, -1)
    empty = _all(scores == -INF, -1, True)  # 整行都被挡住的查询得到 0
    return _masked_fill(weights, empty, 0.0) @ value


# ---- 打印：照 torch 的规矩 ----


def _formatter(values, type):
    """怎样写一个数：整数样的带一个点，相差太大用科学记数，其余四位小数；右边对齐。"""
    width = 1
    if type.kind < 2:
        write = str
        width = max([len(str(x)) for x in values])
    else:
        normal = [x for x in values if x - x == 0 and x != 0]
        sizes = [abs(x) for x in normal] or [1.0]
        whole = all([x == math.floor(x) for x in normal])
        wide = max(sizes) / min(sizes) > 1000 or max(sizes) > 1e8 or min(sizes) < 1e-4
        form = "%.4e" if wide else "%.0f" if whole else "%.4f"
        dot = "." if whole and not wide else ""

        def write(x):
            return "nan" if x != x else "inf" if x == INF else "-inf" if x == -INF else form % x + dot

        width = max([len(write(x)) for x in normal], default=1)
    return lambda x: write(x).rjust(width), width


def _ends(x):
    """太长时只看两头各三个。"""
    if not x.shape:
        return x
    parts = list(_unbind(x)) if len(x) <= 6 else [*_unbind(x[:3]), *_unbind(x[-3:])]
    return _stack([_ends(part) for part in parts])


def _write_out(x, indent, short, write, width):
    if not x.shape:
        return write(_item(x))
    cut = short and len(x) > 6
    if len(x.shape) > 1:
        rows = [*x[:3], "...", *x[-3:]] if cut else list(x)
        parts = [row if row == "..." else _write_out(row, indent + 1, short, write, width) for row in rows if True]
        return "[" + ("," + "\n" * (len(x.shape) - 1) + " " * (indent + 1)).join(parts) + "]"
    parts = [write(v) for v in _flat(x)] if not cut else [*map(write, _flat(x[:3])), " ...", *map(write, _flat(x[-3:]))]
    fits = max(1, (80 - indent) // (width + 2))
    lines = [", ".join(parts[i : i + fits]) for i in range(0, len(parts), fits)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _show(x):
    notes, text = [], "tensor("
    if not _numel(x):
        text += "[]"
        if len(x.shape) != 1:
            notes.append(f"size={tuple(x.shape)}")
        if x.dtype is not FLOAT:
            notes.append(f"dtype={x.dtype}")
    else:
        short = _numel(x) > 1000
        write, width = _formatter(_flat(_ends(x) if short else x), x.dtype)
        text += _write_out(x, len(text), short, write, width)
        if x.dtype not in (FLOAT, INT64, BOOL):
            notes.append(f"dtype={x.dtype}")
    used = len(text) - text.rfind("\n") + 1 - len("tensor(") * 0
    for note in notes:
        if used + len(note) + 2 > 80:
            text, used = text + ",\n" + " " * 7 + note, 7 + len(note)
        else:
            text, used = text + ", " + note, used + len(note) + 2
    return text + ")"


# ---- torch.nn、torch.nn.functional 这些名字空间 ----


class Namespace:
    """`import torch.nn.functional as F` 得到的东西。"""

    def __init__(self, name, content):
        self.__name__, self.__path__ = f"torch.{name}", []
        self._name = name
        for key in content:
            setattr(self, key, content[key])

    def __getattr__(self, name):
        raise _missing(f"{self._name}.{name}")


PUBLIC["nn"] = Namespace("nn", {"functional": Namespace("nn.functional", FUNCTIONAL)})
PUBLIC["special"], PUBLIC["linalg"] = Namespace("special", SPECIAL), Namespace("linalg", LINALG)
__path__ = []
for _name in ("nn", "special", "linalg"):
    sys.modules[f"{__name__}.{_name}"] = PUBLIC[_name]
sys.modules[f"{__name__}.nn.functional"] = PUBLIC["nn"].functional
