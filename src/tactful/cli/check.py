"""``tactful check``: which phrases patronize, stereotype or poison, how sure that is, and why."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.checking.options import (
    FRAMES,
    LANGUAGES,
    LEAST,
    PRESETS,
    QUOTES,
    TERMS,
    CheckOptions,
    Configuration,
    find_configuration,
    read_configuration,
)
from tactful.checking.reports import ENDINGS, RENDERERS
from tactful.checking.wording import REPORT_LANGUAGES
from tactful.cli.options import (
    PATH,
    SHARE,
    complete,
    flag,
    force_option,
    only_option,
    option,
    require_texts,
    several,
    texts_argument,
    together,
)
from tactful.detectors.load import DETECTORS, detector_names
from tactful.documents.document import KINDS, Kind
from tactful.errors import EXIT_FAILURE, UsageError
from tactful.words import counted

if TYPE_CHECKING:
    from tactful.checking.baseline import Baseline
    from tactful.checking.changes import Changes
    from tactful.checking.report import DocumentReport, Outcome, PlacedFinding
    from tactful.checking.reports.run import Tally
    from tactful.cli.documents import Files, Source
    from tactful.detectors.card import Card

_STDIN = "-"
_MOST_LINES = 10
"""How many findings are named where a check fails."""


class FormatChoice(click.Choice[str]):
    """A format of a report: the help lists the built-in ones, and plug-ins add others."""

    def __init__(self) -> None:
        super().__init__(RENDERERS.built_in)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the format; look for plug-ins only if it is not built in."""
        if value not in RENDERERS:
            known = RENDERERS.names()
            near = get_close_matches(value, known, n=1)
            guess = f" Did you mean '{near[0]}'?" if near else ""
            listing = ", ".join(f"'{name}'" for name in known)
            self.fail(f"'{value}' is not one of {listing}.{guess}", param, ctx)
        return value


detector_options = together(
    option(
        "--lang",
        "The language of the text; auto tells English from Spanish.  [default: auto]",
        LANGUAGES,
    ),
    option(
        "--model NAME|FOLDER",
        f"The detector: {', '.join(DETECTORS)}, or a folder.  [default: default]",
        shell_complete=complete(detector_names),
    ),
    only_option("Look for this id and what is below it only, such as pcl; repeatable."),
)
kind_option = option("--kind", "What the text is.  [default: by the file's ending]", KINDS)
config_option = option(
    "--config FILE",
    "The project's options.  [default: the nearest tactful.toml or pyproject.toml]",
    PATH,
)
no_config_option = flag("--no-config", "Use no tactful.toml and no pyproject.toml.")


