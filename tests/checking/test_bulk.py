"""Detectors for whole tables: the same numbers as one by one, in the language of each text."""

import json
import math
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tactful.checking.bulk import AUTO, bulk_scorer
from tactful.detectors.load import EMBEDDED, load_detector
from tactful.detectors.weights import weights_folder
from tactful.errors import UsageError
from tactful.scale.scorer import Columns

ENGLISH = [
    "With our help even they can learn to hope again.",
    "The library opens at nine on weekdays and closes at six.",
    "My neighbour is Muslim and we share a garden.",
]
SPANISH = [
    "Vienen de fuera, no quieren trabajar y viven de las ayudas.",
    "La biblioteca abre a las nueve y cierra a las seis.",
]
FRENCH = "Le marché ouvre demain matin à huit heures dans la grande place du village."
FOREIGN = "another language than English or Spanish"


def bits(column: object) -> list[int]:
    return list(map(int, np.asarray(column, dtype=np.float32).view(np.uint32)))


@pytest.mark.parametrize(
    ("model", "lang", "texts"),
    [(name, lang, ENGLISH if lang == "en" else SPANISH)
     for lang, names in EMBEDDED.items() for name in names],
)  # fmt: skip
def test_a_table_has_the_numbers_of_the_detector(model: str, lang: str, texts: list[str]) -> None:
    scorer = bulk_scorer(model, lang)
    detector = load_detector(model, lang=lang)
    assert scorer.ids == tuple(detector.card.ids)
    assert scorer.model == detector.card.model
    assert scorer.columns == (*scorer.ids, "model", "error")
    assert scorer.thresholds == {name: detector.card.threshold(name) for name in scorer.ids}
    found, alone = scorer.load()(texts), detector.score(texts)
    assert list(found) == list(scorer.ids)
    assert all(bits(found[name]) == bits(alone[name]) for name in scorer.ids)


@pytest.fixture(scope="module")
def mixed() -> Columns:
    texts = [ENGLISH[0], SPANISH[0], FRENCH, ENGLISH[2], SPANISH[1]]
    return bulk_scorer("fast").load()(texts)


def test_each_text_is_read_in_its_language(mixed: Columns) -> None:
    assert list(mixed["lang"]) == ["en", "es", None, "en", "es"]
    assert list(mixed["model"]) == [
        "fast-en 2.3", "default-es 2.2", None, "fast-en 2.3", "default-es 2.2",
    ]  # fmt: skip
    assert list(mixed["error"]) == [None, None, FOREIGN, None, None]


def test_languages_share_the_ids_that_they_have_in_common(mixed: Columns) -> None:
    english = load_detector("fast")
    spanish = load_detector(lang="es")
    for name in bulk_scorer("fast").ids:
        column = np.asarray(mixed[name], dtype=np.float32)
        for detector, rows, texts in ((english, [0, 3], ENGLISH[::2]), (spanish, [1, 4], SPANISH)):
            if name in detector.card.ids:
                assert bits(column[rows]) == bits(detector.score(texts)[name])
            else:
                assert np.isnan(column[rows]).all()
        assert math.isnan(column[2])
    assert {"pcl", "stereotype"} <= set(english.card.ids) | set(spanish.card.ids)


def test_the_added_columns_stand_in_their_order() -> None:
    scorer = bulk_scorer("fast", spans=True)
    assert scorer.columns == (*scorer.ids, "lang", "spans", "model", "error")
    assert bulk_scorer("fast", lang="en", spans=True).words == ("spans",)


def test_an_id_brings_those_below_it() -> None:
    assert bulk_scorer("fast", "en", ["unhealthy.hostile", "pcl.metaphor"]).ids == (
        "pcl.metaphor", "unhealthy.hostile",
    )  # fmt: skip
    assert set(bulk_scorer("fast", "en", ["unhealthy"]).ids) == {
        name for name in load_detector("fast").card.ids if name.startswith("unhealthy")
    }


def test_fewer_ids_have_the_same_numbers(mixed: Columns) -> None:
    texts = [ENGLISH[0], SPANISH[0], FRENCH, ENGLISH[2], SPANISH[1]]
    few = bulk_scorer("fast", only=["pcl.compassion"]).load()(texts)
    assert bits(few["pcl.compassion"]) == bits(mixed["pcl.compassion"])
    assert set(few) == {"pcl.compassion", "lang", "model", "error"}


