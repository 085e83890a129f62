"""Objects as JavaScript writes them are read, in time that grows with their length, and no more."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.service.http.errors import ServiceError
from tactful.service.perspective.loose_json import LONGEST, strict_json
from tactful.service.perspective.payload import parse
from tactful.service.perspective.requests import read_analyze

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{a: 1}", {"a": 1}),
        ("{a: {b_2: {$c: true}}}", {"a": {"b_2": {"$c": True}}}),
        ("{'a': 'b', }", {"a": "b"}),
        ("[1, 2,]", [1, 2]),
        (r"""{a: 'it\'s "so" \u00e9\\'}""", {"a": 'it\'s "so" é\\'}),
        ('{a: "it\'s"}', {"a": "it's"}),
        ("{true: null, null: -1.5e3}", {"true": None, "null": -1500.0}),
        ("  {\n a :\t'x y' }\n", {"a": "x y"}),
    ],
)
def test_loose_objects(text: str, value: object) -> None:
    assert json.loads(strict_json(text)) == value


@given(VALUES)
def test_json_stays_as_it_is(value: object) -> None:
    assert json.loads(strict_json(json.dumps(value))) == value


@pytest.mark.parametrize(
    "text",
    [
        "{a: b}", "{a}", "a", "{a: NaN}", "{a: undefined}", "{a: 'x}", '{a: "x}', "{a: `x`}",
        "{a: 1 /* b */}", "{a: alert(1)}", "{a: 1; b: 2}", "{é: 1}", "{a: 1}}", "{,}", "{a:: 1}",
        "{a: +1}", "{a: 0x1F}", "{a: 1 2}", "[,]", "{a: 'x\ny'}", "", "{a: {b: c: 1}}",
        "{a: 1" + " " * LONGEST + "}",
    ],
)  # fmt: skip
def test_all_else_is_refused(text: str) -> None:
    with pytest.raises(ServiceError) as caught:
        read_analyze(text.encode())
    assert caught.value.code == 400


def test_a_byte_order_mark_is_no_mistake() -> None:
    assert parse(b"\xef\xbb\xbf{comment: {text: 'hi'}}") == {"comment": {"text": "hi"}}


def test_the_quickstart_of_perspective() -> None:
    body = b"""{comment: {text: "what kind of idiot name is foo?"},
          languages: ["en"],
          requestedAttributes: {TOXICITY:{}} }"""
    found = read_analyze(body)
    assert found.text == "what kind of idiot name is foo?"
    assert found.languages == ("en",)
    assert [each.name for each in found.wanted] == ["TOXICITY"]


@pytest.mark.parametrize("unit", ["[", "{a:", "'", '"', "'\\", "a", "1", ",", "{a:1},", " "])
def test_hostile_texts_are_refused_at_once(unit: str) -> None:
    """Every token is matched once: a text is either read to its end or refused."""
    with pytest.raises(ServiceError):
        read_analyze((unit * LONGEST)[:LONGEST].encode())
