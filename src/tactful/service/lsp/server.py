"""The language server: its state, and the function that handles each message."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter
from pygls.protocol.language_server import lsp_method

from tactful import __version__
from tactful.checking.options import (
    CONFIG_FILE,
    PROJECT_FILE,
    CheckOptions,
    ProjectRewrite,
    find_configuration,
)
from tactful.checking.report import PlacedFinding
from tactful.checking.rewriting import language_of, sentence_options
from tactful.documents.document import Exclusion
from tactful.errors import TactfulError
from tactful.service.lsp.actions import actions_in
from tactful.service.lsp.checks import Checks
from tactful.service.lsp.diagnostics import Checked, diagnostics_of
from tactful.service.lsp.documents import OpenDocument, Snapshot, path_of
from tactful.service.lsp.hover import hover_of
from tactful.service.lsp.rewrites import (
    CHANGED,
    COMMAND,
    Rewrites,
    chat_at,
    said_of,
    sentence_of,
)
from tactful.service.lsp.settings import (
    SECTION,
    EditorSettings,
    endpoint_of,
    options_of,
    read_settings,
)
from tactful.service.lsp.stream import Receiver, Writer, messages_of, own_standard_streams
from tactful.words import visible

NAME = "tactful"
_UTF16 = types.PositionEncodingKind.Utf16


class Protocol(LanguageServerProtocol):
    """The protocol of pygls, with our documents instead of its own.

    pygls counts more characters as ends of lines than the protocol does, so that a text with a
    form feed would have other lines than in the editor.
    """

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Iterator[Any]:
        """Leave it to the server."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: types.DidChangeTextDocumentParams
    ) -> Iterator[Any]:
        """Leave it to the server."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(
        self, params: types.DidCloseTextDocumentParams
    ) -> Iterator[Any]:
        """Leave it to the server."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None

    def _send_response(
        self, msg_id: str | int, result: Any | None = None, error: Any | None = None
    ) -> None:
        """Send a response; an error without its traceback, which pygls would send."""
        if error is not None:
            is_ours = error.code == types.ErrorCodes.InternalError.value
            said = "The request could not be answered." if is_ours else error.message
            error = types.ResponseError(code=error.code, message=said)
        super()._send_response(msg_id, result, error)


