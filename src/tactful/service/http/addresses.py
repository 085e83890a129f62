"""The address by which callers reach the service, without trusting the Host header.

Google's clients send texts and keys to the address that the discovery document names. So it is the
public URL of the settings; or else the host of the request, where that is this machine, the
address the request came in on, or a name that the settings allow.
"""

import ipaddress
import re
from typing import TYPE_CHECKING

from tactful.service.settings import ServiceSettings

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import Scope

_HOST = re.compile(r"(?P<name>[a-z0-9.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?")


def is_this_machine(host: str) -> bool:
    """Say whether a host can be reached from this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def known_address(request: "Request", settings: ServiceSettings) -> str | None:
    """Return where the caller reaches the service; None for a host that is not known to be ours."""
    if settings.public_url:
        return f"{settings.public_url}/"
    host = request.headers.get("host", "").lower()
    match = _HOST.fullmatch(host)
    if match is None:
        return None
    name = match["name"].strip("[]")
    own = (request.scope.get("server") or ("",))[0]
    if name in (own, *settings.allowed_hosts) or is_this_machine(name):
        return f"{request.scope['scheme']}://{host}{settings.root_path}/"
    return None


def own_address(request: "Request", settings: ServiceSettings) -> str:
    """Return the address and port that the request came in on."""
    return f"{request.scope['scheme']}://{_server(request.scope)}{settings.root_path}/"


def _server(scope: "Scope") -> str:
    name, port = scope.get("server") or ("localhost", None)
    bracketed = f"[{name}]" if ":" in name else name
    return bracketed if port is None else f"{bracketed}:{port}"
