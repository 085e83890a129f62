"""Scores on a shared cache are those of reading each text alone, for every architecture."""

import random
from inspect import signature
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tactful.audit.causal import scores as causal_scores  # noqa: E402
from tactful.audit.causal.scores import reads_in_steps, score, score_plainly  # noqa: E402
from tactful.audit.causal.tokens import Unit  # noqa: E402
from tactful.errors import UsageError  # noqa: E402

SIZE = 40
CACHED = ("llama", "gpt2", "opt", "bloom", "gpt_neox", "mistral")
_SHAPE: dict[str, dict[str, Any]] = {
    "gpt2": {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64},
    "bloom": {"hidden_size": 32, "n_layer": 2, "n_head": 4},
    "opt": {"ffn_dim": 48, "word_embed_proj_dim": 32},
    "llama": {"num_key_value_heads": 2},
    "mistral": {"num_key_value_heads": 2, "sliding_window": 64},
    "mamba": {"hidden_size": 32, "num_hidden_layers": 2, "state_size": 4},
}
_USUAL = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 64,
}


def tiny(kind: str) -> Any:
    from transformers import AutoConfig, AutoModelForCausalLM

    own = _SHAPE.get(kind, {})
    usual = {} if kind in {"gpt2", "bloom", "mamba"} else _USUAL
    ends = {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 1}
    config = AutoConfig.for_model(kind, vocab_size=SIZE, **{**usual, **own, **ends})
    torch.manual_seed(5)
    model = AutoModelForCausalLM.from_config(config)
    with torch.no_grad():
        # The library begins with very small weights: every token would be about as probable.
        for weights in model.parameters():
            if weights.dim() == 2:
                weights.mul_(6)
    return model.float().eval()


def units(seed: int = 1, count: int = 24) -> list[Unit]:
    """Return contexts that begin alike in families, of many lengths, with tails of 1-4 tokens."""
    dice = random.Random(seed)
    stems = [tuple(dice.choices(range(2, SIZE), k=size)) for size in (1, 4, 9)]
    return [
        Unit(
            (*dice.choice(stems), *dice.choices(range(2, SIZE), k=dice.randrange(1, 12))),
            tuple(
                tuple(dice.choices(range(2, SIZE), k=dice.randrange(1, 5)))
                for _ in range(dice.randrange(1, 5))
            ),
        )
        for _ in range(count)
    ]


def one_by_one(model: Any, given: list[Unit], whole: bool) -> list[list[float]]:
    """Score each text alone with nothing but the model's logits."""
    found = []
    for unit in given:
        scores = []
        for tail in unit.tails:
            line = [*unit.context, *tail]
            with torch.no_grad():
                chances = model(torch.tensor([line])).logits[0].double().log_softmax(dim=-1)
            start = 1 if whole else len(unit.context)
            scores.append(sum(float(chances[at - 1, line[at]]) for at in range(start, len(line))))
        found.append(scores)
    return found


def listen(model: Any, patch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """Return a list that gets the shape of every input of the model from now on."""
    forward, heard = model.forward, []

    def listening(**inputs: Any) -> Any:
        heard.append(tuple(inputs["input_ids"].shape))
        return forward(**inputs)

    listening.__signature__ = signature(forward)  # type: ignore[attr-defined]
    patch.setattr(model, "forward", listening)
    return heard


def differ(one: list[list[float]], other: list[list[float]]) -> float:
    assert [len(each) for each in one] == [len(each) for each in other]
    return max(
        abs(a - b) for x, y in zip(one, other, strict=True) for a, b in zip(x, y, strict=True)
    )


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("kind", CACHED)
def test_sharing_changes_nothing(kind: str, whole: bool) -> None:
    model = tiny(kind)
    assert reads_in_steps(model, [3, 4, 5])
    given = units()
    wanted = one_by_one(model, given, whole)
    assert differ(score(model, given, whole), wanted) < 1e-4
    assert differ(score_plainly(model, given, whole), wanted) < 1e-4
    alone = [score(model, [unit], whole)[0] for unit in given]
    assert differ(alone, wanted) < 1e-4


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("limit", ["_TOKENS_AT_ONCE", "_CACHED_AT_ONCE"])
def test_small_batches_give_the_same(
    limit: str, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, given = tiny("llama"), units(2)
    wanted = one_by_one(model, given, whole)
    monkeypatch.setattr(causal_scores, limit, 7)
    assert differ(score(model, given, whole), wanted) < 1e-4
    assert differ(score_plainly(model, given, whole), wanted) < 1e-4


def test_long_tails_that_begin_alike_share_their_beginning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A masked word early in the sentence: the lines share more than the contexts."""
    model = tiny("gpt2")
    after = tuple(range(3, 33))
    given = [Unit((2, 5), ((7, *after, end), (8, *after, end))) for end in range(2, 12)]
    wanted = one_by_one(model, given, True)
    heard = listen(model, monkeypatch)
    assert differ(score(model, given, True), wanted) < 1e-4
    # Twenty lines of 33 tokens, of which 32 are shared by ten.
    assert sum(rows * width for rows, width in heard) < 100


def test_one_pass_for_words_of_one_token(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny("llama")
    given = [Unit((2, 5, 9), tuple((word,) for word in range(3, 15)))]
    wanted = one_by_one(model, given, False)
    heard = listen(model, monkeypatch)
    assert differ(score(model, given, False), wanted) < 1e-4
    assert heard == [(1, 3)]


def test_all_words_together_have_the_probability_one() -> None:
    model = tiny("opt")
    found = score(model, [Unit((2, 5, 9), tuple((word,) for word in range(SIZE)))], False)
    assert torch.tensor(found).exp().sum().item() == pytest.approx(1, abs=1e-5)


def test_a_model_without_such_a_cache_is_read_plainly() -> None:
    model = tiny("mamba")
    assert not reads_in_steps(model, [3, 4, 5])
    given = units(3, 6)
    for whole in (True, False):
        wanted = one_by_one(model, given, whole)
        assert differ(score_plainly(model, given, whole), wanted) < 1e-4


def test_a_cache_that_misleads_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that ignores the mask takes padding for words; the check before use finds it."""
    model = tiny("llama")
    forward = model.forward

    def blind(**inputs: Any) -> Any:
        inputs.pop("attention_mask", None)
        return forward(**inputs)

    blind.__signature__ = signature(forward)  # type: ignore[attr-defined]
    monkeypatch.setattr(model, "forward", blind)
    assert not reads_in_steps(model, [3, 4, 5])


def test_a_model_that_looks_ahead_is_refused() -> None:
    from transformers import BertConfig, BertLMHeadModel, logging

    logging.set_verbosity_error()
    torch.manual_seed(1)
    model = BertLMHeadModel(BertConfig(vocab_size=SIZE, **_USUAL)).eval()
    with torch.no_grad():
        for weights in model.parameters():
            weights.mul_(6)
    with pytest.raises(UsageError, match=r"looks at the words that come after.*fill-mask"):
        reads_in_steps(model, [3, 4, 5])


def test_a_model_without_a_head_is_refused() -> None:
    from transformers import LlamaConfig, LlamaModel

    model = LlamaModel(LlamaConfig(vocab_size=SIZE, **_USUAL)).eval()
    with pytest.raises(UsageError, match=r"no probabilities of words.*with its head"):
        reads_in_steps(model, [3, 4, 5])


def test_nothing_to_score_is_nothing() -> None:
    model = tiny("gpt2")
    assert score(model, [], True) == score(model, [], False) == score_plainly(model, [], True) == []
