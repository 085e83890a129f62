"""Files of terms that break the schema are refused with their place and what to do."""

from pathlib import Path

import pytest
from tests.terms.term_file import read_terms

from tactful.errors import TaxonomyError
from tactful.terms.schema import term_problems

GOOD = {
    "forms": ["cab~/s"],
    "kind": "jargon",
    "replacements": ["taxi~/s"],
    "reason": "Most readers say taxi.",
}


def test_a_good_table_has_no_problem() -> None:
    assert list(term_problems([GOOD])) == []
    assert list(term_problems([{**GOOD, "after": ["@person", "the"], "lang": "en"}])) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param({"forms": []}, "as 'forms'", id="no form"),
        pytest.param({"forms": ["a/b c/d/e"]}, "same number of alternatives", id="notation"),
        pytest.param({"forms": ["one two " * 6]}, "one to 10 words", id="too long"),
        pytest.param({"forms": ["!?"]}, "one to 10 words", id="no word"),
        pytest.param({"kind": "vehicle"}, "'disability', 'mental_health'", id="kind"),
        pytest.param({"replacements": ["a/b/c"]}, "as many alternatives in 'a/b/c'", id="variants"),
        pytest.param({"replacements": ["{3} cab"]}, "numbers in '{3} cab'", id="placeholder"),
        pytest.param({"reason": "no stop"}, "one sentence", id="reason"),
        pytest.param({"level": "ban"}, "'avoid' or 'advice'", id="level"),
        pytest.param({"colour": "red"}, "rename or remove it", id="unknown field"),
        pytest.param({"lower": "yes"}, "as 'lower'", id="type"),
        pytest.param({"after": ["@persons"]}, "one of @person, ", id="class"),
    ],
)
def test_a_wrong_table_says_what_was_expected(change: dict[str, object], said: str) -> None:
    problems = list(term_problems([GOOD, {**GOOD, **change}]))
    assert problems
    assert {number for number, _ in problems} == {1}
    assert any(said in each for _, each in problems), problems


def test_a_table_without_a_field_and_what_is_no_table() -> None:
    short = {name: value for name, value in GOOD.items() if name != "reason"}
    assert [said for _, said in term_problems([short, 3])] == [
        "found no 'reason'; expected every required field; add it",
        "found 3; expected a table with 'forms' and 'replacements'",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("source: other", "not 'other', for 'cab'", id="unknown source"),
        pytest.param("source: own\n    lower: true", "which has a guard", id="no examples"),
        pytest.param("source: own\n    colour: red", "line 8", id="unknown field"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "jargon.yaml"
    path.write_text(
        "sources:\n  own: Our Guide\nterms:\n  - forms: [cab]\n    replacements: [taxi]\n"
        f"    reason: Most readers say taxi.\n    {text}\n",
        encoding="utf-8",
    )
    with pytest.raises(TaxonomyError) as caught:
        read_terms(path)
    assert said in str(caught.value)
