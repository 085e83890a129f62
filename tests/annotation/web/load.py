"""Many annotators at once, over HTTP: each does what the pages do, and records the answers."""

import asyncio
import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any, Literal
from urllib.parse import urlencode

from tests.annotation.web.load_http import Connection, LostError, Reply
from tests.annotation.web.load_server import Guest

Outcome = Literal["unknown", "saved", "refused"]
TWICE, ANEW, SKIPS, STOPS = 0.06, 0.02, 0.03, 0.01
"""How often an answer is sent twice or changed, a text skipped, or the work stopped."""
_SLIPS = 0.05
_NOTHING_TO_DO, _SOON = 0.5, 0.005
_ENDED = "Your part"
_ATTRIBUTES = ("sarcastic", "antagonistic", "condescending", "dismissive")


@dataclass
class Sent:
    """One answer, as the one who sent it knows it."""

    person: str
    key: str
    handle: str
    step: str
    answers: dict[str, str]
    outcome: Outcome = "unknown"
    """``unknown``: the server went away before it had said anything."""
    replies: list[Reply] = field(default_factory=list)

    @property
    def body(self) -> bytes:
        """What is sent, again and again the same."""
        told = {"handle": self.handle, "answers": self.answers, "seconds": 1.5, "key": self.key}
        return json.dumps(told).encode()


@dataclass
class Tally:
    """What all of them noted."""

    took: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """Seconds from the request to the end of the answer, by kind of request."""
    sent: list[Sent] = field(default_factory=list)
    skips: list[tuple[str, str, Reply]] = field(default_factory=list)
    """Who skipped which handle, and what was answered."""
    given: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)
    """Who was given which handle, and the names of its fields."""
    refusals: Counter[str] = field(default_factory=Counter)
    """Sentences with which answers were refused, or with which a page was empty."""
    lost: int = 0
    failures: list[str] = field(default_factory=list)
    """Answers of the server that no browser expects."""

    def count(self, outcome: Outcome) -> int:
        """Return how many answers came to this."""
        return sum(each.outcome == outcome for each in self.sent)


Enough = Callable[[Tally], bool]


def _never(tally: Tally) -> bool:
    return False


