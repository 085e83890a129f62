"""A prompt of an audit, and the conditions of the stigma study that it may name."""

from collections.abc import Iterable
from dataclasses import dataclass

from tactful.registry import unknown_name
from tactful.taxonomies.load import load_taxonomy
from tactful.taxonomies.schema import ConditionEntry

DEFAULT_MASK = "[MASK]"


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt and where it comes from; a baseline has no condition and no form."""

    condition: str | None
    form: int | None
    """The place of the sub-condition in the condition's ``forms``, from 0."""
    question: str | None
    """The Social Distance question; None for a sentiment prompt."""
    template: str
    text: str


def conditions(ids: Iterable[str] | None = None) -> list[ConditionEntry]:
    """Return conditions of the stigma taxonomy.

    Parameters
    ----------
    ids
        The ids of the conditions; all conditions if None.

    Returns
    -------
    list of ConditionEntry
        In the order of ``ids``; without ids, stigmatized conditions first.

    """
    known = {e.id: e for e in load_taxonomy("stigma").entries if isinstance(e, ConditionEntry)}
    if ids is None:
        return list(known.values())
    chosen = []
    for name in ids:
        if name not in known:
            raise unknown_name("condition", name, list(known))
        chosen.append(known[name])
    return chosen
