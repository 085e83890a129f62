"""The papers' settings for fine-tuning, by name.

``given`` names the numbers that are in the paper. All others are ours: a rate of 2e-5 and a linear
decay after a short warm-up are what the authors of BERT recommend (Devlin et al. 2019, A.3), and
128 tokens hold nearly every paragraph and comment (longer ones are read through windows).
"""

from dataclasses import asdict, dataclass
from typing import Any

from tactful.registry import unknown_name


@dataclass(frozen=True, slots=True)
class Recipe:
    """An encoder and all numbers of its fine-tuning."""

    name: str
    source: str
    encoder: str
    """The name on the Hugging Face hub."""
    given: tuple[str, ...]
    """Which of the numbers the paper gives."""
    epochs: int
    batch: int
    rate: float = 2e-5
    warm_up: float = 0.06
    weight_decay: float = 0.01
    max_tokens: int = 128
    patience: int | None = None
    random_state: int = 1

    def settings(self) -> dict[str, Any]:
        """Return the numbers as :class:`tactful.training.finetune.FineTuned` takes them."""
        about = ("name", "source", "encoder", "given")
        return {name: value for name, value in asdict(self).items() if name not in about}


_DPM = "Pérez-Almendros et al. 2020, section 5"
_DPM_GIVEN = ("encoder", "epochs", "batch", "random_state")

RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        Recipe("dpm-bert-base", _DPM, "bert-base-cased", _DPM_GIVEN, epochs=10, batch=32),
        Recipe("dpm-bert-large", _DPM, "bert-large-cased", _DPM_GIVEN, epochs=10, batch=32),
        Recipe("dpm-roberta", _DPM, "roberta-base", _DPM_GIVEN, epochs=10, batch=32),
        # The paper says "DistilBERT"; cased, as its BERTs are, is ours.
        Recipe("dpm-distilbert", _DPM, "distilbert-base-cased", _DPM_GIVEN[1:], 10, 32),
        # The paper says "a pre-trained BERT model" and no number.
        Recipe(
            "ucc-bert",
            "Price et al. 2020, section 5",
            "bert-base-uncased",
            given=(),
            epochs=3,
            batch=32,
        ),
        # The paper's models write; 1e-5 is that of GPT-2, and the best of 1, 2 and 5 epochs was
        # taken, which stopping early comes nearest to. The encoder is ours.
        Recipe(
            "sbic",
            "Sap et al. 2020, section 4.2",
            "roberta-base",
            given=("batch", "rate", "epochs"),
            epochs=5,
            batch=4,
            rate=1e-5,
            patience=2,
        ),
    )
}


def find_recipe(name: str) -> Recipe:
    """Return a recipe; an unknown name answers with the nearest one and the list."""
    if name not in RECIPES:
        raise unknown_name("recipe", name, list(RECIPES))
    return RECIPES[name]
