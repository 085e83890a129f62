"""DETESTS rows never contradict the hierarchy, with any answers (section 4.1.1)."""

import csv
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.annotation.formats.conftest import Made

from tactful.annotation.formats.load import EXPORTS, export_source
from tactful.annotation.protocol.load import load_protocol, read_protocol
from tactful.annotation.protocol.records import Protocol
from tactful.corpora import load_corpus
from tactful.corpora.detests import CATEGORIES, LABELS
from tactful.errors import Severity

FLAT = """
id: flat
version: "1"
lang: es
name: All at once
summary: Nothing depends on anything.
source: our own
steps:
  - id: all
    title: All
    judgements: 2
    questions:
      - {id: stereotype, kind: choice, options: ["yes", "no"]}
      - {id: stereotype.implicit, kind: choice, options: ["yes", "no"]}
      - {id: categories, kind: choices, text: Which?, options: stereotype.categories}
"""
PEOPLE = ("x", "y", "z")
ITEMS = ("s1", "s2")

yes_no = st.sampled_from(["yes", "no"])
categories = st.lists(
    st.sampled_from([f"stereotype.{name}" for name in CATEGORIES]), max_size=3, unique=True
)
presence = st.fixed_dictionaries({
    "stereotype": yes_no, "stereotype.racial_target": yes_no, "stereotype.other_target": yes_no,
}, optional={"stereotype.implicit": yes_no})  # fmt: skip
event = st.one_of(
    st.tuples(st.just("presence"), st.sampled_from(PEOPLE), st.sampled_from(ITEMS), presence),
    st.tuples(
        st.just("categories"), st.sampled_from(PEOPLE), st.sampled_from(ITEMS),
        st.fixed_dictionaries({"categories": categories}),
    ),
)  # fmt: skip
Events = list[tuple[str, str, str, dict[str, Any]]]


def make(protocol: Protocol, events: Events, decided: Events = []) -> Made:  # noqa: B006
    """Make a log of answers, then of decisions."""
    log = Made(protocol).people(*PEOPLE).people("s", role="referee")
    for name in ITEMS:
        log.item(name, f"La frase {name}.", meta={"comment_id": "c1", "sentence_pos": name[1]})
    for step, who, item, answers in events:
        log.answer(who, item, answers, step)
    for step, _, item, answers in decided:
        data = {"answers": answers, "note": ""}
        log.add("adjudicated", annotator="s", item=item, step=step, data=data)
    return log


def export(log: Made, folder: Path, unfinished: bool) -> list[str]:
    """Export, validate as `tactful corpus validate` does, and return what was lost."""
    source = replace(log.source(), unfinished=unfinished)
    done = export_source(source, "detests", EXPORTS.get("detests"), folder)
    corpus = load_corpus("detests", folder)
    for _ in corpus.example_batches():
        pass
    assert corpus.log.of(Severity.ERROR) == []
    assert corpus.log.of(Severity.NOTE) == []
    for file in ("train.csv", "train_annotators.csv"):
        for row in rows(folder / file):
            assert contradictions(row) == [], (file, row)
    return [str(loss) for loss in done.losses]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def contradictions(row: dict[str, str]) -> list[str]:
    """Say what is against section 4.1.1: our own reading of it, not the exporter's."""
    found = [row[name] for name in CATEGORIES]
    wrong = []
    if row["stereotype"] == "0" and (set(found) | {row["implicitness"]}) != {"0"}:
        wrong.append("a sentence without a stereotype has no category, and is not implicit")
    if row["stereotype"] == "1" and set(found) == {"0"}:
        wrong.append("a stereotype has at least one category")
    return wrong


@settings(max_examples=60)
@given(
    st.lists(event, max_size=14), st.lists(event, max_size=2), st.booleans(),
)  # fmt: skip
def test_any_answers_to_the_paper_s_protocol_pass_our_validator(
    events: Events, decided: Events, unfinished: bool
) -> None:
    log = make(load_protocol("stereotypes"), events, decided)
    with tempfile.TemporaryDirectory() as folder:
        export(log, Path(folder) / "out", unfinished)


@pytest.fixture(scope="module")
def flat(tmp_path_factory: pytest.TempPathFactory) -> Protocol:
    path = tmp_path_factory.mktemp("flat") / "flat.yaml"
    path.write_text(FLAT, encoding="utf-8")
    return read_protocol(path)


