"""``POST /v1/rewrite``: suggestions and rewrites, where the operator configured a chat endpoint."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from tactful.checking.chat import TIMEOUT, ChatEndpoint, open_chat
from tactful.checking.options import AUTO, CheckOptions
from tactful.checking.report import DocumentReport, PlacedFinding
from tactful.checking.rewriting import (
    Rewrite,
    Sentence,
    ask_for_rewrite,
    compared,
    find_sentences,
    language_of,
    sentence_as_json,
    sentence_options,
)
from tactful.errors import InputError
from tactful.service.engine.checking import Allowance
from tactful.service.engine.engine import Engine
from tactful.service.http.answers import JsonAnswer
from tactful.service.http.body import check_length, read_model
from tactful.service.http.errors import TooLong
from tactful.service.models import ERRORS, RewriteAnswer, RewriteRequest, body_of
from tactful.service.settings import ServiceSettings

SCHEMA = "tactful/rewrite/1"
MOST_REWRITES = 5
"""How many sentences of a request are sent to the endpoint."""
SHARE = 3 / 4
"""The share of the tokens of a check that a request may cost: it writes suggestions, too."""
COMPARING = 1 / 8
"""The share that is kept for comparing rewrites; they also get what the text leaves over."""
MOST_AT_ONCE = 4
"""How many questions a process has open at the endpoint; further ones wait."""
NO_ANSWER = "The chat endpoint of this service gave no answer."
TOO_LONG = (
    "The sentence and its rewrite have too many tokens to be compared in this request; send the "
    "sentence by itself, or in parts."
)


def chat_of(settings: ServiceSettings) -> ChatEndpoint:
    """Return the endpoint of a service; refuse an address that cannot be used."""
    return open_chat(
        settings.rewrite_endpoint or "",
        model=settings.rewrite_chat_model,
        key_variable=settings.rewrite_key_variable,
        allow_plain_http=settings.rewrite_allow_plain_http,
        timeout=min(settings.timeout_seconds, TIMEOUT),
        tries=1,
        prefix="--rewrite-",
    )


def router(engine: Engine, settings: ServiceSettings) -> APIRouter:
    """Return the route."""
    routes = APIRouter(tags=["Native API"])
    chat = chat_of(settings)
    turns = asyncio.Semaphore(MOST_AT_ONCE)

    @routes.post(
        "/v1/rewrite",
        summary="Suggest what to write instead",
        openapi_extra=body_of(RewriteRequest),
        responses={**ERRORS, 200: {"model": RewriteAnswer}},
    )
    async def rewrite(request: Request) -> JsonAnswer:
        """Suggest what to write instead of each sentence with a finding, and rewrite the first."""
        wanted = await read_model(request, RewriteRequest)
        check_length(wanted.text, settings)
        options = CheckOptions(
            lang=wanted.lang,
            only=tuple(wanted.only),
            least=wanted.least,
            explanations=False,
            frames="off",
            report_lang=wanted.report_lang,
        )
        allowance = Allowance((SHARE - COMPARING) * engine.most_tokens)
        report = await engine.check(wanted.text, options, wanted.kind, allowance=allowance)
        allowance.left += COMPARING * engine.most_tokens
        if wanted.at is not None:
            here = [each for each in report.findings if _covers(each, wanted.at)]
            report = replace(report, findings=tuple(here))
        sentences = await run_in_threadpool(find_sentences, report, wanted.report_lang)
        lang = language_of(report)
        options = sentence_options(options, lang if lang in engine.cards else AUTO)
        answers: list[dict[str, object]] = []
        is_silent = False
        for number, sentence in enumerate(sentences):
            found = None
            if is_silent:  # an endpoint that does not answer is asked once for a request
                found = Rewrite(problem=NO_ANSWER)
            elif number < MOST_REWRITES:
                read = partial(engine.check, options=options, allowance=allowance, marks=False)
                found = await _rewritten(read, chat, turns, sentence)
                is_silent = found.problem == NO_ANSWER
            answers.append(sentence_as_json(sentence, found))
        return JsonAnswer({"schema": SCHEMA, "sentences": answers})

    return routes


def _covers(finding: PlacedFinding, at: int) -> bool:
    return finding.place.start <= at < finding.place.end


async def _rewritten(
    read: Callable[[str], Awaitable[DocumentReport]],
    chat: ChatEndpoint,
    turns: asyncio.Semaphore,
    sentence: Sentence,
) -> Rewrite:
    try:
        async with turns:
            found = await run_in_threadpool(ask_for_rewrite, chat, sentence)
    except InputError:  # its message names the endpoint, which is the operator's affair
        return Rewrite(problem=NO_ANSWER)
    if found.text is None:
        return found
    try:
        return compared(sentence, found, await read(sentence.text), await read(found.text))
    except TooLong:  # what is not compared is not shown
        return Rewrite(problem=TOO_LONG)
