"""Real clients of the Perspective API against the running server; only their address changes."""

import json
import os
import shutil
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

RUDE = "Only a complete fool would write such garbage, so shut up."
KIND = "Thank you all for the lovely evening at the library."
NPM_PACKAGES = ("perspective-api-client@3.1.0", "googleapis-common@8.0.0")


@pytest.fixture(scope="module")
def google(server: str) -> Iterator[Any]:
    """Return Google's own Python client, built from our discovery document."""
    discovery = pytest.importorskip("googleapiclient.discovery")
    client = discovery.build(
        "commentanalyzer",
        "v1alpha1",
        developerKey="any-key",
        discoveryServiceUrl=f"{server}/$discovery/rest?version=v1alpha1",
        static_discovery=False,
    )
    yield client
    client.close()


@pytest.mark.filterwarnings("default")
def test_google_python_client_scores(google: Any) -> None:
    request = {
        "comment": {"text": f"{RUDE} {KIND}"},
        "requestedAttributes": {"TOXICITY": {}, "INSULT": {}},
        "spanAnnotations": True,
        "clientToken": "py",
    }
    answer = google.comments().analyze(body=request).execute()
    assert answer["clientToken"] == "py"
    first, second = answer["attributeScores"]["TOXICITY"]["spanScores"]
    assert first["score"]["value"] > second["score"]["value"]


@pytest.mark.filterwarnings("default")
def test_google_python_client_suggests_and_fails_readably(google: Any) -> None:
    errors = pytest.importorskip("googleapiclient.errors")
    suggestion = {
        "comment": {"text": KIND},
        "attributeScores": {"TOXICITY": {"summaryScore": {"value": 0}}},
        "clientToken": "py",
    }
    assert google.comments().suggestscore(body=suggestion).execute()["clientToken"] == "py"
    bad = {
        "comment": {"text": KIND},
        "languages": ["sw"],
        "requestedAttributes": {"TOXICITY": {}},
    }
    with pytest.raises(errors.HttpError) as caught:
        google.comments().analyze(body=bad).execute()
    assert caught.value.status_code == 400
    assert caught.value.reason == "Attribute TOXICITY does not support request languages: sw"
    details = caught.value.error_details
    assert details[0]["errorType"] == "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE"


@pytest.mark.filterwarnings("default")
def test_google_python_client_by_the_path_of_the_directory(server: str) -> None:
    discovery = pytest.importorskip("googleapiclient.discovery")
    client = discovery.build(
        "commentanalyzer",
        "v1alpha1",
        developerKey="any-key",
        discoveryServiceUrl=f"{server}/discovery/v1/apis/{{api}}/{{apiVersion}}/rest",
        static_discovery=False,
    )
    request = {"comment": {"text": KIND}, "requestedAttributes": {"UNHEALTHY": {}}}
    with client:
        answer = client.comments().analyze(body=request).execute()
    assert "UNHEALTHY" in answer["attributeScores"]


def test_the_discovery_document_names_this_server(server: str, post: Any) -> None:
    with urllib.request.urlopen(f"{server}/$discovery/rest?version=v1alpha1") as answer:  # noqa: S310
        found = json.loads(answer.read())
    assert found["rootUrl"] == found["baseUrl"] == f"{server}/"
    assert set(found["resources"]["comments"]["methods"]) == {"analyze", "suggestscore"}
    request = urllib.request.Request(f"{server}/$discovery/rest?version=v2")  # noqa: S310
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request)  # noqa: S310
    with caught.value as error:
        assert json.loads(error.read())["error"]["status"] == "INVALID_ARGUMENT"


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the npm clients, or skip."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("node and npm are not installed")
    folder = tmp_path_factory.mktemp("npm")
    (folder / "package.json").write_text("{}")
    command = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", *NPM_PACKAGES]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=180, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip("the npm registry does not answer")
    if done.returncode:
        pytest.skip("the npm registry cannot be reached")
    return folder


