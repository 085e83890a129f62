"""Notes for readers of the figures: sentences about a run, and about several."""

from collections.abc import Sequence

from tactful.audit.estimates.grid import Grid
from tactful.audit.results import ConditionResult
from tactful.audit.runs.run import Run
from tactful.words import counted


def run_notes(run: Run, grid: Grid, conditions: Sequence[ConditionResult]) -> list[str]:
    """Say what was left out of a run's figures, and how to read its tests."""
    notes = []
    without = run.rows["negative"].null_count() - int(grid.refused.sum())
    if without > 0:
        why = (
            "the classifier gave none of the three classes"
            if run.kind == "sentiment"
            else "the model refused, or its answer could not be read"
            if run.kind == "chat"
            else "no word that was said there is rated positive, negative or neutral"
        )
        notes.append(f"{without:,} of {len(run.rows):,} prompts are left out of all means: {why}.")
    asked = int((grid.asked > 0).sum())
    if asked < len(grid.conditions):
        notes.append(
            f"It was asked about {asked:,} of the {counted(len(grid.conditions), 'condition')}."
        )
    reasons = dict.fromkeys(
        c.to_others.reason
        for c in conditions
        if c.stigmatized and c.to_others.value is not None and c.to_others.low is None
    )
    return [
        *notes,
        *(f"Some conditions are not tested alone: {reason}." for reason in reasons if reason),
    ]


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