class TactfulServer(LanguageServer):
    """The server of one editor."""

    def __init__(self, settings: EditorSettings | None = None):
        super().__init__(NAME, __version__, protocol_cls=Protocol,
                         converter_factory=default_converter)  # fmt: skip
        self.given = settings or EditorSettings()
        """What the command line says; the editor's own settings win."""
        self.settings = self.given
        self.documents: dict[str, OpenDocument] = {}
        self.checks = Checks(self.publish, self.tell)
        self.rewrites = Rewrites()
        _register(self)

    @property
    def encoding(self) -> str:
        """The code units in which the editor counts."""
        agreed = self.workspace.position_encoding or _UTF16
        return str(getattr(agreed, "value", agreed))

    @property
    def root(self) -> Path | None:
        """The folder that is open in the editor."""
        folders = [path_of(uri) for uri in self.workspace.folders]
        path = self.workspace.root_uri and path_of(self.workspace.root_uri)
        return next((each for each in (*folders, path or None) if each is not None), None)

    def tell(self, sentence: str, kind: types.MessageType = types.MessageType.Warning) -> None:
        """Show one sentence to the user."""
        self.window_show_message(types.ShowMessageParams(kind, sentence))

    def publish(self, uri: str, checked: Checked | None) -> None:
        """Send what was found in a document, in place of what was sent before."""
        version = None if checked is None else checked.snapshot.version
        found: list[types.Diagnostic] = []
        if checked is not None:
            found = diagnostics_of(checked, self.settings.docs)
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, diagnostics=found, version=version)
        )

    def check(self, uri: str, delay_seconds: float = 0.0) -> None:
        """Check a document after a while."""
        document = self.documents[uri]
        self.checks.schedule(uri, delay_seconds, document.snapshot, self.options_for, self.encoding)

    def check_all(self) -> None:
        """Check every open document, because the options have changed."""
        for uri in self.documents:
            self.check(uri)

    def options_for(self, snapshot: Snapshot) -> CheckOptions | None:
        """Return what a document is checked with; None where the project leaves it out."""
        path = snapshot.path
        folder = self.root if path is None else path.parent
        project = find_configuration(folder or Path.cwd())
        if path is not None and project.path is not None:
            base = project.path.parent
            if Exclusion(project.exclude, base)(path):
                return None
        self.rewrites.endpoints[snapshot.uri] = endpoint_of(self.settings, project)
        return options_of(self.settings, project, self.root)

    async def suggest_rewrite(self, uri: str, version: int, start: int, end: int) -> None:
        """Ask for a rewrite of the sentence that lies here; show it and offer it from now on."""
        checked = self.current(uri)
        # A long document is read in parts, and a finding may have got its own sentence since.
        # Nothing is sent but a part of what the action named.
        findings = [
            each
            for each in (() if checked is None else checked.reading.report.findings)
            if start <= each.place.start and each.place.end <= end
        ]
        if checked is None or checked.snapshot.version != version or not findings:
            self.tell(CHANGED.get(self.settings.report_lang or "en", CHANGED["en"]))
            return
        try:
            await self._suggest_rewrite(checked, findings[0])
        except (TactfulError, OSError) as error:
            self.tell(visible(str(error)))

    async def _suggest_rewrite(self, checked: Checked, finding: PlacedFinding) -> None:
        uri, report = checked.snapshot.uri, checked.reading.report
        options = self.options_for(checked.snapshot)
        named = self.rewrites.endpoints.get(uri, ProjectRewrite())
        if options is None or named.endpoint is None:  # the settings have changed
            return
        chat, sentence = chat_at(named), sentence_of(checked, finding)
        options = sentence_options(options, language_of(report))
        async with self.shown_progress(chat.place):
            rewrite = await self.checks.rewrite(chat, sentence, options)
        if rewrite.text is not None and uri in self.documents:
            self.rewrites.keep(uri, sentence, rewrite)
        self.tell(said_of(rewrite, checked.reading.lang), types.MessageType.Info)

    @asynccontextmanager
    async def shown_progress(self, title: str) -> AsyncIterator[None]:
        """Show that something takes its time, where the editor can."""
        if not self.can("window.work_done_progress"):
            yield
            return
        token = uuid4().hex
        await self.work_done_progress.create_async(token)
        self.work_done_progress.begin(token, types.WorkDoneProgressBegin(title))
        try:
            yield
        finally:
            self.work_done_progress.end(token, types.WorkDoneProgressEnd())

    def set_up(self, raw: object) -> None:
        """Use the settings of the editor; if they are invalid, say so and keep the old ones."""
        try:
            self.settings = read_settings(raw, self.given)
        except TactfulError as error:
            self.tell(str(error))

    def current(self, uri: str) -> Checked | None:
        """Return what was found in a document, unless it has changed since."""
        document = self.documents.get(uri)
        return None if document is None else self.checks.current(uri, document.version)

    def report_server_error(self, error: Exception, source: object) -> None:
        """Say in one sentence that something went wrong; what pygls says may quote the text."""
        self.tell(f"A message of the editor could not be handled ({type(error).__name__}).")

    async def serve(self) -> int:
        """Serve an editor on standard input and output; return the exit code."""
        reading, writing = own_standard_streams()
        self.protocol.set_writer(Writer(writing))
        receiver = Receiver(self.protocol)
        incoming = await messages_of(reading)
        try:
            while (message := await incoming.get()) is not None:
                problem = message if isinstance(message, str) else receiver.receive(message)
                if problem is not None:
                    self.tell(f"The editor sent {problem}; it was left out.")
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else 1
        finally:
            self.checks.stop()
        return 0 if receiver.is_shut_down else 1

    def can(self, capability: str) -> Any:
        """Return a capability of the editor, such as ``workspace.configuration``, or None."""
        found: Any = self.client_capabilities
        for name in capability.split("."):
            found = getattr(found, name, None)
        return found


