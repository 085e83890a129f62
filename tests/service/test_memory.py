"""Memory that large requests took is given back; nothing that was asked is forgotten."""

import asyncio

import pytest

from tactful.service.engine import Engine
from tactful.service.memory import release_regularly, resident, trim
from tactful.service.settings import ServiceSettings

TEXTS = ["With our help even they can learn to hope again.", "The library opens on Monday."]


def releases(sizes: list[int]) -> list[int]:
    """Return the sizes at which memory was released, given what the system tells one by one."""
    left, seen, found = iter(sizes), 0, []

    def size() -> int | None:
        nonlocal seen
        seen = next(left, 0)
        return seen or None

    async def release() -> None:
        found.append(seen)

    asyncio.run(release_regularly(release, 0, size))
    return found


def test_memory_is_released_when_it_has_grown() -> None:
    # After each release the system is asked once more: 100.
    assert releases([300, 100, 101, 104, 150, 100, 90, 94, 120, 100]) == [300, 150, 120]


def test_a_system_that_does_not_tell_is_left_alone() -> None:
    assert releases([]) == []


def test_what_the_system_tells() -> None:
    found = resident()
    assert found is None or found > 10_000
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
