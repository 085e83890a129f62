"""The four protocols say what their papers say; each number has the section it comes from."""

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from tactful.aggregation import mean_above_threshold
from tactful.annotation.answers.answers import asked, check_answers
from tactful.annotation.answers.corpus import CorpusAnswers
from tactful.annotation.protocol.hotkeys import digits
from tactful.annotation.protocol.load import PROTOCOLS, load_protocol
from tactful.annotation.protocol.records import Protocol, Step
from tactful.annotation.state.project_state import State
from tactful.annotation.store.events import Event
from tactful.corpora import load_corpus
from tactful.errors import InputError
from tactful.frames.groups import load_groups
from tactful.taxonomies import load_taxonomy
from tactful.taxonomies.translations import load_translated

PCL, UNHEALTHY, FRAMES, STEREOTYPES = (
    load_protocol(name) for name in ("pcl", "unhealthy", "frames", "stereotypes")
)
QUESTIONS = [
    (protocol.id, step.id, question)
    for protocol in (PCL, UNHEALTHY, FRAMES, STEREOTYPES)
    for step in protocol.steps
    for question in step.questions
]


def values(step: Step, question: str) -> list[str]:
    return [option.value for option in step.question(question).options]


def judged(protocol: Protocol, *given: tuple[str, dict[str, Any]], annotators: int = 3) -> State:
    """Put one item through a protocol: each answer is by another person of the step's role."""
    events = [Event("imported", 1.0, item="it", data={"text": "They rose early."})]
    roles = {f"{role}{number}": role for role in ("annotator", "referee") for number in range(9)}
    events += [
        Event("invited", 2.0, annotator=name, data={"role": role, "name": name, "token": name})
        for name, role in roles.items()
    ]
    counts: dict[str, int] = {}
    for number, (step, answers) in enumerate(given):
        at = counts[step] = counts.get(step, -1) + 1
        checked = check_answers(protocol.step(step), answers, "They rose early.")
        events.append(
            Event(
                "answered",
                10.0 + number,
                item="it",
                annotator=f"{protocol.step(step).role}{at % annotators}",
                step=step,
                data={"answers": checked, "seconds": 1.0},
            )
        )
    return State.derive(protocol, events)


# Don't Patronize Me!, section 4.2


def paragraphs(*answers: str) -> list[tuple[str, dict[str, Any]]]:
    return [("paragraph", {"pcl": answer}) for answer in answers]


def test_pcl_two_judge_a_paragraph_on_three_points() -> None:
    # Section 4.2.1: labels 0, 1 and 2 by ann1 and ann2; ann3 is the referee (section 4).
    paragraph = PCL.step("paragraph")
    assert (paragraph.judgements, paragraph.combine) == (2, "dpm_scale")
    assert values(paragraph, "pcl") == ["0", "1", "2"]
    assert [option.score for option in paragraph.question("pcl").options] == [0.0, 1.0, 2.0]
    referee = PCL.step("referee")
    assert (referee.role, referee.judgements) == ("referee", 1)


@pytest.mark.parametrize(("first", "second"), list(product("012", repeat=2)))
def test_pcl_answers_add_up_unless_they_contradict_each_other(first: str, second: str) -> None:
    # Section 4.2.1: 0+0, 0+1, 1+1, 2+1 and 2+2 are the labels 0 to 4.
    state = judged(PCL, *paragraphs(first, second))
    steps = state.items["it"].steps
    label = state.labels("it", "paragraph")["pcl"].value
    if {first, second} == {"0", "2"}:
        assert label is None
        assert steps["referee"].status == "open"
        assert steps["spans"].status == "waiting"
        return
    assert label == str(int(first) + int(second))
    assert steps["referee"].status == "waiting"
    # Section 4.2.1: 2, 3 and 4 are positive; section 4.2.2: those go on to step 2.
    assert (steps["spans"].status == "open") == (label in ("2", "3", "4"))


@pytest.mark.parametrize(("referee", "label"), [("0", "1"), ("1", "2"), ("2", "3")])
def test_pcl_the_referee_makes_it_one_two_or_three(referee: str, label: str) -> None:
    # Section 4.2.1: "the labels 0 and 4 remain reserved for clear-cut cases".
    state = judged(PCL, *paragraphs("2", "0"), ("referee", {"pcl": referee}))
    assert state.labels("it", "paragraph")["pcl"].value == label
    assert (state.items["it"].steps["spans"].status == "open") == (label != "1")


