"""在 `.ci/offline` 里运行时，网络真的是关着的：只有本机回环，而且它是通的。"""

import errno
import os
import socket
import subprocess

import pytest

pytestmark = pytest.mark.skipif(
    os.environ.get("COURSE_NETWORK") != "off", reason="网络开着：断网的这一遍由 .ci/offline 来跑"
)


def test_only_the_loopback_is_up():
    # 有的内核会在每个新网络里放几个关着的隧道，所以只看开着的
    up = subprocess.run(["ip", "-brief", "link", "show", "up"], check=True, capture_output=True, text=True)
    assert [line.split()[0] for line in up.stdout.splitlines()] == ["lo"]


def test_nothing_outside_answers():
    """这个地址专供举例，外面本来也没有机器；联网时要等到超时，断网时立刻知道没有路。"""
    with pytest.raises(OSError) as caught:
        socket.create_connection(("192.0.2.1", 80), timeout=5)
    assert caught.value.errno == errno.ENETUNREACH


def test_loopback_answers():
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname(), timeout=5) as client,
        server.accept()[0] as accepted,
    ):
        client.sendall("通".encode())
        assert accepted.recv(16).decode() == "通"
