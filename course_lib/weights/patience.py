"""让 hub 的客户端几秒之内要么成、要么停，并且说得出为什么停。"""

import os
import re
import sys
import time
import urllib.request
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from .errors import HubError, SourceError

SECONDS = 3  # 等一次回应的时间；乘上放弃之前的次数，要在十秒以内
MAX_RESUMES = 20  # 一个文件最多断点续传这么多次，免得遇上总在同一处断开的站点而没有尽头
STATUS_REASONS = {
    401: "没有这个名字，或者它要登录才能下载",
    403: "站点不允许下载，可能要先登录并同意条款",
    404: "站点上没有这个名字，或者没有要取的文件",
    407: "代理要求先登录",
    429: "请求太频繁，站点要求过一会儿再来",
    502: "站点或者中间的代理出错",
    504: "站点或者中间的代理等不到回应",
}


class StoppedWaitingError(Exception):
    """hub 的客户端还想重试，但我们不再等。"""


@contextmanager
def short_patience() -> Iterator[None]:
    """让 hub 的客户端几秒不成就停下，并且不往屏幕上写重试的过程；离开时全部还原。

    量过三种办法：自己造客户端（set_client_factory）时给它设的时限不管用，hub 的每次请求都自带时限，又要重试，
    停在半路的站点要等一分钟以上；听日志里的警告再抛异常也能按时停下，但要改 hub 的私有名字。
    客户端的 event_hooks 是公开的，请求发出之前就能改时限、数次数。
    """
    seconds()  # 写错了的，导入 hub 就会抛异常
    from huggingface_hub import constants, logging

    try:
        session = client()
    except SourceError:  # 造不出客户端，缓存里有的照样能用；真要问站点时再说
        yield
        return
    patience, hooks, verbosity = Patience(), session.event_hooks, logging.get_verbosity()
    # xet 另有自己的主机和重试，镜像大多不转发；telemetry 会先向官方站点要一张名单，连不上时白等三秒
    switches = {name: getattr(constants, name) for name in ("HF_HUB_DISABLE_XET", "HF_HUB_DISABLE_TELEMETRY")}
    try:
        session.event_hooks = {
            "request": [*hooks["request"], patience.before],
            "response": [*hooks["response"], patience.after],
        }
        logging.set_verbosity_error()
        for name in switches:
            setattr(constants, name, True)
        yield
    finally:
        session.event_hooks = hooks
        logging.set_verbosity(verbosity)
        for name, value in switches.items():
            setattr(constants, name, value)


def client():
    """hub 的客户端；错误：造不出来，比如环境里的代理它用不了，就抛出 `SourceError`。"""
    from huggingface_hub import get_session

    try:
        return get_session()
    except Exception as error:  # 没有装 socksio 是 ImportError，网址不对是 ValueError 或 InvalidURL
        reason = f"网络的客户端造不出来（{type(error).__name__}）"
        if proxies() and not isinstance(error, OSError):  # OSError 是证书的文件不在
            reason = f"用不了{proxies()}（{type(error).__name__}），要写成 http://主机:端口；SOCKS 的写成 socks5://主机:端口，还要有 socksio 与 pysocks 两个包"
        raise SourceError(reason) from None


def proxies() -> str:
    """环境里设的代理，口令不写出来；没有就是空的。"""
    found = urllib.request.getproxies()
    shown = [
        f"{kind}_proxy={without_password(found[kind])}" for kind in ("all", "http", "https") if kind in found
    ]
    return f"代理 {'、'.join(shown)}" if shown else ""


def without_password(proxy: str) -> str:
    """一个代理的网址，去掉用户与口令。"""
    return re.sub("(?<=//).*@|^[^/]*@", "", proxy)


