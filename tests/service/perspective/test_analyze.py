"""``comments:analyze`` against the running server: scores, spans, languages and every error."""

import json
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra 'serve' is not installed")

from tactful.service.perspective.mapping import attributes

RUDE = "Only a complete fool would write such garbage, so shut up."
KIND = "Thank you all for the lovely evening at the library."
SPANISH = "Los vecinos del barrio dicen que la plaza es para todos los niños."
EVERYTHING = [
    "TOXICITY",
    "SEVERE_TOXICITY",
    "IDENTITY_ATTACK",
    "INSULT",
    "SEXUALLY_EXPLICIT",
    "ATTACK_ON_COMMENTER",
    "INFLAMMATORY",
    "UNHEALTHY",
    "CONDESCENDING",
    "DISMISSIVE",
    "SARCASTIC",
    "HOSTILE",
    "ANTAGONISTIC",
    "UNFAIR_GENERALISATION",
    "PATRONIZING",
    "PATRONIZING_SHALLOW_SOLUTION",
]


REFUSED = [name for name, row in attributes().items() if row.id is None]
"""What no detector of ours scores."""


def error_of(answer: Any, status: int = 400) -> dict[str, Any]:
    """Return the error of an answer in Google's shape."""
    code, body = answer
    assert code == status, body
    error: dict[str, Any] = body["error"]
    assert set(error) == {"code", "message", "status", "details"}
    assert error["code"] == status
    return error


def error_type(answer: Any) -> str:
    error = error_of(answer)
    assert error["status"] == "INVALID_ARGUMENT"
    found: str = error["details"][0]["errorType"]
    return found


def value(body: Any, name: str) -> float:
    found: float = body["attributeScores"][name]["summaryScore"]["value"]
    return found


def test_a_rude_comment_scores_higher_than_a_kind_one(analyze: Any) -> None:
    for name in ("TOXICITY", "SEVERE_TOXICITY", "INSULT", "HOSTILE"):
        rude, kind = analyze(RUDE, name)[1], analyze(KIND, name)[1]
        assert value(rude, name) > 2 * value(kind, name)


def test_the_mention_of_a_group_is_no_attack(analyze: Any, post: Any) -> None:
    names = ("TOXICITY", "SEVERE_TOXICITY", "IDENTITY_ATTACK", "INSULT")
    _, mention = analyze("My neighbour is Muslim and we share a garden.", *names)
    assert max(value(mention, name) for name in names) < 0.2
    _, attack = analyze("Gays are disgusting.", *names)
    assert value(attack, "IDENTITY_ATTACK") > 0.5


def test_every_attribute_can_be_asked_for_at_once(analyze: Any) -> None:
    code, body = analyze(RUDE, *EVERYTHING, languages=["en"], clientToken="t-1")
    assert code == 200
    assert list(body["attributeScores"]) == EVERYTHING
    for scores in body["attributeScores"].values():
        assert scores["summaryScore"]["type"] == "PROBABILITY"
        assert 0 <= scores["summaryScore"]["value"] <= 1
    assert body["languages"] == ["en"]
    assert body["clientToken"] == "t-1"


def test_plain_rows_are_the_probabilities_of_the_native_api(analyze: Any, post: Any) -> None:
    _, native = post("v1/score", {"texts": [RUDE], "lang": "en"})
    _, body = analyze(RUDE, "HOSTILE", "IDENTITY_ATTACK")
    told = native["scores"][0]["probabilities"]
    assert value(body, "HOSTILE") == pytest.approx(told["unhealthy.hostile"], abs=1e-5)
    attack = attributes()["IDENTITY_ATTACK"].id_for(told)
    assert attack is not None
    assert value(body, "IDENTITY_ATTACK") == pytest.approx(told[attack], abs=1e-5)


def test_spanish_stereotypes_and_their_kinds(analyze: Any) -> None:
    names = [name for name in attributes() if name.startswith("STEREOTYPE")]
    assert len(names) == 12
    code, body = analyze(SPANISH, *names)
    assert code == 200
    assert body["languages"] == body["detectedLanguages"] == ["es"]
    assert set(body["attributeScores"]) == set(names)


def test_versions_and_experimental_names_are_the_same_score(analyze: Any) -> None:
    _, body = analyze(RUDE, "TOXICITY", "TOXICITY@6", "TOXICITY_EXPERIMENTAL", "TOXICITY_FAST")
    assert len({value(body, name) for name in body["attributeScores"]}) == 1
    assert "TOXICITY@6" in body["attributeScores"]


