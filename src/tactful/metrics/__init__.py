"""Measures of how good predictions are: arrays and label sets in, an explained number out.

Every function of the room stands in one of two tables. :data:`MEASURES` are the functions that
return one :class:`~tactful.metrics.result.Measure`; a suite of laws runs over all of them.
:data:`TOOLS` are the others: counts, curves, reports. Names are imported when first used.
"""

from importlib import import_module
from math import inf
from typing import TYPE_CHECKING, Any

from tactful.metrics.result import Measure, Spec
from tactful.registry import unknown_name

_ROOM = "tactful.metrics"

MEASURES: dict[str, Spec] = {
    # name: (module:object, kind of input, lowest, highest, perfect, higher is better)
    # detection.py: the positive class of 0/1 answers, and sets of labels
    "precision_score": Spec(f"{_ROOM}.detection:precision_score", "binary", 0, 1, 1),
    "recall_score": Spec(f"{_ROOM}.detection:recall_score", "binary", 0, 1, 1),
    "f1_score": Spec(f"{_ROOM}.detection:f1_score", "binary", 0, 1, 1),
    "f_beta_score": Spec(f"{_ROOM}.detection:f_beta_score", "binary", 0, 1, 1),
    "micro_f1_score": Spec(f"{_ROOM}.detection:micro_f1_score", "label_sets", 0, 1, 1),
    "macro_f1_score": Spec(f"{_ROOM}.detection:macro_f1_score", "label_sets", 0, 1, 1),
    # ranking.py: 0/1 answers and scores
    "roc_auc_score": Spec(f"{_ROOM}.ranking:roc_auc_score", "binary_scores", 0, 1, 1),
    "average_precision_score": Spec(
        f"{_ROOM}.ranking:average_precision_score", "binary_scores", 0, 1, 1
    ),
    # human_model.py: judgements of annotators, and a score of the model for each item
    "human_model_auc_score": Spec(
        f"{_ROOM}.human_model:human_model_auc_score", "judgements_scores", 0, 1, 1
    ),
    # hierarchical.py: sets of labels, with a hierarchy or flat
    "icm_score": Spec(f"{_ROOM}.hierarchical:icm_score", "label_sets", -inf, inf, None),
    "icm_norm_score": Spec(f"{_ROOM}.hierarchical:icm_norm_score", "label_sets", 0, 1, 1),
    "icm_soft_score": Spec(
        f"{_ROOM}.hierarchical:icm_soft_score", "label_degrees", -inf, inf, None
    ),
    "icm_soft_norm_score": Spec(
        f"{_ROOM}.hierarchical:icm_soft_norm_score", "label_degrees", 0, inf, 1
    ),
    "hierarchical_f_score": Spec(
        f"{_ROOM}.hierarchical:hierarchical_f_score", "label_sets", 0, 1, 1
    ),
    "propensity_f_score": Spec(f"{_ROOM}.hierarchical:propensity_f_score", "label_sets", 0, 1, 1),
    # soft.py: distributions over labels
    "cross_entropy_loss": Spec(
        f"{_ROOM}.soft:cross_entropy_loss", "distributions", 0, inf, None, higher_is_better=False
    ),
    "jensen_shannon_divergence": Spec(
        f"{_ROOM}.soft:jensen_shannon_divergence", "distributions", 0, 1, 0, higher_is_better=False
    ),
    "jensen_shannon_distance": Spec(
        f"{_ROOM}.soft:jensen_shannon_distance", "distributions", 0, 1, 0, higher_is_better=False
    ),
    "manhattan_distance": Spec(
        f"{_ROOM}.soft:manhattan_distance", "distributions", 0, 2, 0, higher_is_better=False
    ),
    # generation.py: lists of references, and a text for each item
    "bleu_score": Spec(f"{_ROOM}.generation:bleu_score", "references_texts", 0, 1, 1),
    "mean_sentence_bleu_score": Spec(
        f"{_ROOM}.generation:mean_sentence_bleu_score", "references_texts", 0, 1, 1
    ),
    "rouge_l_score": Spec(f"{_ROOM}.generation:rouge_l_score", "references_texts", 0, 1, 1),
    "exact_match_score": Spec(f"{_ROOM}.generation:exact_match_score", "references_texts", 0, 1, 1),
    "word_movers_distance": Spec(
        f"{_ROOM}.word_movers:word_movers_distance",
        "references_texts_vectors",
        0,
        inf,
        0,
        higher_is_better=False,
    ),
    # spans.py: a list of spans for each item
    "span_f1_score": Spec(f"{_ROOM}.spans:span_f1_score", "spans", 0, 1, 1),
    "span_exact_f1_score": Spec(f"{_ROOM}.spans:span_exact_f1_score", "spans", 0, 1, 1),
    "mean_span_f1_score": Spec(f"{_ROOM}.spans:mean_span_f1_score", "spans", 0, 1, 1),
    # calibration.py: 0/1 answers and probabilities
    "expected_calibration_error": Spec(
        f"{_ROOM}.calibration:expected_calibration_error",
        "binary_probabilities",
        0,
        1,
        0,
        higher_is_better=False,
    ),
    "maximum_calibration_error": Spec(
        f"{_ROOM}.calibration:maximum_calibration_error",
        "binary_probabilities",
        0,
        1,
        0,
        higher_is_better=False,
    ),
    "brier_loss": Spec(
        f"{_ROOM}.calibration:brier_loss", "binary_probabilities", 0, 1, 0, higher_is_better=False
    ),
    # subgroup.py: 0/1 answers, scores and who belongs to a subgroup
    "subgroup_auc_score": Spec(
        f"{_ROOM}.subgroup:subgroup_auc_score", "binary_scores_subgroup", 0, 1, 1
    ),
    "bpsn_auc_score": Spec(f"{_ROOM}.subgroup:bpsn_auc_score", "binary_scores_subgroup", 0, 1, 1),
    "bnsp_auc_score": Spec(f"{_ROOM}.subgroup:bnsp_auc_score", "binary_scores_subgroup", 0, 1, 1),
    "unintended_bias_score": Spec(
        f"{_ROOM}.subgroup:unintended_bias_score", "binary_scores_subgroups", 0, 1, 1
    ),
}

