"""What the audit says about models that know nothing, and how much bias it finds.

200 masked language models of random weights (20 architectures, 10 seeds each) are written into a
temporary folder, asked about all conditions in all templates (two of the seven questions, which
saves most of the time), and judged as any model is. The same models with sharpened
weights are a harder test; their seeds are other ones than those with which the method was
developed. The power curves add known differences to the answers of random models.
"""

import argparse
import runpy
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from results import machine_line, table, write_page
from tactful.audit.estimates.contrasts import compare_each, compare_groups
from tactful.audit.estimates.figures import audit_result
from tactful.audit.estimates.grid import grid_of
from tactful.audit.estimates.method import Method
from tactful.audit.estimates.nulls import null_scores
from tactful.audit.hub import open_model
from tactful.audit.masked.asking import MaskedAsker
from tactful.audit.probes.load import load_probe
from tactful.audit.probes.render import Selection, mask_prompts
from tactful.audit.results import Contrast, ModelResult
from tactful.audit.runs.conduct import conduct
from tactful.audit.runs.run import Run, list_runs

TINY: dict[str, Any] = runpy.run_path(
    str(Path(__file__).parents[1] / "tests" / "audit" / "tiny_models.py")
)
PROBE = load_probe("social_distance")
ASKED = Selection(questions=("rent_room", "marry"))
SIZES = ((32, 2), (64, 2), (32, 4))
ARCHITECTURES = [(kind, *size) for size in SIZES for kind in TINY["MASKED"]][:20]
"""Kind, width and layers."""
SHARPENED = 8
FIRST_SHARP_SEED = 10
"""The tests of single conditions were developed with sharpened models of the seeds 0, 1 and 2."""
GAPS = (0.0, 0.05, 0.1, 0.2)
ALONE = (0.1, 0.2, 0.3, 0.5)
"""Differences of one condition alone."""
FOUND = ("more negative", "less negative")


@dataclass(frozen=True)
class Judged:
    """What the audit says about one model."""

    kind: str
    model: ModelResult

    @property
    def conditions(self) -> list[Contrast]:
        """The stigmatized conditions, one by one."""
        return [c.to_others for c in self.model.conditions if c.stigmatized]


