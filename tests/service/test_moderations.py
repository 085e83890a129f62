"""``POST /v1/moderations``: the shape of OpenAI's endpoint, with honest categories only."""

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra 'serve' is not installed")

from starlette.testclient import TestClient

from tactful.service.app import create_app
from tactful.service.settings import ServiceSettings

RUDE = "Only a complete fool would write such garbage, so shut up."
KIND = "Thank you all for the lovely evening at the library."
SPANISH = "Los vecinos del barrio dicen que la plaza es para todos los niños."
ENGLISH = {
    "harassment", "harassment/threatening", "hate", "hate/threatening", "sexual", "violence",
    "unhealthy", "condescending", "dismissive", "patronizing",
}  # fmt: skip
IN_SPANISH = ENGLISH - {"patronizing"} | {"stereotype"}
# The categories of OpenAI's reference (createModeration), as its Python client types them.
OPENAI = {
    "harassment", "harassment/threatening", "hate", "hate/threatening", "illicit",
    "illicit/violent", "self-harm", "self-harm/intent", "self-harm/instructions", "sexual",
    "sexual/minors", "violence", "violence/graphic",
}  # fmt: skip
ALL = OPENAI | ENGLISH | {"stereotype"}


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(ServiceSettings(web=False, max_texts=5))) as running:
        yield running


def moderate(client: TestClient, given: Any, **more: Any) -> Any:
    answer = client.post("/v1/moderations", json={"input": given, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_shape(client: TestClient) -> None:
    found = moderate(client, RUDE, model="omni-moderation-latest")
    assert set(found) == {"id", "model", "results"}
    assert found["id"].startswith("modr-")
    assert found["model"] == "default-en 2.3"
    (result,) = found["results"]
    for part in ("categories", "category_scores", "category_applied_input_types"):
        assert set(result[part]) == ALL
    assert result["flagged"] is any(result["categories"].values())
    assert all(0 <= result["category_scores"][name] <= 1 for name in ENGLISH)


@pytest.mark.parametrize(("text", "judged"), [(KIND, ENGLISH), (SPANISH, IN_SPANISH)])
def test_what_cannot_be_judged_is_null_and_never_false(
    client: TestClient, text: str, judged: set[str]
) -> None:
    (result,) = moderate(client, text)["results"]
    assert set(result["unsupported_categories"]) == ALL - judged
    for name in ALL:
        is_judged = name in judged
        assert (result["categories"][name] is not None) == is_judged, name
        assert (result["category_scores"][name] is not None) == is_judged, name
        assert result["category_applied_input_types"][name] == (["text"] if is_judged else [])


def test_a_rude_text_is_flagged_and_a_kind_one_is_not(client: TestClient) -> None:
    rude, kind = moderate(client, [RUDE, KIND])["results"]
    assert rude["flagged"]
    assert rude["categories"]["harassment"]
    assert not kind["flagged"]
    assert rude["category_scores"]["harassment"] > kind["category_scores"]["harassment"]


def test_the_parts_of_one_input_are_one_text(client: TestClient) -> None:
    parts = [{"type": "text", "text": KIND}, {"type": "text", "text": RUDE}]
    assert len(moderate(client, parts)["results"]) == 1


def test_a_long_text_is_as_bad_as_its_worst_part(client: TestClient) -> None:
    mild, rude = moderate(client, [" ".join([KIND] * 80), " ".join([KIND] * 80 + [RUDE])])[
        "results"
    ]
    assert rude["category_scores"]["harassment"] > 2 * mild["category_scores"]["harassment"]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ([], "INVALID_REQUEST"),
        ({}, "INPUT_MISSING"),
        ({"input": []}, "INPUT_MISSING"),
        ({"input": 5}, "INPUT_MISSING"),
        ({"input": " "}, "TEXT_EMPTY"),
        ({"input": [KIND, ""]}, "TEXT_EMPTY"),
        ({"input": [KIND, 5]}, "INPUT_NOT_TEXT"),
        ({"input": [KIND, {"type": "text", "text": KIND}]}, "INPUT_NOT_TEXT"),
        ({"input": [{"type": "image_url", "image_url": {"url": "x"}}]}, "INPUT_NOT_TEXT"),
        ({"input": [{"type": "text"}]}, "INPUT_NOT_TEXT"),
        ({"input": [{}]}, "INPUT_NOT_TEXT"),
        ({"input": KIND, "model": 5}, "INVALID_REQUEST"),
        ({"input": KIND, "colour": "blue"}, "UNKNOWN_FIELD"),
        ({"input": [KIND] * 6}, "TOO_MANY_TEXTS"),
        ({"input": "x" * 100_001}, "TEXT_TOO_LONG"),
        (
            {"input": "Die Kinder spielen heute im Garten hinter dem alten Haus."},
            "LANGUAGE_NOT_SUPPORTED",
        ),
    ],
)
def test_bad_requests_are_refused_in_the_one_shape(
    client: TestClient, body: Any, kind: str
) -> None:
    answer = client.post("/v1/moderations", json=body)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["status"] == "INVALID_ARGUMENT"
    assert error["details"][0]["errorType"] == kind
    assert KIND not in answer.text


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ([KIND, " ", KIND], "Text 2 of 3 is empty"),
        ([""], "The text is empty"),
        ([KIND, "Die Kinder spielen heute im Garten hinter dem alten Haus."], "Text 2 of 2 is in"),
    ],
)
def test_the_answer_says_which_text_is_refused(
    client: TestClient, texts: list[str], said: str
) -> None:
    answer = client.post("/v1/moderations", json={"input": texts})
    assert answer.json()["error"]["message"].startswith(said)


def test_what_is_no_json(client: TestClient) -> None:
    headers = {"content-type": "application/json"}
    for raw in (b"{", b"[" * 10_000, b'{"input": "\\ud800"}'):
        answer = client.post("/v1/moderations", content=raw, headers=headers)
        assert answer.status_code == 400
