"""How far annotators agree: one coefficient per file, each with its undefined cases explained."""

from typing import TYPE_CHECKING

from tactful.registry import Registry, lazy_names

if TYPE_CHECKING:
    from tactful.agreement.answer import LEVELS as LEVELS
    from tactful.agreement.answer import Agreement as Agreement
    from tactful.agreement.cohen import PairAgreement as PairAgreement
    from tactful.agreement.cohen import cohen_kappa as cohen_kappa
    from tactful.agreement.cohen import cohen_pairs as cohen_pairs
    from tactful.agreement.curve import Curve as Curve
    from tactful.agreement.curve import leave_out as leave_out
    from tactful.agreement.curve import trust_curve as trust_curve
    from tactful.agreement.fleiss import fleiss_kappa as fleiss_kappa
    from tactful.agreement.gwet import gwet_ac1 as gwet_ac1
    from tactful.agreement.gwet import gwet_ac2 as gwet_ac2
    from tactful.agreement.krippendorff import krippendorff_alpha as krippendorff_alpha
    from tactful.agreement.measure import Coefficient as Coefficient
    from tactful.agreement.measure import measure_agreement as measure_agreement
    from tactful.agreement.measure import measure_per_label as measure_per_label
    from tactful.agreement.percent import percent_agreement as percent_agreement
    from tactful.agreement.reading import CAVEAT as CAVEAT
    from tactful.agreement.reading import landis_koch as landis_koch
    from tactful.agreement.spans import span_agreement as span_agreement
    from tactful.agreement.spans import span_f1 as span_f1
    from tactful.agreement.spans import span_table as span_table

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

_NAMES = {
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
}
__all__ = ["MEASURES"]
__all__ += [name for names in _NAMES.values() for name in names]
__getattr__, __dir__ = lazy_names(__name__, _NAMES)
