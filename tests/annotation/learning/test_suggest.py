"""What a detector suggests, and how far people follow it."""

from pathlib import Path

import pytest
from tests.annotation.learning.projects import START, enter, rude_project
from tests.phrase_detector import PhraseDetector

from tactful.annotation.learning.anchoring import Share, anchoring, rows, same
from tactful.annotation.learning.suggest import suggest_with, without_suggestion
from tactful.annotation.project.exchange import NewItem, NewSuggestion
from tactful.annotation.project.project import Project
from tactful.annotation.protocol.load import load_protocol
from tactful.detectors.load import load_detector
from tactful.errors import UsageError

TEXTS = {
    "talks-down": "Even they, poor souls, have a right to hope.",
    "half": "Even they came.",
    "plain": "The library opens at nine.",
}


@pytest.fixture
def pcl(tmp_path: Path):  # type: ignore[no-untyped-def]
    with Project.create(tmp_path / "pcl", "pcl") as project:
        project.add_items(NewItem(name, text) for name, text in TEXTS.items())
        yield project


def test_a_detector_answers_the_questions_it_scores(pcl: Project) -> None:
    found = suggest_with(pcl, PhraseDetector(), "phrases 1")
    said = {(name, each.step): each.answers for name, given in found.items() for each in given}
    # 0.83 is 0.86 of the way from no to yes if 0.4 is in the middle: nearest to 2, clearly.
    assert said["talks-down", "paragraph"] == {"pcl": "2"}
    assert said["plain", "paragraph"] == {"pcl": "0"}
    (mark,) = said["talks-down", "spans"]["spans"]
    assert mark == {"start": 11, "end": 21, "value": "pcl.compassion"}
    assert ("half", "spans") not in said
    assert ("plain", "spans") not in said
    assert all(name != "referee" for _, name in said)
    assert pcl.suggest(found) == len(said) == 4


def test_the_threshold_is_the_middle_of_a_scale(pcl: Project) -> None:
    class Unsure(PhraseDetector):
        def score(self, texts):  # type: ignore[no-untyped-def]
            return {name: values * 0 + 0.4 for name, values in super().score(texts).items()}

    found = suggest_with(pcl, Unsure(), "unsure 1", "paragraph")
    assert {str(given[0].answers) for given in found.values()} == {"{'pcl': '1'}"}


def test_the_embedded_detector_suggests_for_its_taxonomy(tmp_path: Path) -> None:
    protocol = load_protocol("unhealthy")
    with Project.create(tmp_path / "ucc", "unhealthy") as project:
        project.add_items([NewItem("rude", "You are a fool, shut up."), NewItem("calm", "Thanks.")])
        project.suggest(suggest_with(project, load_detector("open-fast"), "open-fast 2"))
        found = project.state.suggestions.of("calm", "questionnaire")
    assert found is not None
    assert found.answers["unhealthy"] == "no"
    assert "unhealthy.generalisation_unfair" not in found.answers, "not asked after this no"
    assert set(found.answers) <= {question.id for question in protocol.steps[0].questions}


def test_a_detector_of_something_else_is_refused(tmp_path: Path) -> None:
    with (
        rude_project(tmp_path, items=2) as project,
        pytest.raises(UsageError, match=r"expected an id that the project asks about: my\.rude"),
    ):
        suggest_with(project, PhraseDetector(), "phrases 1")


def test_tests_get_suggestions_and_finished_items_none(tmp_path: Path) -> None:
    with Project.create(tmp_path / "ucc", "unhealthy") as project:
        project.add_items([NewItem("a", "log off"), NewItem("t", "hi", gold={"unhealthy": "no"})])
        found = suggest_with(project, PhraseDetector(), "phrases 1")
        assert set(found) == {"a", "t"}
        project.suggest({"a": found["a"]})
        assert without_suggestion(project) == {"questionnaire": 1}
        project.suggest(found)
        assert without_suggestion(project) == {}
        owner = project.invite("owner", "Olga").person
        project.adjudicate(owner, "a", "questionnaire", NO)
        assert set(suggest_with(project, PhraseDetector(), "phrases 1")) == {"t"}


NO = {
    question.id: "no"
    for question in load_protocol("unhealthy").steps[0].questions
    if not question.when
}


def test_agreement_where_shown_and_where_blind(tmp_path: Path) -> None:
    with rude_project(tmp_path, items=60, tests=(0,)) as project:
        says_no = [NewSuggestion("judge", {"my.rude": "no"}, "m 1")]
        project.suggest(dict.fromkeys(project.state.items, says_no))
        project.change({"blind_share": 0.5})
        ann = enter(project, "Ann")
        counts = {True: 0, False: 0}
        while (page := project.page(ann, now=START)).items:
            for given in page.items:
                # Ann follows what she sees, and says yes to everything else.
                said = "yes" if given.suggestion is None else "no"
                counts[given.suggestion is not None] += not project.state.items[given.item].is_test
                project.answer(ann, given.item, given.step, {"my.rude": said}, now=START)
        (found,) = anchoring(project.state)
    assert found.shown == Share(counts[True], counts[True])
    assert found.blind == Share(counts[False], 0)
    assert sum(counts.values()) == 59, "the test is left out"
    assert found.difference == 1
    assert found.interval is not None
    assert 0.7 < found.interval[0] < found.interval[1] == 1
    assert [row[2:5] for row in rows([found])] == [
        ("shown", counts[True], counts[True]),
        ("blind", counts[False], 0),
    ]


def test_intervals_are_wilsons_and_newcombes() -> None:
    """Newcombe 1998, table II: 56/70 and 48/80, method 10: 0.0524 to 0.3339."""
    from tactful.annotation.learning.anchoring import Anchoring

    found = Anchoring("s", "q", Share(70, 56), Share(80, 48))
    assert found.difference == pytest.approx(0.2)
    assert found.interval == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert Anchoring("s", "q", Share(5, 3)).interval is None


def test_spans_are_the_same_if_they_share_half() -> None:
    question = load_protocol("pcl").step("spans").questions[0]

    def mark(start: int, end: int, value: str = "pcl.metaphor") -> dict[str, object]:
        return {"start": start, "end": end, "value": value}

    assert same(question, [mark(0, 10)], [mark(2, 10)])
    assert not same(question, [mark(0, 10)], [mark(6, 16)])
    assert not same(question, [mark(0, 10)], [mark(0, 10, "pcl.compassion")])
    assert not same(question, [mark(0, 10)], [mark(0, 10), mark(20, 30)])
    assert not same(question, [mark(0, 10)], None)
    assert same(question, [], [])
