"""Which model plays which role, on which server, with which key."""

from __future__ import annotations

import pytest

from pytest_layered_phone.errors import SettingsError
from pytest_layered_phone.settings import Settings, api_key_for, resolve


def settings(**given: str) -> Settings:
    return resolve(given.get, lambda name: None, {})


def test_one_model_plays_all_roles_unless_one_has_its_own() -> None:
    chosen = settings(phone_model="big", phone_base_url="http://127.0.0.1:1/v1", phone_executor_model="small")
    names = {role: model.model for role in ("planner", "executor", "verifier") if (model := chosen.model_for(role))}
    assert names == {"planner": "big", "executor": "small", "verifier": "big"}


def test_no_model_is_no_model() -> None:
    assert settings().model_for("planner") is None


def test_a_server_is_never_guessed() -> None:
    model = settings(phone_model="big").model_for("executor")
    assert model is not None
    with pytest.raises(SettingsError, match="phone_executor_base_url"):
        model.with_server()


def test_the_pilot_brings_its_server() -> None:
    model = settings(phone_model="pilot").model_for("executor", pilot_url="http://127.0.0.1:2/v1")
    assert model is not None
    assert model.with_server().base_url == "http://127.0.0.1:2/v1"


@pytest.mark.parametrize(
    ("base_url", "key"),
    [("https://api.openai.com/v1", "own"), ("http://localhost:8000/v1", "EMPTY"), ("https://api.openai.com.evil/v1", "EMPTY")],
)
def test_openais_key_goes_to_openai_only(base_url: str, key: str) -> None:
    assert api_key_for("planner", base_url, {"OPENAI_API_KEY": "own"}) == key


def test_a_key_never_shows_in_a_repr() -> None:
    chosen = resolve({"phone_model": "m", "phone_base_url": "http://h/v1"}.get, lambda n: None, {"PHONE_API_KEY": "s3cret"})
    model = chosen.model_for("planner")
    assert model is not None
    assert model.api_key == "s3cret"
    assert "s3cret" not in repr(model) + repr(chosen)
