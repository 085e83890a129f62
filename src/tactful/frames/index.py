"""An index of the user's own posts with frames: built, written to a folder, and read again.

The folder holds ``card.json``, ``posts.jsonl`` (the texts and what their annotators wrote) and
``vectors.npz``. It is made from the user's own copy of a corpus and belongs to them; Tactful does
not contain it.

Posts are similar if their whitened embeddings are. In addition, the index learns from its own
posts, in closed form, which words a post's group and statements may have, and looks for posts whose
references have them.
"""

import csv
import json
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.card import Card, read_card, write_card
from tactful.errors import FileFormatError, InputError
from tactful.files import atomic_folder, has_bad_bytes, open_text
from tactful.frames.consensus import Pair
from tactful.frames.embedding import Embedding, Numbers, Space, learn_space, unit
from tactful.frames.posts import Post, is_implicit_hate, read_implicit_hate, read_references
from tactful.frames.schema import CATEGORICAL
from tactful.metrics.generation import tokenise
from tactful.words import counted

KIND, VERSION = "frames-index", "1"
POSTS_FILE, VECTORS_FILE = "posts.jsonl", "vectors.npz"
OWN = "own table"
OWN_COLUMNS = ("post", "group", "statement")

THRESHOLDS = {"frame.offensive": 0.2, "frame.group": 0.2}
"""A frame says what a text may imply: a group is named where a fifth of the vote sees one."""
RIDGE = 3.0
GROUP_COUNT = 4
"""A group's name counts as much as a word in this many statements of a post."""
MOST_TERMS = 4096
_SMALL = 1e-9
_RESTORE = "build the index again with 'tactful frame index'"


@dataclass(frozen=True, slots=True)
class IndexedPost:
    """One post of an index."""

    text: str
    shares: Mapping[str, float]
    """id -> the share of annotators who answered with a yes; absent if it was not asked."""
    groups: tuple[str, ...] = ()
    pairs: tuple[Pair, ...] = ()
    """Each group with a statement about it, as often as it was written."""


@dataclass(frozen=True, slots=True)
class Index:
    """Posts, where they are in their space, and what those with references may imply."""

    card: Card
    posts: tuple[IndexedPost, ...]
    space: Space
    vectors: Numbers
    implied: Numbers
    """One row for each post of ``with_references``."""
    with_references: NDArray[np.int64]
    """The indices of the posts with a group and a statement."""
    origin: Numbers
    """The mean of these posts' vectors."""
    gram: Numbers
    """By it, the length of what a post is expected to imply."""

    def likeness(self, queries: Numbers) -> Numbers:
        """Return the cosine of each query (a row) with each post."""
        found: Numbers = queries @ self.vectors.T
        return found

    def implied_likeness(self, queries: Numbers) -> Numbers:
        """Return how well what a query may imply suits the references of each post with some."""
        apart = queries - self.origin
        lengths = np.sqrt(np.maximum(np.einsum("qd,de,qe->q", apart, self.gram, apart), 0))
        found: Numbers = (apart @ self.implied.T) / np.maximum(lengths, _SMALL)[:, None]
        return found


def read_index_posts(data: Path) -> tuple[list[IndexedPost], str]:
    """Read a corpus' folder or file, or a table of your own; also return where the posts are from.

    An own table is a CSV with the columns post, group and statement; each row is one triple, and a
    post without a group leaves both blank. The file of Implicit Hate has other columns.
    """
    if data.is_file() and is_implicit_hate(data):
        return [indexed(post) for post in read_implicit_hate(data)], "Implicit Hate"
    if data.is_file() and (rows := _own_rows(data)) is not None:
        return _own_posts(rows), OWN
    return [indexed(post) for post in read_references(data)], "Social Bias Inference Corpus"


def indexed(post: Post) -> IndexedPost:
    """Return what an index keeps of a post."""
    pairs = tuple(
        (_plain(lesson.group), _plain(lesson.statement))
        for lesson in post.lessons
        if lesson.group and lesson.statement
    )
    if not (post.frame.target_groups and post.frame.implied_statements and pairs):
        return IndexedPost(post.text, dict(post.frame.probabilities))
    groups = tuple(dict.fromkeys(_plain(group) for group in post.frame.target_groups))
    return IndexedPost(post.text, dict(post.frame.probabilities), groups, pairs)


