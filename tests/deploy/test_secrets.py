"""What `make secrets` makes is complete, private and good enough for production."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deploy.secret_files import ROOT, make_secrets, variables
from spielwerk.rpc.tokens import PublicKeys, Verifier
from spielwerk.settings import CommonSettings
from spielwerk_accounts import keys as signing
from spielwerk_accounts.settings import AccountsSettings
from spielwerk_bots.settings import Settings as BotsSettings
from spielwerk_matchmaking.settings import Settings as MatchmakingSettings
from spielwerk_rules.settings import Settings as RulesSettings
from spielwerk_scoring.settings import Settings as ScoringSettings
from spielwerk_timer.settings import Settings as TimerSettings

SETTINGS: dict[str, type[CommonSettings]] = {
    "accounts": AccountsSettings,
    "bots": BotsSettings,
    "matchmaking": MatchmakingSettings,
    "rules": RulesSettings,
    "scoring": ScoringSettings,
    "timer": TimerSettings,
}


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    make_secrets(tmp_path / "secrets")
    return tmp_path / "secrets"


def given_to(service: str, secrets: Path, monkeypatch: pytest.MonkeyPatch) -> CommonSettings:
    """The service's settings in its container."""
    monkeypatch.setenv("SPIELWERK_MODE", "production")
    for name in ("installation", service):
        for variable, value in variables(secrets / f"{name}.env").items():
            monkeypatch.setenv(variable, value)
    return SETTINGS[service]()


def test_only_their_owner_can_read_them(secrets: Path) -> None:
    assert secrets.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in secrets.iterdir()} == {0o600}


def test_each_file_that_compose_reads_is_made_and_no_other(secrets: Path) -> None:
    compose = (ROOT / "docker-compose.yml").read_text()
    assert set(re.findall(r"secrets/([a-z]+\.env)", compose)) == {f.name for f in secrets.iterdir()}


def test_a_second_run_changes_nothing(secrets: Path) -> None:
    before = {file.name: file.read_text() for file in secrets.iterdir()}
    assert "kept" in make_secrets(secrets)
    assert {file.name: file.read_text() for file in secrets.iterdir()} == before


def test_two_installations_share_no_secret(secrets: Path, tmp_path: Path) -> None:
    make_secrets(tmp_path / "other")
    for file in secrets.iterdir():
        ours, theirs = variables(file), variables(tmp_path / "other" / file.name)
        assert [n for n in ours if ours[n] == theirs[n]] in (
            [],
            ["SPIELWERK_NATS__URL"],
            ["SPIELWERK_NATS__USER"],
        )


@pytest.mark.parametrize("service", SETTINGS)
def test_each_service_has_a_token_of_its_own_role_that_the_others_accept(
    service: str, secrets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = given_to(service, secrets, monkeypatch)
    verifier = Verifier(settings.auth, PublicKeys(settings.auth, "production"))
    assert settings.auth.token is not None
    caller = verifier.verify(settings.auth.token.get_secret_value())
    assert (caller.subject, caller.role) == (service, f"service:{service}")


def test_accounts_signs_with_the_key_that_all_trust(
    secrets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = given_to("accounts", secrets, monkeypatch)
    assert isinstance(settings, AccountsSettings)
    keys = signing.load(settings.keys, settings.auth, settings.mode)
    verifier = Verifier(settings.auth, PublicKeys(settings.auth, "production"))
    assert verifier.verify(keys.issue("ada", "player", 60)).subject == "ada"


def test_only_accounts_is_given_the_signing_key(secrets: Path) -> None:
    holders = [f.name for f in secrets.iterdir() if "PRIVATE KEY" in f.read_text()]
    assert holders == ["accounts.env"]


@pytest.mark.parametrize("service", SETTINGS)
def test_production_refuses_a_broker_that_lets_everybody_in(
    service: str, secrets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given_to(service, secrets, monkeypatch)
    monkeypatch.setenv("SPIELWERK_NATS__PASSWORD", "")
    with pytest.raises(ValueError, match="a broker without a password"):
        SETTINGS[service]()
    monkeypatch.setenv("SPIELWERK_MODE", "development")
    assert SETTINGS[service]().mode == "development"


@pytest.mark.parametrize("service", ["matchmaking", "timer", "scoring"])
def test_production_refuses_a_store_that_lets_everybody_in(
    service: str, secrets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given_to(service, secrets, monkeypatch)
    monkeypatch.setenv("SPIELWERK_REDIS__URL", "redis://redis:6379/0")
    with pytest.raises(ValueError, match="a store without a password"):
        SETTINGS[service]()
    monkeypatch.setenv("SPIELWERK_REDIS__URL", "unix:///run/redis.sock")
    assert SETTINGS[service]().redis.url == "unix:///run/redis.sock"


@pytest.mark.parametrize("service", ["accounts", "rules", "bots"])
def test_a_service_without_need_of_the_store_is_not_told_its_password(
    service: str, secrets: Path
) -> None:
    assert "SPIELWERK_REDIS__URL" not in variables(secrets / f"{service}.env")
