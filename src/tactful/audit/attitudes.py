"""What a word says about the event in its sentence: positive, negative, neutral or irrelevant.

The rules are those of section 4.3 of the paper in our words (``docs/audit.md``); the ratings are
ours, made in two passes, and a user's own file can take their place.
"""

import csv
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Literal

from tactful.errors import BadRowsError, FileFormatError, Problem
from tactful.files import has_bad_bytes, open_text
from tactful.words import counted

Attitude = Literal["positive", "negative", "neutral", "irrelevant"]
ATTITUDES: tuple[Attitude, ...] = ("positive", "negative", "neutral", "irrelevant")
BUILT_IN = Path(__file__).with_name("attitudes_en.csv")

_SPELLINGS: dict[str, Attitude] = {each: each for each in ATTITUDES}
_SPELLINGS |= {"1": "positive", "-1": "negative", "0": "neutral"}
_MOST_SHOWN = 1_000


@dataclass(frozen=True, slots=True)
class Attitudes:
    """Ratings of words."""

    words: Mapping[str, Attitude]
    source: str

    def __len__(self) -> int:
        return len(self.words)

    def rate(self, word: str) -> Attitude | None:
        """Return the attitude of a word; None where nobody rated it.

        What is no word (a number, a mark, the middle of a word) makes no sense in the sentence.
        """
        plain = plain_word(word)
        if not any(letter.isalpha() for letter in plain) or plain.startswith("##"):
            return "irrelevant"
        return self.words.get(plain)

    @property
    def digest(self) -> str:
        """A hash of all ratings."""
        lines = "\n".join(f"{word}\t{self.words[word]}" for word in sorted(self.words))
        return sha256(lines.encode("utf-8")).hexdigest()


def plain_word(word: str) -> str:
    """Return a word as ratings are looked up: composed, in lower case, without space around it."""
    return unicodedata.normalize("NFKC", word).strip().casefold()


def load_attitudes(path: Path | None = None) -> Attitudes:
    """Load the English ratings that come with Tactful, or those of a file."""
    return _built_in() if path is None else read_attitudes(path)


@cache
def _built_in() -> Attitudes:
    found = read_attitudes(BUILT_IN)
    return Attitudes(found.words, "Tactful's own ratings of English words")


def read_attitudes(path: Path) -> Attitudes:
    """Read ratings from a CSV or TSV with the columns ``word`` and ``attitude``.

    An attitude is one of the four names, or 1, -1 and 0. Every problem is reported with its line.
    """
    if not path.exists():
        raise FileFormatError(f"There is no file '{path}'; expected word ratings (CSV or TSV).")
    words: dict[str, Attitude] = {}
    problems: list[Problem] = []

    def refuse(line: int, code: str, found: str, expected: str) -> None:
        problems.append(Problem(str(path), line, code, found, expected, "correct it"))

    with open_text(path) as file:
        first = file.readline()
        tabs = "\t" in first
        columns = [name.strip().casefold() for name in first.strip().split("\t" if tabs else ",")]
        if "word" not in columns or "attitude" not in columns:
            raise FileFormatError(
                f"{path}, line 1: found the columns {', '.join(columns) or 'none'}; expected "
                "'word' and 'attitude'; name them in the first line."
            )
        at_word, at_attitude = columns.index("word"), columns.index("attitude")
        for row in (reader := csv.reader(file, delimiter="\t" if tabs else ",")):
            line = reader.line_num + 1
            if not any(cell.strip() for cell in row):
                continue
            if len(row) <= max(at_word, at_attitude):
                refuse(line, "short-row", f"{counted(len(row), 'cell')}", f"{len(columns)}")
                continue
            word, said = plain_word(row[at_word]), row[at_attitude].strip().casefold()
            attitude = _SPELLINGS.get(said)
            if not word or has_bad_bytes(word):
                refuse(line, "no-word", "no word that can be read", "a word in UTF-8")
            elif attitude is None:
                refuse(line, "wrong-attitude", f"'{said}'", "one of " + ", ".join(ATTITUDES))
            elif words.get(word, attitude) != attitude:
                refuse(line, "two-ratings", f"'{word}' a second time", "one attitude for each word")
            else:
                words[word] = attitude
    if problems:
        raise BadRowsError(problems[:_MOST_SHOWN], len(problems))
    if not words:
        raise FileFormatError(f"{path}: found no ratings; expected a word and an attitude a line.")
    return Attitudes(words, path.name)
