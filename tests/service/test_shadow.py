"""Shadow mode: what is compared, what is left out, and that no answer changes."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.service.conftest import FAST

from tactful.detectors.card import read_card
from tactful.detectors.load import load_detector
from tactful.detectors.weights import weights_folder
from tactful.errors import UsageError
from tactful.service.app import create_app
from tactful.service.engine.engine import Scored

TEXTS = [
    "With our help even they can learn to hope again.",
    "The library opens on Monday.",
    "Grow up and stop wasting our time with this nonsense.",
]


def report_of(client: TestClient, texts: int) -> dict[str, Any]:
    ends = time.monotonic() + 600
    while True:
        found: dict[str, Any] = client.get("/v1/shadow").json()
        if found["ids"].get("pcl", {}).get("texts", 0) >= texts:
            return found
        assert time.monotonic() < ends, found
        time.sleep(0.05)


@pytest.fixture
def stricter(tmp_path: Path) -> str:
    """Return the folder of the fast detector with a shifted calibration for pcl."""
    import shutil

    from tactful.detectors.card import write_card

    source, target = weights_folder("fast-en"), tmp_path / "stricter"
    shutil.copytree(source, target)
    card = read_card(target)
    slope, intercept = card.scaling("pcl")
    calibration = {**card.calibration, "pcl": (slope, intercept + 8)}
    write_card(replace(card, version="shifted", calibration=calibration), target)
    return str(target)


def test_differences_are_counted_and_answers_stay(stricter: str) -> None:
    settings = replace(FAST, shadow=stricter, shadow_share=1.0)
    main, second = load_detector("fast"), load_detector(Path(stricter))
    old, new = main.score(TEXTS)["pcl"], second.score(TEXTS)["pcl"]
    with TestClient(create_app(settings)) as client, TestClient(create_app(FAST)) as plain:
        answer = client.post("/v1/score", json={"texts": TEXTS}).json()
        assert answer == plain.post("/v1/score", json={"texts": TEXTS}).json()
        found = report_of(client, 3)
        assert "tactful_shadow_texts_total" in client.get("/metrics").text
    assert found["models"]["en"]["shadow"].endswith("shifted")
    assert found["ids"]["pcl"]["mean_difference"] == pytest.approx(
        float((new - old).mean()), abs=1e-3
    )
    threshold = main.card.report_threshold("pcl")
    flips = int(((old < threshold) & (new >= threshold)).sum())
    assert found["ids"]["pcl"]["only_shadow"] == flips > 0
    assert found["ids"]["unhealthy"]["mean_absolute_difference"] == 0
    assert found["ids"]["unhealthy"]["only_main"] == found["ids"]["unhealthy"]["only_shadow"] == 0


def test_what_comes_too_fast_is_left_out_and_counted() -> None:
    app = create_app(replace(FAST, shadow="fast", shadow_share=1.0))
    shadow = app.state.loop.shadow
    scored = Scored("en", "fast", {"pcl": 0.5})
    shadow.scored(TEXTS[:1] * 100, [scored] * 100)  # it has not started, so that nothing is read
    assert shadow.report()["dropped"] == {"queue_full": 36}
    part = Scored("en", "fast", {"pcl": 0.5}, is_whole=False)
    shadow.scored(TEXTS, [part, ValueError(), Scored("fr", "x", {})])
    assert shadow.report()["dropped"] == {"queue_full": 36}


def test_nothing_is_taken_while_the_service_is_busy() -> None:
    settings = replace(FAST, shadow="fast", shadow_share=1.0, max_batch=4)
    app = create_app(settings)
    app.state.engine._admission._short = 2
    app.state.loop.shadow.scored(TEXTS[:1], [Scored("en", "fast", {"pcl": 0.5})])
    assert app.state.loop.shadow.report()["dropped"] == {"busy": 1}


def test_only_the_share_is_read() -> None:
    app = create_app(replace(FAST, shadow="fast", shadow_share=0.5))
    shadow = app.state.loop.shadow
    shadow._random.seed(1)
    shadow.scored(TEXTS[:1] * 60, [Scored("en", "fast", {"pcl": 0.5})] * 60)
    assert 15 < shadow._waiting.qsize() < 45


def test_a_shadow_reads_the_languages_that_it_shares_with_the_service() -> None:
    both = replace(FAST, langs=("en", "es"))
    app = create_app(replace(both, shadow="open-fast"))
    assert list(app.state.loop.shadow.cards) == ["en"]
    with pytest.raises(UsageError, match="'open-fast' reads en; this service serves es"):
        create_app(replace(FAST, langs=("es",), shadow="open-fast"))


def test_without_the_option_there_is_no_route_and_bad_shares_are_refused() -> None:
    with TestClient(create_app(FAST)) as client:
        assert client.get("/v1/shadow").status_code == 404
    for share in (0.0, 1.5):
        with pytest.raises(UsageError, match="shadow_share"):
            replace(FAST, shadow_share=share)
