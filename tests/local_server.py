"""测试用的本机服务器：浏览器半路挂断是常事，不必说；别的错照样打印。"""

import sys
from http.server import ThreadingHTTPServer


class LocalServer(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)
