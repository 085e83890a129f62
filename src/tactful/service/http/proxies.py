"""Forwarded headers, which are used only from the trusted proxies of the settings."""

from typing import TYPE_CHECKING

from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

if TYPE_CHECKING:
    from uvicorn._types import ASGIReceiveCallable, ASGISendCallable, Scope

_FORWARDED_HOST = b"x-forwarded-host"


class ProxyHeaders(ProxyHeadersMiddleware):
    """Reads X-Forwarded-For and X-Forwarded-Proto as uvicorn does, and X-Forwarded-Host as well.

    ``Forwarded`` (RFC 7239) is not read: common proxies pass on the one that a client sent.
    """

    async def __call__(
        self, scope: "Scope", receive: "ASGIReceiveCallable", send: "ASGISendCallable"
    ) -> None:
        """Use the headers of a trusted proxy instead of the data of the connection."""
        if scope["type"] == "http":
            client = scope.get("client")
            if client and client[0] in self.trusted_hosts:
                headers = list(scope["headers"])
                hosts = [value for name, value in headers if name == _FORWARDED_HOST]
                if len(hosts) == 1:
                    rest = [pair for pair in headers if pair[0] != b"host"]
                    scope["headers"] = [*rest, (b"host", hosts[0])]
        await super().__call__(scope, receive, send)
