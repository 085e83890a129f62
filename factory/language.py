"""How the table of the language detector is made: ``python -m factory.language``.

It learns only from texts that anybody may use, also commercially: speeches, novels, news and
comments under open licences, and lessons of our own. Sentences and words of our own add everyday
things in both languages, and all that is neither. Texts are cut into pieces of 3 to 25 words. Only
common n-grams of at most four letters and common short words are kept: no text can be read out of
them.
"""

import argparse
import csv
import json
import random
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from factory.lessons.load import read_lessons
from tactful.documents.language import CARD, OPENER, TABLE, UNKNOWN, grams_of, words_of
from tactful.errors import UsageError
from tactful.files import atomic_path
from tactful.settings import load_settings

SEED = 7


@dataclass(frozen=True, slots=True)
class Source:
    """Texts of one language under one licence: the rows of a CSV file, or lessons of ours."""

    name: str
    lang: str
    licence: str
    file: str = ""
    """Below the folder of the corpora; without one, our lessons of that language."""
    column: str = "text"
    of: str | None = None
    """What the column ``source`` must have."""


_EUROPARL = "European Union: reproduction authorised with acknowledgement of the source"
_PARALLEL = "more/es_en_parallel.csv"
SOURCES = (
    Source("civil-comments", "en", "CC0-1.0", "more/civil_comments_ni.csv"),
    Source("edos", "en", "CC0-1.0", "more/edos.csv"),
    Source("implicit-hate", "en", "CC-BY-4.0", "more/implicit_hate_stage1.csv", "post"),
    Source("cad", "en", "CC-BY-4.0", "more/cad.csv"),
    Source("global-voices", "en", "CC-BY-3.0", "more/en_news_unlabelled.csv", of="global_voices"),
    Source("europarl-en", "en", _EUROPARL, _PARALLEL, "en", "europarl"),
    Source("books-en", "en", "public domain", _PARALLEL, "en", "opus_books"),
    Source("lessons-en", "en", "Apache-2.0 (ours)"),
    Source("europarl-es", "es", _EUROPARL, _PARALLEL, "es", "europarl"),
    Source("europarl-es", "es", _EUROPARL, "more/es_unlabelled.csv", of="europarl"),
    Source("books-es", "es", "public domain", _PARALLEL, "es", "opus_books"),
    Source("lessons-es", "es", "Apache-2.0 (ours)"),
)
CLASSES = ("en", "es", "other")
LESSONS = Path(__file__).with_name("language_lessons.yaml")
SHORTEST, LONGEST = 3, 25
PIECES = 36_000
"""Of each class; what is scarce is cut again, at other places."""
WITHOUT_ACCENTS = 0.4
"""How many pieces lose their accents, as those of hurried writers do."""
GRAMS = 28_000
LEAST_TEXTS = 4
"""An n-gram in fewer different texts is not kept."""
LEAST_TEXTS_OF_WORD = 12
NEAR = ("pt", "fr", "it", "ca", "gl", "de", "nl")
"""The languages most often met beside English and Spanish are learnt three times as much."""
OWN_SHARE = 0.15
"""The share of the English and the Spanish texts that we wrote."""
STRENGTH = 3.0
_LEVELS = 127


