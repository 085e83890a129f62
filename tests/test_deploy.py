"""The files of ``deploy/`` and ``editors/`` are what Docker, systemd, proxies and editors read."""

import json
import re
import shlex
import shutil
import subprocess
from configparser import RawConfigParser
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from tactful.checking.options import FRAMES, LANGUAGES, TERMS
from tactful.checking.wording import REPORT_LANGUAGES
from tactful.cli.serve import serve_cli
from tactful.service.lsp.settings import EditorSettings, read_settings

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"
VSCODE = ROOT / "editors" / "vscode"
UNIT = DEPLOY / "tactful.service"

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="needs systemd-analyze"
)
needs_hadolint = pytest.mark.skipif(shutil.which("hadolint") is None, reason="needs hadolint")


def run(*command: str, **options: Any) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=600, **options
    )


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile, each on one line."""
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    whole = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    pairs = (line.split(maxsplit=1) for line in whole.splitlines() if line.strip())
    return [(pair[0], pair[1]) for pair in pairs]


def of(name: str) -> list[str]:
    return [value for instruction, value in instructions() if instruction == name]


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return found


def unit() -> RawConfigParser:
    parser = RawConfigParser(strict=False, delimiters=("=",), comment_prefixes=("#",))
    parser.optionxform = str  # type: ignore[method-assign,assignment]
    parser.read_string(UNIT.read_text(encoding="utf-8"))
    return parser


def serve_options(arguments: list[str]) -> dict[str, Any]:
    """Read options as the command does; an unknown one fails."""
    with click.Context(serve_cli) as context:
        serve_cli.parse_args(context, list(arguments))
        return context.params


def test_the_container_starts_a_command_that_exists() -> None:
    assert json.loads(of("ENTRYPOINT")[0]) == ["tactful", "serve"]
    options = serve_options(json.loads(of("CMD")[0]))
    assert options["host"] == "0.0.0.0"  # noqa: S104 (inside the container)
    assert options["keys_file"] == Path("/keys/keys.json")
    assert not options["is_open"]


def test_the_container_runs_without_root_and_knows_its_health() -> None:
    assert of("USER") == ["10001:10001"]
    names = [name for name, _ in instructions()]
    assert names.index("USER") > len(names) - 1 - names[::-1].index("COPY")
    check = of("HEALTHCHECK")[0]
    command = json.loads(check[check.index("[") :])
    assert command[:2] == ["python", "-c"]
    compile(command[2], "healthcheck", "exec")
    port = serve_options(json.loads(of("CMD")[0]))["port"]
    assert f"127.0.0.1:{port}/healthz" in command[2]
    assert of("EXPOSE") == [str(port)]


def test_the_image_is_made_of_the_wheel_on_a_pinned_base() -> None:
    bases = [each.split()[0] for each in of("FROM")]
    assert len(bases) == 2
    assert all(re.fullmatch(r"python:3\.\d+-slim-\w+", base) for base in bases)
    build = " ".join(of("RUN"))
    assert "pip wheel" in build
    assert "tactful[serve]" in build
    assert "/wheels/tactful_weights_research-*.whl" in build
    assert "--constraint constraints.txt" in build


def test_all_that_is_copied_exists_and_reaches_the_builder() -> None:
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    for copied in of("COPY"):
        if copied.startswith("--from"):
            continue
        for name in shlex.split(copied)[:-1]:
            assert (ROOT / name).exists(), name
            assert f"!{name}" in ignored, name


@needs_hadolint
def test_hadolint_has_nothing_to_say() -> None:
    done = run("hadolint", str(DEPLOY / "Dockerfile"))
    assert done.returncode == 0, done.stdout


def test_compose_limits_and_locks_down() -> None:
    service = compose()["services"]["tactful"]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert set(service["deploy"]["resources"]["limits"]) == {"cpus", "memory"}
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    assert (DEPLOY / service["build"]["context"]).resolve() == ROOT
    assert (ROOT / service["build"]["dockerfile"]).is_file()
    options = serve_options(service["command"])
    assert options["keys_file"] == Path("/keys/keys.json")
    grace = int(service["stop_grace_period"].removesuffix("s"))
    assert grace > options["timeout_seconds"]
    assert {each.partition(":")[0] for each in service["volumes"]} == set(compose()["volumes"])


def test_the_unit_starts_a_command_that_exists() -> None:
    service = unit()["Service"]
    command = shlex.split(service["ExecStart"])
    assert command[:2] == ["/opt/tactful/bin/tactful", "serve"]
    options = serve_options(command[2:])
    assert options["host"] == "127.0.0.1"
    assert options["keys_file"] == Path("/var/lib") / service["StateDirectory"] / "keys.json"
    assert int(service["TimeoutStopSec"]) > options["timeout_seconds"]
    assert service["User"] != "root"
    assert service["NoNewPrivileges"] == "yes"
    assert service["ProtectSystem"] == "strict"


@needs_systemd
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    here = tmp_path / UNIT.name
    text = UNIT.read_text(encoding="utf-8")
    here.write_text(text.replace("/opt/tactful/bin/tactful", "/bin/true"), encoding="utf-8")
    done = run("systemd-analyze", "verify", str(here))
    assert (done.returncode, done.stderr) == (0, "")


@needs_systemd
def test_the_unit_is_hardly_exposed(tmp_path: Path) -> None:
    here = tmp_path / UNIT.name
    shutil.copy(UNIT, here)
    done = run("systemd-analyze", "security", "--offline=true", "--threshold=20", str(here))
    assert done.returncode == 0, done.stdout[-400:]


@pytest.mark.parametrize("name", ["nginx.conf", "Caddyfile"])
def test_proxies_lead_to_the_service_and_log_no_key(name: str) -> None:
    text = (DEPLOY / name).read_text(encoding="utf-8")
    code = "\n".join(line.partition("#")[0] for line in text.splitlines())
    assert code.count("{") == code.count("}")
    assert "127.0.0.1:8000" in code
    assert re.search(r"\b2(m|MB)\b", code)
    assert "35s" in code
    assert not re.search(r"\$(request|request_uri|args|query_string|arg_key)\b", code)
    assert "log_format tactful" in code or "replace key REDACTED" in code


def test_the_service_knows_the_name_that_the_proxies_show() -> None:
    name = "tactful.example.org"
    assert f"server_name {name};" in (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    assert f"\n{name} {{" in (DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    url = f"https://{name}"
    assert compose()["services"]["tactful"]["environment"]["TACTFUL_PUBLIC_URL"] == url
    assert f"\nEnvironment=TACTFUL_PUBLIC_URL={url}\n" in UNIT.read_text(encoding="utf-8")
    options = serve_options(shlex.split(unit()["Service"]["ExecStart"])[2:])
    assert options["trusted_proxies"] == ("127.0.0.1",)


def test_every_line_of_nginx_ends_as_it_must() -> None:
    text = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    code = "\n".join(line.partition("#")[0] for line in text.splitlines())
    for statement in re.split(r"[{};]", re.sub(r"'[^']*'", "''", code)):
        assert len(statement.strip().splitlines()) <= 2, statement


def package() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((VSCODE / "package.json").read_text(encoding="utf-8"))
    return found


def test_the_extension_has_what_vs_code_asks_for() -> None:
    found = package()
    for field in ("name", "publisher", "version", "engines", "main", "activationEvents", "license"):
        assert found[field], field
    assert re.fullmatch(r"[a-z0-9-]+", found["name"])
    assert re.fullmatch(r"\d+\.\d+\.\d+", found["version"])
    assert (VSCODE / found["main"]).is_file()
    assert (VSCODE / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    locked = json.loads((VSCODE / "package-lock.json").read_text(encoding="utf-8"))
    assert locked["packages"][""]["dependencies"] == found["dependencies"]


def test_a_workspace_that_is_not_trusted_cannot_choose_what_is_run() -> None:
    restricted = package()["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    assert "tactful.command" in restricted


def test_settings_of_the_extension_are_documented_with_their_defaults() -> None:
    page = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
    readme = (VSCODE / "README.md").read_text(encoding="utf-8")
    for name, setting in package()["contributes"]["configuration"]["properties"].items():
        assert setting["description"].endswith("."), name
        assert "default" in setting, name
        assert f"`{name}`" in readme, name
        assert name in page, name


def test_the_extension_wakes_up_for_the_languages_it_checks() -> None:
    found = package()
    languages = found["contributes"]["configuration"]["properties"]["tactful.languages"]["default"]
    assert found["activationEvents"] == [f"onLanguage:{language}" for language in languages]


@needs_node
@pytest.mark.parametrize("name", ["extension.js", "settings.js"])
def test_scripts_are_javascript(name: str) -> None:
    done = run("node", "--check", str(VSCODE / name))
    assert done.returncode == 0, done.stderr


def node(script: str) -> Any:
    done = run("node", "-e", script, cwd=VSCODE)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@needs_node
def test_the_server_takes_what_the_extension_sends() -> None:
    properties = package()["contributes"]["configuration"]["properties"]
    defaults = {name.removeprefix("tactful."): each["default"] for name, each in properties.items()}
    given = {
        **defaults, "model": "fast", "language": "es", "least": 0.4, "only": ["pcl"],
        "thresholds": {"pcl": 0.6}, "terms": "all", "frames": "off", "explanations": False,
        "reportLanguage": "en", "delay": 50, "docs": "https://example.org/{id}",
    }  # fmt: skip
    script = """
    const { serverSettings } = require("./settings.js");
    const read = (values) => serverSettings({ get: (name) => values[name] });
    console.log(JSON.stringify([read(%s), read(%s), read({})]));
    """
    unset, chosen, nothing = node(script % (json.dumps(defaults), json.dumps(given)))
    assert read_settings(unset) == read_settings(None) == read_settings(nothing)
    assert read_settings({"tactful": chosen}) == EditorSettings(
        model="fast", lang="es", least=0.4, only=("pcl",), thresholds={"pcl": 0.6}, terms="all",
        frames="off", explanations=False, report_lang="en", delay=50,
        docs="https://example.org/{id}",
    )  # fmt: skip


@needs_node
def test_the_extension_has_every_setting_of_the_server() -> None:
    names = node('console.log(JSON.stringify(require("./settings.js").NAMES))')
    assert {*names.values()} == {each.name for each in fields(EditorSettings)}
    own = {"command", "languages"}
    properties = package()["contributes"]["configuration"]["properties"]
    assert {f"tactful.{name}" for name in {*names} | own} == {*properties}


@pytest.mark.parametrize(
    ("name", "choices"),
    [("language", LANGUAGES), ("terms", TERMS), ("frames", FRAMES),
     ("reportLanguage", REPORT_LANGUAGES)],
    ids=lambda value: value if isinstance(value, str) else "choices",
)  # fmt: skip
def test_vs_code_offers_the_choices_of_the_server(name: str, choices: tuple[str, ...]) -> None:
    setting = package()["contributes"]["configuration"]["properties"][f"tactful.{name}"]
    assert setting["enum"] == [*choices, None]


@needs_node
def test_a_wrong_command_is_explained_in_one_sentence() -> None:
    script = """
    const { serverCommand } = require("./settings.js");
    const tell = (value) => { try { return serverCommand(value) } catch (e) { return e.message } };
    console.log(JSON.stringify([["tactful", "lsp"], "tactful", [], [1], null].map(tell)));
    """
    right, *wrong = node(script)
    assert right == {"command": "tactful", "args": ["lsp"]}
    assert len(set(wrong)) == 1
    assert "tactful.command" in wrong[0]


@needs_node
def test_the_extension_starts_the_server_and_sends_settings() -> None:
    """With replacements for VS Code and its client, which run in no other program."""
    script = """
    const Module = require("module");
    const calls = [];
    const values = { command: ["tactful", "lsp"], languages: ["markdown"], model: null, only: [] };
    let changed;
    class LanguageClient {
      constructor(...given) { calls.push(["new", ...given]); }
      async start() { calls.push(["start"]); }
      isRunning() { return true; }
      async sendNotification(...given) { calls.push(["send", ...given]); }
      async dispose() { calls.push(["dispose"]); }
    }
    const vscode = {
      commands: { registerCommand: (name) => ({ name }) },
      workspace: {
        getConfiguration: () => ({ get: (name) => values[name] }),
        onDidChangeConfiguration: (handler) => { changed = handler; return {}; },
      },
      window: { showErrorMessage: async (message) => { calls.push(["error", message]); } },
      env: {}, Uri: {},
    };
    const load = Module._load;
    Module._load = (name, ...rest) =>
      name === "vscode" ? vscode
      : name === "vscode-languageclient/node" ? { LanguageClient, TransportKind: { stdio: 0 } }
      : load(name, ...rest);
    const extension = require("./extension.js");
    (async () => {
      await extension.activate({ subscriptions: [] });
      values.model = "fast";
      await changed({ affectsConfiguration: (name) => name === "tactful" });
      values.command = "wrong";
      await changed({ affectsConfiguration: () => true });
      await extension.deactivate();
      console.log(JSON.stringify(calls));
    })();
    """
    calls = node(script)
    assert [call[0] for call in calls] == ["new", "start", "send", "dispose", "error"]
    _, _, _, server, client = calls[0]
    assert (server["run"]["command"], server["run"]["args"]) == ("tactful", ["lsp"])
    assert {"scheme": "file", "language": "markdown"} in client["documentSelector"]
    assert read_settings(client["initializationOptions"]) == read_settings(None)
    assert calls[2][1] == "workspace/didChangeConfiguration"
    assert read_settings(calls[2][2]["settings"]).model == "fast"
    assert 'pip install "tactful[lsp,research]"' in calls[4][1]
