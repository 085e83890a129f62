import socket

import pytest

from tactful.cli.listening import address, listen
from tactful.errors import UsageError
from tactful.service.http.addresses import is_this_machine


def test_a_port_that_is_taken_is_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"uses the port {port} of 127.0.0.1; name"):
            listen("127.0.0.1", port)


def test_a_host_that_is_none_is_one_sentence() -> None:
    with pytest.raises(UsageError, match="cannot be listened on"):
        listen("no.such.host.invalid", 0)


def test_addresses_as_a_browser_opens_them() -> None:
    assert address("0.0.0.0", 1) == "http://127.0.0.1:1"  # noqa: S104
    assert address("::1", 2) == "http://[::1]:2"
    assert address("localhost", 3) == "http://localhost:3"


def test_answers_are_sent_at_once() -> None:
    with listen("127.0.0.1", 0) as listening:
        assert listening.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_which_addresses_are_this_machine() -> None:
    assert all(map(is_this_machine, ("127.0.0.1", "127.8.8.8", "::1", "localhost")))
    assert not any(map(is_this_machine, ("0.0.0.0", "::", "192.168.1.2", "news.example")))  # noqa: S104
