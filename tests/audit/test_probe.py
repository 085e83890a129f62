"""The schema of a probe: what it accepts, and how it answers what does not fit, with the line."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from tactful.audit.probes.schema import Probe, said
from tactful.errors import TaxonomyError
from tactful.taxonomies.load import read_model

SMALL = """\
id: small
version: "1"
name: Small
definition: A probe with one of everything.
language: en
licence: Ours.
wordings: [plain, formal]
person:
  baseline: someone
  person_first: "someone who {verb} {condition}"
questions:
  - id: tea
    question: Would you have tea with this person?
    event: "have tea with {person}"
templates:
  - id: nice
    text:
      plain: "It is {mask} to {event}."
      formal: "It would be {mask} to {event}."
causal_templates:
  - id: nice_last
    text: "To {event} is {mask}."
    pairs: [nice]
sentiment_templates:
  - id: they
    text: "They are people who {verb} {condition}."
    baseline: "They are people."
scale:
  - {id: nice, negative: bad, positive: nice}
  - {id: easy, negative: hard, positive: easy}
conditions:
  - id: shy
    name: Shy
    category: Character
    stigmatized: true
    forms:
      - {verb: is, plural_verb: are, singular: shy, plural: shy}
  - id: garden
    name: Garden
    category: Life
    stigmatized: false
    forms:
      - {verb: has, plural_verb: have, singular: a garden, plural: gardens}
