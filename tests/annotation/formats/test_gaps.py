"""Spans with gaps: kept by our formats and by brat; other formats report the exact loss."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tactful.annotation.formats.load import EXPORTS, export_source, read_annotations
from tactful.annotation.protocol.records import Protocol
from tactful.annotation.state.project_state import State
from tactful.corpora import load_corpus

TEXT = "take 🙂 the matter out"
OUT = TEXT.index("out")
APART = {"start": 0, "end": OUT + 3, "value": "b two", "parts": [[0, 4], [OUT, OUT + 3]]}
WHOLE = {"start": 7, "end": 17, "value": "a.one"}
LABELS = "spans with gaps of combined labels"
WHY = "(each of their parts became a span of its own)"


@pytest.fixture
def apart(made: Any, mixed: Protocol) -> Any:
    """Return a project in which two people and a referee mark what lies apart."""
    answers = {"tone": "kind", "grade": "0", "topics": ["work"], "marks": [APART, WHOLE]}
    log = made(mixed).people("ann", "bob").people("rita", role="referee").item("one", TEXT)
    log.answer("ann", "one", answers).answer("bob", "one", {**answers, "marks": [APART]})
    decided = {"answers": answers}
    return log.add("adjudicated", annotator="rita", item="one", step="all", data=decided)


def _lost(log: Any, name: str, out: Path) -> list[str]:
    done = export_source(log.source(), name, EXPORTS.get(name), out)
    return [str(loss) for loss in done.losses if "gaps" in loss.what]


def test_our_own_formats_keep_them(apart: Any, tmp_path: Path) -> None:
    assert _lost(apart, "jsonl", tmp_path / "jsonl") == []
    line = json.loads((tmp_path / "jsonl" / "annotations.jsonl").read_text(encoding="utf-8"))
    assert line["judgements"][1]["answers"]["marks"] == [APART]
    assert {**APART, "annotators": 1} in line["labels"]["marks"]["value"]
    back = read_annotations(tmp_path / "jsonl", "jsonl", apart.protocol)
    assert State.derive(apart.protocol, back.events).items == apart.state().items
    assert _lost(apart, "parquet", tmp_path / "parquet") == []
    table = pl.read_parquet(tmp_path / "parquet" / "judgements.parquet")
    marks = table.filter(question="marks", annotator="bob")["answer"].item()
    assert json.loads(marks) == [APART]
    assert _lost(apart, "csv", tmp_path / "csv") == []
    assert _lost(apart, "brat", tmp_path / "brat") == []


@pytest.mark.parametrize(
    ("name", "lost"),
    [
        ("label-studio", [f"spans with gaps: 3 {WHY}", f"{LABELS}: 1 {WHY}"]),
        ("doccano", [f"spans with gaps: 2 {WHY}"]),
        ("conll", [f"spans with gaps: 2 {WHY}", f"{LABELS}: 1 {WHY}"]),
        ("crowd-kit", []),
    ],
)  # fmt: skip
def test_others_say_what_they_lose(name: str, lost: list[str], apart: Any, tmp_path: Path) -> None:
    assert _lost(apart, name, tmp_path / "out") == lost
    if name == "conll":
        written = (tmp_path / "out/all/marks/bob.conll").read_text(encoding="utf-8")
        tags = [line.split("\t")[3] for line in written.split("\n") if "\t" in line]
        assert tags == ["B-b two", "O", "O", "O", "B-b two"]


def test_dpm_has_a_row_for_each_part(made: Any, tmp_path: Path) -> None:
    text = "They take these poor souls by the hand."
    parts = [[5, 9], [27, 38]]
    mark = {"start": 5, "end": 38, "value": "pcl.metaphor", "parts": parts}
    log = made("pcl").people("p1", "p2").item("10", text)
    for who in ("p1", "p2"):
        log.answer(who, "10", {"pcl": "2"})
    log.answer("p1", "10", {"spans": [mark]}, "spans").answer("p2", "10", {"spans": []}, "spans")
    assert _lost(log, "dpm", tmp_path / "out") == [f"spans with gaps: 1 {WHY}"]
    (example,) = load_corpus("dpm", tmp_path / "out").examples()
    assert [each.cut(text) for each in example.spans] == ["take", "by the hand"]
    assert {each.id for each in example.spans} == {"pcl.metaphor"}
