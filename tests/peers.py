"""Other libraries that compute the same: what ``tests/oracles`` compares with.

They are no dependencies of Tactful. Install them beside it and say where they are::

    pip install --no-deps --target /tmp/peers krippendorff==0.9.0 irrCAC==0.4.4 crowd-kit==1.4.2 \
        statsmodels==0.15.0 patsy==1.0.3 sacrebleu==2.6.0 rouge-score==0.1.2 \
        PyEvALL==0.2.11 jsbeautifier editorconfig absl-py portalocker colorama tabulate lxml \
        jsonschema referencing rpds-py jsonschema-specifications
    TACTFUL_PEERS=/tmp/peers make test-slow

pandas, nltk, scikit-learn and scipy are taken from the environment. A comparison with a library
that is not there is skipped, and says so.
"""

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import pytest

CASES = 500
"""How many random and adversarial cases each comparison has."""


def peer(module: str) -> Any:
    """Import a module of another library, or skip the test."""
    folder = os.environ.get("TACTFUL_PEERS")
    if folder and folder not in sys.path:
        # Behind everything else: only what the environment does not have comes from there.
        sys.path.append(folder)
    with quiet():
        try:
            return import_module(module)
        except ImportError as error:
            pytest.skip(f"{module} cannot be imported ({error}); tests/peers.py says how to get it")


@contextmanager
def quiet() -> Iterator[None]:
    """Let other libraries warn without failing the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
