"""Span agreement against judging every character or token one by one."""

from itertools import combinations
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tactful.agreement import measure_agreement, span_agreement, span_f1, span_table
from tactful.errors import InputError, UnknownNameError, UsageError

TEXTS = {"x": "They also have the right, no?", "y": "Poor thing: help her.", "z": "Ay 🙂 mi niña"}
Span = tuple[str, str, int, int, str]


@st.composite
def annotations(draw: Any) -> list[Span]:
    spans = []
    for _ in range(draw(st.integers(0, 8))):
        item = draw(st.sampled_from(sorted(TEXTS)))
        start = draw(st.integers(0, len(TEXTS[item]) - 1))
        end = draw(st.integers(start + 1, len(TEXTS[item])))
        who, kind = draw(st.sampled_from("abc")), draw(st.sampled_from("pq"))
        spans.append((item, who, start, end, kind))
    return spans


def frame(spans: list[Span]) -> pl.DataFrame:
    columns = {"item": str, "annotator": str, "start": int, "end": int, "id": str}
    return pl.DataFrame(spans, schema=columns, orient="row")


SEEN = [(item, who) for item in TEXTS for who in "abc"]


def by_character(spans: list[Span], category: str | None) -> list[tuple[str, str, str]]:
    return [
        (
            f"{item}{at}",
            who,
            "marked"
            if any(
                s[0] == item and s[1] == who and s[2] <= at < s[3] and category in (None, s[4])
                for s in spans
            )
            else "not",
        )
        for item, who in SEEN
        for at in range(len(TEXTS[item]))
    ]


@pytest.mark.parametrize("measure", ["krippendorff", "cohen", "fleiss", "percent", "ac1"])
@settings(max_examples=25)
@given(spans=annotations(), category=st.sampled_from([None, "p"]))
def test_characters(measure: str, spans: list[Span], category: str | None) -> None:
    if category and not any(span[4] == category for span in spans):
        return
    found = span_agreement(frame(spans), TEXTS, measure, category=category, seen=SEEN)
    options: Any = {"labels": ["not", "marked"]} if measure == "ac1" else {}
    expected = measure_agreement(by_character(spans, category), measure, **options)
    assert (found.value is None) == (expected.value is None)
    if expected.value is not None:
        assert found.value == pytest.approx(expected.value, abs=1e-9)
    assert (found.items, found.annotators) == (3, 3)


@settings(max_examples=25)
@given(spans=annotations())
def test_f1(spans: list[Span]) -> None:
    unique = set(spans)
    for match in ("exact", "overlap"):
        both = each = 0
        for a, b in combinations("abc", 2):
            marked = [
                {s[:1] + s[2:] for s in unique if s[1] == who}
                if match == "exact"
                else {(s[0], at, s[4]) for s in unique if s[1] == who for at in range(s[2], s[3])}
                for who in (a, b)
            ]
            both += 2 * len(marked[0] & marked[1])
            each += len(marked[0]) + len(marked[1])
        found = span_f1(frame(spans), TEXTS, match, seen=SEEN)
        if each == 0:
            assert found.reason == "no text that two annotators read has any span"
        else:
            assert found.value == pytest.approx(both / each)


def test_tokens_count_once_however_much_of_them_is_marked() -> None:
    # "They also have the right, no?" has eight tokens; a marks "also have", b "lso h".
    spans = frame([("x", "a", 5, 14, "p"), ("x", "b", 6, 11, "p")])
    found = span_agreement(spans, {"x": TEXTS["x"]}, "krippendorff", "token")
    assert found.value == 1
    assert found.name == "Krippendorff's alpha (nominal) by token"
    characters = span_agreement(spans, {"x": TEXTS["x"]})
    assert characters.value is not None
    assert characters.value < 1
    # One of eight tokens differs: 7/8 of the pairs agree.
    spans = frame([("x", "a", 5, 14, "p"), ("x", "b", 5, 9, "p")])
    assert span_agreement(spans, {"x": TEXTS["x"]}, "percent", "token").value == 7 / 8


def test_lengths_are_enough_for_characters() -> None:
    spans = frame([("x", "a", 0, 4, "p"), ("x", "b", 0, 5, "p")])
    lengths = {name: len(text) for name, text in TEXTS.items()}
    assert span_agreement(spans, lengths).value == span_agreement(spans, TEXTS).value
    with pytest.raises(UsageError, match="Tokens need the texts"):
        span_agreement(spans, lengths, unit="token")


def test_who_read_what_matters() -> None:
    spans = frame([("x", "a", 0, 4, "p"), ("x", "b", 0, 4, "p"), ("y", "a", 0, 4, "p")])
    seen = [("x", "a"), ("x", "b"), ("y", "a")]
    assert span_agreement(spans, TEXTS, seen=seen).value == 1
    assert span_f1(spans, TEXTS, seen=seen).value == 1
    everybody = span_f1(spans, TEXTS)
    assert everybody.value == pytest.approx(2 / 3)
    alone = span_f1(spans, TEXTS, seen=[*seen, ("z", "b")])
    assert alone.items == 1
    single = span_agreement(frame([("x", "a", 0, 4, "p")]), TEXTS)
    assert single.reason == "no text was read by two annotators"
    assert span_f1(frame([("x", "a", 0, 4, "p")]), TEXTS).reason == single.reason


