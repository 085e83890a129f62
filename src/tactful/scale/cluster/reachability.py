"""Whether a cluster can be reached: the engines themselves try for minutes."""

import socket
from urllib.parse import urlsplit

_SECONDS = 10.0


def check_reachable(address: str) -> None:
    """Raise the network's error if no host of an address can be reached.

    An address without a port, such as ``auto`` or ``yarn``, is left to the engine.
    """
    scheme, _, hosts = address.rpartition("://")
    refused: OSError | None = None
    for each in hosts.split(","):
        try:
            parts = urlsplit(f"{scheme or 'tcp'}://{each}")
            host, port = parts.hostname, parts.port
        except ValueError:
            return
        if host is None or port is None:
            return
        try:
            socket.create_connection((host, port), _SECONDS).close()
        except OSError as error:
            refused = error
        else:
            return
    if refused is not None:
        raise refused
