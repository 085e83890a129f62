"""Classifiers behind an address: a real server on this machine answers."""

import threading
import time
from collections.abc import Iterator
from email.utils import formatdate
from types import SimpleNamespace
from typing import Any

import pytest
from tests.local_server import Reply, Server, serving

from tactful import posting
from tactful.audit.classifiers import load_classifier
from tactful.audit.classifiers.endpoint import ADVICE, EndpointClassifier
from tactful.errors import InputError, UnknownNameError, UsageError
from tactful.posting import Poster, is_local
from tactful.taxonomies.prompts import Prompt

ABOUT_TEA = "They are people who like tea."


def prompts(*texts: str) -> list[Prompt]:
    return [Prompt(None, None, None, "T", text) for text in texts]


@pytest.fixture
def server() -> Iterator[Server]:
    with serving("/classify") as found:
        yield found


def opened(server: Server, **options: Any) -> Any:
    return load_classifier(server.url, allow_network=True, **options)


def impatient(server: Server, **options: Any) -> EndpointClassifier:
    return EndpointClassifier(Poster(server.url, first_wait=0.01, advice=ADVICE, **options), {})


def by_word(data: Any) -> list[str]:
    texts = data.get("texts") or data["inputs"]
    return ["NEG" if "bad" in text else "POS" for text in texts]


def test_labels_come_back_in_order_and_in_batches(server: Server) -> None:
    server.replies = [lambda data: {"labels": by_word(data)}]
    classifier = opened(server, batch=2)
    answers = classifier.ask(prompts("bad", "good", "bad", "good", "bad"))
    assert [answer["label"][:3] for answer in answers] == ["neg", "pos", "neg", "pos", "neg"]
    assert [data for _, _, data in server.asked] == [
        {"texts": ["bad", "good"]},
        {"texts": ["bad", "good"]},
        {"texts": ["bad"]},
    ]
    path, headers, _ = server.asked[0]
    assert path == "/classify"
    assert headers["Content-Type"] == "application/json"
    assert headers["User-Agent"].startswith("tactful/")
    assert "Authorization" not in headers


def test_nothing_asked_nothing_sent(server: Server) -> None:
    assert opened(server).ask([]) == []
    assert server.asked == []


def test_the_shape_of_hugging_face(server: Server) -> None:
    classes = [{"label": "NEG", "score": 0.8}, {"label": "POS", "score": 0.2}]
    server.replies = [lambda data: [classes for _ in data["inputs"]]]
    answers = opened(server, endpoint_shape="inputs").ask(prompts("a", "b"))
    assert answers == [{"label": "negative", "score": 0.8, "said": "NEG"}] * 2
    server.replies = [Reply([{"label": "NEG", "score": 0.8}, {"label": "POS", "score": 0.9}])]
    two = opened(server, endpoint_shape="inputs").ask(prompts("a", "b"))
    assert [each["label"] for each in two] == ["negative", "positive"]
    [one] = opened(server, endpoint_shape="inputs").ask(prompts("a"))
    assert one == {"label": "positive", "score": 0.9, "said": "POS"}


def test_the_users_labels_are_used(server: Server) -> None:
    server.replies = [Reply(["LABEL_0"])]
    answers = opened(server, labels={"LABEL_0": "neg"}).ask(prompts("a"))
    assert answers[0]["label"] == "negative"


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply({"result": []}), "found JSON of another shape; expected a list"),
        (Reply("NEG"), "found JSON of another shape"),
        (Reply({"labels": "NEG"}), "found JSON of another shape"),
        (Reply([]), "found 0 answers for 1 text"),
        (Reply(["NEG", "POS"]), "found 2 answers for 1 text"),
        (Reply([None]), "for text 1 of the batch, found nothing (None)"),
        (Reply(["LABEL_1"]), "found the label 'LABEL_1'; expected negative"),
        (Reply([float("nan")]), "the number nan"),
        (Reply(raw=b"<html>"), "found an answer of 6 bytes that is not JSON"),
        (Reply(raw=b"\xff\xfe\xff"), "that is not JSON"),
        (Reply(raw=b"[" * 100_000), "that is not JSON"),
        (Reply(status=201, body=["NEG"]), "found status 201 (Created); expected 200 with JSON"),
        (Reply(status=404), "found status 404 (Not Found); expected 200; check the address"),
        (Reply(status=401), "(Unauthorized); expected 200; name the variable"),
        (Reply(status=422), "check --endpoint-shape"),
        (Reply(status=500, body=ABOUT_TEA), "found status 500 (Internal Server Error)"),
        (Reply(status=599), "found status 599; expected 200; see the log"),
        (Reply(["NEG"], headers={"Content-Length": "999"}), "found no answer ("),
    ],
)
def test_a_wrong_answer_is_one_sentence_without_the_texts(
    server: Server, reply: Reply, message: str
) -> None:
    server.replies = [reply]
    with pytest.raises(InputError) as caught:
        impatient(server).ask(prompts(ABOUT_TEA))
    said = str(caught.value)
    assert said.startswith(f"{server.url}: ")
    assert message in said
    assert "tea" not in said
    assert "\n" not in said
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_asked_again(server: Server, status: int) -> None:
    server.replies = [Reply(status=status), Reply(status=status), Reply(["NEG"])]
    assert impatient(server).ask(prompts("a"))[0]["label"] == "negative"
    assert len(server.asked) == 3