def build_index(
    posts: Sequence[IndexedPost],
    embedding: Embedding,
    source: str = OWN,
    on_texts: Callable[[int], None] = lambda _: None,
) -> Index:
    """Embed the posts and learn their space."""
    if not any(post.pairs for post in posts):
        raise InputError(
            f"Found {counted(len(posts), 'post')}, none with a group and a statement; expected "
            "some to find again; check the data."
        )
    parts = embedding.vectors([post.text for post in posts], on_texts)
    return index_of_parts(posts, parts, embedding, source)


def index_of_parts(
    posts: Sequence[IndexedPost], parts: Sequence[Numbers], embedding: Embedding, source: str
) -> Index:
    """Learn the space of posts whose embedding is known."""
    with_references = _with_references(posts)
    space = learn_space(parts)
    vectors = space.place(parts)
    known = vectors[with_references]
    origin = known.mean(axis=0)
    terms = _terms([posts[at] for at in with_references])
    apart = (known - origin).astype(np.float64)
    ridge = apart.T @ apart + RIDGE * np.eye(vectors.shape[1])
    weights = np.linalg.solve(ridge, apart.T @ terms)
    implied = (unit(terms) @ weights.T).astype(np.float32)
    gram = (weights @ weights.T).astype(np.float32)
    return Index(
        _card(posts, with_references, embedding, source),
        tuple(posts),
        space,
        vectors,
        implied,
        with_references,
        origin,
        gram,
    )


def write_index(index: Index, folder: Path, force: bool = False) -> None:
    """Write an index; an existing folder is refused unless ``force``."""
    with atomic_folder(folder, force) as temporary:
        with (temporary / POSTS_FILE).open("w", encoding="utf-8") as file:
            for post in index.posts:
                file.write(json.dumps(asdict(post), ensure_ascii=True) + "\n")
        arrays: dict[str, NDArray[Any]] = {
            "vectors": index.vectors,
            "implied": index.implied,
            "origin": index.origin,
            "gram": index.gram,
        }
        for at, centre in enumerate(index.space.centres):
            arrays[f"centre{at}"] = centre
            arrays[f"whitening{at}"] = index.space.whitenings[at]
        np.savez(temporary / VECTORS_FILE, **arrays)  # type: ignore[arg-type]
        write_card(index.card, temporary)


def read_index(folder: Path) -> Index:
    """Read what :func:`write_index` wrote."""
    card = read_card(folder)
    if card.kind != KIND or card.version != VERSION:
        raise FileFormatError(
            f"{folder}: found a {card.kind or 'nameless'} of version {card.version}; expected a "
            f"{KIND} of version {VERSION}; {_RESTORE}."
        )
    posts = _read_posts_file(folder / POSTS_FILE)
    path = folder / VECTORS_FILE
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as found:
            arrays = {name: found[name].astype(np.float32) for name in found.files}
        numbers = range(sum(name.startswith("centre") for name in arrays))
        space = Space(
            tuple(arrays[f"centre{at}"] for at in numbers),
            tuple(arrays[f"whitening{at}"] for at in numbers),
        )
        vectors, implied, origin, gram = (
            arrays[name] for name in ("vectors", "implied", "origin", "gram")
        )
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        raise FileFormatError(
            f"{path}: found no readable vectors; expected those of an index; {_RESTORE}."
        ) from None
    with_references = _with_references(posts)
    width = len(origin)
    shapes = [vectors.shape, implied.shape, gram.shape]
    if shapes != [(len(posts), width), (len(with_references), width), (width, width)] or width != (
        sum(map(len, space.centres))
    ):
        raise FileFormatError(
            f"{folder}: found {counted(len(posts), 'post')} and vectors of other posts; expected "
            f"one vector for each; {_RESTORE}."
        )
    return Index(card, posts, space, vectors, implied, with_references, origin, gram)


def _with_references(posts: Sequence[IndexedPost]) -> NDArray[np.int64]:
    return np.array([at for at, post in enumerate(posts) if post.pairs], dtype=np.int64)


def _terms(posts: Sequence[IndexedPost]) -> NDArray[np.float64]:
    """Return the words of each post's references by TF-IDF, around their mean.

    A group is one word; a word counts once for each statement that has it.
    """
    listed = []
    for post in posts:
        counts: Counter[tuple[str, str]] = Counter()
        for group in post.groups:
            counts["group", group] = GROUP_COUNT
        for statement in dict.fromkeys(statement for _, statement in post.pairs):
            counts.update(("word", token) for token in set(tokenise(statement)))
        listed.append(counts)
    spread = Counter(term for counts in listed for term in counts)
    # Words of a single post say nothing about others; a few posts may share none.
    kept = [term for term, posts_with in spread.items() if posts_with > 1] or list(spread)
    kept = sorted(kept, key=lambda term: (-spread[term], term))[:MOST_TERMS]
    places = {term: at for at, term in enumerate(kept)}
    table = np.zeros((len(posts), len(kept)))
    for row, counts in enumerate(listed):
        for term, count in counts.items():
            if term in places:
                rarity = log((1 + len(posts)) / (1 + spread[term])) + 1
                table[row, places[term]] = (1 + log(count)) * rarity
    table = table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), _SMALL)
    around: NDArray[np.float64] = table - table.mean(axis=0)
    return around


