"""A run on an engine, one file in each wave; run as a process of its own, which may be killed."""

import argparse
import os
import signal
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

from tests.scale.engine_texts import job_for, run_on
from tests.scale.made import WORDS, ReadsWords

from tactful.errors import TactfulError
from tactful.scale.scorer import Columns, ScoreBatch
from tactful.scale.summary import Summary


class Dies:
    """A scorer whose process is killed by a word."""

    def __init__(self, word: str):
        self._word, self._score = word, ReadsWords()

    def __call__(self, texts: list[str]) -> Columns:
        """Score texts, or die."""
        if any(self._word in text for text in texts):
            os.kill(os.getpid(), signal.SIGKILL)
        return self._score(texts)


def dies(word: str) -> ScoreBatch:
    """Open the scorer that dies."""
    return Dies(word)


def main() -> int:
    """Score the input; with a number of waves, end after them as ``kill -9`` does."""
    parser = argparse.ArgumentParser()
    parser.add_argument("engine")
    parser.add_argument("source")
    parser.add_argument("output", type=str)
    parser.add_argument("kind")
    parser.add_argument("--kill-after", type=int)
    parser.add_argument("--dies-at", help="a word that kills the worker")
    options = parser.parse_args()

    def on_wave(done: int, of: int, so_far: Summary) -> None:
        if done == options.kill_after:
            os.kill(os.getpid(), signal.SIGKILL)

    scorer = WORDS
    if options.dies_at is not None:
        scorer = replace(scorer, load=partial(dies, options.dies_at))
    job = replace(
        job_for(options.source, Path("unused"), options.kind),
        output=options.output,
        scorer=scorer,
        top=5,
    )
    try:
        run_on(options.engine, job, wave_files=1, on_wave=on_wave)
    except TactfulError as error:
        sys.stderr.write(f"Error: {error}\n")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
