"""``tactful feedback``: counting, exporting, deleting and refitting, as a user runs them."""

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from tactful.cli.feedback.command import feedback_cli
from tactful.cli.train.command import train_cli
from tactful.detectors.card import read_card
from tactful.detectors.load import load_detector
from tactful.errors import InputError, UsageError
from tactful.service.feedback.labels import judged_texts
from tactful.service.feedback.records import Kind, Record
from tactful.service.feedback.store import FeedbackStore, open_feedback

Run = Callable[..., Result]
ANIMALS = ("badger", "otter", "heron", "weasel", "marten", "pigeon", "lizard", "beetle")
PLACES = ("river", "garden", "meadow", "harbour", "forest", "valley", "market", "bridge")


@pytest.fixture
def run() -> Run:
    def start(*arguments: object) -> Result:
        done = CliRunner().invoke(feedback_cli, [str(each) for each in arguments])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done

    return start


@pytest.fixture
def filled(feedback_url: str) -> Iterator[FeedbackStore]:
    with open_feedback(feedback_url) as store:
        yield store


def add(
    store: FeedbackStore,
    text: str,
    kind: Kind = "decided",
    *,
    labels: dict[str, float] | None = None,
    keep_text: bool = True,
    **data: object,
) -> None:
    number = sum(store.count().values())
    body = {"labels": labels or {}, "lang": "en", **data}
    item = store.secret.item(text)
    record = Record(f"r{number}", kind, 1000.0 + number, item, text if keep_text else None)
    author = store.secret.author("user-17")
    store.add([Record(record.id, kind, record.at, item, record.text, "en", author, "k_1", body)])


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def decisions(store: FeedbackStore, times: int = 1) -> None:
    """Decide texts about animals: those about badgers and otters break a rule of the house."""
    records: list[Record] = []
    for number in range(times):
        for animal in ANIMALS:
            for place in PLACES:
                text = f"The {animal} near the {place} was seen {number} times this week."
                bad = animal in ANIMALS[:2]
                data = {"decision": "remove" if bad else "keep", "labels": {"pcl": int(bad)}}
                item = store.secret.item(text)
                name = f"d{len(records)}"
                records.append(Record(name, "decided", 1.0, item, text, "en", data=data))
    store.add(records)


def test_a_decision_outweighs_suggestions_and_the_last_one_counts(filled: FeedbackStore) -> None:
    add(filled, "One.", labels={"pcl": 1}, decision="remove")
    add(filled, "One.", "suggested", labels={"pcl": 0.2, "unhealthy": 0.9})
    add(filled, "One.", labels={"pcl": 0}, decision="keep")
    add(filled, "Two.", "thumb", labels={"pcl": 1})
    (one,) = judged_texts(filled.records())
    assert one.labels == {"pcl": 0.0, "decision.remove": 0.0}
    both = judged_texts(filled.records(), suggestions=True)
    assert both[0].labels == {"unhealthy": 0.9, "pcl": 0.0, "decision.remove": 0.0}
    assert both[1].labels == {"pcl": 1.0}


def test_the_status_counts_records_and_waiting_texts(
    run: Run, filled: FeedbackStore, feedback_url: str
) -> None:
    add(filled, "One.", "thumb")
    add(filled, "Two.", "queued")
    add(filled, "Two.", decision="keep")
    done = run("status", feedback_url, "--format", "json")
    found = json.loads(done.stdout)
    assert found["records"] == {"thumb": 1, "queued": 1, "decided": 1}
    assert found["waiting"] == 1
    assert "1 text without a decision" in run("status", feedback_url).stdout


def test_an_export_has_a_column_for_each_label(
    run: Run, filled: FeedbackStore, feedback_url: str, tmp_path: Path
) -> None:
    add(filled, "=One, with a comma", labels={"pcl": 1}, decision="remove")
    add(filled, "Two.", labels={"unhealthy": 0}, decision="keep")
    add(filled, "Three.", labels={"pcl": 0.5}, decision="escalate")
    file = tmp_path / "out.csv"
    run("export", feedback_url, "-o", file)
    rows = rows_of(file)
    assert [row["text"] for row in rows] == ["=One, with a comma", "Two.", "Three."]
    assert [(r["decision.remove"], r["pcl"], r["unhealthy"]) for r in rows] == [
        ("1", "1", ""),
        ("0", "", "0"),
        ("", "", ""),
    ]
    with pytest.raises(UsageError, match="--force"):
        run("export", feedback_url, "-o", file)
    run("export", feedback_url, "-o", file, "--force", "--label", "pcl")
    assert len(rows_of(file)) == 1
    with pytest.raises(UsageError, match=r"known: decision\.remove, pcl, unhealthy"):
        run("export", feedback_url, "-o", tmp_path / "x.csv", "--label", "nonsense")


def test_a_store_of_hashes_cannot_be_exported(
    run: Run, filled: FeedbackStore, feedback_url: str, tmp_path: Path
) -> None:
    file = tmp_path / "out.csv"
    with pytest.raises(InputError, match="no decisions yet"):
        run("export", feedback_url, "-o", file)
    add(filled, "One.", keep_text=False, decision="keep")
    with pytest.raises(InputError, match="only hashes"):
        run("export", feedback_url, "-o", file)
    assert not file.exists()