@click.command("check")
@texts_argument
@option("--text TEXT", "Check this text.")
@detector_options
@several(
    "--threshold thresholds ID=P",
    "Report an id from this probability on; repeatable.",
    callback=lambda ctx, parameter, pairs: parse_thresholds(pairs),
)
@option(
    "--least P",
    "Report only findings with at least this confidence, except ids with a --threshold.  "
    f"[default: {LEAST}]",
    SHARE,
)
@option(
    "--format output_format",
    "How to report.  [default: by the ending of --output, else text]",
    FormatChoice(),
    shell_complete=complete(RENDERERS),
)
@option("--output -o", "The file to write the report to.", PATH)
@force_option
@option(
    "--fail-on P",
    "Exit with 1 if a finding has at least this confidence; 0 fails on any finding.",
    SHARE,
)
@option(
    "--baseline FILE",
    "Leave out the findings that this file lists; they do not count for --fail-on.",
    PATH,
)
@flag("--update-baseline", "Write the findings of this run to the --baseline, and leave them out.")
@option(
    "--diff REF", "Report only findings in passages that changed since this commit, branch or tag."
)
@several(
    "--abstain FILE",
    "Leave out findings that are too unsure by the limits in this file, which 'tactful evaluate "
    "corpus --limits' writes; repeatable.",
    PATH,
)
@kind_option
@several("--exclude GLOB", "Leave these files out; repeatable.")
@config_option
@option(
    "--preset",
    "Options that fit a kind of text; other options and the project's file come first.",
    PRESETS,
)
@no_config_option
@flag("--explain", "Show the sentence and an explanation below each finding of a text report.")
@flag(
    "--no-explanations",
    "Leave the explanations out of JSON, SARIF, GitHub and HTML reports.",
    hidden=True,
)
@option(
    "--frames",
    "What to say about passages that target a group: the groups and what may be implied about "
    "them, the groups only, or nothing.  [default: statements]",
    FRAMES,
)
@option(
    "--terms",
    "Which terms of style guides to report: those that practically every guide advises "
    "against, also those that depend on the context, or none.  [default: default]",
    TERMS,
)
@option(
    "--quotes",
    "What to do with findings that only a quotation carries: leave them out, report them as "
    "quoted, or as any other.  [default: skip]",
    QUOTES,
)
@flag("--all-scores", "Also report all scores of every passage.")
@option(
    "--report-lang",
    "The language of the report; auto is that of the texts, or English where they differ.",
    REPORT_LANGUAGES,
    REPORT_LANGUAGES[0],
)
@click.pass_context
def check_cli(
    ctx: click.Context,
    /,
    paths: tuple[Path, ...],
    text: str | None,
    output_format: str | None,
    output: Path | None,
    force: bool,
    fail_on: float | None,
    baseline: Path | None,
    update_baseline: bool,
    diff: str | None,
    abstain: tuple[Path, ...],
    kind: Kind | None,
    exclude: tuple[str, ...],
    config: Path | None,
    preset: str | None,
    no_config: bool,
    explain: bool,
    no_explanations: bool,
    **given: Any,
) -> None:
    """Find patronizing, stereotyping and unhealthy language: where, how sure, and why.

    Without files the text comes from standard input. Findings alone leave the exit code at 0; see
    --fail-on.

    \b
    tactful check letter.md
    tactful check --text "With our help even they can learn to hope again."
    tactful check docs/ --format html --output report.html
    """
    require_texts(ctx, paths, text)
    project = project_of(config, no_config)
    if preset or project.preset:
        from tactful.checking.presets import with_preset

        project = with_preset(project, preset)
    by_ending = ENDINGS.get(output.suffix.lower()) if output is not None else None
    chosen = output_format or by_ending or project.format or "text"
    explain = explain or bool(project.explain)
    options = project.options(
        **given,
        # A text report explains only when asked, and then always.
        explanations=explain if chosen == "text" else False if no_explanations else None,
    )
    from tactful.cli.documents import Files

    files = Files(paths, text, kind, (*project.exclude, *exclude), project)
    limits = Narrowing(
        _baseline(baseline or project.baseline, update_baseline), _changes(diff, paths), abstain
    )
    failing = Failing(project.fail_on if fail_on is None else fail_on)
    tally = check(files, options, chosen, output, force, limits, failing, explain=explain)
    failing.say()
    if failing.count or tally.unread:
        ctx.exit(EXIT_FAILURE)


def _baseline(path: Path | None, update: bool) -> "Baseline | None":
    if path is None:
        if update:
            raise UsageError("Give --update-baseline together with --baseline FILE.")
        return None
    from tactful.checking.baseline import read_baseline

    return read_baseline(path, update=update)


def _changes(ref: str | None, paths: Sequence[Path]) -> "Changes | None":
    if ref is None:
        return None
    if not paths or list(map(str, paths)) == [_STDIN]:
        raise UsageError("Give --diff together with files or folders: a text has no history.")
    from tactful.checking.changes import Changes

    return Changes(ref, paths)


def project_of(config: Path | None, no_config: bool) -> Configuration:
    """Return the options of the project that --config and --no-config choose."""
    if config is not None and no_config:
        raise UsageError("Give --config or --no-config, not both.")
    if no_config:
        return Configuration()
    if config is None:
        return find_configuration(Path.cwd())
    if not config.is_file():
        raise UsageError(f"There is no file '{config}' for --config.")
    return read_configuration(config)