@settings(max_examples=60)
@given(data=st.data(), unfinished=st.booleans())
def test_any_answers_to_questions_that_hang_on_nothing_pass_it_too(
    flat: Protocol, data: st.DataObject, unfinished: bool
) -> None:
    said = st.fixed_dictionaries(
        {"stereotype": yes_no, "stereotype.implicit": yes_no, "categories": categories}
    )
    events = [
        ("all", who, item, data.draw(said))
        for who in PEOPLE[: data.draw(st.integers(0, 3))]
        for item in ITEMS
    ]
    with tempfile.TemporaryDirectory() as folder:
        export(make(flat, events), Path(folder) / "out", unfinished)


def answers(root: str, *chosen: str) -> dict[str, Any]:
    return {
        "stereotype": root,
        "stereotype.implicit": "no",
        "categories": [f"stereotype.{name}" for name in chosen],
    }


def labels(folder: Path, item: str) -> set[str]:
    [row] = [row for row in rows(folder / "train.csv") if row["sentence_id"] == item]
    return {name for name in LABELS if row[name] == "1"}


def test_what_was_changed_is_listed(flat: Protocol, tmp_path: Path) -> None:
    events: Events = []
    for who in ("x", "y"):
        events += [("all", who, "s1", answers("no", "culture")), ("all", who, "s2", answers("yes"))]
    lost = export(make(flat, events), tmp_path / "out", unfinished=False)
    assert labels(tmp_path / "out", "s1") == {"stereotype", "culture"}
    assert labels(tmp_path / "out", "s2") == {"stereotype", "others"}
    listed = "\n".join(lost)
    assert "labels of sentences with a category and without a stereotype: 1 (" in listed
    assert "labels of sentences with a stereotype and without a category: 1 (" in listed
    assert "answers of people with a category and without a stereotype: 2 (" in listed
    assert "answers of people with a stereotype and without a category: 2 (" in listed


def presences(*given: str) -> Events:
    found = {"stereotype.racial_target": "yes", "stereotype.other_target": "no"}
    return [
        ("presence", who, "s1", {"stereotype": said, **found})
        for who, said in zip(PEOPLE, given, strict=True)
    ]


def chosen(*each: Sequence[str]) -> Events:
    return [
        ("categories", who, "s1", {"categories": [f"stereotype.{name}" for name in names]})
        for who, names in zip(PEOPLE, each, strict=True)
    ]


def test_a_decision_against_a_stereotype_takes_its_categories_away(tmp_path: Path) -> None:
    """The second stage is about sentences with a stereotype only (section 4.2)."""
    decided = presences("no", "no", "no")[:1]
    events = [*presences("yes", "yes", "yes"), *chosen(["culture"], ["culture"], ["culture"])]
    log = make(load_protocol("stereotypes"), events, decided)
    export(log, tmp_path / "out", unfinished=False)
    assert labels(tmp_path / "out", "s1") == {"racial_target"}


def test_who_saw_no_stereotype_keeps_that_answer(tmp_path: Path) -> None:
    """In the second stage they had to choose a category: that is no change of mind."""
    events = [*presences("yes", "yes", "no"), *chosen(["culture"], ["culture"], ["culture"])]
    log = make(load_protocol("stereotypes"), events)
    lost = export(log, tmp_path / "out", unfinished=True)
    said = {row["annotator"]: row for row in rows(tmp_path / "out" / "train_annotators.csv")}
    assert [said[who]["stereotype"] for who in PEOPLE] == ["1", "1", "0"]
    assert [said[who]["culture"] for who in PEOPLE] == ["1", "1", "0"]
    assert any(line.startswith("categories by people who saw no stereotype: 1 (") for line in lost)


def test_labels_that_may_still_change_are_empty_unless_asked_for(tmp_path: Path) -> None:
    """The categories of one person are there, those of two are not; and a referee has to look."""
    events = [*presences("yes", "yes", "yes"), *chosen(["culture"], ["culture"], ["culture"])[:1]]
    log = make(load_protocol("stereotypes"), events)
    lost = export(log, tmp_path / "out", unfinished=False)
    assert labels(tmp_path / "out", "s1") == {"stereotype", "racial_target"}
    said = "sentences that are not finished: 1 (labels that may still change are empty; "
    assert any(line.startswith(said) for line in lost)
    lost = export(log, tmp_path / "all", unfinished=True)
    assert labels(tmp_path / "all", "s1") == {"stereotype", "racial_target", "culture"}
    said = "sentences that are not finished: 1 (their labels may still change)"
    assert said in lost
