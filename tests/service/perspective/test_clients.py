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
GERMAN = "Die Kinder spielen heute im Garten hinter dem alten Haus."
NPM_PACKAGES = ("perspective-api-client@3.1.0", "googleapis-common@8.0.0", "openai@4.104.0")
GOOGLE_PACKAGE = "@conversationai/perspectiveapi-js-client@1.0.1"
"""Apart from the others, because it needs another version of axios."""


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
def test_google_python_client_sends_a_batch(google: Any) -> None:
    found: dict[str, Any] = {}

    def keep(request_id: str, answer: Any, error: Any) -> None:
        found[request_id] = error or answer

    batch = google.new_batch_http_request(callback=keep)
    for name, text in (("rude", RUDE), ("kind", KIND), ("empty", " ")):
        body = {"comment": {"text": text}, "requestedAttributes": {"TOXICITY": {}}}
        batch.add(google.comments().analyze(body=body), request_id=name)
    batch.execute()
    rude, kind = (
        found[name]["attributeScores"]["TOXICITY"]["summaryScore"]["value"]
        for name in ("rude", "kind")
    )
    assert rude > 2 * kind
    assert found["empty"].status_code == 400
    assert found["empty"].reason == "Comment must be non-empty."


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
    return npm_folder(tmp_path_factory.mktemp("npm"), *NPM_PACKAGES)


@pytest.fixture(scope="module")
def node_of_google(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with Google's own JavaScript client, or skip."""
    return npm_folder(tmp_path_factory.mktemp("npm"), GOOGLE_PACKAGE)


def npm_folder(folder: Path, *packages: str) -> Path:
    """Install packages of npm into a folder, or skip."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("node and npm are not installed")
    (folder / "package.json").write_text("{}")
    command = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", *packages]
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
        timeout=600,
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


def test_npm_client_gets_null_where_nothing_can_be_scored(node: Path, drop_in: str) -> None:
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
      const result = await client.analyze('{RUDE}', {{attributes: ['toxicity', 'spam']}});
      const scores = result.attributeScores;
      console.log(JSON.stringify({{
        toxic: scores.TOXICITY.summaryScore.value > 0.8,
        spam: scores.SPAM.summaryScore.value > 0.8,
        value: scores.SPAM.summaryScore.value,
        told: result.unsupportedAttributes.map(each => each.attribute),
      }}));
    }})();
    """
    found = run_node(node, script, drop_in)
    assert found == {"toxic": True, "spam": False, "value": None, "told": ["SPAM"]}


@pytest.mark.parametrize(
    ("asked", "spam"), [("", None), (", {attributes: ['TOXICITY']}", "absent")]
)
def test_npm_client_of_google(
    node_of_google: Path, drop_in: str, asked: str, spam: str | None
) -> None:
    # Without options it asks for SPAM and TOXICITY; a null becomes NaN, which JSON writes as null.
    script = f"""
    const {{Client}} = require('@conversationai/perspectiveapi-js-client');
    const client = new Client('any-key');
    client.perspectiveApiUrl = process.env.SERVER + '/v1alpha1/comments:analyze?key=any-key';
    (async () => {{
      console.log(JSON.stringify({{
        rude: await client.getScores('<b>{RUDE}</b>'{asked}),
        kind: await client.getScores('{KIND}'{asked}),
      }}));
    }})();
    """
    found = run_node(node_of_google, script, drop_in)
    assert found["rude"]["TOXICITY"] > 0.8
    assert found["kind"]["TOXICITY"] < 0.5
    assert found["rude"].get("SPAM", "absent") == found["kind"].get("SPAM", "absent") == spam


def test_npm_openai_client(node: Path, drop_in: str) -> None:
    script = f"""
    const OpenAI = require('openai');
    const baseURL = process.env.SERVER + '/v1';
    const client = new OpenAI({{apiKey: 'any', baseURL, maxRetries: 0}});
    (async () => {{
      const answer = await client.moderations.create({{input: ['{RUDE}', '{KIND}']}});
      let failed = null;
      try {{
        await client.moderations.create({{input: '{GERMAN}'}});
      }} catch (error) {{
        failed = error.status;
      }}
      console.log(JSON.stringify({{answer, failed}}));
    }})();
    """
    found = run_node(node, script, drop_in)
    rude, kind = found["answer"]["results"]
    assert (rude["flagged"], kind["flagged"]) == (True, False)
    assert rude["categories"]["harassment"] is True
    assert rude["categories"]["self-harm"] is None
    assert "self-harm" in rude["unsupported_categories"]
    assert found["failed"] == 400


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
