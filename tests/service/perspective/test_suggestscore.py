"""``comments:suggestscore``: checked, acknowledged, and not stored."""

from typing import Any

import pytest

PATH = "v1alpha1/comments:suggestscore"
TEXT = "Thank you all for the lovely evening at the library."


def body(**more: Any) -> dict[str, Any]:
    scores = {"TOXICITY": {"summaryScore": {"value": 0}}}
    return {"comment": {"text": TEXT}, "attributeScores": scores, **more}


def test_it_echoes_the_token_and_the_languages(post: Any) -> None:
    code, answer = post(PATH, body(clientToken="c-1", languages=["en"], communityId="forum/books"))
    assert code == 200
    assert answer == {
        "clientToken": "c-1",
        "requestedLanguages": ["en"],
        "detectedLanguages": ["en"],
    }


def test_unknown_names_and_languages_are_taken(post: Any) -> None:
    scores = {
        "APPROVED": {"summaryScore": {"value": 1}},
        "OURS_ALONE": {
            "spanScores": [{"begin": 0, "end": 5, "score": {"value": 1, "type": "PROBABILITY"}}]
        },
    }
    code, answer = post(PATH, body(attributeScores=scores, languages=["fr"]))
    assert code == 200
    assert answer["requestedLanguages"] == ["fr"]
    german = {"text": "Die Kinder spielen heute im Garten hinter dem alten Haus."}
    assert post(PATH, body(comment=german)) == (200, {})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"attributeScores": {}}, "Missing attribute_scores"),
        ({"attributeScores": {"TOXICITY": {}}}, "Empty attribute_scores"),
        ({"attributeScores": {"TOXICITY": {"summaryScore": {}}}}, "expected a number"),
        (
            {"attributeScores": {"TOXICITY": {"spanScores": [{"score": {"value": 1}}]}}},
            "0 <= begin < end",
        ),
        (
            {
                "attributeScores": {
                    "TOXICITY": {"spanScores": [{"begin": 4, "end": 2, "score": {"value": 1}}]}
                }
            },
            "0 <= begin < end",
        ),
        (
            {"attributeScores": {"TOXICITY": {"spanScores": [{"begin": 1.5, "end": 2}]}}},
            "TYPE_INT32",
        ),
        ({"attributeScores": {"TOXICITY": {"summaryScore": {"value": "much"}}}}, "TYPE_FLOAT"),
        ({"comment": {"text": " "}}, "Comment must be non-empty."),
        ({"comment": {"text": "é" * 10_241}}, "exceeded limit (20480)"),
        ({"requestedAttributes": {}}, 'Unknown name "requestedAttributes"'),
        ({"doNotStore": True}, 'Unknown name "doNotStore"'),
    ],
)
def test_what_is_malformed_is_refused(post: Any, change: dict[str, Any], said: str) -> None:
    code, answer = post(PATH, body(**change))
    assert code == 400
    assert answer["error"]["status"] == "INVALID_ARGUMENT"
    assert said in answer["error"]["message"]
