import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tactful.corpora.schema import EXAMPLE_SCHEMA, conform, labels_of, meta_of, to_examples
from tactful.types import Example, Judgement, Span

LISTS = ("labels", "texts", "spans", "judgements", "traits", "meta")
WORD = st.text("abc é", max_size=5)
MAYBE = st.none() | WORD
NUMBER = st.none() | st.floats(0, 1)


def records(**fields: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.none() | st.lists(st.fixed_dictionaries(fields), max_size=3)


FIELDS: dict[str, st.SearchStrategy[object]] = {
    **dict.fromkeys(("id", "corpus", "lang", "group", "text", "release", "split"), MAYBE),
    "labels": records(id=WORD, value=NUMBER, confidence=NUMBER),
    "texts": records(id=WORD, text=MAYBE),
    "spans": records(
        start=st.integers(0, 5),
        end=st.integers(6, 9),
        id=MAYBE,
        text=MAYBE,
        annotators=st.none() | st.integers(1, 2),
    ),
    "judgements": records(
        annotator=WORD,
        question=WORD,
        label=MAYBE,
        value=NUMBER,
        trust=NUMBER,
        row=st.none() | st.integers(0, 9),
    ),
    "traits": records(annotator=WORD, name=WORD, value=MAYBE),
    "meta": records(name=WORD, value=MAYBE),
}


@st.composite
def frames(draw: st.DrawFn) -> pl.DataFrame:
    """Build a frame with some of the fields, in any order."""
    names = draw(st.permutations(list(FIELDS)))[: draw(st.integers(1, len(FIELDS)))]
    rows = draw(st.lists(st.fixed_dictionaries({n: FIELDS[n] for n in names}), max_size=4))
    return pl.DataFrame(rows, schema={name: EXAMPLE_SCHEMA[name] for name in names})


@given(frames())
@settings(max_examples=60)
def test_conforming_gives_all_fields_once_and_for_all(frame: pl.DataFrame) -> None:
    whole = conform(frame)
    assert whole.schema == EXAMPLE_SCHEMA
    assert whole.height == frame.height
    assert conform(whole).equals(whole)
    for name in LISTS:
        assert whole[name].null_count() == 0
    for name in frame.columns:
        given_values = frame[name].to_list()
        if name in LISTS:
            given_values = [value or [] for value in given_values]
        assert whole[name].to_list() == given_values


def test_other_columns_are_dropped_and_numbers_as_ids_become_text() -> None:
    whole = conform(pl.DataFrame({"id": [7], "other": ["x"]}))
    assert whole.columns == EXAMPLE_SCHEMA.names()
    assert whole["id"].to_list() == ["7"]


def test_conformed_frames_can_be_put_together() -> None:
    empty = conform(pl.DataFrame(schema={"id": pl.String}))
    assert pl.concat([conform(pl.DataFrame({"id": ["1"]})), empty]).height == 1


def test_labels_leave_out_what_has_no_value() -> None:
    frame = pl.DataFrame({"a": [1, None], "b": [0, 1], "sure": [0.5, None]})
    labels = frame.select(labels_of({"x.a": "a", "x.b": "b"}, {"x.a": "sure"}))["labels"]
    assert labels.to_list() == [
        [
            {"id": "x.a", "value": 1.0, "confidence": 0.5},
            {"id": "x.b", "value": 0.0, "confidence": None},
        ],
        [{"id": "x.b", "value": 1.0, "confidence": None}],
    ]


def test_meta_leaves_out_what_is_empty_and_writes_the_rest_as_text() -> None:
    frame = pl.DataFrame({"year": [2020, None], "place": ["here", "there"]})
    assert frame.select(meta_of(["year", "place"]))["meta"].to_list() == [
        [{"name": "year", "value": "2020"}, {"name": "place", "value": "here"}],
        [{"name": "place", "value": "there"}],
    ]
    none = frame.with_columns(meta_of([]))["meta"]
    assert none.to_list() == [[], []]


def test_an_example_holds_all_that_its_row_holds() -> None:
    frame = pl.DataFrame(
        [
            {
                "id": "1",
                "corpus": "mine",
                "release": "the first",
                "split": "train",
                "lang": "en",
                "group": "g",
                "text": "so kind",
                "labels": [
                    {"id": "pcl", "value": 1.0, "confidence": 0.5},
                    {"id": "pcl.compassion", "value": 0.0, "confidence": None},
                ],
                "texts": [
                    {"id": "frame.target_group", "text": "people"},
                    {"id": "frame.implied_statement", "text": "they need us"},
                    {"id": "frame.target_group", "text": "neighbours"},
                ],
                "spans": [
                    {"start": 0, "end": 2, "id": "pcl.compassion", "text": "so", "annotators": 2}
                ],
                "judgements": [
                    {
                        "annotator": "w1",
                        "question": "pcl",
                        "label": "yes",
                        "value": 1.0,
                        "trust": 0.9,
                        "row": 3,
                    }
                ],
                "traits": [
                    {"annotator": "w1", "name": "age", "value": "30"},
                    {"annotator": "w1", "name": "city", "value": "Ghent"},
                    {"annotator": "w2", "name": "age", "value": "40"},
                ],
                "meta": [{"name": "keyword", "value": "home"}],
            }
        ],
        schema=EXAMPLE_SCHEMA,
    )
    assert to_examples(frame) == [
        Example(
            id="1",
            text="so kind",
            corpus="mine",
            lang="en",
            group="g",
            release="the first",
            split="train",
            labels={"pcl": 1.0, "pcl.compassion": 0.0},
            confidences={"pcl": 0.5},
            texts={
                "frame.target_group": ("people", "neighbours"),
                "frame.implied_statement": ("they need us",),
            },
            spans=(Span(0, 2, "pcl.compassion", 2),),
            judgements=(Judgement("w1", "pcl", "yes", 1.0, 0.9, 3),),
            traits={"w1": {"age": "30", "city": "Ghent"}, "w2": {"age": "40"}},
            meta={"keyword": "home"},
        )
    ]


@pytest.mark.parametrize("text", [None, ""])
def test_an_example_of_little_is_empty_rather_than_null(text: str | None) -> None:
    frame = pl.DataFrame({"id": ["1"], "text": [text]}, schema_overrides={"text": pl.String})
    [example] = to_examples(frame)
    assert example.text == ""
    assert example.release is None
    assert (example.labels, example.spans, example.judgements, example.meta) == ({}, (), (), {})


def test_no_rows_give_no_examples() -> None:
    assert to_examples(pl.DataFrame(schema={"id": pl.String})) == []
