"""When documents are checked: shortly after the last change, one at a time."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event
from typing import TypeVar

from tactful.checking.chat import ChatEndpoint
from tactful.checking.options import CheckOptions
from tactful.checking.rewriting import Rewrite, Sentence, ask_for_rewrite, compared
from tactful.errors import TactfulError
from tactful.service.lsp.diagnostics import Checked
from tactful.service.lsp.documents import Snapshot
from tactful.service.lsp.lines import Places
from tactful.service.lsp.reader import FIRST_SLICE, LATER_SLICE, Reader, Slice, Stale
from tactful.words import visible

T = TypeVar("T")

Publish = Callable[[str, Checked | None], None]
"""Takes the address of a document and what was found; None for nothing to show."""
Tell = Callable[[str], None]
"""Shows one sentence to the user."""


class Checks:
    """The checks of all open documents, in one thread, so that they do not compete for cores."""

    def __init__(self, publish: Publish, tell: Tell):
        self.reader = Reader()
        self.latest: dict[str, Checked] = {}
        """The newest whole or partial reading of each document."""
        self._publish, self._tell = publish, tell
        self._lane = ThreadPoolExecutor(1, thread_name_prefix="tactful-lsp-read")
        self._aside = ThreadPoolExecutor(1, thread_name_prefix="tactful-lsp-edit")
        self._asking = ThreadPoolExecutor(1, thread_name_prefix="tactful-lsp-ask")
        self._running: dict[str, tuple[asyncio.Task[None], Event]] = {}
        self._told: dict[str, str] = {}

    def schedule(
        self,
        uri: str,
        delay_seconds: float,
        snapshot: Callable[[], Snapshot],
        options: Callable[[Snapshot], CheckOptions | None],
        encoding: str,
    ) -> None:
        """Check a document after a delay; a check of an older text is cancelled.

        Without options, a document is not checked.
        """
        self.cancel(uri)
        stale = Event()

        async def check() -> None:
            await asyncio.sleep(delay_seconds)
            await self._check(snapshot(), options, encoding, stale)

        task = asyncio.get_running_loop().create_task(self._guarded(uri, check))
        self._running[uri] = (task, stale)

    def cancel(self, uri: str) -> None:
        """Cancel the check of a document, if there is one."""
        task, stale = self._running.pop(uri, (None, None))
        if task is not None and stale is not None:
            stale.set()
            task.cancel()

    def forget(self, uri: str) -> None:
        """Remove a document that was closed."""
        self.cancel(uri)
        self.latest.pop(uri, None)
        self._told.pop(uri, None)
        self._publish(uri, None)

    def current(self, uri: str, version: int) -> Checked | None:
        """Return what was found in this very version of a document."""
        checked = self.latest.get(uri)
        return checked if checked is not None and checked.snapshot.version == version else None

    def warm_up(self, options: CheckOptions) -> None:
        """Open the detector in the background; the first check reports its errors."""
        self._lane.submit(self.reader.warm_up, options)
        # Directives are checked against the taxonomies, whose schema takes a second to import.
        self._aside.submit(_open_taxonomies)

    async def aside(self, call: Callable[[], T]) -> T:
        """Run a slow function outside the event loop, in parallel with the checks."""
        return await asyncio.get_running_loop().run_in_executor(self._aside, call)

    async def rewrite(
        self, chat: ChatEndpoint, sentence: Sentence, options: CheckOptions
    ) -> Rewrite:
        """Ask for a rewrite of a sentence and compare it; an endpoint may take its time."""
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._asking, ask_for_rewrite, chat, sentence)
        if found.text is None:
            return found
        texts = (sentence.text, found.text)
        before, after = await self._in_lane(
            lambda: [self.reader.check(text, options) for text in texts]
        )
        return compared(sentence, found, before, after)

    def stop(self) -> None:
        """Cancel all checks."""
        for uri in list(self._running):
            self.cancel(uri)
        for pool in (self._lane, self._aside, self._asking):
            pool.shutdown(wait=False, cancel_futures=True)

    async def _guarded(self, uri: str, check: Callable[[], Awaitable[None]]) -> None:
        try:
            await check()
            self._told.pop(uri, None)
        except Stale:
            pass
        except TactfulError as error:
            self._give_up(uri, visible(str(error)))
        except OSError as error:
            self._give_up(uri, f"The system refused: {visible(error.strerror or str(error))}.")
        except Exception as error:
            # The message may quote the text; the type of the error is enough for a bug report.
            self._give_up(
                uri,
                f"It could not be checked ({type(error).__name__}); please report this.",
            )

    def _give_up(self, uri: str, sentence: str) -> None:
        self.latest.pop(uri, None)
        self._publish(uri, None)
        # Once, not after every key: until a check succeeds, or the error changes.
        if self._told.get(uri) != sentence:
            self._told[uri] = sentence
            self._tell(f"{visible(uri.rpartition('/')[2])}: {sentence}")

    async def _check(
        self,
        snapshot: Snapshot,
        options: Callable[[Snapshot], CheckOptions | None],
        encoding: str,
        stale: Event,
    ) -> None:
        wanted = options(snapshot)
        if wanted is None:
            self.latest.pop(snapshot.uri, None)
            self._publish(snapshot.uri, None)
            return
        document, places = await self._in_lane(
            lambda: (snapshot.read(), Places(snapshot.text, encoding))
        )
        seconds, is_whole = FIRST_SLICE, False
        while not is_whole:
            part = Slice(seconds, stale)
            reading = await self._in_lane(partial(self.reader.read, document, wanted, part))
            checked = Checked(snapshot, document, places, reading)
            self.latest[snapshot.uri] = checked
            self._publish(snapshot.uri, checked)
            seconds, is_whole = LATER_SLICE, reading.is_whole

    async def _in_lane(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._lane, call)


def _open_taxonomies() -> None:
    from tactful.taxonomies import find_entry

    find_entry("pcl")
