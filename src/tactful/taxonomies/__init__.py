"""What can be found, as data: ids, names, definitions, hierarchy and sources."""

from tactful.taxonomies.frame_constraints import binarise, check_frame_values
from tactful.taxonomies.load import (
    find_entry,
    find_taxonomy_of,
    load_taxonomy,
    taxonomy_names,
    taxonomy_problems,
)
from tactful.taxonomies.probe import SocialDistance, load_social_distance
from tactful.taxonomies.prompts import Prompt, conditions, fill_mask_prompts, sentiment_prompts
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
    "fill_mask_prompts",
    "find_entry",
    "find_taxonomy_of",
    "load_social_distance",
    "load_taxonomy",
    "sentiment_prompts",
    "taxonomy_names",
    "taxonomy_problems",
]