class Annotator:
    """Somebody who reads, thinks and answers, until it is time to go."""

    def __init__(self, guest: Guest, seed: int, *, think: float = 0.0, spams: bool = False):
        self.guest = guest
        self._rng = random.Random(seed)
        self._think, self._spams = think, spams
        self._cookie = self._csrf = ""
        self._waiting: list[Sent] = []
        self._tally = Tally()
        self._line = Connection(0)
        self._is_over: Callable[[], bool] = lambda: True

    async def work(
        self, port: int, seconds: float, tally: Tally, arrive: float = 0.0, enough: Enough = _never
    ) -> None:
        """Come in the first ``arrive`` seconds; work until the time, or the server, is gone."""
        self._tally = tally
        self._line = Connection(port)
        end = time.monotonic() + seconds
        self._is_over = lambda: time.monotonic() >= end or enough(tally)
        await asyncio.sleep(self._rng.random() * arrive)
        is_here = True
        while is_here and (self._waiting or not self._is_over()):
            try:
                is_here = await self._work_on()
            except LostError as lost:
                tally.lost += 1
                is_here = not lost.is_gone
        self._line.close()

    async def _work_on(self) -> bool:
        """Do the next page; say whether there may be another."""
        if not self._csrf:
            await self._join()
        # What the server may not have comes first, as in a browser that was offline.
        for sent in list(self._waiting):
            await self._send(sent)
        return self._is_over() or await self._do_page()

    async def _join(self) -> None:
        reply = await self._ask("join", "GET", f"/join/{self.guest.token}")
        self._cookie = reply.header(b"set-cookie").partition(";")[0]
        while reply.status == 303:
            path = reply.header(b"location")
            reply = await self._ask("join", "GET", path)
        if b'action="/consent"' in reply.body:
            csrf = reply.body.split(b'name="csrf" value="')[1].split(b'"')[0].decode()
            form = urlencode({"csrf": csrf, "agree": "yes"})
            await self._ask("join", "POST", "/consent", form)
            reply = await self._ask("join", "GET", "/work")
        self._csrf = reply.body.split(b'data-csrf="')[1].split(b'"')[0].decode()

    async def _do_page(self) -> bool:
        page = json.loads((await self._ask("page", "GET", "/api/page")).body)
        if not page.get("items"):
            self._tally.refusals[page.get("why") or page.get("error")] += 1
            await asyncio.sleep(_NOTHING_TO_DO)
            # People who were removed always get this answer.
            return not str(page.get("why")).startswith(_ENDED)
        for item in page["items"]:
            self._tally.given.append((self.guest.person, item["handle"], tuple(item)))
        for item in page["items"]:
            if self._think:
                await asyncio.sleep(self._rng.expovariate(1 / self._think))
            if self._is_over():
                return False
            chance = self._rng.random()
            if chance < STOPS:
                await self._ask("stop", "POST", "/api/stop", urlencode({"csrf": self._csrf}))
                return True
            if chance < STOPS + SKIPS:
                body = json.dumps({"handle": item["handle"], "reason": "tired"})
                reply = await self._ask("skip", "POST", "/api/skip", body)
                self._tally.skips.append((self.guest.person, item["handle"], reply))
                continue
            await self._answer(item)
            if self._rng.random() < ANEW:
                await self._answer(item)
        return True

    async def _answer(self, item: dict[str, Any]) -> None:
        key = self._rng.randbytes(18).hex()
        answers = self._judge(item["text"])
        sent = Sent(self.guest.person, key, item["handle"], item["step"], answers)
        self._tally.sent.append(sent)
        self._waiting.append(sent)
        chance = self._rng.random()
        if chance < TWICE / 2:
            # The first one was slow, and the browser has sent it again by another connection.
            other = Connection(self._line.port)
            both = (self._send(sent), self._send(sent, other))
            ends = await asyncio.gather(*both, return_exceptions=True)
            other.close()
            for failed in (end for end in ends if end is not None):
                raise failed
            return
        await self._send(sent)
        if chance < TWICE:
            await self._send(sent)

    async def _send(self, sent: Sent, line: Connection | None = None) -> None:
        reply = await self._ask("answer", "POST", "/api/answer", sent.body, line)
        sent.replies.append(reply)
        if reply.status >= 500:
            return
        if reply.status != 200:
            self._tally.refusals[json.loads(reply.body)["error"]["message"]] += 1
        if sent.outcome == "unknown":
            sent.outcome = "saved" if reply.status == 200 else "refused"
            self._waiting.remove(sent)

    async def _ask(
        self,
        kind: str,
        method: str,
        path: str,
        body: str | bytes = b"",
        line: Connection | None = None,
    ) -> Reply:
        data = body.encode() if isinstance(body, str) else body
        headers = {"Cookie": self._cookie} if self._cookie else {}
        if path in ("/api/answer", "/api/skip"):
            headers |= {"Content-Type": "application/json", "X-CSRF-Token": self._csrf}
        elif data:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        began = time.perf_counter()
        reply = await (line or self._line).send(method, path, headers, data)
        self._tally.took[kind].append(time.perf_counter() - began)
        if reply.status not in (200, 303, 409):
            self._tally.failures.append(f"{method} {path}: {reply.status} {reply.body[:200]!r}")
        return reply

    def _judge(self, text: str) -> dict[str, str]:
        rng, is_rude = self._rng, " rude " in text
        if self._spams:
            is_rude = rng.random() < 0.5
        elif rng.random() < _SLIPS:
            is_rude = not is_rude
        rude = "yes" if is_rude else "no"
        answers = {"unhealthy": rude, "unhealthy.hostile": rude}
        for name in _ATTRIBUTES:
            answers[f"unhealthy.{name}"] = "yes" if rng.random() < 0.04 else "no"
        answers["unhealthy.generalisation"] = "yes" if rng.random() < 0.1 else "no"
        if answers["unhealthy.generalisation"] == "yes":
            answers["unhealthy.generalisation_unfair"] = rude
        return answers


def crowd(guests: Sequence[Guest], seed: int, think: float) -> list[Annotator]:
    """Return annotators: one in ten answers anything, and another one is three times as fast."""
    return [
        Annotator(
            guest,
            seed * 1000 + place,
            think=think / 3 if place % 10 == 1 else think,
            spams=place % 10 == 0,
        )
        for place, guest in enumerate(guests)
    ]


async def work_together(
    annotators: Sequence[Annotator],
    port: int,
    seconds: float,
    tally: Tally,
    *,
    arrive: float = 0.0,
    after: tuple[float, Callable[[], None]] | None = None,
    enough: Enough = _never,
) -> None:
    """Let all of them work at the same time, until the time is over or it is ``enough``.

    They come in the first ``arrive`` seconds; something happens ``after`` this many seconds of
    answers.
    """
    all_of_them = [each.work(port, seconds, tally, arrive, enough) for each in annotators]
    if after is not None:
        all_of_them.append(_later(*after, tally))
    await asyncio.gather(*all_of_them)


async def _later(seconds: float, action: Callable[[], None], tally: Tally) -> None:
    before = len(tally.took["answer"])
    while len(tally.took["answer"]) == before:
        await asyncio.sleep(_SOON)
    await asyncio.sleep(seconds)
    action()


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest of the values that so large a share of them does not exceed."""
    return sorted(values)[max(0, ceil(share * len(values)) - 1)]
