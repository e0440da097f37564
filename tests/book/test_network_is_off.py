"""在 `.ci/offline` 里运行时，网络真的是关着的：只有本机回环，而且它是通的。"""

import errno
import fcntl
import os
import socket
import struct

import pytest

pytestmark = pytest.mark.skipif(
    os.environ.get("COURSE_NETWORK") != "off", reason="网络开着：断网的这一遍由 .ci/offline 来跑"
)


def test_only_the_loopback_is_up():
    # 有的内核会在每个新网络里放几个关着的隧道，所以只看开着的；/sys 里仍是外面的那些
    read_flags, up = 0x8913, 1
    with socket.socket() as any_socket:
        for _, name in socket.if_nameindex():
            asked = struct.pack("16sh14x", name.encode(), 0)
            flags = struct.unpack("16sh14x", fcntl.ioctl(any_socket, read_flags, asked))[1]
            assert bool(flags & up) == (name == "lo"), name


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
