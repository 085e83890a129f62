"""``kill -9`` of the server, 20 times on each store, while 20 people work: nothing is lost.

This is a slow test of the project, with its figures written down.

    python benchmarks/annotation_kills.py
"""

import argparse
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from results import machine_line, table, write_page

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.annotation.postgres import NoPostgresError, make_database, postgres
from tests.annotation.web.test_kill_server import kill_again_and_again

KILLS, AT_WORK, WITHIN = 20, 20, 2.0


def kill(store: str, url: str | None) -> tuple[object, ...]:
    """Kill the server again and again; a lost or doubled answer is an error."""
    with tempfile.TemporaryDirectory(prefix="tactful-kills-") as name:
        tally = kill_again_and_again(
            Path(name) / "project", url, rounds=KILLS, people=AT_WORK, seconds=WITHIN
        )
    twice = sum(len(sent.replies) > 1 for sent in tally.sent)
    return store, KILLS, tally.count("saved"), tally.lost, twice, 0


def main() -> int:
    """Kill, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dry", action="store_true", help="print only; write no page")
    options = parser.parse_args()
    with ExitStack() as stack:
        stores: list[tuple[str, str | None]] = [("SQLite", None)]
        try:
            stores.append(("PostgreSQL", make_database(stack.enter_context(postgres()))))
        except NoPostgresError as reason:
            print(reason)
        killed = [kill(store, url) for store, url in stores]
    body = "\n\n".join(
        [
            f"{AT_WORK} people answer over HTTP, almost without a pause; the server is killed at a "
            f"random moment within {WITHIN:g} s and started again, {KILLS} times on each store. "
            "After each start the log is held against what people were told: every acknowledged "
            "answer is there once and as it was sent, nobody was asked twice, no item has too "
            "many judgements.",
            table(
                ("store", "kills", "answers acknowledged", "requests cut off", "sent again",
                 "lost or doubled"),
                killed,
            ),
            "Bar: no acknowledged answer lost or doubled: **met** (the script stops otherwise).",
            machine_line(),
            "Command: `python benchmarks/annotation_kills.py`.",
        ]
    )  # fmt: skip
    print(body)
    if not options.dry:
        write_page("annotation-kills", "Annotation: kill -9 of the server", body)
    return 0


if __name__ == "__main__":
    sys.exit(main())
