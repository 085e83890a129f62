"""What a referee is shown of the answers they decide between: side by side, without names."""

from string import ascii_uppercase
from typing import Any

from tactful.annotation.project.exchange import PageItem
from tactful.annotation.protocol.records import Protocol
from tactful.annotation.state.items import Answer
from tactful.annotation.web.catalogue import Catalogue
from tactful.annotation.web.side_by_side import Blanks, Cell, compare, shared_answers


def others_of(protocol: Protocol, item: PageItem, words: Catalogue) -> dict[str, Any] | None:
    """Return everyone's answers as a table of words; None where there is nothing to compare.

    People are called A, B, C in the order of the page, which is another one for each item: a
    referee should judge answers, not persons. ``begin`` is what all of them answered alike.
    """
    step = protocol.step(item.step)
    if not item.others or step.entry is None:
        return None
    source = protocol.step(step.entry.step)
    given = [Answer(_letter(at), each, 0.0) for at, each in enumerate(item.others)]
    letters = [answer.annotator for answer in given]
    blanks = Blanks(words("others.none"), words("others.unmarked"))
    table = compare(source, item.text, given, letters, {}, blanks=blanks)
    return {
        "names": [words("others.annotator", letter=letter) for letter in letters],
        "rows": [
            {
                "question": question.text,
                "split": split,
                "news": words("others.differ" if split else "others.agree"),
                "cells": [_sent(cell, words) for cell in cells],
            }
            for (question, cells), split in zip(table.rows, table.split, strict=True)
        ],
        "begin": shared_answers(step, source, item.others),
    }


def _sent(cell: Cell, words: Catalogue) -> dict[str, Any]:
    is_empty = not cell.lines and not cell.marked
    lines = (words("others.not_asked"),) if is_empty else cell.lines
    return {
        "lines": lines,
        "marked": cell.marked,
        "differs": cell.differs,
        "muted": is_empty,
    }


def _letter(place: int) -> str:
    """Return A, B … Z, then A2, B2 …"""
    times, at = divmod(place, len(ascii_uppercase))
    return ascii_uppercase[at] + (str(times + 1) if times else "")
