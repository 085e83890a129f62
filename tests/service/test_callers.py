import pytest

pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from tactful.service.http.callers import secret_of


@pytest.mark.parametrize(
    ("headers", "query", "found"),
    [
        ([(b"authorization", b"Bearer one")], b"", "one"),
        ([(b"authorization", b"bearer  one ")], b"key=two", "one"),
        ([(b"authorization", b"Basic b25l")], b"key=two", "two"),
        ([(b"authorization", b"Basic b25l")], b"", None),
        ([(b"authorization", b"Basic bmFtZTpvbmU=")], b"", "one"),
        ([(b"authorization", b"basic  OnR3bzpvbmU=")], b"", "two:one"),
        # A proxy may have a password of its own before the service; a key goes first.
        ([(b"authorization", b"Basic bmFtZTpvbmU=")], b"key=two", "two"),
        ([(b"authorization", b"Basic bmFtZTpvbmU="), (b"x-api-key", b"three")], b"", "three"),
        ([(b"authorization", b"Basic \xff\xff")], b"", None),
        ([(b"authorization", b"Basic =")], b"", None),
        ([(b"x-api-key", b"three")], b"", "three"),
        ([], b"alt=json&key=two&key=four", "two"),
        ([], b"monkey=two", None),
        ([], b"key=", None),
        ([], b"", None),
        ([], b"key=two&" + b"a=1&" * 200, None),  # a bomb is no key, and no fault of ours
        ([], b"key=%ff%00", "\ufffd\x00"),
    ],
)
def test_the_key_of_a_request(
    headers: list[tuple[bytes, bytes]], query: bytes, found: str | None
) -> None:
    assert secret_of({"type": "http", "headers": headers, "query_string": query}) == found
