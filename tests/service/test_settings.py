import dataclasses
import inspect
from typing import Any

import pytest

from tactful.errors import UsageError
from tactful.service import settings as module
from tactful.service.settings import ServiceSettings


@pytest.mark.parametrize(
    "values",
    [
        {"workers": 0},
        {"max_batch": -1},
        {"timeout_seconds": 0},
        {"rate_per_minute": 0},
        {"langs": ()},
        {"root_path": "tactful"},
        {"root_path": "/tactful/"},
        {"annotation": "javascript:alert(1)"},
    ],
)
def test_wrong_values_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="expected"):
        ServiceSettings(**values)


def test_every_setting_says_what_it_is() -> None:
    source = inspect.getsource(module)
    for field in dataclasses.fields(ServiceSettings):
        after = source.partition(f"    {field.name}: ")[2].split("\n")[1]
        assert after.strip().startswith('"""'), field.name


def test_workers_share_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "cores", lambda: 4)
    assert [ServiceSettings(workers=n).threads for n in (1, 2, 3, 8)] == [4, 2, 1, 1]
