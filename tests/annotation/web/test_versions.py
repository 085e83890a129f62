"""Versions of the questions and the guideline: recorded when served, and shown to owners."""

from pathlib import Path

from starlette.testclient import TestClient
from tests.annotation.web.desks import MakeProject, Visit

from tactful.annotation.project.project import Project
from tactful.annotation.protocol.load import copy_protocol
from tactful.annotation.protocol.versions import changes, version_of, wording_of
from tactful.annotation.state.project_state import State
from tactful.annotation.web.app import create_app


def answer(project: Project, now: float) -> str:
    person = project.invite("annotator", "Ann").person
    project.consent(person, {}, now=now)
    (given, *_) = project.page(person, now=now).items
    project.answer(person, given.item, given.step, {"pcl": "0"}, now=now)
    return person


def test_an_edit_after_the_start_is_shown_for_what_it_changes(
    make_project: MakeProject, visit: Visit, tmp_path: Path
) -> None:
    path = copy_protocol("pcl", tmp_path / "own.yaml")
    project = make_project(path, ["A mild text."])
    answer(project, 1.0)  # before it was ever served
    visit(project, "owner")
    visit(project, "owner")
    assert len(project.state.wordings) == 1, "the same words are one version"
    second = answer(project, 2.0)
    folder = project.folder
    project.close()
    own = folder / "protocol.yaml"
    own.write_text(
        own.read_text(encoding="utf-8").replace("name: Borderline", "name: <b>A trace</b>"),
        encoding="utf-8",
    )
    (guideline,) = folder.glob("*.md")
    text = guideline.read_text(encoding="utf-8")
    guideline.write_text(text + "\nOne more sentence.\n", encoding="utf-8")
    with Project.open(folder) as again:
        invitation = again.invite("owner", "Olga")
        with TestClient(create_app(again)) as client:
            client.get(f"/join/{invitation.token}")
            page = client.get("/owner/wording").text
        assert "recorded, 1 answer was given or imported." in page
        assert "1 answer was given under this version." in page
        assert "0 answers were given under this version, which is in use." in page
        assert "paragraph, pcl, answer &#39;1&#39;" in page
        assert "Borderline: There is a trace" in page
        assert "&lt;b&gt;A trace&lt;/b&gt;: There is a trace" in page
        assert "One more sentence." in page
        state = State.derive(again.protocol, again.store.read())
        assert [each.answers for each in state.wordings] == [1, 0]
        given = state.items["item-0"].steps["paragraph"].answers
        assert state.wording(given[second]) is state.wordings[0]
        (early,) = (each for name, each in given.items() if name != second)
        assert state.wording(early) is None


def test_the_same_words_have_the_same_version(tmp_path: Path) -> None:
    from tactful.annotation.protocol.load import load_protocol

    wording = wording_of(load_protocol("unhealthy"))
    copied = wording_of(load_protocol(copy_protocol("unhealthy", tmp_path / "own.yaml")))
    assert version_of(wording) == version_of(copied)
    assert changes(wording, copied) == []
    other = {**wording, "protocol": "2.0"}
    assert [(each.before, each.after) for each in changes(wording, other)] == [("1.1", "2.0")]


def test_annotators_do_not_see_versions(make_project: MakeProject, visit: Visit) -> None:
    ann = visit(make_project("pcl", ["A mild text."]))
    assert ann.client.get("/owner/wording").status_code == 404