@pytest.mark.parametrize("name", ["TOXICITY@", "TOXICITY@six", "toxicity", "TOXICITY@1@2", "X"])
def test_an_unknown_attribute(analyze: Any, name: str) -> None:
    answer = analyze(RUDE, name)
    assert error_of(answer)["message"] == f"Unknown requested attribute: {name}"
    assert error_type(answer) == "INVALID_REQUEST"


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_counterpart_says_so_and_names_the_nearest(analyze: Any, name: str) -> None:
    error = error_of(analyze(KIND, "TOXICITY", name))
    nearest = attributes()[name].nearest
    assert nearest is not None
    assert nearest in error["message"]
    assert error["details"][0]["attributeWithoutCounterpartError"]["nearestAttribute"] == nearest
    code, body = analyze(KIND, "TOXICITY", name, dropUnsupportedAttributes=True)
    assert code == 200
    assert list(body["attributeScores"]) == ["TOXICITY"]


def test_thresholds_leave_scores_out(post: Any) -> None:
    body = {
        "comment": {"text": KIND},
        "requestedAttributes": {"TOXICITY": {"scoreThreshold": 0.99}, "INSULT": {}},
    }
    _, answer = post("v1alpha1/comments:analyze", body)
    assert list(answer["attributeScores"]) == ["INSULT"]
    body["requestedAttributes"] = {"TOXICITY": {"scoreThreshold": 0.99}}
    _, answer = post("v1alpha1/comments:analyze", body)
    assert "attributeScores" not in answer
    assert answer["languages"] == ["en"]


@pytest.mark.parametrize("kind", ["STD_DEV_SCORE", "PERCENTILE", "RAW"])
def test_score_types(post: Any, kind: str) -> None:
    body = {
        "comment": {"text": KIND},
        "requestedAttributes": {"TOXICITY": {"scoreType": kind}},
    }
    error = error_of(post("v1alpha1/comments:analyze", body))
    expected = f"Requested score type {kind} is not supported by attribute TOXICITY"
    assert error["message"] == expected
    for fine in ("PROBABILITY", "SCORE_TYPE_UNSPECIFIED"):
        body["requestedAttributes"] = {"TOXICITY": {"scoreType": fine}}
        assert post("v1alpha1/comments:analyze", body)[0] == 200


def test_spans_are_sentences_in_utf16(analyze: Any) -> None:
    text = f"🙂👩‍🔬 {KIND} e\u0301t cetera, my friends. {RUDE}"
    _, body = analyze(text, "TOXICITY", "HOSTILE", spanAnnotations=True, languages=["en"])
    units = text.encode("utf-16-le")
    for name in ("TOXICITY", "HOSTILE"):
        spans = body["attributeScores"][name]["spanScores"]
        words = [units[2 * s["begin"] : 2 * s["end"]].decode("utf-16-le") for s in spans]
        assert words == [f"🙂👩‍🔬 {KIND}", "e\u0301t cetera, my friends.", RUDE]
        values = [span["score"]["value"] for span in spans]
        assert values[2] == max(values)
    toxic = body["attributeScores"]["TOXICITY"]["spanScores"]
    alone = analyze(RUDE, "TOXICITY", languages=["en"])[1]
    # The encoder computes in eight bits, scaled by all texts that it reads together.
    assert toxic[2]["score"]["value"] == pytest.approx(value(alone, "TOXICITY"), abs=0.1)


def test_without_sentences_the_span_is_the_whole_comment(analyze: Any) -> None:
    text = "  🙂 What a lovely plan, my friend  "
    for asked in (False, True):
        _, body = analyze(text, "TOXICITY", spanAnnotations=asked)
        scores = body["attributeScores"]["TOXICITY"]
        assert scores["spanScores"] == [
            {"begin": 0, "end": len(text) + 1, "score": scores["summaryScore"]}
        ]


def test_many_tiny_sentences_are_joined(analyze: Any) -> None:
    text = "No! " * 5000
    code, body = analyze(text, "TOXICITY", spanAnnotations=True, languages=["en"])
    assert code == 200
    spans = body["attributeScores"]["TOXICITY"]["spanScores"]
    assert len(spans) <= 64
    assert (spans[0]["begin"], spans[-1]["end"]) == (0, len(text) - 1)


def test_a_long_comment_scores_as_its_worst_part(analyze: Any) -> None:
    long = " ".join([KIND] * 60)
    _, mild = analyze(long, "INSULT")
    _, rude = analyze(f"{long} {RUDE}", "INSULT")
    assert value(rude, "INSULT") > 2 * value(mild, "INSULT")


