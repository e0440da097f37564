"""页面里练习用的张量：仿照 torch 的一小部分，写法、形状、报错、打印都照它，一个文件，只用 math。

它不是 torch。没有自动求导，没有 GPU，没有 nn.Module，没有复数；用到这里没有的，会说“到 Jupyter 里用 torch”。
数存在一个 Python 列表里，算的时候用双精度，存进去再舍入成 float32，所以末一位可能与 torch 不同。
`rand`、`randn`、`randperm` 是自己的随机数，同一个种子给出的数与 torch 的不同。
视图与 torch 一样共用一份数：改 `x[0]`、`x.T`，`x` 也跟着变。

它既在 CPython 里运行（测试拿它与 torch 逐项比），也在页面的 Brython 里运行，在那里登记成名叫 torch 的模块；
所以只写两边都快的写法：带下标的列表推导，不用 zip。Brython 头一次用到它要先编译，所以练习用不着的不写进来。

为什么是 Brython 加自己的张量：pyodide 没有 torch，张量还得自己仿造（在 NumPy 上），要取 10 MB 以上（这里 0.45 MB），
准备好要几秒（这里半秒上下），而且它的 wasm 从 file:// 打开时取不来。
"""

import math
import sys

PUBLIC = {"inf": math.inf, "nan": math.nan, "pi": math.pi, "e": math.e}  # torch.名字
FUNCTIONAL = {}  # torch.nn.functional 的名字
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


class Type:
    """一种数：kind 是 0 布尔、1 整数、2 小数；place 大的装得下小的。"""

    def __init__(self, name, kind, place, max=1, min=0, eps=None):
        self.name, self.kind, self.place, self.is_floating_point = name, kind, place, kind == 2
        self.max, self.min, self.eps = max, min, eps

    def __repr__(self):
        return f"torch.{self.name}"


BOOL = Type("bool", 0, 0)
INT32 = Type("int32", 1, 1, 2**31 - 1, -(2**31))
INT64 = Type("int64", 1, 2, 2**63 - 1, -(2**63))
FLOAT = Type("float32", 2, 3, 2.0**128 - 2.0**104, 2.0**104 - 2.0**128, 2.0**-23)
DOUBLE = Type("float64", 2, 4, sys.float_info.max, -sys.float_info.max, 2.0**-52)
PUBLIC.update({t.name: t for t in (BOOL, INT32, INT64, FLOAT, DOUBLE)}, dtype=Type)
PUBLIC.update(int=INT32, long=INT64, float=FLOAT, double=DOUBLE)


def _finfo(type=FLOAT):
    """`torch.finfo(x.dtype).min` 一类；这些就记在类型上。"""
    if type.kind != 2:
        raise TypeError(f"finfo 说的是小数的范围，这里是 {type}。")
    return type


class Device:
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
        return isinstance(other, Device)

    def __hash__(self):
        return 0


CPU = Device()
PUBLIC.update(finfo=_finfo, device=Device)

# 乘 2**29 + 1 再减，留下的是前 24 位；先缩小、再放大，太小的数就在双精度的尽头被舍去
SPLIT, DOWN, UP = 2.0**29 + 1, 2.0**-925, 2.0**925


def _fit(values, type):
    """把算出的数放进这种类型：小数舍入，溢出成无穷；整数回绕。"""
    if type is FLOAT:
        if math.hypot(*values) < type.max:  # 没有无穷与 NaN
            return [(c := (y := x * DOWN * UP) * SPLIT) - (c - y) for x in values]
        return [_single(x) for x in values]
    if type is DOUBLE:
        return [float(x) for x in values]
    if type.kind == 0:
        return [bool(x) for x in values]
    if type.kind == 1 and values and not (type.min <= min(values) and max(values) <= type.max):
        return [(x - type.min) % (2 * -type.min) + type.min for x in values]
    return values


def _single(x):
    if x != x or abs(x) >= 2.0**128 - 2.0**103:
        return math.copysign(INF, x) if x == x else x
    y = x * DOWN * UP
    return y * SPLIT - (y * SPLIT - y)


def _cast(values, source, target):
    """一列数换一种类型；类型相同就是原来那一列。"""
    if source is target:
        return values
    if target.kind == 0:
        return [x != 0 for x in values]
    if target.kind == 2:
        return _fit([float(x) for x in values], target)
    return _fit([int(x) if x - x == 0 else INT64.min for x in values], target)


def _kind_of(number):
    """一个 Python 的数当作哪种类型；不是数就是 None。"""
    if isinstance(number, bool):
        return BOOL
    return INT64 if isinstance(number, int) else FLOAT if isinstance(number, float) else None


def _promote(a, b):
    if a is None or b is None:
        return a or b
    return a if a.place > b.place else b


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

    __str__, numel = __repr__, lambda self: _count(self)

    def __getitem__(self, index):
        got = tuple.__getitem__(self, index)
        return Size(got) if isinstance(index, slice) else got


PUBLIC["Size"] = Size


def _sizes(args):
    """`f(2, 3)` 与 `f((2, 3))` 都行。"""
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = args[0]
    for n in args:
        if isinstance(n, float) or not hasattr(n, "__index__"):
            raise TypeError(f"形状里的每一项都应当是整数，这里有 {n!r}。")
    return tuple([int(n) for n in args])


def _count(shape):
    total = 1
    for n in shape:
        total *= n
    return total


def _row_major(shape):
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def _walk(shape, strides, start=0):
    """依次走过每个元素时的位置：第 d 维走一步，位置加 strides[d]。"""
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
    """张量：一列数、一个形状、一种类型。

    视图与别的张量共用那一列数，`_at` 是它的各个元素依次在哪里；不是视图就是 None，整列数就是它的。
    """

    requires_grad, device = False, CPU

    def __init__(self, data=(), shape=None, dtype=FLOAT, at=None):
        if shape is None:  # 读者写的 torch.Tensor([...])
            made = _tensor(data, dtype=FLOAT)
            data, shape = made._data, made.shape
        self._data, self._at, self.dtype = data, at, dtype
        self.shape = shape if isinstance(shape, Size) else Size(shape)

    ndim = property(lambda self: len(self.shape))
    T = property(lambda self: _pick_dims(self, range(len(self.shape))[::-1]))
    mT = property(lambda self: _turned(self))  # noqa: N815

    def __getattr__(self, name):
        raise _missing(f"Tensor.{name}")

    def __getitem__(self, index):
        shape, places, picked = _lookup(self, index)
        part = _seen(self, shape, places)
        return _clone(part) if picked else part

    def __setitem__(self, index, value):
        shape, places, picked = _lookup(self, index)
        part = _seen(self, shape, places)
        tensor = isinstance(value, Tensor)
        if picked or (tensor and value.shape):  # 只填一个数的，几份共用也无妨
            _check_overlap(self if picked else part)
        one = picked == [BOOL] and tensor and _numel(value) == 1  # 只有一个掩码，只填一个数
        if picked and tensor and value.dtype is not self.dtype and not (one or isinstance(index, bool)):
            raise RuntimeError(f"用掩码或编号赋值时类型应当相同，这里是 {self.dtype} 与 {value.dtype}。")
        _put(part, _to_assign(value, shape, self.dtype))

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
        return float(_only(self))

    def __int__(self):
        return int(_only(self))

    def __index__(self):
        if self.dtype.kind == 2 or _numel(self) != 1:
            raise TypeError("只有一个整数的张量才能当下标。")
        return int(_item(self))

    def __format__(self, spec):
        if self.shape and spec:
            raise TypeError("格式只用得到一个数上；先用 .item() 或下标取出来。")
        return repr(self) if self.shape else format(_item(self), spec)

    def __contains__(self, value):
        return True in _eq(self, value)._data

    def __hash__(self):
        return id(self)

    def __repr__(self):
        return _show(self)


PUBLIC["Tensor"] = Tensor


def _at_least(x, ndim, name):
    if len(x.shape) < ndim:
        raise RuntimeError(f"{name} 要至少 {ndim} 维的张量，这里是 {len(x.shape)} 维。")
    return x


def _offer_all(table, *places):
    """表里的函数登记到这些地方：PUBLIC、FUNCTIONAL，或者作 Tensor 的方法。"""
    for name in table:
        for place in places:
            if place is Tensor:
                setattr(Tensor, name, table[name])
            else:
                place[name] = table[name]


def _offer(*places):
    def add(f):
        _offer_all({f.__name__[1:]: f}, *places)
        return f

    return add


_both, _method, _function = _offer(PUBLIC, Tensor), _offer(Tensor), _offer(PUBLIC)


def _check(x, name="input"):
    if not isinstance(x, Tensor):
        raise TypeError(f"{name} 应当是张量，这里是 {type(x).__name__}。")
    return x


def _turned(x):
    return _transpose(_at_least(x, 2, ".mT"), -2, -1) if x.shape else x


