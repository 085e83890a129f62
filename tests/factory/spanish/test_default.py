"""The pipeline of the Spanish detector on a tiny encoder: folds, resuming, folders that open."""

import runpy
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from factory.spanish.card import SHARES, mixed_logits
from factory.spanish.default import open_lesson, outside_logits, train_spanish, weights_of
from factory.spanish.network import SPANISH_STAGE
from factory.spanish.sources import (
    CATEGORY_IDS,
    COLUMNS,
    COMMENT,
    COMMENTS,
    ENGLISH,
    FOLDS,
    LESSONS,
    REGISTER,
    SPEECH,
    SPEECHES,
    TARGET_GROUP,
    SpanishSources,
    Text,
)

from factory.spanish import default as spanish_default
from tactful.detectors.card import read_card
from tactful.detectors.load import load_detector
from tactful.detectors.models.experts import ExpertsDetector
from tactful.detectors.models.stereotype_rules import label

TINY = runpy.run_path(str(Path(__file__).parents[2] / "tiny_use.py"))


def sources() -> SpanishSources:
    texts = []
    for at in range(40):
        fold, yes = at % FOLDS, float(at % 2)
        words = "vecino nuevo tarde" if yes else "casa grande"
        known = {COMMENT: yes, REGISTER: 0.0, TARGET_GROUP: yes}
        texts.append(Text(f"el {words} hoy", COMMENTS, fold, known))
        words = "mercado abre" if yes else "escuela es grande"
        known = {SPEECH: yes, REGISTER: 1.0}
        if yes:
            known |= dict.fromkeys(CATEGORY_IDS, 0.0) | {CATEGORY_IDS[at % 3]: 1.0}
        texts.append(Text(f"la {words} el lunes, la {words}", SPEECHES, fold, known))
        words = "the neighbour is late" if yes else "the school opens monday"
        texts.append(Text(words, ENGLISH, 0 if at < 8 else None, {"pcl": yes}))
    texts += [Text("el tren llega tarde", LESSONS, None, {COMMENT: 0.0, SPEECH: 0.0})] * 4
    return SpanishSources(tuple(texts), (*COLUMNS, TARGET_GROUP))


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spanish_default, "load_use", lambda *_: TINY["tiny_use"]())
    monkeypatch.setattr(spanish_default, "read_spanish", lambda *_: sources())
    monkeypatch.setattr(spanish_default, "SPANISH_STAGE", replace(SPANISH_STAGE, epochs=1))


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spanish_default, "load_use", lambda *_: TINY["tiny_use"]())
        patch.setattr(spanish_default, "read_spanish", lambda *_: sources())
        patch.setattr(spanish_default, "SPANISH_STAGE", replace(SPANISH_STAGE, epochs=1))
        train_spanish(None, folder / "weights", folder / "work")
    return folder


def test_the_folders_open_and_say_what_they_are(trained: Path) -> None:
    detector = load_detector(trained / "weights" / "default-es")
    assert isinstance(detector, ExpertsDetector)
    assert detector.card.lang == "es"
    assert detector.card.training["data_hash"] == sources().fingerprint()
    texts = ["el vecino nuevo tarde", "la casa grande", "la escuela abre el lunes"]
    scores = detector.score(texts)
    assert set(scores) == set(detector.card.ids)
    for name in CATEGORY_IDS:
        assert (scores[name] <= scores["stereotype"] + 1e-6).all()
    assert detector.check(texts[0]).model == "default-es 1.1"
    spanish = len(sources().rows(COMMENTS, SPEECHES, LESSONS))
    encoder = read_card(trained / "weights" / "encoder-es")
    assert encoder.training["scales"]["texts"] == spanish
    for name in SHARES:
        assert load_detector(trained / "weights" / name).card.ids == COLUMNS
    assert "What it must not be used for" in (
        trained / "weights" / "default-es" / "README.md"
    ).read_text(encoding="utf-8")


def test_figures_are_of_texts_held_out(trained: Path) -> None:
    figures = read_card(trained / "weights" / "default-es").figures
    parts = {each["part"] for each in figures}
    assert any("whole articles held out" in part for part in parts)
    assert any("whole speeches held out" in part for part in parts)
    assert all(each["metric"] != "ece" for each in figures if "speeches" in each["part"])
    stereotype = [each for each in figures if each["id"] == "stereotype"]
    assert {each["items"] for each in stereotype} == {40}


def test_a_second_run_takes_up_what_is_done(
    trained: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("nothing is left to be learnt")

    monkeypatch.setattr(spanish_default, "teach", refuse)
    train_spanish(None, tmp_path / "again", trained / "work")
    first, second = (
        load_detector(each / "default-es").score(["el vecino nuevo", "la casa"])["stereotype"]
        for each in (trained / "weights", tmp_path / "again")
    )
    assert np.array_equal(first, second)


def test_other_texts_or_settings_are_learnt_again(
    trained: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    shutil.copytree(trained / "work", work)
    said: list[str] = []
    train_spanish(None, tmp_path / "same", work, said.append)
    assert not any("made again" in sentence for sentence in said)
    other = SpanishSources(sources().texts[3:], sources().heads)
    monkeypatch.setattr(spanish_default, "read_spanish", lambda *_: other)
    card = train_spanish(None, tmp_path / "texts", work, said.append)
    assert card.training["data_hash"] == other.fingerprint() != sources().fingerprint()
    again = [sentence for sentence in said if "made again" in sentence]
    assert len(again) == FOLDS + 1
    assert all(sentence.endswith("since it was made: texts.") for sentence in again)
    said.clear()
    monkeypatch.setattr(spanish_default, "SPANISH_STAGE", replace(SPANISH_STAGE, epochs=2))
    train_spanish(None, tmp_path / "settings", work, said.append)
    again = [sentence for sentence in said if "made again" in sentence]
    assert len(again) == FOLDS + 1
    assert all(sentence.endswith("since it was made: settings.") for sentence in again)


def test_every_held_out_text_is_answered_once(trained: Path) -> None:
    lesson = open_lesson(sources())
    outside = outside_logits(lesson, trained / "work")
    held = lesson.sources.rows(COMMENTS, SPEECHES)
    assert np.isfinite(outside[held]).all()
    assert np.isnan(outside[lesson.sources.rows(LESSONS, ENGLISH)]).all()
    mixed = mixed_logits(lesson.sources, outside)
    at = COLUMNS.index(COMMENT)
    votes = label([lesson.sources.texts[row].text for row in held]).max(axis=1)
    expected = 0.4 * outside[held, 0, at] + 0.6 * outside[held, 1, at] + 2 * votes
    assert mixed[held, at] == pytest.approx(expected)


def test_lessons_and_the_register_count_less() -> None:
    found = weights_of(sources())
    assert set(found[sources().rows(COMMENTS), 0]) == {1.0}
    assert set(found[sources().rows(LESSONS), 0]) == {0.5}
    assert found[0, COLUMNS.index(REGISTER)] == pytest.approx(0.3)
