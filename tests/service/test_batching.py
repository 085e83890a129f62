import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from tactful.detectors.base import Scores
from tactful.service.engine.batching import MOST_TOKENS, Batcher, Read
from tactful.service.http.errors import NotReady, Unscorable


class Lane:
    """A detector that can be held up, and remembers what it was asked."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.go_on = threading.Event()
        self.go_on.set()

    def score(self, texts: Sequence[str]) -> Scores:
        self.batches.append(list(texts))
        self.go_on.wait(120)
        if "bad" in texts:
            raise ValueError("secret words")
        if "closed" in texts:
            raise NotReady("Still starting.")
        return {"pcl": np.array([len(text) / 100 for text in texts], dtype=np.float32)}


def run(
    test: Callable[[Batcher, Lane], Coroutine[Any, Any, None]], most: int = 4, wait: float = 0.0
) -> Lane:
    lane = Lane()

    async def main() -> None:
        with ThreadPoolExecutor(1) as pool:
            batcher = Batcher(
                lane.score, pool, most=most, wait_seconds=wait, observe=lambda size, seconds: None
            )
            try:
                await test(batcher, lane)
            finally:
                lane.go_on.set()

    asyncio.run(main())
    return lane


def test_an_idle_detector_reads_at_once() -> None:
    async def test(batcher: Batcher, lane: Lane) -> None:
        answer = await batcher.submit("abc", 1)
        assert answer.batch == 1
        assert answer.probabilities == {"pcl": pytest.approx(0.03)}

    assert run(test, wait=5.0).batches == [["abc"]]


def test_what_arrives_while_it_reads_forms_the_next_batch() -> None:
    async def test(batcher: Batcher, lane: Lane) -> None:
        lane.go_on.clear()
        asked = [batcher.submit(text, 1) for text in "abcdef"]
        lane.go_on.set()
        answers = await asyncio.gather(*asked)
        assert [each.batch for each in answers] == [1, 4, 4, 4, 4, 1]

    assert run(test).batches == [["a"], ["b", "c", "d", "e"], ["f"]]


def test_a_small_batch_waits_for_those_who_were_just_answered() -> None:
    async def test(batcher: Batcher, lane: Lane) -> None:
        lane.go_on.clear()
        asked = [batcher.submit(text, 1) for text in "abc"]
        lane.go_on.set()
        await asyncio.gather(*asked)
        early = batcher.submit("d", 1)
        assert len(batcher) == 1
        await asyncio.gather(early, batcher.submit("e", 1))

    assert run(test, wait=120).batches == [["a"], ["b", "c"], ["d", "e"]]


def test_a_small_batch_does_not_wait_for_ever() -> None:
    async def test(batcher: Batcher, lane: Lane) -> None:
        lane.go_on.clear()
        asked = [batcher.submit(text, 1) for text in "abc"]
        lane.go_on.set()
        await asyncio.gather(*asked)
        assert (await batcher.submit("d", 1)).batch == 1

    run(test, wait=0.001)


def test_one_who_has_gone_is_not_read() -> None:
    async def test(batcher: Batcher, lane: Lane) -> None:
        lane.go_on.clear()
        first, gone, last = (batcher.submit(text, 1) for text in "abc")
        gone.cancel()
        lane.go_on.set()
        await asyncio.gather(first, last)

    assert run(test).batches == [["a"], ["c"]]


def test_long_texts_are_read_in_smaller_batches() -> None:
    long = MOST_TOKENS // 2 + 1

    async def test(batcher: Batcher, lane: Lane) -> None:
        lane.go_on.clear()
        asked = [batcher.submit(str(tokens), tokens) for tokens in (1, long, long, 1)]
        lane.go_on.set()
        await asyncio.gather(*asked)

    assert [len(batch) for batch in run(test).batches] == [1, 1, 2]


def test_a_text_that_fails_fails_no_other() -> None:
    async def test(batcher: Batcher, lane: Lane) -> None:
        lane.go_on.clear()
        asked = [batcher.submit(text, 1) for text in ("first", "bad", "good")]
        lane.go_on.set()
        first, bad, good = await asyncio.gather(*asked, return_exceptions=True)
        assert isinstance(first, Read)
        assert isinstance(good, Read)
        assert isinstance(bad, Unscorable)
        assert "secret" not in str(bad)

    run(test)


def test_an_answer_of_ours_holds_for_all() -> None:
    async def test(batcher: Batcher, lane: Lane) -> None:
        with pytest.raises(NotReady):
            await batcher.submit("closed", 1)
        assert (await batcher.submit("open", 1)).batch == 1

    run(test)