def test_pcl_spans_have_the_seven_categories_and_the_one_nobody_needed() -> None:
    # Section 4.1: seven categories in three families, and "Other".
    spans = PCL.step("spans")
    taxonomy = load_taxonomy("pcl")
    assert values(spans, "spans") == [*taxonomy.categories(), "pcl.other"]
    assert len(taxonomy.categories()) == 7
    assert (spans.judgements, spans.combine) == (2, "union")


def test_pcl_spans_may_overlap_and_may_be_none() -> None:
    # Section 4.2.2: one or more spans, of the same or of different categories.
    def mark(start: int, end: int, value: str) -> dict[str, Any]:
        return {"start": start, "end": end, "value": f"pcl.{value}"}

    marked = [mark(0, 9, "metaphor"), mark(5, 15, "compassion"), mark(5, 15, "metaphor")]
    assert check_answers(PCL.step("spans"), {"spans": marked}, "They rose early.") == {
        "spans": sorted(marked, key=lambda span: (span["start"], "metaphor" not in span["value"]))
    }
    assert check_answers(PCL.step("spans"), {"spans": []}, "They rose early.") == {"spans": []}
    state = judged(
        PCL, *paragraphs("2", "2"), ("spans", {"spans": marked[:1]}), ("spans", {"spans": []})
    )
    assert state.items["it"].steps["spans"].status == "done"
    assert len(state.labels("it", "spans")["spans"].value) == 1


# Six Attributes of Unhealthy Conversations, section 3 and appendix A


def test_unhealthy_numbers() -> None:
    (step,) = UNHEALTHY.steps
    # Section 3: "annotated at least three times ... up to a limit of five annotators per comment",
    # "a confidence of less than 75%" asks for more.
    assert (step.judgements, step.most, step.confidence) == (3, 5, 0.75)
    # Section 3: "one test comment per batch of seven"; "a trustworthiness score of more than 78%".
    assert (UNHEALTHY.quality.page, UNHEALTHY.quality.tests) == (7, 1)
    assert UNHEALTHY.quality.least_trust == 0.78
    # Section 4: labels are weighted by trust; section 3: no context is given.
    assert (step.combine, step.context) == ("trust_weighted", ())


def test_unhealthy_questions_are_in_the_order_of_the_appendix() -> None:
    (step,) = UNHEALTHY.steps
    assert [question.id for question in step.questions] == [
        "unhealthy",
        "unhealthy.sarcastic",
        "unhealthy.generalisation",
        "unhealthy.generalisation_unfair",
        "unhealthy.hostile",
        "unhealthy.antagonistic",
        "unhealthy.condescending",
        "unhealthy.dismissive",
    ]
    taxonomy = load_taxonomy("unhealthy")
    for number, question in enumerate(step.questions, 1):
        assert values(step, question.id) == ["yes", "no"]
        assert digits(question) == ("1", "2")
        assert question.text == taxonomy.entry(question.id).question
        assert taxonomy.entry(question.id).source_section.endswith(f"question {number}")


def test_unhealthy_unfair_is_asked_after_a_generalisation_only() -> None:
    # Appendix A, question 4: "If yes, ...".
    (step,) = UNHEALTHY.steps
    answers = {question.id: "no" for question in step.questions}
    assert "unhealthy.generalisation_unfair" not in check_answers(step, answers, "")
    assert len(asked(step, answers | {"unhealthy.generalisation": "yes"})) == 8
    assert len(asked(step, answers)) == 7


# Social Bias Frames, section 3.2 and figure 4

HARMLESS = {"frame.offensive": "no", "frame.intent": "no", "frame.lewd": "maybe"}
ABOUT_A_GROUP = {
    "frame.offensive": "maybe",
    "frame.intent": "probably_not",
    "frame.lewd": "no",
    "frame.group": "yes",
    "frame.target_group": ["accountants", "women"],
    "frame.implied_statement": {
        "accountants": ["accountants are stingy", "accountants cannot rest"],
        "women": ["women do not count", "women are careless", "women spend"],
    },
    "frame.in_group": "no",
}


def test_frames_three_annotations_and_answers_of_the_taxonomy() -> None:
    (step,) = FRAMES.steps
    assert step.judgements == 3  # section 3.2: "three annotations per post"
    for entry in load_taxonomy("frame").entries:
        question = step.question(entry.id)
        assert question.text == entry.question
        if question.kind == "choice":
            known = {answer.value: answer.number for answer in entry.answers}  # type: ignore[union-attr]
            if entry.id == "frame.offensive":
                # Figure 4, question 1.a: "I don't understand the post" is a fourth answer.
                known |= {"not_understood": None}
            assert {option.value: option.score for option in question.options} == known


