"""The errors of an engine in one sentence: its own messages fill screens."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from tactful import errors
from tactful.errors import FileFormatError, InputError, RunError, TactfulError, UsageError

_OURS = re.compile(r"tactful\.(?:\w+\.)*(\w+Error): (.+)")
_CAUSE = re.compile(r"^(?:Caused by: )?((?:[\w$]+\.)*\w*(?:Error|Exception|Failure)\b.*)$", re.M)
_NO_MEMORY = re.compile(
    r"OutOfMemory|out of memory|MemoryError|memory pressure|killed by (?:YARN|the OOM)"
    r"|exit code 137|Python worker exited unexpectedly|\b(?:oom|OOM)(?:\b|_|Kill)",
)
_PLAIN = ("InputError", "FileFormatError", "OutputError", "RunError", "UsageError")
_LONGEST = 300


@contextmanager
def one_sentence_errors(engine: str) -> Iterator[None]:
    """Turn an engine's exceptions into one sentence; our own errors pass unchanged.

    After an interrupt an engine may fail while it is shut down; that is still an interrupt.
    """
    try:
        yield
    except Exception as error:
        if any(isinstance(each, KeyboardInterrupt) for each in _chain(error)):
            raise KeyboardInterrupt from None
        # Ray's wrapper of our errors is an instance of both, with a message of several pages.
        if type(error).__module__.partition(".")[0] == "tactful":
            raise
        raise explained(engine, _whole_story(error)) from None


def explained(engine: str, story: str) -> TactfulError:
    """Return the error behind a long traceback: one of ours from a worker, or the engine's."""
    ours = _OURS.findall(story)
    if ours:
        name, said = ours[-1]
        return _kind(name)(said.strip())
    resume = "finished parts are kept: run the same command again to resume"
    if _NO_MEMORY.search(story):
        return RunError(
            f"The engine {engine} lost a worker, most likely for lack of memory; {resume}, with "
            "fewer --workers or smaller --part-rows."
        )
    return RunError(f"The engine {engine} failed ({first_cause(story)}); {resume}.")


def _kind(name: str) -> type[TactfulError]:
    """Return the error of that name, or its parent where it is made of more than a sentence."""
    found: type[TactfulError] = getattr(errors, name, InputError)
    if name in _PLAIN:
        return found
    return UsageError if issubclass(found, UsageError) else InputError


def first_cause(story: str) -> str:
    """Return the innermost cause that a traceback names, in one line."""
    # The bridge from Java to Python adds no information.
    named = [each for each in _CAUSE.findall(story) if not each.startswith("py4j.")]
    lines = [line.strip() for line in story.splitlines() if line.strip()]
    said: str = named[-1] if named else (lines[0] if lines else "it gave no reason")
    return said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"


def not_parquet(name: str, story: str) -> FileFormatError:
    """Return the error for a file that has the ending of Parquet, but cannot be read."""
    return FileFormatError(
        f"{name}: found no Parquet file ({first_cause(story)}); expected a complete one; check "
        "whether it was copied completely."
    )


def _whole_story(error: BaseException) -> str:
    return "\n".join(
        f"{type(each).__module__}.{type(each).__name__}: {each}" for each in _chain(error)
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and those that it came from."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__
