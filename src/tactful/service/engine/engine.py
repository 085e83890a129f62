"""The engine: scores, checks and frames texts for all routes."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from tactful.checking.checker import check_ids, is_wanted, language_of, run_of
from tactful.checking.languages import merged, options_for_parts, part_of, parts_by_language
from tactful.checking.models import can_frame
from tactful.checking.options import AUTO, CheckOptions
from tactful.checking.report import DocumentReport
from tactful.checking.reports.run import Run
from tactful.detectors.card import Card
from tactful.detectors.cost import rough_tokens
from tactful.documents.document import Document, Kind, document_of
from tactful.documents.language import LANGUAGE_NAMES, possible_languages
from tactful.documents.segments import sentences
from tactful.errors import FileFormatError
from tactful.service.engine.admission import Admission
from tactful.service.engine.batching import Read
from tactful.service.engine.checking import Allowance, Deadline, Known, Prescored, report_within
from tactful.service.engine.excerpts import LONG_TOKENS, TEXT_TOKENS, Excerpt, whole_pieces
from tactful.service.engine.loading import read_cards
from tactful.service.engine.readers import FRAMES_AT_ONCE, Readers
from tactful.service.http.errors import NotReady, ServiceError, TooLong, invalid
from tactful.service.logs import NOTE
from tactful.service.metrics import Metrics
from tactful.service.settings import ServiceSettings
from tactful.types import Frame

T = TypeVar("T")

_LONG = 5_000
"""Detecting the language of more characters than this takes too long for the event loop."""
TEXTS_SHARE = 3
"""Texts may have this many times the tokens of a document: only their scores are reported."""
STATEMENT_TOKENS, GROUP_TOKENS = 200, 80
"""The cost of writing a statement, or of naming a group, besides reading the text."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What a detector says of one text."""

    lang: str
    model: str
    probabilities: dict[str, float]
    is_whole: bool = True
    """Whether all of the text was read."""


Watcher = Callable[[Sequence[str], Sequence[Scored | Exception]], None]


