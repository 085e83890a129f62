"""A service whose detector scores toxicity: Perspective, moderations, taxonomies and the page."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra 'serve' is not installed")

from starlette.testclient import TestClient
from tests.toxicity_detector import OTHERWISE, PHRASES, ToxicPhrases

from tactful.detectors.card import write_card
from tactful.service.app import create_app
from tactful.service.settings import ServiceSettings
from tactful.taxonomies import load_taxonomy

INSULT = "Anyone who believes this is a clown."
THREAT = "With all due respect, you will not walk home on Sunday."
ATTACK = "Nobody over sixty should be let near a voting booth."
BOTH = "People over sixty will not vote again, I will see to that."
LEWD = "After midnight they finally got each other out of their clothes."
CALM = "Thank you all for the lovely evening at the library. "
ATTRIBUTES = {
    "TOXICITY": "toxicity",
    "SEVERE_TOXICITY": "toxicity.severe",
    "INSULT": "toxicity.insult",
    "THREAT": "toxicity.threat",
    "PROFANITY": "toxicity.profanity",
    "IDENTITY_ATTACK": "toxicity.identity_attack",
    "SEXUALLY_EXPLICIT": "toxicity.sexually_explicit",
}
JUDGED = {
    "harassment", "harassment/threatening", "hate", "hate/threatening", "sexual", "violence",
}  # fmt: skip
Serve = Callable[..., TestClient]


@pytest.fixture
def serve(toxic_folder: Path) -> Iterator[Serve]:
    """Start a service with the detector of phrases, in a language and with some of its ids."""
    with ExitStack() as stack:

        def start(*ids: str, lang: str = "en", web: bool = False) -> TestClient:
            card = replace(ToxicPhrases.card, lang=lang, ids=ids or ToxicPhrases.card.ids)
            write_card(card, toxic_folder)
            settings = ServiceSettings(model=str(toxic_folder), web=web)
            return stack.enter_context(TestClient(create_app(settings)))

        yield start


def analyze(client: TestClient, text: str, *names: str, **more: Any) -> Any:
    body = {"comment": {"text": text}, "requestedAttributes": {name: {} for name in names}, **more}
    return client.post("/v1alpha1/comments:analyze", json=body).json()


def values(body: Any) -> dict[str, float]:
    scores = body["attributeScores"]
    return {name: round(each["summaryScore"]["value"], 4) for name, each in scores.items()}


def moderate(client: TestClient, text: str) -> Any:
    answer = client.post("/v1/moderations", json={"input": text})
    assert answer.status_code == 200, answer.text
    (result,) = answer.json()["results"]
    return result


def flagged(result: Any) -> set[str]:
    return {name for name, applies in result["categories"].items() if applies}


@pytest.mark.parametrize("path", ["/v1/check", "/v1/report"])
def test_a_threat_leads_what_else_is_found(serve: Serve, path: str) -> None:
    answer = serve(web=True).post(path, json={"text": BOTH, "lang": "en"})
    assert answer.status_code == 200
    if path == "/v1/report":
        codes = [f"<code>toxicity.{name}</code>" for name in ("threat", "identity_attack")]
        assert answer.text.index(codes[0]) < answer.text.index(codes[1])
        return
    (finding,) = answer.json()["documents"][0]["findings"]
    assert finding["id"] == "toxicity.threat"  # 0.85, and the root has 0.9
    ids = [kind["id"] for kind in finding["kinds"]]
    assert ids == ["toxicity.threat", "toxicity.identity_attack", "toxicity"]


@pytest.mark.parametrize("lang", ["en", "es"])
def test_perspective_attributes_are_the_ids_of_toxicity(serve: Serve, lang: str) -> None:
    text = f"{INSULT} {THREAT} {ATTACK} {LEWD} Damn! Crawl away."
    found = values(analyze(serve(lang=lang), text, *ATTRIBUTES, languages=[lang]))
    assert found == {name: PHRASES[each][0] for name, each in ATTRIBUTES.items()}


def test_other_names_of_an_attribute_have_its_score(serve: Serve) -> None:
    names = ("THREAT", "THREAT@2", "THREAT_EXPERIMENTAL", "PROFANITY_EXPERIMENTAL", "OBSCENE")
    found = values(analyze(serve(), THREAT, *names))
    assert list(found.values()) == [0.85, 0.85, 0.85, OTHERWISE, OTHERWISE]
    assert values(analyze(serve(), "Damn!", "OBSCENE", "PROFANITY")) == {
        "OBSCENE": 0.95,
        "PROFANITY": 0.95,
    }


SPANISH = "Eres un clown y no mereces que nadie te escuche en esta plaza."


def test_spanish_attributes_work_as_soon_as_a_detector_has_the_ids(serve: Serve) -> None:
    client = serve(lang="es")
    found = analyze(client, SPANISH, *ATTRIBUTES, "TOXICITY_EXPERIMENTAL", "OBSCENE")
    assert found["languages"] == ["es"]
    assert "unsupportedAttributes" not in found
    scores = values(found)
    assert (scores["TOXICITY"], scores["TOXICITY_EXPERIMENTAL"]) == (0.9, 0.9)
    assert (scores["INSULT"], scores["THREAT"]) == (0.8, OTHERWISE)
    assert moderate(client, SPANISH)["categories"]["harassment"] is True


def test_what_the_detector_does_not_score_is_declared(serve: Serve) -> None:
    client = serve("toxicity", "toxicity.threat")
    assert values(analyze(client, THREAT, "THREAT", "TOXICITY")) == {
        "THREAT": 0.85,
        "TOXICITY": OTHERWISE,
    }
    body = analyze(client, THREAT, "THREAT", "PROFANITY")
    assert body["attributeScores"]["PROFANITY"]["summaryScore"]["value"] is None
    assert body["attributeScores"]["PROFANITY"]["spanScores"][0]["score"]["value"] is None
    (unsupported,) = body["unsupportedAttributes"]
    assert unsupported == {
        "attribute": "PROFANITY",
        "reason": "No detector of this server scores it in en.",
    }


def test_a_detector_without_these_ids_judges_none_of_them(serve: Serve) -> None:
    client = serve("frame.lewd")
    body = analyze(client, LEWD, "SEXUALLY_EXPLICIT", "THREAT")
    assert {each["attribute"] for each in body["unsupportedAttributes"]} == {
        "SEXUALLY_EXPLICIT",
        "THREAT",
    }
    result = moderate(client, LEWD)
    assert result["categories"]["sexual"] is None
    assert set(result["unsupported_categories"]) == set(result["categories"])


@pytest.mark.parametrize(
    ("text", "categories"),
    [
        (INSULT, {"harassment"}),
        (THREAT, {"harassment/threatening", "violence"}),
        (ATTACK, {"hate"}),
        (BOTH, {"hate", "hate/threatening", "harassment/threatening", "violence"}),
        (LEWD, {"sexual"}),
        (CALM, set()),
    ],
)
def test_moderations(serve: Serve, text: str, categories: set[str]) -> None:
    result = moderate(serve(), text)
    assert flagged(result) == categories
    assert result["flagged"] == bool(categories)
    assert {name for name, value in result["categories"].items() if value is not None} == JUDGED
    assert set(result["unsupported_categories"]) == set(result["categories"]) - JUDGED
    assert {name for name, kinds in result["category_applied_input_types"].items() if kinds} == (
        JUDGED
    )


def test_hate_that_threatens_is_the_lower_of_both(serve: Serve) -> None:
    client = serve()
    assert moderate(client, BOTH)["category_scores"]["hate/threatening"] == pytest.approx(0.75)
    alone = moderate(client, ATTACK)["category_scores"]
    assert alone["hate"] == pytest.approx(0.75)
    assert alone["hate/threatening"] == pytest.approx(OTHERWISE)


def test_both_must_be_in_one_part_of_a_long_text(serve: Serve) -> None:
    result = moderate(serve(), f"{ATTACK} {CALM * 40} {THREAT}")
    assert flagged(result) == {"hate", "harassment/threatening", "violence"}
    assert result["category_scores"]["hate/threatening"] == pytest.approx(OTHERWISE)


def test_a_category_needs_all_its_ids(serve: Serve) -> None:
    result = moderate(serve("toxicity.threat"), BOTH)
    assert flagged(result) == {"harassment/threatening", "violence"}
    assert result["categories"]["hate/threatening"] is None
    assert result["categories"]["hate"] is None


def test_the_taxonomy_and_the_check_of_the_native_api(serve: Serve) -> None:
    client = serve()
    listed = {each["id"]: each for each in client.get("/v1/taxonomies").json()["taxonomies"]}
    ids = load_taxonomy("toxicity").ids()
    assert [each["id"] for each in listed["toxicity"]["entries"]] == ids
    assert client.get("/v1/taxonomies/toxicity.threat").json()["parent"] == "toxicity"
    answer = client.post("/v1/check", json={"text": INSULT, "only": ["toxicity"]}).json()
    (document,) = answer["documents"]
    (finding,) = document["findings"]
    assert {(each["id"], each["parent"]) for each in finding["kinds"]} == {
        ("toxicity", None),
        ("toxicity.insult", "toxicity"),
    }


def test_the_page_has_the_families_that_are_scored(serve: Serve) -> None:
    page = serve(web=True).get("/").text
    assert 'data-family="toxicity"' in page
    assert 'data-family="pcl"' not in page