def _not_empty(x, name):
    if not _numel(x):
        raise RuntimeError(f"{name} 不能用在空的张量上。")
    return x


def _new(values, shape, type):
    return Tensor(values, shape, type)


def _flat(x):
    """各个元素依次排成的一列；不是视图时就是存着的那一列，不要改它。"""
    if x._at is None:
        return x._data
    data = x._data
    return [data[p] for p in x._at]


def _spread(x, shape):
    """广播成 shape 之后的各个元素。"""
    if x.shape == shape:
        return _flat(x)
    if _numel(x) == 1:
        return [_flat(x)[0]] * _count(shape)
    return _flat(_expand(x, shape))


def _seen(x, shape, places):
    """视图：依次是 x 的第 places 个元素。"""
    at = x._at
    return Tensor(x._data, shape, x.dtype, places if at is None else [at[p] for p in places])


def _shaped(x, shape):
    """同样的元素，次序也不变，只是形状不同。"""
    return Tensor(x._data, shape, x.dtype, x._at)


def _check_overlap(x):
    if x._at is not None and len(set(x._at)) < len(x._at):
        raise RuntimeError("expand 出来的几份共用同一份数，不能就地改；先 .clone()。")


def _put(x, values):
    data, at = x._data, x._at
    for i in range(len(at)):
        data[at[i]] = values[i]


def _write(x, values):
    """就地改写；视图改的是它背后的那一列。"""
    if x._at is None:
        x._data[:] = values
    else:
        _put(x, list(values))
    return x


def _to_assign(value, shape, type):
    """赋给 shape 这么大一块的各个数。"""
    if not isinstance(value, Tensor):
        if _kind_of(value) is None:
            raise TypeError(f"只能把数或张量赋给张量，这里是 {value.__class__.__name__}。")
        return _cast([value], _kind_of(value), type) * _count(shape)
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
    """`x[index]` 的形状，各个元素是 x 的第几个，以及下标里的列表、张量、掩码各是哪种（一个也没有才是视图）。"""
    if isinstance(index, list) and any(
        [isinstance(i, (list, tuple, range, slice, Tensor)) or i is None for i in index]
    ):
        index = tuple(index)  # 列表里还有列表，torch 当作几个下标
    items = [_tidy(item) for item in (index if isinstance(index, tuple) else (index,))]
    used = sum([_covers(item) for item in items])
    if used > len(x.shape):
        raise IndexError(f"下标太多：张量有 {len(x.shape)} 维，这里给了 {used} 个。")
    rest = [slice(None)] * (len(x.shape) - used)
    dots = [i for i in range(len(items)) if items[i] is ...] or [len(items)]
    if rest and len(dots) > 1 and items[-1] is not ...:
        raise IndexError("下标里至多写一个 ...。")
    items = [*items[: dots[0]], *rest, *[item for item in items[dots[0] :] if item is not ...]]

    shape, strides, start, d, picks, layout = [], [], 0, 0, {}, _row_major(x.shape)
    for item in items:
        if item is None or isinstance(item, bool):
            if item is not None:
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
        else:
            columns = [item]
            if item.dtype is BOOL:
                if item.shape != x.shape[d : d + len(item.shape)]:
                    raise IndexError(f"掩码的形状 {tuple(item.shape)} 与张量的 {tuple(x.shape)} 对不上。")
                columns = _nonzero(item, as_tuple=True)
            for column in columns:
                picks[len(shape)] = column
                shape.append(x.shape[d])
                strides.append(layout[d])
                d += 1
    if not picks:
        return shape, _walk(shape, strides, start), []

    picked = [getattr(item, "dtype", item) for item in items if isinstance(item, (Tensor, bool))]
    chosen = _broadcast_or_none(*[item.shape for item in picks.values()])
    if chosen is None:
        said = "、".join([str(tuple(item.shape)) for item in picks.values()])
        raise IndexError(f"几个下标的形状 {said} 不能广播到一起。")
    where = list(picks)
    first = where[0] if where[-1] - where[0] + 1 == len(where) else 0  # 不挨着，就放到最前面
    others = [i for i in range(len(shape)) if i not in picks]
    before, after = others[:first], others[first:]
    result = [*[shape[i] for i in before], *chosen, *[shape[i] for i in after]]
    if 0 in result and all([shape[i] for i in where]):  # 一个也不取，不看编号
        return result, [], picked
    jumps = [0] * _count(chosen)
    for i, item in picks.items():
        places = [_inside(place, shape[i], i) for place in _spread(item, chosen)]
        jumps = [jumps[k] + places[k] * strides[i] for k in range(len(places))]
    heads = _walk([shape[i] for i in before], [strides[i] for i in before], start)
    tails = _walk([shape[i] for i in after], [strides[i] for i in after])
    return result, [p + j + q for p in heads for j in jumps for q in tails], picked


def _tidy(item):
    """下标的一项化成整数、布尔、切片、None、... 或者张量。"""
    if isinstance(item, (list, tuple, range)):
        item = _tensor(list(item)) if len(item) else _tensor([], dtype=INT64)
    if isinstance(item, Tensor):
        if item.dtype.kind == 2:
            raise IndexError("下标应当是整数或布尔的张量，这里是小数的；先 .long()。")
        return item if item.shape else _item(item)
    if item is None or item is ... or isinstance(item, (int, slice)):
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


@_function
def _tensor(data, *, dtype=None, device=None, requires_grad=False):
    if requires_grad:
        raise _missing("tensor(requires_grad=True)")
    if isinstance(data, Tensor):
        return _to(_clone(data), dtype)
    shape, values = _unpack(data)
    kinds = [_kind_of(x) for x in values]
    if None in kinds:
        raise TypeError(f"张量里只能放数，这里有 {values[kinds.index(None)]!r}。")
    type = dtype or (FLOAT if FLOAT in kinds or not kinds else INT64 if INT64 in kinds else BOOL)
    if type.kind == 2:
        return _new(_fit([float(x) for x in values], type), shape, type)
    return _new(_cast([x + 0 for x in values], FLOAT if FLOAT in kinds else INT64, type), shape, type)


def _unpack(data):
    """嵌套的列表变成（形状，一列数）。"""
    if isinstance(data, Tensor):
        if _numel(data) != 1:
            raise ValueError("列表里的张量应当各是一个数；要把几个张量叠起来，用 torch.stack。")
        return (), [_item(data)]
    if not isinstance(data, (list, tuple, range)):
        return (), [data]
    parts = [_unpack(x) if isinstance(x, (list, tuple, range, Tensor)) else ((), [x]) for x in data]
    for i in range(len(parts)):
        if parts[i][0] != parts[0][0]:
            raise ValueError(f"各行应当一样长：第 0 项的形状是 {parts[0][0]}，第 {i} 项是 {parts[i][0]}。")
    return (len(data), *(parts[0][0] if parts else ())), [x for part in parts for x in part[1]]


@_function
def _full(size, fill_value, *, dtype=None, device=None):
    size, value = _sizes((size,)), _tensor(fill_value, dtype=dtype)
    return _new([value._data[0]] * _count(size), size, value.dtype)


def _filled(number, name):
    """zeros、ones：直接给形状的，照着别的张量的。"""

    def make(*size, dtype=None, device=None):
        return _full(_sizes(size), number, dtype=dtype or FLOAT)

    def like(input, dtype=None, device=None):
        return make(input.shape, dtype=dtype or input.dtype)

    PUBLIC[name], PUBLIC[name + "_like"] = make, like
    return make


_zeros, _ones = _filled(0, "zeros"), _filled(1, "ones")
_filled(0, "empty")


@_function
def _full_like(input, fill_value, dtype=None, device=None):
    return _full(input.shape, fill_value, dtype=dtype or input.dtype)


@_function
def _arange(start, end=None, step=1, *, dtype=None, device=None):
    start, end = (0, start) if end is None else (start, end)
    start, end, step = [_item(x) if isinstance(x, Tensor) else x for x in (start, end, step)]
    if step == 0 or (end - start) / step < 0:
        raise RuntimeError(f"arange 从 {start} 到 {end}，步长 {step} 走不到。")
    source = FLOAT if FLOAT in [_kind_of(x) for x in (start, end, step)] else INT64
    values = [start + i * step for i in range(math.ceil((end - start) / step))]
    return _new(_cast(_fit(values, source), source, dtype or source), (len(values),), dtype or source)


@_function
def _eye(n, m=None, *, dtype=None, device=None):
    m = n if m is None else m
    return _new(
        _cast([i == j for i in range(n) for j in range(m)], BOOL, dtype or FLOAT), (n, m), dtype or FLOAT
    )


