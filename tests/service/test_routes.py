"""The native API, route by route."""

import json
import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from tactful.service.app import create_app
from tactful.service.settings import ServiceSettings

ENGLISH = "With our help even they can learn to hope again, and one day they may thank us."
SPANISH = "Los vecinos del barrio dicen que la plaza es para todos y que hay que cuidarla."
FRENCH = "Je voudrais bien savoir ce que veut dire cette phrase bizarre et beaucoup trop longue."


@pytest.fixture(scope="module")
def whole() -> Iterator[TestClient]:
    """The service as it starts by default, in two languages."""
    with TestClient(create_app(ServiceSettings(web=False))) as client:
        yield client


def test_scores_come_in_the_order_of_the_texts(whole: TestClient) -> None:
    body = {"texts": [SPANISH, " ", ENGLISH, FRENCH], "only": ["pcl", "unhealthy.hostile"]}
    answer = whole.post("/v1/score", json=body).json()
    spanish, empty, english, french = answer["scores"]
    assert answer["schema"] == "tactful/score/1"
    assert (spanish["lang"], english["lang"]) == ("es", "en")
    assert set(spanish["probabilities"]) == {"unhealthy.hostile"}
    assert "unhealthy.hostile" in english["probabilities"]
    assert "pcl.compassion" in english["probabilities"]
    assert "unhealthy" not in english["probabilities"]
    assert all(0 <= value <= 1 for value in english["probabilities"].values())
    for missing, reason in ((empty, "TEXT_EMPTY"), (french, "LANGUAGE_NOT_SUPPORTED")):
        assert missing["probabilities"] is None
        assert missing["reason"] == reason
        assert missing["message"]


def test_what_no_detector_of_the_language_finds_is_missing(whole: TestClient) -> None:
    answer = whole.post("/v1/score", json={"texts": [SPANISH], "only": ["pcl"]}).json()
    assert answer["scores"][0]["probabilities"] is None
    assert answer["scores"][0]["reason"] == "ATTRIBUTE_NOT_SUPPORTED"


def test_a_language_that_is_named_is_believed(whole: TestClient) -> None:
    answer = whole.post("/v1/score", json={"texts": [FRENCH], "lang": "en"}).json()
    assert answer["scores"][0]["lang"] == "en"


def test_a_check_has_the_schema_of_the_command(whole: TestClient) -> None:
    body = {"text": ENGLISH, "only": ["pcl"], "explanations": False, "doNotStore": True}
    report = whole.post("/v1/check", json=body).json()
    assert report["schema"] == "tactful/check/2"
    assert report["model"]["name"] == "default-en"
    findings = report["documents"][0]["findings"]
    assert {finding["id"].split(".")[0] for finding in findings} == {"pcl"}
    assert all(finding["explanation"] == "" for finding in findings)
    assert ENGLISH[findings[0]["spans"][0]["start"] :].startswith(findings[0]["spans"][0]["text"])


def test_a_check_counts_code_points_and_steps_over_markup(whole: TestClient) -> None:
    text = f"<p>😀😀 <b>{ENGLISH}</b></p>"
    report = whole.post("/v1/check", json={"text": text, "kind": "html", "only": ["pcl"]}).json()
    finding = report["documents"][0]["findings"][0]
    for span in finding["spans"]:
        assert span["text"].split()[0] in text[span["start"] : span["end"]]


def test_thresholds_and_least_decide(whole: TestClient) -> None:
    def count(**wishes: object) -> int:
        answer = whole.post("/v1/check", json={"text": ENGLISH, "frames": "off", **wishes})
        return int(answer.json()["summary"]["findings"])

    assert count(least=1.0) == 0
    assert count(least=1.0, thresholds={"pcl": 0.0}) == 1
    assert count(least=0.0) >= count() >= 1


