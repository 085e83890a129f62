"""How far annotators agree: one coefficient per file, each with its undefined cases explained."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tactful.registry import Registry

if TYPE_CHECKING:
    from tactful.agreement.answer import LEVELS, Agreement
    from tactful.agreement.cohen import PairAgreement, cohen_kappa, cohen_pairs
    from tactful.agreement.curve import Curve, leave_out, trust_curve
    from tactful.agreement.fleiss import fleiss_kappa
    from tactful.agreement.gwet import gwet_ac1, gwet_ac2
    from tactful.agreement.krippendorff import krippendorff_alpha
    from tactful.agreement.measure import Coefficient, measure_agreement, measure_per_label
    from tactful.agreement.percent import percent_agreement
    from tactful.agreement.reading import CAVEAT, landis_koch
    from tactful.agreement.spans import span_agreement, span_f1, span_table

MEASURES: "Registry[Coefficient]" = Registry(
    "measure of agreement",
    {
        "percent": "tactful.agreement.percent:MEASURE",
        "cohen": "tactful.agreement.cohen:MEASURE",
        "fleiss": "tactful.agreement.fleiss:MEASURE",
        "krippendorff": "tactful.agreement.krippendorff:MEASURE",
        "ac1": "tactful.agreement.gwet:AC1",
        "ac2": "tactful.agreement.gwet:AC2",
    },
)

_LAZY = {
    "LEVELS": "answer",
    "Agreement": "answer",
    "CAVEAT": "reading",
    "Curve": "curve",
    "Coefficient": "measure",
    "PairAgreement": "cohen",
    "cohen_kappa": "cohen",
    "cohen_pairs": "cohen",
    "fleiss_kappa": "fleiss",
    "gwet_ac1": "gwet",
    "gwet_ac2": "gwet",
    "krippendorff_alpha": "krippendorff",
    "landis_koch": "reading",
    "leave_out": "curve",
    "measure_agreement": "measure",
    "measure_per_label": "measure",
    "percent_agreement": "percent",
    "span_agreement": "spans",
    "span_f1": "spans",
    "span_table": "spans",
    "trust_curve": "curve",
}

__all__ = [
    "CAVEAT",
    "LEVELS",
    "MEASURES",
    "Agreement",
    "Coefficient",
    "Curve",
    "PairAgreement",
    "cohen_kappa",
    "cohen_pairs",
    "fleiss_kappa",
    "gwet_ac1",
    "gwet_ac2",
    "krippendorff_alpha",
    "landis_koch",
    "leave_out",
    "measure_agreement",
    "measure_per_label",
    "percent_agreement",
    "span_agreement",
    "span_f1",
    "span_table",
    "trust_curve",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