def _card(
    posts: Sequence[IndexedPost],
    with_references: NDArray[np.int64],
    embedding: Embedding,
    source: str,
) -> Card:
    digest = sha256()
    for post in posts:
        digest.update(json.dumps(asdict(post), sort_keys=True).encode())
    own = OWN in source
    terms = "those of the owner" if own else "CC BY 4.0"
    return Card(
        name=KIND,
        version=VERSION,
        ids=CATEGORICAL,
        kind=KIND,
        summary="Frames by the nearest posts of an index that its user built from an own copy.",
        thresholds=THRESHOLDS,
        licence=f"{terms}: this folder holds the posts and their references; it is not part of "
        "Tactful, and to pass it on is to pass on the data",
        corpora=({"name": source, "terms": terms, "texts": len(posts)},),
        training={
            "embedding": embedding.name,
            "fingerprint": embedding.fingerprint,
            "posts with references": len(with_references),
            "data sha256": digest.hexdigest(),
        },
        limits=(
            "It repeats what was written about similar posts, and cannot say anything else.",
            "Posts about a group that the index hardly has are taken for posts about others.",
        ),
        not_for=("Deciding about people, or what a writer believes.",),
    )


def _read_posts_file(path: Path) -> tuple[IndexedPost, ...]:
    if not path.is_file():
        raise FileFormatError(f"{path}: found no such file; expected an index's; {_RESTORE}.")
    posts = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            found = json.loads(line)
            posts.append(
                IndexedPost(
                    str(found["text"]),
                    {str(name): float(share) for name, share in found["shares"].items()},
                    tuple(map(str, found["groups"])),
                    tuple((str(group), str(statement)) for group, statement in found["pairs"]),
                )
            )
        except (ValueError, KeyError, TypeError, AttributeError):
            raise FileFormatError(
                f"{path}, line {number}: found no post of an index; expected what building wrote; "
                f"{_RESTORE}."
            ) from None
    return tuple(posts)


def _own_rows(path: Path) -> list[dict[str, str]] | None:
    """Return the rows of a table of your own, or None if the file is not one."""
    rows, start = [], 1
    with open_text(path) as file:
        reader = csv.DictReader(file, strict=True)
        try:
            if not set(OWN_COLUMNS) <= set(reader.fieldnames or ()):
                return None
            start = reader.line_num + 1
            for cells in reader:
                row = {name: (cells[name] or "").strip() for name in OWN_COLUMNS}
                flaw = _flaw(row)
                if flaw is not None:
                    raise InputError(f"{path}, line {start}: {flaw}")
                rows.append(row)
                start = reader.line_num + 1
        except csv.Error as error:
            raise FileFormatError(
                f"{path}, line {start}: found no row of a CSV ({error}); expected quotes that "
                "close; repair the line."
            ) from None
    return rows


def _flaw(row: Mapping[str, str]) -> str | None:
    if any(map(has_bad_bytes, row.values())):
        return "found bytes that are not UTF-8; expected text; save the file as UTF-8."
    if not row["post"]:
        return "found no post; expected a text in the column 'post'; fill it in."
    if bool(row["group"]) != bool(row["statement"]):
        return "found a group or a statement alone; expected both or neither; fill the row in."
    return None


def _own_posts(rows: Sequence[Mapping[str, str]]) -> list[IndexedPost]:
    pairs: dict[str, list[Pair]] = {}
    for row in rows:
        listed = pairs.setdefault(row["post"], [])
        if row["group"]:
            listed.append((_plain(row["group"]), _plain(row["statement"])))
    return [
        IndexedPost(
            text,
            {"frame.offensive": float(bool(said)), "frame.group": float(bool(said))},
            tuple(dict.fromkeys(group for group, _ in said)),
            tuple(said),
        )
        for text, said in pairs.items()
    ]


def _plain(text: str | None) -> str:
    return " ".join((text or "").lower().split())
