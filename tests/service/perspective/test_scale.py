"""The scale of the Perspective routes: monotone, for every model that ships, and only there."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("fastapi", reason="the extra 'serve' is not installed")

from starlette.testclient import TestClient

from tactful.detectors.card import read_card
from tactful.detectors.load import EMBEDDED
from tactful.detectors.weights import find_weights
from tactful.service.app import create_app
from tactful.service.perspective.scale import SHIPPED, Scale, load_scale, read_scale, write_scale
from tactful.service.settings import ServiceSettings

RUDE = "Only a complete fool would write such garbage, so shut up."
SHARES = st.floats(0, 1)
SCALE = read_scale(SHIPPED)
PAIRS = [(model, name) for model, ids in SCALE.models.items() for name in ids]


UNSCALED = {"toxicity.severe", "toxicity.threat", "toxicity.sexually_explicit"}
"""For which there are too few Spanish comments; docs/from-perspective.md names them."""


@pytest.mark.parametrize(
    ("lang", "name"), [(lang, name) for lang, found in EMBEDDED.items() for name in found.values()]
)
def test_every_model_that_ships_has_a_scale_for_the_kinds_of_toxicity(lang: str, name: str) -> None:
    """Run benchmarks/perspective_scale.py for weights of a new version."""
    folder = find_weights(name)
    if folder is None:
        pytest.skip(f"the weights '{name}' are not installed")
    card = read_card(folder)
    kinds = {each for each in card.ids if each.split(".")[0] == "toxicity"}
    assert set(SCALE.models[card.model]) == kinds - (UNSCALED if lang == "es" else set())


@pytest.mark.parametrize(("model", "name"), PAIRS)
def test_points_rise_strictly_so_that_the_order_of_comments_stays(model: str, name: str) -> None:
    points = SCALE.models[model][name]
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(points))
    # A client's 0.8 is reached by a probability that is not nearly certain.
    assert SCALE.score(model, name, 0.6) > 0.8


@given(SHARES, SHARES)
def test_scores_are_shares_and_keep_the_order(one: float, other: float) -> None:
    model, name = PAIRS[0]
    low, high = sorted((one, other))
    assert 0 <= SCALE.score(model, name, low) <= SCALE.score(model, name, high) <= 1


def test_what_has_no_points_is_a_probability() -> None:
    assert SCALE.score("mine 1", "toxicity", 0.3) == 0.3
    assert SCALE.score(PAIRS[0][0], "unhealthy", 0.3) == 0.3
    assert load_scale("probability", ["any 1"]).score(*PAIRS[0], 0.3) == 0.3


def test_a_file_replaces_what_it_has_and_nothing_else(tmp_path: Path) -> None:
    (model, name), (_, second) = PAIRS[:2]
    path = tmp_path / "scale.json"
    write_scale(path, {model: {name: ((0.0, 0.0), (0.5, 0.1), (1.0, 1.0))}})
    scale = load_scale(str(path), [model])
    assert scale.score(model, name, 0.5) == pytest.approx(0.1)
    assert scale.score(model, second, 0.5) == SCALE.score(model, second, 0.5)
    assert read_scale(path).models == {model: {name: ((0, 0), (0.5, 0.1), (1, 1))}}
    assert Scale().models == {}


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(ServiceSettings(model="fast", langs=("en",), web=False))) as found:
        yield found


def test_only_the_perspective_routes_answer_on_the_scale(client: TestClient) -> None:
    (row,) = client.post("/v1/score", json={"texts": [RUDE], "lang": "en"}).json()["scores"]
    probabilities = row["probabilities"]
    # A threshold of the request is on the scale: this one is over the probability.
    asked = {
        "TOXICITY": {"scoreThreshold": probabilities["toxicity"] + 0.01},
        "INSULT": {},
        "HOSTILE": {},
    }
    body = {"comment": {"text": RUDE}, "requestedAttributes": asked, "spanAnnotations": True}
    scores = client.post("/v1alpha1/comments:analyze", json=body).json()["attributeScores"]
    said = {name: each["summaryScore"]["value"] for name, each in scores.items()}
    for attribute, name in (("TOXICITY", "toxicity"), ("INSULT", "toxicity.insult")):
        expected = SCALE.score(row["model"], name, probabilities[name])
        assert said[attribute] == pytest.approx(expected, abs=1e-4)
        assert said[attribute] > probabilities[name]
        assert scores[attribute]["spanScores"][0]["score"]["value"] == said[attribute]
    # Attributes of ours are probabilities.
    assert said["HOSTILE"] == pytest.approx(probabilities["unhealthy.hostile"], abs=1e-5)
    result = client.post("/v1/moderations", json={"input": RUDE}).json()["results"][0]
    told = result["category_scores"]["harassment"]
    assert told == pytest.approx(probabilities["toxicity.insult"], abs=1e-5)