def run_node(folder: Path, script: str, server: str) -> Any:
    path = folder / "client.js"
    path.write_text(script)
    done = subprocess.run(
        ["node", str(path)],
        cwd=folder,
        env={**os.environ, "SERVER": server, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_npm_perspective_api_client(node: Path, server: str) -> None:
    # Its address is a constant; an interceptor of the axios it calls changes it, as a host's
    # entry in DNS would.
    script = f"""
    const axios = require('axios');
    axios.interceptors.request.use(config => {{
      config.url = config.url.replace('https://commentanalyzer.googleapis.com', process.env.SERVER);
      config.proxy = false;
      return config;
    }});
    const Perspective = require('perspective-api-client');
    const client = new Perspective({{apiKey: 'any-key'}});
    (async () => {{
      const rude = await client.analyze('<b>{RUDE}</b>', {{attributes: ['toxicity', 'insult']}});
      const kind = await client.analyze({{
        comment: {{text: '{KIND}'}},
        languages: ['en'],
        requestedAttributes: {{TOXICITY: {{scoreThreshold: 0.6}}}},
      }});
      let failed = null;
      try {{
        await client.analyze('{KIND}', {{attributes: ['flirtation']}});
      }} catch (error) {{
        failed = {{name: error.name, message: error.message}};
      }}
      console.log(JSON.stringify({{rude, kind, failed}}));
    }})();
    """
    found = run_node(node, script, server)
    assert found["rude"]["attributeScores"]["TOXICITY"]["summaryScore"]["value"] > 0.4
    assert "attributeScores" not in found["kind"]
    assert found["failed"]["name"] == "ResponseError"
    assert "The nearest attribute is SEXUALLY_EXPLICIT" in found["failed"]["message"]


def test_npm_google_discovery_client(node: Path, server: str) -> None:
    # What google.discoverAPI(URL) of the documentation's sample calls.
    script = f"""
    const {{Discovery}} = require('googleapis-common/build/src/discovery');
    (async () => {{
      const url = process.env.SERVER + '/$discovery/rest?version=v1alpha1';
      const make = await new Discovery({{debug: false, includePrivate: false}}).discoverAPI(url);
      const client = make({{version: 'v1alpha1', auth: 'any-key'}}, {{_options: {{}}}});
      const answer = await client.comments.analyze({{
        key: 'any-key',
        resource: {{
          comment: {{text: '{RUDE}'}},
          requestedAttributes: {{TOXICITY: {{}}}},
        }},
      }});
      console.log(JSON.stringify(answer.data));
    }})();
    """
    found = run_node(node, script, server)
    assert found["attributeScores"]["TOXICITY"]["summaryScore"]["value"] > 0.4


def test_coral_analyzes_and_suggests(post: Any) -> None:
    # The bodies that Coral's server writes (its services/perspective): one model, one language,
    # and a suggestion named after the decision of a moderator.
    code, answer = post(
        "v1alpha1/comments:analyze?key=abc",
        {
            "comment": {"text": RUDE},
            "doNotStore": True,
            "requestedAttributes": {"TOXICITY": {}},
            "languages": ["en"],
        },
    )
    assert code == 200
    assert answer["attributeScores"]["TOXICITY"]["summaryScore"]["value"] > 0.4
    for status in ("APPROVED", "DELETED", "undefined"):
        code, answer = post(
            "v1alpha1/comments:suggestscore?key=abc",
            {
                "comment": {"text": RUDE},
                "context": {
                    "entries": [
                        {
                            "text": json.dumps(
                                {
                                    "url": "https://news.example/story?commentID=c-1",
                                    "reply_to_id_Coral_comment_id": "c-0",
                                    "Coral_comment_id": "c-1",
                                }
                            )
                        }
                    ]
                },
                "attributeScores": {status: {"summaryScore": {"value": 1}}},
                "languages": ["en"],
                "communityId": "Coral:https://news.example",
                "clientToken": "comment:c-1",
            },
        )
        assert code == 200
        assert answer["clientToken"] == "comment:c-1"
