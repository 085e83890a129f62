"""The Spanish training and its detectors on a tiny encoder."""

import json
import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from factory.english.sources import Row
from factory.lessons.load import read_lessons
from factory.spanish.sources import CATEGORY_IDS, OUTPUTS, PROSE, ROOT, SHIPPED

from factory.spanish import detectors, train, transfer, words
from tactful.detectors.load import load_detector
from tactful.detectors.models.hierarchy import HierarchyDetector

TINY = runpy.run_path(str(Path(__file__).parents[2] / "tiny_use.py"))
TEXTS = {1.0: "el vecino nuevo llega tarde", 0.0: "la escuela abre el lunes"}


def rows() -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {PROSE: [], "lessons": [], "detoxis": []}
    everything = {
        "speeches": (ROOT, *CATEGORY_IDS),
        "offendes": ("toxicity", "toxicity.insult", "toxicity.profanity"),
        "rioplatense": ("toxicity.identity_attack",),
        "civil": ("toxicity.severe", "toxicity.threat", "toxicity.sexually_explicit"),
        "ucc": tuple(name for name in SHIPPED if name.startswith("unhealthy")),
        "dpm": ("pcl",),
        "detoxis": (ROOT, "toxicity", "detoxis.sarcasm"),
        "lessons": SHIPPED,
    }
    for at in range(48):
        part = "validation" if at % 3 == 0 else "train"
        for corpus, ids in everything.items():
            yes = float(at % 2)
            text = f"{TEXTS[yes]} {at} {corpus[:2]}"
            row = Row(text, corpus, dict.fromkeys(ids, yes), fixed_part=part)
            found.setdefault(corpus, []).append(row)
        quiet = dict.fromkeys(SHIPPED, 0.01)
        found[PROSE].append(Row(f"la casa es grande {at}", PROSE, quiet, fixed_part=part))
    return found


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("spanish")
    small = replace(train.MAIN, epochs=12, batch=16, bfloat16=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(train, "load_use", lambda **_: TINY["tiny_use"]())
        patch.setattr(train, "shipped_tokenizer", lambda: TINY["tiny_use"]()[1])
        patch.setattr(train, "read_sources", lambda _: rows())
        patch.setattr(train, "provenance", lambda *_: [])
        patch.setattr(train, "SOURCES", ())  # an epoch sees each row once
        patch.setattr(detectors, "read_sources", lambda *_: rows())
        patch.setattr(words, "read_sources", lambda *_: rows())
        patch.setattr(words, "LEAST", (1, 1))
        patch.setattr(detectors, "read_lessons", lambda *given: read_lessons(*given)[::10])
        patch.setattr(transfer, "transfer_rows", lambda *_: iter(()))
        patch.setattr(train, "MAIN", small)
        patch.setattr(train, "FINISH", replace(small, epochs=1))
        said: list[str] = []
        train.train_network(Path("data"), folder / "work", said.append)
        for make in (detectors.make_encoder, detectors.make_detectors):
            make(Path("data"), folder / "work", folder / "weights", said.append)
    return folder


def test_figures_are_of_the_validation_part(trained: Path) -> None:
    found = json.loads((trained / "work" / train.FIGURES).read_text(encoding="utf-8"))["figures"]
    assert set(found["detoxis"]) == {ROOT, "toxicity", "detoxis.sarcasm"}
    assert found["detoxis"][ROOT] > 0.9
    assert found["dpm"].keys() == {"pcl"}


def test_the_folders_open_and_keep_the_hierarchy(trained: Path) -> None:
    detector = load_detector(trained / "weights" / "default-es")
    assert isinstance(detector, HierarchyDetector)
    assert list(detector.card.training["members"]) == ["encoder-es", "words-es", "rules-es"]
    assert detector.card.lang == "es"
    scores = detector.score([TEXTS[1.0], TEXTS[0.0]])
    assert scores[ROOT][0] > scores[ROOT][1]
    for name in CATEGORY_IDS:
        assert (scores[name] <= scores[ROOT] + 1e-6).all()
    card = detector.card
    assert {each["part"] for each in card.figures if each["id"] == ROOT} >= {
        detectors.PARTS["detoxis"],
        detectors.PARTS["speeches"],
    }
    assert all(card.threshold(name) == card.threshold(ROOT) for name in CATEGORY_IDS)
    assert set(card.report_thresholds) == {
        name for name in card.ids if not name.startswith("stereotype.")
    }


def test_word_vectors_stay_as_they_were(trained: Path) -> None:
    from safetensors.numpy import load_file

    found = load_file(trained / "work" / train.WEIGHTS)
    network, _ = TINY["tiny_use"]()
    before = network.vectors.weight.detach().numpy()
    assert np.array_equal(found["classifier.network.vectors.weight"], before)
    assert not np.array_equal(
        found["classifier.network.dense.weight"], network.dense.weight.detach().numpy()
    )


def test_a_mean_of_heads_is_a_head() -> None:
    import torch
    from factory.use.classifier import MEAN, UseClassifier

    model = UseClassifier(TINY["tiny_use"]()[0], len(OUTPUTS), reads=(MEAN,)).eval()
    shares = {ROOT: {ROOT: 0.25, "detoxis.stereotype": 0.75}}
    small = detectors.shipped(model, shares)
    tokens, mask = torch.tensor([[1, 5, 9, 2]]), torch.ones(1, 4, dtype=torch.int64)
    whole, mixed = (each(tokens, mask)[0][0].detach().numpy() for each in (model, small))
    other = whole[OUTPUTS.index("detoxis.stereotype")]
    assert mixed[0] == pytest.approx(0.25 * whole[0] + 0.75 * other, abs=1e-5)
    assert mixed[1:] == pytest.approx(whole[1 : len(SHIPPED)], abs=1e-5)


def test_blank_cells_teach_nothing_and_roots_most() -> None:
    _, tokenizer = TINY["tiny_use"]()
    row = Row("la casa", "detoxis", {ROOT: 1.0, "stereotype.health": 0.0, "detoxis.sarcasm": 1.0})
    quiet = Row("la casa", PROSE, {ROOT: 0.01})
    lessons = train.encode([row, quiet], tokenizer, ours=2.0)
    weights = dict(zip(OUTPUTS, lessons.weights[0].tolist(), strict=True))
    assert weights[ROOT] > weights["detoxis.sarcasm"] > weights["stereotype.health"] > 0
    assert weights["toxicity"] == 0
    assert lessons.weights[1, 0] == pytest.approx(2 * weights[ROOT])


def test_an_epoch_sees_shares_and_rare_harms_twice() -> None:
    listed = [Row(f"a{at}", "detoxis", {ROOT: float(at == 0)}) for at in range(10)]
    listed += [Row(f"b{at}", PROSE, {ROOT: 0.01}) for at in range(30)]
    first = train.Sampler(listed, {"detoxis": None, PROSE: 5}, 1)(0)
    assert first.count(0) == 2
    assert len(first) == 1 + 10 + 5
    second = train.Sampler(listed, {"detoxis": None, PROSE: 5}, 1)(1)
    prose = [set(each) & set(range(10, 40)) for each in (first, second)]
    assert not prose[0] & prose[1]


def test_the_highest_answers_are_transferred(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "HIGHEST", 2)
    monkeypatch.setattr(transfer, "OTHERS", 4)
    scores = np.zeros((40, 2))
    scores[:, 0] = np.linspace(0, 0.1, 40)
    scores[7, 1] = 0.9
    chosen = transfer.chosen_places(scores).tolist()
    assert {7, 39} <= set(chosen)
    assert len(chosen) == 6
