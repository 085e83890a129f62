"""A run on a cluster says in a log how far it is, too."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.scale.engine_texts import QUIET

from tactful.cli import progress as module
from tactful.cli.main import cli

pytestmark = QUIET


class TicksByHand:
    """A ticker that ticks once, at the end, and not by the clock."""

    def __init__(self, tick: Callable[[], None]):
        self.tick = tick

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self.tick()


@pytest.mark.parametrize("options", [[], ["--quiet"], ["--progress", "json"]])
def test_waves_are_counted_in_plain_lines(
    engine: str, options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "Ticker", TicksByHand)
    (tmp_path / "in.csv").write_text("text\none\ntwo\n")
    words = ["score", str(tmp_path / "in.csv"), "-o", str(tmp_path / "out"), "--engine", engine]
    done = CliRunner().invoke(cli, [*words, "--model", "fast", "--lang", "en", *options])
    assert done.exit_code == 0, done.output
    said = f"Scoring on {engine}, 2 rows so far: 1 of 1 waves, 100%, after "
    assert (said in done.stderr) == (not options)
