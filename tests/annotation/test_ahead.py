"""Items that a browser gets ahead: leased like those on the screen, and bounded."""

from pathlib import Path

import pytest

from tactful.annotation.project.exchange import NewItem, Page
from tactful.annotation.project.project import Project

PROTOCOL = """\
id: mood
version: "1.0"
lang: en
name: Mood
summary: One question.
source: ours
lease_minutes: 30
{more}
steps:
  - id: one
    title: How does it sound?
    judgements: {judgements}
    questions:
      - {{id: kind, kind: choice, text: Does it sound kind?, options: ["yes", "no"]}}
"""


def project_of(path: Path, items: int, judgements: int = 1, more: str = "") -> Project:
    protocol = path / "mood.yaml"
    protocol.write_text(PROTOCOL.format(judgements=judgements, more=more), encoding="utf-8")
    project = Project.create(path / "project", protocol)
    project.add_items(NewItem(f"item-{n}", f"Comment {n}.") for n in range(items))
    return project


def handles(page: Page) -> list[str]:
    return [item.handle for item in page.items]


def test_what_is_held_is_not_given_again(tmp_path: Path) -> None:
    # Three judgements each: an item that somebody holds still needs others.
    with project_of(tmp_path, 30, judgements=3) as project:
        ann = project.invite("annotator", "Ann").person
        first = project.page_ahead(ann, now=0.0)
        assert len(first.items) == 11
        assert first.ahead == 10
        held = handles(first)
        assert not project.page_ahead(ann, held, now=0.0).items
        more = project.page_ahead(ann, held[3:], held[:3], now=0.0)
        assert len(more.items) == 3
        assert not {*handles(more)} & {*held}
        # A page that is loaded again gets everything that is leased.
        again = project.page_ahead(ann, now=0.0)
        assert handles(again) == [*held, *handles(more)]


def test_the_limit_of_a_day_includes_what_is_held(tmp_path: Path) -> None:
    with project_of(tmp_path, 30, more="wellbeing: {most_per_day: 4}") as project:
        ann = project.invite("annotator", "Ann").person
        page = project.page_ahead(ann, now=0.0)
        assert (len(page.items), page.left, page.today) == (4, 4, 0)
        project.answer(ann, page.items[0].item, "one", {"kind": "yes"}, now=1.0)
        page = project.page_ahead(ann, handles(page)[1:], now=1.0)
        assert (len(page.items), page.left, page.today) == (0, 3, 1)


def test_near_the_end_nobody_holds_more_than_their_part(tmp_path: Path) -> None:
    with project_of(tmp_path, 12) as project:
        ann, ben = (project.invite("annotator", name).person for name in ("Ann", "Ben"))
        assert len(project.page(ben, now=0.0).items) == 1
        assert len(project.page_ahead(ann, now=0.0).items) == 7
        assert len(project.page_ahead(ben, now=0.0).items) == 5


def test_a_claim_to_have_sent_much_is_bounded(tmp_path: Path) -> None:
    with project_of(tmp_path, 300) as project:
        ann = project.invite("annotator", "Ann").person
        sent: list[str] = []
        for _ in range(20):
            sent += handles(project.page_ahead(ann, (), sent, now=0.0))
        assert len(sent) <= 72
        assert len(project.state.leased(ann, 0.0)) == len(sent)


def test_handles_of_others_do_nothing(tmp_path: Path) -> None:
    with project_of(tmp_path, 30, judgements=2) as project:
        ann, ben = (project.invite("annotator", name).person for name in ("Ann", "Ben"))
        foreign = handles(project.page_ahead(ben, now=0.0))
        assert len(project.page_ahead(ann, [*foreign, "", "x"], now=0.0).items) == 11


def test_leases_of_held_items_are_prolonged_and_ended_ones_are_not(tmp_path: Path) -> None:
    with project_of(tmp_path, 30) as project:
        ann = project.invite("annotator", "Ann").person
        page = project.page_ahead(ann, now=0.0)
        held = handles(page)
        project.answer(ann, page.items[0].item, "one", {"kind": "yes"}, now=1.0)
        project.page_ahead(ann, held, now=16 * 60.0)
        assert len(project.state.leased(ann, 31 * 60.0)) == 10, "not the answered one"
        project.page_ahead(ann, held, now=100 * 60.0)
        assert not {*project.state.leased(ann, 101 * 60.0)} & {
            (item.item, item.step) for item in page.items
        }


@pytest.mark.parametrize("tests", [1, 2])
def test_a_test_is_given_once_and_removal_is_not_put_off_for_ever(
    tmp_path: Path, tests: int
) -> None:
    more = f"quality: {{page: 4, tests: {tests}, least_trust: 0.9, least_tests: 1}}"
    with project_of(tmp_path, 40, judgements=2, more=more) as project:
        # More tests than all pages have places for, so that no page goes without by chance.
        project.add_items(
            NewItem(f"test-{n}", f"Test {n}.", gold={"kind": "yes"}) for n in range(80)
        )
        ann = project.invite("annotator", "Ann").person
        page = project.page_ahead(ann, now=0.0)
        assert len({*handles(page)}) == len(page.items) == 12
        shown = [item.item for item in page.items]
        assert sum(name.startswith("test-") for name in shown) == 3 * tests
        pending = list(page.items)
        while pending:
            item = pending.pop(0)
            project.answer(ann, item.item, "one", {"kind": "no"}, now=1.0)
            held = [each.handle for each in pending]
            pending += project.page_ahead(ann, held, now=1.0).items
        # The first test comes within the first page; after it nothing more is given.
        assert project.state.people[ann].status == "removed"
        assert project.state.people[ann].answered <= 16
