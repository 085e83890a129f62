"""The posts of the Social Bias Inference Corpus as frames: references to compare with, and lessons.

A post's reference is the combination of its annotators (section 4.2). Its lessons are one triple of
post, group and statement for each row of each annotator, with that annotator's own answers.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tactful.corpora import load_corpus
from tactful.corpora.split import assign_texts, hashed_part, parts_by_folds
from tactful.errors import FileFormatError, UsageError
from tactful.files import open_text
from tactful.frames.groups import group_named
from tactful.frames.schema import (
    CATEGORICAL,
    GROUPS,
    STATEMENTS,
    THRESHOLD,
    frame_of_example,
)
from tactful.frames.statements import hearst_form
from tactful.settings import Settings
from tactful.taxonomies.frame_constraints import binarise
from tactful.types import Example, Frame

FOLDS, SEED = 8, 1
IMPLICIT_HATE_COLUMNS = ("post", "target", "implied_statement")
_LONGEST_HEADER = 10_000
_NOBODY = frozenset({"not specified", "no specific group", "none", "n/a"})
"""What annotators of Implicit Hate wrote where they saw no group."""
STRATIFY = ("frame.offensive", "frame.intent", "frame.lewd", "frame.group", "frame.in_group")


@dataclass(frozen=True, slots=True)
class Instance:
    """One thing to learn: a post, the five answers, a group and a statement about it."""

    post: str
    values: Mapping[str, int | None]
    """id -> 0 or 1; None (or absent) where the variable has no value."""
    group: str | None = None
    statement: str | None = None


@dataclass(frozen=True, slots=True)
class Post:
    """One post, the combined frame of its annotators, and each of their triples."""

    id: str
    text: str
    frame: Frame
    """Its groups and statements are those of all annotators: the references."""
    lessons: tuple[Instance, ...] = ()
    fold: str = ""
    split: str | None = None
    """The official part (train, dev, test) that its file's name states."""

    @property
    def held_out(self) -> bool:
        """Whether figures are reported on the post: no embedded model learnt from it."""
        return bool(self.fold) and hashed_part(self.text) == "validation"


def read_posts(data: Path | None = None, settings: Settings | None = None) -> list[Post]:
    """Read the posts of the corpus' folder, or of the one above it; each knows its fold.

    From annotation rows if they are there; an aggregated file has no annotators, and gives each
    statement with the first of the post's groups.
    """
    examples = _read_examples(data, settings)
    table = [[example.labels.get(name, 0) >= 0.5 for name in STRATIFY] for example in examples]
    folds = assign_texts(
        [example.text for example in examples],
        [example.group for example in examples],
        np.array(table, dtype=np.bool_),
        parts_by_folds(FOLDS),
        SEED,
    ).tolist()
    return [_post(example, fold) for example, fold in zip(examples, folds, strict=True)]


def read_references(data: Path | None = None, settings: Settings | None = None) -> list[Post]:
    """Read the posts as :func:`read_posts` does, of a single file too; they have no fold."""
    return [_post(example) for example in _read_examples(data, settings)]


def _read_examples(data: Path | None, settings: Settings | None) -> list[Example]:
    corpus = load_corpus("sbic", data, settings=settings)
    examples = [example for example in corpus.examples() if example.text.strip()]
    if not examples:
        raise UsageError("Found no post in the corpus; 'tactful corpus validate sbic' says why.")
    return examples


def _post(example: Example, fold: str = "") -> Post:
    lessons = tuple(_lessons(example))
    frame = frame_of_example(example)
    if example.judgements:
        frame = _binarised_first(frame, lessons)
    return Post(example.id, example.text, frame, lessons, fold, example.split)


def _binarised_first(frame: Frame, lessons: Sequence[Instance]) -> Frame:
    """Combine the answers as section 4.2 does: binarised, averaged over the rows, binarised again.

    The corpus' own means are of the numbers as written, where a "maybe" is half a yes and not a
    whole one; an aggregated file has only these.
    """
    shares = {}
    for name in CATEGORICAL:
        said = [value for each in lessons if (value := each.values.get(name)) is not None]
        if said:
            shares[name] = sum(said) / len(said)
    answers = {name: "yes" if share >= THRESHOLD else "no" for name, share in shares.items()}
    return replace(frame, probabilities=shares, answers=answers)