class Generator:
    """自己的随机数（不是 torch 的）：乘 48271，对 2**31 - 1 取余。"""

    def __init__(self, device="cpu"):
        self.manual_seed(0)

    def manual_seed(self, seed):
        self.state = (int(seed) * 16807 + 20261123) % 2147483646 + 1
        self.uniform(), self.uniform()  # 相近的种子，头一个数也相近，扔掉
        return self

    def uniform(self):
        """从 0 到 1，不含 1；24 位，float32 恰好装得下。"""
        self.state = self.state * 48271 % 2147483647
        return (self.state >> 7) / 16777216

    def normal(self):
        radius = math.sqrt(-2 * math.log(1 - self.uniform()))
        return radius * math.cos(2 * math.pi * self.uniform())


default_generator = Generator()


def _drawn(draw, size, generator, type):
    source = generator or default_generator
    return _new(_fit([draw(source) for _ in range(_count(size))], type), size, type)


def _random(draw):
    return lambda *size, generator=None, dtype=None, device=None: _drawn(
        draw, _sizes(size), generator, dtype or FLOAT
    )


@_function
def _randint(low, high=None, size=None, *, generator=None, dtype=None, device=None):
    if size is None:  # randint(high, size)
        low, high, size = 0, low, high
    if low >= high:
        raise RuntimeError(f"randint 从 {low} 到 {high} 里没有整数可抽。")
    return _drawn(lambda g: low + int(g.uniform() * (high - low)), _sizes((size,)), generator, dtype or INT64)


@_function
def _randperm(n, *, generator=None, dtype=None, device=None):
    source, order = generator or default_generator, list(range(n))
    for i in range(n - 1, 0, -1):
        j = int(source.uniform() * (i + 1))
        order[i], order[j] = order[j], order[i]
    return _new(order, (n,), dtype or INT64)


_rand, _randn = _random(Generator.uniform), _random(Generator.normal)
PUBLIC.update(Generator=Generator, manual_seed=default_generator.manual_seed, rand=_rand, randn=_randn)

# ---- 取出来，换类型 ----


@_both
def _numel(input):
    return _count(input.shape)


def _only(self):
    if _numel(self) != 1:
        raise ValueError(f"有 {_numel(self)} 个数的张量不能当成一个数，先求和、取平均，或者用下标取出一个。")
    return _item(self)


@_method
def _item(self):
    values = _flat(self)
    if len(values) != 1:
        raise RuntimeError(f"有 {len(values)} 个数的张量不能用 .item()，要 .tolist()，或者先求和、取平均。")
    return values[0]


def _nested(values, shape):
    """一列数按形状套成列表的列表。"""
    for d in range(len(shape) - 1, 0, -1):
        n = shape[d]
        values = [values[i * n : i * n + n] for i in range(_count(shape[:d]))]
    return values


@_method
def _tolist(self):
    if not self.shape:
        return _item(self)
    return _nested(list(_flat(self)), self.shape)


@_both
def _clone(input):
    return _new(list(_flat(_check(input))), input.shape, input.dtype)


@_method
def _contiguous(self):
    at = self._at
    return self if not at or at == list(range(at[0], at[0] + len(at))) else _clone(self)


@_method
def _to(self, *args, dtype=None, device=None):
    for given in (*args, device):
        if isinstance(given, (Tensor, Type)):
            dtype = given.dtype if isinstance(given, Tensor) else given
        elif given is not None:
            Device(given)
    if dtype is None or dtype is self.dtype:
        return self
    return _new(list(_cast(_flat(self), self.dtype, dtype)), self.shape, dtype)


def _converter(type):
    return lambda self: _to(self, type)


for _name in ("bool", "int", "long", "float", "double"):
    setattr(Tensor, _name, _converter(PUBLIC[_name]))
for _name in ("cpu", "detach"):
    setattr(Tensor, _name, lambda self: self)
Tensor.dim = lambda self: len(self.shape)
Tensor.size = lambda self, dim=None: self.shape if dim is None else self.shape[_axis(dim, len(self.shape))]
Tensor.is_floating_point, Tensor.is_complex = (
    lambda self: self.dtype.kind == 2,
    lambda self: False,
)  # 判断时要问

# ---- 换形状：都是视图 ----


