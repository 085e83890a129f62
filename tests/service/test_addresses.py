"""The address that the service gives to clients, and whom it believes about it."""

import logging
from dataclasses import replace
from typing import Any

import pytest
from starlette.testclient import TestClient

from tactful.errors import UsageError
from tactful.service.app import create_app
from tactful.service.settings import ServiceSettings

FAST = ServiceSettings(model="fast", langs=("en",), web=False)
DISCOVERY = "/$discovery/rest?version=v1alpha1"
PROXY = "10.0.0.9"


def root_url(settings: ServiceSettings, client: str = PROXY, **headers: str) -> Any:
    """Return the address in the discovery document that a caller with these headers gets."""
    app = create_app(settings)
    caller = TestClient(app, base_url="http://192.0.2.7:8000", client=(client, 5))
    found = caller.get(
        DISCOVERY, headers={name.replace("_", "-"): headers[name] for name in headers}
    )
    assert found.status_code == 200
    assert found.json()["rootUrl"] == found.json()["baseUrl"]
    return found.json()["rootUrl"]


def test_the_public_url_is_given_whatever_the_request_says() -> None:
    settings = replace(FAST, public_url="https://tactful.example.org/")
    assert root_url(settings, Host="evil.example") == "https://tactful.example.org/"
    assert root_url(settings, X_Forwarded_Proto="http") == "https://tactful.example.org/"


def test_the_path_of_the_public_url_is_the_root_path() -> None:
    settings = replace(FAST, public_url="https://example.org/tools/tactful")
    assert settings.root_path == "/tools/tactful"
    assert root_url(settings) == "https://example.org/tools/tactful/"
    assert replace(FAST, public_url="https://example.org/a", root_path="/a").root_path == "/a"
    with pytest.raises(UsageError, match="--root-path"):
        replace(FAST, public_url="https://example.org/a", root_path="/b")


@pytest.mark.parametrize(
    "host", ["localhost:8000", "127.0.0.1:8000", "[::1]:8000", "192.0.2.7:8000"]
)
def test_own_addresses_are_taken_from_the_request(host: str) -> None:
    assert root_url(FAST, Host=host) == f"http://{host}/"


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "localhost@evil.example", "localhost/evil", "a b", "",
     "localhost:x", "[::1", "192.0.2.7.evil.example", "localhost:8000, evil.example"],
)  # fmt: skip
def test_an_unknown_host_is_never_repeated(host: str) -> None:
    assert root_url(FAST, Host=host) == "http://192.0.2.7:8000/"


def test_the_log_says_once_what_to_do_about_an_unknown_host(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caller = TestClient(create_app(FAST), base_url="http://192.0.2.7:8000")
    with caplog.at_level(logging.WARNING, "tactful.service"):
        for _ in range(3):
            caller.get(DISCOVERY, headers={"Host": "tactful.example.org"})
    (line,) = [each.getMessage() for each in caplog.records if each.levelno == logging.WARNING]
    assert "--public-url" in line
    assert "example.org" not in line


def test_hosts_that_are_allowed_are_taken() -> None:
    settings = replace(FAST, allowed_hosts=("Tactful.example.org", "192.0.2.8"))
    assert root_url(settings, Host="tactful.EXAMPLE.org:8443") == "http://tactful.example.org:8443/"
    assert root_url(settings, Host="192.0.2.8") == "http://192.0.2.8/"
    assert root_url(settings, Host="evil.example") == "http://192.0.2.7:8000/"


FORWARDED = {"X_Forwarded_Proto": "https", "X_Forwarded_Host": "tactful.example.org"}


def test_forwarded_headers_of_a_trusted_proxy_are_believed() -> None:
    named = replace(FAST, allowed_hosts=("tactful.example.org",))
    for proxy in ("10.0.0.9", "10.0.0.0/8"):
        settings = replace(named, trusted_proxies=("::1", proxy))
        assert root_url(settings, **FORWARDED) == "https://tactful.example.org/"
        # The host must be one of ours also where a proxy passes on what its client sent.
        forged = {**FORWARDED, "X_Forwarded_Host": "evil.example"}
        assert root_url(settings, **forged) == "https://192.0.2.7:8000/"


def test_forwarded_headers_of_anybody_else_are_not_believed() -> None:
    settings = replace(FAST, allowed_hosts=("tactful.example.org",), trusted_proxies=("10.0.0.1",))
    assert root_url(settings, **FORWARDED) == "http://192.0.2.7:8000/"
    assert root_url(replace(settings, trusted_proxies=()), **FORWARDED) == "http://192.0.2.7:8000/"


def statuses(settings: ServiceSettings, callers: list[str]) -> list[int]:
    client = TestClient(create_app(settings), client=(PROXY, 5))
    headers = [{"X-Forwarded-For": caller} for caller in callers]
    return [client.get("/v1/models", headers=each).status_code for each in headers]


def test_the_rate_is_that_of_the_caller_behind_a_trusted_proxy() -> None:
    settings = replace(FAST, rate_per_minute=6, trusted_proxies=(PROXY,))
    assert statuses(settings, ["192.0.2.1", "192.0.2.1", "192.0.2.2"]) == [200, 429, 200]
    # What a caller wrote comes before what the proxy added, and is not counted.
    assert statuses(settings, ["1.1.1.1, 192.0.2.1", "2.2.2.2, 192.0.2.1"]) == [200, 429]


def test_nobody_evades_the_rate_with_a_header_of_his_own() -> None:
    settings = replace(FAST, rate_per_minute=6)
    assert statuses(settings, ["192.0.2.1", "192.0.2.2"]) == [200, 429]


def test_no_redirect_repeats_the_host() -> None:
    caller = TestClient(create_app(FAST), follow_redirects=False)
    found = caller.get("/docs/", headers={"Host": "evil.example"})
    assert found.status_code == 404
    assert "location" not in found.headers


@pytest.mark.parametrize(
    "values",
    [
        {"public_url": "tactful.example.org"},
        {"public_url": "ftp://example.org"},
        {"public_url": "https://user@example.org"},
        {"public_url": "https://example.org/?key=1"},
        {"public_url": "https://example.org/#a"},
        {"public_url": "https://exam ple.org"},
        {"public_url": "https://"},
        {"trusted_proxies": ("proxy",)},
        {"trusted_proxies": ("10.0.0.1/8",)},
        {"trusted_proxies": ("*",)},
        {"allowed_hosts": ("https://example.org",)},
        {"allowed_hosts": ("*",)},
        {"allowed_hosts": ("example.org:8000",)},
    ],
)
def test_wrong_values_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="expected"):
        replace(FAST, **values)
