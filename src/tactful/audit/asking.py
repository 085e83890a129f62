"""Put prompts to a model: each text once, in batches, from the store where it was asked before."""

from collections.abc import Callable, Sequence

from tactful.audit.protocol import Answer, Asker
from tactful.audit.store import AnswerStore
from tactful.errors import InputError
from tactful.taxonomies.prompts import Prompt

OnProgress = Callable[[int, int], None]
"""Gets how many texts are answered, and how many there are."""


def ask_all(
    asker: Asker,
    prompts: Sequence[Prompt],
    store: AnswerStore,
    on_progress: OnProgress | None = None,
) -> list[Answer]:
    """Return an answer for each prompt, in their order; what is new is stored batch by batch."""
    texts = {prompt.text: prompt for prompt in prompts}
    # Long ones first, so that what does not fit into memory shows at the start; and like lengths
    # together, so that little of a batch is padding.
    open_ones = sorted(
        (prompt for text, prompt in texts.items() if text not in store),
        key=lambda prompt: (-len(prompt.text), prompt.text),
    )
    done = len(texts) - len(open_ones)
    size = max(1, asker.batch)
    for start in range(0, len(open_ones), size):
        if on_progress is not None:
            on_progress(done + start, len(texts))
        batch = open_ones[start : start + size]
        answers = asker.ask(batch)
        if len(answers) != len(batch):
            raise InputError(
                f"{asker.name} gave {len(answers)} answers to {len(batch)} prompts; expected one "
                "for each."
            )
        store.add((prompt.text, answer) for prompt, answer in zip(batch, answers, strict=True))
    if on_progress is not None:
        on_progress(len(texts), len(texts))
    return [store[prompt.text] for prompt in prompts]