def parse_thresholds(pairs: Iterable[str]) -> dict[str, float]:
    """Read ``ID=P`` pairs."""
    found: dict[str, float] = {}
    for pair in pairs:
        name, _, value = pair.partition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            raise UsageError(
                f"Found --threshold '{pair}'; expected ID=P, such as pcl=0.6."
            ) from None
    return found


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Which findings to leave out of a report."""

    baseline: "Baseline | None" = None
    changes: "Changes | None" = None
    abstain: tuple[Path, ...] = ()
    """Files of limits; findings that are too unsure by them are left out first."""

    def sources(self, found: "list[Source]") -> "list[Source]":
        """Return what must be read: with --diff not the files that did not change."""
        changes = self.changes
        if changes is None:
            return found
        return [each for each in found if not isinstance(each, Path) or changes.touches(each)]

    def sure(self, cards: "Sequence[Card]") -> "Callable[[Iterator[Outcome]], Iterator[Outcome]]":
        """Return what leaves out the findings that are too unsure."""
        if not self.abstain:
            return lambda outcomes: outcomes
        from tactful.checking.abstaining import Abstaining

        return Abstaining(self.abstain, cards).filter

    def __call__(self, outcomes: "Iterator[Outcome]") -> "Iterator[Outcome]":
        """Yield the outcomes with the findings that are left."""
        if self.baseline is not None:
            outcomes = self.baseline.filter(outcomes)
        return outcomes if self.changes is None else self.changes.filter(outcomes)

    def finish(self, ids: Sequence[str]) -> None:
        """Write the baseline, or say which part of it is stale."""
        if self.baseline is None:
            return
        from tactful.cli.output import echo_sentence

        if self.baseline.update:
            echo_sentence(self.baseline.write(ids), err=True)
        elif note := self.baseline.note(ids):
            echo_sentence(note, err=True)


@dataclass(slots=True)
class Failing:
    """Notes the findings that make a check fail: those with at least the confidence ``limit``.

    That is the confidence of the surest kind that can be reported alone, as reports show it.
    """

    limit: float | None
    count: int = 0
    lines: list[str] = field(default_factory=list)
    """A line for each of the first of them."""

    def watch(self, outcomes: "Iterable[Outcome]") -> "Iterator[Outcome]":
        """Hand the outcomes on, and note what fails."""
        from tactful.checking.report import DocumentReport

        for outcome in outcomes:
            if self.limit is not None and isinstance(outcome, DocumentReport):
                for finding in outcome.findings:
                    # As the reports write it: a limit that was copied from one must hold.
                    if round(finding.highest_confidence, 4) >= self.limit:
                        self._note(outcome, finding)
            yield outcome

    def say(self) -> None:
        """Name on standard error what failed and why, and what to do."""
        if not self.count:
            return
        from tactful.cli.output import echo_sentence

        findings = counted(self.count, "finding has", "findings have")
        echo_sentence(f"Failed: {findings} at least the confidence {self.limit:g}.", err=True)
        for line in self.lines:
            click.echo(f"  {line}", err=True)
        if self.count > len(self.lines):
            click.echo(f"  … and {self.count - len(self.lines):,} more", err=True)
        echo_sentence(
            "Change the words; or write 'tactful: ignore ID' beside them if they are right.",
            err=True,
        )

    def _note(self, report: "DocumentReport", finding: "PlacedFinding") -> None:
        self.count += 1
        if len(self.lines) < _MOST_LINES:
            from tactful.checking.reports.run import quotes_of, what_is_found
            from tactful.checking.reports.text import where
            from tactful.checking.wording import wording

            words = wording()
            sure = words.how_sure(finding.highest_confidence)
            quotes = quotes_of(finding.spans, words, 1)
            kinds = f"{what_is_found(finding, words)} [{finding.id}]"
            line = f"{where(report, finding)}: {kinds}: {sure} {quotes}"
            self.lines.append(line.rstrip())


def check(
    files: "Files",
    options: CheckOptions,
    output_format: str,
    output: Path | None = None,
    force: bool = False,
    narrowing: Narrowing | None = None,
    failing: Failing | None = None,
    *,
    explain: bool = False,
) -> "Tally":
    """Check files, folders, standard input or a text; write the report; return its counts."""
    narrowing, failing = narrowing or Narrowing(), failing or Failing(None)
    from tactful.checking.checker import Checker
    from tactful.checking.reports.run import Tally, render
    from tactful.cli.documents import deliver, on_terminal, outcomes, over_files, sources
    from tactful.settings import load_settings

    checker = Checker(options)
    found = narrowing.sources(sources(files))
    tally, sure = Tally(), narrowing.sure(checker.cards)
    with over_files(found, load_settings()) as (each, show, inside):
        read = sure(outcomes(checker, each, files.kind, inside))
        checked = tally.watch(failing.watch(narrowing(read)))
        run = replace(checker.run(), explain=explain)
        run = run if output is not None else on_terminal(run)
        pieces = render(output_format, checked, run)
        deliver(pieces, output_format, output, force, show)
    narrowing.finish(checker.run().ids)
    if output is not None:
        click.echo(f"Wrote {output}: {tally.sentence()}")
    return tally