TOOLS: dict[str, str] = {
    "confusion_counts": f"{_ROOM}.detection:confusion_counts",
    "detection_report": f"{_ROOM}.detection:detection_report",
    "roc_curve": f"{_ROOM}.ranking:roc_curve",
    "precision_recall_curve": f"{_ROOM}.ranking:precision_recall_curve",
    "read_word_vectors": f"{_ROOM}.word_vectors:read_word_vectors",
    "span_report": f"{_ROOM}.spans:span_report",
    "reliability_bins": f"{_ROOM}.calibration:reliability_bins",
    "generalised_mean": f"{_ROOM}.subgroup:generalised_mean",
    "bootstrap_interval": f"{_ROOM}.significance:bootstrap_interval",
    "randomisation_test": f"{_ROOM}.significance:randomisation_test",
}

if TYPE_CHECKING:
    from tactful.metrics.calibration import (
        brier_loss,
        expected_calibration_error,
        maximum_calibration_error,
        reliability_bins,
    )
    from tactful.metrics.detection import (
        confusion_counts,
        detection_report,
        f1_score,
        f_beta_score,
        macro_f1_score,
        micro_f1_score,
        precision_score,
        recall_score,
    )
    from tactful.metrics.generation import (
        bleu_score,
        exact_match_score,
        mean_sentence_bleu_score,
        rouge_l_score,
    )
    from tactful.metrics.hierarchical import (
        hierarchical_f_score,
        icm_norm_score,
        icm_score,
        icm_soft_norm_score,
        icm_soft_score,
        propensity_f_score,
    )
    from tactful.metrics.human_model import human_model_auc_score
    from tactful.metrics.ranking import (
        average_precision_score,
        precision_recall_curve,
        roc_auc_score,
        roc_curve,
    )
    from tactful.metrics.significance import bootstrap_interval, randomisation_test
    from tactful.metrics.soft import (
        cross_entropy_loss,
        jensen_shannon_distance,
        jensen_shannon_divergence,
        manhattan_distance,
    )
    from tactful.metrics.spans import (
        mean_span_f1_score,
        span_exact_f1_score,
        span_f1_score,
        span_report,
    )
    from tactful.metrics.subgroup import (
        bnsp_auc_score,
        bpsn_auc_score,
        generalised_mean,
        subgroup_auc_score,
        unintended_bias_score,
    )
    from tactful.metrics.word_movers import word_movers_distance
    from tactful.metrics.word_vectors import read_word_vectors

__all__ = [
    "MEASURES",
    "TOOLS",
    "Measure",
    "Spec",
    "average_precision_score",
    "bleu_score",
    "bnsp_auc_score",
    "bootstrap_interval",
    "bpsn_auc_score",
    "brier_loss",
    "confusion_counts",
    "cross_entropy_loss",
    "detection_report",
    "exact_match_score",
    "expected_calibration_error",
    "f1_score",
    "f_beta_score",
    "generalised_mean",
    "hierarchical_f_score",
    "human_model_auc_score",
    "icm_norm_score",
    "icm_score",
    "icm_soft_norm_score",
    "icm_soft_score",
    "jensen_shannon_distance",
    "jensen_shannon_divergence",
    "load_measure",
    "macro_f1_score",
    "manhattan_distance",
    "maximum_calibration_error",
    "mean_sentence_bleu_score",
    "mean_span_f1_score",
    "micro_f1_score",
    "precision_recall_curve",
    "precision_score",
    "propensity_f_score",
    "randomisation_test",
    "read_word_vectors",
    "recall_score",
    "reliability_bins",
    "roc_auc_score",
    "roc_curve",
    "rouge_l_score",
    "span_exact_f1_score",
    "span_f1_score",
    "span_report",
    "subgroup_auc_score",
    "unintended_bias_score",
    "word_movers_distance",
]


def load_measure(name: str) -> Any:
    """Import and return a measure; an unknown name answers with the nearest one and the list."""
    if name not in MEASURES:
        raise unknown_name("measure", name, list(MEASURES))
    return MEASURES[name].load()


def __getattr__(name: str) -> Any:
    if name in MEASURES:
        return MEASURES[name].load()
    if name in TOOLS:
        module, _, attribute = TOOLS[name].partition(":")
        return getattr(import_module(module), attribute)
    raise AttributeError(f"module 'tactful.metrics' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
