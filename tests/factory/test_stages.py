"""A finished stage is reused for the same data and settings only."""

import json
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from factory.stages import Stage, hash_of, saved  # noqa: E402

from tactful.training.loop import hash_of_weights  # noqa: E402


class Work:
    """A folder with one stage, which counts how often it is made."""

    def __init__(self, folder: Path):
        self.path = folder / "part" / "numbers.npz"
        self.said: list[str] = []
        self.made = 0

    def number(self, **made_from: object) -> float:
        stage = Stage(self.path, made_from, saved(self._make), self.said.append)
        return float(stage.arrays()["number"][0])

    def _make(self) -> dict[str, np.ndarray]:
        self.made += 1
        return {"number": np.array([float(self.made)])}


def test_a_stage_is_reused_while_nothing_changes(tmp_path: Path) -> None:
    work = Work(tmp_path)
    assert work.number(data="a", rate=0.1) == 1
    assert work.number(data="a", rate=0.1) == 1
    assert work.said == []


@pytest.mark.parametrize(
    ("changed", "key"), [({"data": "b", "rate": 0.1}, "data"), ({"data": "a", "rate": 0.2}, "rate")]
)
def test_a_change_makes_it_again_and_says_why(
    tmp_path: Path, changed: dict[str, object], key: str
) -> None:
    work = Work(tmp_path)
    work.number(data="a", rate=0.1)
    assert work.number(**changed) == 2
    assert work.said == [f"{work.path}: made again, because this changed since it was made: {key}."]
    # Back to the first: the file is of the second, so it is made once more.
    assert work.number(data="a", rate=0.1) == 3


@pytest.mark.parametrize("record", [None, "{", "[]"])
def test_a_stage_without_a_record_is_made_again(tmp_path: Path, record: str | None) -> None:
    work = Work(tmp_path)
    work.number(data="a")
    file = work.path.with_name("numbers.npz.made_from.json")
    assert json.loads(file.read_text(encoding="utf-8")) == {"data": "a"}
    file.unlink() if record is None else file.write_text(record, encoding="utf-8")
    assert work.number(data="a") == 2
    assert work.said == [f"{work.path}: made again, because nothing says what it was made from."]


def test_a_stage_that_stopped_half_way_is_not_reused(tmp_path: Path) -> None:
    def write(path: Path) -> None:
        path.write_text("complete", encoding="utf-8")

    def break_off(path: Path) -> None:
        path.write_text("half", encoding="utf-8")
        raise KeyboardInterrupt

    path = tmp_path / "x.txt"
    Stage(path, {"data": "a"}, write).file()
    with pytest.raises(KeyboardInterrupt):
        Stage(path, {"data": "b"}, break_off).file()
    found = Stage(path, {"data": "a"}, write).file()
    assert found.read_text(encoding="utf-8") == "complete"


def test_hashes_differ_where_what_they_hash_differs() -> None:
    one, same, other = (
        Stage(Path("x"), made_from, lambda _: None).digest
        for made_from in ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 1, "b": 3})
    )
    assert one == same != other
    assert hash_of(["ab"], ["c"]) != hash_of(["a"], ["bc"]) != hash_of(["a", "bc"])
    torch.manual_seed(1)
    model = torch.nn.Linear(2, 2)
    before = hash_of_weights(model.state_dict())
    assert hash_of_weights(model.state_dict()) == before
    with torch.no_grad():
        model.bias[0] += 1
    assert hash_of_weights(model.state_dict()) != before