def _completed(shape, count):
    """把形状里的 -1 算出来。"""
    known = _count([n for n in shape if n != -1])
    if list(shape).count(-1) > 1 or any([n < -1 for n in shape]):
        raise RuntimeError(f"形状 {tuple(shape)} 里至多有一个 -1，其余不能是负数。")
    if -1 in shape and known and count % known == 0:
        return tuple([count // known if n == -1 else n for n in shape])
    if -1 in shape or known != count:
        raise RuntimeError(f"{count} 个数排不成形状 {tuple(shape)}。")
    return tuple(shape)


def _viewable(x, shape):
    """不搬数就能看成新形状：每一维每走一步，在那一列数里跨过的一样多。"""
    at, steps = x._at, _row_major(shape)
    if not at:
        return True
    strides = [at[steps[d]] - at[0] if shape[d] > 1 else 0 for d in range(len(shape))]
    return _walk(shape, strides, at[0]) == at


@_both
def _reshape(input, *shape):
    shape = _completed(_sizes(shape), _numel(_check(input)))
    return _shaped(input if _viewable(input, shape) else _clone(input), shape)


@_method
def _view(self, *shape):
    shape = _completed(_sizes(shape), _numel(self))
    if not _viewable(self, shape):
        raise RuntimeError(
            f"形状 {tuple(self.shape)} 的这个张量在内存里不是依次放着的（转置过、切过），"
            ".view 不搬数，看不成新的形状；用 .reshape，或者先 .contiguous()。"
        )
    return _shaped(self, shape)


@_both
def _flatten(input, start_dim=0, end_dim=-1):
    shape = input.shape or (1,)
    start, end = _axis(start_dim, len(shape)), _axis(end_dim, len(shape))
    if start > end:
        raise RuntimeError(f"flatten 的 start_dim={start_dim} 在 end_dim={end_dim} 之后。")
    return _reshape(input, (*shape[:start], _count(shape[start : end + 1]), *shape[end + 1 :]))


@_both
def _unflatten(input, dim, sizes):
    dim = _axis(dim, len(input.shape))
    sizes = _completed(_sizes((sizes,)), input.shape[dim])
    return input.view(*input.shape[:dim], *sizes, *input.shape[dim + 1 :])


def _pick_dims(x, dims):
    strides = _row_major(x.shape)
    shape = [x.shape[d] for d in dims]
    return _seen(x, shape, _walk(shape, [strides[d] for d in dims]))


@_both
def _permute(input, *dims):
    ndim, dims = len(input.shape), _sizes(dims)
    if len(dims) == ndim:
        dims = [_axis(d, ndim) for d in dims]
    if sorted(dims) != list(range(ndim)):
        raise RuntimeError(f"permute 要把 {ndim} 维各写一次，这里是 {tuple(dims)}。")
    return _pick_dims(input, dims)


@_both
def _transpose(input, dim0, dim1):
    dims = list(range(len(input.shape)))
    a, b = _axis(dim0, len(dims)), _axis(dim1, len(dims))
    if dims:
        dims[a], dims[b] = b, a
    return _pick_dims(input, dims)


@_both
def _movedim(input, source, destination):
    ndim = len(input.shape)
    order = [d for d in range(ndim) if d != _axis(source, ndim)]
    order.insert(_axis(destination, ndim), _axis(source, ndim))
    return _pick_dims(input, order) if ndim else input


@_both
def _unsqueeze(input, dim):
    dim = _axis(dim, len(input.shape) + 1)
    return _shaped(input, (*input.shape[:dim], 1, *input.shape[dim:]))


@_both
def _squeeze(input, dim=None):
    drop = [d for d in _axes(dim, len(input.shape)) if input.shape[d] == 1]
    return _shaped(input, [n for d, n in enumerate(input.shape) if d not in drop])


@_method
def _expand(self, *sizes):
    sizes, strides, result = _sizes(sizes), _row_major(self.shape), []
    shape, more = list(sizes), len(sizes) - len(self.shape)
    for i in range(max(len(sizes), more < 0)):
        n = self.shape[i - more] if i >= more else 1
        if more >= 0 and shape[i] == -1 and i >= more:
            shape[i] = n
        if more < 0 or n not in (1, shape[i]) or shape[i] < 0:
            raise RuntimeError(
                f"形状 {tuple(self.shape)} 扩不成 {tuple(sizes)}：只能添在前面，把大小为 1 的变大。"
            )
        result.append(strides[i - more] if i >= more and n == shape[i] else 0)
    return _seen(self, shape, _walk(shape, result))


def _part(x, dim, index):
    return x[(slice(None),) * _axis(dim, len(x.shape)) + (index,)]


@_both
def _unbind(input, dim=0):
    return tuple([_part(input, dim, i) for i in range(input.shape[_axis(dim, len(input.shape))])])


@_both
def _split(tensor, split_size_or_sections, dim=0):
    n, sizes = _at_least(tensor, 1, "split").shape[_axis(dim, len(tensor.shape))], split_size_or_sections
    if isinstance(sizes, int):
        sizes = [min(sizes, n - i) for i in range(0, n, sizes)] or [0]
    if sum(sizes) != n:
        raise RuntimeError(f"各段合计应当是 {n}，这里是 {list(sizes)}。")
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    return tuple([_part(tensor, dim, slice(ends[i] - sizes[i], ends[i])) for i in range(len(sizes))])


@_both
def _diagonal(input, offset=0, dim1=0, dim2=1):
    ndim, strides = len(input.shape), _row_major(input.shape)
    a, b = _axis(dim1, ndim), _axis(dim2, ndim)
    if a == b:
        raise RuntimeError(f"diagonal 要两个不同的维，这里是 {dim1} 与 {dim2}。")
    count = max(min(input.shape[a] + min(offset, 0), input.shape[b] - max(offset, 0)), 0)
    start = offset * strides[b] if offset > 0 else -offset * strides[a]
    rest = [d for d in range(ndim) if d not in (a, b)]
    shape, steps = [*[input.shape[d] for d in rest], count], [strides[d] for d in rest]
    return _seen(input, shape, _walk(shape, [*steps, strides[a] + strides[b]], start))


@_both
def _t(input):
    if len(input.shape) > 2:
        raise RuntimeError(f".t() 至多管 2 维，这里有 {len(input.shape)} 维；用 .mT 或 .transpose。")
    return input.T


Tensor.view_as = lambda self, other: _view(self, other.shape)
Tensor.expand_as = lambda self, other: _expand(self, other.shape)
PUBLIC["broadcast_shapes"] = lambda *shapes: Size(_broadcast(*[_sizes((s,)) for s in shapes]))

# ---- 搬数 ----


@_both
def _flip(input, *dims):
    dims = _axes(_sizes(dims), len(input.shape)) if _sizes(dims) else []
    for d in dims:
        input = _part(input, d, list(range(input.shape[d]))[::-1])
    return _clone(input)


Tensor.fliplr = lambda self: _flip(self, 1)


@_both
def _roll(input, shifts, dims=None):
    if dims is None:
        return _reshape(_roll(_reshape(input, -1), shifts, 0), input.shape)
    if not _numel(input):
        return input.clone()
    n = input.shape[_axis(dims, len(input.shape))]
    return _part(input, dims, [(i - shifts) % n for i in range(n)])


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
def _repeat_interleave(input, repeats, dim=None):
    if dim is None:
        input, dim = _reshape(input, -1), 0
    n = input.shape[_axis(dim, len(input.shape))]
    times = _tolist(_expand(_reshape(repeats, -1), n)) if isinstance(repeats, Tensor) else [repeats] * n
    return _part(input, dim, [i for i in range(n) for _ in range(times[i])])


@_function
def _cat(tensors, dim=0):
    tensors = [_check(x, "cat 的每一项") for x in tensors]
    type = _result_type(*tensors)
    if not tensors or not all([x.shape for x in tensors]):
        raise RuntimeError("cat 要一列张量，至少一个，各至少一维；一个数的张量用 stack。")
    tensors = [x for x in tensors if x.shape != (0,)]  # 形状 (0,) 的与什么都接得上
    if not tensors:
        return _new([], (0,), type)
    dim, like = _axis(dim, len(tensors[0].shape)), tensors[0].shape
    for x in tensors:
        if (*x.shape[:dim], *x.shape[dim + 1 :]) != (*like[:dim], *like[dim + 1 :]):
            raise RuntimeError(
                f"cat 除了第 {dim} 维，各个形状应当相同，这里有 {tuple(like)} 与 {tuple(x.shape)}。"
            )
    parts = [_cast(_flat(x), x.dtype, type) for x in tensors]
    blocks, values = [_count(x.shape[dim:]) for x in tensors], []
    for i in range(_count(like[:dim])):
        for k in range(len(parts)):
            values.extend(parts[k][i * blocks[k] : (i + 1) * blocks[k]])
    return _new(values, (*like[:dim], sum([x.shape[dim] for x in tensors]), *like[dim + 1 :]), type)


@_function
def _stack(tensors, dim=0):
    tensors = [_check(x, "stack 的每一项") for x in tensors]
    for x in tensors:
        if x.shape != tensors[0].shape:
            raise RuntimeError(
                f"stack 的各个形状应当相同，这里有 {tuple(tensors[0].shape)} 与 {tuple(x.shape)}。"
            )
    return _cat([_unsqueeze(x, dim) for x in tensors], dim)


def _triangle(keep):
    def f(input, diagonal=0):
        n, m = _at_least(input, 2, "三角").shape[-2:]
        kept, values = [keep(j - i - diagonal) for i in range(n) for j in range(m)], _flat(input)
        zero, size = _zero(input.dtype), n * m
        return _new(
            [values[p] if kept[p % size] else zero for p in range(len(values))], input.shape, input.dtype
        )

    return f


_offer_all(
    {"tril": _triangle(lambda over: over <= 0), "triu": _triangle(lambda over: over >= 0)}, PUBLIC, Tensor
)


def _zero(type):
    return (False, 0, 0.0)[type.kind]


@_both
def _nonzero(input, *, as_tuple=False):
    values, shape, strides = _flat(input), input.shape, _row_major(input.shape)
    found = [p for p in range(len(values)) if values[p] != 0]
    places = [[p // strides[d] % shape[d] for p in found] for d in range(len(shape))]
    if as_tuple:
        return tuple([_new(column, (len(found),), INT64) for column in places])
    return _new([i for column in places for i in column], (len(shape), len(found)), INT64).T


def _along(input, dim, index, name):
    """gather、scatter 的每一格对应 input 的第几个元素。"""
    dim, strides, picks = _axis(dim, len(input.shape)), list(_row_major(input.shape)), _flat(index)
    if index.dtype is not INT64 or len(index.shape) != len(input.shape):
        raise RuntimeError(f"{name} 的 index 应当是 {len(input.shape)} 维的整数（int64）张量。")
    if any([index.shape[d] > input.shape[d] for d in range(len(index.shape)) if d != dim]):
        raise RuntimeError(
            f"{name} 的 index 形状 {tuple(index.shape)} 比 {tuple(input.shape)} 大（第 {dim} 维除外）。"
        )
    step, n = (strides[dim], input.shape[dim]) if strides else (0, 1)
    if picks and not 0 <= min(picks) <= max(picks) < n:
        raise RuntimeError(f"{name} 的编号应当从 0 到 {n - 1}，这里有 {min(picks)} 与 {max(picks)}。")
    strides[dim : dim + 1] = [0] if strides else []
    at = _walk(index.shape, strides)
    return [at[k] + picks[k] * step for k in range(len(picks))]


@_both
def _gather(input, dim, index):
    values = _flat(input)
    return _new([values[p] for p in _along(input, dim, index, "gather")], index.shape, input.dtype)


@_both
def _scatter(input, dim, index, src=None, *, value=None):
    result, src = _clone(input), value if src is None else src
    at = _along(input, dim, index, "scatter")
    if isinstance(src, Tensor):
        if src.dtype is not input.dtype:
            raise RuntimeError(f"scatter 的 src 应当与张量同类型，这里是 {src.dtype} 与 {input.dtype}。")
        src = src[tuple([slice(n) for n in index.shape])]
    _put(_seen(result, (len(at),), at), _to_assign(src, index.shape, input.dtype))
    return result


@_both
def _index_add(input, dim, index, source, *, alpha=1):
    dim, result = _axis(dim, len(input.shape)), _clone(input)
    wanted = (*input.shape[:dim], _numel(index), *input.shape[dim + 1 :])
    if len(index.shape) > 1 or source.shape != wanted or source.dtype is not input.dtype:
        raise RuntimeError(
            f"index_add 的 source 应当是形状 {wanted} 的 {input.dtype}，"
            f"这里是 {tuple(source.shape)} 的 {source.dtype}。"
        )
    source = source if alpha == 1 else _to(_mul(source, alpha), input.dtype)
    for k, i in enumerate(_flat(index)):
        _part(result, dim, i).add_(_part(source, dim, k))
    return result


@_both
def _index_put(input, indices, values, accumulate=False):
    result = _clone(input)
    shape, places, _ = _lookup(result, tuple(indices))
    given, data = _to_assign(values, shape, input.dtype), result._data
    for k in range(len(places)):
        data[places[k]] = data[places[k]] + given[k] if accumulate else given[k]
    return result


@_both
def _bincount(input, minlength=0):
    if input.dtype.kind != 1 or len(input.shape) != 1 or min(_flat(input), default=0) < 0:
        raise RuntimeError("bincount 要一维的、没有负数的整数张量。")
    values = _flat(input)
    counts = [values.count(i) for i in range(max(minlength, max(values, default=-1) + 1))]
    return _new(counts, (len(counts),), INT64)


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


def _rounded(f):
    return lambda x: math.copysign(f(x), x) if isinstance(x, float) and x - x == 0 else x


def _divide(a, b):
    try:
        return a / b
    except ZeroDivisionError:
        return NAN if a == 0 or a != a else math.copysign(INF, a) * math.copysign(1, b)


def _floor_divide_of(a, b):
    if isinstance(a, int):
        return a // _not_zero(b)
    return a // b if b != 0 else _divide(a, b)


def _remainder_of(a, b):
    return a % _not_zero(b) if isinstance(a, int) else _safe_mod(a, b)


def _not_zero(b):
    if b == 0:
        raise RuntimeError("整数除以了 0（ZeroDivisionError）。")
    return b


def _power(a, b):
    if isinstance(a, int):
        return a**b if b >= 0 else 0 if a not in (1, -1) else a if b % 2 else 1
    if b == 0.5:
        return _guard(math.sqrt)(a)
    try:
        return math.pow(a, b)
    except (OverflowError, ValueError):
        return NAN if a < 0 and b % 1 else math.copysign(INF, a) if b % 2 == 1 else INF


def _larger(a, b):
    return a if a != a or a > b else b


def _smaller(a, b):
    return a if a != a or a < b else b


def _xlogx(a, b):
    return 0.0 if a == 0 and b == b else a * _log_of(b)


def _sigmoid_of(x):
    return 1 / (1 + _exp_of(-x))


_exp_of, _safe_log, _safe_mod = _guard(math.exp), _guard(math.log), _guard(lambda a, b: a % b)


def _log_of(x):
    return _safe_log(x) if x else -INF


# 结果："原样" 与输入同类型，不必舍入；"舍入" 同类型；"小数" 整数先变小数；"只收小数"；"布尔"；"整数" 只收布尔与整数
UNARY = {
    "原样": {
        "abs": abs,
        "neg": lambda x: -x,
        "floor": _rounded(math.floor),
        "ceil": _rounded(math.ceil),
        "relu": lambda x: x if x != x or x > 0 else type(x)(0),
    },
    "小数": {
        "exp": _exp_of,
        "log": _log_of,
        "rsqrt": lambda x: _divide(1.0, _guard(math.sqrt)(x)),
        "sigmoid": _sigmoid_of,
        **{f: _guard(getattr(math, f)) for f in ("sqrt", "sin", "cos", "tanh", "acos", "erf")},
    },
    "布尔": {
        "isnan": lambda x: x != x,
        "isfinite": lambda x: x - x == 0,
    },
    "整数": {"bitwise_not": lambda x: not x if isinstance(x, bool) else ~x},
}
BINARY = {
    "舍入": {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "pow": _power,
        "floor_divide": _floor_divide_of,
        "remainder": _remainder_of,
    },
    "原样": {"maximum": _larger, "minimum": _smaller},
    "小数": {"div": _divide, "atan2": math.atan2, "xlogy": _xlogx},
    "布尔": {
        "eq": lambda a, b: a == b,
        "ne": lambda a, b: a != b,
        "lt": lambda a, b: a < b,
        "le": lambda a, b: a <= b,
        "gt": lambda a, b: a > b,
        "ge": lambda a, b: a >= b,
    },
    "整数": {
        "bitwise_and": lambda a, b: a & b,
        "bitwise_or": lambda a, b: a | b,
        "bitwise_xor": lambda a, b: a ^ b,
    },
}
TENSORS_ONLY = dict.fromkeys(("maximum", "minimum", "atan2"), 2)
TENSORS_ONLY.update(dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge"), 1))  # 头一个要是张量，第二个可以是数
NO_BOOL = {
    "sub": "布尔张量不能相减；要把掩码取反，用 ~mask。",
    "neg": "布尔张量没有负号；要把掩码取反，用 ~mask。",
    "abs": "布尔张量没有绝对值；先 .int()。",
    "relu": "relu 不收布尔张量；先 .float()。",
}


def _checked_type(name, rule, type, operands):
    """先换成什么类型再算；不收这种类型就说出来。"""
    if name in NO_BOOL and any(
        [(x.dtype if isinstance(x, Tensor) else _kind_of(x)) is BOOL for x in operands]
    ):
        raise RuntimeError(NO_BOOL[name])
    if rule == "小数" and type.kind < 2:
        return FLOAT
    if rule == "只收小数" and type.kind < 2:
        raise RuntimeError(f"{name} 只收小数，这里是 {type}；先 .float()。")
    if rule == "整数" and type.kind == 2:
        said = f"{name} 只收布尔与整数，这里是 {type}。"
        raise TypeError(said) if name == "bitwise_not" else RuntimeError(said)
    return type


def _unary(name, f, rule):
    def op(input):
        type = _checked_type(name, rule, _check(input).dtype, [input])
        values = [f(x) for x in _cast(_flat(input), input.dtype, type)]
        if rule == "布尔":
            return _new(values, input.shape, BOOL)
        return _new(values if rule == "原样" else _fit(values, type), input.shape, type)

    return op


def _binary(name, f, rule):
    def op(input, other):
        if not (_numeric(input) and _numeric(other)):
            bad = other if _numeric(input) else input
            raise TypeError(f"{name} 的两边应当是张量或数，这里有 {bad.__class__.__name__}。")
        for x in (input, other)[: TENSORS_ONLY.get(name, 0)]:
            _check(x, f"torch.{name} 的两边" if TENSORS_ONLY[name] > 1 else f"torch.{name} 的左边")
        type, shape, a, b = _aligned(input, other)
        if name == "pow" and type.kind == 1 and isinstance(other, int) and other < 0:
            raise RuntimeError("整数张量不能取负整数次方；先 .float()。")
        if rule != "舍入" or name == "sub":
            wanted = _checked_type(name, rule, type, [input, other])
            if wanted is not type:
                type, a, b = wanted, _cast(a, type, wanted), _cast(b, type, wanted)
        values = [f(a[i], b[i]) for i in range(len(a))]
        if rule == "布尔":
            return _new(values, shape, BOOL)
        return _new(values if rule == "原样" else _fit(values, type), shape, type)

    return op


def _aligned(*operands):
    """换成同一种类型，广播到同一个形状：（类型，形状，一列数……）。"""
    shapes, types = [x.shape for x in operands if isinstance(x, Tensor)], []
    shape, type = shapes[0] if shapes else (), None
    for x in operands:
        kind = x.dtype if isinstance(x, Tensor) else _kind_of(x)
        if kind not in types:
            types.append(kind)
        if isinstance(x, Tensor) and x.shape != shape:
            shape = _broadcast(*shapes)
    type = types[0] if len(types) == 1 else _result_type(*operands)
    columns = []
    for x in operands:
        if isinstance(x, Tensor):
            columns.append(_cast(_spread(x, shape), x.dtype, type))
        else:
            columns.append(_cast([x], _kind_of(x), type) * _count(shape))
    return (type, shape, *columns)


def _numeric(x):
    return isinstance(x, Tensor) or _kind_of(x) is not None


for _make, _rules in ((_unary, UNARY), (_binary, BINARY)):
    for _rule, _table in _rules.items():
        _offer_all({_name: _make(_name, _f, _rule) for _name, _f in _table.items()}, PUBLIC, Tensor)
_add, _mul, _eq = PUBLIC["add"], PUBLIC["mul"], PUBLIC["eq"]


@_both
def _square(input):
    return _mul(input, input) if input.dtype is not BOOL else _to(input, INT64)


@_both
def _round(input, *, decimals=0):
    scale = 10.0**decimals
    return _unary(
        "round", lambda x: _rounded(round)(x * scale) / scale if isinstance(x, float) else x, "舍入"
    )(input)


_raise_to, _lower_to = _binary("clamp", _larger, "原样"), _binary("clamp", _smaller, "原样")


@_both
def _clamp(input, min=None, max=None):
    if min is None and max is None:
        raise RuntimeError("clamp 至少要给 min 与 max 中的一个。")
    input = input if min is None else _raise_to(input, min)
    return input if max is None else _lower_to(input, max)


@_both
def _nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    if input.dtype.kind < 2:
        return _clone(input)
    top = input.dtype.max if posinf is None else posinf
    low = input.dtype.min if neginf is None else neginf
    values = [nan if x != x else top if x == INF else low if x == -INF else x for x in _flat(input)]
    return _new(_cast(values, None, input.dtype), input.shape, input.dtype)


@_function
def _where(condition, input=None, other=None):
    if input is None and other is None:
        return _nonzero(condition, as_tuple=True)
    if _check(condition, "where 的条件").dtype is not BOOL:
        raise RuntimeError(f"where 的条件应当是布尔张量，这里是 {condition.dtype}。")
    shape = _broadcast(*[x.shape for x in (condition, input, other) if isinstance(x, Tensor)])
    ask = _spread(condition, shape)
    type, inner, a, b = _aligned(input, other)
    a, b = _spread(_new(a, inner, type), shape), _spread(_new(b, inner, type), shape)
    return _new([a[i] if ask[i] else b[i] for i in range(len(ask))], shape, type)


Tensor.where = lambda self, condition, other: _where(condition, self, other)


@_both
def _masked_fill(input, mask, value):
    if not isinstance(mask, Tensor) or mask.dtype is not BOOL:
        raise RuntimeError(
            "masked_fill 的掩码应当是布尔张量（True 的地方换掉）；整数的掩码先写 == 0 或 .bool()。"
        )
    if isinstance(value, Tensor) and value.shape:
        raise RuntimeError(f"masked_fill 只能填一个数，这里是形状 {tuple(value.shape)} 的张量。")
    number, type = _item(value) if isinstance(value, Tensor) else value, input.dtype
    fill = _cast([number], _kind_of(number), type)[0]
    if (number - number == 0 and fill - fill != 0) or (type.kind == 1 and number - number != 0):
        said = "float" if type is FLOAT else f"{type.name}_t"
        raise RuntimeError(f"value cannot be converted to type {said} without overflow")  # torch 的原话
    shape = _broadcast(input.shape, mask.shape)
    values, hide = _spread(input, shape), _spread(mask, shape)
    return _new([fill if hide[i] else values[i] for i in range(len(hide))], shape, type)


def _swapped(op):
    return lambda self, other: op(other, self) if _numeric(other) else NotImplemented


def _operator(op):
    return lambda self, other: op(self, other) if _numeric(other) else NotImplemented


def _in_place(op):
    """`x += y` 与 `x.add_(y)`：算好再写回原处；形状与类型都不许因此改变。"""

    def change(self, *args, **options):
        _check_overlap(self)
        result = op(self, *args, **options)
        if result.shape != self.shape:
            raise RuntimeError(
                f"就地改不能改形状：原来是 {tuple(self.shape)}，结果是 {tuple(result.shape)}。"
            )
        if result.dtype.kind > self.dtype.kind:
            raise RuntimeError(f"就地改不能换类型：原来是 {self.dtype}，结果是 {result.dtype}。")
        return _write(self, _cast(_flat(result), result.dtype, self.dtype))

    return change


OPERATORS = {"truediv": "div", "floordiv": "floor_divide", "mod": "remainder"}
OPERATORS.update({name: f"bitwise_{name}" for name in ("and", "or", "xor")})
for _name in ("add", "sub", "mul", "pow", *OPERATORS):
    _f = PUBLIC[OPERATORS.get(_name, _name)]
    setattr(Tensor, f"__{_name}__", _operator(_f))
    setattr(Tensor, f"__r{_name}__", _swapped(_f))
    setattr(Tensor, f"__i{_name}__", _in_place(_f))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Tensor, f"__{_name}__", _operator(PUBLIC[_name]))
Tensor.__neg__, Tensor.__abs__, Tensor.__invert__ = PUBLIC["neg"], PUBLIC["abs"], PUBLIC["bitwise_not"]
for _name in ("add", "masked_fill"):
    setattr(Tensor, _name + "_", _in_place(PUBLIC[_name]))
Tensor.fill_ = lambda self, value: _write(self, _to_assign(value, self.shape, self.dtype))
Tensor.zero_ = lambda self: Tensor.fill_(self, 0)


@_method
def _fill_diagonal_(self, value):
    if len(self.shape) < 2 or (len(self.shape) > 2 and len(set(self.shape)) > 1):
        raise RuntimeError(f"fill_diagonal_ 要两维，或者各维一样大，这里是 {tuple(self.shape)}。")
    step, n = sum(_row_major(self.shape)), min(self.shape)
    _seen(self, (n,), [i * step for i in range(n)]).fill_(value)
    return self


# ---- 合并几维 ----


def _rows(x, dims):
    """每个结果要合并的那些数，各成一列。"""
    strides, values = _row_major(x.shape), _flat(x)
    keep = [d for d in range(len(x.shape)) if d not in dims]
    outer = _walk([x.shape[d] for d in keep], [strides[d] for d in keep])
    inner = _walk([x.shape[d] for d in dims], [strides[d] for d in dims])
    return [[values[p + q] for q in inner] for p in outer]


def _reduced(input, dim, keepdim, f, type):
    dims = _axes(dim, len(_check(input).shape))
    shape = [1 if d in dims else n for d, n in enumerate(input.shape) if keepdim or d not in dims]
    rows = _rows(input, dims)
    if not rows:
        f([0] * _count([input.shape[d] for d in dims]))  # 没有结果，该报的错照报
    return _new(_fit([f(row) for row in rows], type), shape, type)


def _best(choose):
    def f(row):
        """最大或最小的；有 NaN 就是 NaN。"""
        if not row:
            raise IndexError("空的张量没有最大最小值。")
        if sum(row) != sum(row):
            return next((x for x in row if x != x), choose(row))
        return choose(row)

    return f


_top, _low = _best(max), _best(min)


def _variance(row, correction=1):
    mean = _divide(sum(row), len(row))
    return _divide(sum([(x - mean) ** 2 for x in row]), float(max(len(row) - correction, 0)))


def _log_sum_exp(row):
    top = _top(row) if row else -INF
    return top if top - top != 0 else top + math.log(sum([_exp_of(x - top) for x in row]))


def _length(row, p=2):
    if p == 2:
        return math.sqrt(sum([x * x for x in row]))
    sizes = [abs(x) for x in row]
    return max(sizes) if p == INF else _power(float(sum([_power(float(x), p) for x in sizes])), 1 / p)


# 怎样合并，结果的类型："加" 把布尔与整数合成 int64
REDUCTIONS = {
    "sum": (sum, "加"),
    "prod": (math.prod, "加"),
    "mean": (lambda row: _divide(sum(row), len(row)), "只收小数"),
    "logsumexp": (_log_sum_exp, "小数"),
    "amax": (_top, "原样"),
    "amin": (_low, "原样"),
    "all": (lambda row: 0 not in row, BOOL),
    "any": (lambda row: any([x != 0 for x in row]), BOOL),
    "count_nonzero": (lambda row: len([x for x in row if x != 0]), INT64),
}


def _reduction(name, f, rule):
    def op(input, dim=None, keepdim=False, *, dtype=None, axis=None):
        input = _to(_check(input), dtype)
        type = rule if isinstance(rule, Type) else _checked_type(name, rule, input.dtype, [input])
        if rule == "加" and type.kind < 2 and dtype is None:
            type = INT64
        return _reduced(input, dim if axis is None else axis, keepdim, f, type)

    return op


_offer_all({_name: _reduction(_name, *_how) for _name, _how in REDUCTIONS.items()}, PUBLIC, Tensor)


def _deviation(name, finish):
    def op(input, dim=None, unbiased=None, keepdim=False, *, correction=1):
        if isinstance(dim, bool):  # x.var(False)
            dim, unbiased = None, dim
        type = _checked_type(name, "只收小数", input.dtype, [input])
        less = correction if unbiased is None else int(unbiased)
        return _reduced(input, dim, keepdim, lambda row: finish(_variance(row, less)), type)

    return op


@_both
def _norm(input, p=2, dim=None, keepdim=False):
    type = _checked_type("norm", "只收小数", input.dtype, [input])
    return _reduced(input, dim, keepdim, lambda row: _length(row, 2 if p == "fro" else p), type)


class Pair(tuple):
    """一次给两样的结果：`.values` 与 `.indices`。"""

    values, indices = property(lambda self: self[0]), property(lambda self: self[1])

    def __repr__(self):
        return f"torch.return_types(\nvalues={self[0]!r},\nindices={self[1]!r})"


class Ends(tuple):
    """aminmax 的结果：`.min` 与 `.max`。"""

    min, max = property(lambda self: self[0]), property(lambda self: self[1])


def _place_of(row, x):
    return row.index(x) if x == x else next(i for i in range(len(row)) if row[i] != row[i])


def _extreme(name, best, pairwise):
    """max 与 min：一个数，沿一维的（数，编号），或者两个张量逐个比；还有 argmax 与 argmin。"""

    def op(input, dim=None, keepdim=False, *, other=None):
        other = dim if isinstance(dim, Tensor) else other
        if other is not None:
            return pairwise(input, other)
        if dim is None:
            return _reduced(_not_empty(input, name), None, False, best, input.dtype)
        dim = _axis(dim, len(input.shape))
        places = _reduced(input, dim, keepdim, lambda row: _place_of(row, best(row)), INT64)
        return Pair((_reduced(input, dim, keepdim, best, input.dtype), places))

    def arg(input, dim=None, keepdim=False):
        if input.dtype is BOOL or (dim is None and not _numel(input)):
            raise (RuntimeError if input.dtype is BOOL else IndexError)(f"arg{name} 不收布尔的、空的张量。")
        return _reduced(input, dim, keepdim, lambda row: _place_of(row, best(row)), INT64)

    return {name: op, "arg" + name: arg}


_offer_all(
    {
        **_extreme("max", _top, PUBLIC["maximum"]),
        **_extreme("min", _low, PUBLIC["minimum"]),
        "var": _deviation("var", lambda x: x),
        "std": _deviation("std", _guard(math.sqrt)),
    },
    PUBLIC,
    Tensor,
)


@_both
def _aminmax(input, *, dim=None, keepdim=False):
    return Ends((input.amin(dim, keepdim), input.amax(dim, keepdim)))


@_both
def _quantile(input, q, dim=None, keepdim=False):
    type = _checked_type("quantile", "只收小数", _not_empty(input, "quantile").dtype, [input])
    q = float(q)

    def between(row):
        if any([x != x for x in row]):
            return NAN
        row, at = sorted(row), q * (len(row) - 1)
        low, high = row[math.floor(at)], row[math.ceil(at)]
        part = at - math.floor(at)
        return low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)

    return _reduced(input, dim, keepdim, between, type)


# ---- 沿一维，一列变一列 ----


def _each_row(input, dim, f, type):
    """f 收下沿 dim 的一列，给出一列；结果放回原来的次序。"""
    dim, ndim = _axis(dim, len(_check(input).shape)), len(input.shape)
    if not ndim:
        return _new(_fit(f(list(_flat(input))), type), (), type)
    rows = [f(row) for row in _rows(input, [dim])]
    outer = [input.shape[d] for d in range(ndim) if d != dim]
    values, count = [x for row in rows for x in row], len(rows[0] if rows else f([0] * input.shape[dim]))
    result = _new(_fit(values, type), (*outer, count), type)
    return result if dim == ndim - 1 else _clone(_movedim(result, -1, dim))


def _softmax_row(row):
    top = max(row, default=0.0)
    powers = [_exp_of(x - top) for x in row]
    total = sum(powers)
    return [x / total for x in powers]


def _log_softmax_row(row):
    top = max(row, default=0.0)
    less = _log_of(sum([_exp_of(x - top) for x in row]))
    return [x - top - less for x in row]


def _cumulated(row):
    result = row[:1]
    for x in row[1:]:
        result.append(result[-1] + x)
    return result


ROWS = {
    "softmax": (_softmax_row, "只收小数"),
    "log_softmax": (_log_softmax_row, "只收小数"),
    "cumsum": (_cumulated, "加"),
}


def _row_by_row(name, f, rule):
    def op(input, dim, dtype=None):
        input = _to(_check(input), dtype)
        type = _checked_type(name, rule, input.dtype, [input])
        if type.kind < 2:
            input, type = _to(input, INT64), INT64
        return _each_row(input, dim, f, type)

    return op


_offer_all({_name: _row_by_row(_name, *_how) for _name, _how in ROWS.items()}, PUBLIC, Tensor)
_softmax, _log_softmax = PUBLIC["softmax"], PUBLIC["log_softmax"]


def _order(descending):
    """排序之后的编号；相同的保持先后，NaN 算最大。"""

    def f(row):
        key = (lambda i: (row[i] != row[i], row[i])) if sum(row) != sum(row) else lambda i: row[i]
        return sorted(range(len(row)), key=key, reverse=descending)

    return f


@_both
def _argsort(input, dim=-1, descending=False, stable=False):
    return _each_row(input, dim, _order(descending), INT64)


@_both
def _sort(input, dim=-1, descending=False, stable=False):
    order = _argsort(input, dim, descending)
    return Pair((_gather(input, dim, order), order))


@_both
def _topk(input, k, dim=-1, largest=True, sorted=True):
    n = input.shape[_axis(dim, len(input.shape))] if input.shape else 1
    if not 0 <= k <= n:
        raise RuntimeError(f"topk 的 k={k} 超出范围：那一维只有 {n} 个。")
    if input.dtype is BOOL:
        raise RuntimeError("topk 不收布尔张量；先 .int()。")
    order = _each_row(input, dim, lambda row: _order(largest)(row)[:k], INT64)
    return Pair((_gather(input, dim, order), order))


# ---- 矩阵 ----


def _matrices(x, batch):
    """每个矩阵的每一行，广播到 batch 之后逐个给出。"""
    n, k = x.shape[-2:]
    values, every = _spread(x, (*batch, n, k)), range(_count(batch))
    return [[values[i * k : i * k + k] for i in range(b * n, b * n + n)] for b in every]


@_both
def _matmul(input, other):
    a, b = _check(input), _check(other, "other")
    if not a.shape or not b.shape:
        raise RuntimeError("@ 的两边至少各有一维；一个数用 * 乘。")
    if a.dtype is not b.dtype or (a.dtype is BOOL and _numel(a)):
        raise RuntimeError(
            f"@ 的两边应当是同一种数（不是布尔），这里是 {a.dtype} 与 {b.dtype}；先 .float()。"
        )
    left = a if len(a.shape) > 1 else _unsqueeze(a, 0)
    right = _transpose(b if len(b.shape) > 1 else _unsqueeze(b, 1), -2, -1)
    every = range(left.shape[-1])
    if left.shape[-1] != right.shape[-1]:
        said = f"@ 左边最后一维是 {left.shape[-1]}，右边倒数第二维是 {right.shape[-1]}，应当相同"
        raise RuntimeError(f"{said}；形状是 {tuple(a.shape)} 与 {tuple(b.shape)}。")
    batch = _broadcast(left.shape[:-2], right.shape[:-2])
    lefts, rights = _matrices(left, batch), _matrices(right, batch)
    values, zero = [], _zero(a.dtype)
    for i in range(len(lefts)):
        for u in lefts[i]:
            values.extend([sum([u[j] * v[j] for j in every], zero) for v in rights[i]])
    shape = [
        *batch,
        *left.shape[-2 : -1 if len(a.shape) > 1 else -2],
        *right.shape[-2 : -1 if len(b.shape) > 1 else -2],
    ]
    return _new(_fit(values, a.dtype), shape, a.dtype)


Tensor.__matmul__ = lambda self, other: _matmul(self, other) if isinstance(other, Tensor) else NotImplemented


def _of_dims(name, left, right, multiply):
    """只收这么多维的乘法。"""

    def op(input, other):
        dims = len(input.shape), len(other.shape)
        if dims != (left, right) or (left == 3 and len(input) != len(other)):
            raise RuntimeError(
                f"{name} 要 {left} 维与 {right} 维的张量（bmm 的两边一样多），这里是 {dims[0]} 维与 {dims[1]} 维。"
            )
        return multiply(input, other)

    return op


_outer = _of_dims("outer", 1, 1, lambda input, other: _unsqueeze(input, 1) * other)
_offer_all({"bmm": _of_dims("bmm", 3, 3, _matmul), "outer": _outer}, PUBLIC, Tensor)

DOTS = "①②③④⑤⑥"  # 省略号里的各维


@_function
def _einsum(equation, *operands):
    """每个字母一维：各张量照字母对齐，相乘，箭头右边没有的字母求和。"""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    listed = len(operands) == 1 and isinstance(operands[0], (tuple, list))
    operands = [_check(x, "einsum 的每一项") for x in (operands[0] if listed else operands)]
    if len(terms) != len(operands):
        raise RuntimeError(f"einsum 的 {left} 说的是 {len(terms)} 个张量，这里是 {len(operands)} 个。")
    for i, x in enumerate(operands):
        more = len(x.shape) - len(terms[i].replace("...", ""))
        if more < 0 or (more and "..." not in terms[i]) or x.dtype is not operands[0].dtype:
            raise RuntimeError(f"einsum 的 {terms[i]} 与形状是 {tuple(x.shape)} 的 {x.dtype} 对不上。")
        terms[i] = terms[i].replace("...", DOTS[len(DOTS) - more :])
        if len(set(terms[i])) < len(terms[i]):
            raise _missing(f"einsum 的 {terms[i]}")
    letters = sorted(set("".join(terms)), key=lambda c: (c not in DOTS, c))
    dots = "".join(c for c in letters if c in DOTS)
    once = "".join(c for c in letters if c not in DOTS and "".join(terms).count(c) == 1)
    out = right.replace("...", dots) if arrow else dots + once
    every = [*out, *[c for c in letters if c not in out]]
    product = None
    for term, x in zip(terms, operands, strict=True):
        aligned = x.permute(*[term.index(c) for c in every if c in term])
        for d, c in enumerate(every):
            if c not in term:
                aligned = _unsqueeze(aligned, d)
        product = aligned if product is None else product * aligned
    summed = tuple(range(len(out), len(every)))
    type = INT32 if product.dtype is INT32 and len(operands) > 1 else None  # 相乘再求和的不换类型
    return product.sum(summed, dtype=type) if summed else product


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

    return _binary("isclose", close, "布尔")(input, other)


@_both
def _allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    return False not in _isclose(input, other, rtol, atol, equal_nan)._data


class NoGrad:
    """这里本来就没有梯度，所以什么也不做。"""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def __call__(self, f):
        return f


PUBLIC["no_grad"] = NoGrad

# ---- torch.nn.functional ----

_functional = _offer(FUNCTIONAL)
FUNCTIONAL.update(
    softmax=_softmax,
    log_softmax=_log_softmax,
    sigmoid=PUBLIC["sigmoid"],
    tanh=PUBLIC["tanh"],
    relu=PUBLIC["relu"],
    silu=_unary("silu", lambda x: x * _sigmoid_of(x), "只收小数"),
)
GELU = {
    "none": _unary("gelu", lambda x: x * 0.5 * math.erfc(-x / math.sqrt(2)), "只收小数"),
    "tanh": _unary(
        "gelu",
        lambda x: 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
        "只收小数",
    ),
}


@_functional
def _gelu(input, approximate="none"):
    return GELU[approximate](input)


@_functional
def _dropout(input, p=0.5, training=True, inplace=False):
    return input * (_rand(input.shape) >= p) / (1 - p) if training and p else input


@_functional
def _layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    dims = _last_dims(input, normalized_shape)
    if weight is not None and weight.dtype is not input.dtype:
        raise RuntimeError(
            f"layer_norm 的输入与 weight 应当是同一种数，这里是 {input.dtype} 与 {weight.dtype}。"
        )
    x = (input - input.mean(dims, True)) * (input.var(dims, False, True) + eps).rsqrt()
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


def _last_dims(input, shape):
    shape = _sizes((shape,))
    if not shape or tuple(input.shape[-len(shape) :]) != shape:
        raise RuntimeError(f"normalized_shape 是 {shape}，应当是输入形状 {tuple(input.shape)} 的末几维。")
    return list(range(-len(shape), 0))


@_functional
def _normalize(input, p=2.0, dim=1, eps=1e-12):
    return input / _norm(input, p, dim, True).clamp(eps)


@_functional
def _cosine_similarity(x1, x2, dim=1, eps=1e-8):
    shape = _broadcast(_check(x1, "x1").shape, _check(x2, "x2").shape)
    x1, x2 = _expand(x1, shape), _expand(x2, shape)
    type = _result_type(x1, x2)
    x1, x2 = _to(x1, type), _to(x2, type)
    return (x1 * x2).sum(dim) / (_norm(x1, 2, dim).clamp(eps) * _norm(x2, 2, dim).clamp(eps))


@_functional
def _linear(input, weight, bias=None):
    x = _matmul(input, weight.t())
    return x if bias is None else x + bias


@_functional
def _one_hot(tensor, num_classes=-1):
    values = _flat(tensor)
    if not values and num_classes < 1:
        raise RuntimeError("空的张量里看不出有多少类：one_hot 要写明 num_classes。")
    classes = max(values) + 1 if num_classes == -1 else num_classes
    if tensor.dtype is not INT64 or any([not 0 <= i < classes for i in values]):
        raise RuntimeError(f"one_hot 要整数（int64）张量，编号从 0 到 {classes - 1}。")
    return _to(_unsqueeze(tensor, -1) == _arange(classes), INT64)


@_functional
def _cross_entropy(input, target, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    """target 是类别的编号；类别在第 1 维，只有一维时就在那一维。"""
    if target.dtype.kind == 2:
        raise _missing("nn.functional.cross_entropy(答案是概率)")
    scores = _log_softmax(input if len(input.shape) == 1 else _movedim(input, 1, -1), -1)
    if scores.shape[:-1] != target.shape:
        said = f"输入的形状 {tuple(input.shape)} 与答案的 {tuple(target.shape)} 对不上：类别在第 1 维。"
        raise (ValueError if len(input.shape) == 2 else RuntimeError)(said)
    real, n = target != ignore_index, scores.shape[-1]
    for i in _flat(target[real]):
        if not 0 <= i < n:
            raise IndexError(f"答案 {i} 不在 0 与 {n - 1} 之间。")
    picked = _gather(scores, -1, _unsqueeze(_where(real, target, 0), -1))[..., 0]
    loss = picked * (label_smoothing - 1) - scores.mean(-1) * label_smoothing if label_smoothing else -picked
    loss = _where(real, loss, 0.0)
    return loss if reduction == "none" else loss.sum() / (real.sum() if reduction == "mean" else 1)


@_functional
def _scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None
):
    scores = query @ key.mT * (_divide(1.0, math.sqrt(query.shape[-1])) if scale is None else scale)
    if is_causal:
        attn_mask = _ones(scores.shape[-2:], dtype=BOOL).tril()
    if attn_mask is None:
        return _dropout(_softmax(scores, -1), dropout_p) @ value
    scores = scores + (_where(attn_mask, 0.0, -INF) if attn_mask.dtype is BOOL else attn_mask)
    weights = _dropout(_softmax(scores, -1), dropout_p)
    return weights.masked_fill((scores == -INF).all(-1, True), 0.0) @ value  # 整行都被挡住的查询得到 0


# ---- 打印：照 torch 的规矩 ----


def _texts(values, type):
    """每个数怎样写：整数样的带一个点，相差太大用科学记数，其余四位小数；右边对齐。"""
    if type.kind < 2:
        texts = [str(x) for x in values]
        width = max([len(text) for text in texts])
    else:
        normal = [x for x in values if x - x == 0 and x != 0]
        sizes = [abs(x) for x in normal] or [1.0]
        whole = all([x == math.floor(x) for x in normal])
        wide = max(sizes) / min(sizes) > 1000 or max(sizes) > 1e8 or min(sizes) < 1e-4
        form = "%.4e" if wide else "%.0f." if whole else "%.4f"
        texts = [form % x if x - x == 0 else str(x) for x in values]
        width = max(
            [len(texts[i]) for i in range(len(texts)) if values[i] - values[i] == 0 and values[i]], default=1
        )
    return [text.rjust(width) for text in texts], width


def _lines(rows, cut, indent, width):
    """一层方括号；cut 说哪几维中间省去了。"""
    parts, inner = list(rows), len(cut) - 1
    if inner:
        parts = [_lines(row, cut[1:], indent + 1, width) for row in rows]
    if cut[0]:
        parts.insert(3, "..." if inner else " ...")
    if not inner:
        fits = max(1, (80 - indent) // (width + 2))
        parts = [", ".join(parts[i : i + fits]) for i in range(0, len(parts), fits)]
    return "[" + ("," + "\n" * max(inner, 1) + " " * (indent + 1)).join(parts) + "]"


def _show(x):
    notes, text, cut = [], "tensor(", [False] * len(x.shape)
    if not _numel(x):
        text += "[]"
        notes += [f"size={tuple(x.shape)}"] if len(x.shape) != 1 else []
        notes += [f"dtype={x.dtype}"] if x.dtype is not FLOAT else []
    else:
        if _numel(x) > 1000:  # 只看两头各三个
            cut = [n > 6 for n in x.shape]
            for d in range(len(cut)):
                x = _part(x, d, [0, 1, 2, -3, -2, -1]) if cut[d] else x
        texts, width = _texts(_flat(x), x.dtype)
        text += _lines(_nested(texts, x.shape), cut, len(text), width) if cut else texts[0]
        notes += [f"dtype={x.dtype}"] if x.dtype not in (FLOAT, INT64, BOOL) else []
    used = len(text) - text.rfind("\n") + 1 - len("tensor(") * ("\n" not in text)
    for note in notes:
        apart = ",\n" + " " * 7 if used + len(note) + 2 > 80 else ", "
        text, used = text + apart + note, 7 + len(note) if "\n" in apart else used + len(note) + 2
    return text + ")"


# ---- torch.nn.functional 这些名字空间 ----


class Namespace:
    """`import torch.nn.functional as F` 得到的东西。"""

    def __init__(self, name, content):
        self.__name__, self._name = f"torch.{name}", name
        for key in content:
            setattr(self, key, content[key])
        sys.modules[f"{__name__}.{name}"] = self

    def __getattr__(self, name):
        raise _missing(f"{self._name}.{name}")


PUBLIC["nn"] = Namespace("nn", {"functional": Namespace("nn.functional", FUNCTIONAL)})
PUBLIC["compiler"] = Namespace("compiler", {"is_compiling": lambda: False})  # 课程自己的函数会问一声
PUBLIC["special"] = Namespace(
    "special", {"entr": _unary("entr", lambda x: -INF if x < 0 else -x * _log_of(x) if x else 0.0, "小数")}
)
PUBLIC["linalg"] = Namespace(
    "linalg", {"norm": lambda x, ord=2, dim=None, keepdim=False: _norm(x, ord, dim, keepdim)}
)
PUBLIC["cosine_similarity"] = _cosine_similarity
__path__ = []