class Engine:
    """Detectors for all languages that are served, behind one bounded queue."""

    def __init__(self, settings: ServiceSettings):
        self.settings = settings
        self.metrics = Metrics()
        self.cards: dict[str, Card] = read_cards(settings)
        """The cards by language; the first language reads what has no clear one."""
        self.ids = list(dict.fromkeys(name for card in self.cards.values() for name in card.ids))
        """The ids that any of the detectors scores."""
        most_long = max(1, settings.max_queue // settings.max_batch)
        self._admission = Admission(
            settings.max_queue, most_long, settings.timeout_seconds, self.metrics
        )
        self._readers = Readers(settings, self.cards, self._observe)
        self.watchers: list[Watcher] = []
        """Functions that get the texts of clients and their scores; they must not block."""

    async def start(self) -> None:
        """Open the detectors in the background; requests that come before wait in the queue."""
        await self._readers.start()

    async def stop(self) -> None:
        """Finish accepted requests, refuse new ones, and end all threads."""
        await self._admission.close()
        await self._readers.stop()

    async def release_memory(self) -> None:
        """Give back the memory that large requests have taken."""
        await self._readers.release_memory()

    @property
    def waiting(self) -> int:
        """How many texts wait or are being read."""
        return self._admission.inside

    def not_ready(self) -> NotReady | None:
        """Return why the service cannot answer yet, or no longer; None when it can."""
        if self._readers.failure is not None:
            return self._readers.failure
        if self._admission.is_closed:
            return NotReady("The service is stopping.", "STOPPING")
        return None if self._readers.are_warm else NotReady("The service is still starting.")

    def detect(self, text: str) -> list[str]:
        """Return the languages a text may be in, most likely first; none for a third language.

        A text that is too short or too mixed to tell may be in any of those that are served.
        """
        return possible_languages(text, list(self.cards))

    def first_served(self, langs: Sequence[str]) -> str | None:
        """Return the first of some languages that is served, if any is."""
        return next((lang for lang in langs if lang in self.cards), None)

    async def languages(self, texts: Sequence[str]) -> list[list[str]]:
        """Return :meth:`detect` of each text; long texts are read outside the event loop."""
        if sum(map(len, texts)) <= _LONG:
            return [self.detect(text) for text in texts]
        return await self._measured(lambda: [self.detect(text) for text in texts])

    async def score(self, texts: Sequence[str], lang: str | None = None) -> list[Scored]:
        """Score texts together with those of other requests; one that fails raises for all."""
        answers = await self.score_each(texts, lang)
        for each in answers:
            if not isinstance(each, Scored):
                raise each
        return [each for each in answers if isinstance(each, Scored)]

    async def score_each(
        self, texts: Sequence[str], lang: str | None = None, *, watched: bool = True
    ) -> list[Scored | Exception]:
        """Score texts; if the detector fails on one, its answer is the error.

        Without ``lang`` each text is read in its language, or in the first one that is served.
        """
        if lang is not None:
            return await self.score_in(texts, [self._served(lang)] * len(texts), watched=watched)
        found = await self.languages(texts)
        langs = [self.first_served(each) or next(iter(self.cards)) for each in found]
        return await self.score_in(texts, langs, watched=watched)

    async def score_in(
        self, texts: Sequence[str], langs: Sequence[str], *, watched: bool = True
    ) -> list[Scored | Exception]:
        """Score each text in the language at its place in ``langs``.

        Watchers do not see texts that are scored for another reason than a client's question.

        Of a text of more than ``TEXT_TOKENS`` tokens, those pieces are read in which most may be
        found; the highest score of each id counts.
        """
        async with self._place(texts) as is_long:
            sizes = await self._sizes(texts, langs, exactly=is_long)
            tokens = sum(min(size, TEXT_TOKENS) for size in sizes)
            check_tokens(tokens, self.most_tokens, "The texts have")
            excerpts = [
                Excerpt(((0, len(text)),), (size,))
                if size <= TEXT_TOKENS
                else await self._readers.excerpt(text, lang, TEXT_TOKENS)
                for text, lang, size in zip(texts, langs, sizes, strict=True)
            ]
            rows = [row for row, each in enumerate(excerpts) for _ in each.pieces]
            answers = await self._scores(
                [text[slice(*piece)] for text, each in zip(texts, excerpts, strict=True)
                 for piece in each.pieces],
                [langs[row] for row in rows],
                [size for each in excerpts for size in each.tokens],
                is_long=is_long,
            )  # fmt: skip
        read: list[list[Read | Exception]] = [[] for _ in texts]
        for row, answer in zip(rows, answers, strict=True):
            read[row].append(answer)
        scored = [
            self._scored(lang, each, excerpt.is_whole)
            for lang, each, excerpt in zip(langs, read, excerpts, strict=True)
        ]
        if watched:
            for watch in self.watchers:
                watch(texts, scored)
        return scored

    async def excerpts(
        self, texts: Sequence[str], langs: Sequence[str], most: int = TEXT_TOKENS
    ) -> list[Excerpt]:
        """Return the windows of texts that are read, with at most ``most`` tokens of each.

        Of a longer text those are chosen in which a fast part of the detector finds most.
        """
        if all(len(text) <= most for text in texts):
            return [Excerpt(tuple(whole_pieces(text)), ()) for text in texts]
        async with self._place(texts):
            await self._opened(*langs)
            return [
                Excerpt(tuple(whole_pieces(text)), ())
                if len(text) <= most
                else await self._readers.excerpt(text, lang, most)
                for text, lang in zip(texts, langs, strict=True)
            ]

    @property
    def most_tokens(self) -> int:
        """How many tokens may be read for one request, with all that is read again."""
        return TEXTS_SHARE * self.settings.max_tokens

    async def check(
        self,
        text: str,
        options: CheckOptions | None = None,
        kind: Kind = "plain",
        *,
        allowance: Allowance | None = None,
        marks: bool = True,
    ) -> DocumentReport:
        """Check a text as :class:`tactful.checking.checker.Checker` does.

        The model is the one that is served; that of the options is ignored. A request that checks
        several texts gives the same ``allowance`` for all of them; a third of what is left is the
        most that a text may have. Without ``marks``, no words are looked for.
        """
        options = options or CheckOptions()
        if not text.strip():
            raise invalid("The text is empty: there is nothing to check.", "TEXT_EMPTY")
        check_ids(options, list(self.cards.values()))
        # Beside its scores a document may have words and statements to find, for each passage.
        is_long = rough_tokens(text) > LONG_TOKENS // 4
        async with self._admission.place(is_long=is_long):
            deadline = Deadline(self.settings.timeout_seconds)
            allowance = allowance or Allowance(self.most_tokens)
            details: Allowance | None = None
            try:
                document = await self._document(text, kind)
                lang = await self._language_of(document, options.lang)
                self._refuse_unknown(options, lang)
                parts = None
                if options.lang == AUTO:
                    langs = [
                        name
                        for name, card in self.cards.items()
                        if name == lang or is_wanted(options, card)
                    ]
                    call = partial(parts_by_language, document, lang, langs)
                    parts = await self._aside(call)
                tokens, details = await self._admitted(document, lang, allowance)
                checked = partial(
                    self._checked,
                    tokens=tokens,
                    deadline=deadline,
                    allowance=details,
                    is_long=is_long,
                    marks=marks,
                )
                if parts is None:
                    return await checked(document, lang, options)
                options = options_for_parts(options, lang)
                reports = [
                    await checked(part_of(document, found), each, options)
                    for each, found in parts.by_lang.items()
                ]
                return merged(document, reports, parts.unchecked)
            finally:
                deadline.give_up()
                if details is not None:
                    self._note(round(details.read))
                    allowance.left -= details.read

    async def _checked(
        self,
        document: Document,
        lang: str,
        options: CheckOptions,
        *,
        tokens: Mapping[str, int],
        deadline: Deadline,
        allowance: Allowance,
        is_long: bool,
        marks: bool,
    ) -> DocumentReport:
        """Check a document that is in one language."""
        passages = {segment.text: tokens[segment.text] for segment in document.segments}
        known = Known(await self._known(passages, lang, is_long=is_long), tokens)
        lane = self._readers.lanes[lang]
        detector = Prescored(
            self._readers.detector(lang),
            lane.long if is_long else lane,
            known,
            deadline,
            allowance,
            marks=marks,
        )
        framing = None
        if options.frames != "off" and can_frame(self.cards[lang]):
            statements = options.frames == "statements"
            framing = partial(self._framed, statements, known, deadline, allowance)
        call = partial(report_within, detector, document, options, framing)
        return await self._aside(call)

    async def frame(self, texts: Sequence[str], *, statements: bool = True) -> list[Frame]:
        """Return the Social Bias Frames of English texts."""
        each = STATEMENT_TOKENS if statements else GROUP_TOKENS
        cost = sum(rough_tokens(text) + each for text in texts)
        check_tokens(cost, self.most_tokens, "Their frames cost as much as")
        is_long = cost > LONG_TOKENS
        lane = self._readers.frames_lane
        found: list[Frame] = []
        async with self._admission.place(self._weight(texts), is_long=is_long):
            self._note(cost)
            for start in range(0, len(texts), FRAMES_AT_ONCE):
                part = texts[start : start + FRAMES_AT_ONCE]
                call = partial(self._readers.frames, part, statements)
                found += await self._readers.aside(lane.long if is_long else lane, call)
        return found

    def run(self, only: Sequence[str] = (), report_lang: str = AUTO) -> Run:
        """Return the models and ids that a rendered report names."""
        return run_of(list(self.cards.values()), only, report_lang)

    async def _scores(
        self,
        texts: Sequence[str],
        langs: Sequence[str],
        tokens: Sequence[int],
        *,
        is_long: bool = False,
    ) -> list[Read | Exception]:
        found = await self._readers.scores(texts, langs, tokens, is_long=is_long)
        self._note(sum(tokens))
        if found and (note := NOTE.get()) is not None:
            note.texts += len(found)
            note.batch = max(note.batch, *(e.batch if isinstance(e, Read) else 0 for e in found))
            note.model = self.cards[langs[0]].model
        return found

    def _scored(
        self, lang: str, answers: Sequence[Read | Exception], is_whole: bool
    ) -> Scored | Exception:
        """Combine the scores of the pieces of a text: the highest counts."""
        read = [each.probabilities for each in answers if isinstance(each, Read)]
        if len(read) < len(answers):
            return next(each for each in answers if isinstance(each, Exception))
        best = {name: max(each[name] for each in read) for name in read[0]}
        return Scored(lang, self.cards[lang].model, best, is_whole)

    async def _known(
        self, tokens: Mapping[str, int], lang: str, *, is_long: bool = False
    ) -> dict[str, dict[str, float]]:
        """Return the scores of texts, given with their tokens; one that fails raises."""
        answers = await self._scores(
            list(tokens),
            [lang] * len(tokens),
            list(tokens.values()),
            is_long=is_long,
        )
        found = {}
        for text, answer in zip(tokens, answers, strict=True):
            if isinstance(answer, Exception):
                raise answer
            found[text] = answer.probabilities
        return found

    def _place(self, texts: Sequence[str]) -> AbstractAsyncContextManager[bool]:
        """Hold a place for texts; the value of the block says whether they are long.

        A single comment is never long, because only a part of a long comment is read.
        """
        is_long = sum(min(rough_tokens(text), TEXT_TOKENS) for text in texts) > LONG_TOKENS
        return self._admission.place(self._weight(texts), is_long=is_long)

    def _weight(self, texts: Sequence[str]) -> int:
        return min(len(texts), self.settings.max_batch)

    def _note(self, tokens: int) -> None:
        note = NOTE.get()
        if note is not None:
            note.tokens += tokens

    async def _sizes(
        self, texts: Sequence[str], langs: Sequence[str], *, exactly: bool
    ) -> list[int]:
        """Return the tokens of texts: counted where there may be many, else estimated."""
        if not exactly and all(len(text) <= TEXT_TOKENS for text in texts):
            return [rough_tokens(text) for text in texts]
        await self._opened(*langs)
        return await self._measured(partial(self._readers.tokens, texts, langs))

    async def _admitted(
        self, document: Document, lang: str, allowance: Allowance
    ) -> tuple[dict[str, int], Allowance]:
        """Return the tokens of passages and sentences, and what may be read beside them.

        Too many are refused. All sentences may be read alone, too, and short ones have more tokens
        than their share of a passage. The passages are taken from the allowance.
        """
        texts = [segment.text for segment in document.segments]
        tokens = await self._tokens(texts, lang)
        # A repeated passage is read once, but reported each time.
        whole = sum(tokens[text] for text in texts)
        most = int(allowance.left)
        check_tokens(whole, most // TEXTS_SHARE, "The document has")
        alone = await self._tokens(await self._aside(partial(_sentences, document)), lang)
        parts = max(whole, sum(alone.values()))
        check_tokens(whole + parts, most, "The document and its sentences, each read alone, have")
        allowance.take(whole)
        # What remains is for words and statements.
        return {**alone, **tokens}, Allowance(most - whole - parts)

    async def _tokens(self, texts: Sequence[str], lang: str) -> dict[str, int]:
        """Return the different texts with their tokens."""
        different = list(dict.fromkeys(texts))
        await self._opened(lang)
        sizes = await self._aside(partial(self._readers.tokens, different, [lang] * len(different)))
        return dict(zip(different, sizes, strict=True))

    async def _opened(self, *langs: str) -> None:
        """Wait until the detectors of languages are open: the first work of their lanes."""
        if not self._readers.are_warm:
            for lang in dict.fromkeys(langs):
                await self._readers.aside(self._readers.lanes[lang], lambda: None)

    async def _document(self, text: str, kind: Kind) -> Document:
        try:
            return await self._aside(partial(document_of, text, kind))
        except FileFormatError as error:  # only a notebook has a format that can be wrong
            raise invalid(str(error), "TEXT_NOT_READABLE") from None

    async def _language_of(self, document: Document, lang: str) -> str:
        """Return the language that a document is read in: as asked for, else as it seems."""
        if lang != AUTO:
            return self._served(lang)
        found = await self._aside(partial(language_of, document))
        if found is None or found in self.cards:
            return found or next(iter(self.cards))
        raise _not_served(f"The text seems to be {LANGUAGE_NAMES[found]}", self.cards)

    def _served(self, lang: str) -> str:
        if lang not in self.cards:
            raise _not_served("This language is not served", self.cards)
        return lang

    def _refuse_unknown(self, options: CheckOptions, lang: str) -> None:
        if not is_wanted(options, self.cards[lang]):
            raise invalid(
                f"The text is {LANGUAGE_NAMES.get(lang, lang)}, in which none of the wanted ids "
                "can be found; leave 'only' out.",
                "LANGUAGE_NOT_SUPPORTED",
            )

    def _framed(
        self,
        statements: bool,
        known: Known,
        deadline: Deadline,
        allowance: Allowance,
        texts: Sequence[str],
    ) -> list[Frame]:
        """Return the frames of texts, empty ones where the allowance ends.

        To be called in a thread that may wait.
        """
        each = STATEMENT_TOKENS if statements else GROUP_TOKENS
        read = [text for text in dict.fromkeys(texts) if allowance.take(each + known.tokens[text])]
        found: dict[str, Frame] = {}
        for start in range(0, len(read), FRAMES_AT_ONCE):
            part = read[start : start + FRAMES_AT_ONCE]
            lane = self._readers.frames_lane.long
            answers = deadline.wait_for(lane.submit(self._readers.frames, part, statements))
            found |= zip(part, answers, strict=True)
        return [found.get(text, Frame()) for text in texts]

    async def _aside(self, call: Callable[[], T]) -> T:
        return await self._readers.aside(self._readers.checks, call)

    async def _measured(self, call: Callable[[], T]) -> T:
        return await self._readers.aside(self._readers.measures, call)

    def _observe(self, model: str, texts: int, seconds: float) -> None:
        self.metrics.batches.labels(model).observe(texts)
        self.metrics.texts.labels(model).inc(texts)
        self.metrics.reading.labels(model).inc(seconds)
        self._admission.took(seconds, texts)


def check_tokens(tokens: int, most: int, what: str) -> None:
    """Refuse texts that would take too long to read."""
    if tokens > most:
        raise TooLong(tokens, most, what)


def _sentences(document: Document) -> list[str]:
    """Return the sentences of the passages that have several."""
    found: list[str] = []
    for segment in document.segments:
        places = sentences(segment.text)
        if len(places) > 1:
            found += [segment.text[start:end] for start, end in places]
    return found


def _not_served(what: str, cards: Mapping[str, Card]) -> ServiceError:
    return invalid(
        f"{what}; expected {' or '.join(cards)}.",
        "LANGUAGE_NOT_SUPPORTED",
        languages=list(cards),
    )