def framed(*offensive: str) -> State:
    return judged(FRAMES, *(("frame", {**HARMLESS, "frame.offensive": each}) for each in offensive))


@pytest.mark.parametrize(
    ("offensive", "label", "confidence"),
    [
        (("no", "no", "no"), "no", 1.0),
        (("no", "no", "yes"), "no", 2 / 3),
        (("not_understood", "no", "no"), "no", 1.0),
        (("not_understood", "not_understood", "no"), "no", 1.0),
    ],
)
def test_frames_labels_are_means_of_binarised_answers(
    offensive: tuple[str, ...], label: str, confidence: float
) -> None:
    # Section 4.2: "averaging their binarized values and re-binarizing using a .5 threshold".
    group = {"frame.group": "no"}
    answers = [
        ("frame", {**HARMLESS, "frame.offensive": each, **(group if each == "yes" else {})})
        for each in offensive
    ]
    state = judged(FRAMES, *answers)
    found = state.labels("it", "frame")["frame.offensive"]
    assert found.value == label
    assert found.confidence == pytest.approx(confidence)
    assert state.items["it"].steps["frame"].status == "done"


def test_frames_yes_maybe_and_no_are_no_dispute() -> None:
    # Footnote 8: 1 for "yes", "probably" and "maybe". A vote of each word would be a tie.
    one_person = {"frame.intent": "probably", "frame.lewd": "no", "frame.group": "no"}
    state = judged(
        FRAMES,
        ("frame", {**one_person, "frame.offensive": "yes", "frame.intent": "yes"}),
        ("frame", {**one_person, "frame.offensive": "maybe"}),
        ("frame", {**HARMLESS, "frame.intent": "probably_not"}),
    )
    labels = state.labels("it", "frame")
    assert labels["frame.offensive"].value == "yes"
    assert labels["frame.offensive"].confidence == pytest.approx(2 / 3)
    assert dict(labels["frame.offensive"].soft) == pytest.approx(
        {"yes": 1 / 3, "maybe": 1 / 3, "no": 1 / 3}
    )
    assert labels["frame.intent"].value == "yes"
    # "maybe" of one in three is below the threshold.
    assert labels["frame.lewd"].value == "no"
    assert state.finished()


def test_frames_keep_the_groups_that_anybody_named() -> None:
    # Section 4.2: a training instance is "one post-group-statement triple"; none is voted away.
    def about(*groups: str) -> tuple[str, dict[str, Any]]:
        statements = {group: [f"{group} are late", f"{group} rest"] for group in groups}
        return "frame", {
            **ABOUT_A_GROUP,
            "frame.target_group": list(groups),
            "frame.implied_statement": statements,
        }

    state = judged(FRAMES, about("women"), about("women", "accountants"), about("bakers"))
    label = state.labels("it", "frame")["frame.target_group"]
    assert label.value == ("women", "accountants", "bakers")
    assert label.soft["women"] == pytest.approx(2 / 3)
    assert state.finished()


def test_frames_nobody_understood_it() -> None:
    state = framed("not_understood", "not_understood", "not_understood")
    label = state.labels("it", "frame")["frame.offensive"]
    assert (label.value, label.votes) == (None, 3)
    assert state.items["it"].steps["frame"].status == "disputed"


@pytest.mark.data
def test_frames_the_corpus_has_hardly_a_dispute(data_folder: Callable[[str], Path]) -> None:
    # Section 4.2, on the dev rows: a vote of each word leaves 566 of 4,673 posts without a label.
    found = {}
    for how in ("majority", "mean_threshold"):
        (step,) = FRAMES.steps
        protocol = replace(FRAMES, steps=(replace(step, combine=how),))
        found[how] = corpus_state(protocol, data_folder("sbic") / "SBIC.v2.dev.csv")
    assert [len(state.items) for state in found.values()] == [4_673, 4_673]
    assert found["majority"].counts("frame")["disputed"] == 566
    # All three of these five left the question empty: they did not understand the post.
    assert found["mean_threshold"].counts("frame")["disputed"] == 5
    # The rule of the room gives the same labels, over annotators.
    state = found["mean_threshold"]
    answers = [
        (item.id, each.annotator, each.answers["frame.offensive"].replace("_", " "))
        for item in state.items.values()
        for each in item.steps["frame"].counting
        if "frame.offensive" in each.answers
    ]
    room = mean_above_threshold(answers)
    ours = [state.labels(item, "frame")["frame.offensive"].value for item in room.items]
    assert ours == [{"1": "yes", "0": "no"}[str(label)] for label in room.labels]


