"""The papers' own formats, read back by the readers of their authors' files."""

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tactful.annotation.formats.load import EXPORTS, export_source
from tactful.corpora import load_corpus
from tactful.errors import UsageError

Make = Callable[..., Any]


def _export(log: Any, name: str, folder: Path, unfinished: bool = False) -> list[str]:
    source = replace(log.source(), unfinished=unfinished)
    done = export_source(source, name, EXPORTS.get(name), folder)
    return [str(loss) for loss in done.losses]


def _pcl(made: Make) -> Any:
    log = made("pcl").people("p1", "p2").people("r", role="referee")
    about = {"art_id": "@@7", "keyword": "homeless", "country": "gb"}
    log.item("10", "We must help\tthese poor souls.\nToday!", meta=about)
    log.item("11", "The library opens at nine.", meta=about | {"extra": "x"})
    log.item("12", "They cannot help it, bless them.")
    log.item("13", "Nobody is done with this one.")
    for item, first, second in (("10", "2", "1"), ("11", "0", "0"), ("12", "0", "2")):
        log.answer("p1", item, {"pcl": first}).answer("p2", item, {"pcl": second})
    log.answer("p1", "13", {"pcl": "0"})
    log.answer("r", "12", {"pcl": "1"}, step="referee")
    kind = {"start": 13, "end": 29, "value": "pcl.compassion"}
    log.answer(
        "p1", "10", {"spans": [kind, {"start": 0, "end": 12, "value": "pcl.metaphor"}]}, "spans"
    )
    log.answer("p2", "10", {"spans": [kind]}, "spans")
    return log


def test_dpm_comes_back_through_the_reader(made: Make, tmp_path: Path) -> None:
    """Labels from 0 to 4 (Pérez-Almendros et al. 2020, section 4.2.1), spans with categories."""
    lost = _export(_pcl(made), "dpm", tmp_path / "out")
    assert "tabs and line breaks in texts: 2 (each became a space)" in lost
    left = "labels and spans that may still change are left out"
    # One without its second annotator, one whose spans are not marked yet.
    assert any(line.startswith(f"paragraphs that are not finished: 2 ({left}; ") for line in lost)
    assert "paragraphs without 'art_id': 1 ('unknown' is written)" in lost
    assert "further columns: 1 (the format has no place for them)" in lost
    corpus = load_corpus("dpm", tmp_path / "out")
    found = {example.id: example for example in corpus.examples()}
    assert not corpus.log.total()
    assert {name: example.meta["label"] for name, example in found.items()} == {
        "10": "3",
        "11": "0",
        "12": "2",
    }
    first = found["10"]
    assert first.text == "We must help these poor souls. Today!"
    assert {(s.cut(first.text), s.id, s.annotators) for s in first.spans} == {
        ("these poor souls", "pcl.compassion", 2),
        ("We must help", "pcl.metaphor", 1),
    }
    lost = _export(_pcl(made), "dpm", tmp_path / "all", unfinished=True)
    assert "paragraphs that are not finished: 2 (their labels may still change)" in lost
    assert "paragraphs without a label from 0 to 4: 1 (the format must have one)" in lost
    lines = (tmp_path / "out" / "dontpatronizeme_pcl.tsv").read_text(encoding="utf-8").split("\n")
    assert lines[0] == lines[3] == "-" * 48
    assert "\t" not in "".join(lines[:4])


def _unhealthy(made: Make) -> Any:
    log = made("unhealthy").people("w1", "w2", "w3", "w4")
    log.item("u1", 'Oh "sure", that\nwill work.').item("u2", "+1 from me")
    log.item("gold", "You all know this one.", gold={"unhealthy": "no"})
    names = ("antagonistic", "condescending", "dismissive", "hostile", "sarcastic")
    quiet = {f"unhealthy.{name}": "no" for name in names}
    quiet |= {"unhealthy": "no", "unhealthy.generalisation": "no"}
    loud = quiet | {"unhealthy": "yes", "unhealthy.sarcastic": "yes"}
    unfair = quiet | {"unhealthy.generalisation": "yes", "unhealthy.generalisation_unfair": "no"}
    log.answer("w1", "gold", loud).answer("w2", "gold", quiet).answer("w3", "gold", quiet)
    for who, answers in (("w2", loud), ("w3", loud), ("w4", unfair)):
        log.answer(who, "u1", answers)
    log.answer("w2", "u2", quiet).answer("w3", "u2", loud)
    return log


