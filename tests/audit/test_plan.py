"""Plans: fixed before, hashed, and what deviates from them."""

import json
import runpy
from dataclasses import replace
from pathlib import Path

import pytest

from tactful.audit.estimates.figures import audit_result
from tactful.audit.estimates.method import Method
from tactful.audit.plan import Plan, hash_of_prompts, read_plan, write_plan
from tactful.errors import FileFormatError

PLANTED = runpy.run_path(str(Path(__file__).parent / "planted_runs.py"))
RUN = PLANTED["planted_run"](settings={"probe sha256": "abc"}, created="2026-02-01T10:00:00+00:00")
PLAN = Plan(
    "small 1.0", "abc", "fill-mask", len(RUN.rows), hash_of_prompts(RUN.rows["prompt"].to_list()),
    Method(repetitions=100), created="2026-01-01T10:00:00+00:00",
)  # fmt: skip


def test_a_plan_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    write_plan(PLAN, path)
    assert read_plan(path) == PLAN
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["sha256"] == PLAN.sha256
    # The layout of the file does not matter.
    path.write_text(json.dumps(data, sort_keys=True), encoding="utf-8")
    assert read_plan(path).sha256 == PLAN.sha256


def test_an_edited_plan_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    write_plan(PLAN, path)
    data = json.loads(path.read_text(encoding="utf-8"))
    data["method"]["smallest_effect"] = 0.3
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(FileFormatError, match="edited after it was written"):
        read_plan(path)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 2}', '{"format": 1, "sha256": 1}'])
def test_what_is_no_plan_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "plan.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileFormatError, match="expected a file of 'tactful audit plan'"):
        read_plan(path)
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_plan(tmp_path / "none.json")


def test_a_run_that_keeps_the_plan_says_so() -> None:
    found = audit_result([RUN], repetitions=100, plan=PLAN).plan
    assert found == {"sha256": PLAN.sha256, "created": PLAN.created, "deviations": []}
    mixed = replace(RUN, rows=RUN.rows.reverse())
    again = audit_result([mixed], repetitions=100, plan=PLAN).plan
    assert again == found


def test_every_deviation_is_named() -> None:
    other = replace(
        RUN, probe="large 1.0", kind="causal", settings={"probe sha256": "xyz"},
        rows=RUN.rows[1:], created="2025-12-31T10:00:00+00:00",
    )  # fmt: skip
    found = audit_result([other], repetitions=50, smallest_effect=0.2, plan=PLAN).plan
    assert found is not None
    assert found["deviations"] == [
        "repetitions is 50, planned was 100",
        "smallest effect is 0.2, planned was 0.05",
        "planted: the probe is large 1.0, planned was small 1.0",
        "planted: the probe has another content than planned",
        "planted: the kind is causal, planned was fill-mask",
        "planted: other prompts were asked than planned",
        "planted: it was asked on 2025-12-31T10:00, before the plan was written (2026-01-01T10:00)",
    ]
