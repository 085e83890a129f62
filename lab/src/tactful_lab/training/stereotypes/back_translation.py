"""More of a rare label: sentences by way of English and back (I2C), through Debian's Apertium.

Apertium translates by rule and loses words. A translation is kept only where its label has a fair
chance to survive: the words of the group that is spoken about are still there, at least half of
the content words are, and it is not the sentence itself.
"""

import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tactful.errors import InputError, UsageError
from tactful_lab.training.stereotypes.features import features_of, plain

PROGRAM = "apertium"
THERE, BACK = "spa-eng", "eng-spa"
TIME_LIMIT = 600.0
LEAST_CONTENT = 0.5
INSTALL = "sudo apt-get install apertium-eng-spa"
_LONG = 4
"""Content words have at least this many letters; only these first letters are compared."""
_WORD = re.compile(r"[^\W\d_]+")
_UNKNOWN = re.compile(r"[*@#](?=\w)")
"""Apertium's marks of a word that it does not know or cannot inflect."""

Translate = Callable[[Sequence[str], str], list[str]]


@dataclass(frozen=True, slots=True)
class BackTranslated:
    """What came back: a text, or None where the label may not have survived."""

    texts: tuple[str | None, ...]
    unchanged: int
    lost_target: int
    lost_content: int

    @property
    def kept(self) -> int:
        """The number of translations to train on."""
        return sum(text is not None for text in self.texts)

    def summary(self) -> str:
        """Say it in one sentence."""
        return (
            f"Of {len(self.texts):,} sentences {self.kept:,} came back from English as new ones; "
            f"{self.unchanged:,} came back as they were, {self.lost_target:,} without the group "
            f"that they speak about, {self.lost_content:,} without half of their words."
        )


def back_translate(texts: Sequence[str], translate: Translate | None = None) -> BackTranslated:
    """Translate Spanish sentences to English and back; ``translate`` is Apertium by default."""
    run = apertium if translate is None else translate
    returned = run(run(texts, THERE), BACK) if texts else []
    found: list[str | None] = []
    counts = {"same": 0, "target": 0, "content": 0}
    for text, other in zip(texts, returned, strict=True):
        fault = _fault(text, other)
        if fault is not None:
            counts[fault] += 1
        found.append(other if fault is None else None)
    return BackTranslated(tuple(found), counts["same"], counts["target"], counts["content"])


def apertium(texts: Sequence[str], direction: str) -> list[str]:
    """Translate one text a line; an absent program answers with how to install it."""
    program = shutil.which(PROGRAM)
    if program is None:
        raise UsageError(
            f"Back-translation needs Debian's Apertium, which is not installed; install it with: "
            f"{INSTALL}"
        )
    lines = "".join(" ".join(text.split()) + "\n" for text in texts)
    try:
        done = subprocess.run(  # noqa: S603 (a fixed program, a list of arguments, no shell)
            [program, "-u", direction],
            input=lines,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=TIME_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise InputError(
            f"Apertium took longer than {TIME_LIMIT:g} seconds for {len(texts):,} sentences; "
            "give it fewer."
        ) from None
    returned = done.stdout.split("\n")[:-1]
    if done.returncode or len(returned) != len(texts):
        reason = (done.stderr.strip().splitlines() or ["it says nothing more"])[0]
        raise UsageError(
            f"Apertium could not translate {direction} ({reason}); expected "
            f"{len(texts):,} lines, found {len(returned):,}; install it with: {INSTALL}"
        )
    return [_UNKNOWN.sub("", line).strip() for line in returned]


def _fault(text: str, other: str) -> str | None:
    if plain(text).split() == plain(other).split():
        return "same"
    if features_of(text)["groups"] > 0 and features_of(other)["groups"] == 0:
        return "target"
    wanted, found = _content(text), _content(other)
    if wanted and len(wanted & found) < LEAST_CONTENT * len(wanted):
        return "content"
    return None


def _content(text: str) -> set[str]:
    return {word[:_LONG] for word in _WORD.findall(plain(text)) if len(word) >= _LONG}
