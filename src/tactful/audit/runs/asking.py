"""Put prompts to a model: each text once, in batches, from the store where it was asked before."""

from collections.abc import Callable, Sequence

from tactful.audit.protocol import Answer, Asker
from tactful.audit.runs.store import AnswerStore
from tactful.errors import InputError, UsageError
from tactful.taxonomies.prompts import Prompt
from tactful.words import counted

OnProgress = Callable[[int, int], None]
"""Gets how many texts are answered, and how many there are."""


def ask_all(
    asker: Asker,
    prompts: Sequence[Prompt],
    store: AnswerStore,
    on_progress: OnProgress | None = None,
) -> list[Answer]:
    """Return an answer for each prompt, in their order; what is new is stored batch by batch."""
    texts = _each_once(asker, prompts)
    open_ones = sorted(
        (prompt for text, prompt in texts.items() if text not in store),
        key=_by_beginning if asker.kind == "causal" else _by_length,
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
                f"{asker.name} gave {counted(len(answers), 'answer')} to "
                f"{counted(len(batch), 'prompt')}; expected one "
                "for each."
            )
        store.add((prompt.text, answer) for prompt, answer in zip(batch, answers, strict=True))
    if on_progress is not None:
        on_progress(len(texts), len(texts))
    return [store[prompt.text] for prompt in prompts]


def _each_once(asker: Asker, prompts: Sequence[Prompt]) -> dict[str, Prompt]:
    texts: dict[str, Prompt] = {}
    for prompt in prompts:
        known = texts.setdefault(prompt.text, prompt)
        if asker.kind == "causal" and known.template != prompt.template:
            # The pairs of words belong to the template, and answers are kept by text.
            raise UsageError(
                f"The templates '{known.template}' and '{prompt.template}' give the same text; "
                "expected a difference; change one of them or leave it out with --template."
            )
    return texts


def _by_length(prompt: Prompt) -> tuple[int, str]:
    # Long ones first, so that what does not fit into memory shows at the start; and like lengths
    # together, so that little of a batch is padding.
    return -len(prompt.text), prompt.text


def _by_beginning(prompt: Prompt) -> str:
    # What prompts of one batch begin with is read once.
    return prompt.text
