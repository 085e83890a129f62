"""What people read in a day: for the owner, and for themselves."""

import csv
import io
import time
from pathlib import Path

import pytest
from tests.annotation.web.desks import MakeProject, Visit

from tactful.annotation.analysis.overview import exposures
from tactful.annotation.project.project import Project
from tactful.annotation.protocol.load import copy_protocol, load_protocol
from tactful.annotation.state.assignment import day_of
from tactful.annotation.state.project_state import State
from tactful.errors import TactfulError

DAY = 86_400.0


def answer(project: Project, person: str, value: str, now: float, seconds: float = 90.0) -> str:
    (given, *_) = project.page(person, now=now).items
    project.answer(person, given.item, given.step, {"pcl": value}, seconds, now=now)
    return given.item


def test_harmful_texts_and_minutes_are_counted_by_day(make_project: MakeProject) -> None:
    project = make_project("pcl", [f"A mild text, number {n}." for n in range(9)])
    project.change({"most_per_day": 2})
    ann, ben = (project.invite("annotator", name).person for name in ("Ann", "Ben"))
    for person in (ann, ben):
        project.consent(person, {}, now=1.0)
    first = answer(project, ann, "2", 10.0)
    answer(project, ann, "0", 20.0)
    answer(project, ben, "1", 30.0)
    answer(project, ann, "1", DAY + 10.0, seconds=30.0)
    found = exposures(project.state.people.values(), project.wellbeing)
    assert [
        (each.day, each.name, each.items, each.harmful, each.minutes, each.at_limit)
        for each in found
    ] == [
        ("1970-01-02", "Ann", 1, 1, 0.5, False),
        ("1970-01-01", "Ann", 2, 1, 3.0, True),
        ("1970-01-01", "Ben", 1, 1, 1.5, False),
    ]
    # Somebody who changes an answer has read one text, and worked longer.
    project.answer(ann, first, "paragraph", {"pcl": "0"}, 30.0, now=40.0)
    again = State.derive(project.protocol, project.store.read()).people[ann]
    assert again.harmful["1970-01-01"] == 0
    assert (again.days["1970-01-01"], again.spent["1970-01-01"]) == (2, 210.0)
    assert again.harmful == project.state.people[ann].harmful


def test_owners_and_annotators_see_it(make_project: MakeProject, visit: Visit) -> None:
    project = make_project("pcl", [f"A mild text, number {n}." for n in range(9)])
    ann, owner = visit(project), visit(project, "owner")
    assert "You have read 0 texts." in ann.client.get("/help").text
    assert "Nobody has read anything yet." in owner.client.get("/owner/people").text
    now = time.time()
    answer(project, ann.person, "2", now, 120.0)
    today = {day_of(now), day_of(time.time())}
    page = ann.client.get("/help").text
    if len(today) == 1:  # not at midnight
        assert "You have read 1 text." in page
        assert "You have worked 2 minutes." in page
    assert "at most 200 texts a day" in page
    page = owner.client.get("/owner/people").text
    assert "answered with pcl=1 or pcl=2" in page
    assert "The limit is 200 texts a day." in page
    file = owner.client.get("/owner/exposure.csv").text
    assert list(csv.reader(io.StringIO(file)))[1][1:] == [ann.person, "Ann", "1", "1", "2.0"]
    assert ann.client.get("/owner/exposure.csv").status_code == 404


def test_a_protocol_need_not_say_what_is_harmful(
    make_project: MakeProject, visit: Visit, tmp_path: Path
) -> None:
    path = copy_protocol("pcl", tmp_path / "own.yaml")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("  harmful: [pcl=1, pcl=2]\n", ""), encoding="utf-8")
    project = make_project(path, ["A mild text."])
    ann, owner = visit(project), visit(project, "owner")
    answer(project, ann.person, "2", time.time())
    assert "does not say which answers" in owner.client.get("/owner/people").text


def test_harmful_answers_must_exist(tmp_path: Path) -> None:
    path = copy_protocol("pcl", tmp_path / "own.yaml")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("[pcl=1, pcl=2]", "[pcl=1, pcl=3]"), encoding="utf-8")
    with pytest.raises(TactfulError, match=r"'pcl=3' as 'harmful' in .*question and one of its"):
        load_protocol(path)
