"""读者的代码抛出了异常：先用中文说一遍。网页里的练习用的也是这个文件。"""

PLAIN_WORDS = {
    ZeroDivisionError: "除以了 0",
    KeyError: "字典里没有这个键",
    IndexError: "下标越界",
    NameError: "用了没有定义的名字",
    AttributeError: "没有这个属性或方法",
    TypeError: "类型不合",
    ValueError: "值不合",
    RecursionError: "递归没有停下来",
    RuntimeError: "张量的形状或类型不合",
}


class Raised:
    """答案没有给出结果，而是抛出了异常；异常与它的话相同，就算相同。"""

    def __init__(self, error: str, message: str, sentence: str):
        self.error, self.message, self.sentence = error, message, sentence

    def __eq__(self, other: object) -> bool:
        return type(other) is Raised and (self.error, self.message) == (other.error, other.message)

    def __hash__(self) -> int:
        return hash((self.error, self.message))


def plain_words(error: BaseException) -> str:
    """常见的异常用中文怎样说。"""
    return next((said for kind, said in PLAIN_WORDS.items() if isinstance(error, kind)), "抛出了异常")


def message_of(error: BaseException) -> str:
    """异常自己的话，写成一行；读者自己的异常也许连话也说不出来。"""
    try:
        # 半个字符（例如 "\ud800"）印不出来
        return " ".join(str(error).split()).encode("utf-8", "replace").decode("utf-8")
    except Exception:
        return ""


def details(error: BaseException) -> str:
    """异常的名字，与它的话的开头。"""
    message = message_of(error)
    return f"{type(error).__name__}：{message[:120]}" if message else type(error).__name__


def raised(error: BaseException, where: str) -> Raised:
    """`where` 说的地方出了错。"""
    sentence = f"{where}出错了，{plain_words(error)}（{details(error)}）。"
    return Raised(type(error).__name__, message_of(error), sentence)


def reader_line(number: int, text: str) -> str:
    """读者的第几行，写着什么。"""
    return f"你的答案运行到第 {number} 行" + (f" {text.strip()} " if text.strip() else "")
