"""A plan of an audit, written before the models are asked.

It fixes what is asked and how the answers are judged: the probe, the prompts, the measures, the
smallest effect of interest. A report that names the plan contains its hash and says where a run
deviates from it, so that nobody can choose the thresholds after seeing the results.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tactful import __version__
from tactful.audit.estimates.method import Method
from tactful.audit.runs.run import Run
from tactful.errors import FileFormatError
from tactful.files import atomic_path

FORMAT = 1
MEASURES = {
    "gap": "stigmatized conditions minus the others",
    "named": "all conditions minus the prompts that name none",
    "conditions": "each stigmatized condition minus the others",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be asked, and how it will be judged."""

    probe: str
    """The id of the probe and its version."""
    probe_sha256: str
    kind: str
    """The kind of model that is asked."""
    prompts: int
    prompts_sha256: str
    """Of all prompts, in any order."""
    method: Method
    measures: tuple[str, ...] = tuple(MEASURES)
    created: str = ""
    tactful: str = __version__

    @property
    def sha256(self) -> str:
        """The hash of what the plan says, however its file is laid out."""
        text = json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8")).hexdigest()

    def kept_by(self, runs: Iterable[Run], method: Method) -> dict[str, Any]:
        """Return the hash of the plan, when it was written, and where runs deviate from it."""
        deviations = [
            f"{option.name.replace('_', ' ')} is {found}, planned was {planned}"
            for option in fields(Method)
            if (found := getattr(method, option.name))
            != (planned := getattr(self.method, option.name))
        ]
        deviations += [
            f"{run.name}: {sentence}" for run in runs for sentence in self._deviations(run)
        ]
        return {"sha256": self.sha256, "created": self.created, "deviations": deviations}

    def _deviations(self, run: Run) -> list[str]:
        asked = hash_of_prompts(run.rows["prompt"].drop_nulls().to_list())
        digest = run.settings.get("probe sha256", self.probe_sha256)
        checks = (
            (run.probe == self.probe, f"the probe is {run.probe}, planned was {self.probe}"),
            (digest == self.probe_sha256, "the probe has another content than planned"),
            (run.kind == self.kind, f"the kind is {run.kind}, planned was {self.kind}"),
            (asked == self.prompts_sha256, "other prompts were asked than planned"),
            (
                datetime.fromisoformat(run.created) >= datetime.fromisoformat(self.created),
                f"it was asked on {run.created[:16]}, before the plan was written "
                f"({self.created[:16]})",
            ),
        )
        return [sentence for kept, sentence in checks if not kept]


def hash_of_prompts(prompts: Sequence[str]) -> str:
    """Return a hash of prompts that does not depend on their order."""
    text = "\n".join(json.dumps(each, ensure_ascii=False) for each in sorted(prompts))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def now() -> str:
    """Return the time in the form that plans and runs have."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def write_plan(plan: Plan, path: Path, force: bool = False) -> None:
    """Write a plan as JSON, with its hash."""
    data = {"format": FORMAT, **asdict(plan), "sha256": plan.sha256}
    with atomic_path(path, force) as temporary:
        temporary.write_text(
            json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
        )


def read_plan(path: Path) -> Plan:
    """Read a plan, and check that it was not edited since it was written."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data.pop("format") != FORMAT:
            raise ValueError("another format")
        digest = data.pop("sha256")
        plan = Plan(
            **data | {"method": Method(**data["method"]), "measures": tuple(data["measures"])}
        )
        datetime.fromisoformat(plan.created)
    except OSError as error:
        raise FileFormatError(
            f"{path}: cannot be read ({error.strerror}); expected a file of 'tactful audit plan'."
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FileFormatError(
            f"{path}: found no valid plan ({error}); expected a file of 'tactful audit plan'."
        ) from None
    if plan.sha256 != digest:
        raise FileFormatError(
            f"{path}: found a plan that was edited after it was written; expected its hash to be "
            f"{digest[:12]}…; write a new plan with 'tactful audit plan'."
        )
    return plan
