"""Notes for readers of the figures: sentences about a run, and about several."""

from collections.abc import Sequence

import numpy as np

from tactful.audit.estimates.grid import Grid
from tactful.audit.estimates.method import FEWEST_CELLS
from tactful.audit.results import ConditionResult
from tactful.audit.runs.run import Run
from tactful.words import counted

_FINDING = 0.05


def run_notes(run: Run, grid: Grid, conditions: Sequence[ConditionResult]) -> list[str]:
    """Say what was left out of a run's figures, and how to read its tests."""
    notes = []
    without = run.rows["negative"].null_count()
    if without:
        why = (
            "the classifier gave none of the three classes"
            if run.kind == "sentiment"
            else "no word that was said there is rated positive, negative or neutral"
        )
        notes.append(f"{without:,} of {len(run.rows):,} prompts are left out of all means: {why}.")
    asked = int((grid.asked > 0).sum())
    if asked < len(grid.conditions):
        notes.append(
            f"It was asked about {asked:,} of the {counted(len(grid.conditions), 'condition')}."
        )
    untested = [
        c
        for c in conditions
        if c.stigmatized and c.negative.value is not None and c.p_value is None
    ]
    if untested:
        no_others = not (~np.isnan(grid.negative) & ~grid.stigmatized).any()
        why = (
            "no condition without stigma was asked about to compare them with"
            if no_others
            else f"a test needs {FEWEST_CELLS} different questions and templates, and they have "
            "fewer"
        )
        number = "1 condition is" if len(untested) == 1 else f"{len(untested):,} conditions are"
        notes.append(f"{number} not tested alone: {why}.")
    return [*notes, *_calibration(conditions)]


def settings_notes(runs: Sequence[Run]) -> list[str]:
    """Say in which settings runs of one kind differ."""
    notes = []
    for kind in dict.fromkeys(run.kind for run in runs):
        same = [run for run in runs if run.kind == kind]
        keys = dict.fromkeys(key for run in same for key in run.settings)
        first = same[0].settings
        different = [
            key for key in keys if any(run.settings.get(key) != first.get(key) for run in same)
        ]
        if different:
            notes.append(
                f"The {kind} runs differ in {', '.join(different)}: differences between these "
                "models may come from that."
            )
    return notes


def _calibration(conditions: Sequence[ConditionResult]) -> list[str]:
    """Say how often the test of single conditions finds something where there is no stigma."""
    counts = []
    for stigmatized in (True, False):
        found = [
            c.p_value for c in conditions if c.stigmatized == stigmatized and c.p_value is not None
        ]
        counts.append((sum(p < _FINDING for p in found), len(found)))
    (above, stigma), (above_others, others) = counts
    if not stigma or not others:
        return []
    return [
        f"Tested alone, {above:,} of {stigma:,} stigmatized conditions differ from those without "
        f"stigma at p < {_FINDING:g} before correction; so do {above_others:,} of {others:,} "
        "conditions without stigma from the rest of them. Conditions differ without stigma, too."
    ]