def serve(settings: EditorSettings | None = None) -> int:
    """Serve one editor until it ends the session; return the exit code."""
    # The log of pygls quotes whole documents.
    logging.getLogger("pygls").disabled = True
    for name in ("pygls.server", "pygls.protocol.json_rpc", "pygls.protocol.language_server",
                 "pygls.feature_manager", "pygls.capabilities"):  # fmt: skip
        logging.getLogger(name).disabled = True
    return asyncio.run(TactfulServer(settings).serve())


def _register(server: TactfulServer) -> None:
    """Name the function that answers each message."""

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.set_up(params.initialization_options)

    @server.feature(types.INITIALIZED)
    def initialized(params: types.InitializedParams) -> None:
        _watch_project_files(server)
        try:
            project = find_configuration(server.root or Path.cwd())
        except (TactfulError, OSError):
            return  # the first check says so
        server.checks.warm_up(options_of(server.settings, project, server.root))

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        given = params.text_document
        server.documents[given.uri] = OpenDocument(
            given.uri, str(given.language_id), given.version, given.text, server.encoding
        )
        server.check(given.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        document = server.documents.get(params.text_document.uri)
        if document is not None:
            document.change(list(params.content_changes), params.text_document.version)
            server.check(document.uri, server.settings.delay / 1000)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        if server.documents.pop(params.text_document.uri, None) is not None:
            server.checks.forget(params.text_document.uri)
            server.rewrites.forget(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        checked = server.current(params.text_document.uri)
        if checked is None:
            return None
        formats = server.can("text_document.hover.content_format") or ()
        markdown = types.MarkupKind.Markdown in formats
        return hover_of(checked, params.position, server.settings.docs, markdown=markdown)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]),
    )
    async def code_action(params: types.CodeActionParams) -> list[types.CodeAction]:
        checked = server.current(params.text_document.uri)
        only = params.context.only
        if checked is None or (only and types.CodeActionKind.QuickFix not in only):
            return []
        return await server.checks.aside(
            partial(
                actions_in,
                checked,
                params.range,
                list(params.context.diagnostics),
                versioned=bool(server.can("workspace.workspace_edit.document_changes")),
                rewrites=server.rewrites.actions,
            )
        )

    @server.command(COMMAND)
    async def rewrite(uri: str, version: int, start: int, end: int) -> None:
        await server.suggest_rewrite(uri, version, start, end)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        server.set_up(await _settings_of(server, params.settings))
        server.check_all()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(params: types.DidChangeWatchedFilesParams) -> None:
        server.check_all()

    @server.feature(types.SHUTDOWN)
    def shutdown(params: None) -> None:
        for uri in server.documents:
            server.checks.cancel(uri)


async def _settings_of(server: TactfulServer, sent: object) -> object:
    """Return the new settings: those sent, or those that the editor gives when it is asked."""
    if sent or not server.can("workspace.configuration"):
        return sent
    item = types.ConfigurationItem(section=SECTION)
    found = await server.workspace_configuration_async(types.ConfigurationParams([item]))
    return found[0] if found else None


def _watch_project_files(server: TactfulServer) -> None:
    """Ask for a notification when the project's configuration files change."""
    if not server.can("workspace.did_change_watched_files.dynamic_registration"):
        return
    watchers = [
        types.FileSystemWatcher(glob_pattern=f"**/{name}") for name in (CONFIG_FILE, PROJECT_FILE)
    ]
    server.client_register_capability(
        types.RegistrationParams(
            [
                types.Registration(
                    id="tactful-project-files",
                    method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                    register_options=types.DidChangeWatchedFilesRegistrationOptions(watchers),
                )
            ]
        )
    )