def test_ucc_comes_back_through_the_reader(made: Make, tmp_path: Path) -> None:
    """'healthy' is asked as its opposite; the unfair one only after a yes (appendix A)."""
    lost = _export(_unhealthy(made), "ucc", tmp_path / "out", unfinished=True)
    assert "comments without a clear label: 1 (they are in unhealthy_full.csv only)" in lost
    assert "comments that are not finished: 2 (their labels may still change)" in lost
    assert "judgements of people without a test: 1 (1.0 is written as their trust)" in lost
    assert any(line.startswith("cells that a spreadsheet would run: 2") for line in lost)
    assert any(line.startswith("hidden tests: 1") for line in lost)
    corpus = load_corpus("ucc", tmp_path / "out")
    found = {example.id: example for example in corpus.examples()}
    assert not corpus.log.total()
    first = found["u1"]
    assert first.text == 'Oh "sure", that\nwill work.'
    assert first.labels["unhealthy"] == 1
    assert first.labels["unhealthy.sarcastic"] == 1
    assert first.labels["unhealthy.generalisation_unfair"] == 0
    assert first.confidences["unhealthy"] == pytest.approx(2 / 3)
    assert first.meta["trusted_judgments"] == "3"
    said = {
        (each.annotator, each.question): each.label
        for each in first.judgements
        if each.question in ("unhealthy", "unhealthy.generalisation_unfair")
    }
    assert said == {
        ("w2", "unhealthy"): "1",
        ("w3", "unhealthy"): "1",
        ("w4", "unhealthy"): "0",
        ("w4", "unhealthy.generalisation_unfair"): "0",
    }
    assert found["u2"].labels == {}
    assert found["u2"].text == "+1 from me"


def test_ucc_labels_that_may_still_change_only_when_asked_for(made: Make, tmp_path: Path) -> None:
    """Three to five judgements, until they are 75 % sure (Price et al. 2020, section 3)."""
    log = _unhealthy(made)
    log.item("u3", "Thank you for the map.").item("u4", "Not like this, please.")
    quiet = log.state().items["u2"].steps["questionnaire"].answers["w2"].answers
    for who in ("w2", "w3"):
        log.answer(who, "u3", quiet)
    # Unsure after all five: clear or not, this one is finished.
    loud = {**quiet, "unhealthy": "yes"}
    log.people("w5", "w6")
    for who, answers in (("w2", loud), ("w3", quiet), ("w4", loud), ("w5", quiet), ("w6", loud)):
        log.answer(who, "u4", answers)

    def labelled(folder: Path) -> list[str]:
        with (folder / "train.csv").open(encoding="utf-8", newline="") as handle:
            return [row["_unit_id"] for row in csv.DictReader(handle)]

    lost = _export(log, "ucc", tmp_path / "out")
    assert labelled(tmp_path / "out") == ["u4"]
    said = "comments that are not finished: 3 (they are in unhealthy_full.csv only; "
    assert any(line.startswith(said) and "unfinished" in line for line in lost)
    with (tmp_path / "out" / "unhealthy_full.csv").open(encoding="utf-8", newline="") as handle:
        judged = [row["_unit_id"] for row in csv.DictReader(handle)]
    assert {name: judged.count(name) for name in ("u1", "u2", "u3", "u4")} == {
        "u1": 3, "u2": 2, "u3": 2, "u4": 5,
    }  # fmt: skip
    lost = _export(log, "ucc", tmp_path / "all", unfinished=True)
    assert labelled(tmp_path / "all") == ["u1", "u3", "u4"]
    assert "comments that are not finished: 3 (their labels may still change)" in lost


def test_ucc_for_a_spreadsheet(made: Make, tmp_path: Path) -> None:
    source = _unhealthy(made).source(spreadsheet=True)
    done = export_source(source, "ucc", EXPORTS.get("ucc"), tmp_path / "out")
    assert done.losses[-1].what == "cells changed"
    with (tmp_path / "out" / "unhealthy_full.csv").open(encoding="utf-8", newline="") as handle:
        texts = {row["comment"] for row in csv.DictReader(handle)}
    assert "'+1 from me" in texts
    assert "+1 from me" not in texts


