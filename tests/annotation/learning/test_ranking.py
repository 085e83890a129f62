"""Rankings of a project: made here, by the command, and beside a server."""

import threading
from pathlib import Path

import numpy as np
import pytest
from tests.annotation.learning.projects import PROTOCOL, enter, judge, rude_project

from tactful.annotation.learning import background
from tactful.annotation.learning.background import Ranker, ranked_while_serving, ranker_of
from tactful.annotation.learning.features import CACHE, vectors_of
from tactful.annotation.learning.ranking import rank_project
from tactful.annotation.protocol.changes import RANK_BY
from tactful.errors import InputError


@pytest.mark.parametrize("by", RANK_BY)
def test_open_items_are_ranked_and_others_are_not(tmp_path: Path, by: str) -> None:
    protocol = PROTOCOL.replace("tests: 1}", "tests: 1, draw: every_page}")
    with rude_project(tmp_path, items=60, tests=(5, 6), protocol=protocol) as project:
        for name in ("Ann", "Bob"):
            judge(project, enter(project, name), 32)
        found = rank_project(project, by, count=10)  # type: ignore[arg-type]
        open_now = {
            item.id for item in project.state.ordinary() if item.steps["judge"].status == "open"
        }
        assert len(found.first) == len(set(found.first)) == 10
        assert set(found.first) <= open_now
        assert found.candidates == len(open_now)
        assert found.curve[-1].labels == found.labels
        assert found.curve[-1].score > 0.8
        data = found.data()
        project.rank(data.pop("first"), data.pop("by"), data)
        page = project.page(enter(project, "Cem")).items
        ordinary = [each.item for each in page if not project.state.items[each.item].is_test]
        assert set(ordinary) <= set(found.first)
        assert len(ordinary) == len(page) - 1, "the hidden test of the page is still there"


def test_labels_of_one_kind_are_too_few(tmp_path: Path) -> None:
    with rude_project(tmp_path, items=8) as project:
        with pytest.raises(InputError, match="expected at least two with a yes and two with a no"):
            rank_project(project, "mixed")
        judge(project, enter(project, "Ann"), 2)
        with pytest.raises(InputError, match="Found 2 judged items"):
            rank_project(project, "mixed")


def test_vectors_are_kept_and_a_damaged_file_is_made_again(tmp_path: Path) -> None:
    cache, texts = tmp_path / CACHE, ["One text.", "Another text.", "A third one, longer."]
    read: list[int] = []
    first = vectors_of(texts, "en", cache, lambda done, _: read.append(done))
    again = vectors_of(texts, "en", cache, lambda done, _: read.append(done))
    assert read == [3]
    assert np.array_equal(first, again)
    cache.write_bytes(b"PK\x03\x04 broken")
    assert np.array_equal(first, vectors_of(texts, "en", cache))


@pytest.mark.parametrize("texts", [["a", "b"], ["hola a todos", "hola", "adiós amigos"], ["solo"]])
def test_a_language_without_an_encoder_has_vectors_of_words(texts: list[str]) -> None:
    found = vectors_of(texts, "es")
    assert len(found) == len(texts)
    assert np.isfinite(found).all()


def test_a_server_ranks_as_labels_arrive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of its own, which reads the log beside the server."""
    monkeypatch.setattr(background, "POLITE", 0)
    with rude_project(tmp_path, items=40) as project:
        project.change({"rank_every": 12, "rank_by": "uncertainty"})
        ranker, stop = ranker_of(project), threading.Event()
        assert ranker_of(project) is ranker
        thread = threading.Thread(target=ranker.watch, args=(stop, 0.05))
        thread.start()
        try:
            judge(project, enter(project, "Ann"), 16)
            pause = threading.Event()
            while project.state.ranking is None and not ranker.problem:
                pause.wait(0.05)
        finally:
            stop.set()
            thread.join()
        assert ranker.problem == ""
        assert project.state.ranking is not None
        assert project.state.ranking.data["by"] == "uncertainty"
        assert project.state.ranking.data["labels"] == 16
        assert len(project.state.ranking.data["first"]) == 40


def test_a_ranking_that_fails_says_why(tmp_path: Path) -> None:
    with rude_project(tmp_path, items=6) as project:
        ranker = Ranker(project)
        assert not ranker.run()
        assert "expected at least two with a yes" in ranker.problem
        assert project.state.ranking is None
        with ranked_while_serving(project):
            pass
        assert not ranker_of(project).run(), "stopped"
