"""What a model learns of a protocol, and the labels of a project as training data."""

from pathlib import Path

import pytest
from tests.annotation.learning.projects import START, enter, judge, rude_project
from tests.annotation.scenes import RUDE, Scene, options, protocol, step, two_and_a_referee

from tactful.annotation.learning.dataset import left_out, project_task
from tactful.annotation.learning.targets import judged_items, learnt_step, targets_of
from tactful.annotation.protocol.load import load_protocol
from tactful.annotation.protocol.records import Question
from tactful.errors import InputError, TactfulError


@pytest.mark.parametrize(
    ("name", "of_step", "ids"),
    [
        ("pcl", "paragraph", ["pcl"]),
        ("unhealthy", "questionnaire", ["unhealthy", "unhealthy.sarcastic"]),
        ("stereotypes", "categories", ["stereotype.xenophobia", "stereotype.suffering"]),
        ("frames", "frame", ["frame.offensive", "frame.intent", "frame.lewd", "frame.group"]),
    ],
)
def test_targets_have_the_ids_of_detectors(name: str, of_step: str, ids: list[str]) -> None:
    found = [target.id for target in targets_of(load_protocol(name).step(of_step))]
    assert found[: len(ids)] == ids


def test_answers_become_numbers() -> None:
    offensive = targets_of(load_protocol("frames").step("frame"))[0]
    assert [offensive.said(word) for word in ("yes", "maybe", "no", None)] == [1, 0.5, 0, 0]
    assert offensive.said("not_understood") is None
    (rude,) = targets_of(step(RUDE))
    assert [rude.said(word) for word in ("yes", "no")] == [1, 0]
    colour = Question("colour", "choice", "Which?", options=options("red", "blue"))
    red, blue = targets_of(step(colour))
    assert (red.id, blue.id) == ("colour.red", "colour.blue")
    assert (red.said("red"), red.said("blue")) == (1, 0)
    marks = targets_of(load_protocol("pcl").step("spans"))[0]
    assert marks.said([{"start": 0, "end": 2, "value": marks.id}]) == 1
    assert marks.said([]) == 0


def test_a_step_to_learn_is_named_or_found() -> None:
    pcl = load_protocol("pcl")
    assert learnt_step(pcl).id == "paragraph"
    assert learnt_step(pcl, "spans").id == "spans"
    with pytest.raises(TactfulError, match="referee"):
        learnt_step(pcl, "referee")
    with pytest.raises(InputError, match="expected one that a model can learn"):
        learnt_step(protocol(step(Question("why", "text", "Why?"))))


def test_the_scale_of_dpm_counts_from_two() -> None:
    """Pérez-Almendros et al. 2020, section 4.2: 2 to 4 are positive."""
    scene = Scene(two_and_a_referee())
    scene.add("a", "b", "c", "d")
    for name, said in {"a": "01", "b": "11", "c": "22", "d": "00"}.items():
        scene.all_answer(name, "paragraph", ann=said[0], bob=said[1])
    found = judged_items(scene.state, scene.protocol.step("paragraph"))
    assert [each.label for each in found] == [(0,), (1,), (1,), (0,)]
    assert [each.share() for each in found] == [[0.25], [0.5], [1.0], [0.0]]
    spans = judged_items(scene.state, scene.protocol.step("spans"))
    assert [each.item.id for each in spans] == ["a", "d"], "b and c wait for marks"
    assert {each.label for each in spans} == {(0, 0)}


def test_hard_and_soft_labels(tmp_path: Path) -> None:
    with rude_project(tmp_path, items=40) as project:
        for name in ("Ann", "Bob"):
            judge(project, enter(project, name), 30)
        odd = enter(project, "Cem")
        item = next(iter(project.page(odd, now=START + 9000).items))
        project.answer(odd, item.item, item.step, {"my.rude": "yes"}, now=START + 9000)
        hard, soft = project_task(project), project_task(project, "soft")
    assert hard.ids == soft.ids == ("my.rude",)
    assert left_out(project.protocol.step("judge"), hard.ids) == ["my.insult", "my.tone"]
    assert len(hard.texts) == 30
    assert len(soft.texts) == 60
    assert set(soft.texts) == set(hard.texts)
    for text in set(soft.texts):
        rows = [at for at, each in enumerate(soft.texts) if each == text]
        assert len({bool(soft.held_out[at]) for at in rows}) == 1, "a text is in one part"


def test_disagreement_is_kept(tmp_path: Path) -> None:
    with rude_project(tmp_path, items=30) as project:
        judge(project, enter(project, "Ann"), 30)
        bob = enter(project, "Bob")
        while (page := project.page(bob, now=START)).items:
            for given in page.items:
                project.answer(bob, given.item, given.step, {"my.rude": "yes"}, now=START)
        with pytest.raises(InputError, match="found the same answers for all"):
            project_task(project)
        # Two people, one yes: disputed, with no hard label; a referee decides.
        owner = project.invite("owner", "Olga", now=START).person
        for name in [each.id for each in project.state.items.values()]:
            if project.state.items[name].steps["judge"].status == "disputed":
                project.adjudicate(owner, name, "judge", {"my.rude": "no"}, now=START)
        hard, soft = project_task(project), project_task(project, "soft")
    assert (len(hard.texts), int(hard.labels.sum())) == (30, 10)
    assert (len(soft.texts), int(soft.labels.sum())) == (60, 40)


def test_nothing_finished_is_said(tmp_path: Path) -> None:
    with rude_project(tmp_path, items=8) as project:
        judge(project, enter(project, "Ann"), 4)
        with pytest.raises(InputError, match="found no finished item in the step 'judge'"):
            project_task(project)
