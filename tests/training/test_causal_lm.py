"""Teaching a tiny causal model: the loss by hand, resuming, adapters, and wrong settings."""

import importlib
import math
import runpy
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tactful.audit.base_model import find_base  # noqa: E402
from tactful.errors import FileFormatError, UsageError  # noqa: E402
from tactful.training.loop import CHECKPOINT_FILE  # noqa: E402
from tactful_lab.frames.causal_tokens import LineTokenizer  # noqa: E402
from tactful_lab.frames.linearise import special_tokens  # noqa: E402
from tactful_lab.training import adapters  # noqa: E402
from tactful_lab.training.causal import language_model as causal_lm  # noqa: E402
from tactful_lab.training.causal.base import load_base  # noqa: E402
from tactful_lab.training.causal.data import Line, encode_lines  # noqa: E402
from tactful_lab.training.causal.language_model import (  # noqa: E402
    CausalPlan,
    line_losses,
    mean_loss,
    train_causal,
)

TINY = runpy.run_path(str(Path(__file__).parents[1] / "tiny_causal.py"))
FAST = CausalPlan(epochs=3, batch=2, rate=1e-2)


@pytest.fixture(scope="module", params=["gpt2", "llama"])
def base(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = TINY["write_tiny_model"](tmp_path_factory.mktemp("tiny"), request.param)
    return folder


def opened(base: Path) -> tuple[Any, Any, list[Line]]:
    model, wrapped = load_base(find_base(base))
    return model, wrapped, encode_lines(TINY["LESSONS"], LineTokenizer(wrapped), 50, 96)


def weights(model: Any) -> dict[str, Any]:
    return {name: each.detach().clone() for name, each in model.named_parameters()}


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def test_the_loss_is_the_mean_over_what_is_learnt(base: Path) -> None:
    model, _, lines = opened(base)
    model.eval()
    for found, line in zip(line_losses(model, lines), lines, strict=True):
        chances = (
            model(input_ids=torch.tensor([line.tokens])).logits[0].detach().log_softmax(dim=-1)
        )
        single = [
            -float(chances[at - 1, token])
            for at, token in enumerate(line.labels)
            if at and token != -100
        ]
        assert float(found.detach()) == pytest.approx(sum(single) / len(single), abs=1e-4)
    expected = float(line_losses(model, lines).mean().detach())
    assert mean_loss(model, lines, 3) == pytest.approx(expected, abs=1e-5)


def test_new_tokens_begin_as_the_mean_of_their_pieces(base: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model, wrapped, _ = opened(base)
    before = AutoModelForCausalLM.from_pretrained(base).get_input_embeddings().weight
    pieces = AutoTokenizer.from_pretrained(base)("[offY]", add_special_tokens=False)["input_ids"]
    table = model.get_input_embeddings().weight
    found = table[wrapped.convert_tokens_to_ids("[offY]")]
    assert torch.allclose(found, before[pieces].mean(dim=0))
    rows = table[wrapped.convert_tokens_to_ids(special_tokens())]
    assert len({tuple(row.tolist()) for row in rows}) == len(special_tokens())


def test_it_learns(base: Path) -> None:
    model, wrapped, lines = opened(base)
    before = mean_loss(model, lines)
    steps: list[tuple[int, int, float]] = []
    model = train_causal(model, wrapped, lines, FAST, on_step=lambda *each: steps.append(each))
    assert mean_loss(model, lines) < 0.9 * before
    assert [step for step, _, _ in steps] == list(range(1, 7))
    assert {total for _, total, _ in steps} == {6}
    assert all(math.isfinite(loss) for _, _, loss in steps)


def test_a_stopped_run_goes_on_to_the_same_weights(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(causal_lm, "CHECKPOINT_STEPS", 2)

    def stop(step: int, total: int, loss: float) -> None:
        if step == 5:
            raise KeyboardInterrupt

    model, wrapped, lines = opened(base)
    whole = weights(train_causal(model, wrapped, lines, FAST))
    model, wrapped, _ = opened(base)
    with pytest.raises(KeyboardInterrupt):
        train_causal(model, wrapped, lines, FAST, tmp_path, stop)
    assert (tmp_path / CHECKPOINT_FILE).is_file()
    model, wrapped, _ = opened(base)
    seen: list[int] = []
    resumed = train_causal(
        model, wrapped, lines, FAST, tmp_path, lambda step, *_: seen.append(step)
    )
    assert seen == [5, 6]
    assert same(weights(resumed), whole)
    model, wrapped, _ = opened(base)
    other = weights(
        train_causal(model, wrapped, lines, CausalPlan(seed=2, epochs=3, batch=2, rate=1e-2))
    )
    assert not same(other, whole)


def test_a_checkpoint_of_something_else_is_refused(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(causal_lm, "CHECKPOINT_STEPS", 1)
    model, wrapped, lines = opened(base)
    train_causal(model, wrapped, lines, FAST, tmp_path)
    with pytest.raises(UsageError, match="--fresh"):
        train_causal(model, wrapped, lines, CausalPlan(seed=2), tmp_path)
    with pytest.raises(UsageError, match="other data"):
        train_causal(model, wrapped, lines[:3], FAST, tmp_path)
    (tmp_path / CHECKPOINT_FILE).write_bytes(b"no weights")
    with pytest.raises(FileFormatError, match="incomplete checkpoint"):
        train_causal(model, wrapped, lines, FAST, tmp_path)


def test_adapters_learn_and_are_merged(base: Path) -> None:
    pytest.importorskip("peft")
    model, wrapped, lines = opened(base)
    names = {name: each.shape for name, each in model.named_parameters()}
    untouched = weights(model)
    before = mean_loss(model, lines)
    merged = train_causal(
        model, wrapped, lines, CausalPlan(epochs=15, batch=2, rate=2e-2, lora=True, rank=4)
    )
    assert {name: each.shape for name, each in merged.named_parameters()} == names
    assert mean_loss(merged, lines) < 0.9 * before
    table = merged.get_input_embeddings().weight
    old = next(each for name, each in untouched.items() if each.shape == table.shape)
    new = wrapped.convert_tokens_to_ids(special_tokens())
    moved = (table != old).any(dim=1).nonzero()[:, 0].tolist()
    assert moved
    assert set(moved) <= set(new)


def test_without_peft_the_command_is_named(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def without(name: str, package: str | None = None) -> Any:
        if name == "peft":
            raise ImportError(name)
        return real(name, package)

    monkeypatch.setattr(adapters, "import_module", without)
    model, wrapped, lines = opened(base)
    with pytest.raises(UsageError, match="pip install peft"):
        train_causal(model, wrapped, lines, CausalPlan(lora=True))


def test_wrong_settings_are_refused(base: Path) -> None:
    for wrong in ({"epochs": 0}, {"batch": 0}, {"rank": 0}, {"rate": 0.0}, {"warm_up": 1.0}):
        with pytest.raises(UsageError, match=next(iter(wrong))):
            CausalPlan(**wrong)
    model, wrapped, _ = opened(base)
    with pytest.raises(UsageError, match="no line"):
        train_causal(model, wrapped, [], FAST)


def test_the_plan_is_the_papers() -> None:
    # Section 4.2: batch 4, rate 1e-5 for GPT-2, linear warm-up, e in {1, 2, 5}.
    plan = CausalPlan()
    assert (plan.batch, plan.rate, plan.epochs) == (4, 1e-5, 1)
    assert plan.warm_up > 0
