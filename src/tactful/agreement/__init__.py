"""How far annotators agree: one coefficient per file, each with its undefined cases explained."""

from typing import TYPE_CHECKING

from tactful.registry import Registry, lazy_names

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

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "answer": ["LEVELS", "Agreement"],
        "cohen": ["PairAgreement", "cohen_kappa", "cohen_pairs"],
        "curve": ["Curve", "leave_out", "trust_curve"],
        "fleiss": ["fleiss_kappa"],
        "gwet": ["gwet_ac1", "gwet_ac2"],
        "krippendorff": ["krippendorff_alpha"],
        "measure": ["Coefficient", "measure_agreement", "measure_per_label"],
        "percent": ["percent_agreement"],
        "reading": ["CAVEAT", "landis_koch"],
        "spans": ["span_agreement", "span_f1", "span_table"],
    },
)
