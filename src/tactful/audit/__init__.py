"""Audit of language models and classifiers: does a model hold stigma against people?

Probes are data (:mod:`~tactful.audit.probes.schema`), models answer them
(:mod:`~tactful.audit.protocol`), runs keep the answers (:mod:`~tactful.audit.runs.run`), and
estimates are computed from them (:mod:`~tactful.audit.estimates.figures`).
"""

from typing import TYPE_CHECKING

from tactful.registry import lazy_names

if TYPE_CHECKING:
    from tactful.audit.estimates.compare import compare_runs
    from tactful.audit.estimates.figures import audit_result
    from tactful.audit.probes.load import load_probe
    from tactful.audit.runs.conduct import conduct
    from tactful.audit.runs.run import list_runs, read_run, write_run

__all__ = [
    "audit_result",
    "compare_runs",
    "conduct",
    "list_runs",
    "load_probe",
    "read_run",
    "write_run",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "estimates.compare": ["compare_runs"],
        "estimates.figures": ["audit_result"],
        "probes.load": ["load_probe"],
        "runs.conduct": ["conduct"],
        "runs.replay": ["replay"],  # in tactful_lab now, with a warning
        "runs.run": ["list_runs", "read_run", "write_run"],
    },
)
