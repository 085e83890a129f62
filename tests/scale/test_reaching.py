"""Whether somebody listens at an address is known at once."""

import socket

import pytest

from tactful.scale.cluster.reachability import knock


@pytest.mark.parametrize("address", ["auto", "yarn", "local[2]", "local", "k8s://https://x", "x:y"])
def test_an_address_without_a_port_is_left_to_the_engine(address: str) -> None:
    knock(address)


@pytest.mark.parametrize("before", ["", "ray://", "spark://"])
def test_somebody_who_listens_is_found_and_nobody_is_an_error(before: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        there = f"127.0.0.1:{server.getsockname()[1]}"
        knock(f"{before}{there}")
        knock(f"{before}127.0.0.1:1,{there}")
    with pytest.raises(ConnectionRefusedError):
        knock(f"{before}{there}")
