"""Judgements become labels: one way per file, each with a reason for every label it gives.

All take the table ``item``, ``annotator``, ``label`` and return an :class:`Aggregated`. Names are
loaded when first used.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tactful.errors import UsageError
from tactful.registry import Registry, lazy_names

if TYPE_CHECKING:
    from tactful.aggregation.dawid_skene import DawidSkene as DawidSkene
    from tactful.aggregation.dawid_skene import fit_dawid_skene as fit_dawid_skene
    from tactful.aggregation.dpm_scale import DpmScale as DpmScale
    from tactful.aggregation.dpm_scale import dpm_five_point as dpm_five_point
    from tactful.aggregation.glad import Glad as Glad
    from tactful.aggregation.glad import fit_glad as fit_glad
    from tactful.aggregation.judgements import read_judgements as read_judgements
    from tactful.aggregation.mace import Mace as Mace
    from tactful.aggregation.mace import fit_mace as fit_mace
    from tactful.aggregation.majority import majority_vote as majority_vote
    from tactful.aggregation.mean_threshold import mean_above_threshold as mean_above_threshold
    from tactful.aggregation.one_coin import OneCoin as OneCoin
    from tactful.aggregation.one_coin import fit_one_coin as fit_one_coin
    from tactful.aggregation.result import Aggregated as Aggregated
    from tactful.aggregation.result import Why as Why
    from tactful.aggregation.skill import SkillReport as SkillReport
    from tactful.aggregation.skill import skill_report as skill_report
    from tactful.aggregation.soft import SoftLabels as SoftLabels
    from tactful.aggregation.soft import soft_labels as soft_labels
    from tactful.aggregation.trust_weighted import trust_weighted_vote as trust_weighted_vote

METHODS: "Registry[Callable[..., Aggregated]]" = Registry(
    "aggregation method",
    {
        "majority": "tactful.aggregation.majority:majority_vote",
        "trust_weighted": "tactful.aggregation.trust_weighted:trust_weighted_vote",
        "dpm_scale": "tactful.aggregation.dpm_scale:dpm_five_point",
        "mean_threshold": "tactful.aggregation.mean_threshold:mean_above_threshold",
        "dawid_skene": "tactful.aggregation.dawid_skene:fit_dawid_skene",
        "one_coin": "tactful.aggregation.one_coin:fit_one_coin",
        "mace": "tactful.aggregation.mace:fit_mace",
        "glad": "tactful.aggregation.glad:fit_glad",
    },
)


def aggregate(table: Any, method: str = "majority", **options: Any) -> "Aggregated":
    """Turn a table of judgements into one label per item, by the name of the method."""
    function = METHODS.get(method)
    known = method_options(method)
    for name in options:
        if name not in known:
            taken = ", ".join(known) or "none"
            raise UsageError(f"The method '{method}' takes no option '{name}'; it takes {taken}.")
    return function(table, **options)


def method_options(method: str) -> dict[str, Any]:
    """Return the options that a method takes, with their defaults."""
    from inspect import Parameter, signature

    parameters = signature(METHODS.get(method)).parameters.values()
    return {p.name: p.default for p in parameters if p.kind is Parameter.KEYWORD_ONLY}


_NAMES = {
    "dawid_skene": ["DawidSkene", "fit_dawid_skene"],
    "dpm_scale": ["DpmScale", "dpm_five_point"],
    "glad": ["Glad", "fit_glad"],
    "judgements": ["read_judgements"],
    "mace": ["Mace", "fit_mace"],
    "majority": ["majority_vote"],
    "mean_threshold": ["mean_above_threshold"],
    "one_coin": ["OneCoin", "fit_one_coin"],
    "result": ["Aggregated", "Why"],
    "skill": ["SkillReport", "skill_report"],
    "soft": ["SoftLabels", "soft_labels"],
    "trust_weighted": ["trust_weighted_vote"],
}
__all__ = ["METHODS", "aggregate", "method_options"]
__all__ += [name for names in _NAMES.values() for name in names]
__getattr__, __dir__ = lazy_names(__name__, _NAMES)
