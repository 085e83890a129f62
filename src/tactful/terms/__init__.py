"""Words that style guides advise against, with replacements: the lexicon tier."""

from typing import TYPE_CHECKING

from tactful.registry import lazy_names

if TYPE_CHECKING:
    from tactful.terms.lexicon import Guard, Lexicon, Term, TermMatch, find_terms, load_terms

__all__ = ["Guard", "Lexicon", "Term", "TermMatch", "find_terms", "load_terms"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "lexicon": ["Guard", "Lexicon", "Term", "TermMatch", "find_terms", "load_terms"],
    },
)
