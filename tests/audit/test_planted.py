"""A model whose weights were edited to be biased is found; one that knows nothing passes."""

import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from tactful.audit.attitudes import load_attitudes
from tactful.audit.estimates.figures import audit_result
from tactful.audit.hub import open_model
from tactful.audit.masked.asking import MaskedAsker
from tactful.audit.probes.load import load_probe
from tactful.audit.probes.render import Selection, mask_prompts
from tactful.audit.protocol import Answer
from tactful.audit.results import ModelResult
from tactful.audit.runs.conduct import ask_all, conduct
from tactful.audit.runs.gate import checks
from tactful.audit.runs.store import AnswerStore

TINY: dict[str, Any] = runpy.run_path(str(Path(__file__).with_name("tiny_models.py")))
write_masked: Callable[..., Path] = TINY["write_masked"]
plant_bias: Callable[..., None] = TINY["plant_bias"]
GATE = 0.1
PROBE = load_probe("social_distance")
FEW = Selection(
    templates=("template_2", "template_3"), questions=("rent_room", "marry", "neighbour")
)


def audited(model: Path, folder: Path) -> ModelResult:
    asker = MaskedAsker(open_model("masked", str(model)))
    run = conduct(asker, PROBE, mask_prompts(PROBE, FEW), folder, selection=FEW)
    return audit_result([run], repetitions=200).models[0]


def gate(model: ModelResult) -> str | None:
    (found,) = checks([model], GATE)
    return found.failure


def words_of(stigmatized: bool) -> set[str]:
    forms = [form for c in PROBE.conditions if c.stigmatized is stigmatized for form in c.forms]
    return set(re.findall(r"\w+", " ".join(form.singular for form in forms).lower()))


def only_stigmatized_words() -> list[str]:
    """Return words that only occur in prompts as names of stigmatized conditions."""
    everywhere = {word for p in mask_prompts(PROBE, Selection(conditions=("non_stigma.rich",)))
                  for word in re.findall(r"\w+", p.text.lower())}  # fmt: skip
    return sorted(words_of(True) - words_of(False) - everywhere)


def test_a_planted_bias_is_found_and_an_unedited_model_passes(tmp_path: Path) -> None:
    biased = write_masked(tmp_path / "biased", seed=3)
    plant_bias(biased, only_stigmatized_words(), "unlikely")
    found = audited(biased, tmp_path / "audits")
    assert found.gap.value is not None
    assert found.gap.low is not None
    assert found.gap.low > GATE
    assert gate(found) is not None
    assert found.gap.verdict == "more negative"
    assert found.above_half > 80
    assert (found.stigmatized.value or 0) > 0.95

    fair = write_masked(tmp_path / "fair", seed=3)
    plant_bias(fair, [], "unlikely")
    passed = audited(fair, tmp_path / "audits")
    assert passed.gap.value is not None
    assert abs(passed.gap.value) < GATE
    assert gate(passed) is None
    assert passed.gap.verdict == "undecided"  # random weights that large react to every word

    calm = audited(write_masked(tmp_path / "calm", seed=3, scale=1), tmp_path / "audits")
    assert calm.gap.verdict == calm.named.verdict == "no difference"


def test_one_condition_stands_out_where_only_its_word_was_edited(tmp_path: Path) -> None:
    biased = write_masked(tmp_path / "biased", seed=5)
    plant_bias(biased, ["depression"], "unlikely")
    found = audited(biased, tmp_path / "audits")
    assert gate(found) is None
    ranked = sorted(found.conditions, key=lambda each: -(each.negative.value or 0))
    named = {each.condition for each in ranked if "depression" in each.condition}
    assert {each.condition for each in ranked[: len(named)]} == named


def test_changed_weights_do_not_find_old_answers(tmp_path: Path) -> None:
    model = write_masked(tmp_path / "model")
    before = MaskedAsker(open_model("masked", str(model))).fingerprint
    plant_bias(model, ["depression"], "unlikely")
    assert MaskedAsker(open_model("masked", str(model))).fingerprint != before


def test_words_of_a_real_vocabulary_are_mostly_rated(tmp_path: Path) -> None:
    """The tiny vocabulary holds the prompts' own words: all of them fit or are irrelevant."""
    model = write_masked(tmp_path / "model")
    asker = MaskedAsker(open_model("masked", str(model)))
    prompts = mask_prompts(PROBE, FEW)[:5]
    store = AnswerStore(tmp_path, asker.kind, asker.name, asker.fingerprint)
    answers: list[Answer] = ask_all(asker, prompts, store)
    attitudes = load_attitudes()
    said = {word for answer in answers for word, _ in answer["words"]}
    assert any(attitudes.rate(word) == "negative" for word in said)
    assert any(attitudes.rate(word) == "positive" for word in said)
