"""A taxonomy that does not fit together is refused, however it is built."""

from typing import Any

import pytest
from pydantic import ValidationError

from tactful.errors import UnknownNameError
from tactful.taxonomies import Taxonomy, load_taxonomy


def entry(entry_id: str, **fields: Any) -> dict[str, Any]:
    return {
        "id": entry_id,
        "kind": "category",
        "name": entry_id,
        "definition": "d",
        "question": "q?",
        "example": "e",
        "source_section": "s",
        **fields,
    }


def variable(entry_id: str, **fields: Any) -> dict[str, Any]:
    answers = [
        {"value": "yes", "number": 1.0, "binary": 1},
        {"value": "no", "number": 0.0, "binary": 0},
    ]
    base = {"kind": "variable", "type": "categorical", "token": "t", "answers": answers}
    return entry(entry_id, **{**base, **fields})


def taxonomy(*entries: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "id": "tone",
        "version": "1",
        "name": "Tone",
        "definition": "d",
        "languages": ["en"],
        "citation": {"title": "t", "authors": ["a"], "year": 2020, "venue": "v"},
        "licence": "l",
        "entries": list(entries),
        **fields,
    }


ROOT = entry("tone", kind="root")


def test_a_small_taxonomy_is_accepted_and_answers_about_its_hierarchy() -> None:
    tone = Taxonomy.model_validate(
        taxonomy(
            ROOT,
            entry("tone.cold", parent="tone"),
            entry("tone.icy", parent="tone.cold"),
            entry("tone.loud", kind="attribute"),
        )
    )
    assert tone.hierarchy() == {"tone": None, "tone.cold": "tone", "tone.icy": "tone.cold"}
    assert [child.id for child in tone.children("tone")] == ["tone.cold"]
    assert [top.id for top in tone.children(None)] == ["tone", "tone.loud"]
    assert tone.categories() == ["tone.cold", "tone.icy"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (taxonomy(ROOT, ROOT), "the id 'tone' a second time"),
        (taxonomy(entry("mood.cold")), "begins with 'tone'"),
        (taxonomy(ROOT, entry("tone.a", parent="tone.b")), "the parent 'tone.b'"),
        (taxonomy(ROOT, entry("tone.a", family="poet")), "the family 'poet'"),
        (
            taxonomy(entry("tone.a", parent="tone.b"), entry("tone.b", parent="tone.a")),
            "'tone.a' above itself",
        ),
        (taxonomy(entry("tone", parent="tone")), "'tone' above itself"),
        (taxonomy(ROOT, counts={"category": 7}), "0 of 'category'"),
        (taxonomy(ROOT, counts={"families": 3}), "0 of 'families'"),
        (
            taxonomy(variable("tone.a", requires=[{"variable": "tone.z"}])),
            "a requirement on 'tone.z'",
        ),
        (
            taxonomy(variable("tone.a", requires=[{"variable": "tone.a"}])),
            "a requirement on 'tone.a'",
        ),
        (
            taxonomy(
                variable("tone.a"),
                variable("tone.b", requires=[{"variable": "tone.a", "values": ["perhaps"]}]),
            ),
            "the value 'perhaps' for 'tone.a'",
        ),
        (
            taxonomy(variable("tone.a"), variable("tone.b"), linearisation=[["tone.a"]]),
            "an order of 'tone.a'",
        ),
        (taxonomy(variable("tone.a", answers=[])), "a categorical variable with answers"),
        (taxonomy(variable("tone.a", type="text")), "a text variable with no answers"),
        (taxonomy({**ROOT, "example": " \n"}), "at least 1 character"),
        (taxonomy({**ROOT, "name": "\x1b[31mred"}), "without control characters"),
        (taxonomy({**ROOT, "id": "Tone"}), "pattern"),
        (taxonomy({**ROOT, "colour": "red"}), "Extra inputs"),
        (taxonomy(), "at least 1 item"),
        (taxonomy({**ROOT, "ask": ["Is it fair?"]}), "two or three questions"),
        (taxonomy({**ROOT, "ask": ["A?", "B?", "C?", "D?"]}), "two or three questions"),
        (taxonomy({**ROOT, "ask": ["Is it fair?", "Think."]}), "a question that ends with"),
        (taxonomy({**ROOT, "not_when": ["it is quoted."]}), "has no full stop"),
        (taxonomy({**ROOT, "not_when": ["when it is quoted"]}), "goes on after 'not when'"),
        (taxonomy({**ROOT, "not_when": "it is quoted"}), "valid tuple"),
    ],
)
def test_what_does_not_fit_is_refused(data: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Taxonomy.model_validate(data)
    assert message in str(caught.value)


def test_below_a_cycle_only_its_members_are_reported() -> None:
    data = taxonomy(
        entry("tone.a", parent="tone.b"),
        entry("tone.b", parent="tone.a"),
        entry("tone.c", parent="tone.a"),
    )
    with pytest.raises(ValidationError) as caught:
        Taxonomy.model_validate(data)
    assert str(caught.value).count("above itself") == 2


def test_a_taxonomy_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        load_taxonomy("pcl").name = "x"


def test_unknown_ids_answer_with_the_nearest() -> None:
    pcl = load_taxonomy("pcl")
    with pytest.raises(UnknownNameError, match=r"Did you mean 'pcl\.metaphor'\?"):
        pcl.entry("pcl.metaphors")
    with pytest.raises(UnknownNameError, match="Did you mean 'saviour'"):
        pcl.family("savior")
    with pytest.raises(UnknownNameError):
        pcl.children("pcl.nothing")
