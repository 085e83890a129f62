"""Two processes train one network: the same steps as one, and one of them writes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from tactful.detectors import load_detector  # noqa: E402
from tactful.training import together  # noqa: E402
from tactful.training.bilstm.train import BiLstm  # noqa: E402

TEXTS = [f"{word} {other}" for word in ("poor", "fine") for other in ("souls", "help", "hope")] * 3
LABELS = [int(text.startswith("poor")) for text in TEXTS]
SETTINGS: dict[str, Any] = {
    "dropout": 0.0,
    "epochs": 3,
    "batch": 5,
    "rate": 0.05,
    "least": 1,
    "dimension": 8,
}
# A thread of the group that is left can abort the process at its end, now and then.
SCRIPT = """
import json, sys
from pathlib import Path
from tactful.training import together
from tactful.training.bilstm.train import BiLstm

texts, labels, settings, target = json.loads(sys.argv[1])
with together.joined() as first:
    assert together.processes() == 2
    model = BiLstm(**settings).fit(texts, labels)
    if first:
        found = {"probabilities": model.predict_proba(texts)[:, 1].tolist(),
                 "losses": [[each.loss, each.held_out_loss] for each in model.history_]}
        open(target, "w").write(json.dumps(found))
assert together.processes() == 1
threads = {each.joinpath("comm").read_text().strip() for each in Path("/proc/self/task").glob("*")}
assert not any("gloo" in each for each in threads), threads
"""


def torchrun(*words: object) -> str:
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    done = subprocess.run([*command, *map(str, words)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_two_processes_take_the_steps_of_one(tmp_path: Path) -> None:
    script, target = tmp_path / "script.py", tmp_path / "found.json"
    script.write_text(SCRIPT, encoding="utf-8")
    torchrun(script, json.dumps([TEXTS, LABELS, SETTINGS, str(target)]))
    found = json.loads(target.read_text(encoding="utf-8"))
    alone = BiLstm(**SETTINGS).fit(TEXTS, LABELS)
    np.testing.assert_allclose(found["probabilities"], alone.predict_proba(TEXTS)[:, 1], atol=1e-3)
    losses = [[each.loss, each.held_out_loss or 0.0] for each in alone.history_]
    np.testing.assert_allclose(found["losses"], losses, atol=1e-3)
    assert losses[-1][0] < losses[0][0]


def test_the_command_writes_and_prints_once(tmp_path: Path) -> None:
    table, output = tmp_path / "t.csv", tmp_path / "detector"
    rows = "".join(f"{text},{label}\n" for text, label in zip(TEXTS, LABELS, strict=True))
    table.write_text(f"text,label\n{rows}", encoding="utf-8")
    said = torchrun(
        "-m", "tactful", "train", "custom", "--table", table, "--label-column", "label=pcl",
        "--model", "bilstm", "--epochs", 2, "--validation", 0.4, "-o", output,
    )  # fmt: skip
    assert said.count("Epoch 2 of 2") == said.count(f"to {output}") == 1
    assert load_detector(output).card.ids == ("pcl",)
    assert [each.name for each in tmp_path.iterdir() if "training" in each.name] == []


def test_alone_nothing_is_shared() -> None:
    with together.joined() as first:
        assert (first, together.processes(), together.own_share([1, 2, 3])) == (True, 1, [1, 2, 3])
    assert together.own_seed(7) == 7
