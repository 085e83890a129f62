"""What can be found, as data: ids, names, definitions, hierarchy and sources."""

from importlib import import_module
from typing import Any

from tactful.taxonomies.frame_constraints import binarise, check_frame_values
from tactful.taxonomies.load import (
    find_entry,
    find_taxonomy_of,
    load_taxonomy,
    taxonomy_names,
    taxonomy_problems,
)
from tactful.taxonomies.probe import SocialDistance, load_social_distance
from tactful.taxonomies.prompts import Prompt, conditions
from tactful.taxonomies.schema import ConditionEntry, LabelEntry, Taxonomy, VariableEntry

__all__ = [
    "ConditionEntry",
    "LabelEntry",
    "Prompt",
    "SocialDistance",
    "Taxonomy",
    "VariableEntry",
    "binarise",
    "check_frame_values",
    "conditions",
    "find_entry",
    "find_taxonomy_of",
    "load_social_distance",
    "load_taxonomy",
    "taxonomy_names",
    "taxonomy_problems",
]


def __getattr__(name: str) -> Any:
    if name in ("fill_mask_prompts", "sentiment_prompts"):  # in tactful_lab now, with a warning
        return getattr(import_module("tactful.taxonomies.stigma_prompts"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
