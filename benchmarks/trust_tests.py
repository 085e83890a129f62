"""How far can the findings be trusted? Measured on texts apart from all others.

``trust_texts.yaml``, ``functional_cases.yaml`` and ``person_names.yaml`` were written without
looking at the lessons of the models, and no model, threshold or rule was chosen by its figures
here. The page gives shares only, not the texts that fail: to choose by single texts would spoil
them.
"""

import argparse
import sys
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import tactful
from results import machine_line, table, write_page
from tactful.detectors.load import EMBEDDED
from tactful.detectors.weights import find_weights
from tactful.metrics.ranking import roc_auc_score
from tactful.resampling import percentile_interval, resampled_means, wilson_interval

HERE = Path(__file__).resolve().parent
SEED = 20261117
REPETITIONS = 2000
LEVEL = 0.95
WHOLE = ("frame", "self_harm")
"""Families of pairs that are not shown by id."""
HATE_IDS = ("toxicity", "toxicity.identity_attack")
NAME_IDS = ("toxicity", "unhealthy", "frame.offensive")
MENTIONS = ("neutral_mention", "positive_mention")
OPPOSED = ("negation_not_hateful", "counter_quote", "counter_reference")
ABUSE = ("abuse_object", "abuse_individual", "abuse_other_group")
"""Not hateful, but mostly toxic: a high score is not always a mistake."""
TAKEN_BY = 0.5
"""The score from which a functional case counts as taken for hate."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A harmful text and a harmless one on the same subject."""

    family: str
    id: str
    harmful: str
    harmless: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph with one harmful sentence."""

    id: str
    text: str
    harmful: str


@dataclass(frozen=True, slots=True)
class TrustTexts:
    """The texts of ``trust_texts.yaml``."""

    pairs: list[Pair]
    neutral: dict[str, list[str]]
    """Group -> sentences."""
    headings: list[str]
    quotations: list[str]
    harmful: list[Paragraph]
    clean: list[str]
    ordinary: dict[str, list[str]]
    """Kind -> texts."""

    def harmless(self) -> dict[str, list[str]]:
        """Return the texts that should have no finding, except paragraphs and pairs, by kind."""
        return {
            "neutral mentions": [text for each in self.neutral.values() for text in each],
            "headings": self.headings,
            "quotations": self.quotations,
            "ordinary": [text for each in self.ordinary.values() for text in each],
        }

    def texts(self) -> list[str]:
        """Return all texts."""
        pairs = [text for pair in self.pairs for text in (pair.harmful, pair.harmless)]
        quiet = [text for each in self.harmless().values() for text in each]
        return [*pairs, *quiet, *(each.text for each in self.harmful), *self.clean]


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a functionality."""

    functionality: str
    hateful: bool
    text: str
    filled: bool
    """Whether a group was filled into a pattern."""


@dataclass(frozen=True, slots=True)
class NamedSentence:
    """A sentence with the name of a person."""

    origin: str
    first: str
    kind: str
    """``mundane`` or ``trouble``."""
    text: str


@dataclass(slots=True)
class Reading:
    """What the check says about one text."""

    findings: int = 0
    marks: list[tuple[int, int]] = field(default_factory=list)
    """Where the marked words are in the text."""
    scores: dict[str, float] = field(default_factory=dict)


def _read_yaml(name: str) -> Any:
    return yaml.safe_load((HERE / name).read_text(encoding="utf-8"))


def read_trust_texts() -> TrustTexts:
    """Read ``trust_texts.yaml``."""
    data = _read_yaml("trust_texts.yaml")
    return TrustTexts(
        [Pair(**each) for each in data["pairs"]],
        data["neutral"],
        data["headings"],
        data["quotations"],
        [Paragraph(**each) for each in data["paragraphs"]["harmful"]],
        data["paragraphs"]["clean"],
        data["ordinary"],
    )