def test_a_server_that_stays_busy_is_given_up(server: Server) -> None:
    server.replies = [Reply(status=503)]
    with pytest.raises(InputError, match=r"503 \(Service Unavailable\) 6 times"):
        impatient(server).ask(prompts("a"))
    assert len(server.asked) == 6


@pytest.mark.parametrize(("header", "wait"), [("1", 1.0), ("0", 0.0), ("soon", 0.01)])
def test_the_server_says_how_long_to_wait(
    server: Server, monkeypatch: pytest.MonkeyPatch, header: str, wait: float
) -> None:
    waits: list[float] = []
    clock = SimpleNamespace(monotonic=time.monotonic, sleep=waits.append)
    monkeypatch.setattr(posting, "time", clock)
    server.replies = [Reply(status=429, headers={"Retry-After": header}), Reply(["NEG"])]
    impatient(server).ask(prompts("a"))
    assert waits == [wait]


def test_a_date_to_wait_for(server: Server) -> None:
    past = formatdate(time.time() - 60, usegmt=True)
    server.replies = [Reply(status=503, headers={"Retry-After": past}), Reply(["NEG"])]
    assert impatient(server).ask(prompts("a"))[0]["label"] == "negative"
    server.asked.clear()
    later = formatdate(time.time() + 3600, usegmt=True)
    server.replies = [Reply(status=503, headers={"Retry-After": later})]
    with pytest.raises(InputError, match=r"a request to wait 3,[56][0-9]{2} seconds"):
        impatient(server).ask(prompts("a"))


def test_a_server_that_does_not_answer_in_time(server: Server) -> None:
    given_up = threading.Event()
    server.replies = [Reply(["NEG"], hold=given_up)]
    with pytest.raises(InputError, match=r"none within 0\.2 seconds"):
        impatient(server, timeout=0.2).ask(prompts("a"))
    given_up.set()


def test_no_server_at_all(server: Server) -> None:
    with pytest.raises(InputError, match=r"found no answer \(.*refused"):
        load_classifier("http://127.0.0.1:9/", allow_network=True).ask(prompts("a"))


def test_an_endless_answer_is_cut(server: Server) -> None:
    server.replies = [Reply(raw=b" " * (3 << 20))]
    with pytest.raises(InputError, match="more than 1 MiB; expected one label for each text"):
        impatient(server, most_bytes=1 << 20).ask(prompts("a"))


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_to_the_same_server_is_posted_again(server: Server, status: int) -> None:
    server.replies = [Reply(status=status, headers={"Location": "/v2"}), Reply(["NEG"])]
    assert impatient(server, token="abc").ask(prompts("a"))[0]["label"] == "negative"  # noqa: S106
    path, headers, data = server.asked[1]
    assert (path, data) == ("/v2", {"texts": ["a"]})
    assert headers["Authorization"] == "Bearer abc"


@pytest.mark.parametrize(
    "target", ["http://127.0.0.1:1/x", "https://127.0.0.1/x", "http://example.org/{texts}"]
)
def test_a_redirect_to_another_server_is_refused(server: Server, target: str) -> None:
    server.replies = [Reply(status=307, headers={"Location": target})]
    with pytest.raises(InputError, match=r"found a redirect to .*; name the other one"):
        impatient(server).ask(prompts("a"))
    assert len(server.asked) == 1


