"""A real service with a feedback store that is killed: nothing acknowledged is lost."""

import threading
from collections.abc import Callable
from itertools import count

import httpx
import pytest
from tests.service.conftest import Serve

from tactful.service.feedback.store import open_feedback

pytestmark = pytest.mark.slow
KILLS = 20
CLIENTS = 8
BEFORE_A_KILL = 25
"""How many answers the clients get before each kill, so that it comes in the middle of the load."""
OPTIONS = ("--model", "fast", "--lang", "en", "--no-web")


class Senders:
    """Clients that send feedback until the service is gone, and note what was acknowledged."""

    def __init__(self, address: str, number: Callable[[], int], acknowledged: set[str]):
        self._address, self._number, self._acknowledged = address, number, acknowledged
        self._lock = threading.Lock()
        self.sent = 0
        self.enough = threading.Event()
        self._threads = [threading.Thread(target=self._send) for _ in range(CLIENTS)]

    def run(self, kill: Callable[[], None]) -> None:
        for thread in self._threads:
            thread.start()
        assert self.enough.wait(120), "the service acknowledges nothing"
        kill()
        for thread in self._threads:
            thread.join(120)

    def _send(self) -> None:
        with httpx.Client(timeout=30) as client:
            while True:
                name = f"feedback-{self._number():06}"
                body = {"text": f"A text, number {name}.", "thumb": "up", "id": name}
                try:
                    answer = client.post(f"{self._address}/v1/feedback", json=body)
                except httpx.TransportError:
                    return
                if answer.status_code == 200:
                    with self._lock:
                        self._acknowledged.add(answer.json()["id"])
                        self.sent += 1
                        if self.sent >= BEFORE_A_KILL:
                            self.enough.set()


def test_nothing_acknowledged_is_lost_in_twenty_kills(store_url: str, serve: Serve) -> None:
    numbers = count()
    acknowledged: set[str] = set()
    for _ in range(KILLS):
        served = serve(*OPTIONS, "--feedback", store_url)
        Senders(served.address, lambda: next(numbers), acknowledged).run(served.process.kill)
        assert served.process.wait(60) == -9
        with open_feedback(store_url) as store:
            stored = [each.id for each in store.records()]
        assert acknowledged <= set(stored)
        assert len(stored) == len(set(stored))
    assert len(acknowledged) >= KILLS * BEFORE_A_KILL
