"""What the worst bodies cost the service, and whether ordinary requests notice an attack with them.

The bodies are those that the search of ``tests/service/test_worst_bodies.py`` found to cost most,
and those that cost most before there were limits. The attack is open: five requests a second,
whatever comes back. Server, attacker and ordinary clients are processes of their own on the same
machine, so they share its cores.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from detector_texts import made_texts
from results import machine_line, table, write_page
from service_load import ANALYZE, SCORE, WORDS, Server, analyze_bodies, serving

CHECK, FRAME, MODERATE = "/v1/check", "/v1/frame", "/v1/moderations"
ATTACKS_A_SECOND = 5
ORDINARY_A_SECOND = 20
REPEATS = 5
_CLIENT = Path(__file__).with_name("load_client.py")
_RUDE = "You people are too stupid to learn anything, so shut up and go away. "
_SPANISH = "Los inmigrantes no se integran y nos quitan las ayudas a todos. "
_TICKS = "".join("e" + "`" * size for size in range(1, 440))
_UNKNOWN = " ".join(f"q{number}z" for number in range(10_000))
_NUMBERED = "\n\n".join(f"{_RUDE * 3}{number}" for number in range(1_000))


def _comment(text: str, **fields: Any) -> dict[str, Any]:
    wanted: dict[str, Any] = {"TOXICITY": {}, "PATRONIZING": {}}
    return {"comment": {"text": text[:20_480]}, "requestedAttributes": wanted, **fields}


BODIES: Sequence[tuple[str, str, dict[str, Any]]] = (
    ("20 kB of backticks", ANALYZE, _comment(_TICKS, languages=["en"])),
    ("20 kB of unknown words", ANALYZE, _comment(_UNKNOWN, languages=["en"])),
    ("20 kB of insults, with spans", ANALYZE,
     _comment(_RUDE * 300, languages=["en"], spanAnnotations=True)),
    ("20 kB of Spanish", ANALYZE,
     {**_comment(_SPANISH * 400, languages=["es"]), "requestedAttributes": {"STEREOTYPE": {}}}),
    ("50 kB of backticks, Markdown", CHECK,
     {"text": (_TICKS * 3)[:50_000], "kind": "markdown", "lang": "en"}),
    ("50 kB of list items, Markdown", CHECK,
     {"text": "* a\n" * 12_500, "kind": "markdown", "lang": "en"}),
    ("50 kB of link starts, Markdown", CHECK,
     {"text": "[](" * 16_600, "kind": "markdown", "lang": "en"}),
    ("14 kB of insults", CHECK, {"text": _NUMBERED[:14_000], "lang": "en"}),
    ("7 kB of insults", CHECK, {"text": _NUMBERED[:7_000], "lang": "en"}),
    ("14 kB of Spanish", CHECK, {"text": f"{_SPANISH}\n\n" * 210, "lang": "es"}),
    ("one text of 50 kB", SCORE, {"texts": [(_UNKNOWN)[:50_000]], "lang": "en"}),
    ("170 insults", SCORE, {"texts": [f"{_RUDE * 3}{n}" for n in range(170)], "lang": "en"}),
    ("50 insults", FRAME, {"texts": [f"{_RUDE}{n}" for n in range(50)], "lang": "en"}),
    ("one text of 50 kB", MODERATE, {"input": (_UNKNOWN)[:50_000]}),
)  # fmt: skip
"""What it is, the path, and the body."""


def post(server: Server, path: str, body: dict[str, Any]) -> int:
    """Send one request, and return the status of its answer."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.port}{path}",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request) as answer:  # noqa: S310 (our own address)
            answer.read()
            return int(answer.status)
    except urllib.error.HTTPError as error:
        error.read()
        return int(error.code)


def costs(server: Server) -> list[list[object]]:
    """Measure the CPU seconds of each body, and what the answer is."""
    found: list[list[object]] = []
    for name, path, body in BODIES:
        status = post(server, path, body)
        before = server.cpu()
        for _ in range(REPEATS):
            post(server, path, body)
        found.append([name, path, status, (server.cpu() - before) / REPEATS])
        print(found[-1], flush=True)
    return found


def client(server: Server, bodies: Path, path: str, rate: float, seconds: float) -> Any:
    """Start a load generator that sends at a fixed rate."""
    return subprocess.Popen(
        [sys.executable, str(_CLIENT), f"--port={server.port}", f"--path={path}",
         f"--bodies={bodies}", f"--rate={rate}", f"--seconds={seconds}"],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def result(process: Any) -> dict[str, Any]:
    """Wait for a load generator, and return what it saw."""
    told, _ = process.communicate()
    found: dict[str, Any] = json.loads(told)
    return found


def attacks(server: Server, folder: Path, seconds: float) -> list[list[object]]:
    """Send ordinary comments with and without attacks, and compare their times."""
    ordinary = analyze_bodies(folder, made_texts(500, WORDS))
    kinds: dict[str, tuple[str, list[dict[str, Any]]]] = {"none": ("", [])}
    for name, path in (("comments", ANALYZE), ("documents", CHECK), ("many texts", SCORE)):
        kinds[name] = path, [body for _, each, body in BODIES if each == path]
    found: list[list[object]] = []
    for name, (path, bodies) in kinds.items():
        attack = None
        if bodies:
            file = folder / "attack.jsonl"
            file.write_text("".join(json.dumps(body) + "\n" for body in bodies))
            attack = client(server, file, path, ATTACKS_A_SECOND, seconds)
        seen = result(client(server, ordinary, ANALYZE, ORDINARY_A_SECOND, seconds))
        answers = json.dumps(result(attack)["statuses"]) if attack else ""
        found.append(
            [name, answers, json.dumps(seen["statuses"]), round(seen["p50"]), round(seen["p90"]),
             round(seen["p99"]), round(os.getloadavg()[0], 1)]
        )  # fmt: skip
        print(found[-1], flush=True)
    return found


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=15.0, help="of each attack")
    parser.add_argument("--no-write", action="store_true", help="only print")
    options = parser.parse_args()
    busy = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name, serving() as server:
        post(server, FRAME, {"texts": [_RUDE]})  # opens the framer
        measured = costs(server)
        times = attacks(server, Path(name), options.seconds)
    body = "\n\n".join(
        [
            machine_line() + f" Load of the machine before it began: {busy:.1f}.",
            f"Command: `python benchmarks/service_cost.py --seconds {options.seconds:g}`. CPU "
            f"seconds of the server for one request, mean of {REPEATS}; the limits are 0.3 for a "
            "comment and 2 for a document.",
            table(["body", "path", "status", "CPU s"], measured),
            f"Ordinary comments of {WORDS} words, {ORDINARY_A_SECOND} a second, while "
            f"{ATTACKS_A_SECOND} of these bodies a second arrive (of one path at a time); times in "
            "milliseconds, of ordinary comments that were answered. Server, attacker and clients "
            "share the cores; 'load' is that of the whole machine, with all else that ran on it.",
            table(
                ["attack", "its answers", "ordinary answers", "p50", "p90", "p99", "load"], times
            ),
        ]
    )
    print(body)
    if not options.no_write:
        write_page("service-cost", "Service: the worst requests", body)


if __name__ == "__main__":
    main()