def read_cases() -> list[Case]:
    """Read ``functional_cases.yaml`` and fill the groups into its patterns, each in turn."""
    data = _read_yaml("functional_cases.yaml")
    groups = cycle(data["groups"])
    found = []
    for name, each in data["functionalities"].items():
        found += [Case(name, each["hateful"], text, False) for text in each["cases"]]
        for pattern in each.get("patterns", ()):
            for people in islice(groups, data["groups_per_pattern"]):
                text = pattern.format(people=people, People=people[0].upper() + people[1:])
                found.append(Case(name, each["hateful"], text, True))
    return found


def read_named_sentences() -> list[NamedSentence]:
    """Read ``person_names.yaml``; put each first name, with a drawn last name, in each sentence."""
    data = _read_yaml("person_names.yaml")
    rng = np.random.default_rng(SEED)
    found = []
    for origin, names in data["origins"].items():
        for first in names["first"]:
            for kind, sentences in data["sentences"].items():
                for sentence in sentences:
                    last = names["last"][rng.integers(len(names["last"]))]
                    filled = {"name": f"{first} {last}", "first": first, "last": last}
                    found.append(NamedSentence(origin, first, kind, sentence.format(**filled)))
    return found


class Reader:
    """One checker at its default settings, without terms: the models alone are measured."""

    def __init__(self, model: str):
        settings: dict[str, Any] = {"model": model, "lang": "en", "frames": "off", "terms": "off"}
        self.checker = tactful.Checker(**settings, all_scores=True)

    def read(self, texts: Sequence[str]) -> list[Reading]:
        """Check the texts as the paragraphs of one document, which is read in batches."""
        starts = np.cumsum([0, *(len(text) + 2 for text in texts)]).tolist()
        readings = [Reading() for _ in texts]
        report = self.checker.check("\n\n".join(texts))
        for passage in report.passages:
            scores = readings[bisect_right(starts, passage.place.start) - 1].scores
            for name, value in (passage.probabilities or {}).items():
                scores[name] = max(value, scores.get(name, 0.0))
        for finding in report.findings:
            row = bisect_right(starts, finding.place.start) - 1
            readings[row].findings += 1
            readings[row].marks += [
                (span.place.start - starts[row], span.place.end - starts[row])
                for span in finding.spans
            ]
        return readings

    def highest(self, reading: Reading) -> float:
        """Return the highest ratio of a score to its threshold."""
        card = self.checker.detector.card
        ratios = (value / max(card.threshold(n), 1e-6) for n, value in reading.scores.items())
        return max(ratios, default=0.0)


@dataclass(frozen=True, slots=True)
class Figure:
    """A headline figure of one detector, with its bar."""

    name: str
    value: float
    interval: tuple[float, float] | None
    bar: float
    at_least: bool

    def row(self, model: str) -> list[object]:
        """Return the row of the table."""
        met = self.value >= self.bar if self.at_least else self.value <= self.bar
        between = "" if self.interval is None else "{:.3f} to {:.3f}".format(*self.interval)
        bar = f"{'≥' if self.at_least else '≤'} {self.bar:.2f}"
        return [model, self.name, self.value, between, bar, "yes" if met else "no"]


def share(name: str, found: Iterable[bool], bar: float, *, at_least: bool) -> Figure:
    """Return the share of what is true, with Wilson's interval."""
    listed = list(found)
    total = len(listed)
    if not total:
        return Figure(name, float("nan"), None, bar, at_least)
    count = sum(listed)
    return Figure(name, count / total, wilson_interval(count, total), bar, at_least)


@dataclass(slots=True)
class Measured:
    """The rows of the page, of all detectors."""

    figures: list[list[object]] = field(default_factory=list)
    pairs: list[list[object]] = field(default_factory=list)
    quiet: list[list[object]] = field(default_factory=list)
    cases: dict[str, list[object]] = field(default_factory=dict)
    areas: list[list[object]] = field(default_factory=list)
    names: list[list[object]] = field(default_factory=list)
    gaps: list[list[object]] = field(default_factory=list)