def corpus_state(protocol: Protocol, file: Path) -> State:
    answers, people = CorpusAnswers(protocol), set[str]()
    events = []
    for example in load_corpus("sbic", file).examples():
        events.append(Event("imported", 1.0, item=example.id, data={"text": "A post."}))
        for given in answers.of(example):
            if given.annotator not in people:
                people.add(given.annotator)
                who = {"role": "annotator", "name": given.annotator, "token": None}
                events.append(Event("invited", 1.0, annotator=given.annotator, data=who))
            data = {"answers": given.answers, "seconds": None}
            events.append(Event("answered", 2.0, example.id, given.annotator, given.step, data))
    return State.derive(protocol, events)


def test_frames_later_questions_come_only_where_they_apply() -> None:
    (step,) = FRAMES.steps
    # Section 3.2: "Only if annotators indicate potential offensiveness do they answer the group
    # implication question."
    assert check_answers(step, HARMLESS, "") == HARMLESS
    assert check_answers(step, ABOUT_A_GROUP | HARMLESS, "") == HARMLESS
    one_person = ABOUT_A_GROUP | {"frame.group": "no"}
    assert list(check_answers(step, one_person, "")) == [*HARMLESS, "frame.group"]
    assert check_answers(step, ABOUT_A_GROUP, "")["frame.target_group"] == ["women", "accountants"]
    for missing in ("frame.group", "frame.target_group", "frame.in_group"):
        with pytest.raises(InputError, match=f"'{missing}': found no answer"):
            check_answers(step, ABOUT_A_GROUP | {missing: None}, "")


@pytest.mark.parametrize(("number", "good"), [(1, False), (2, True), (4, True), (5, False)])
def test_frames_two_to_four_statements_for_each_group(number: int, good: bool) -> None:
    # Section 3.2: "per selected group, they then write two to four stereotypes".
    (step,) = FRAMES.steps
    statements = {
        "women": ["women rise", "women fall"],
        "accountants": [f"accountants {place}" for place in range(number)],
    }
    answers = ABOUT_A_GROUP | {"frame.implied_statement": statements}
    if good:
        assert check_answers(step, answers, "")["frame.implied_statement"] == statements
    else:
        with pytest.raises(InputError, match="implied_statement"):
            check_answers(step, answers, "")


def test_frames_groups_are_the_list_without_joined_ones() -> None:
    (step,) = FRAMES.steps
    listed = values(step, "frame.target_group")
    assert listed == [group.name for group in load_groups() if "," not in group.name]
    assert len(listed) > 50
    assert step.question("frame.target_group").open


def test_frames_asks_about_people_without_requiring_it() -> None:
    # Section 3.2: "optionally provide coarse-grained demographic information".
    assert [trait.id for trait in FRAMES.traits] == [
        "gender",
        "age",
        "race",
        "politics",
        "minority",
    ]
    about = Step("traits", "", FRAMES.traits)
    assert check_answers(about, {}, "") == {}
    assert check_answers(about, {"gender": "Woman", "age": "35-44"}, "") == {
        "gender": "woman",
        "age": "35-44",
    }


# DETESTS, sections 4.1 and 4.2


def present(answer: str) -> tuple[str, dict[str, Any]]:
    return "presence", {
        "stereotype": answer,
        "stereotype.implicit": "no",
        "stereotype.racial_target": "yes",
        "stereotype.other_target": "no",
    }


def category(*names: str, step: str = "categories") -> tuple[str, dict[str, Any]]:
    return step, {"categories": [f"stereotype.{name}" for name in names]}


def test_stereotypes_two_stages_by_three_annotators() -> None:
    # Section 4.2: first 'stereotype', 'racial_target', 'other_target' and 'implicitness', then the
    # categories; "annotated in parallel by three annotators".
    first, second = STEREOTYPES.steps[:2]
    assert (first.judgements, second.judgements) == (3, 3)
    assert {question.id for question in first.questions} == {
        "stereotype",
        "stereotype.implicit",
        "stereotype.racial_target",
        "stereotype.other_target",
    }
    # Section 4.1.1: ten categories, at least one of them.
    assert values(second, "categories") == load_taxonomy("stereotype").categories()
    assert len(values(second, "categories")) == 10
    assert second.question("categories").least == 1
    # Section 4: each sentence with its comment, and the thread.
    assert all("comment" in step.context for step in STEREOTYPES.steps)


