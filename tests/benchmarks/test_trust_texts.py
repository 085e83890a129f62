"""The texts that measure trust: complete, varied, and unknown to the models."""

import re
import string
from collections import Counter
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from factory.lessons.load import read_lessons

from tactful.documents.segments import sentences
from tactful.taxonomies import find_entry

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
NEARLY_THE_SAME = 0.8
"""The share of common words of two texts."""
RUN = 8
"""This many words in a row that are also in a lesson are no accident."""


@cache
def script() -> ModuleType:
    """Return benchmarks/trust_tests.py; its neighbours are on the path only while it is read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        return import_module("trust_tests")


@cache
def texts() -> Any:
    return script().read_trust_texts()


@cache
def cases() -> Any:
    return script().read_cases()


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower().replace("’", "'"))


def written() -> list[str]:
    """Return all texts except those that a pattern gave."""
    return [*texts().texts(), *(case.text for case in cases() if not case.filled)]


def runs(listed: Iterable[str]) -> set[tuple[str, ...]]:
    found = set()
    for text in listed:
        each = words(text)
        found |= {tuple(each[at : at + RUN]) for at in range(len(each) - RUN + 1)}
    return found


def test_there_are_enough_pairs_of_each_kind() -> None:
    kinds = Counter(
        pair.family if pair.family == "self_harm" else pair.id for pair in texts().pairs
    )
    expected = {
        *(f"pcl.{name}" for name in (
            "unbalanced_power_relations", "shallow_solution", "presupposition", "authority_voice",
            "metaphor", "compassion", "the_poorer_the_merrier",
        )),
        *(f"unhealthy.{name}" for name in (
            "antagonistic", "condescending", "dismissive", "generalisation",
            "generalisation_unfair", "hostile", "sarcastic",
        )),
        *(f"toxicity.{name}" for name in ("threat", "insult", "identity_attack", "profanity")),
        "frame.offensive", "self_harm",
    }  # fmt: skip
    assert set(kinds) == expected
    assert min(kinds.values()) >= 10
    assert kinds.total() >= 240


def test_ids_are_those_of_the_taxonomies() -> None:
    for name in {each.id for each in (*texts().pairs, *texts().harmful)}:
        assert find_entry(name).id == name


def test_there_are_enough_harmless_texts() -> None:
    sizes = {kind: len(each) for kind, each in texts().harmless().items()}
    assert sizes["neutral mentions"] >= 200
    assert len(texts().neutral) >= 80
    assert sizes["headings"] >= 80
    assert sizes["quotations"] >= 70
    assert sizes["ordinary"] >= 100


def test_each_harmful_sentence_is_in_its_paragraph_once() -> None:
    assert len(texts().harmful) >= 80
    for paragraph in texts().harmful:
        assert paragraph.text.count(paragraph.harmful) == 1
        assert paragraph.harmful != paragraph.text
        places = [paragraph.text[start:end] for start, end in sentences(paragraph.text)]
        assert paragraph.harmful in places


def test_paragraphs_have_four_to_six_sentences() -> None:
    assert len(texts().clean) >= 80
    for text in (*texts().clean, *(each.text for each in texts().harmful)):
        assert 4 <= len(sentences(text)) <= 6, text


def test_functional_cases_have_their_sizes() -> None:
    sizes = Counter(case.functionality for case in cases())
    assert len(sizes) >= 25
    assert len(cases()) >= 450
    assert all(12 <= size <= 30 for size in sizes.values())
    assert sum(case.filled for case in cases()) <= len(cases()) / 2
    assert {*script().MENTIONS, *script().OPPOSED, *script().ABUSE} <= set(sizes)
    assert not any("{" in case.text for case in cases())


def test_names_come_from_eight_origins() -> None:
    data = script()._read_yaml("person_names.yaml")
    assert len(data["origins"]) == 8
    for names in data["origins"].values():
        assert len(set(names["first"])) >= 12
        assert len(set(names["last"])) >= 8
    firsts = [first for names in data["origins"].values() for first in names["first"]]
    assert len(firsts) == len(set(firsts))
    patterns = [each for listed in data["sentences"].values() for each in listed]
    assert len(set(patterns)) >= 20
    assert len(data["sentences"]["trouble"]) >= 10
    fields = [{name for _, name, _, _ in string.Formatter().parse(p) if name} for p in patterns]
    assert all(each and each <= {"name", "first", "last"} for each in fields)


def test_each_origin_has_the_same_sentences() -> None:
    found = script().read_named_sentences()
    assert len(set(Counter(each.origin for each in found).values())) == 1
    assert found == script().read_named_sentences()


def test_texts_are_single_paragraphs() -> None:
    for text in (*written(), *(case.text for case in cases())):
        assert text == " ".join(text.split())


def test_no_two_texts_are_nearly_the_same() -> None:
    listed = written()
    assert len({" ".join(words(text)) for text in listed}) == len(listed)
    by_size = sorted(((frozenset(words(text)), text) for text in listed), key=lambda e: len(e[0]))
    same = []
    for at, (one, text) in enumerate(by_size):
        for other, another in islice(by_size, at + 1, None):
            if len(one) <= NEARLY_THE_SAME * len(other):
                break
            if len(one & other) > NEARLY_THE_SAME * len(one | other):
                same.append((text, another))
    assert same == []


def test_no_text_is_in_the_lessons() -> None:
    lessons = [lesson.text for lesson in read_lessons()]
    known = {" ".join(words(text)) for text in lessons}
    ours = [
        *written(),
        *(case.text for case in cases()),
        *(each.harmful for each in texts().harmful),
    ]
    assert [text for text in ours if " ".join(words(text)) in known] == []
    learnt = runs(lessons)
    assert [text for text in ours if not learnt.isdisjoint(runs([text]))] == []


def test_a_share_has_wilsons_interval_and_a_bar() -> None:
    figure = script().share("found", [True, True, False, True], 0.5, at_least=True)
    assert figure.value == 0.75
    low, high = figure.interval
    assert low < 0.75 < high
    assert figure.row("fast")[-2:] == ["≥ 0.50", "yes"]
    assert script().share("found", [True], 0.5, at_least=False).row("fast")[-1] == "no"


def test_marks_and_scores_belong_to_their_text() -> None:
    class Place:
        def __init__(self, start: int, end: int):
            self.start, self.end = start, end

    class Part:
        def __init__(self, start: int, end: int, score: float = 0.0, spans: tuple[Any, ...] = ()):
            self.place, self.spans = Place(start, end), spans
            self.probabilities = {"pcl": score}

    class Checker:
        passages = (Part(0, 4, 0.1), Part(6, 14, 0.7))
        findings = (Part(6, 14, spans=(Part(10, 14),)),)

        def check(self, text: str) -> "Checker":
            assert text == "Rain\n\nThe town"
            return self

    reader = script().Reader.__new__(script().Reader)
    reader.checker = Checker()
    first, second = reader.read(["Rain", "The town"])
    assert (first.findings, first.marks, first.scores) == (0, [], {"pcl": 0.1})
    assert (second.findings, second.marks, second.scores) == (1, [(4, 8)], {"pcl": 0.7})