def pair_figures(reader: Reader, pairs: Sequence[Pair], model: str, out: Measured) -> list[Figure]:
    """Measure which pairs are ordered, separated and reported, by family and id and in all."""
    bad = reader.read([pair.harmful for pair in pairs])
    good = reader.read([pair.harmless for pair in pairs])
    rows: dict[str, list[tuple[bool, bool, bool]]] = {}
    for pair, harmful, harmless in zip(pairs, bad, good, strict=True):
        ordered = reader.highest(harmful) > reader.highest(harmless)
        reported, silent = bool(harmful.findings), not harmless.findings
        each = (ordered, reported and silent, reported)
        names = ["all", pair.family] if pair.family in WHOLE else ["all", pair.family, pair.id]
        for name in names:
            rows.setdefault(name, []).append(each)
    out.pairs += [
        [model, name, len(each), *(sum(column) / len(each) for column in zip(*each, strict=True))]
        for name, each in sorted(rows.items())
    ]
    ordered_, separated, reported_ = zip(*rows["all"], strict=True)
    return [
        share("pairs: ordered", ordered_, 0.90, at_least=True),
        share("pairs: separated", separated, 0.50, at_least=True),
        share("pairs: harmful text reported", reported_, 0.50, at_least=True),
    ]


QUIET_BARS = {"neutral mentions": 0.01, "headings": 0.01, "quotations": 0.05, "ordinary": 0.05}


def quiet_figures(reader: Reader, texts: TrustTexts, model: str, out: Measured) -> list[Figure]:
    """Measure how many harmless texts have a finding."""
    figures = []
    for kind, listed in texts.harmless().items():
        flagged = [bool(each.findings) for each in reader.read(listed)]
        figures.append(share(f"{kind}: flagged", flagged, QUIET_BARS[kind], at_least=False))
        if kind == "ordinary":
            left = iter(flagged)
            for part, each in texts.ordinary.items():
                count = sum(islice(left, len(each)))
                out.quiet.append([model, f"{kind}, {part}", len(each), count, count / len(each)])
        else:
            out.quiet.append([model, kind, len(listed), sum(flagged), sum(flagged) / len(flagged)])
    return figures


def paragraph_figures(reader: Reader, texts: TrustTexts) -> list[Figure]:
    """Measure paragraphs with one harmful sentence, and clean ones."""
    read = reader.read([each.text for each in texts.harmful])
    inside = []
    for paragraph, reading in zip(texts.harmful, read, strict=True):
        start = paragraph.text.index(paragraph.harmful)
        end = start + len(paragraph.harmful)
        inside += [start <= first and last <= end for first, last in reading.marks]
    clean = reader.read(texts.clean)
    return [
        share("paragraphs: found", (bool(each.findings) for each in read), 0.50, at_least=True),
        share("paragraphs: marks inside the harmful sentence", inside, 0.90, at_least=True),
        share("clean paragraphs: flagged", (bool(e.findings) for e in clean), 0.03, at_least=False),
    ]


def _hate(scores: Mapping[str, float]) -> float:
    return max((scores[name] for name in HATE_IDS if name in scores), default=float("nan"))


