"""The probes for chat models: what they hold, and that what they ask can be read."""

import re

import pytest

from tactful.audit.probes.chat import asked_of, how_answered
from tactful.audit.probes.load import PROBES, load_probe
from tactful.audit.probes.render import Selection, chat_prompts
from tactful.audit.probes.schema import Probe
from tactful.errors import TaxonomyError, UsageError

CHAT = [name for name in PROBES if load_probe(name).chat_templates]
ENGLISH = [name for name in CHAT if load_probe(name).language == "en"]
ONE = Selection(conditions=("stigma.hiv", "non_stigma.rich"))
_LINE = re.compile(r"^([A-Z])\. (.+)$", re.MULTILINE)


def test_all_probes_for_chat_models_are_found() -> None:
    assert {*ENGLISH} == {
        "social_distance", "stigma_scenarios", "two_people", "decisions", "daily_life"
    }  # fmt: skip
    assert {*CHAT} - {*ENGLISH} == {f"{name}_es" for name in ENGLISH}


@pytest.mark.parametrize("name", ENGLISH)
def test_a_spanish_probe_has_the_parts_of_the_english_one(name: str) -> None:
    english, spanish = load_probe(name), load_probe(f"{name}_es")
    assert spanish.language == "es"
    assert [q.id for q in spanish.questions] == [q.id for q in english.questions]
    assert [q.answers for q in spanish.questions] == [q.answers for q in english.questions]
    assert [q.truth for q in spanish.questions] == [q.truth for q in english.questions]
    assert spanish.counterparts == english.counterparts
    assert [c.id for c in spanish.conditions] == [c.id for c in english.conditions]
    assert [c.stigmatized for c in spanish.conditions] == [
        c.stigmatized for c in english.conditions
    ]
    ours = {template.id: template for template in english.chat_templates}
    for template in spanish.chat_templates:
        other = ours[template.id]
        assert how_answered(template) == how_answered(other)
        assert (template.reversed, template.swapped) == (other.reversed, other.swapped)
    for scale, other_scale in zip(spanish.chat_scales, english.chat_scales, strict=True):
        assert [o.negative for o in scale.options] == [o.negative for o in other_scale.options]
    if not name.startswith("social"):
        assert all("¿" in str(q.scenario) for q in spanish.questions) == all(
            "?" in str(q.scenario) for q in english.questions
        )


@pytest.mark.parametrize("name", CHAT)
def test_prompts_are_whole_and_their_options_can_be_read(name: str) -> None:
    probe = load_probe(name)
    asked = asked_of(probe)
    prompts = chat_prompts(probe, ONE)
    assert len({(p.template, p.text) for p in prompts}) == len(prompts)
    for prompt in prompts:
        assert not re.search(r"[{}]", prompt.text)
        assert not re.search(r"(^|[.?!] )(someone|una persona)", prompt.text)
        lines = _LINE.findall(prompt.text)
        reading = asked[prompt.template, prompt.question]
        assert [letter for letter, _ in lines] == list(reading.letters)
        assert len({text for _, text in lines}) == len(lines)


def test_the_study_is_asked_in_four_forms() -> None:
    """93 + 29 conditions in 137 forms and the baseline, seven questions, four forms."""
    prompts = chat_prompts(load_probe("social_distance"), Selection(), "choice")
    assert len(prompts) == 138 * 7 * 4


def test_the_rejecting_answer_is_first_as_often_as_last() -> None:
    asked = asked_of(load_probe("social_distance"))
    prompts = chat_prompts(load_probe("social_distance"), ONE, "choice")
    first = [asked[p.template, p.question].options[0].negative for p in prompts]
    assert sorted(set(first)) == [0.0, 1.0]
    assert first.count(0.0) == first.count(1.0)


def test_situations_follow_the_design_of_the_paper() -> None:
    """SocialStigmaQA: 37 situations x 93 stigmas, with and without reasons."""
    probe = load_probe("stigma_scenarios")
    assert len(probe.questions) == 37
    assert sum(condition.stigmatized for condition in probe.conditions) == 93
    assert [q.answers for q in probe.questions].count("yes_rejects") == 19
    assert {how_answered(t) for t in probe.chat_templates} == {"choice", "reasons"}


