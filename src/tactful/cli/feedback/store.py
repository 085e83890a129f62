"""``tactful feedback status``, ``export`` and ``delete``."""

import csv
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tactful.cli.options import PATH, POSITIVE, flag, force_option, option, several, split_names
from tactful.cli.output import echo_answer, echo_sentence, format_option
from tactful.errors import InputError, MissingExtraError, UsageError
from tactful.files import atomic_path
from tactful.words import counted

if TYPE_CHECKING:
    from tactful.service.feedback.labels import Judged
    from tactful.service.feedback.store import FeedbackStore

_DAY = 24 * 3600.0
store_argument = click.argument("store", metavar="STORE")
suggestions_option = flag(
    "--suggestions", "Also use thumbs and suggested scores; decisions outweigh them."
)


def opened(url: str) -> "FeedbackStore":
    """Open the store of a command; it must be there."""
    try:
        from tactful.service.feedback.store import open_feedback
    except ImportError:
        raise MissingExtraError("annotate", "A feedback store") from None
    return open_feedback(url, create=False)


@click.command("status")
@store_argument
@format_option
def status_cli(store: str, output_format: str) -> None:
    """Count what is stored, by kind, and what waits for a decision.

    \b
    tactful feedback status sqlite:///feedback.db
    """
    with opened(store) as found:
        counts = found.count()
        waiting = len(found.queue(most=1_000_000))
    answer = {"schema": "tactful/feedback-status/1", "records": counts, "waiting": waiting}

    def show(_: object) -> None:
        for kind in ("suggested", "thumb", "queued", "decided"):
            click.echo(f"{kind:<10}{counts.get(kind, 0):>8,}")
        echo_sentence(f"{counted(waiting, 'text')} without a decision.")

    echo_answer(output_format, answer, show)


@click.command("export")
@store_argument
@option("--output -o", "The CSV file to write.", PATH, required=True)
@several("--label ID", "Write only texts with this label, and its column; repeatable.")
@suggestions_option
@force_option
def export_cli(
    store: str, output: Path, label: tuple[str, ...], suggestions: bool, force: bool
) -> None:
    """Write judged texts as a table, with a column of 0 and 1 for each label.

    'tactful annotate import' reads it, and so does 'tactful train custom': with --label, every
    text has a 0 or a 1 in each of the named columns. 'decision.remove' is 1 where a moderator
    removed the text.

    \b
    tactful feedback export sqlite:///feedback.db -o decisions.csv
    tactful feedback export sqlite:///feedback.db --label decision.remove -o removed.csv
    tactful train custom --table removed.csv --label-column decision.remove=my.rules -o my-detector
    tactful annotate import my-project decisions.csv
    """
    from tactful.service.feedback.labels import judged_texts

    with opened(store) as found:
        judged = judged_texts(found.records(), suggestions=suggestions)
    texts = [each for each in judged if each.text is not None]
    if not texts:
        kept = "the store has only hashes" if judged else "there are no decisions yet"
        raise InputError(f"Found no judged text to export: {kept}; expected texts.")
    wanted = split_names(label)
    rows = [each for each in texts if set(wanted) <= _decided(each)]
    if not rows:
        known = sorted({name for each in texts for name in _decided(each)})
        raise UsageError(
            f"Found no text with a label for {' and '.join(wanted)}; known: {', '.join(known)}."
        )
    names = list(wanted) or sorted({name for each in rows for name in _decided(each)})
    with atomic_path(output, force) as temporary:
        _write(temporary, rows, names)
    echo_sentence(f"Wrote {counted(len(rows), 'text')} to {output}.")


def _decided(judged: "Judged") -> set[str]:
    """Return the ids that a text has or has not; a label of one half says neither."""
    return {name for name, value in judged.labels.items() if value != 0.5}


def _write(path: Path, rows: Iterable["Judged"], names: Sequence[str]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "text", "lang", "decision", "judged_at", *names])
        for each in rows:
            at = datetime.fromtimestamp(each.at, UTC).isoformat(timespec="seconds")
            known = _decided(each)
            cells = [int(each.labels[name] > 0.5) if name in known else "" for name in names]
            table.writerow([each.item, each.text, each.lang, each.decision, at, *cells])


@click.command("delete")
@store_argument
@option("--author TOKEN", "What was said about texts of this author.")
@option("--key ID", "What was sent with this API key, such as k_1f2e3d4c.")
@option("--text-file FILE", "All that was said about the text in this file.", PATH)
@option("--older-than DAYS", "What is older than this many days.", POSITIVE)
def delete_cli(
    store: str,
    author: str | None,
    key: str | None,
    text_file: Path | None,
    older_than: int | None,
) -> None:
    """Delete feedback for good; of several options, all must fit.

    \b
    tactful feedback delete sqlite:///feedback.db --author user-17
    tactful feedback delete sqlite:///feedback.db --older-than 30
    """
    text = None
    if text_file is not None:
        try:
            text = text_file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise InputError(f"{text_file}: cannot be read; expected text in UTF-8.") from None
    before = None if older_than is None else time.time() - older_than * _DAY
    if all(each is None for each in (author, key, text, before)):
        raise UsageError("Say what to delete: --author, --key, --text-file or --older-than.")
    with opened(store) as found:
        gone = found.delete(author=author, key=key, text=text, before=before)
    echo_sentence(f"Deleted {counted(gone, 'record')}.")
