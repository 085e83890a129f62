"""Memory that large requests took is given back; nothing that was asked is forgotten."""

import asyncio

import pytest

from tactful.service.engine.engine import Engine
from tactful.service.engine.memory import release_regularly, trim
from tactful.service.settings import ServiceSettings

TEXTS = ["With our help even they can learn to hope again.", "The library opens on Monday."]


def releases(times: list[float], failing: bool = False) -> list[float]:
    """Return after how much work memory was released, given what the clock says one by one."""
    now, found = 0.0, []
    left = iter(times)

    def worked() -> float:
        nonlocal now
        if (read := next(left, None)) is None:
            raise EOFError
        now = read
        return now

    async def release() -> None:
        found.append(now)
        if failing:
            raise RuntimeError

    with pytest.raises(EOFError):
        asyncio.run(release_regularly(release, 0, worked))
    return found


def test_memory_is_released_after_work_and_not_while_idle() -> None:
    # After each release the clock is read once more.
    released, idle = [5.0, 5.2], [5.2, 5.3, 6.1]
    assert releases([*released, *idle, 6.3, 6.4, 9.0, 9.1, 9.1]) == [5.0, 6.3, 9.0]


def test_a_failure_does_not_end_it() -> None:
    assert releases([5.0, 5.0, 7.0, 7.0], failing=True) == [5.0, 7.0]


def test_the_c_library_can_be_asked_anywhere() -> None:
    trim()


@pytest.mark.parametrize("model", ["fast", "cascade"])
def test_the_engine_reads_on_after_it_gave_memory_back(model: str) -> None:
    async def main() -> None:
        engine = Engine(ServiceSettings(model=model, langs=("en",)))
        await engine.release_memory()  # before there is anything to give back
        await engine.start()
        try:
            before = await engine.score(TEXTS)
            frames = await engine.frame(TEXTS[:1])
            await engine.release_memory()
            assert await engine.score(TEXTS) == before
            assert await engine.frame(TEXTS[:1]) == frames
        finally:
            await engine.stop()

    asyncio.run(main())