def test_stereotypes_speaks_spanish() -> None:
    spanish = load_translated("stereotype", "es")
    for step in STEREOTYPES.steps:
        for question in step.questions:
            assert question.text.startswith("¿")
            for option in question.options:
                if option.value.startswith("stereotype."):
                    assert option.name == spanish.entry(option.value).name
    assert STEREOTYPES.lang == "es"


def test_stereotypes_only_sentences_with_one_have_categories() -> None:
    without = judged(STEREOTYPES, *[present("no")] * 3)
    assert {step.status for step in without.items["it"].steps.values()} == {"done", "waiting"}
    assert without.finished()
    with_one = judged(STEREOTYPES, *[present("yes")] * 3, *[category("security")] * 3)
    assert with_one.finished()
    assert with_one.labels("it", "categories")["categories"].value == ("stereotype.security",)


def test_stereotypes_disagreements_go_to_a_senior() -> None:
    # Section 4.2: "disagreements were discussed by the annotators and a senior annotator".
    state = judged(STEREOTYPES, present("yes"), present("yes"), present("no"))
    assert state.items["it"].steps["presence_review"].status == "open"
    overturned = judged(
        STEREOTYPES,
        *(present(answer) for answer in ("yes", "yes", "no")),
        ("presence_review", present("no")[1]),
    )
    assert overturned.labels("it", "presence")["stereotype"].value == "no"
    assert overturned.items["it"].steps["categories"].status == "waiting"
    categories = [category("security"), category("security", "health"), category("security")]
    reviewed = judged(
        STEREOTYPES,
        *[present("yes")] * 3,
        *categories,
        category("security", "health", step="categories_review"),
    )
    assert set(reviewed.labels("it", "categories")["categories"].value) == {
        "stereotype.security",
        "stereotype.health",
    }


@pytest.mark.parametrize("name", ["implicit", "racial_target", "other_target"])
def test_stereotypes_a_senior_reviews_implicitness_and_targets(name: str) -> None:
    # Section 4.2: stage 1 has four labels, and "disagreements were discussed"; not of one of them.
    step, answers = present("yes")
    other = {**answers, f"stereotype.{name}": "no" if name == "racial_target" else "yes"}
    given = [(step, answers), (step, answers), (step, other)]
    state = judged(STEREOTYPES, *given)
    assert state.items["it"].steps["presence_review"].status == "open"
    reviewed = judged(STEREOTYPES, *given, ("presence_review", other))
    label = reviewed.labels("it", "presence")[f"stereotype.{name}"]
    assert (label.value, label.decided) == (other[f"stereotype.{name}"], True)


def test_stereotypes_who_was_not_asked_does_not_disagree() -> None:
    # All say no: nobody was asked whether it is implicit.
    state = judged(STEREOTYPES, *[present("no")] * 3)
    assert state.items["it"].steps["presence_review"].status == "waiting"


# All of them


@pytest.mark.parametrize("name", PROTOCOLS.built_in)
def test_a_protocol_says_where_it_comes_from_and_protects_people(name: str) -> None:
    protocol = load_protocol(name)
    assert protocol is load_protocol(name)
    assert protocol.id == name
    assert re.search(r"et al\. 20\d\d, sec", protocol.source)
    assert protocol.wellbeing.consent
    assert protocol.wellbeing.most_per_day
    assert protocol.wellbeing.break_after


@pytest.mark.parametrize("name", PROTOCOLS.built_in)
def test_a_guideline_is_a_page_of_plain_markdown(name: str) -> None:
    guideline = load_protocol(name).guideline
    assert 400 <= len(guideline.split()) <= 700
    tokens = MarkdownIt("commonmark").enable("table").parse(guideline)
    kinds = {token.type for token in tokens}
    assert "heading_open" in kinds
    assert "html_block" not in kinds
    for key in ("`s`", "`u`", "`g`", "`?`", "`Enter`"):
        assert key in guideline, "it tells how the keys work"


@pytest.mark.parametrize("name", PROTOCOLS.built_in)
def test_a_guideline_names_every_category(name: str) -> None:
    protocol = load_protocol(name)
    named = [
        option.name
        for step in protocol.steps
        for question in step.questions
        for option in question.options
        if option.value.startswith(("pcl.", "stereotype."))
    ]
    assert [each for each in named if each not in protocol.guideline] == []


@pytest.mark.parametrize(
    ("protocol", "step", "question"), QUESTIONS, ids=lambda each: str(getattr(each, "id", each))
)
def test_every_question_is_one_and_has_help(protocol: str, step: str, question: Any) -> None:
    assert question.text.endswith("?")
    assert question.help
