"""``tactful train stereotypes``: what it writes and what it refuses."""

from functools import partial
from pathlib import Path

import pytest
from tests import command_line

from tactful.detectors import load_detector, read_card
from tactful.errors import TactfulError, UnknownNameError, UsageError

ALIKE = ["todos ellos son iguales", "siempre llegan tarde los de fuera"]
FINE = ["el puente abre el lunes", "la reunión empieza a las cinco", "hoy llueve en la sierra"]
FEATURES = (
    "argumentation,constructiveness,positive_stance,negative_stance,target_person,target_group,"
    "stereotype,sarcasm,mockery,insult,improper_language,aggressiveness,intolerance,toxicity"
)


@pytest.fixture
def comments(tmp_path: Path) -> Path:
    """Return a folder shaped like DETOXIS, with 40 mild comments of ours on four articles."""
    lines = [f"topic,thread_id,comment_id,reply_to,comment_level,comment,{FEATURES},toxicity_level"]
    for at in range(8):
        for which, text in enumerate((*ALIKE, *FINE)):
            yes = int(which < len(ALIKE))
            name = f"{at % 4}_{at}_{which}"
            flags = ",".join(["0"] * 6 + [str(yes)] + ["0"] * 7)
            lines.append(f"CR,{at % 4}_{at},{name},{name},1,{text} {at},{flags},0")
    folder = tmp_path / "detoxis"
    folder.mkdir()
    (folder / "train.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


run = partial(command_line.run_aloud, "train stereotypes")


def test_comments_become_a_detector(comments: Path, tmp_path: Path) -> None:
    output = tmp_path / "detector"
    common = ("--corpus", "detoxis", "--data", comments)
    said = run(*common, "--switch", "under-bagging", "--switch", "ensemble", "-o", output)
    assert "Learning 1 label from 40 texts of detoxis, 16 with a label" in said
    assert f"Wrote stereotypes-detoxis 1 to {output}" in said
    alike, fine = load_detector(output).score(["todos ellos son iguales", "hoy llueve"])[
        "stereotype"
    ]
    assert alike > fine
    card = read_card(output)
    assert card.lang == "es"
    assert "research use only" in card.licence
    assert "--switch under-bagging --switch ensemble" in card.training["command"]
    with pytest.raises(UsageError, match="--force"):
        run(*common, "-o", output)
    run(*common, "-o", output, "--force")
    assert read_card(output).training["settings"]["switches"] == []


@pytest.mark.parametrize(
    ("args", "kind", "message"),
    [
        (("--switch", "under-baging"), UnknownNameError, "under-bagging"),
        (("--switch", "context"), UsageError, "experiments with the library"),
        (("--switch", "lora"), UsageError, "expected --encoder"),
        (
            ("--switch", "ensemble", "--encoder", "x"),
            UsageError,
            "expected adapters, lora or heads",
        ),
        (("--epochs", "2"), UsageError, "--epochs without --encoder"),
        (("--switch", "soft-labels"), UsageError, "no annotator who disagrees"),
        (("--data", "/nowhere/at/all"), UsageError, "no such file or folder"),
    ],
)
def test_what_is_refused_leaves_nothing(
    comments: Path, tmp_path: Path, args: tuple[str, ...], kind: type[TactfulError], message: str
) -> None:
    output = tmp_path / "out"
    data = () if "--data" in args else ("--data", comments)
    with pytest.raises(kind, match=message):
        run("--corpus", "detoxis", *data, "-o", output, *args)
    assert not output.exists()


def test_a_file_in_the_way_is_refused(comments: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="found a file"):
        run("--corpus", "detoxis", "--data", comments, "-o", tmp_path / "out")