def test_frames(whole: TestClient) -> None:
    texts = ["We should not lower our standards just to hire more women.", SPANISH, ""]
    answer = whole.post("/v1/frame", json={"texts": texts}).json()
    found = answer["frames"]
    assert answer["schema"] == "tactful/frame/1"
    assert answer["note"]
    assert found[0]["frame"]["target_groups"] == ["women"]
    assert found[1]["frame"] is None
    assert [each["reason"] for each in found[1:]] == ["LANGUAGE_NOT_SUPPORTED", "TEXT_EMPTY"]
    bare = whole.post("/v1/frame", json={"texts": texts[:1], "statements": False}).json()
    assert bare["frames"][0]["frame"]["implied_statements"] == []


def test_taxonomies(client: TestClient) -> None:
    listed = client.get("/v1/taxonomies").json()["taxonomies"]
    assert {"pcl", "unhealthy", "frame", "stereotype"} <= {each["id"] for each in listed}
    assert client.get("/v1/taxonomies/pcl").json()["entries"]
    assert client.get("/v1/taxonomies/pcl.metaphor").json()["id"] == "pcl.metaphor"


def test_cards_hold_no_path(whole: TestClient) -> None:
    answer = whole.get("/v1/models")
    names = [model["name"] for model in answer.json()["models"]]
    assert names == ["default-en", "default-es", "frames-en"]
    assert not re.search(r'"(/|[A-Z]:\\\\|~/)', answer.text)
    assert "training" not in answer.json()["models"][0]
    assert answer.json()["models"][0]["limits"]


def test_signs_of_life(whole: TestClient) -> None:
    whole.post("/v1/score", json={"texts": ["warm"]})
    assert whole.get("/healthz").json()["status"] == "ok"
    counts = whole.get("/metrics")
    assert counts.headers["content-type"].startswith("text/plain")
    for name in ("requests_total", "request_seconds_bucket", "batch_texts_bucket", "queue_texts"):
        assert f"tactful_{name}" in counts.text


def test_unknown_paths_are_counted_as_one(client: TestClient) -> None:
    for n in range(20):
        client.get(f"/unknown/{n}")
    assert "unknown" not in client.get("/metrics").text


def test_the_service_is_not_ready_before_it_is_warm() -> None:
    client = TestClient(create_app(ServiceSettings(model="fast", langs=("en",), web=False)))
    answer = client.get("/readyz")  # without its lifespan nothing is opened
    assert answer.status_code == 503
    assert answer.headers["retry-after"]


def test_every_route_is_described(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    assert {"/v1/check", "/v1/score", "/v1/frame", "/v1/models", "/metrics"} <= set(
        document["paths"]
    )
    for path, methods in document["paths"].items():
        for operation in methods.values():
            assert operation.get("summary"), path
    body = document["paths"]["/v1/check"]["post"]["requestBody"]
    schema = body["content"]["application/json"]["schema"]
    assert schema["additionalProperties"] is False
    assert schema["examples"]
    for example in schema["examples"]:
        assert client.post("/v1/check", json=example).status_code == 200


def test_the_page_on_the_api_needs_nothing_from_afar(client: TestClient) -> None:
    page = client.get("/docs").text
    assert "<script" not in page
    assert "style=" not in page
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)
    for path in client.get("/openapi.json").json()["paths"]:
        assert path in page
    assert json.dumps("With our help")[1:-1] in page
    assert "list of string" in page
    assert client.get("/docs/reference.css").headers["content-type"].startswith("text/css")


def test_a_path_of_a_proxy_is_in_the_links() -> None:
    settings = ServiceSettings(model="fast", langs=("en",), web=False, root_path="/tactful")
    with TestClient(create_app(settings)) as client:
        assert 'href="/tactful/docs/reference.css"' in client.get("/docs").text
        assert client.get("/healthz").status_code == 200


def test_the_annotation_pages_are_one_click_away() -> None:
    settings = ServiceSettings(
        model="fast", langs=("en",), web=False, annotation="http://127.0.0.1:8100"
    )
    with TestClient(create_app(settings)) as client:
        answer = client.get("/annotate", follow_redirects=False)
    assert answer.headers["location"] == "http://127.0.0.1:8100"
