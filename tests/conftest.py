"""What the tests of several rooms share, and what makes every run of them the same."""

import os

# Read when NumPy and torch are imported. The tests' models are tiny: several threads would spend
# most of their time waiting for each other, above all beside the other workers of pytest-xdist.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import runpy
import shutil
import signal
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from hypothesis import HealthCheck, settings
from tests.plugin_packages import write_package
from tests.toxicity_detector import KIND, OPENER, ToxicPhrases

from tactful.cli import progress
from tactful.corpora import CORPORA
from tactful.detectors.base import BaseDetector
from tactful.detectors.card import write_card
from tactful.detectors.weights import weights_folder
from tactful.registry import installed_plugins

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# No test fails because the machine is busy, and a failure comes back in the next run.
# "pytest --hypothesis-profile explore" tries other examples in each run.
settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", settings.get_profile("explore"), derandomize=True)
settings.load_profile("same")

# A shell starts "make test &" with SIGINT ignored, and children would inherit that: the tests that
# press Ctrl-C on a child could not end it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A command says every 30 seconds that it is still at work. On a busy machine it would say so in the
# middle of what a test compares.
progress.EVERY_SECONDS = 1e6

_help_option = click.Command.get_help_option


def _help_option_of(self: click.Command, ctx: click.Context) -> click.Option | None:
    """Make a new help option if the cached one has other names.

    A command caches the option of its first call. Some tests call a command without the group
    that adds ``-h``, and its help would then be another in all tests that follow.
    """
    known = self._help_option
    if known is not None and set(known.opts) != set(self.get_help_option_names(ctx)):
        self._help_option = None
    return _help_option(self, ctx)


click.Command.get_help_option = _help_option_of  # type: ignore[method-assign]


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes by their parameter: packed bytes may differ in each process, and be long."""
    return argname if isinstance(val, bytes) else None


PHRASES = Path(__file__).with_name("phrase_detector.py")
COLLECTED = pytest.StashKey[list[str]]()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the ids of all tests, before some of them are deselected."""
    config.stash[COLLECTED] = [item.nodeid for item in items]


@pytest.fixture
def collected(pytestconfig: pytest.Config) -> list[str]:
    """Return the ids of the tests that this run has collected."""
    return pytestconfig.stash[COLLECTED]


@pytest.fixture
def data_folder() -> Callable[[str], Path]:
    """Return the folder of a corpus in $TACTFUL_DATA, or skip the test, saying so."""

    def find(corpus: str) -> Path:
        root = os.environ.get("TACTFUL_DATA")
        if not root:
            pytest.skip("TACTFUL_DATA is unset: the authors' own files are not here")
        folder = Path(root) / CORPORA.get(corpus).folder
        if not folder.is_dir():
            pytest.skip(f"TACTFUL_DATA has no folder '{folder.name}'")
        return folder

    return find


@pytest.fixture
def sample_copy(tmp_path: Path) -> Callable[[str], Path]:
    """Return a copy of a corpus' sample that a test may change."""

    def copy(corpus: str) -> Path:
        source = Path(str(resources.files("tactful.corpora") / "samples" / corpus))
        return Path(shutil.copytree(source, tmp_path / corpus))

    return copy


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """Start Chromium, or skip the test, saying so; one for all, as playwright wants it."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        path = os.environ.get("TACTFUL_CHROMIUM") or shutil.which("chromium")
        try:
            started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        except sync_api.Error as error:
            pytest.skip(f"Chromium does not start: {error}")
        yield started
        started.close()


@pytest.fixture
def phrases() -> BaseDetector:
    """Return the detector of ``tests/phrase_detector.py``."""
    detector: BaseDetector = runpy.run_path(str(PHRASES))["PhraseDetector"]()
    return detector


@pytest.fixture
def toxic_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the folder of a detector of toxicity, which an installed plug-in opens."""
    site, folder = tmp_path / "site", tmp_path / "toxic-phrases"
    site.mkdir()
    write_package(site, "plug-toxic", {"tactful.detectors": {KIND: OPENER}})
    monkeypatch.syspath_prepend(site)
    installed_plugins.cache_clear()
    write_card(ToxicPhrases.card, folder)
    yield folder
    installed_plugins.cache_clear()


@pytest.fixture(scope="session")
def embedded_weights() -> Path:
    """Return the folder of the embedded default."""
    return weights_folder("default-en")
