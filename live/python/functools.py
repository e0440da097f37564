"""代替标准库的 functools：那一个要编译许久，练习的表用得着的只有这两个。"""


def reduce(f, values, result):
    for value in values:
        result = f(result, value)
    return result


def cache(f):
    known = {}

    def cached(key):
        if key not in known:
            known[key] = f(key)
        return known[key]

    return cached
