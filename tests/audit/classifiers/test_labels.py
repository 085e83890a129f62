"""The names of classes; two or three of them (Mei et al. 2023, section 4.3), or five stars."""

import pytest

from tactful.audit.classifiers.labels import (
    SENTIMENTS,
    check_labels,
    class_of,
    classes_of_model,
    fingerprint,
    parse_labels,
)
from tactful.errors import UnknownNameError, UsageError


@pytest.mark.parametrize(
    ("label", "sentiment"),
    [
        ("POS", "positive"),
        ("NEG", "negative"),
        ("NEU", "neutral"),
        ("POSITIVE", "positive"),
        ("Negative", "negative"),
        (" neutral ", "neutral"),
        ("very_negative", "negative"),
        ("Very Positive", "positive"),
        ("1 star", "negative"),
        ("2 stars", "negative"),
        ("3 stars", "neutral"),
        ("4 stars", "positive"),
        ("5 stars", "positive"),
    ],
)
def test_known_names(label: str, sentiment: str) -> None:
    assert class_of(label) == sentiment


@pytest.mark.parametrize("label", ["LABEL_0", "0", "", "6 stars", "0 stars", "joy", "not negative"])
def test_a_name_that_says_nothing_is_not_guessed(label: str) -> None:
    assert class_of(label) is None


def test_the_users_labels_come_first() -> None:
    labels = check_labels({"LABEL_0": "NEG", "POS": "neutral"})
    assert class_of("LABEL_0", labels) == "negative"
    assert class_of("label_0", labels) == "negative"
    assert class_of("POS", labels) == "neutral"
    assert class_of("NEU", labels) == "neutral"


def test_labels_are_parsed() -> None:
    assert parse_labels("LABEL_0=negative,LABEL_1=positive") == {
        "LABEL_0": "negative",
        "LABEL_1": "positive",
    }
    assert parse_labels(" very bad = NEG , a=b=pos") == {"very bad": "negative", "a=b": "positive"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The labels have ''; expected LABEL=CLASS pairs"),
        ("LABEL_0", "have 'LABEL_0'; expected LABEL=CLASS"),
        ("=negative", "have '=negative'; expected LABEL=CLASS"),
        ("A=negative,", "have ''; expected"),
        ("A=bad", "map 'A' to 'bad'; expected one of negative, neutral, positive"),
        ("A=", "map 'A' to ''; expected one of"),
        ("A=neg,A=pos", "name 'A' twice"),
    ],
)
def test_wrong_labels_are_one_sentence(text: str, message: str) -> None:
    with pytest.raises(UsageError, match="labels") as caught:
        parse_labels(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_mapping_with_no_class_is_refused() -> None:
    with pytest.raises(UsageError, match="map 'LABEL_0' to 'sad'"):
        check_labels({"LABEL_0": "sad"})


def test_the_classes_of_a_model() -> None:
    assert classes_of_model("m", ["NEG", "NEU", "POS"], {}) == list(SENTIMENTS)
    given = check_labels({"LABEL_1": "positive", "LABEL_0": "negative"})
    assert classes_of_model("m", ["LABEL_0", "LABEL_1"], given) == ["negative", "positive"]


def test_a_model_with_names_that_say_nothing_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        classes_of_model("owner/m", ["LABEL_0", "LABEL_1"], check_labels({"LABEL_0": "neg"}))
    assert "'owner/m' has classes" in str(caught.value)
    assert "('LABEL_1')" in str(caught.value)
    assert "--labels LABEL_0=negative,LABEL_1=positive" in str(caught.value)


def test_a_model_without_a_negative_class_is_refused() -> None:
    with pytest.raises(UsageError, match="no negative class"):
        classes_of_model("m", ["POS", "NEU"], {})


def test_a_label_that_the_model_does_not_have_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'LABEL_1'"):
        classes_of_model("m", ["LABEL_0", "LABEL_1"], check_labels({"LABLE_1": "neg"}))


def test_a_fingerprint_sees_the_labels_and_not_their_order() -> None:
    one = {"A": "negative", "B": "positive"}
    assert fingerprint("x", labels=one) == fingerprint("x", labels=dict(reversed(one.items())))
    assert fingerprint("x", labels=one) != fingerprint("x", labels={"A": "positive"})
    assert fingerprint("x") != fingerprint("y")