def read_implicit_hate(path: Path) -> list[Post]:
    """Read the targets and implied statements of Implicit Hate (ElSherief et al. 2021), stage 3.

    Parameters
    ----------
    path
        The authors' file, separated by tabs, or the same table as CSV: the columns ``post``,
        ``target`` and ``implied_statement``, one row for each annotator's answer.

    Returns
    -------
    list of Post
        One for each post; its groups have their names in the list, and its statements begin with
        them (:func:`tactful.frames.statements.hearst_form`). Rows without a target are left out.

    """
    found: dict[str, list[Instance]] = {}
    for row in _rows(path):
        text, group, said = (" ".join(row[name].split()) for name in IMPLICIT_HATE_COLUMNS)
        group = group.rstrip(".")
        if not text or not said or not group or group.lower() in _NOBODY:
            continue
        name = group_named(group) or group.lower()
        lesson = Instance(
            text, {"frame.offensive": 1, "frame.group": 1}, name, hearst_form(said, group)
        )
        found.setdefault(text, []).append(lesson)
    return [_implicit_post(number, text, rows) for number, (text, rows) in enumerate(found.items())]


def is_implicit_hate(path: Path) -> bool:
    """Say whether a file is the table of Implicit Hate with targets and statements."""
    if path.suffix.lower() not in (".csv", ".tsv"):
        return False
    with open_text(path) as file:
        header = file.readline(_LONGEST_HEADER).strip().lstrip("\ufeff")
    names = header.split("\t" if path.suffix.lower() == ".tsv" else ",")
    return set(IMPLICIT_HATE_COLUMNS) <= {name.strip('"') for name in names}


def _implicit_post(number: int, text: str, lessons: Sequence[Instance]) -> Post:
    sure = {"frame.offensive": 1.0, "frame.group": 1.0}
    frame = Frame(
        sure,
        tuple(dict.fromkeys(each.group for each in lessons if each.group)),
        tuple(dict.fromkeys(each.statement for each in lessons if each.statement)),
        dict.fromkeys(sure, "yes"),
    )
    return Post(f"implicit-{number}", text, frame, tuple(lessons), "all")


def _rows(path: Path) -> list[dict[str, str]]:
    with open_text(path) as file:
        tabs = path.suffix.lower() == ".tsv"
        reader = csv.DictReader(file, delimiter="\t" if tabs else ",", strict=True)
        missing = [name for name in IMPLICIT_HATE_COLUMNS if name not in (reader.fieldnames or ())]
        if missing:
            raise FileFormatError(
                f"{path}: found no column '{missing[0]}'; expected the table of Implicit Hate with "
                f"the columns {', '.join(IMPLICIT_HATE_COLUMNS)}; check the file."
            )
        try:
            return [{name: row[name] or "" for name in IMPLICIT_HATE_COLUMNS} for row in reader]
        except csv.Error as error:
            raise FileFormatError(
                f"{path}, line {reader.line_num}: found no row of a CSV ({error}); expected quotes "
                "that close; repair the line."
            ) from None


def with_references(posts: Sequence[Post]) -> list[Post]:
    """Return the posts with a group and an implied statement."""
    return [post for post in posts if post.frame.target_groups and post.frame.implied_statements]


def _lessons(example: Example) -> Iterator[Instance]:
    if not example.judgements:
        yield from _combined_lessons(example)
        return
    for annotator in dict.fromkeys(each.annotator for each in example.judgements):
        said = [each for each in example.judgements if each.annotator == annotator]
        numbered = sorted({each.row for each in said if each.row is not None})
        rows: list[int | None] = [*numbered] or [None]
        for row in rows:
            own = {each.question: each for each in said if each.row in (None, row)}
            values = {
                name: binarise(name, value)
                for name in CATEGORICAL
                if name in own and (value := own[name].value) is not None
            }
            texts = (own[name].label if name in own else None for name in (GROUPS, STATEMENTS))
            group, statement = ((text or "").strip() or None for text in texts)
            yield Instance(example.text, values, group, statement)


def _combined_lessons(example: Example) -> Iterator[Instance]:
    values = {
        name: int(example.labels[name] >= 0.5) for name in CATEGORICAL if name in example.labels
    }
    groups = example.texts.get(GROUPS, ())
    plain = Instance(example.text, values, groups[0] if groups else None)
    statements = example.texts.get(STATEMENTS, ()) if groups else ()
    if not statements:
        yield plain
    for statement in statements:
        yield replace(plain, statement=statement)
