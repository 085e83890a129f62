"""A real project, exported while it is open to nobody and to a reader, and built again."""

from pathlib import Path

import pytest

from tactful.annotation.formats.annotated import annotated, new_items
from tactful.annotation.formats.jsonl import as_dict, rebuild
from tactful.annotation.formats.load import export, read_annotations
from tactful.annotation.project.exchange import NewItem
from tactful.annotation.project.project import Project
from tactful.errors import FileFormatError, InputError, UsageError


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project in which two people judged what they were given."""
    folder = tmp_path / "project"
    with Project.create(folder, "pcl", name="Our paragraphs") as made:
        made.add_items(
            [NewItem("p1", "We must help these 👩🏽‍🚒 souls."), NewItem("p2", "Nine o'clock.")]
        )
        for name, degree in (("Ada", "2"), ("Bob", "1")):
            person = made.invite("annotator", name).person
            made.consent(person, {})
            for _ in range(2):
                for given in made.page(person).items:
                    value = degree if given.item == "p1" else "0"
                    made.answer(
                        person, given.item, given.step, {"pcl": value}, 3.0, f"{name}{given.item}"
                    )
        for person in list(made.state.people):
            for given in made.page(person).items:
                marks = [{"start": 8, "end": 22, "value": "pcl.compassion"}]
                made.answer(person, given.item, given.step, {"spans": marks}, 3.0, f"s{person}")
    return folder


def test_export_and_build_again(project: Path, tmp_path: Path) -> None:
    with Project.open(project) as opened:
        done = export(opened, "jsonl", tmp_path / "out")
        kept = opened.state
        other, lost = rebuild(tmp_path / "out", tmp_path / "again")
        with other:
            assert [as_dict(each) for each in annotated(other.state, other.protocol)] == [
                as_dict(each) for each in annotated(kept, opened.protocol)
            ]
            assert other.state.labels("p1", "paragraph") == kept.labels("p1", "paragraph")
            assert kept.labels("p1", "paragraph")["pcl"].value == "3"
            assert {p.name for p in other.state.people.values()} == {"Ada", "Bob"}
            assert all(p.token is None for p in other.state.people.values())
            assert other.protocol.steps == opened.protocol.steps
    assert not lost
    assert [loss.what for loss in done.losses] == ["invitation links"]


def test_what_another_tool_has_goes_into_a_project(project: Path, tmp_path: Path) -> None:
    with Project.open(project) as opened:
        export(opened, "label-studio", tmp_path / "out")
        back = read_annotations(tmp_path / "out", "label-studio", opened.protocol)
        wanted = {
            (name, step): {who: dict(each.answers) for who, each in part.answers.items()}
            for name, item in opened.state.items.items()
            for step, part in item.steps.items()
        }
    with Project.create(tmp_path / "other", "pcl") as other:
        other.add_items(new_items(back.items))
        found = {
            (name, step): {who: dict(each.answers) for who, each in part.answers.items()}
            for name, item in other.state.items.items()
            for step, part in item.steps.items()
        }
        assert other.state.labels("p1", "spans")["spans"].value[0]["annotators"] == 2
    assert found == wanted


def test_a_running_project_can_be_exported(project: Path, tmp_path: Path) -> None:
    with Project.open(project) as running, Project.open(project, read_only=True) as reader:
        running.add_items([NewItem("late", "After the reader looked.")])
        export(reader, "jsonl", tmp_path / "out")
    assert "late" not in (tmp_path / "out" / "events.jsonl").read_text(encoding="utf-8")


def test_a_log_that_is_not_whole_leaves_nothing_behind(project: Path, tmp_path: Path) -> None:
    with Project.open(project) as opened:
        export(opened, "jsonl", tmp_path / "out")
    log = tmp_path / "out" / "events.jsonl"
    lines = log.read_text(encoding="utf-8").split("\n")
    log.write_text("\n".join(lines[1:]), encoding="utf-8")
    with pytest.raises(
        FileFormatError, match=r"events\.jsonl, line 1: found event 2; expected event 1"
    ):
        rebuild(tmp_path / "out", tmp_path / "again")
    log.write_text(
        "\n".join(line.replace('"p1"', '"p9"') if "shown" in line else line for line in lines)
    )
    with pytest.raises(InputError, match="'p9'"):
        rebuild(tmp_path / "out", tmp_path / "again")
    (tmp_path / "out" / "protocol.yaml").unlink()
    with pytest.raises(FileFormatError, match=r"found no protocol\.yaml"):
        rebuild(tmp_path / "out", tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_places_that_are_taken(project: Path, tmp_path: Path) -> None:
    with Project.open(project) as opened:
        export(opened, "csv", tmp_path / "out")
        with pytest.raises(UsageError, match="exists already"):
            export(opened, "csv", tmp_path / "out")
        export(opened, "brat", tmp_path / "out", force=True)
        assert not (tmp_path / "out" / "judgements.csv").exists()
        with pytest.raises(UsageError, match="--force replaces exports only"):
            export(opened, "csv", project, force=True)
    assert (project / "project.yaml").is_file()