def test_sbic_comes_back_through_the_reader(made: Make, tmp_path: Path) -> None:
    """A row for each group and statement (Sap et al. 2020, section 3.2)."""
    log = made("frames").people("a", gender="woman", age="25-34").people("b", age="41")
    log.item("one", "Of course she got lost, city folks do.", meta={"dataSource": "ours", "x": "y"})
    log.item("two", "The soup was cold.").item("three", "The soup was cold.")
    statements = {
        "city folks": ["city folks are lost", "city folks need help"],
        "women": ["women cannot read maps", "women get lost"],
    }
    log.answer("a", "one", {
        "frame.offensive": "yes", "frame.intent": "probably_not", "frame.lewd": "no",
        "frame.group": "yes", "frame.target_group": ["women", "city folks"],
        "frame.implied_statement": statements, "frame.in_group": "maybe",
    })  # fmt: skip
    calm = {"frame.offensive": "no", "frame.intent": "no", "frame.lewd": "no"}
    log.answer("b", "one", calm).answer("a", "two", calm).answer("b", "three", calm)
    lost = _export(log, "sbic", tmp_path / "out")
    assert "items with the text of another: 1 (the format knows posts by their text)" in lost
    assert "ages: 1 (the format has a number, not a range)" in lost
    assert "further columns: 1 (the format has no place for them)" in lost
    corpus = load_corpus("sbic", tmp_path / "out")
    found = {example.text: example for example in corpus.examples()}
    assert not corpus.log.total()
    assert len(found) == 2
    first = found["Of course she got lost, city folks do."]
    rows = [each for each in first.judgements if each.annotator == "a"]
    assert {each.label for each in rows if each.question == "frame.implied_statement"} == {
        statement for several in statements.values() for statement in several
    }
    by_row: dict[Any, set[str | None]] = {}
    for each in rows:
        if each.row is not None:
            by_row.setdefault(each.row, set()).add(each.label)
    assert {"women", "women get lost"} in by_row.values()
    numbers = {each.question: each.value for each in rows if each.value is not None}
    assert numbers["frame.intent"] == 0.33
    assert numbers["frame.in_group"] == 0.5
    assert first.traits == {"a": {"gender": "woman"}, "b": {"age": "41.0"}}


def test_detests_comes_back_through_the_reader(made: Make, tmp_path: Path) -> None:
    """Three annotators, two stages, then a senior (Ariza-Casabona et al. 2022, section 4.2)."""
    log = made("stereotypes").people("x", "y", "z").people("s", role="referee")
    place = {"comment_id": "c1", "sentence_pos": "2", "reply_to": "c1"}
    log.item("s1", "Los nuevos se llevan los abonos.", meta=place, context={"comment": "Todo."})
    log.item("s2", "La piscina abre en junio.")
    yes = {
        "stereotype": "yes", "stereotype.implicit": "no",
        "stereotype.racial_target": "yes", "stereotype.other_target": "no",
    }  # fmt: skip
    no = {"stereotype": "no", "stereotype.racial_target": "no", "stereotype.other_target": "yes"}
    log.answer("x", "s1", yes).answer("y", "s1", yes).answer("z", "s1", no)
    for who in "xyz":
        log.answer(who, "s2", no)
        chosen = ["stereotype.benefits"] + (["stereotype.culture"] if who == "x" else [])
        log.answer(who, "s1", {"categories": chosen}, "categories")
    log.answer("s", "s1", yes, "presence_review")
    log.answer("s", "s1", {"categories": ["stereotype.benefits"]}, "categories_review")
    lost = _export(log, "detests", tmp_path / "out")
    assert "items' contexts: 1 (the format has no place for them)" in lost
    assert "sentences without 'comment_id': 1 (their own id is used)" in lost
    assert not any("answers to" in line for line in lost)
    corpus = load_corpus("detests", tmp_path / "out")
    found = {example.id: example for example in corpus.examples()}
    assert not corpus.log.total()
    first = found["s1"]
    assert {name for name, value in first.labels.items() if value} == {
        "stereotype", "stereotype.benefits", "stereotype.racial_target",
    }  # fmt: skip
    assert first.group == "c1"
    assert first.meta["sentence_pos"] == "2"
    assert {j.annotator for j in first.judgements} == {"x", "y", "z"}, "the senior is no annotator"
    said = {j.annotator: j.label for j in first.judgements if j.question == "stereotype.culture"}
    assert said == {"x": "1", "y": "0", "z": "0"}
    assert found["s2"].labels["stereotype.other_target"] == 1
    assert found["s2"].labels["stereotype.benefits"] == 0


@pytest.mark.parametrize("name", ["dpm", "ucc", "sbic", "detests"])
def test_another_protocol_is_refused_with_a_sentence(name: str, full: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"'mixed' .* the format '{name}' needs"):
        _export(full, name, tmp_path / "out")
    assert not (tmp_path / "out").exists()
