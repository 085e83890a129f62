"""Whether anybody listens where a cluster should be: engines themselves ask for minutes."""

import socket
from urllib.parse import urlsplit

_SECONDS = 10.0


def check_reachable(address: str) -> None:
    """Raise what the network says if no host of an address can be reached.

    An address without a port, such as ``auto`` or ``yarn``, is for the engine to understand.
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
