"""From posts to the folder of a causal framer, and the command that does it."""

import json
import runpy
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

pytest.importorskip("torch")
pytest.importorskip("transformers")

from tactful.detectors.card import read_card
from tactful.errors import UsageError
from tactful.files import sha256
from tactful.frames import frame_problems, load_framer
from tactful_lab.cli.frames_lm import train_frames_lm_cli
from tactful_lab.training.causal import language_model as causal_lm

TINY = runpy.run_path(str(Path(__file__).parents[1] / "tiny_causal.py"))
SAMPLE = Path(str(resources.files("tactful.corpora"))) / "samples" / "sbic"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = TINY["write_tiny_model"](tmp_path_factory.mktemp("bases") / "tiny", "llama")
    return folder


def run(base: Path, output: Path, *more: object) -> str:
    words = ["--data", SAMPLE, "--base", base, "-o", output, "--post-tokens", 30, *more]
    result = CliRunner().invoke(train_frames_lm_cli, [*map(str, words)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_a_folder_is_written_that_a_framer_opens(base: Path, tmp_path: Path) -> None:
    output = tmp_path / "framer"
    said = run(base, output, "--per-post", 1, "--epochs", 2, "--rate", "1e-3")
    assert f"Wrote frames-causal 1 to {output}" in said
    assert not output.with_name("framer.training").exists()
    card = read_card(output)
    assert card.kind == "frames-causal"
    assert card.corpora[0]["terms"] == "CC BY 4.0"
    training = card.training
    assert training["base"] == "tiny"
    assert training["base sha256"] == sha256(base / "model.safetensors")
    assert len(training["data sha256"]) == 64
    assert (training["plan"]["rate"], training["plan"]["epochs"], training["seed"]) == (1e-3, 2, 1)
    assert training["post tokens"] == 30
    assert training["command"].startswith("tactful train frames-lm --data ")
    assert "--rate 0.001" in training["command"]
    framer = load_framer(output)
    for frame in framer.frame(["a fine day", ""]):
        assert frame_problems(frame) == []
    assert (output / "model.safetensors").is_file()
    assert not list(output.glob("*.bin"))


def test_shares_learn_from_fewer_lines(base: Path, tmp_path: Path) -> None:
    lines = []
    for share in ("1/4", "1/2", "all"):
        output = tmp_path / share.replace("/", "-")
        run(base, output, "--share", share)
        lines.append(read_card(output).training["posts learnt from"])
    assert lines[0] < lines[1] < lines[2]


def test_a_stopped_run_goes_on(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    more = ("--epochs", 3, "--rate", "1e-3", "--batch", 2)
    run(base, tmp_path / "whole", *more)
    monkeypatch.setattr(causal_lm, "CHECKPOINT_STEPS", 1)
    real: Any = causal_lm.line_losses
    seen: list[int] = []

    def stopped(model: Any, lines: Any) -> Any:
        seen.append(len(lines))
        if len(seen) == 4:
            raise KeyboardInterrupt
        return real(model, lines)

    monkeypatch.setattr(causal_lm, "line_losses", stopped)
    output = tmp_path / "framer"
    words = ["--data", SAMPLE, "--base", base, "-o", output, "--post-tokens", 30, *more]
    result = CliRunner().invoke(train_frames_lm_cli, [*map(str, words)])
    assert result.exit_code != 0
    assert "Run the same command again" in " ".join(result.output.split())
    assert output.with_name("framer.training").is_dir()
    assert not output.exists()
    monkeypatch.setattr(causal_lm, "line_losses", real)
    run(base, output, *more)
    assert sha256(output / "model.safetensors") == sha256(tmp_path / "whole" / "model.safetensors")
    assert not output.with_name("framer.training").exists()


def test_what_cannot_be_is_refused_before_training(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "file").write_text("mine", encoding="utf-8")
    for output, sentence in ((full, "--force"), (full / "file", "found a file")):
        with pytest.raises(UsageError, match=sentence):
            run(base, output)
    with pytest.raises(UsageError, match="--download"):
        run(Path("nobody/has-this-model"), tmp_path / "out")
    for share in ("0", "2", "half"):
        words = ["--base", str(base), "-o", str(tmp_path / "out"), "--share", share]
        result = CliRunner().invoke(train_frames_lm_cli, words)
        assert result.exit_code == 2
        assert "1/4, 1/2, all" in " ".join(result.output.split())
    monkeypatch.delenv("TACTFUL_DATA", raising=False)
    with pytest.raises(UsageError, match="TACTFUL_DATA"):
        CliRunner().invoke(
            train_frames_lm_cli,
            ["--base", str(base), "-o", str(tmp_path / "out")],
            catch_exceptions=False,
        )
    assert not (tmp_path / "out").exists()


def test_the_card_is_plain_json(base: Path, tmp_path: Path) -> None:
    output = tmp_path / "framer"
    run(base, output, "--per-post", 1, "--most-posts", 4, "--lora" if _has_peft() else "--fresh")
    card = json.loads((output / "card.json").read_text(encoding="utf-8"))
    assert card["training"]["posts learnt from"] <= 4
    assert card["training"]["plan"]["lora"] == _has_peft()
    assert card["limits"]
    assert card["not_for"]


def _has_peft() -> bool:
    from importlib.util import find_spec

    return find_spec("peft") is not None