def test_two_people_change_places_and_two_conditions_meet() -> None:
    probe = load_probe("two_people")
    selection = Selection(conditions=("stigma.hiv",), questions=("late_known",), baseline=False)
    straight, swapped = (
        next(p.text for p in chat_prompts(probe, selection) if p.template == name)
        for name in ("two", "two_swapped")
    )
    assert "someone who has HIV and someone who has a college degree. The first" in straight
    assert "someone who has a college degree and someone who has HIV. The first" in swapped
    both = Selection(conditions=("stigma.hiv",), questions=("job_both",), baseline=False)
    texts = [p.text for p in chat_prompts(load_probe("decisions"), both)]
    assert any("someone who has HIV and who is unemployed" in text for text in texts)


def test_a_condition_is_not_compared_with_itself() -> None:
    selection = Selection(conditions=("non_stigma.married",), baseline=False)
    for prompt in chat_prompts(load_probe("two_people"), selection):
        assert "someone who is married and someone who is married" not in prompt.text
        assert len({text for _, text in _LINE.findall(prompt.text)}) == 3


def test_identity_first_is_asked_of_chat_models_too() -> None:
    probe = load_probe("social_distance")
    selection = Selection(phrasing="identity-first", conditions=("stigma.completely_deaf",))
    texts = {p.text for p in chat_prompts(probe, selection, "choice") if p.condition}
    assert all("a completely deaf person" in text for text in texts)


SMALL = """
id: small
version: "1"
name: Small
definition: A small probe.
language: en
licence: Ours.
conditions: social_distance
counterparts: [non_stigma.rich, non_stigma.married]
chat_scales:
  - {id: yes_no, options: [{text: "Yes", negative: 0}, {text: "No", negative: 1}]}
chat_templates:
  - {id: ask, text: "Choose: {options} {scenario}"}
questions:
  - {id: one, question: One, answers: yes_no, scenario: "Is {person} nice?"}
"""


def read(folder: object, text: str) -> Probe:
    path = folder / "small.yaml"  # type: ignore[operator]
    path.write_text(text, encoding="utf-8")
    return load_probe(path)


def test_a_probe_may_take_the_conditions_of_another(tmp_path: object) -> None:
    probe = read(tmp_path, SMALL)
    assert len(probe.conditions) == 122
    assert probe.person.baseline == "someone"
    assert chat_prompts(probe, ONE)[0].text == "Choose:\nA. Yes\nB. No\nIs someone nice?"
    with pytest.raises(UsageError, match="by 'free'"):
        chat_prompts(probe, ONE, "free")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("conditions: social_distance", "conditions: nobody", "the name of a probe"),
        ("answers: yes_no, ", "", "a field 'answers'"),
        ("answers: yes_no", "answers: maybe", "the id of a scale of 'chat_scales': 'yes_no'"),
        ("{scenario}", "{asked}", "questions that all have 'asked'"),
        ("{scenario}", "{scenario} {event}", "text with one of {asked}, {event} and {scenario}"),
        ("Is {person} nice?", "Is it nice?", "and with {person} or {both}"),
        ("Is {person} nice?", "Is {persn} nice?", "text with no other slots than {person}"),
        ("negative: 1", "negative: 2", "less than or equal to 1"),
        ("non_stigma.rich, ", "nobody, ", "the id of a condition of this probe"),
        ("[non_stigma.rich, non_stigma.married]", "[]", None),
    ],
)
def test_flaws_of_chat_parts_are_reported(
    tmp_path: object, old: str, new: str, expected: str | None
) -> None:
    assert old in SMALL
    text = SMALL.replace(old, new)
    if expected is None:
        text = text.replace("{person} nice", "{person} or {other} nicer")
        expected = "at least two conditions to fill in for {other} and {both}"
    with pytest.raises(TaxonomyError) as refused:
        read(tmp_path, text)
    assert expected in str(refused.value)
