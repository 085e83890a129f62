"""``POST /v1/rewrite``: there only where the operator configured an endpoint, a real one here."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient
from tests.local_server import Reply, Server, serving

from tactful.errors import UsageError
from tactful.service.app import create_app
from tactful.service.routes.rewrite import MOST_REWRITES, NO_ANSWER, chat_of
from tactful.service.settings import ServiceSettings

PITY = "Even these poor souls can learn to hope again."
PLAIN = "The families wait at the stop."


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving("/v1") as found:
        yield found


@pytest.fixture(scope="module")
def rewriting(server: Server) -> Iterator[TestClient]:
    settings = ServiceSettings(
        model="fast", langs=("en",), web=False, rewrite_endpoint=server.url, timeout_seconds=20
    )
    with TestClient(create_app(settings), raise_server_exceptions=False) as found:
        yield found


@pytest.fixture(autouse=True)
def fresh(server: Server) -> None:
    server.asked.clear()
    message = {"role": "assistant", "content": PLAIN}
    server.replies = [Reply({"choices": [{"message": message}]})]


def test_without_an_endpoint_there_is_no_such_path(client: TestClient) -> None:
    answer = client.post("/v1/rewrite", json={"text": PITY})
    assert answer.status_code == 404
    error = answer.json()["error"]
    assert (error["code"], error["status"]) == (404, "NOT_FOUND")
    assert "/v1/rewrite" not in client.get("/openapi.json").json()["paths"]


def test_sentences_are_rewritten_and_compared(rewriting: TestClient, server: Server) -> None:
    text = f"The bridge opens on Monday. {PITY}"
    answer = rewriting.post("/v1/rewrite", json={"text": text})
    assert answer.status_code == 200
    data = answer.json()
    assert data["schema"] == "tactful/rewrite/1"
    (sentence,) = data["sentences"]
    assert sentence["text"] == PITY
    assert sentence["suggestions"]
    assert sentence["rewrite"]["text"] == PLAIN
    assert sentence["rewrite"]["better"] is True
    assert sentence["rewrite"]["score_before"] > sentence["rewrite"]["score_after"]
    assert "bridge" not in str(server.asked[0][2])
    assert "/v1/rewrite" in rewriting.get("/openapi.json").json()["paths"]


def test_one_sentence_can_be_asked_for(rewriting: TestClient, server: Server) -> None:
    other = "My neighbour is wheelchair-bound."
    text = f"😀 The bridge opens on Monday.\n\n{PITY}\n\n{other}"
    for sentence in (PITY, other):
        server.asked.clear()
        at = text.index(sentence) + 3
        found = rewriting.post("/v1/rewrite", json={"text": text, "at": at}).json()["sentences"]
        assert [each["text"] for each in found] == [sentence]
        assert len(server.asked) == 1
    for nowhere in (text.index("bridge"), len(text), 10**9):
        answer = rewriting.post("/v1/rewrite", json={"text": text, "at": nowhere})
        assert answer.json()["sentences"] == []
    assert rewriting.post("/v1/rewrite", json={"text": text, "at": -1}).status_code == 422


def test_a_text_without_findings_is_not_sent(rewriting: TestClient, server: Server) -> None:
    answer = rewriting.post("/v1/rewrite", json={"text": "The bridge opens on Monday."})
    assert answer.json()["sentences"] == []
    assert server.asked == []


def test_an_endpoint_that_fails_is_asked_once(rewriting: TestClient, server: Server) -> None:
    server.replies = [Reply(status=503)]
    text = "\n\n".join([PITY] * 3)
    answer = rewriting.post("/v1/rewrite", json={"text": text})
    assert answer.status_code == 200
    sentences = answer.json()["sentences"]
    assert [each["rewrite"]["problem"] for each in sentences] == [NO_ANSWER] * 3
    assert all(each["suggestions"] for each in sentences)
    assert "127.0.0.1" not in answer.text
    assert len(server.asked) == 1


def test_a_request_asks_for_a_few_rewrites(rewriting: TestClient, server: Server) -> None:
    text = "\n\n".join([PITY] * (MOST_REWRITES + 2))
    sentences = rewriting.post("/v1/rewrite", json={"text": text}).json()["sentences"]
    assert len(sentences) == MOST_REWRITES + 2
    assert [each["rewrite"] is None for each in sentences].count(True) == 2
    assert len(server.asked) == MOST_REWRITES


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ({"text": " "}, 400, "TEXT_EMPTY"),
        ({"text": "x" * 60_000}, 400, "TEXT_TOO_LONG"),
        ({"text": PITY, "endpoint": "http://other"}, 422, "FIELD_INVALID"),
        ({}, 422, "FIELD_INVALID"),
    ],
    ids=["empty", "long", "unknown", "missing"],
)
def test_wrong_requests(
    rewriting: TestClient, server: Server, body: dict[str, str], status: int, kind: str
) -> None:
    answer = rewriting.post("/v1/rewrite", json=body)
    assert answer.status_code == status
    assert answer.json()["error"]["details"][0]["errorType"] == kind
    assert server.asked == []


def test_addresses_are_checked_before_the_service_starts() -> None:
    with pytest.raises(UsageError, match="pass --rewrite-allow-plain-http"):
        chat_of(ServiceSettings(rewrite_endpoint="http://example.org/v1"))
    with pytest.raises(UsageError, match="cannot be read"):
        create_app(ServiceSettings(model="fast", rewrite_endpoint="nowhere"))
