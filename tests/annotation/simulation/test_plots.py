"""The drawings of a simulation."""

from pathlib import Path

import pytest

from tactful.annotation.protocol.load import load_protocol
from tactful.errors import UsageError
from tactful_lab.simulation.plots import FILES, write_plots
from tactful_lab.simulation.simulate import Crowd, Plan, simulate_with_record


def test_three_drawings_say_what_happened(tmp_path: Path) -> None:
    crowd = Crowd(annotators=20, spammers=0.3)
    plan = Plan(items=200, tests=30, crowd=crowd, curve=True, price=0.05)
    answer, setting, record = simulate_with_record(load_protocol("unhealthy"), plan)
    assert [point.votes for point in answer.curve] == [1, 3, 5, 7]
    first, last = answer.curve[0].f1, answer.curve[-1].f1
    assert first is not None
    assert last is not None
    assert first < last
    paths = write_plots(tmp_path, answer, setting, record)
    assert [path.name for path in paths] == list(FILES)
    cost, trust, removals = (path.read_text(encoding="utf-8") for path in paths)
    assert "protocol 'unhealthy'" in cost
    assert "plain majority, equal cost" in cost
    assert "spams: first option" in trust
    assert "spams: one answer (2)" in removals
    with pytest.raises(UsageError, match="exists already"):
        write_plots(tmp_path, answer, setting, record)


def test_a_protocol_without_tests_is_drawn_too(tmp_path: Path) -> None:
    plan = Plan(items=30, crowd=Crowd(annotators=4, spammers=0), curve=True)
    answer, setting, record = simulate_with_record(load_protocol("pcl"), plan)
    assert len(write_plots(tmp_path, answer, setting, record)) == 3
