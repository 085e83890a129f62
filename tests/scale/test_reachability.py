"""Whether somebody listens at an address is known at once."""

import socket

import pytest

from tactful.scale.cluster.reachability import check_reachable


@pytest.mark.parametrize("address", ["auto", "yarn", "local[2]", "local", "k8s://https://x", "x:y"])
def test_an_address_without_a_port_is_left_to_the_engine(address: str) -> None:
    check_reachable(address)


@pytest.mark.parametrize("before", ["", "ray://", "spark://"])
def test_somebody_who_listens_is_found_and_nobody_is_an_error(before: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        there = f"127.0.0.1:{server.getsockname()[1]}"
        check_reachable(f"{before}{there}")
        check_reachable(f"{before}127.0.0.1:1,{there}")
    with pytest.raises(ConnectionRefusedError):
        check_reachable(f"{before}{there}")
