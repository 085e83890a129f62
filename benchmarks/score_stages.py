"""Where the CPU time of the default model goes: in the network, and in everything around it.

``tactful score`` and the service read the same texts in this process. The network is what
onnxruntime runs; all else (normalising, tokens, sentences, tables, JSON, requests) is the rest.
Four of these steps are also measured alone, on the same texts. Of requests only the server's side
counts: the client has a thread of its own.
"""

import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time, thread_time
from typing import Any

import polars as pl
from click.testing import CliRunner
from starlette.testclient import TestClient

from detector_texts import WORDS_EACH, made_texts
from results import machine_line, table, write_page
from tactful.cli.main import cli
from tactful.detectors.models.encoder import open_tokenizer
from tactful.detectors.models.onnx_session import Session
from tactful.detectors.weights import weights_folder
from tactful.documents.normalise import normalise
from tactful.documents.segments import sentences
from tactful.service.app import create_app
from tactful.service.settings import ServiceSettings

TEXTS, AT_ONCE, PARAGRAPHS = 120, 40, 6
MOST_OF_NETWORK = 25
ANALYZE = "/v1alpha1/comments:analyze"

_in_network = 0.0
_run = Session.run


def _timed(self: Session, outputs: Sequence[str], inputs: dict[str, Any]) -> Any:
    """Run the network, and count the time of all threads: nothing else runs meanwhile."""
    global _in_network  # noqa: PLW0603 (one number for the whole process)
    began = process_time()
    try:
        return _run(self, outputs, inputs)
    finally:
        _in_network += process_time() - began


def used(work: Callable[[], object], *, of_server: bool = False) -> tuple[float, float]:
    """Return the CPU seconds of some work, and those of them in the network."""
    before, began, mine = _in_network, process_time(), thread_time()
    work()
    client = thread_time() - mine if of_server else 0.0
    return process_time() - began - client, _in_network - before


def score_table(texts: Sequence[str], folder: Path) -> Callable[[], object]:
    """Return what scores a CSV file by the command, in this process."""
    source, target = folder / "texts.csv", folder / "scored.csv"
    pl.DataFrame({"text": texts}).write_csv(source)
    args = ["score", str(source), "-o", str(target), "--model", "default", "--lang", "en",
            "--workers", "1", "--force"]  # fmt: skip

    def work() -> None:
        done = CliRunner().invoke(cli, args, catch_exceptions=False)
        assert done.exit_code == 0, done.output

    return work


def requests(client: TestClient, path: str, bodies: Sequence[object]) -> Callable[[], object]:
    """Return what asks for all bodies, one after the other."""

    def work() -> None:
        for body in bodies:
            answer = client.post(path, json=body)
            assert answer.status_code == 200, answer.text

    return work


def alone(texts: Sequence[str]) -> list[tuple[str, float]]:
    """Return the CPU seconds of steps on all texts."""
    tokenizer = open_tokenizer(weights_folder("encoder-en"))
    scores = [dict.fromkeys(map(str, range(30)), 0.1234)] * len(texts)
    steps: list[tuple[str, Callable[[], object]]] = [
        ("normalising", lambda: [normalise(text) for text in texts]),
        ("tokens", lambda: tokenizer.encode_batch_fast(list(texts))),
        ("sentences", lambda: [sentences(text) for text in texts]),
        ("JSON of 30 scores each", lambda: json.dumps(scores)),
    ]
    return [(name, min(used(step)[0] for _ in range(3))) for name, step in steps]


def main() -> int:
    """Measure, write the page, and fail where the steps take too much."""
    texts = made_texts(TEXTS)
    groups = [texts[at : at + AT_ONCE] for at in range(0, TEXTS, AT_ONCE)]
    documents = ["\n\n".join(texts[at : at + PARAGRAPHS]) for at in range(0, TEXTS, PARAGRAPHS)]
    Session.run = _timed  # type: ignore[method-assign]
    app = create_app(ServiceSettings(model="default", langs=("en",), web=False))
    with tempfile.TemporaryDirectory(prefix="tactful-bench-") as folder, TestClient(app) as client:
        ways = [
            ("`tactful score`, CSV to CSV", score_table(texts, Path(folder)), False),
            (f"`/v1/score`, {AT_ONCE} texts a request",
             requests(client, "/v1/score", [{"texts": each} for each in groups]), True),
            ("`comments:analyze`, a comment a request", requests(client, ANALYZE, [
                {"comment": {"text": text}, "requestedAttributes": {"TOXICITY": {}},
                 "languages": ["en"]} for text in texts]), True),
            (f"`/v1/check`, {PARAGRAPHS} paragraphs a request",
             requests(client, "/v1/check", [{"text": each, "lang": "en"} for each in documents]),
             True),
        ]  # fmt: skip
        rows: list[list[object]] = []
        networks = []
        for name, work, of_server in ways:
            work()  # opens what is opened once
            total, network = min(used(work, of_server=of_server) for _ in range(2))
            networks.append(network)
            rest = f"{100 * (1 - network / total):.0f}"
            rows.append([name, 1000 * total / TEXTS, 1000 * network / TEXTS, rest])
    steps = alone(texts)
    share = 100 * sum(seconds for _, seconds in steps) / min(networks)
    shown = [[name, f"{1000 * seconds / TEXTS:.3f}"] for name, seconds in steps]
    columns = ["way", "CPU ms a text", "in the network, ms", "the rest, %"]
    write_page(
        "score-stages",
        "Where the time of the default model goes",
        f"{TEXTS} made texts of {WORDS_EACH} words, in one process. Only `tactful score` opens the "
        "model within what is measured, as it does each time. The network is what onnxruntime "
        "runs; the rest is everything else: normalising, tokens, sentences, tables, JSON, the fast "
        f"detector beside the network, and requests. The better of two runs.\n\n"
        f"{table(columns, rows)}\n\nSteps alone, on the same texts. Together "
        f"they take {share:.1f} % of the network's least time (bar: {MOST_OF_NETWORK} %).\n\n"
        f"{table(['step', 'CPU ms a text'], shown)}\n\n{machine_line()}\n"
        "Command: `python benchmarks/score_stages.py`.",
    )
    return 1 if share > MOST_OF_NETWORK else 0


if __name__ == "__main__":
    sys.exit(main())