def test_languages_are_echoed_detected_and_refused(analyze: Any) -> None:
    _, body = analyze(KIND, languages=["en-GB"])
    assert body["languages"] == ["en-GB"]
    assert body["detectedLanguages"] == ["en"]
    answer = analyze(KIND, "TOXICITY", "INSULT", languages=["fr", "en"])
    error = error_of(answer)
    assert error["message"] == "Attribute TOXICITY does not support request languages: fr"
    assert [each["languageNotSupportedByAttributeError"] for each in error["details"]] == [
        {"requestedLanguages": ["fr"], "attribute": "TOXICITY"},
        {"requestedLanguages": ["fr"], "attribute": "INSULT"},
    ]
    assert error_type(answer) == "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE"
    error = error_of(analyze(SPANISH, "STEREOTYPE", "PATRONIZING"))
    assert error["details"][0]["languageNotSupportedByAttributeError"] == {
        "detectedLanguages": ["es"],
        "attribute": "PATRONIZING",
    }
    _, body = analyze(SPANISH, "STEREOTYPE", "PATRONIZING", dropUnsupportedAttributes=True)
    assert list(body["attributeScores"]) == ["STEREOTYPE"]
    _, body = analyze(SPANISH, "TOXICITY", "THREAT")
    assert sorted(body["attributeScores"]) == ["THREAT", "TOXICITY"]


def test_a_third_language_is_not_guessed(analyze: Any) -> None:
    answer = analyze("Die Kinder spielen heute im Garten hinter dem alten Haus.")
    assert error_type(answer) == "LANGUAGE_DETECTION_FAILED"
    assert error_of(answer)["message"] == "Unable to detect language"


def test_a_comment_too_short_to_tell_is_read_in_the_first_language(analyze: Any) -> None:
    code, body = analyze("Shut up")
    assert code == 200
    assert body["languages"] == ["en"]
    assert analyze("Vale", "STEREOTYPE")[0] == 200


@pytest.mark.parametrize("text", ["", " \n\t", "\u00a0"])
def test_an_empty_comment(analyze: Any, text: str) -> None:
    answer = analyze(text)
    assert error_type(answer) == "COMMENT_EMPTY"
    assert error_of(answer)["message"] == "Comment must be non-empty."


def test_a_comment_is_at_most_20480_bytes(analyze: Any) -> None:
    fits = "é word" * 2925 + "12345"
    assert len(fits.encode()) == 20_480
    assert analyze(fits, languages=["en"])[0] == 200
    answer = analyze(fits + "x", languages=["en"])
    assert error_type(answer) == "COMMENT_TOO_LONG"
    expected = "Comment text was too many bytes. Value (20481) exceeded limit (20480)."
    assert error_of(answer)["message"] == expected


def test_nothing_requested(post: Any) -> None:
    for asked in (dict[str, Any](), None):
        answer = post(
            "v1alpha1/comments:analyze", {"comment": {"text": KIND}, "requestedAttributes": asked}
        )
        assert error_type(answer) == "NO_REQUESTED_ATTRIBUTES"
        assert error_of(answer)["message"] == "Missing requested_attributes"


def test_every_documented_field_and_both_spellings(post: Any) -> None:
    body = {
        "comment": {"text": KIND, "type": "PLAIN_TEXT"},
        "context": {"entries": [{"text": "An earlier comment.", "type": "PLAIN_TEXT"}]},
        "requestedAttributes": {"TOXICITY": {"scoreType": "PROBABILITY", "scoreThreshold": 0.0}},
        "spanAnnotations": True,
        "languages": ["en"],
        "doNotStore": True,
        "clientToken": "naïve 🙂",
        "sessionId": "s",
        "communityId": "forum/books",
        "dropUnsupportedAttributes": None,
    }
    code, answer = post("v1alpha1/comments:analyze?key=any&alt=json&prettyPrint=false", body)
    assert code == 200
    assert answer["clientToken"] == "naïve 🙂"
    again = {
        "comment": {"text": KIND},
        "requested_attributes": {"TOXICITY": {"score_threshold": "0.0"}},
        "span_annotations": True,
        "client_token": "naïve 🙂",
        "languages": ["en"],
    }
    assert post("v1alpha1/comments:analyze", again)[1] == answer


