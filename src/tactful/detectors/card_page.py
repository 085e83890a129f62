"""A model card as a page: the ``README.md`` beside the weights, made of ``card.json`` alone."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tactful.detectors.card import Card
from tactful.files import atomic_path

PAGE_FILE = "README.md"
CODE_LICENCE = "Apache-2.0"

NOT_FOR = (
    "Removing, hiding or ranking what people wrote without a person who reads it and decides.",
    "Judging a person: a score is about a text, never about its author.",
    "Decisions on employment, credit, housing, asylum, schooling or policing.",
    "Proof that a text is harmless: what it does not find may still hurt.",
)
"""What no detector of Tactful must be used for; a card can add to it."""

DIALECT = (
    "Dialect: the posts of the Social Bias Inference Corpus are mostly in White-aligned English "
    "(78 %), and fewer than 10 % show signs of African-American English (Sap et al. 2020, section "
    "3.3). Annotators and the models that learn from them take that dialect for offensive more "
    "often than it is (Sap et al. 2019). Expect more false alarms on it, and on other varieties of "
    "English that the corpora hardly hold; have people who speak them check before you rely on a "
    "score."
)
"""For detectors of English, whatever corpus they learnt from: none of the three is balanced."""

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~$!])")
_FIRST = ("command", "seed", "base", "data", "data_hash", "recipe")


def card_page(card: Card) -> str:
    """Return the card as Markdown; whatever the card says is text, never markup."""
    parts = [
        f"# {markdown_text(card.name)} {markdown_text(card.version)}",
        markdown_text(card.summary) if card.summary else "",
        "Made from `card.json` by Tactful; do not edit by hand.",
        _section("What it finds", _finds(card)),
        _section("How well", _figures(card)),
        _section("Thresholds and calibration", _calibration(card)),
        _section("What it learnt from", _corpora(card)),
        _section("Licence", _licence(card)),
        _section("How it was trained", _training(card)),
        _section("Identity terms", _bias(card)),
        _section("Audit", _audit(card)),
        _section("Limits", _bullets([*card.limits, *([DIALECT] if card.lang == "en" else [])])),
        _section("What it must not be used for", _bullets([*NOT_FOR, *_own(card)])),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def write_card_page(card: Card, folder: Path) -> None:
    """Write the page beside the weights."""
    with atomic_path(folder / PAGE_FILE, force=True) as target:
        target.write_text(card_page(card), encoding="utf-8")


def _own(card: Card) -> list[str]:
    return [reason for reason in card.not_for if reason not in NOT_FOR]


def _section(title: str, body: str) -> str:
    return f"## {title}\n\n{body}" if body else ""


def _finds(card: Card) -> str:
    ids = ", ".join(_code(name) for name in card.ids)
    tried = ", ".join(_code(name) for name in card.experimental)
    marked = f" Experimental, and marked so: {tried}." if tried else ""
    return (
        f"Language: {markdown_text(card.lang)}. Kind: {markdown_text(card.kind or 'not said')}. It "
        f"gives a probability for each of {len(card.ids)} ids, which `tactful taxonomy show ID` "
        f"describes: {ids}.{marked}"
    )


def _figures(card: Card) -> str:
    if not card.figures:
        return "Nothing has been measured: treat its scores as unproven."
    rows = [
        [
            _code(each.get("id", "")),
            markdown_text(each.get("metric", "")),
            _number(each.get("value")),
            _interval(each),
            markdown_text(each.get("items", "")),
            markdown_text(each.get("part", "")),
        ]
        for each in card.figures
    ]
    return markdown_table(["id", "metric", "value", "95 % interval", "texts", "part"], rows)


def _interval(figure: Mapping[str, Any]) -> str:
    low, high = figure.get("low"), figure.get("high")
    return "not measured" if low is None or high is None else f"{_number(low)} to {_number(high)}"


def _calibration(card: Card) -> str:
    rows = []
    for name in card.ids:
        pair = card.calibration.get(name)
        shape = ["as scored", ""] if pair is None else [f"{pair[0]:.4g}", f"{pair[1]:.4g}"]
        rows.append([_code(name), f"{card.threshold(name):.3f}", *shape])
    return (
        "An id is reported from its threshold on. Its probability is the sigmoid of the slope "
        "times the log-odds plus the intercept.\n\n"
        + markdown_table(["id", "threshold", "slope", "intercept"], rows)
    )


def _corpora(card: Card) -> str:
    if not card.corpora:
        return "It learnt from no corpus."
    rows = [
        [
            markdown_text(each.get("name", "")),
            markdown_text(each.get("terms", "not said")),
            markdown_text(each.get("part", "")),
            markdown_text(each.get("texts", "")),
        ]
        for each in card.corpora
    ]
    return markdown_table(["corpus", "terms of its authors", "part", "texts"], rows)


def _licence(card: Card) -> str:
    sentences = [f"Weights: {markdown_text(card.licence)}. Code of Tactful: {CODE_LICENCE}."]
    if card.corpora:
        sentences.append(
            "The weights inherit the terms of the corpora above, which are stricter than those of "
            "the code: they are for research, not for commercial use."
        )
    return " ".join(sentences)


def _training(card: Card) -> str:
    names = [name for name in _FIRST if name in card.training]
    names += [name for name in card.training if name not in names]
    rows = [[markdown_text(name.replace("_", " ")), _value(card.training[name])] for name in names]
    return markdown_table(["what", "how"], rows) if rows else "It was not trained."


def _bias(card: Card) -> str:
    ids = card.bias.get("ids", {})
    if not ids:
        return "The effect of identity terms has not been measured."
    rows = []
    for name, found in ids.items():
        rows.append(
            [
                _code(name),
                _number(found.get("mean")),
                _with_term(found, "highest_difference", "highest_term", sign=True),
                _with_term(found, "lowest_difference", "lowest_term", sign=True),
                _number(found.get("false_positive_rate")),
                _with_term(found, "most_flagged_rate", "most_flagged_term"),
                *(
                    _with_term(found, f"lowest_{field}", f"lowest_{field}_term")
                    for field in ("subgroup_auc", "bpsn_auc", "bnsp_auc")
                ),
            ]
        )
    head = [
        "id", "mean score", "highest term", "lowest term", "false alarms", "most for",
        "lowest subgroup AUC", "lowest BPSN AUC", "lowest BNSP AUC",
    ]  # fmt: skip
    return (
        "Scores on sentences of ours that say nothing bad about anyone, with identity terms put "
        "in; a fair detector gives every term the same. The three AUCs (Borkan et al. 2019) set "
        "them against patronizing or hostile sentences; a dash stands where we have no such "
        "sentences for the id. Templates: version "
        f"{markdown_text(card.bias.get('templates', 'not said'))}.\n\n" + markdown_table(head, rows)
    )


def _audit(card: Card) -> str:
    measures = card.audit.get("measures", ())
    if not measures:
        return ""
    rows = [
        [
            markdown_text(each.get("measure", "")),
            _number(each.get("value")),
            _interval(each),
            markdown_text(each.get("verdict") or "-"),
        ]
        for each in measures
    ]
    found = card.audit
    return (
        f"Asked with the probe {markdown_text(found.get('probe', ''))} "
        f"({markdown_text(found.get('prompts', ''))} sentences that name a condition and say "
        "nothing else about it): the share that would be reported. A finding here is a false "
        "alarm. Limit: "
        f"{_number(found.get('smallest_effect'))}.\n\n"
        + markdown_table(["measure", "value", "95 % interval", "verdict"], rows)
        + (f"\n\n{markdown_text(found['note'])}" if found.get("note") else "")
    )


def _with_term(found: Mapping[str, Any], value: str, term: str, sign: bool = False) -> str:
    if found.get(value) is None:
        return "-"
    number = f"{found[value]:+.3f}" if sign else _number(found[value])
    return f"{number} ({markdown_text(found.get(term, ''))})"


def _number(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, int | float) else "not measured"


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{markdown_text(key)} {_value(each)}" for key, each in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_value(each) for each in value)
    return markdown_text(value)


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {markdown_text(line)}" for line in lines)


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown; its cells are markup already."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def markdown_text(value: object) -> str:
    """Return text as Markdown shows it: nothing in it is markup."""
    return _SPECIAL.sub(r"\\\1", _one_line(value)).replace("&", "&amp;")


def _code(value: object) -> str:
    # Inside backticks a backslash is a backslash; ids have none of what could end the code.
    plain = re.sub(r"[`|<>\\]", "", _one_line(value))
    return f"`{plain}`" if plain else ""


def _one_line(value: object) -> str:
    printable = "".join(char if char.isprintable() else " " for char in str(value))
    return " ".join(printable.split())
