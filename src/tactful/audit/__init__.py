"""Audit of language models and classifiers: does a model hold stigma against people?

Probes are data (:mod:`~tactful.audit.probes.schema`), models answer them
(:mod:`~tactful.audit.protocol`), runs keep the answers (:mod:`~tactful.audit.runs.run`), and
estimates are computed from them (:mod:`~tactful.audit.estimates.figures`).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tactful.audit.estimates.compare import compare_runs
    from tactful.audit.estimates.figures import audit_result
    from tactful.audit.probes.load import load_probe
    from tactful.audit.runs.conduct import conduct
    from tactful.audit.runs.replay import replay
    from tactful.audit.runs.run import list_runs, read_run, write_run

_LAZY = {
    "audit_result": "tactful.audit.estimates.figures",
    "compare_runs": "tactful.audit.estimates.compare",
    "conduct": "tactful.audit.runs.conduct",
    "list_runs": "tactful.audit.runs.run",
    "load_probe": "tactful.audit.probes.load",
    "read_run": "tactful.audit.runs.run",
    "replay": "tactful.audit.runs.replay",
    "write_run": "tactful.audit.runs.run",
}

__all__ = [
    "audit_result",
    "compare_runs",
    "conduct",
    "list_runs",
    "load_probe",
    "read_run",
    "replay",
    "write_run",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'tactful.audit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