"""


def read(tmp_path: Path, text: str = SMALL) -> Probe:
    file = tmp_path / "small.yaml"
    file.write_text(text, encoding="utf-8")
    return read_model(file, Probe)


def line_of(text: str, part: str) -> int:
    [line] = [number for number, line in enumerate(text.splitlines(), 1) if part in line]
    return line


def test_what_a_probe_tells(tmp_path: Path) -> None:
    probe = read(tmp_path)
    assert probe.label == "small 1"
    assert probe.ratings_file is None
    assert probe.pairs() == {
        "nice": (("bad", "nice"), ("hard", "easy")),
        "nice_last": (("bad", "nice"),),
    }
    assert said(probe.templates[0].text, "formal") == "It would be {mask} to {event}."
    assert said(probe.questions[0].event or "", "formal") == "have tea with {person}"


def test_the_table_of_conditions(tmp_path: Path) -> None:
    names = "categories: {character: Character, life: Everyday life}\nconditions:"
    text = SMALL.replace("conditions:", names, 1).replace("category: Character", "category: life")
    text = text.replace("category: Life", "category: character")
    table = read(tmp_path, text).condition_table()
    assert table.schema == {
        "condition": pl.String,
        "name": pl.String,
        "category": pl.String,
        "stigmatized": pl.Boolean,
    }
    assert table.rows() == [
        ("shy", "Shy", "Everyday life", True),
        ("garden", "Garden", "Character", False),
    ]


def test_the_digest_is_of_what_is_said_not_of_its_layout(tmp_path: Path) -> None:
    first = read(tmp_path).digest
    data: Any = yaml.safe_load(SMALL)
    assert len(first) == 64
    assert read(tmp_path, "# a comment\n" + yaml.safe_dump(data)).digest == first
    assert read(tmp_path, SMALL.replace("a garden", "a balcony")).digest != first
    assert read(tmp_path, SMALL.replace('version: "1"', 'version: "2"')).digest != first


@pytest.mark.parametrize(
    ("old", "new", "at", "expected"),
    [
        # Slots.
        ("tea with {person}", "tea", 'event: "have tea', "text with {person} once"),
        ("tea with {person}", "tea with {persn}", "{persn}", "text with {person} once"),
        ("tea with {person}", "{person} and {person}", "and {person}", "{person} once"),
        ("tea with {person}", "tea with {person!r}", "{person!r}", "{person} once"),
        ("tea with {person}", "tea with {person}}", "{person}}", "{person} once"),
        ("It is {mask} to {event}", "It is {mask}", "text:\n", "{event} and {mask}, each once"),
        ("singular: shy", 'singular: "{mask}"', '"{mask}", plural', "text without braces"),
        ("baseline: someone", 'baseline: "some [MASK]"', "some [MASK]", "text without [MASK]"),
        ("baseline: someone", 'baseline: "some  one"', "some  one", "with single spaces"),
        ("singular: shy", 'singular: "shy\\nor not"', "or not", "text in one line"),
        ("To {event} is {mask}", "It is {mask} to {event}", 'text: "It is', "ends in {mask}"),
        ("To {event} is {mask}", "{event} is {mask} here", "here.", "ends in {mask}"),
        # Wordings.
        ("      formal:", "      official:", "text:\n", "each of the wordings: 'plain', 'formal'"),
        ('    event: "have tea with {person}"', "    event: 7", "event: 7", "a text for each"),
        ("[plain, formal]", "[plain, formal, plain]", "wordings:", "every wording once"),
        # Ids, pairs, categories, groups.
        ("id: nice_last", "id: nice", "- id: nice\n    text: ", "'chat_templates' once"),
        ("id: garden", "id: shy", "id: shy\n    name: Garden", "every id of 'conditions' once"),
        ("id: easy", "id: nice", "positive: easy", "every id of 'scale' once"),
        ("pairs: [nice]", "pairs: [nise]", "nise", "the id of a pair of 'scale': 'nice', 'easy'"),
        ("pairs: [nice]", "pairs: []", "pairs:", "leave 'pairs' out"),
        ("positive: nice", "positive: Bad", "Bad", "the opposite of 'negative'"),
        ("stigmatized: false", "stigmatized: true", "conditions:", "'stigmatized: false'"),
        ("stigmatized: true", "stigmatized: 'yes'", "'yes'", "boolean"),
        ("category: Life", "category: Life\n    categoryx: x", "categoryx", "it to 'category'"),
        ("id: shy", "id: Shy Person", "Shy Person", "lower-case letters"),
        ("[plain, formal]", "[]", "wordings:", "at least one"),
        ("language: en", "language: English", "English", "such as en, es or pt-BR"),
        ("singular: a garden", "singular: shy", "plural: gardens", "words that no other condition"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_answered_with_its_line(
    tmp_path: Path, old: str, new: str, at: str, expected: str
) -> None:
    text = SMALL.replace(old, new, 1)
    if "words that no other" in expected:
        text = text.replace("verb: has", "verb: is")
    assert text != SMALL
    with pytest.raises(TaxonomyError) as refused:
        read(tmp_path, text)
    message = str(refused.value)
    assert "has 1 problem:" in message
    assert expected in message
    line = text[: text.index(at)].count("\n") + 1
    assert f"small.yaml, line {line}:" in message, message


def test_the_line_of_two_conditions_with_one_id_is_that_of_the_second(tmp_path: Path) -> None:
    text = SMALL.replace("id: garden", "id: shy")
    with pytest.raises(TaxonomyError, match=f"line {line_of(text, 'name: Garden') - 1}: "):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("without", "expected"),
    [
        (("questions",), "at least one question, because there are templates"),
        (("scale", "pairs"), "at least one pair, because there are causal templates"),
        (("templates", "causal_templates", "sentiment_templates"), "at least one of 'templates'"),
        (("conditions",), "every required field"),
        (("person",), "every required field"),
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, without: tuple[str, ...], expected: str) -> None:
    data = yaml.safe_load(SMALL)
    for name in without:
        data.pop(name, None)
    if "pairs" in without:
        del data["causal_templates"][0]["pairs"]
    with pytest.raises(TaxonomyError, match=expected):
        read(tmp_path, yaml.safe_dump(data))


def test_a_probe_for_classifiers_alone_needs_no_questions(tmp_path: Path) -> None:
    data = yaml.safe_load(SMALL)
    for name in ("questions", "templates", "causal_templates", "scale", "wordings"):
        del data[name]
    assert read(tmp_path, yaml.safe_dump(data)).wordings == ("default",)


def test_identity_phrases_need_sentences_that_take_them(tmp_path: Path) -> None:
    identity = "plural: shy, identity: {singular: a shy person, plural: shy people}"
    text = SMALL.replace("plural: shy", identity)
    with pytest.raises(TaxonomyError, match=r"a field 'identity' with \{people\}"):
        read(tmp_path, text)
    given = text.replace('baseline: "They', 'identity: "They are {people}."\n    baseline: "They')
    assert read(tmp_path, given).sentiment_templates[0].identity == "They are {people}."
    twice = given.replace(
        "plural: gardens", "plural: gardens, identity: {singular: a shy person, plural: x}"
    )
    with pytest.raises(TaxonomyError, match="'shy' has them"):
        read(tmp_path, twice)


def test_all_flaws_of_the_parts_come_together(tmp_path: Path) -> None:
    text = SMALL.replace("pairs: [nice]", "pairs: [a, b]").replace("id: easy", "id: nice")
    with pytest.raises(TaxonomyError, match="has 3 problems"):
        read(tmp_path, text)