@pytest.mark.parametrize("lang", [AUTO, "en"])
def test_spans_point_at_the_text(lang: str) -> None:
    poor = "🙂 Ça va. These poor families have so little, yet with our help they can hope again."
    texts = [poor, ENGLISH[1], *([FRENCH] if lang == AUTO else [])]
    scorer = bulk_scorer("fast", lang, ["pcl"], spans=True, thresholds={"pcl": 0.1})
    spans = scorer.load()(texts)["spans"]
    assert isinstance(spans, list)
    assert isinstance(spans[0], str)
    found = json.loads(spans[0])
    assert {each["id"] for each in found} >= {"pcl"}
    assert all(list(each) == ["id", "start", "end"] for each in found)
    said = [poor[each["start"] : each["end"]] for each in found]
    assert "poor" in said
    assert spans[1] == "[]"
    assert spans[2:] == ([None] if lang == AUTO else [])


def test_what_is_found_depends_on_the_threshold() -> None:
    wide = bulk_scorer("fast", "en", ["pcl"], spans=True, thresholds={"pcl": 0.0001})
    narrow = bulk_scorer("fast", "en", ["pcl"], spans=True, thresholds={"pcl": 0.9999})
    found = [str(scorer.load()(ENGLISH[:1])["spans"][0]) for scorer in (wide, narrow)]
    ids = [{each["id"] for each in json.loads(said)} for said in found]
    assert "pcl" in ids[0]
    assert "pcl" not in ids[1]


def test_the_fingerprint_tells_what_changes_the_scores_and_nothing_else(tmp_path: Path) -> None:
    def same() -> str:
        return bulk_scorer("fast", "en").fingerprint

    assert same() == same()
    # Where thresholds only tell what is counted as found, no number depends on them.
    assert bulk_scorer("fast", "en", thresholds={"pcl": 0.9}).fingerprint == same()
    others = [
        bulk_scorer("fast"),
        bulk_scorer("cascade", "en"),
        bulk_scorer("fast", "en", ["pcl"]),
        bulk_scorer("fast", "en", spans=True),
        bulk_scorer("fast", "en", spans=True, thresholds={"pcl": 0.9}),
    ]
    marks = [same(), *(other.fingerprint for other in others)]
    assert len(set(marks)) == len(marks)


def own_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    for file in weights_folder("fast-en").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    return folder


def test_a_folder_of_ones_own_is_opened_and_its_files_are_in_the_fingerprint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = own_folder(tmp_path)
    monkeypatch.chdir(tmp_path)
    scorer = bulk_scorer("./mine")
    assert scorer.words == ()
    before = scorer.fingerprint
    (folder / ".git").mkdir()
    (folder / "notes").mkdir()
    (folder / ".hidden").touch()
    assert bulk_scorer("mine/").fingerprint == before
    assert bits(scorer.load()(ENGLISH)["pcl"]) == bits(load_detector("fast").score(ENGLISH)["pcl"])
    card = folder / "card.json"
    card.write_text(card.read_text().replace('"version": "2.3"', '"version": "2.3.1"'))
    changed = bulk_scorer(str(folder))
    assert changed.fingerprint != before
    assert changed.model == "fast-en 2.3.1"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: bulk_scorer("fats"), "no detector named 'fats'. Did you mean 'fast'"),
        (lambda: bulk_scorer("./nowhere"), "There is no folder 'nowhere'"),
        (lambda: bulk_scorer("fast", "es"), "no embedded detector 'fast' for the language 'es'"),
        (lambda: bulk_scorer("fast", "fr"), "no language named 'fr'"),
        (lambda: bulk_scorer("fast", "en", ["plc"]), "Did you mean 'pcl'"),
        (
            lambda: bulk_scorer(str(weights_folder("default-es")), "en"),
            "reads 'es' and --lang is 'en'",
        ),
    ],
)
def test_what_is_not_there_is_refused_at_once(call: Callable[[], object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        call()


def test_a_scorer_can_be_sent_to_another_process() -> None:
    scorer = bulk_scorer("fast", spans=True)
    again = pickle.loads(pickle.dumps(scorer))  # noqa: S301 (it is ours)
    assert again.fingerprint == scorer.fingerprint
    assert bits(again.load()(ENGLISH)["pcl"]) == bits(scorer.load()(ENGLISH)["pcl"])


def test_no_texts_are_no_rows() -> None:
    for lang in (AUTO, "en"):
        found = bulk_scorer("fast", lang, spans=True).load()([])
        assert {len(column) for column in found.values()} == {0}


@pytest.mark.parametrize(
    ("model", "lang", "rows"),
    [
        ("fast", "en", 10_000),
        ("fast", "auto", 10_000),
        ("default", "en", 1_000),
        ("cascade", "en", 1_000),
        ("default", "es", 1_000),
    ],
)
def test_what_reads_slowly_is_cut_smaller(model: str, lang: str, rows: int) -> None:
    assert bulk_scorer(model, lang).part_rows == rows
