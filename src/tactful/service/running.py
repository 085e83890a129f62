"""Running the service: one process, or several that share the port, the weights and the counts."""

import contextlib
import os
import signal
import socket
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import uvicorn
from prometheus_client.multiprocess import mark_process_dead
from uvicorn.supervisors import Multiprocess

from tactful.service.app import create_app
from tactful.service.engine.loading import lay_out_weights, read_cards
from tactful.service.http.protocol import PatientProtocol, whole_answer
from tactful.service.logs import LOGGER, set_up_logs
from tactful.service.metrics import SHARED_FOLDER
from tactful.service.perspective.answering import reviews
from tactful.service.settings import ServiceSettings
from tactful.service.stopping import stopped_by_signals

_KEEP_ALIVE_SECONDS = 15
_HUNG_SECONDS = 60
"""A worker that does not answer its supervisor for this long is replaced. uvicorn's own 5 seconds
are less than a start takes on a busy machine, where workers would be replaced again and again."""


def serve(settings: ServiceSettings, listening: socket.socket) -> None:
    """Serve until Ctrl-C or SIGTERM, and answer what was accepted before."""
    read_cards(settings)  # an error is reported now, and not by each worker
    set_up_logs(settings.log_format)
    if settings.workers == 1:
        server = uvicorn.Server(configured(settings))
        with stopped_by_signals(server):
            server.run(sockets=[listening])
    else:
        with _shared(settings) as shared:
            _Workers(configured(shared), [listening]).run()


class _Workers(Multiprocess):
    """uvicorn's workers; the log says which died and were replaced."""

    def keep_subprocess_alive(self) -> None:
        """Replace what died or hangs."""
        before = list(self.processes)
        super().keep_subprocess_alive()
        for old, new in zip(before, self.processes, strict=True):
            if old is not new:
                # uvicorn kills a worker that hangs, so the signal does not tell which it was.
                fields = {"worker": old.pid, **_ending(old.exitcode), "replaced_by": new.pid}
                LOGGER.error("A worker died or hung, and was replaced", extra={"fields": fields})
                # Its texts are no longer waiting.
                mark_process_dead(old.pid)  # type: ignore[no-untyped-call]


def _ending(exit_code: int | None) -> dict[str, str | int | None]:
    try:
        return {"signal": signal.Signals(-(exit_code or 0)).name}
    except ValueError:  # it ended by itself
        return {"exit_code": exit_code}


def configured(settings: ServiceSettings) -> uvicorn.Config:
    """Return how uvicorn serves the app; it can be sent to a worker process."""
    return uvicorn.Config(
        partial(_worker_app, settings),
        factory=True,
        workers=settings.workers,
        http=PatientProtocol,
        ws="none",
        root_path=settings.root_path,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        # The app reads them itself, with X-Forwarded-Host, and from trusted proxies only.
        proxy_headers=False,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_worker_healthcheck=_HUNG_SECONDS,
        timeout_graceful_shutdown=int(settings.timeout_seconds) + 1,
    )


def _worker_app(settings: ServiceSettings) -> object:
    set_up_logs(settings.log_format)
    app = create_app(settings)
    PatientProtocol.head_seconds = settings.receive_seconds
    # Every request has at least one text, so no more of them than texts may wait.
    PatientProtocol.most_at_once = settings.max_queue
    PatientProtocol.full_answers = {
        f"{settings.root_path}{path}".encode(): whole_answer(body)
        for path, body in reviews(settings).items()
    }
    PatientProtocol.on_refused = app.state.engine.metrics.rejected.labels("too_many_requests").inc
    return app


@contextlib.contextmanager
def _shared(settings: ServiceSettings) -> Iterator[ServiceSettings]:
    """Give the workers a place for their counts, and weights that they share."""
    with tempfile.TemporaryDirectory(prefix="tactful-serve-") as name:
        counts, weights = Path(name) / "counts", Path(name) / "weights"
        counts.mkdir()
        os.environ[SHARED_FOLDER] = str(counts)
        try:
            yield replace(settings, weights=lay_out_weights(settings, weights))
        finally:
            del os.environ[SHARED_FOLDER]
