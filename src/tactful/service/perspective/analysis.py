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
from tactful.service.perspective.scale import Scale
from tactful.service.perspective.spans import sentence_pieces
from tactful.service.settings import Unsupported


@dataclass(frozen=True, slots=True)
class AttributeScore:
    """What is answered for one requested attribute."""

    summary: float
    spans: tuple[tuple[Piece, float], ...]
    """Ranges of code points, each with its own score."""


@dataclass(frozen=True, slots=True)
class Unscored:
    """A requested attribute that cannot be scored, and why."""

    name: str
    """As the client wrote it."""
    attribute: Attribute
    langs: tuple[str, ...] = ()
    """The languages that it is not scored in; empty where it is scored in none."""

    @property
    def reason(self) -> str:
        """Why it has no score, as a sentence."""
        if self.attribute.id is None:
            return self.attribute.reason
        spoken = " or ".join(self.langs) or "the language of the comment"
        return f"No detector of this server scores it in {spoken}."


@dataclass(frozen=True, slots=True)
class Analysis:
    """All that is answered to one request."""

    scores: Mapping[str, AttributeScore]
    """By the name that the client wrote."""
    detected: tuple[str, ...] = ()
    """The languages the comment may be in, also where the client named some."""
    is_whole: bool = True
    """Whether all of the comment was read."""
    unscored: tuple[Unscored, ...] = ()
    """What was asked for and cannot be scored."""


@dataclass(frozen=True, slots=True)
class _Plan:
    wanted: Wanted
    ids: Mapping[str, str]
    """Language -> id, for the languages to score in; the highest score is answered."""


async def analyze(
    engine: Engine,
    request: AnalyzeRequest,
    scale: Scale,
    unsupported: Unsupported = "refuse",
) -> Analysis:
    """Score a comment, or say in Perspective's words why not.

    Parameters
    ----------
    engine
        The detectors.
    request
        The comment and the attributes that are wanted.
    scale
        What a probability is answered as.
    unsupported
        What to do with attributes that cannot be scored. With ``refuse`` one of them refuses the
        request, as Perspective does; with ``omit`` and ``null`` the others are scored.
    """
    wanted = _known(request.wanted)
    _refuse_without_counterpart(wanted, unsupported)
    detected = tuple((await engine.languages([request.text]))[0])
    if not detected and not request.languages and unsupported != "null":
        raise invalid("Unable to detect language", "LANGUAGE_DETECTION_FAILED")
    plans, unscored = _plans(engine, request, wanted, detected, strict=unsupported == "refuse")
    langs = list(dict.fromkeys(lang for plan in plans for lang in plan.ids))
    if not langs:
        return Analysis({}, detected, unscored=unscored)
    # What a comment may cost is divided among its readings: by language, and once for its spans.
    most = TEXT_TOKENS // (len(langs) * (2 if request.spans else 1))
    (excerpt,) = await engine.excerpts([request.text], langs[:1], most)
    parts = _parts(request, excerpt)
    scored = {lang: await _scored(engine, request.text, parts, lang) for lang in langs}
    models = {lang: engine.cards[lang].model for lang in langs}
    scores = {plan.wanted.name: _answer(plan, request, scored, models, scale) for plan in plans}
    return Analysis(scores, detected, excerpt.is_whole, unscored)


def _known(wanted: Sequence[Wanted]) -> list[tuple[Wanted, Attribute]]:
    """Return the attributes by their names; one that nobody knows is refused."""
    found = []
    for each in wanted:
        attribute = find_attribute(each.name)
        if attribute is None:
            raise invalid(f"Unknown requested attribute: {shown(each.name)}")
        found.append((each, attribute))
    return found


def _refuse_without_counterpart(
    wanted: Sequence[tuple[Wanted, Attribute]], unsupported: Unsupported
) -> None:
    without = [(each.name, row) for each, row in wanted if row.id is None]
    if without and unsupported == "refuse":
        raise no_counterpart(without)


def _ids(engine: Engine, attribute: Attribute) -> dict[str, str]:
    """Return by which ids the detectors score an attribute, by the language of those that can."""
    return {
        lang: found
        for lang, card in engine.cards.items()
        if (found := attribute.id_for(card.ids)) is not None
    }


def _plans(
    engine: Engine,
    request: AnalyzeRequest,
    wanted: Sequence[tuple[Wanted, Attribute]],
    detected: Sequence[str],
    *,
    strict: bool,
) -> tuple[list[_Plan], tuple[Unscored, ...]]:
    """Choose the languages to score each attribute in; return what cannot be scored apart.

    Of the languages a text may be in, the first that an attribute has is taken. Languages that the
    client names must all be supported, as with Perspective; unless ``strict``, the supported ones
    are enough if the text may be in one of them.
    """
    named = list(dict.fromkeys(map(primary, request.languages)))
    plans, unscored = [], []
    for each, attribute in wanted:
        able = _ids(engine, attribute)
        missing = tuple(lang for lang in named or detected if lang not in able)
        if named:
            chosen = [lang for lang in named if lang in able]
            if missing and (strict or not set(chosen) & set(detected)):
                chosen = []
        else:
            chosen = [lang for lang in detected if lang in able][:1]
        if chosen:
            plans.append(_Plan(each, {lang: able[lang] for lang in chosen}))
        else:
            unscored.append(Unscored(each.name, attribute, missing))
    if unscored and strict:
        raise language_not_supported(
            [each.name for each in unscored], unscored[0].langs, requested=bool(named)
        )
    return plans, tuple(unscored)


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
    models: Mapping[str, str],
    scale: Scale,
) -> AttributeScore:
    pieces = next(iter(scored.values()))
    values = {
        piece: max(
            scale.score(models[lang], name, max(part[name] for part in scored[lang][piece]))
            for lang, name in plan.ids.items()
        )
        for piece in pieces
    }
    whole = (0, len(request.text))
    finer = [(piece, value) for piece, value in values.items() if piece != whole]
    return AttributeScore(values[whole], tuple(finer or [(whole, values[whole])]))