def test_intervals_are_over_texts() -> None:
    texts = {str(i): "a" * 20 for i in range(40)}
    spans = frame(
        [(str(i), who, 0, 5 + (i * (who == "b")) % 4, "p") for i in range(40) for who in "ab"]
    )
    for found in (
        span_agreement(spans, texts, bootstrap=100),
        span_agreement(spans, texts, "cohen", bootstrap=100),
        span_f1(spans, texts, "overlap", bootstrap=100),
    ):
        assert found.interval is not None
        assert found.value is not None
        assert found.interval[0] < found.value < found.interval[1]


def test_a_table_for_all_categories() -> None:
    spans = frame([("x", "a", 0, 4, "p"), ("x", "b", 0, 4, "q"), ("y", "a", 0, 4, "p")])
    table = span_table(spans, TEXTS, units=("character", "token"))
    assert table["id"].unique(maintain_order=True).to_list() == [None, "p", "q"]
    assert table.height == 3 * (2 * 2 + 2)
    assert table.filter(pl.col("value").is_null() & pl.col("reason").is_null()).height == 0


@pytest.mark.parametrize(
    ("span", "message"),
    [
        (("x", "a", 4, 4, "p"), "from 4 to 4 in 'x'"),
        (("x", "a", -1, 4, "p"), "from -1 to 4"),
        (("y", "a", 0, 99, "p"), "from 0 to 99 in 'y'; expected 0 <= start < end <= 21"),
        (("w", "a", 0, 1, "p"), "'w'; expected its text"),
    ],
)
def test_wrong_spans_are_refused(span: Span, message: str) -> None:
    with pytest.raises(InputError, match=message):
        span_agreement(frame([span]), TEXTS)


def test_wrong_calls_are_refused() -> None:
    spans = frame([("x", "a", 0, 4, "p"), ("x", "b", 0, 4, "p")])
    with pytest.raises(UnknownNameError, match="no id of a span named 'pp'"):
        span_agreement(spans, TEXTS, category="pp")
    with pytest.raises(UsageError, match="no unit named 'word'"):
        span_agreement(spans, TEXTS, unit="word")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no way to match"):
        span_f1(spans, TEXTS, "fuzzy")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="Marked or not is nominal"):
        span_agreement(spans, TEXTS, "ac2")
    with pytest.raises(InputError, match="no column named 'end'"):
        span_f1(spans.drop("end"), TEXTS)
    with pytest.raises(InputError, match="1 span without"):
        span_f1(pl.concat([spans, spans.head(1).with_columns(start=None)]), TEXTS)
    with pytest.raises(InputError, match="expected that text among those they read"):
        span_f1(spans, TEXTS, seen=[("x", "a"), ("y", "b")])
    with pytest.raises(InputError, match="not a table of spans"):
        span_f1(3, TEXTS)
    with pytest.raises(InputError, match="a text of -1 characters"):
        span_f1(spans, {"x": -1})


def test_spans_without_ids_are_of_one_kind() -> None:
    spans = frame([("x", "a", 0, 4, "p"), ("x", "b", 0, 4, "q")])
    assert span_f1(spans, TEXTS).value == 0
    assert span_f1(spans.drop("id"), TEXTS).value == 1


MEASURES = ["krippendorff", "cohen", "fleiss", "percent", "ac1"]


@pytest.mark.parametrize("measure", MEASURES)
def test_empty_texts_say_nothing(measure: str) -> None:
    seen = [("e", "a"), ("e", "b"), ("x", "a")]
    found = span_agreement(frame([]), {"e": "", "x": "One."}, measure, seen=seen)
    assert (found.value, found.reason) == (
        None,
        "the texts that two annotators read have no characters",
    )
    found = span_agreement(frame([]), {"e": "  ", "x": "One."}, measure, "token", seen=seen)
    assert (found.value, found.reason) == (
        None,
        "the texts that two annotators read have no tokens",
    )


@pytest.mark.parametrize("measure", MEASURES)
def test_samples_of_nothing_but_empty_texts_are_undefined(measure: str) -> None:
    spans = frame([("x", "a", 0, 4, "p"), ("x", "b", 0, 2, "p")])
    seen = [(item, who) for item in "xe" for who in "ab"]
    texts = {"x": TEXTS["x"], "e": ""}
    found = span_agreement(spans, texts, measure, seen=seen, bootstrap=100)
    assert found.value is not None
    assert found.interval is None
    assert "undefined in" in found.notes[-1]


def test_what_nobody_marked_is_called_so() -> None:
    found = span_agreement(frame([]), TEXTS, seen=SEEN)
    assert found.reason is not None
    assert "is 'not marked', so" in found.reason
