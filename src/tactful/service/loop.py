"""What surrounds the engine where the operator asks for it: feedback, a shadow model, webhooks.

All of it is off by default.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from starlette.requests import Request

from tactful.service.engine.engine import Engine
from tactful.service.settings import ServiceSettings
from tactful.service.shadow import Shadow
from tactful.service.webhooks import Webhooks

if TYPE_CHECKING:
    from tactful.service.feedback.keeping import Feedback


class Loop:
    """The parts that are on; they start and stop with the app."""

    def __init__(self, engine: Engine, settings: ServiceSettings):
        self.feedback: Feedback | None = None
        if settings.feedback is not None:
            from tactful.service.feedback import keeping

            self.feedback = keeping.Feedback(engine, settings)
        self.shadow = Shadow(engine, settings) if settings.shadow is not None else None
        self.webhooks = Webhooks(engine, settings) if settings.webhook is not None else None
        self._parts = [each for each in (self.feedback, self.shadow, self.webhooks) if each]
        engine.watchers += [each.scored for each in (self.shadow, self.webhooks) if each]

    async def start(self) -> None:
        """Start all parts."""
        for each in self._parts:
            await each.start()

    async def stop(self) -> None:
        """Stop all parts; what was accepted is finished."""
        for each in self._parts:
            await each.stop()

    def decided(self, item: str, data: Mapping[str, Any], reports: Sequence[str]) -> None:
        """Send a moderator's decision, with the ids of the reports about it, to the other parts."""
        if self.webhooks is not None:
            self.webhooks.decided(item, data, reports)


def loop_of(request: Request) -> Loop:
    """Return the parts around the engine that answers a request."""
    found = request.app.state.loop
    if not isinstance(found, Loop):
        raise TypeError(f"the app has {found!r} as its loop")
    return found


def feedback_of(request: Request) -> "Feedback":
    """Return the feedback store of the service; its routes exist only where there is one."""
    found = loop_of(request).feedback
    if found is None:
        raise TypeError("the service has no feedback store")
    return found