def test_redirects_in_a_circle_end(server: Server) -> None:
    server.replies = [Reply(status=307, headers={"Location": "/classify"})]
    with pytest.raises(InputError, match="found status 307"):
        impatient(server).ask(prompts("a"))


def test_the_network_is_off_unless_asked_for(server: Server) -> None:
    with pytest.raises(UsageError, match="pass --allow-network"):
        load_classifier(server.url)
    assert server.asked == []


def test_plain_http_is_for_this_machine() -> None:
    with pytest.raises(UsageError, match="pass --allow-plain-http"):
        load_classifier("http://example.org/x", allow_network=True)
    assert load_classifier("http://example.org/x", allow_network=True, allow_plain_http=True).name
    assert load_classifier("https://example.org/x", allow_network=True).name


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("localhost", True),
        ("a.localhost", True),
        ("127.0.0.1", True),
        ("127.8.9.10", True),
        ("::1", True),
        ("localhost.example.org", False),
        ("127.0.0.1.example.org", False),
        ("10.0.0.1", False),
        ("0.0.0.0", False),  # noqa: S104 - nothing is bound to it
        ("", False),
    ],
)
def test_what_this_machine_is(host: str, local: bool) -> None:
    assert is_local(host) is local


def test_what_stays_here_goes_through_no_proxy(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    server.replies = [Reply(["NEG"])]
    assert impatient(server).ask(prompts("a"))[0]["label"] == "negative"


def test_the_token_is_sent_and_told_to_nobody(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUR_TOKEN", " s3cret\n")
    server.replies = [Reply(["NEG"])]
    classifier = opened(server, token_env="OUR_TOKEN")  # noqa: S106
    classifier.ask(prompts("a"))
    assert server.asked[0][1]["Authorization"] == "Bearer s3cret"
    assert classifier.fingerprint == opened(server).fingerprint
    told = [classifier.name, classifier.fingerprint, *classifier.notes, repr(classifier._poster)]
    assert "s3cret" not in " ".join(told)


def test_a_token_that_cannot_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OUR_TOKEN", raising=False)
    options: dict[str, Any] = {"allow_network": True, "token_env": "OUR_TOKEN"}
    with pytest.raises(UsageError, match="'OUR_TOKEN' is unset or empty"):
        load_classifier("https://example.org/", **options)
    monkeypatch.setenv("OUR_TOKEN", "a\r\nX-Other: b")
    with pytest.raises(UsageError, match="holds letters that no token has") as caught:
        load_classifier("https://example.org/", **options)
    assert "X-Other" not in str(caught.value)
    monkeypatch.setenv("OUR_TOKEN", "fine")
    with pytest.raises(UsageError, match="the token unencrypted"):
        load_classifier("http://example.org/", allow_plain_http=True, **options)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("https://", "cannot be read"),
        ("https://exa mple.org/", "cannot be read"),
        ("https://example.org:99999/", "cannot be read"),
        ("https://[::1/", "cannot be read"),
        ("https://example.org/ü", "cannot be read"),
        ("ftp://example.org/x", "begins with 'ftp:'; expected https or http"),
        ("file:///etc/hosts", "cannot be read"),
        ("https://me:word@example.org/", "holds a user's name or password"),
    ],
)
def test_an_address_that_cannot_be_used(url: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_classifier(url, allow_network=True)
    assert message in str(caught.value)
    assert "word@" not in str(caught.value)


def test_options_that_cannot_be_used() -> None:
    url = "https://example.org/x"
    with pytest.raises(UnknownNameError, match="Did you mean 'inputs'"):
        load_classifier(url, allow_network=True, endpoint_shape="input")
    for timeout in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(UsageError, match="expected seconds above 0"):
            load_classifier(url, allow_network=True, timeout=timeout)


def test_who_it_is() -> None:
    def named(url: str, **options: Any) -> Any:
        return load_classifier(url, allow_network=True, **options)

    one = named("https://example.org/x?key=s3cret")
    assert (one.name, one.kind) == ("https://example.org/x", "sentiment")
    assert "s3cret" not in one.notes[0]
    assert "may change unnoticed" in one.notes[0]
    others = [
        named("https://example.org/x"),
        named("https://example.org/x?key=s3cret", endpoint_shape="inputs"),
        named("https://example.org/x?key=s3cret", labels={"A": "neg"}),
    ]
    assert len({each.fingerprint for each in (one, *others)}) == 4
