"""The service behind a real nginx with TLS, configured by the file that ``deploy/`` ships."""

import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.service.conftest import Serve, Served

from tactful.service.http.keys import add_key

SHIPPED = Path(__file__).resolve().parents[2] / "deploy" / "nginx.conf"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
FAST = ("--model", "fast", "--lang", "en", "--no-web")
DISCOVERY = "/$discovery/rest?version=v1alpha1"
BODY = {
    "comment": {"text": "Thank you all for the lovely evening at the library."},
    "requestedAttributes": {"TOXICITY": {}},
}
LIMIT = 2_000_000
"""Bytes of a body, for the service."""
MAIN = """
daemon off;
pid {folder}/nginx.pid;
{user}
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/tactful.conf;
}}
"""

pytestmark = [
    pytest.mark.skipif(NGINX is None, reason="needs nginx (Debian: nginx-light)"),
    pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl"),
]


@dataclass
class Proxy:
    """A running nginx."""

    process: "subprocess.Popen[bytes]"
    folder: Path
    https: int
    http: int

    @property
    def address(self) -> str:
        return f"https://localhost:{self.https}"

    @property
    def certificate(self) -> str:
        return str(self.folder / "fullchain.pem")

    def log(self) -> str:
        """End nginx, which may write the line of a request after its answer; return the log."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(timeout=30)
        return (self.folder / "tactful.log").read_text()

    def get(self, path: str, **headers: str) -> httpx.Response:
        context = ssl.create_default_context(cafile=self.certificate)
        return httpx.get(f"{self.address}{path}", verify=context, headers=headers)


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def adapted(folder: Path, https: int, http: int, service: int) -> str:
    """Return the shipped file with only ports, paths and name changed."""
    text = SHIPPED.read_text(encoding="utf-8")
    changes = {
        r"listen \[::\]:\d+[^;]*;": "",  # a machine for tests may have no IPv6
        r"listen 443 ssl;": f"listen 127.0.0.1:{https} ssl;",
        r"listen 80;": f"listen 127.0.0.1:{http};",
        r"127\.0\.0\.1:8000": f"127.0.0.1:{service}",
        r"/etc/letsencrypt/live/tactful\.example\.org": str(folder),
        r"/var/log/nginx": str(folder),
        r"tactful\.example\.org": "localhost",
    }
    for pattern, replacement in changes.items():
        text, count = re.subn(pattern, replacement, text)
        assert count, f"deploy/nginx.conf has no {pattern}"
    return text


@pytest.fixture
def ports() -> tuple[int, int]:
    https, http = free_ports(2)
    return https, http


@pytest.fixture
def proxy_before(tmp_path: Path, ports: tuple[int, int]) -> Iterator[Any]:
    """Return a function that starts nginx before a service."""
    folder = tmp_path / "nginx"
    folder.mkdir()
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
         "-keyout", str(folder / "privkey.pem"), "-out", str(folder / "fullchain.pem")],
        check=True, capture_output=True,
    )  # fmt: skip
    started: list[subprocess.Popen[bytes]] = []

    def start(served: Served) -> Proxy:
        (folder / "tactful.conf").write_text(adapted(folder, *ports, served.port))
        user = "user root;" if os.getuid() == 0 else ""
        main = folder / "nginx.conf"
        main.write_text(MAIN.format(folder=folder, user=user))
        assert NGINX is not None
        command = [NGINX, "-p", str(folder), "-e", str(folder / "start.log"), "-c", str(main)]
        done = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        started.append(subprocess.Popen(command))
        ends = time.monotonic() + 600
        while time.monotonic() < ends:
            assert started[0].poll() is None, (folder / "start.log").read_text()
            try:
                socket.create_connection(("127.0.0.1", ports[0]), timeout=1).close()
                return Proxy(started[0], folder, *ports)
            except OSError:
                time.sleep(0.05)
        raise AssertionError("nginx did not start")

    yield start
    for process in started:
        process.terminate()
        process.wait(timeout=30)


@pytest.mark.filterwarnings("default")
def test_google_client_finds_the_service_and_talks_https(
    serve: Serve, proxy_before: Any, ports: tuple[int, int], tmp_path: Path
) -> None:
    discovery = pytest.importorskip("googleapiclient.discovery")
    httplib2 = pytest.importorskip("httplib2")
    keys = tmp_path / "keys.json"
    _, secret = add_key(keys, "newsroom")
    url = f"https://localhost:{ports[0]}"
    served = serve(*FAST, "--keys", str(keys), "--public-url", url, "--trusted-proxy", "127.0.0.1")
    proxy = proxy_before(served)
    document = proxy.get(DISCOVERY).json()
    assert document["rootUrl"] == document["baseUrl"] == f"{url}/"
    client = discovery.build(
        "commentanalyzer",
        "v1alpha1",
        developerKey=secret,
        http=httplib2.Http(ca_certs=proxy.certificate),
        discoveryServiceUrl=f"{url}{DISCOVERY}",
        static_discovery=False,
    )
    with client:
        request = client.comments().analyze(body=BODY)
        assert request.uri.startswith(f"{url}/v1alpha1/comments:analyze")
        assert "TOXICITY" in request.execute()["attributeScores"]
    log = proxy.log()
    assert '"POST /v1alpha1/comments:analyze" 200' in log
    assert secret not in log


def test_the_proxy_tells_scheme_host_and_caller(serve: Serve, proxy_before: Any) -> None:
    served = serve(
        *FAST, "--trusted-proxy", "127.0.0.1", "--allowed-host", "localhost", "--rate", "1"
    )
    proxy = proxy_before(served)
    found = proxy.get(DISCOVERY, **{"X-Forwarded-Proto": "http"}).json()
    assert found["rootUrl"] == f"{proxy.address}/"
    forged = proxy.get(DISCOVERY, Host="evil.example", **{"X-Forwarded-Host": "evil.example"})
    assert "evil" not in forged.text
    # A caller who writes another address into a header of his own is counted all the same.
    callers = ["192.0.2.1", "192.0.2.2"]
    seen = [proxy.get("/v1/models", **{"X-Forwarded-For": caller}) for caller in callers]
    assert [each.status_code for each in seen] == [200, 429]


def test_a_stream_passes_line_by_line_and_at_any_length(serve: Serve, proxy_before: Any) -> None:
    proxy = proxy_before(serve(*FAST))
    context = ssl.create_default_context(cafile=proxy.certificate)
    head = "POST /v1/score:stream HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    head += "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
    with (
        socket.create_connection(("127.0.0.1", proxy.https), timeout=600) as plain,
        context.wrap_socket(plain, server_hostname="localhost") as connection,
    ):
        connection.sendall(head.encode())
        for number in range(2):
            line = b'{"text": "The library opens on Monday.", "id": "n-%d"}\n' % number
            blank = b"\n" * (LIMIT + 1)  # more than any other body may have
            connection.sendall(b"%x\r\n%b%b\r\n" % (len(blank) + len(line), blank, line))
            found = b""
            while b"n-%d" % number not in found:
                piece = connection.recv(10_000)
                assert piece, found
                found += piece
        connection.sendall(b"0\r\n\r\n")
        while piece := connection.recv(10_000):
            found += piece
    assert b"error" not in found
    refused = httpx.post(
        f"{proxy.address}/v1/score", content=b" " * (LIMIT + 200_000), verify=context
    )
    assert refused.status_code == 413


def test_a_request_in_the_clear_is_sent_to_https_without_its_key(
    serve: Serve, proxy_before: Any
) -> None:
    proxy = proxy_before(serve(*FAST))
    found = httpx.get(f"http://localhost:{proxy.http}/v1/models?key=secret")
    assert found.status_code == 301
    assert found.headers["location"] == "https://localhost/v1/models"
