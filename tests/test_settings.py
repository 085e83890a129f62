from dataclasses import fields
from pathlib import Path

import pytest

from tactful.errors import EXIT_USAGE, SettingError
from tactful.settings import SETTINGS, Settings, load_settings


def test_the_table_and_the_record_name_the_same_settings() -> None:
    assert [setting.name for setting in SETTINGS] == [field.name for field in fields(Settings)]


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_the_variable_is_the_name(setting: object) -> None:
    assert getattr(setting, "env") == f"TACTFUL_{getattr(setting, 'name').upper()}"  # noqa: B009


def test_defaults_hold_when_nothing_is_set() -> None:
    assert load_settings({}) == Settings(
        data=None,
        batch_rows=20_000,
        max_problems=1_000,
        progress="auto",
        public_url="",
        allowed_hosts=(),
        trusted_proxies=(),
    )


def test_an_empty_variable_is_as_good_as_none() -> None:
    assert load_settings({setting.env: "" for setting in SETTINGS}) == load_settings({})


def test_every_variable_is_read() -> None:
    read = load_settings(
        {
            "TACTFUL_DATA": "/corpora",
            "TACTFUL_BATCH_ROWS": "7",
            "TACTFUL_MAX_PROBLEMS": "3",
            "TACTFUL_PROGRESS": "off",
            "TACTFUL_PUBLIC_URL": "https://example.org",
            "TACTFUL_ALLOWED_HOSTS": "a.example, b.example",
            "TACTFUL_TRUSTED_PROXIES": "127.0.0.1 10.0.0.0/8",
        }
    )
    assert read == Settings(
        data=Path("/corpora"),
        batch_rows=7,
        max_problems=3,
        progress="off",
        public_url="https://example.org",
        allowed_hosts=("a.example", "b.example"),
        trusted_proxies=("127.0.0.1", "10.0.0.0/8"),
    )


def test_the_real_environment_is_the_default_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TACTFUL_BATCH_ROWS", "11")
    assert load_settings().batch_rows == 11


def test_a_tilde_is_the_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    assert load_settings({"TACTFUL_DATA": "~/corpora"}).data == Path("/home/someone/corpora")


@pytest.mark.parametrize(
    ("env", "value", "expected"),
    [
        ("TACTFUL_BATCH_ROWS", "0", "a whole number above 0"),
        ("TACTFUL_BATCH_ROWS", "-5", "a whole number above 0"),
        ("TACTFUL_BATCH_ROWS", "many", "a whole number above 0"),
        ("TACTFUL_MAX_PROBLEMS", "1.5", "a whole number above 0"),
        ("TACTFUL_PROGRESS", "yes", "auto, on or off"),
    ],
)
def test_a_wrong_value_is_explained(env: str, value: str, expected: str) -> None:
    with pytest.raises(SettingError) as caught:
        load_settings({env: value})
    message = str(caught.value)
    assert message.startswith(
        f"The environment variable {env} holds {value!r}; expected {expected}"
    )
    assert caught.value.exit_code == EXIT_USAGE
