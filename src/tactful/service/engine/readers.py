"""The detectors and the framer, each in its lane (:mod:`tactful.service.engine.lanes`).

A detector is only used in its lane, because detectors cache words and are not thread-safe; within
a call, onnxruntime uses all the cores that it is given. The event loop only passes texts on.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from tactful.detectors.base import Detector, Scores
from tactful.detectors.card import Card
from tactful.detectors.cost import suspicion, tokens_of
from tactful.detectors.models.onnx_session import release_memory as release_sessions
from tactful.detectors.weights import weights_folder
from tactful.errors import TactfulError
from tactful.frames.embedded import EMBEDDED, EmbeddedFramer, load_embedded_framer
from tactful.frames.load import without_statements
from tactful.service.engine.batching import Batcher, Read
from tactful.service.engine.excerpts import Excerpt, chosen_pieces, sized_pieces
from tactful.service.engine.lanes import Lane
from tactful.service.engine.loading import detector_folders, forget_words, open_detector
from tactful.service.engine.memory import trim
from tactful.service.http.errors import NotReady
from tactful.service.logs import log_failure
from tactful.service.settings import ServiceSettings
from tactful.types import Frame

T = TypeVar("T")
Observe = Callable[[str, int, float], None]
"""Receives the model, the number of texts in a batch, and the seconds it took."""

FRAMES_AT_ONCE = 3
"""The frames that are read in one call, so that other work can run between calls."""
PIECE_TOKENS = 512
"""The tokens of long work that are read in one call, for the same reason."""
_CHECKS_AT_ONCE = 4
_MEASURES_AT_ONCE = 2
_STARTING = "The service is still starting."
_WARM_UP = {
    "en": "The library will be open again on Monday, and everybody is welcome to come and read.",
    "es": "La biblioteca abre otra vez el lunes y todo el mundo puede venir a leer un rato.",
}
_ABOUT_A_GROUP = "We should not lower our standards to hire more women."
"""A text that uses all parts of the framer."""


class Readers:
    """Opens the detectors, and reads texts with them."""

    def __init__(self, settings: ServiceSettings, cards: Mapping[str, Card], observe: Observe):
        self._settings, self._cards, self._observe = settings, cards, observe
        self._detectors: dict[str, Detector] = {}
        self._framer: EmbeddedFramer | None = None
        self._batchers: dict[tuple[str, bool], Batcher] = {}
        """By language and whether it is long work."""
        self._warming: asyncio.Task[None] | None = None
        self.lanes: dict[str, Lane] = {}
        self.frames_lane = Lane("tactful-frames")
        self.checks = ThreadPoolExecutor(_CHECKS_AT_ONCE, "tactful-check")
        self.measures = ThreadPoolExecutor(_MEASURES_AT_ONCE, "tactful-measure")
        """Counts the tokens of texts and detects their language, independently of checks."""
        self.failure: NotReady | None = None
        """Why no detector can be used, if so."""

    @property
    def are_warm(self) -> bool:
        """Whether every detector is open and has read something."""
        return len(self._detectors) == len(self._cards)

    async def start(self) -> None:
        """Open the detectors in the background; texts that come before wait in the lanes."""
        settings, loop = self._settings, asyncio.get_running_loop()
        for lang, card in self._cards.items():
            self.lanes[lang] = lane = Lane(f"tactful-{lang}")
            batcher = partial(
                Batcher,
                partial(self._read, lang),
                most=settings.max_batch if settings.micro_batching else 1,
                observe=partial(self._observe, card.model),
            )
            self._batchers[lang, False] = batcher(lane, wait_seconds=settings.batch_wait_ms / 1000)
            self._batchers[lang, True] = batcher(
                lane.long, wait_seconds=0.0, most_tokens=PIECE_TOKENS
            )
        # Opening is the first work of each lane, so that all other work finds the detector open.
        opening = [
            loop.run_in_executor(self.lanes[lang], partial(self._open, lang, folder))
            for lang, folder in detector_folders(settings).items()
        ]
        self._warming = asyncio.create_task(self._warm(opening))

    async def stop(self) -> None:
        """Close the lanes."""
        if self._warming is not None:
            await asyncio.wait([self._warming])
        for lane in (*self.lanes.values(), self.frames_lane, self.checks, self.measures):
            # Waiting in another thread: a job that ends still has to notify the event loop.
            await asyncio.to_thread(lane.shutdown, cancel_futures=True)

    async def scores(
        self,
        texts: Sequence[str],
        langs: Sequence[str],
        tokens: Sequence[int],
        *,
        is_long: bool = False,
    ) -> list[Read | Exception]:
        """Score texts in batches, so that other requests are served between them."""
        found: list[Read | Exception] = []
        step = self._settings.max_batch
        for start in range(0, len(texts), step):
            part = slice(start, start + step)
            asked = [
                self._batchers[lang, is_long].submit(text, size)
                for text, lang, size in zip(texts[part], langs[part], tokens[part], strict=True)
            ]
            try:
                for each in await asyncio.gather(*asked, return_exceptions=True):
                    if not isinstance(each, Read | Exception):
                        raise each  # this request was cancelled
                    found.append(each)
            finally:
                for answer in asked:
                    answer.cancel()  # the texts of a cancelled request leave the queue
        return found

    def detector(self, lang: str) -> Detector:
        """Return the detector of a language; use it in its lane only."""
        if lang not in self._detectors:
            raise self.failure or NotReady(_STARTING)
        return self._detectors[lang]

    def tokens(self, texts: Sequence[str], langs: Sequence[str]) -> list[int]:
        """Return what reading each text costs; any thread may ask."""
        found = [0] * len(texts)
        for lang in dict.fromkeys(langs):
            rows = [row for row, each in enumerate(langs) if each == lang]
            sizes = tokens_of(self.detector(lang), [texts[row] for row in rows])
            for row, size in zip(rows, sizes, strict=True):
                found[row] = size
        return found

    async def excerpt(self, text: str, lang: str, most: int) -> Excerpt:
        """Return the pieces of a text that are read, with at most ``most`` tokens.

        Of a text that has more, a fast part of the detector skims all of it, and the pieces with
        most to find are read.
        """
        detector = self.detector(lang)
        measure = partial(sized_pieces, partial(tokens_of, detector), text, most)
        pieces, sizes = await self.aside(self.measures, measure)
        if sum(sizes) <= most:
            return Excerpt(tuple(pieces), tuple(sizes))
        texts = [text[start:end] for start, end in pieces]
        values = await self.aside(self.lanes[lang], partial(suspicion, detector, texts))
        rows = chosen_pieces(sizes, values.tolist(), most)
        return Excerpt(
            tuple(pieces[row] for row in rows), tuple(sizes[row] for row in rows), is_whole=False
        )

    def frames(self, texts: Sequence[str], statements: bool) -> list[Frame]:
        """Return the frames of texts; to be called in the lane of the frames."""
        framer = self._framer_of_lane()
        framer.statements = statements  # then nothing is written that would only be hidden
        found = framer.frame(texts)
        return found if statements else [without_statements(each) for each in found]

    def _framer_of_lane(self) -> EmbeddedFramer:
        if self._framer is None:  # opened when a text first needs it
            folder = weights_folder(EMBEDDED["en"]["default"], self._settings.weights)
            self._framer = load_embedded_framer(folder, threads=1)
        return self._framer

    async def release_memory(self) -> None:
        """Release the memory of large texts: each model reads a short text last."""
        if not self.are_warm:
            return
        release_sessions()
        for lang, lane in self.lanes.items():
            await self.aside(lane, partial(self._read_shortly, lang))
        if self._framer is not None:
            await self.aside(self.frames_lane, partial(self.frames, [_ABOUT_A_GROUP], True))
        await asyncio.to_thread(trim)

    async def aside(self, lane: Executor, call: Callable[[], T]) -> T:
        """Run a call in a lane; it is not started if its caller has been cancelled."""
        return await asyncio.get_running_loop().run_in_executor(lane, call)

    async def _warm(self, opening: "Sequence[asyncio.Future[None]]") -> None:
        try:
            await asyncio.gather(*opening)
        except Exception as error:
            # No text has been read yet, so our message cannot quote one.
            reason = f" {error}" if isinstance(error, TactfulError) else ""
            self.failure = NotReady(f"The model cannot be opened.{reason}", "NO_MODEL")
            log_failure("The model cannot be opened", error)

    def _open(self, lang: str, folder: Path) -> None:
        detector = open_detector(folder, self._settings.threads)
        sample = _WARM_UP.get(lang, _WARM_UP["en"])
        # The largest batch there will be, so that memory grows now and not under load.
        for texts in ([sample], [f"{sample} {sample} {sample}"] * self._settings.max_batch):
            detector.score(texts)
        self._detectors[lang] = detector

    def _read_shortly(self, lang: str) -> None:
        detector = self.detector(lang)
        detector.score([_WARM_UP.get(lang, _WARM_UP["en"])])
        forget_words(detector)

    def _read(self, lang: str, texts: Sequence[str]) -> Scores:
        return self.detector(lang).score(texts)
