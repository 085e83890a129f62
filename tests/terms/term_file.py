"""The shape of a file of terms: the files of Tactful must keep it, and are read without it."""

from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from tactful.taxonomies.load import read_model
from tactful.taxonomies.schema import Record, Text
from tactful.terms.lexicon import GUARDS
from tactful.terms.schema import TermRecord, sentence


class TermFile(Record):
    """The terms of one kind in one language."""

    sources: Annotated[dict[Text, Text], Field(min_length=1)]
    """Short name -> the guide's name."""
    reasons: dict[Text, Annotated[Text, AfterValidator(sentence)]] = Field(default_factory=dict)
    """Short name -> a reason that several terms have."""
    terms: Annotated[tuple[TermRecord, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        for term in self.terms:
            if term.source not in self.sources:
                raise PydanticCustomError(
                    "source",
                    "a source of the file's 'sources', not '{source}', for '{form}'",
                    {"source": term.source, "form": term.forms[0]},
                )
            if term.reason not in self.reasons:
                sentence(term.reason)
            guarded = any(getattr(term, name) for name in GUARDS)
            if guarded and not (term.match and term.no_match):
                raise PydanticCustomError(
                    "examples",
                    "sentences in 'match' and 'no_match' for '{form}', which has a guard",
                    {"form": term.forms[0]},
                )
        return self


def read_terms(path: Path) -> TermFile:
    """Read a file of terms with its schema; one ``TaxonomyError`` lists all problems."""
    return read_model(path, TermFile)
