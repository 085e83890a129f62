"""Scoring a comment for the attributes that a client of the Perspective API asks for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tactful.service.engine.engine import Engine
from tactful.service.engine.excerpts import TEXT_TOKENS, Excerpt, Piece, whole_pieces
from tactful.service.perspective.mapping import Attribute, find_attribute
from tactful.service.perspective.refusals import (
    invalid,
    language_not_supported,
    no_counterpart,
    shown,
)
from tactful.service.perspective.requests import AnalyzeRequest, Wanted, primary
from tactful.service.perspective.spans import sentence_pieces


@dataclass(frozen=True, slots=True)
class AttributeScore:
    """What is answered for one requested attribute."""

    summary: float
    spans: tuple[tuple[Piece, float], ...]
    """Ranges of code points, each with its own score."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """All that is answered to one request."""

    scores: Mapping[str, AttributeScore]
    """By the name that the client wrote."""
    detected: tuple[str, ...] = ()
    """The languages the comment may be in, also where the client named some."""
    is_whole: bool = True
    """Whether all of the comment was read."""


@dataclass(frozen=True, slots=True)
class _Plan:
    wanted: Wanted
    ids: Mapping[str, str]
    """Language -> id, for the languages to score in; the highest score is answered."""


async def analyze(
    engine: Engine, request: AnalyzeRequest, drop_unsupported: bool = False
) -> Analysis:
    """Score a comment, or say in Perspective's words why not."""
    drop = drop_unsupported or request.drop_unsupported
    found = _known(engine, request.wanted, drop)
    detected = tuple((await engine.languages([request.text]))[0])
    if not detected and not request.languages:
        raise invalid("Unable to detect language", "LANGUAGE_DETECTION_FAILED")
    plans = _plans(engine, request, found, detected, drop)
    langs = list(dict.fromkeys(lang for plan in plans for lang in plan.ids))
    if not langs:
        return Analysis({}, detected)
    # What a comment may cost is divided among its readings: by language, and once for its spans.
    most = TEXT_TOKENS // (len(langs) * (2 if request.spans else 1))
    (excerpt,) = await engine.excerpts([request.text], langs[:1], most)
    parts = _parts(request, excerpt)
    scored = {lang: await _scored(engine, request.text, parts, lang) for lang in langs}
    scores = {plan.wanted.name: _answer(plan, request, scored) for plan in plans}
    return Analysis(scores, detected, excerpt.is_whole)


def _known(engine: Engine, wanted: Sequence[Wanted], drop: bool) -> list[tuple[Wanted, Attribute]]:
    """Return the attributes that can be scored at all."""
    found, hopeless = [], []
    for each in wanted:
        attribute = find_attribute(each.name)
        if attribute is None:
            raise invalid(f"Unknown requested attribute: {shown(each.name)}")
        if attribute.ids or _ids(engine, attribute):
            found.append((each, attribute))
        else:
            hopeless.append((each.name, attribute))
    if hopeless and not drop:
        raise no_counterpart(hopeless)
    return found


def _ids(engine: Engine, attribute: Attribute) -> dict[str, str]:
    """Return by which ids the detectors score an attribute, by the language of those that can."""
    return {
        lang: found
        for lang, card in engine.cards.items()
        if (found := attribute.id_for(lang, card.ids)) is not None
    }


def _plans(
    engine: Engine,
    request: AnalyzeRequest,
    found: Sequence[tuple[Wanted, Attribute]],
    detected: Sequence[str],
    drop: bool,
) -> list[_Plan]:
    """Choose the languages to score each attribute in.

    Languages that the client names must all be supported. Of those a text may be in, the first
    that an attribute has is taken.
    """
    named = list(dict.fromkeys(map(primary, request.languages)))
    plans, refused = [], []
    for wanted, attribute in found:
        able = _ids(engine, attribute)
        chosen = named or [lang for lang in detected if lang in able][:1]
        if chosen and all(lang in able for lang in chosen):
            plans.append(_Plan(wanted, {lang: able[lang] for lang in chosen}))
        else:
            refused.append((wanted.name, [lang for lang in named or detected if lang not in able]))
    if refused and not drop:
        raise language_not_supported(
            [name for name, _ in refused], refused[0][1], requested=bool(named)
        )
    return plans


def _parts(request: AnalyzeRequest, excerpt: Excerpt) -> dict[Piece, list[Piece]]:
    """Return the ranges to score: the whole comment first, and its sentences if asked for.

    Each has the windows that it is read in. Of a comment that is too long to be read as a whole,
    sentences that are not read have no score.
    """
    text = request.text
    found: dict[Piece, list[Piece]] = {(0, len(text)): list(excerpt.pieces)}
    for start, end in sentence_pieces(text) if request.spans else ():
        if excerpt.is_whole or any(
            first <= start and end <= last for first, last in excerpt.pieces
        ):
            windows = whole_pieces(text[start:end])
            own = [(start + first, start + last) for first, last in windows]
            found.setdefault((start, end), own)
    return found


async def _scored(
    engine: Engine, text: str, parts: Mapping[Piece, Sequence[Piece]], lang: str
) -> dict[Piece, list[Mapping[str, float]]]:
    """Score each range by the windows that it is read in."""
    own = {piece: [text[slice(*part)] for part in found] for piece, found in parts.items()}
    each = list(dict.fromkeys(part for found in own.values() for part in found))
    answers = await engine.score(each, lang)
    known = {part: answer.probabilities for part, answer in zip(each, answers, strict=True)}
    return {piece: [known[part] for part in found] for piece, found in own.items()}


def _answer(
    plan: _Plan,
    request: AnalyzeRequest,
    scored: Mapping[str, Mapping[Piece, Sequence[Mapping[str, float]]]],
) -> AttributeScore:
    pieces = next(iter(scored.values()))
    values = {
        piece: max(part[name] for lang, name in plan.ids.items() for part in scored[lang][piece])
        for piece in pieces
    }
    whole = (0, len(request.text))
    finer = [(piece, value) for piece, value in values.items() if piece != whole]
    return AttributeScore(values[whole], tuple(finer or [(whole, values[whole])]))
