"""The recipes say what the papers say."""

import pytest

from tactful.errors import UnknownNameError
from tactful.training.recipes import RECIPES, find_recipe


@pytest.mark.parametrize("name", ["bert-base", "bert-large", "roberta", "distilbert"])
def test_dpm(name: str) -> None:
    """Pérez-Almendros et al. 2020, section 5: 10 epochs, batches of 32, seed 1."""
    recipe = RECIPES[f"dpm-{name}"]
    assert (recipe.epochs, recipe.batch, recipe.random_state) == (10, 32, 1)
    assert "rate" not in recipe.given


def test_sbic() -> None:
    """Sap et al. 2020, section 4.2: batches of 4, 1e-5 for GPT-2, up to 5 epochs."""
    recipe = RECIPES["sbic"]
    assert (recipe.batch, recipe.rate, recipe.epochs) == (4, 1e-5, 5)


def test_ucc_gives_no_number() -> None:
    assert RECIPES["ucc-bert"].given == ()


def test_settings_are_those_of_the_model() -> None:
    pytest.importorskip("torch")
    from tactful.training.finetune import FineTuned

    for recipe in RECIPES.values():
        model = FineTuned(recipe.encoder, **recipe.settings())
        assert model.get_params()["rate"] == recipe.rate


def test_an_unknown_recipe_answers_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'dpm-roberta'"):
        find_recipe("dpm-robertta")
