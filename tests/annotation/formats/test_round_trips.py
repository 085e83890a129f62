"""Each export comes back as it was, as far as the format carries it."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tactful.annotation.answers.answers import check_answers
from tactful.annotation.formats.annotated import Annotated, new_items
from tactful.annotation.formats.load import EXPORTS, IMPORTS, export_source, read_annotations
from tactful.annotation.protocol.load import read_protocol
from tactful.annotation.protocol.records import Protocol
from tactful.annotation.state.project_state import State
from tactful.annotation.state.span_labels import parts_of, span_of

_LETTERS = st.sampled_from(
    ["a", "B", " ", "\n", "\r\n", "\r", "\t", '"', "'", ",", ";", "=", "é", "e\u0301", "שלום",
     "👩🏽‍🚒", "𝒳", "\u2028", "\x85", "\u202e", "\\", "#", "\ufeff", "</script>"]
)  # fmt: skip
TEXTS = st.lists(_LETTERS, min_size=1, max_size=12).map("".join)


def _sorted(answer: Any) -> Any:
    """Put spans into one order: which of two in one place comes first says nothing."""
    marked = isinstance(answer, list) and answer and isinstance(answer[0], dict)
    return sorted(answer, key=lambda s: (s["value"], parts_of(s))) if marked else answer


def _answers(records: tuple[Annotated, ...]) -> dict[Any, dict[str, Any]]:
    return {
        (record.id, record.text, record.step, judged.annotator): {
            name: _sorted(answer) for name, answer in judged.answers.items()
        }
        for record in records
        for judged in record.judged
    }


def _wanted(source: Any, kept: tuple[str, ...]) -> dict[Any, dict[str, Any]]:
    return {
        (record.id, record.text, record.step, judged.annotator): {
            name: _sorted(answer) for name, answer in judged.answers.items() if name in kept
        }
        for record in source.judged()
        for judged in record.counted
    }


CARRIED = {
    "label-studio": ("tone", "grade", "topics", "marks", "remark", "reasons"),
    "doccano": ("tone", "grade", "topics", "marks"),
    "brat": ("marks",),
    "csv": ("tone", "grade", "topics", "marks", "remark", "reasons"),
}
GAPS = ("brat", "csv")
"""Formats that know spans with gaps."""


@pytest.mark.parametrize("name", CARRIED)
def test_comes_back(name: str, full: Any, tmp_path: Path) -> None:
    source = full.source()
    export_source(source, name, EXPORTS.get(name), tmp_path / "out")
    back = read_annotations(tmp_path / "out", name, full.protocol)
    found = {key: each for key, each in _answers(back.items).items() if key[0] != "test"}
    assert found == _wanted(source, CARRIED[name])
    items = {item.id: item for item in new_items(back.items)}
    if name == "csv":
        assert items.pop("test").gold == {"tone": "kind"}
        assert items.pop("alone").answers == ()
    assert set(items) == {"i/1", "i2"}, "the hidden test and the unseen item stay at home"
    assert items["i/1"].text == full.state().items["i/1"].text
    assert {answer.annotator for answer in items["i/1"].answers} >= {"ann", "B/ob"}


def test_label_studio_brings_decisions_times_and_context_back(full: Any, tmp_path: Path) -> None:
    export_source(full.source(), "label-studio", EXPORTS.get("label-studio"), tmp_path / "out")
    back = read_annotations(tmp_path / "out", "label-studio", full.protocol)
    first = new_items(back.items)[0]
    decided = [answer for answer in first.answers if answer.adjudicated]
    kept = full.state().items["i/1"]
    assert [(each.annotator, each.answers["tone"]) for each in decided] == [("rita", "kind")]
    assert {(each.at, each.seconds) for each in first.answers if not each.adjudicated} == {
        (answer.at, 4.5) for answer in kept.steps["all"].answers.values()
    }
    assert (dict(first.context), dict(first.meta)) == (kept.context, kept.meta)


@pytest.mark.parametrize("name", ["jsonl", "parquet"])
def test_a_whole_project_is_built_again(name: str, full: Any, tmp_path: Path) -> None:
    done = export_source(full.source(), name, EXPORTS.get(name), tmp_path / "out")
    assert [str(loss) for loss in done.losses] == [
        "invitation links: 3 (a copy gives nobody access; invite people again)"
    ]
    back = read_annotations(tmp_path / "out", name, full.protocol)
    assert back.protocol is not None
    protocol = read_protocol(back.protocol)
    assert (protocol.steps, protocol.guideline) == (
        full.protocol.steps,
        "Read twice.\nThen answer.",
    )
    built, kept = State.derive(protocol, back.events), full.state()
    assert [e for e in back.events if e.kind != "invited"] == [
        e for e in full.events if e.kind != "invited"
    ]
    assert built.items == kept.items
    for person in (*built.people.values(), *kept.people.values()):
        person.token = None
    assert built.people == kept.people


def test_without_the_people_file_nothing_else_is_missing(full: Any, tmp_path: Path) -> None:
    export_source(full.source(), "jsonl", EXPORTS.get("jsonl"), tmp_path / "out")
    for name in ("events.jsonl", "annotations.jsonl"):
        written = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert "Person ann" not in written
        assert "politics" not in written
        assert "hash of" not in written
    (tmp_path / "out" / "people.jsonl").unlink()
    back = read_annotations(tmp_path / "out", "jsonl", full.protocol)
    assert [str(loss) for loss in back.losses] == [
        "names and traits of people: 6 (there is no people.jsonl)",
        "skips: 1 (they belong to the people of the other project)",
    ]
    built = State.derive(full.protocol, back.events)
    assert built.people["ann"].traits == {}
    assert built.items == full.state().items


@settings(max_examples=60)
@given(text=TEXTS, data=st.data())
@pytest.mark.parametrize("name", CARRIED)
def test_any_text_and_span(
    name: str, text: str, data: st.DataObject, made: Callable[..., Any], mixed: Protocol
) -> None:
    """With overlap and gaps, emoji, combining marks, right-to-left text and line breaks."""
    edges = st.lists(st.integers(0, len(text)), min_size=2, max_size=6, unique=True).map(sorted)
    parts = edges.map(lambda all: list(zip(all[::2], all[1::2], strict=False)))
    drawn = st.lists(st.tuples(parts, st.sampled_from(["a.one", "a_one", "b two"])), max_size=4)
    marks = [span_of(pieces, value) for pieces, value in data.draw(drawn)]
    answers = check_answers(
        mixed.steps[0],
        {"tone": "kind", "grade": "0", "topics": ["work"], "marks": marks},
        text,
    )
    log = made(mixed).people("ann", "bob").item("one", text).answer("ann", "one", answers)
    with TemporaryDirectory() as place:
        out = Path(place) / "out"
        done = export_source(log.source(), name, EXPORTS.get(name), out)
        back = read_annotations(out, name, mixed)
    assert back.items[0].text == text
    lost = {loss.what: loss.count for loss in done.losses}
    if any("line breaks" in what for what in lost):
        assert name == "brat"
        return
    gaps = sum("parts" in mark for mark in answers["marks"])
    assert lost.get("spans with gaps", 0) == (0 if name in GAPS else gaps)
    wanted = _wanted(log.source(), CARRIED[name])
    if gaps and name not in GAPS:
        ((_, each),) = wanted.items()
        pieces = sorted((mark["value"], part) for mark in each["marks"] for part in parts_of(mark))
        each["marks"] = [span_of([part], value) for value, part in pieces]
    assert _answers(back.items) == wanted


def test_every_import_has_its_export() -> None:
    assert set(IMPORTS.names()) <= set(EXPORTS.names())
