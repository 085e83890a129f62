"""No request costs much, and long ones do not hold up short ones. Work is counted, not timed."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.local_server import Reply, Server, serving
from tests.service.test_engine import FAST, held_up, with_engine

from tactful.checking.options import CheckOptions
from tactful.detectors.cost import encoders_in
from tactful.service.app import create_app
from tactful.service.engine.checking import CALL_TOKENS, MOST_MARKED
from tactful.service.engine.engine import TEXTS_SHARE, Engine
from tactful.service.engine.excerpts import LONG_TOKENS, TEXT_TOKENS, whole_pieces
from tactful.service.engine.readers import PIECE_TOKENS
from tactful.service.http.callers import TOKENS_OF_A_REQUEST
from tactful.service.http.errors import Busy, TooLong
from tactful.service.http.keys import RateLimits
from tactful.service.logs import NOTE, Note
from tactful.service.perspective.mapping import attributes
from tactful.service.routes.rewrite import MOST_REWRITES, SHARE, TOO_LONG
from tactful.service.settings import ServiceSettings

TICKS = "".join("e" + "`" * size for size in range(1, 440))[:20480]
CALM = "The library will be open again on Monday, and everybody is welcome to come and read. "
RUDE = "Only an idiot would believe such stupid nonsense, so shut up and go away."
SETTINGS = ServiceSettings(langs=("en",), web=True, timeout_seconds=3600, scale="probability")
"""With time enough for a busy machine: work is counted."""
ANALYZE = "/v1alpha1/comments:analyze"


class Counting:
    """Passes everything on to a session, and counts the tokens that it is given."""

    def __init__(self, session: Any):
        self.session, self.calls = session, [0]
        self.calls.clear()

    def get_outputs(self) -> Any:
        return self.session.get_outputs()

    def run(self, outputs: list[str], inputs: dict[str, Any]) -> Any:
        self.calls.append(inputs["tokens"].size)
        return self.session.run(outputs, inputs)


@pytest.fixture(scope="module")
def chat() -> Iterator[Server]:
    """Return an endpoint that writes rewrites."""
    with serving("/v1") as found:
        yield found


@pytest.fixture(scope="module")
def app(chat: Server) -> Iterator[TestClient]:
    settings = replace(SETTINGS, rewrite_endpoint=chat.url)
    with pytest.MonkeyPatch.context() as patch:
        # Once a minute a short text is read to release memory, which no test here counts.
        patch.setattr("tactful.service.app.release_regularly", lambda _: asyncio.sleep(3600))
        with TestClient(create_app(settings), raise_server_exceptions=False) as found:
            found.post("/v1/score", json={"texts": [CALM]})  # waits for the detector
            yield found


@pytest.fixture
def read(app: TestClient) -> Iterator[list[int]]:
    """Return a list that gets the tokens of every call of the encoder, as long as a test runs."""
    engine: Engine = app.app.state.engine  # type: ignore[attr-defined]
    encoder = next(encoders_in(engine._readers.detector("en")))
    session = encoder._session
    vars(encoder)["_session"] = counting = Counting(session)
    yield counting.calls
    vars(encoder)["_session"] = session


def analyze(app: TestClient, text: str, **fields: Any) -> dict[str, Any]:
    body = {"comment": {"text": text}, "requestedAttributes": {"INSULT": {}}, "languages": ["en"]}
    answer = app.post(ANALYZE, json={**body, **fields})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.parametrize("spans", [False, True])
@pytest.mark.parametrize("text", [TICKS, CALM * 230, "a. " * 6826, "字" * 6826, "q7 z9x " * 2925])
def test_so_much_of_a_comment_is_read_and_the_answer_says_so(
    app: TestClient, read: list[int], text: str, spans: bool
) -> None:
    found = analyze(app, text, spanAnnotations=spans)
    assert found["truncated"] is True
    assert 0 < sum(read) <= TEXT_TOKENS
    assert found["attributeScores"]["INSULT"]["summaryScore"]["value"] < 0.9


def test_an_ordinary_comment_is_read_as_a_whole(app: TestClient, read: list[int]) -> None:
    found = analyze(app, "".join(f"{number}. {CALM}" for number in range(30)) + RUDE)
    assert "truncated" not in found
    assert 30 * 16 < sum(read) <= TEXT_TOKENS


@pytest.mark.parametrize("before", [0, 100, 229])
def test_what_is_hidden_in_a_long_comment_is_found(app: TestClient, before: int) -> None:
    text = f"{CALM * before}{RUDE} {CALM * (229 - before)}"
    detector = app.app.state.engine._readers.detector("en")  # type: ignore[attr-defined]
    scores = detector.score([text[start:end] for start, end in whole_pieces(text)])
    name = attributes()["INSULT"].id_for(detector.card.ids)
    assert name is not None
    everything = float(scores[name].max())
    found = analyze(app, text, spanAnnotations=True)["attributeScores"]["INSULT"]
    assert found["summaryScore"]["value"] == pytest.approx(everything, abs=1e-6)
    best = max(found["spanScores"], key=lambda each: float(each["score"]["value"]))
    assert RUDE in text[best["begin"] : best["end"]]


def test_a_long_text_is_scored_by_its_most_telling_pieces(app: TestClient, read: list[int]) -> None:
    texts = [TICKS, f"{CALM * 150}{RUDE} {CALM * 150}", CALM * 300, RUDE]
    ticks, hidden, calm, alone = app.post("/v1/score", json={"texts": texts}).json()["scores"]
    assert [each.get("truncated") for each in (ticks, hidden, calm, alone)] == [True] * 3 + [None]
    hostile = [each["probabilities"]["unhealthy.hostile"] for each in (hidden, calm, alone)]
    assert hostile[1] < hostile[0] <= hostile[2] + 0.2
    assert sum(read) <= 3 * TEXT_TOKENS + 64


def test_moderations_are_cut_in_the_same_way(app: TestClient, read: list[int]) -> None:
    results = app.post("/v1/moderations", json={"input": [TICKS, CALM]}).json()["results"]
    assert [each.get("truncated") for each in results] == [True, None]
    assert sum(read) <= TEXT_TOKENS + 64


def test_frames_are_read_from_the_beginning(app: TestClient) -> None:
    answer = app.post("/v1/frame", json={"texts": [TICKS, CALM], "lang": "en"}).json()
    assert [each.get("truncated") for each in answer["frames"]] == [True, None]


@pytest.mark.parametrize("path", ["/v1/check", "/v1/report"])
@pytest.mark.parametrize("text", [TICKS, CALM * 400])
def test_a_document_with_too_much_to_read_is_refused_before_it_is_read(
    app: TestClient, read: list[int], path: str, text: str
) -> None:
    answer = app.post(path, json={"text": text, "lang": "en"})
    assert answer.status_code == 413
    error = answer.json()["error"]
    assert error["details"][0]["errorType"] == "TOO_MANY_TOKENS"
    assert "expected at most 4,096 in one request, which are about 3,200 words" in error["message"]
    assert read == []


@pytest.mark.parametrize(
    "body",
    [
        {"texts": [f"{CALM * 8}{number}" for number in range(120)]},
        {"texts": [CALM * 400] * 4},
    ],
)
def test_many_texts_with_too_much_to_read_are_refused(
    app: TestClient, read: list[int], body: dict[str, Any]
) -> None:
    answer = app.post("/v1/score", json={**body, "lang": "en"})
    assert answer.status_code == 413
    assert answer.json()["error"]["details"][0]["errorType"] in (
        "TOO_MANY_TOKENS",
        "TEXTS_TOO_LONG",
    )
    assert read == []


def test_frames_of_many_texts_are_refused(app: TestClient) -> None:
    answer = app.post("/v1/frame", json={"texts": [CALM] * 100, "lang": "en"})
    assert answer.status_code == 413


def test_the_details_of_a_report_are_bounded(app: TestClient, read: list[int]) -> None:
    # All sentences differ: words are looked for once in sentences that are the same.
    text = "\n\n".join(
        f"{RUDE.replace('idiot', f'idiot like number {number}')} And so, number {number}, just go."
        for number in range(110)
    )
    answer = app.post("/v1/check", json={"text": text, "lang": "en", "frames": "off"})
    assert answer.status_code == 200
    (document,) = answer.json()["documents"]
    marked = [each for each in document["findings"] if each["spans"]]
    unmarked = [each for each in document["findings"] if not each["spans"]]
    assert marked
    assert unmarked
    assert any("no words are marked" in problem for problem in document["problems"])
    assert sum(read) <= TEXTS_SHARE * SETTINGS.max_tokens


@pytest.mark.parametrize("count", [400, 1_800])
def test_sentences_of_one_word_do_not_multiply_the_work(
    app: TestClient, read: list[int], count: int
) -> None:
    # Alone each of them is laid out as wide as four of them are in their passage.
    text = "".join(f"{chr(0x4E00 + number)}\u3002 " for number in range(count))
    body = {"text": text, "lang": "en", "least": 0.0, "frames": "off", "explanations": False}
    answer = app.post("/v1/check", json=body)
    if count == 400:
        assert answer.status_code == 200
        assert sum(read) > 400 * 8
        assert max(read) <= PIECE_TOKENS
    else:
        assert answer.status_code == 413
        assert "its sentences, each read alone, have" in answer.json()["error"]["message"]
        assert read == []


def test_texts_without_their_quotations_are_read_within_the_allowance(
    app: TestClient, read: list[int]
) -> None:
    text = "\n\n".join(f'"Idiot {number}!" "You {number}!"' for number in range(200))
    body = {"text": text, "lang": "en", "least": 0.0, "quotes": "label", "frames": "off"}
    answer = app.post("/v1/check", json=body)
    assert answer.status_code == 200
    most = TEXTS_SHARE * SETTINGS.max_tokens
    assert sum(read) <= most
    assert len(read) <= most // CALL_TOKENS


def rewritten(
    app: TestClient, chat: Server, text: str, answer: str, **fields: Any
) -> list[dict[str, Any]]:
    """Return the sentences that are suggested to be rewritten, all with the same rewrite."""
    chat.replies = [Reply({"choices": [{"message": {"role": "assistant", "content": answer}}]})]
    found = app.post("/v1/rewrite", json={"text": text, "lang": "en", **fields})
    assert found.status_code == 200, found.text
    sentences: list[dict[str, Any]] = found.json()["sentences"]
    return sentences


@pytest.mark.parametrize(
    "answer",
    [CALM, "<a b='" * 250, f"{RUDE} " * 20, "\u5b57\u3002 " * 500],
    ids=["ordinary", "with tags", "with insults", "with short sentences"],
)
@pytest.mark.parametrize(
    "text",
    [
        "\n\n".join(f"{RUDE} Number {number}." for number in range(100)),
        "<a b='" * 440,
        '"Idiot!" they said. ' * 250,
        "\u5b57\u3002 " * 120,
    ],
    ids=["insults", "tags", "quotations", "short sentences"],
)
def test_all_readings_for_rewrites_share_an_allowance(
    app: TestClient, chat: Server, read: list[int], text: str, answer: str
) -> None:
    found = rewritten(app, chat, text, answer, least=0.0)
    assert found
    assert 0 < sum(read) <= SHARE * TEXTS_SHARE * SETTINGS.max_tokens


def test_ordinary_rewrites_are_all_compared(app: TestClient, chat: Server, read: list[int]) -> None:
    # Passages of 90 words, all with findings; what the text leaves over is enough.
    text = "\n\n".join(f"{number}. {CALM * 3}{RUDE}" for number in range(MOST_REWRITES + 1))
    found = rewritten(app, chat, text, CALM)
    assert [each["rewrite"]["better"] for each in found[:-1]] == [True] * MOST_REWRITES
    assert found[-1]["rewrite"] is None
    # The words of a sentence and of its rewrite are not looked for again.
    text_alone = sum(read)
    read.clear()
    rewritten(app, chat, text, "")
    assert text_alone - sum(read) <= MOST_REWRITES * 2 * 64


def test_a_rewrite_that_cannot_be_compared_is_not_shown(app: TestClient, chat: Server) -> None:
    long = "".join(chr(0x4E00 + number) for number in range(1_900))
    found = rewritten(app, chat, f"{RUDE[:-1]} {long}.", long[::-1])
    assert [each["rewrite"]["problem"] for each in found] == [TOO_LONG]
    assert found[0]["rewrite"]["text"] is None


def test_a_text_to_rewrite_has_a_limit_of_its_own(app: TestClient, read: list[int]) -> None:
    answer = app.post("/v1/rewrite", json={"text": CALM * 180, "lang": "en"})
    assert answer.status_code == 413
    assert "expected at most 2,560 in one request" in answer.json()["error"]["message"]
    assert read == []


def test_a_repeated_sentence_is_read_once(app: TestClient, read: list[int]) -> None:
    body = {"text": "No! " * 1_500, "lang": "en", "least": 0.0, "frames": "off"}
    assert app.post("/v1/check", json=body).status_code == 200
    assert sum(read) < SETTINGS.max_tokens


def test_a_passage_of_garbage_gets_no_marks(app: TestClient, read: list[int]) -> None:
    text = f"{RUDE.replace('.', ',')} {'`' * (MOST_MARKED + 100)}"
    body = {"text": text, "lang": "en", "thresholds": {"unhealthy": 0.0}, "frames": "off"}
    (document,) = app.post("/v1/check", json=body).json()["documents"]
    assert [each["spans"] for each in document["findings"] if each["id"] == "unhealthy"] == [[]]
    assert any("no words are marked" in problem for problem in document["problems"])


def test_a_document_is_read_in_pieces(app: TestClient, read: list[int]) -> None:
    text = "\n\n".join(f"{CALM * 4}{number}" for number in range(40))
    assert app.post("/v1/check", json={"text": text, "lang": "en"}).status_code == 200
    assert sum(read) > 4 * PIECE_TOKENS
    assert max(read) <= PIECE_TOKENS


def test_a_short_request_passes_a_long_one() -> None:
    async def test(engine: Engine) -> None:
        text = "\n\n".join(f"{CALM} Number {number}." for number in range(300))
        done: list[str] = []

        async def check() -> None:
            await engine.check(text, CheckOptions(lang="en", least=0.0, thresholds={"pcl": 0.0}))
            done.append("long")

        async def score() -> None:
            await engine.score([CALM], "en")
            done.append("short")

        async with held_up(engine):
            long = asyncio.create_task(check())
            while not engine._readers.lanes["en"]._pieces:  # it waits for its first piece
                await asyncio.sleep(0.01)
            short = asyncio.create_task(score())
            await asyncio.sleep(0)
        await asyncio.gather(long, short)
        assert done == ["short", "long"]

    with_engine(test)


def test_long_requests_leave_room_for_short_ones() -> None:
    async def test(engine: Engine) -> None:
        long = CALM * 70
        async with held_up(engine):
            asked = [
                asyncio.create_task(engine.check(long, CheckOptions(lang="en"))) for _ in range(2)
            ]
            await asyncio.sleep(0)
            with pytest.raises(Busy) as error:
                await engine.check(long, CheckOptions(lang="en"))
            assert int(error.value.headers["Retry-After"]) >= 2
            short = [asyncio.create_task(engine.score(["a"], "en")) for _ in range(4)]
            await asyncio.sleep(0)
            assert engine.waiting == 6
        assert len(await asyncio.gather(*asked, *short)) == 6
        assert engine.waiting == 0
        assert b'tactful_rejected_total{reason="long_queue_full"} 1.0' in engine.metrics.page()

    with_engine(test, replace(FAST, max_queue=4, max_batch=2))


def test_one_comment_is_never_long() -> None:
    async def test(engine: Engine) -> None:
        async with held_up(engine):
            asked = [
                asyncio.create_task(engine.check(CALM * 70, CheckOptions(lang="en")))
                for _ in range(2)
            ]
            await asyncio.sleep(0)
            comment = asyncio.create_task(engine.score([TICKS], "en"))
            await asyncio.sleep(0)
            with pytest.raises(Busy):
                await engine.score([TICKS, TICKS], "en")
        await asyncio.gather(*asked, comment)

    with_engine(test, replace(FAST, max_queue=4, max_batch=2))


def test_work_that_nobody_waits_for_is_not_gone_on_with() -> None:
    looked: list[str] = []

    async def test(engine: Engine) -> None:
        async with held_up(engine):
            detector = engine._readers.detector("en")
            spans = detector.spans  # type: ignore[attr-defined]

            def counted(text: str, ids: Any) -> Any:
                looked.append(text)
                return spans(text, ids)

            vars(detector)["spans"] = counted
            text = "\n\n".join(f"{CALM} Number {number}." for number in range(50))
            lane = engine._readers.lanes["en"]
            asked = asyncio.create_task(
                engine.check(text, CheckOptions(lang="en", least=0.0, thresholds={"pcl": 0.0}))
            )
            while not lane._pieces:
                await asyncio.sleep(0.01)
        # The scores are read now; the check goes on with the words of its first passage.
        while not looked:
            assert not asked.done(), asked.exception()
            await asyncio.sleep(0)
        asked.cancel()
        await asyncio.wait([asked])
        assert engine.waiting == 0

    with_engine(test)  # stopping waits for the threads
    assert len(looked) < 50


def test_the_cost_is_counted_to_the_key_and_told(tmp_path: Path) -> None:
    from tactful.service.http.keys import add_key

    keys = tmp_path / "keys.json"
    key, secret = add_key(keys, "forum", rate_per_minute=60)
    settings = replace(FAST, keys_file=keys, web=False)
    long = {"texts": [f"{number} {CALM}" for number in range(256)]}
    with TestClient(create_app(settings)) as client:
        headers = {"X-API-Key": secret}
        for _ in range(5):
            assert client.post("/v1/score", json={"texts": ["a"]}, headers=headers).is_success
        assert client.post("/v1/score", json=long, headers=headers).is_success
        page = client.get("/metrics", headers=headers)
        assert f'tactful_tokens_total{{key="{key.id}"}}' in page.text


def test_the_details_of_a_check_are_counted_too() -> None:
    text = "\n\n".join(f'{CALM} "Number {number}."' for number in range(3))

    async def test(engine: Engine) -> None:
        counted = []
        for least in (1.0, 0.0):
            NOTE.set(note := Note())
            await engine.check(text, CheckOptions(lang="en", least=least, frames="off"))
            counted.append(note.tokens)
        without, with_details = counted
        # Each passage is read again without its quotation, and for the words that carry it.
        assert with_details > without + 3 * CALL_TOKENS

    with_engine(test)


def test_a_long_request_counts_as_several() -> None:
    limits = RateLimits()
    assert limits.wait_for("k", 60, now=0.0) == 0
    limits.charge("k", 20)
    assert limits.wait_for("k", 60, now=1.0) == pytest.approx(11)
    assert limits.wait_for("k", 60, now=13.0) == 0
    limits.charge("stranger", 20)
    assert limits.wait_for("stranger", 60, now=13.0) == 0
    assert LONG_TOKENS / TOKENS_OF_A_REQUEST == 2


def test_a_document_may_be_longer_where_the_operator_says_so() -> None:
    async def test(engine: Engine) -> None:
        assert (await engine.check(CALM * 100, CheckOptions(lang="en"))).passages

    with_engine(test, replace(FAST, max_tokens=2000))
    with pytest.raises(TooLong):
        with_engine(test, replace(FAST, max_tokens=100))