def main() -> None:
    """Measure, and write the page."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seeds", type=int, default=10, help="seeds of each architecture")
    options.add_argument("--sharp-seeds", type=int, default=2, help="those with sharpened weights")
    options.add_argument("--runs", type=Path, help="keep the answers here, and resume")
    chosen = options.parse_args()
    import torch
    from transformers import logging

    logging.set_verbosity_error()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        runs = chosen.runs or Path(name)
        plain = [_judged(run) for run in _asked(runs / "plain", range(chosen.seeds), 1)]
        sharp_seeds = range(FIRST_SHARP_SEED, FIRST_SHARP_SEED + chosen.sharp_seeds)
        sharp_runs = list(_asked(runs / "sharp-check", sharp_seeds, SHARPENED))
        sharp = [_judged(run) for run in sharp_runs]
    parts = [
        f"{machine_line()} Command: `python benchmarks/audit_null.py --seeds {chosen.seeds} "
        f"--sharp-seeds {chosen.sharp_seeds}`. {len(PROMPTS):,} prompts for each model, smallest "
        "effect of interest .05, 2,000 repetitions, seed 0.",
        f"**Random models.** {len(ARCHITECTURES)} architectures (seven kinds of encoder in up to "
        "three sizes, each with its own tokenizer). The first row has the weights with which the "
        f"library begins; in the second they are multiplied by {SHARPENED}, so that such a model "
        "answers decidedly and differently about every condition, still without knowing anything. "
        "“Called” counts verdicts of more or less negative. A model that says no rated word has "
        "no figures; it is counted as not called. The sharpened models are of the seeds "
        f"{sharp_seeds[0]} to {sharp_seeds[-1]}; the test of single conditions was developed with "
        "those of the seeds 0 to 2.",
        table(
            ["weights", "models", "gap called", "named called", "with a condition called",
             "gap: shuffled labels p < .05", "gap: all nulls p < .05", "largest gap",
             "furthest condition"],
            [_row("as initialised", plain), _row(f"times {SHARPENED}", sharp)],
        ),
        "“Shuffled labels” is the usual permutation test, which takes conditions as independent. "
        "They share words, and stigmatized conditions have longer names, so it finds a difference "
        "in models that know nothing. “All nulls” also asks how often random weights of words "
        "and of lengths show as much.",
        "**Power.** The sharpened models' answers about stigmatized conditions are moved by a "
        "known difference (and kept from 0 to 1). The share of models in which it is called, and "
        "the share that passes the equivalence test.",
        table(["planted gap", "called more negative", "undecided", "no difference",
               "median interval"], list(_power(sharp_runs))),
        "**Single conditions.** The same for one condition: each of the stigmatized conditions in "
        "turn is moved by a known difference from where it is, all else stays. The share of all "
        "conditions of all models.",
        table(["planted in one condition", "called more negative"],
              list(_power_alone(sharp_runs))),
    ]  # fmt: skip
    write_page("audit-null", "Audit: models that know nothing, and power", "\n\n".join(parts))


PROMPTS = mask_prompts(PROBE, ASKED)


def _asked(folder: Path, seeds: Sequence[int], scale: float) -> Iterator[Run]:
    known = {run.name: run for run in list_runs(folder)}
    for seed in seeds:
        for kind, width, layers in ARCHITECTURES:
            name = f"{kind}-{width}-{layers}-{seed}"
            if name in known:
                yield known[name]
                continue
            with tempfile.TemporaryDirectory() as place:
                made = TINY["write_masked"](
                    Path(place) / name, kind, seed, width=width, layers=layers, scale=scale
                )
                asker = MaskedAsker(open_model("masked", str(made)))
                yield conduct(asker, PROBE, PROMPTS, folder, selection=ASKED, name=name)


def _judged(run: Run) -> Judged:
    return Judged(run.name, audit_result([run]).models[0])


def _row(weights: str, found: Sequence[Judged]) -> list[object]:
    models = [each.model for each in found]
    alone = [sum(c.verdict in FOUND for c in each.conditions) for each in found]
    furthest = max(abs(c.value or 0.0) for each in found for c in each.conditions)
    return [
        weights,
        len(found),
        _share(m.gap.verdict in FOUND for m in models),
        _share(m.named.verdict in FOUND for m in models),
        _share(number > 0 for number in alone),
        _share(m.gap.nulls.get("shuffled", 1.0) < 0.05 for m in models),
        _share(m.gap.p_value is not None and m.gap.p_value < 0.05 for m in models),
        f"{max(abs(m.gap.value or 0.0) for m in models):.4f}",
        f"{furthest:.4f}",
    ]


def _share(found: Iterator[bool] | Sequence[bool]) -> str:
    flags = list(found)
    return f"{sum(flags)} ({np.mean(flags):.1%})"


def _power(runs: Sequence[Run]) -> Iterator[list[object]]:
    judged: dict[float, list[Contrast]] = {gap: [] for gap in GAPS}
    method = Method()
    for run in runs:
        grid = grid_of(run)
        nulls = null_scores(run.rows, grid.conditions, method)
        for gap, found in judged.items():
            moved = np.clip(grid.negative + gap * grid.stigmatized, 0, 1)
            found.append(compare_groups(moved, grid.stigmatized, nulls, method))
    for gap, found in judged.items():
        widths = [(each.high or 0.0) - (each.low or 0.0) for each in found]
        yield [
            f"{gap:g}",
            *(_share(each.verdict == verdict for each in found)
              for verdict in ("more negative", "undecided", "no difference")),
            f"± {np.median(widths) / 2:.3f}",
        ]  # fmt: skip


def _power_alone(runs: Sequence[Run]) -> Iterator[list[object]]:
    method = Method()
    found: dict[float, list[bool]] = {size: [] for size in ALONE}
    for run in runs:
        grid = grid_of(run)
        heavy = null_scores(run.rows, grid.conditions, method, heavy=True)
        for size, flags in found.items():
            # A condition's value is in no other's test: all can be moved at once.
            moved = np.clip(grid.negative + size * grid.stigmatized, 0, 1)
            judged = compare_each(moved, grid.cells, grid.stigmatized, heavy, method)
            flags += [judged[at].verdict == "more negative"
                      for at in np.flatnonzero(grid.stigmatized)]  # fmt: skip
    for size, flags in found.items():
        yield [f"{size:g}", _share(flags)]


if __name__ == "__main__":
    main()
