"""Audit of language models and classifiers: does a model hold stigma against people?

Probes are data (:mod:`~tactful.audit.probe`), models answer them (:mod:`~tactful.audit.protocol`),
runs keep the answers (:mod:`~tactful.audit.run`), and measures turn them into figures
(:mod:`~tactful.audit.measures`).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tactful.audit.compare import compare_runs
    from tactful.audit.conduct import conduct
    from tactful.audit.measures import audit_result
    from tactful.audit.probes import load_probe
    from tactful.audit.replay import replay
    from tactful.audit.run import list_runs, read_run, write_run

_LAZY = {
    "audit_result": "tactful.audit.measures",
    "compare_runs": "tactful.audit.compare",
    "conduct": "tactful.audit.conduct",
    "list_runs": "tactful.audit.run",
    "load_probe": "tactful.audit.probes",
    "read_run": "tactful.audit.run",
    "replay": "tactful.audit.replay",
    "write_run": "tactful.audit.run",
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
