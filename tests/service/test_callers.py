import pytest

pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from tactful.service.callers import secret_of


@pytest.mark.parametrize(
    ("headers", "query", "found"),
    [
        ([(b"authorization", b"Bearer one")], b"", "one"),
        ([(b"authorization", b"bearer  one ")], b"key=two", "one"),
        ([(b"authorization", b"Basic b25l")], b"key=two", "two"),
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
