"""The public names of :mod:`tactful.metrics`.

A function that returns one :class:`Measure` registers itself with the decorator
:func:`~tactful.metrics.result.measure`, and :data:`MEASURES` then lists it; a suite of laws runs
over all of them. To publish a function, import it here, under its own name.
"""

from typing import Any

from tactful.metrics.calibration import brier_loss as brier_loss
from tactful.metrics.calibration import expected_calibration_error as expected_calibration_error
from tactful.metrics.calibration import maximum_calibration_error as maximum_calibration_error
from tactful.metrics.calibration import reliability_bins as reliability_bins
from tactful.metrics.data_maps import data_map as data_map
from tactful.metrics.detection import confusion_counts as confusion_counts
from tactful.metrics.detection import detection_report as detection_report
from tactful.metrics.detection import f1_score as f1_score
from tactful.metrics.detection import f_beta_score as f_beta_score
from tactful.metrics.detection import macro_f1_score as macro_f1_score
from tactful.metrics.detection import micro_f1_score as micro_f1_score
from tactful.metrics.detection import precision_score as precision_score
from tactful.metrics.detection import recall_score as recall_score
from tactful.metrics.generation import bleu_score as bleu_score
from tactful.metrics.generation import exact_match_score as exact_match_score
from tactful.metrics.generation import mean_sentence_bleu_score as mean_sentence_bleu_score
from tactful.metrics.generation import rouge_l_score as rouge_l_score
from tactful.metrics.hierarchical import hierarchical_f_score as hierarchical_f_score
from tactful.metrics.hierarchical import icm_norm_score as icm_norm_score
from tactful.metrics.hierarchical import icm_score as icm_score
from tactful.metrics.hierarchical import icm_soft_norm_score as icm_soft_norm_score
from tactful.metrics.hierarchical import icm_soft_score as icm_soft_score
from tactful.metrics.hierarchical import propensity_f_score as propensity_f_score
from tactful.metrics.human_model import human_model_auc_score as human_model_auc_score
from tactful.metrics.ranking import average_precision_score as average_precision_score
from tactful.metrics.ranking import precision_recall_curve as precision_recall_curve
from tactful.metrics.ranking import roc_auc_score as roc_auc_score
from tactful.metrics.ranking import roc_curve as roc_curve
from tactful.metrics.result import MEASURES as MEASURES
from tactful.metrics.result import Measure as Measure
from tactful.metrics.result import Spec as Spec
from tactful.metrics.selective import aurc_loss as aurc_loss
from tactful.metrics.selective import fit_conformal as fit_conformal
from tactful.metrics.selective import risk_coverage_curve as risk_coverage_curve
from tactful.metrics.significance import bootstrap_interval as bootstrap_interval
from tactful.metrics.significance import delong_test as delong_test
from tactful.metrics.significance import holm as holm
from tactful.metrics.significance import randomisation_test as randomisation_test
from tactful.metrics.soft import cross_entropy_loss as cross_entropy_loss
from tactful.metrics.soft import jensen_shannon_distance as jensen_shannon_distance
from tactful.metrics.soft import jensen_shannon_divergence as jensen_shannon_divergence
from tactful.metrics.soft import manhattan_distance as manhattan_distance
from tactful.metrics.spans import mean_span_f1_score as mean_span_f1_score
from tactful.metrics.spans import span_exact_f1_score as span_exact_f1_score
from tactful.metrics.spans import span_f1_score as span_f1_score
from tactful.metrics.spans import span_report as span_report
from tactful.metrics.subgroup import bnsp_auc_score as bnsp_auc_score
from tactful.metrics.subgroup import bpsn_auc_score as bpsn_auc_score
from tactful.metrics.subgroup import generalised_mean as generalised_mean
from tactful.metrics.subgroup import subgroup_auc_score as subgroup_auc_score
from tactful.metrics.subgroup import unintended_bias_score as unintended_bias_score
from tactful.metrics.word_movers import word_movers_distance as word_movers_distance
from tactful.metrics.word_vectors import read_word_vectors as read_word_vectors
from tactful.registry import Registry


def _spec(found: Any) -> Spec:
    spec = next((each for each in MEASURES.values() if each.function is found), None)
    if spec is None:
        raise TypeError(
            f"found {found!r}; expected a function with the decorator "
            "tactful.metrics.result.measure"
        )
    return spec


SPECS: Registry[Spec] = Registry("measure", MEASURES, group="metrics", accept=_spec)
"""Every measure by name, also those of plug-ins."""
