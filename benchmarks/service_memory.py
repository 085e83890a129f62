"""Memory of the service before and after hostile requests: is it given back?

A real ``tactful serve`` reads ordinary comments, then a burst of the largest requests that it
accepts and refuses, several at a time; then it is left alone for five minutes. Resident memory is
that of the process, as in ``/proc``.
"""

import json
import random
import string
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from results import machine_line, table, write_page

COMMENT = "With our help even they can learn to hope again, said the man at the counter."
WORDS = COMMENT.split()
Request = tuple[str, bytes]
MODELS = ("fast", "default")
MINUTES = 5
BAR = 1.1
BEFORE = "after ordinary requests"


def ordinary() -> Iterator[Request]:
    """Yield what a forum sends in some minutes."""
    for number in range(200):
        texts = [f"{COMMENT} Number {number} of {part}." for part in range(number % 8 + 1)]
        yield "/v1/score", json.dumps({"texts": texts}).encode()
    # Models that are opened by the first text that needs them belong to what is ordinary.
    women = "We should not lower our standards to hire more women."
    yield "/v1/frame", json.dumps({"texts": [women]}).encode()
    for number in range(20):
        yield "/v1/check", json.dumps({"text": f"{COMMENT} {number}"}).encode()


def hostile() -> Iterator[Request]:
    """Yield the largest requests that are accepted, and large ones that are refused."""
    chance = random.Random(7)

    def text(characters: int) -> str:
        found = " ".join(chance.choices(WORDS, k=characters // 5))[: characters - 1]
        return f"{found}."

    for _ in range(2):
        yield "/v1/score", json.dumps({"texts": [text(49_000)]}).encode()
        yield "/v1/score", json.dumps({"texts": [text(200) for _ in range(170)]}).encode()
        yield "/v1/check", json.dumps({"text": text(12_000)}).encode()
        yield "/v1/score", json.dumps({"texts": [text(99_000) for _ in range(2)]}).encode()
        yield "/v1/score", json.dumps({"texts": [text(500) for _ in range(256)]}).encode()
        yield "/v1/check", json.dumps({"text": text(20_000)}).encode()
        yield "/v1alpha1/comments:analyze", json.dumps({
            "comment": {"text": text(20_000)}, "spanAnnotations": True,
            "requestedAttributes": {"TOXICITY": {}, "INSULT": {}},
        }).encode()  # fmt: skip
    for _ in range(10):
        # Words that come once: they stay in everything that remembers words.
        words = ["".join(chance.choices(string.ascii_lowercase, k=30)) for _ in range(1_500)]
        yield "/v1/score", json.dumps({"texts": [" ".join(words)]}).encode()
        yield "/v1/score", json.dumps({"texts": ["'".join(words)]}).encode()
    for _ in range(8):
        yield "/v1/score", b"[" * 1_900_000
        yield "/v1/score", json.dumps({f"field{n}": n for n in range(100_000)}).encode()
        yield "/v1/score", json.dumps({"texts": [1] * 400_000}).encode()
        yield "/v1alpha1/comments:analyze", json.dumps({
            "comment": {"text": "a"},
            "requestedAttributes": {f"TOXICITY@{n}": {} for n in range(80_000)},
        }).encode()  # fmt: skip


def resident(pid: int) -> float:
    """Return the resident memory of a process in MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    raise SystemExit("/proc has no figure of the memory")


def send(address: str, requests: Iterator[Request], at_once: int) -> dict[int, int]:
    """Send requests, some at a time, and return how often each status came back."""
    counts: dict[int, int] = {}
    headers = {"Content-Type": "application/json"}

    def one(request: Request) -> int:
        path, body = request
        try:
            answer = httpx.post(address + path, content=body, headers=headers, timeout=300)
            return answer.status_code
        except httpx.TransportError:
            return 0

    with ThreadPoolExecutor(at_once) as pool:
        for status in pool.map(one, requests):
            counts[status] = counts.get(status, 0) + 1
    return counts


def resident_over_time(model: str) -> dict[str, float]:
    """Run the service through it, and return what was resident at each moment."""
    command = [sys.executable, "-m", "tactful", "serve", "--port", "0", "--model", model]
    process = subprocess.Popen(
        [*command, "--timeout", "300"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().split()[2]
        while httpx.get(f"{address}/readyz", timeout=300).status_code != 200:
            time.sleep(0.2)
        found = {"ready": resident(process.pid)}
        send(address, ordinary(), 8)
        found[BEFORE] = resident(process.pid)
        print(model, send(address, hostile(), 8), file=sys.stderr)
        found["after hostile requests"] = resident(process.pid)
        began = time.monotonic()
        for minute in range(1, MINUTES + 1):
            time.sleep(began + 60 * minute - time.monotonic())
            found[f"{minute} min later"] = resident(process.pid)
        return found
    finally:
        process.terminate()
        process.wait()


def main() -> int:
    """Measure, write the page, and fail when a bar is missed."""
    measured = {model: resident_over_time(model) for model in MODELS}
    rows: list[list[object]] = []
    for model, found in measured.items():
        last = list(found.values())[-1]
        met = "yes" if last <= BAR * found[BEFORE] else "NO"
        rows.append([model, *(round(size) for size in found.values()), met])
    moments = list(next(iter(measured.values())))
    write_page(
        "service-memory",
        "Service: memory after hostile requests",
        "Resident MB of one process. Ordinary are 221 requests of comments; hostile are the "
        "largest texts, thousands of words that come once, and bodies of 2 MB that are refused, 8 "
        f"at a time. The bar: {MINUTES} minutes later at most {BAR - 1:.0%} more than after "
        f"ordinary requests.\n\n{table(['model', *moments, 'met'], rows)}\n\n{machine_line()}\n"
        "Command: `python benchmarks/service_memory.py`.",
    )
    return 1 if any(row[-1] == "NO" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