@dataclass(frozen=True, slots=True)
class Text:
    """A text, its language, and where it comes from."""

    text: str
    lang: str
    source: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A few words in a row."""

    words: tuple[str, ...]
    lang: str
    opener: bool


def read_texts(data: Path) -> list[Text]:
    """Read the texts of all sources, each text of a source once."""
    found: dict[Text, None] = {}
    for source in SOURCES:
        texts = _rows(source, data) if source.file else _lessons(source.lang)
        found |= dict.fromkeys(
            Text(text, source.lang, source.name)
            for text in texts
            if text.strip() and is_latin(text)
        )
    return list(found)


def is_latin(text: str) -> bool:
    """Say whether all letters are Latin: what English texts quote in Arabic is not English.

    >>> is_latin("¿Qué tal, señor?"), is_latin("He said: привет.")
    (True, False)
    """
    letters = (char for char in text if not char.isascii() and char.isalpha())
    return all("LATIN" in unicodedata.name(char, "") or char in "ªº" for char in letters)


def _rows(source: Source, data: Path) -> Iterator[str]:
    with (data / source.file).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if source.of in (None, row.get("source")):
                yield row[source.column] or ""


def _lessons(lang: str) -> Iterator[str]:
    language = {"en": "english", "es": "spanish"}[lang]
    return (lesson.text for lesson in read_lessons(language) if lesson.part == "train")


def data_hash(texts: Sequence[Text]) -> str:
    """Return a hash of the corpora's texts that does not depend on the order of the files.

    Our lessons are left out: the table is not made again for each new one.
    """
    corpora = {source.name for source in SOURCES if source.file}
    total = sha256()
    for line in sorted(f"{text.source}\t{text.text}" for text in texts if text.source in corpora):
        total.update(line.encode("utf-8", "surrogatepass") + b"\n")
    total.update(LESSONS.read_bytes())
    return total.hexdigest()


def without_accents(text: str) -> str:
    """Return a text as it is typed on a keyboard without accents.

    >>> without_accents("¿Qué año, señor Güell?")
    '¿Que ano, senor Guell?'
    """
    apart = unicodedata.normalize("NFD", text)
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def pieces_of(texts: Sequence[str], lang: str, wanted: int, rng: random.Random) -> Iterator[Piece]:
    """Cut texts into pieces of 3 to 25 words, again and again until there are enough."""
    split = [
        (words, OPENER in text or "¡" in text)
        for text in texts
        if len(words := words_of(text)) >= SHORTEST
    ]
    if not split:
        raise UsageError(f"Found no text of {SHORTEST} words in '{lang}'; expected some.")
    made = 0
    while made < wanted:
        words, opener = rng.choice(split)
        at = 0
        while at + SHORTEST <= len(words) and made < wanted:
            length = rng.randint(SHORTEST, LONGEST)
            piece = words[at : at + length]
            if rng.random() < WITHOUT_ACCENTS:
                piece = [without_accents(word) for word in piece]
            # It is not known which piece had the opening mark: half of the pieces get it.
            yield Piece(tuple(piece), lang, opener and rng.random() < 0.5)
            at, made = at + length, made + 1


def lesson_texts(rng: random.Random, lists: int = 40) -> dict[str, list[str]]:
    """Return our own sentences in other languages, and shuffled words of each."""
    found = {}
    for lang, lesson in yaml.safe_load(LESSONS.read_text(encoding="utf-8")).items():
        words = lesson["words"].split()
        shuffled = [" ".join(rng.sample(words, 12)) for _ in range(lists)]
        found[lang] = [*lesson["text"].splitlines() * 2, *shuffled]
    return found


def training_pieces(texts: Sequence[Text], seed: int = SEED, each: int = PIECES) -> list[Piece]:
    """Return as many pieces of English, of Spanish and of other languages."""
    rng = random.Random(seed)  # noqa: S311 (it only has to be repeatable)
    pieces: list[Piece] = []
    by_source: dict[tuple[str, str], list[str]] = {}
    for text in texts:
        by_source.setdefault((text.source, text.lang), []).append(text.text)
    corpora = Counter(lang for _, lang in by_source)
    for (_, lang), own in by_source.items():
        pieces += pieces_of(own, lang, int(each * (1 - OWN_SHARE)) // corpora[lang], rng)
    lessons = lesson_texts(rng)
    shares = {lang: 3 if lang in NEAR else 1 for lang in lessons if lang not in corpora}
    for lang, own in lessons.items():
        if lang in corpora:
            pieces += pieces_of(own, lang, int(each * OWN_SHARE), rng)
        else:
            pieces += pieces_of(own, "other", each * shares[lang] // sum(shares.values()), rng)
    return pieces


def common_grams(texts: Sequence[Text], most: int = GRAMS) -> list[str]:
    """Return the n-grams and short words that are in most texts, each language counting alike."""
    lessons = lesson_texts(random.Random(SEED), lists=8)  # noqa: S311 (repeatable)
    sources = {lang: [text.text for text in texts if text.lang == lang] for lang in ("en", "es")}
    sources["other"] = [text for own in lessons.values() for text in own]
    shares: Counter[str] = Counter()
    for lang, own in sources.items():
        seen: Counter[str] = Counter()
        for text in own:
            words = {form for word in words_of(text) for form in (word, without_accents(word))}
            seen.update({gram for word in words for gram in grams_of(word)})
        for gram, count in seen.items():
            whole = len(gram) > 4
            least = LEAST_TEXTS_OF_WORD if whole and lang != "other" else LEAST_TEXTS
            if count >= least:
                shares[gram] += count / len(own)  # type: ignore[assignment]
    ranked = sorted(shares, key=lambda gram: (-shares[gram], gram))
    return sorted([*ranked[: most - 2], UNKNOWN, OPENER])


def design(pieces: Sequence[Piece], grams: Sequence[str]) -> Any:
    """Return the counts of n-grams in pieces, over the root of the number of words."""
    from scipy.sparse import csr_array

    column = {gram: at for at, gram in enumerate(grams)}
    known = _numbered(word for piece in pieces for word in piece.words)
    rows, columns = [], []
    for word, row in known.items():
        for gram in grams_of(word):
            at = column.get(gram)
            if at is None and len(gram) == 3:
                at = column[UNKNOWN]
            if at is not None:
                rows.append(row)
                columns.append(at)
    shape = (len(known), len(grams))
    grams_of_words = csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
    words = [known[word] for piece in pieces for word in piece.words]
    places = np.repeat(np.arange(len(pieces)), [len(piece.words) for piece in pieces])
    counts = csr_array(
        (np.ones(len(words)), (places, np.array(words))), shape=(len(pieces), len(known))
    )
    openers = [at for at, piece in enumerate(pieces) if piece.opener]
    marks = csr_array(
        (np.ones(len(openers)), (openers, [column[OPENER]] * len(openers))),
        shape=(len(pieces), len(grams)),
    )
    roots = np.array([1 / len(piece.words) ** 0.5 for piece in pieces])
    return ((counts @ grams_of_words + marks).multiply(roots[:, None])).tocsr()


def _numbered(words: Iterable[str]) -> dict[str, int]:
    numbers: dict[str, int] = {}
    for word in words:
        numbers.setdefault(word, len(numbers))
    return numbers


def fit(
    texts: Sequence[Text], seed: int = SEED, each: int = PIECES, most: int = GRAMS
) -> dict[str, np.ndarray]:
    """Return the arrays of the table: n-grams, whole-number weights, their scale and the bias."""
    from sklearn.linear_model import LogisticRegression

    pieces = training_pieces(texts, seed, each)
    grams = common_grams(texts, most)
    model = LogisticRegression(C=STRENGTH, max_iter=300, tol=1e-3)
    model.fit(design(pieces, grams), [CLASSES.index(piece.lang) for piece in pieces])
    against_other = model.coef_[:2] - model.coef_[2]
    bias = model.intercept_[:2] - model.intercept_[2]
    scale = float(np.abs(against_other).max()) / _LEVELS
    return {
        "grams": np.frombuffer("\n".join(grams).encode("utf-8"), dtype=np.uint8),
        "weights": np.round(against_other.T / scale).astype(np.int8),
        "scale_and_bias": np.array([scale, *bias]),
    }


def make(
    data: Path,
    table: Path = TABLE,
    card: Path = CARD,
    seed: int = SEED,
    each: int = PIECES,
    most: int = GRAMS,
) -> None:
    """Read the corpora, fit the table, and write it with its card."""
    texts = read_texts(data)
    arrays = fit(texts, seed, each, most)
    with atomic_path(table, force=True) as path, path.open("wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    counts = Counter(text.source for text in texts)
    said = {
        "name": "language",
        "languages": ["en", "es"],
        "licence": "Apache-2.0",
        "sources": {
            source.name: {"texts": counts[source.name], "licence": source.licence}
            for source in SOURCES
        },
        "seed": seed,
        "data_sha256": data_hash(texts),
        "grams": int(arrays["weights"].shape[0]),
        "command": "python -m factory.language --data DIR",
        "measured": "benchmarks/RESULTS.md, section language-detection",
    }
    with atomic_path(card, force=True) as path:
        path.write_text(json.dumps(said, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Make the table from the corpora in a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=load_settings().data)
    parser.add_argument("--table", type=Path, default=TABLE)
    parser.add_argument("--card", type=Path, default=CARD)
    wishes = parser.parse_args()
    if wishes.data is None:
        parser.error("name the folder of the corpora with --data, or set TACTFUL_DATA")
    make(wishes.data, wishes.table, wishes.card)


if __name__ == "__main__":
    main()