class Patience:
    """挂在 hub 的客户端上：每次只等几秒；同一个网址问到第三遍，说明它在重试，就停下。

    大文件传了很久才断，则允许续传：每一次都传了十几秒才又来问的，不算重试。
    """

    def __init__(self):
        self.asked: dict[tuple[str, str], list[float]] = defaultdict(list)

    def before(self, request) -> None:
        wait, now = seconds(), time.monotonic()
        request.extensions["timeout"] = dict.fromkeys(("connect", "read", "write", "pool"), wait)
        times = self.asked[request.method, str(request.url)]
        if len(times) > MAX_RESUMES or (len(times) > 1 and now - times[-1] < 10 + wait):
            raise StoppedWaitingError
        times.append(now)

    def after(self, response) -> None:
        if response.status_code == 429:  # hub 的客户端会照站点说的睡上几十秒
            response.raise_for_status()


def seconds() -> int:
    """等一次回应的秒数；网慢的读者可以用 hub 自己的环境变量放宽，0 与空的就是没有设。

    hub 一导入就读它的两个时限，写错了的抛出看不懂的异常，所以先来问这里，再导入 hub 或 transformers。
    错误：它们不是整数，或者是负的，抛出 `HubError`。
    """
    _written_seconds("HF_HUB_ETAG_TIMEOUT")
    return _written_seconds("HF_HUB_DOWNLOAD_TIMEOUT") or SECONDS


def _written_seconds(name: str) -> int:
    written = os.environ.get(name, "0")
    if not written.strip():
        del os.environ[name]  # 空的就是没有设，hub 却不这样看
        return 0
    try:
        value = int(written)
    except ValueError:
        value = -1
    if value < 0:
        raise HubError(
            f"环境变量 {name} 是 {written}，hub 只认整数的秒数，不能是负的，请改好或者去掉它，再重新启动 Python。"
        )
    return value


def plain_reason(error: BaseException) -> str:
    """把网络异常译成一句读得懂的原因，末尾括号里留着状态码或异常的类名。"""
    from huggingface_hub import errors, get_token

    # 真正的原因藏在 hub 的“缓存里也没有”和我们的“不再等”后面。
    if isinstance(error, (errors.LocalEntryNotFoundError, StoppedWaitingError)):
        error = error.__cause__ or error.__context__ or error
    if status := status_of(error):
        if status == 401 and get_token():
            return (
                "站点不认带去的登录口令，请换掉或者去掉它：环境变量 HF_TOKEN，或以前登录时存下的（HTTP 401）"
            )
        known = STATUS_REASONS.get(status, "站点自己出错" if status >= 500 else "站点拒绝了请求")
        return f"{known}（HTTP {status}）"
    where = f"，环境里设着{proxies()}" if proxies() else ""
    # hub 换过底下的网络库（httpx、httpx2），异常的名字没有变
    http = sys.modules[errors.HTTPError.__module__.partition(".")[0]]
    for kinds, reason in (
        (StoppedWaitingError, "站点反复没有答完"),
        (errors.OfflineModeIsEnabled, "离线模式（HF_HUB_OFFLINE）已打开，缓存里又没有它"),
        (errors.HFValidationError, "这不是合法的名字"),
        (errors.FileMetadataError, "回应里缺少模型站点应有的信息，可能被登录页或代理截住了"),
        (http.ProxyError, f"代理没有把请求送到{where}"),
        (http.TimeoutException, "等待超时，网慢可以把环境变量 HF_HUB_DOWNLOAD_TIMEOUT 设成更大的秒数"),
        (http.ConnectError, f"连不上站点{where}"),
        (
            (http.UnsupportedProtocol, http.InvalidURL),
            "网址不完整，HF_ENDPOINT 要以 https:// 或 http:// 开头",
        ),
        (http.ProtocolError, "传到一半断开，文件不完整"),
        (http.NetworkError, "连接被对方中断"),
        (OSError, "文件没有完整地存下来"),
    ):
        if isinstance(error, kinds):
            return f"{reason}（{type(error).__name__}）"
    return f"下载没有完成（{type(error).__name__}）"


def status_of(error: BaseException) -> int | None:
    """异常背后站点的状态码；没有就返回 None。"""
    response = getattr(error, "response", None)
    return None if response is None else response.status_code