def test_context_is_one_of_two(post: Any) -> None:
    context = {"entries": [{"text": "a"}], "articleAndParentComment": {"article": {"text": "b"}}}
    body = {
        "comment": {"text": KIND},
        "context": context,
        "requestedAttributes": {"TOXICITY": {}},
    }
    assert (
        "both fields were populated" in error_of(post("v1alpha1/comments:analyze", body))["message"]
    )
    del context["entries"]
    assert post("v1alpha1/comments:analyze", body)[0] == 200


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("HTML", "Currently, only 'PLAIN_TEXT' comments are supported"),
        ("MARKDOWN", "Unknown text type"),
    ],
)
def test_text_types(post: Any, kind: str, message: str) -> None:
    body = {
        "comment": {"text": KIND, "type": kind},
        "requestedAttributes": {"TOXICITY": {}},
    }
    assert error_of(post("v1alpha1/comments:analyze", body))["message"] == message


def test_unknown_fields_are_answered_as_google_does(analyze: Any, post: Any) -> None:
    error = error_of(analyze(KIND, colour="blue"))
    expected = 'Invalid JSON payload received. Unknown name "colour": Cannot find field.'
    assert error["message"] == expected
    violations = error["details"][0]["fieldViolations"]
    assert violations == [{"field": "", "description": expected}]
    body = {"comment": {"txt": "secret words"}, "requestedAttributes": {"TOXICITY": {"x": 1}}}
    error = error_of(post("v1alpha1/comments:analyze", body))
    assert "Unknown name \"txt\" at 'comment': Cannot find field." in error["message"]
    assert "Unknown name \"x\" at 'requested_attributes[0].value'" in error["message"]
    assert "secret" not in json.dumps(error)


WORDS: dict[str, Any] = {"comment": {"text": "words"}}
TOXIC: dict[str, Any] = {"requestedAttributes": {"TOXICITY": {}}}
MANGLED: list[Any] = [
    b"",
    b"{",
    b"null",
    b"[]",
    b"3",
    b'"text"',
    b"\xff\xfe",
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b'{"comment": {"text": NaN}}',
    b'{"comment": {"text": "\\ud800 half"}, "requestedAttributes": {"TOXICITY": {}}}',
    b'{"comment": {"text": "whole"}, "requestedAttributes": {"TOX\\ud800": {}}}',
    b'{"comment": {"text": "w"}, "requestedAttributes": {"TOXICITY": {"scoreThreshold": 1e999}}}',
    b'{"comment": {"text": ' + b"9" * 5000 + b"}}",
    {"comment": "words"},
    {"comment": {"text": 5}, **TOXIC},
    {"comment": {"text": ["words"]}, **TOXIC},
    {**WORDS, "requestedAttributes": ["TOXICITY"]},
    {**WORDS, "requestedAttributes": {"TOXICITY": "yes"}},
    {**WORDS, "requestedAttributes": {"TOXICITY": {"scoreType": "MAGIC"}}},
    {**WORDS, "requestedAttributes": {"TOXICITY": {"scoreThreshold": "x"}}},
    {**WORDS, "requestedAttributes": {"TOXICITY": {"scoreThreshold": True}}},
    {**WORDS, "requestedAttributes": {f"TOXICITY@{n}": {} for n in range(201)}},
    {**WORDS, "requestedAttributes": {"N" * 5000: {}}},
    {**WORDS, **TOXIC, "languages": "en"},
    {**WORDS, **TOXIC, "languages": [1]},
    {**WORDS, **TOXIC, "languages": [None]},
    {**WORDS, **TOXIC, "context": {"entries": [{"text": "a", "type": "VERSE"}]}},
    {**WORDS, **TOXIC, "context": {"entries": [{"text": "a" * 1_048_577}]}},
    {**WORDS, **TOXIC, "languages": [""]},
    {**WORDS, **TOXIC, "languages": ["en"] * 21},
    {**WORDS, **TOXIC, "spanAnnotations": "no"},
    {**WORDS, **TOXIC, "context": {"entries": 1}},
    {**WORDS, **TOXIC, **{f"unknown{n}": n for n in range(1000)}},
]


@pytest.mark.parametrize("number", range(len(MANGLED)))
def test_mangled_requests_are_refused_in_one_shape(post: Any, number: int) -> None:
    error = error_of(post("v1alpha1/comments:analyze", MANGLED[number]))
    assert error["status"] == "INVALID_ARGUMENT"
    assert error["details"][0]["errorType"]
    assert len(json.dumps(error)) < 4000
    assert "words" not in json.dumps(error)


def test_strange_letters_are_scored(analyze: Any) -> None:
    for text in ("a\0b fool", "\u202egarbage", "🙂" * 300, "e" + "\u0301" * 500, "x" * 20_000):
        assert analyze(text, languages=["en"], spanAnnotations=True)[0] == 200
