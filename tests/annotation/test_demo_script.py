"""The project to try out: made, half done, served."""

import subprocess
import sys
import time
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture(scope="module")
def demo() -> ModuleType:
    spec = spec_from_file_location("annotation_demo", SCRIPTS / "annotation_demo.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    # Its dataclasses look their module up.
    sys.modules["annotation_demo"] = module
    spec.loader.exec_module(module)
    return module


def test_the_comments_are_many_and_all_different(demo: ModuleType) -> None:
    items, tests = demo.read_comments(demo.COMMENTS), demo.read_comments(demo.TESTS)
    assert (len(items), len(tests)) == (40, 8)
    assert len({each.text for each in (*items, *tests)}) == 48
    used = {name for each in items for name in each.found}
    assert used == set(demo.ATTRIBUTES)
    assert sum(not each.found for each in items) > 10


def test_it_is_half_done_and_one_person_is_removed(demo: ModuleType, tmp_path: Path) -> None:
    with demo.make_project(tmp_path / "project", time.time()) as project:
        state = project.state
        counts = state.counts(demo.STEP)
        assert sum(counts.values()) == 40
        assert counts["open"] > 5
        assert counts["done"] > 5
        people = {person.name: person for person in state.people.values()}
        assert len(people) == 6
        removed = [name for name, person in people.items() if person.status == "removed"]
        assert removed == [demo.CARELESS]
        assert all(person.trust is not None for person in people.values())
        assert len(state.tests(demo.STEP)) == 8
        assert max(person.last for person in people.values()) < time.time()


def test_it_serves_both_pages_and_ends(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, SCRIPTS / "annotation_demo.py", "--check", "--folder", tmp_path / "kept"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines[:2]] == ["Owner", "Annotator"]
    assert [line.rpartition("/")[2] for line in lines[2:]] == ["owner: good", "consent: good"]
    assert (tmp_path / "kept" / "project.yaml").is_file()


@pytest.mark.browser
def test_the_pictures_are_small(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, SCRIPTS / "annotation_screenshots.py", "--output", tmp_path],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if "Executable doesn't exist" in done.stderr:
        pytest.skip("Chromium is not installed")
    assert done.returncode == 0, done.stderr
    sizes = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert set(sizes) == {"annotate-work.png", "annotate-owner.png"}
    assert all(10_000 < size < 150_000 for size in sizes.values())