def test_an_export_is_read_by_train_and_annotate(
    run: Run, filled: FeedbackStore, feedback_url: str, tmp_path: Path
) -> None:
    from tactful.cli.annotate.command import annotate_cli

    decisions(filled)
    file, folder, project = tmp_path / "out.csv", tmp_path / "detector", tmp_path / "project"
    run("export", feedback_url, "-o", file, "--label", "decision.remove")
    column = "decision.remove=my.rules"
    arguments = ["custom", "--table", file, "--label-column", column, "--model", "tfidf"]
    trained = CliRunner().invoke(train_cli, [str(each) for each in (*arguments, "-o", folder)])
    assert trained.exit_code == 0, trained.output
    scores = load_detector(folder).score(["A badger and an otter.", "A pigeon and a beetle."])
    assert scores["my.rules"][0] > scores["my.rules"][1]
    for command in (["init", project, "--protocol", "unhealthy"], ["import", project, file]):
        done = CliRunner().invoke(annotate_cli, [str(each) for each in command])
        assert done.exit_code == 0, done.output
    assert "64" in done.output


def test_feedback_is_deleted_by_what_is_named(
    run: Run, filled: FeedbackStore, feedback_url: str, tmp_path: Path
) -> None:
    add(filled, "One.")
    add(filled, "Two.")
    with pytest.raises(UsageError, match="--author"):
        run("delete", feedback_url)
    assert "Deleted 0 records" in run("delete", feedback_url, "--author", "user-1").stdout
    file = tmp_path / "text.txt"
    file.write_text("Two.\n", encoding="utf-8")
    assert "Deleted 1 record" in run("delete", feedback_url, "--text-file", file).stdout
    assert "Deleted 1 record" in run("delete", feedback_url, "--older-than", 30).stdout
    assert filled.records() == []


def test_heads_are_refitted_and_the_new_detector_opens(
    run: Run, filled: FeedbackStore, feedback_url: str, tmp_path: Path
) -> None:
    decisions(filled, 5)
    folder = tmp_path / "new"
    done = run("retrain", feedback_url, "-o", folder, "--format", "json")
    (found,) = json.loads(done.stdout)["ids"]
    assert (found["id"], found["what"]) == ("pcl", "heads")
    assert found["fitted_on"] + found["held_out"] == 5 * 64
    assert found["before"]["auc"] < 0.9 < found["after"]["auc"]
    assert found["after"]["brier"] < found["before"]["brier"]
    texts = [
        "The badger near the church was seen twice.",
        "The pigeon near the church was seen twice.",
        "With our help even they can learn to hope again.",
    ]
    old, new = load_detector("default"), load_detector(folder)
    before, after = old.score(texts), new.score(texts)
    assert after["pcl"][0] > 2 * after["pcl"][1]
    for name in old.card.ids:
        if name != "pcl":  # what has no labels stays as it was, to the last bit
            assert np.array_equal(before[name], after[name])
    # What a text gets depends on no other text, as with every detector.
    alone = [new.score([text])["pcl"][0] for text in texts]
    assert np.array_equal(np.array(alone), after["pcl"])
    assert new.card.version.startswith(f"{old.card.version}+feedback.")
    assert new.card.report_threshold("pcl") == found["after"]["threshold"]
    again = tmp_path / "again"
    run("retrain", feedback_url, "-o", again)
    assert read_card(again) == read_card(folder)


def test_few_labels_change_the_calibration_only_and_fewer_are_refused(
    run: Run, filled: FeedbackStore, feedback_url: str, tmp_path: Path
) -> None:
    decisions(filled)
    done = run(
        "retrain", feedback_url, "-o", tmp_path / "new", "--model", "fast", "--format", "json"
    )
    (found,) = json.loads(done.stdout)["ids"]
    assert (found["id"], found["what"]) == ("pcl", "calibration")
    filled.delete(before=1e9)
    add(filled, "One.", labels={"pcl": 1}, decision="remove")
    with pytest.raises(InputError, match=r"pcl has [01] labels beside the [01] held out"):
        run("retrain", feedback_url, "-o", tmp_path / "same", "--model", "fast")
    assert not (tmp_path / "same").exists()


def test_hashes_with_scores_are_enough_for_the_calibration(
    run: Run, filled: FeedbackStore, feedback_url: str, tmp_path: Path
) -> None:
    card = load_detector("fast").card
    for number in range(100):
        bad = number % 3 == 0
        scores = {"pcl": 0.35 if bad else 0.05 + number / 1000}
        model = card.model if number else "another model"
        add(filled, f"Text {number}.", labels={"pcl": float(bad)}, keep_text=False,
            decision="remove" if bad else "keep", scores=scores, model=model)  # fmt: skip
    done = run(
        "retrain", feedback_url, "-o", tmp_path / "new", "--model", "fast", "--format", "json"
    )
    told = json.loads(done.stdout)
    assert told["texts"] == 99
    assert told["ids"][0]["what"] == "calibration"
    assert told["ids"][0]["after"]["f1"] == 1.0
    assert read_card(tmp_path / "new").scaling("pcl") != card.scaling("pcl")


def test_what_cannot_be_refitted_is_refused_and_nothing_is_written(
    run: Run, filled: FeedbackStore, feedback_url: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="no text with a label"):
        run("retrain", feedback_url, "-o", tmp_path / "new", "--model", "fast")
    decisions(filled)
    with pytest.raises(UsageError, match="cannot be refitted"):
        run("retrain", feedback_url, "-o", tmp_path / "new", "--model", "cascade")
    assert not (tmp_path / "new").exists()
