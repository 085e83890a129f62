"""SARIF 2.1.0, as GitHub code scanning and editors read it.

Columns count UTF-16 code units, the unit of GitHub's own tools, and the run says so
(``columnKind``); paths are relative to the working directory, which is the repository's root in a
workflow. The alert points at the words that carry a finding, or at its passage.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tactful import __version__
from tactful.checking.report import DocumentReport, Kind, Outcome, Place, PlacedFinding, Unread
from tactful.checking.reports.json_report import dump
from tactful.checking.reports.run import Run, Tally, is_warning, said_of
from tactful.checking.wording import Wording, wording
from tactful.errors import UnknownNameError
from tactful.words import visible

SCHEMA_URI = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT = "tactfulPassage/v1"
_ROOT = "%SRCROOT%"


def render_sarif(outcomes: Iterable[Outcome], run: Run) -> Iterator[str]:
    """Yield one SARIF log with one run."""
    words = wording(run.lang)
    tally = Tally()
    results: list[dict[str, Any]] = []
    notifications: list[dict[str, Any]] = []
    kept = list(tally.watch(outcomes))
    run = run.used(tally.models)
    # Terms are no ids of a detector; those that were found are rules as well.
    ids = [*run.ids, *(name for name in tally.by_id if name not in run.ids)]
    rules = {name: index for index, name in enumerate(ids)}
    for outcome in kept:
        if isinstance(outcome, Unread):
            notifications.append(_notification(outcome))
        else:
            results += _results(outcome, rules, words)
    driver = {
        "name": "Tactful",
        "version": __version__,
        "semanticVersion": __version__,
        "informationUri": "https://pypi.org/project/tactful/",
        "rules": [_rule(name, words) for name in ids],
    }
    yield dump(
        {
            "$schema": SCHEMA_URI,
            "version": "2.1.0",
            "runs": [
                {
                    "tool": {"driver": driver},
                    **({} if words.lang == "en" else {"language": words.lang}),
                    "columnKind": "utf16CodeUnits",
                    "newlineSequences": ["\r\n", "\n", "\r"],
                    "originalUriBaseIds": {_ROOT: {"description": {"text": words.rules.folder}}},
                    "invocations": [
                        {
                            "executionSuccessful": not tally.unread,
                            "toolExecutionNotifications": notifications,
                        }
                    ],
                    "properties": {"model": ", ".join(card.model for card in run.cards)},
                    "results": results,
                }
            ],
        },
        indent=2,
    )


def _rule(name: str, words: Wording) -> dict[str, Any]:
    from tactful.taxonomies import find_taxonomy_of
    from tactful.taxonomies.translations import load_translated

    rule: dict[str, Any] = {"id": name}
    try:
        original = find_taxonomy_of(name)
        english = original.entry(name)
    except UnknownNameError:  # a custom detector may have ids that no taxonomy has
        text = words.explaining.unknown.format(name=name)
        return {**rule, "shortDescription": {"text": name}, "help": {"text": text}}
    taxonomy = load_translated(original.id, words.lang)
    entry, said, cited = taxonomy.entry(name), words.rules, taxonomy.citation
    sentences = " ".join(taxonomy.not_this)
    parts = [
        entry.definition,
        said.ask.format(question=entry.question),
        said.example.format(example=words.quote(entry.example)),
        said.not_this.format(sentences=sentences) if sentences else "",
        said.source.format(section=entry.source_section, title=cited.title, venue=cited.venue),
        said.caution,
    ]
    plain = "\n\n".join(part for part in parts if part)
    # The rule's name is a name for programs, and stays the same in every language.
    name_of_rule = "".join(word.capitalize() for word in english.name.split())
    if name_of_rule.casefold() != name.casefold():  # SARIF wants a name only where it says more
        rule["name"] = name_of_rule
    return {
        **rule,
        "shortDescription": {"text": entry.name},
        "fullDescription": {"text": entry.definition},
        "help": {"text": plain, "markdown": plain},
        "defaultConfiguration": {"level": "note"},
        "properties": {"tags": ["language", taxonomy.id]},
    }


def _results(
    report: DocumentReport, rules: dict[str, int], words: Wording
) -> Iterator[dict[str, Any]]:
    artifact = _artifact(report.path)
    seen: Counter[str] = Counter()
    for finding in report.findings:
        digest = _digest(finding)
        seen[digest] += 1
        places = [span.place for span in finding.spans] or [finding.place]
        result: dict[str, Any] = {
            "ruleId": finding.id,
            "ruleIndex": rules[finding.id],
            "level": "warning" if is_warning(finding) else "note",
            "message": {"text": _message(finding, words)},
            "locations": [
                {**_location(report, artifact, places[0], finding.place), **_landmark(finding)}
            ],
            # The same passage twice in a file is two alerts, even if their lines change.
            "partialFingerprints": {FINGERPRINT: f"{digest}:{seen[digest]}"},
            "properties": {
                "name": finding.name,
                **_sure(finding.main),
                "kinds": [
                    {"id": kind.id, "name": kind.name, **_sure(kind)} for kind in finding.kinds
                ],
            },
        }
        if finding.suggestions:
            result["fixes"] = [
                _fix(report, artifact, places[0], each) for each in finding.suggestions
            ]
        if len(places) > 1:
            result["relatedLocations"] = [
                {**_location(report, artifact, place), "id": number,
                 "message": {"text": words.rules.more}}
                for number, place in enumerate(places[1:], 1)
            ]  # fmt: skip
        yield result


def _sure(kind: Kind) -> dict[str, float]:
    return {
        "probability": round(kind.probability, 4),
        "confidence": round(kind.confidence, 4),
        "threshold": round(kind.threshold, 4),
    }


def _fix(
    report: DocumentReport, artifact: dict[str, str], place: Place, suggestion: str
) -> dict[str, Any]:
    region = _region(report.source, place)
    change = {"deletedRegion": region, "insertedContent": {"text": suggestion}}
    return {
        "description": {"text": suggestion},
        "artifactChanges": [{"artifactLocation": artifact, "replacements": [change]}],
    }


def _digest(finding: PlacedFinding) -> str:
    # White space and line breaks change when a paragraph is wrapped again; its words do not.
    words = " ".join(finding.passage.text.split())
    raw = f"{finding.id}\n{words}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(raw).hexdigest()[:32]


def _message(finding: PlacedFinding, words: Wording) -> str:
    text = said_of(finding, words)
    # Square brackets would be read as links to related locations (SARIF 2.1.0, section 3.11.6).
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _notification(unread: Unread) -> dict[str, Any]:
    return {
        "level": "error",
        "message": {"text": f"{visible(unread.path)}: {visible(unread.message)}"},
        "locations": [{"physicalLocation": {"artifactLocation": _artifact(unread.path)}}],
    }


def _artifact(path: str | None) -> dict[str, str]:
    if path is None:
        return {"uri": "text", "uriBaseId": _ROOT}
    file, root = Path(path), Path.cwd()
    whole = file if file.is_absolute() else root / file
    if whole.is_relative_to(root) and ".." not in whole.relative_to(root).parts:
        inside = whole.relative_to(root).as_posix()
        return {"uri": _quoted(inside), "uriBaseId": _ROOT}
    return {"uri": "file://" + _quoted(whole.as_posix())}


def _quoted(path: str) -> str:
    return quote(path.encode("utf-8", "surrogateescape"))


def _location(
    report: DocumentReport, artifact: dict[str, str], place: Place, context: Place | None = None
) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": artifact}
    if not report.has_lines:
        return {"physicalLocation": physical}
    physical["region"] = _region(report.source, place)
    if context is not None and context != place:
        physical["contextRegion"] = _region(report.source, context)
    return {"physicalLocation": physical}


def _landmark(finding: PlacedFinding) -> dict[str, Any]:
    where = finding.passage.where
    return {} if where is None else {"logicalLocations": [{"fullyQualifiedName": where}]}


def _region(source: str, place: Place) -> dict[str, int]:
    return {
        "startLine": place.line,
        "startColumn": utf16_column(source, place.start, place.column),
        "endLine": place.end_line,
        "endColumn": utf16_column(source, place.end, place.end_column),
    }


def utf16_column(source: str, offset: int, column: int) -> int:
    """Turn a column in code points into one in UTF-16 code units; both count from 1."""
    before = source[offset - (column - 1) : offset]
    return column + sum(char > "\uffff" for char in before)
