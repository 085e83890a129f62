"""Ctrl-C and SIGTERM stop a server also before it runs."""

import signal

import pytest
import uvicorn
from starlette.applications import Starlette

from tactful.service.stopping import stopped_by_signals


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda each: each.name)
def test_a_signal_before_the_server_runs_stops_it(number: signal.Signals) -> None:
    server = uvicorn.Server(uvicorn.Config(Starlette(), port=0, log_level="critical"))
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    with stopped_by_signals(server):
        signal.raise_signal(number)  # raises KeyboardInterrupt, or ends the process, without it
        server.run()  # ends at once
    assert server.should_exit
    assert {each: signal.getsignal(each) for each in before} == before