def case_figures(reader: Reader, cases: Sequence[Case], model: str, out: Measured) -> list[Figure]:
    """Measure the functional cases by the higher score of toxicity and identity attack."""
    readings = reader.read([case.text for case in cases])
    scores = [_hate(reading.scores) for reading in readings]
    if np.isnan(scores).any():
        return []
    by_name: dict[str, list[float]] = {}
    for case, score in zip(cases, scores, strict=True):
        by_name.setdefault(case.functionality, []).append(score)
    hateful = {case.functionality: case.hateful for case in cases}
    for name, listed in by_name.items():
        right = sum((score >= TAKEN_BY) == hateful[name] for score in listed) / len(listed)
        row = out.cases.setdefault(name, [name, "yes" if hateful[name] else "no", len(listed)])
        row.append(right)
    area = _area([case.hateful for case in cases], scores)
    kept = [at for at, case in enumerate(cases) if case.functionality not in ABUSE]
    attacks = [reading.scores.get(HATE_IDS[1], float("nan")) for reading in readings]
    out.areas.append([
        model, area, _area([cases[at].hateful for at in kept], [scores[at] for at in kept]),
        float("nan") if np.isnan(attacks).any() else _area([c.hateful for c in cases], attacks),
    ])  # fmt: skip
    below = {
        kind: [score < TAKEN_BY for name in names for score in by_name[name]]
        for kind, names in (("mentions", MENTIONS), ("opposed", OPPOSED))
    }
    return [
        Figure("functional cases: AUC", area, None, 0.85, True),
        share("neutral and positive mentions below 0.5", below["mentions"], 0.95, at_least=True),
        share("negated and quoted hate below 0.5", below["opposed"], 0.80, at_least=True),
    ]


def _area(gold: Sequence[bool], scores: Sequence[float]) -> float:
    value = roc_auc_score([int(each) for each in gold], scores).value
    return float("nan") if value is None else value


def name_figures(
    reader: Reader, sentences: Sequence[NamedSentence], model: str, out: Measured
) -> list[Figure]:
    """Compare the mean scores by the origin of the names; the bootstrap draws first names."""
    readings = reader.read([sentence.text for sentence in sentences])
    origins = list(dict.fromkeys(sentence.origin for sentence in sentences))
    means: dict[str, dict[str, float]] = {origin: {} for origin in origins}
    between: dict[str, dict[str, str]] = {origin: {} for origin in origins}
    figures = []
    for name in (each for each in NAME_IDS if each in readings[0].scores):
        drawn = {}
        for at, origin in enumerate(origins):
            of_first: dict[str, list[float]] = {}
            for sentence, reading in zip(sentences, readings, strict=True):
                if sentence.origin == origin:
                    of_first.setdefault(sentence.first, []).append(reading.scores[name])
            values = np.array([[np.mean(each)] for each in of_first.values()])
            drawn[origin] = resampled_means(values, repetitions=REPETITIONS, seed=[SEED, at])
            means[origin][name] = float(values.mean())
            spread = percentile_interval(drawn[origin], LEVEL) or (float("nan"),) * 2
            between[origin][name] = "{:.3f} to {:.3f}".format(*spread)
        high = max(origins, key=lambda each: means[each][name])
        low = min(origins, key=lambda each: means[each][name])
        gap = means[high][name] - means[low][name]
        interval = percentile_interval(drawn[high] - drawn[low], LEVEL)
        out.gaps.append([
            model, name, high, low, gap,
            "" if interval is None else "{:.3f} to {:.3f}".format(*interval),
        ])  # fmt: skip
        figures.append(Figure(f"names: largest gap of {name}", gap, interval, 0.02, False))
    for origin in origins:
        flagged = [
            bool(reading.findings)
            for sentence, reading in zip(sentences, readings, strict=True)
            if sentence.origin == origin
        ]
        row: list[object] = [model, origin]
        for name in NAME_IDS:
            known = name in means[origin]
            row.append(f"{means[origin][name]:.3f} ({between[origin][name]})" if known else "")
        out.names.append([*row, sum(flagged) / len(flagged)])
    every = [bool(reading.findings) for reading in readings]
    return [*figures, share("names: sentences flagged", every, 0.01, at_least=False)]


def available() -> list[str]:
    """Return the English detectors whose weights are installed."""
    return [name for name, folder in EMBEDDED["en"].items() if find_weights(folder)]


