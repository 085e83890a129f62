"""What an owner changes is refused before it is written down, not when it is used."""

from pathlib import Path
from typing import Any

import pytest

from tactful.annotation.project.project import Project
from tactful.errors import TactfulError


@pytest.fixture
def project(tmp_path: Path) -> Any:
    with Project.create(tmp_path / "project", "unhealthy") as made:
        yield made


@pytest.mark.parametrize(
    "settings",
    [
        {"nonsense": 1},
        {"judgements": 0},
        {"judgements": True},
        {"questionnaire.most": 2},
        {"least_trust": 1.5},
        {"blur": "yes"},
        {"workload": "mine"},
        {"lease_minutes": float("inf")},
        {"lease_minutes": 60, "least_tests": -1},
    ],
)
def test_what_cannot_be_is_not_written(project: Project, settings: dict[str, Any]) -> None:
    before, rules = project.store.last, project.state.protocol
    with pytest.raises(TactfulError):
        project.change(settings)
    assert project.store.last == before
    assert project.state.protocol == rules


def test_two_changes_must_fit_together(project: Project) -> None:
    project.change({"judgements": 5})  # up to 5 are asked for as it is
    before = project.store.last
    with pytest.raises(TactfulError, match="expected 'most' not to be below 'judgements'"):
        project.change({"most": 4})
    assert project.store.last == before
    project.change({"most": 8})
    project.change({"judgements": 7})  # more than the protocol's own most, and fewer than ours
    step = project.state.protocol.steps[0]
    assert (step.judgements, step.most) == (7, 8)
    with Project.open(project.folder, read_only=True) as again:
        assert again.state.protocol == project.state.protocol