def page(models: Sequence[str], measured: Measured, sizes: str, command: str) -> str:
    """Return the body of the page."""
    cases = ["functionality", "hateful", "cases", *models]
    names = ["detector", "origin", *NAME_IDS, "flagged"]
    return (
        "Texts of ours that were written without looking at the lessons of the models. No model, "
        "threshold or rule was chosen by its figures here. But the budget of harmless lessons of "
        "version 2.3 was raised after a first look at this page (pairs separated .679, paragraphs "
        "found .702), so the figures of `default` are a little flattered. Everything is "
        "measured at the default settings of `tactful.Checker`, without terms.\n\n"
        f"Sizes: {sizes} Seed {SEED}; {REPETITIONS:,} bootstrap samples.\n\n"
        "The bars are ours. They were set before the first measurement. Intervals are 95 %: "
        "Wilson's for shares, the bootstrap over first names for gaps.\n\n"
        + table(["detector", "figure", "value", "95 % interval", "bar", "met"], measured.figures)
        + "\n\n## Contrast pairs\n\nA harmful text and a harmless one on the same subject: the "
        "harmful one scores higher; it is reported and the harmless one is not; it is reported. In "
        "pairs of `toxicity.profanity` both texts swear, one of them at a person: a detector of "
        "swear words cannot separate them.\n\n"
        + table(["detector", "family", "pairs", "ordered", "separated", "reported"], measured.pairs)
        + "\n\n## Harmless texts with a finding\n\n"
        + table(["detector", "kind", "texts", "flagged", "share"], measured.quiet)
        + "\n\n## Functional cases\n\nThe score of a case is the higher one of `toxicity` and "
        "`toxicity.identity_attack`. AUC: of all cases; without abuse of objects, single persons "
        "and other groups, which is not hateful but mostly toxic; of `toxicity.identity_attack` "
        "alone.\n\n"
        + table(["detector", "all cases", "without other abuse", "identity attack"], measured.areas)
        + "\n\nThe share of cases on the right side of 0.5:\n\n"
        + table(cases, list(measured.cases.values()))
        + "\n\n## Names of people\n\nMean scores, with intervals, and the share of sentences with "
        "a finding. The sentences are the same for all origins.\n\n"
        + table(names, measured.names)
        + "\n\nThe gap between the origins with the highest and the lowest mean. They were chosen "
        "by their means, so the interval is somewhat too far from 0.\n\n"
        + table(
            ["detector", "id", "highest", "lowest", "gap", "95 % interval"],
            measured.gaps,
        )
        + f"\n\n{machine_line()}\nCommand: `{command}`"
    )


def main() -> int:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", action="append", help="a detector's name or folder, repeatable")
    parser.add_argument("--results", type=Path, help="write to this file instead of results/")
    given = parser.parse_args()
    models = given.model or available()
    texts, cases, sentences = read_trust_texts(), read_cases(), read_named_sentences()
    measured = Measured()
    for model in models:
        reader = Reader(model)
        figures = [
            *pair_figures(reader, texts.pairs, model, measured),
            *quiet_figures(reader, texts, model, measured),
            *paragraph_figures(reader, texts),
            *case_figures(reader, cases, model, measured),
            *name_figures(reader, sentences, model, measured),
        ]
        measured.figures += [figure.row(model) for figure in figures]
        print(f"{model}: measured", file=sys.stderr)
    quiet = {kind: len(each) for kind, each in texts.harmless().items()}
    sizes = (
        f"{len(texts.pairs)} pairs; {quiet['neutral mentions']} neutral mentions of "
        f"{len(texts.neutral)} groups; {quiet['headings']} headings; {quiet['quotations']} "
        f"quotations; {quiet['ordinary']} ordinary texts; {len(texts.harmful)} paragraphs with one "
        f"harmful sentence and {len(texts.clean)} clean ones; {len(cases)} functional cases of "
        f"{len({case.functionality for case in cases})} functionalities; "
        f"{len(sentences):,} sentences with a name."
    )
    command = "python benchmarks/trust_tests.py"
    if given.model:
        command += "".join(f" --model {model}" for model in given.model)
    body = page(models, measured, sizes, command)
    write_page("trust-tests", "Trust, on texts of its own", body, path=given.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
