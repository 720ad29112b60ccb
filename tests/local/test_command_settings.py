"""What commands make of the environment: which broker is meant, and what is wrong in it."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import pytest

from local.test_installation import run
from spielwerk.log.api import ask
from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Kind
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.log.subjects import new_match_id
from spielwerk_local.app import RUNTIME, installation
from spielwerk_local.brokers import Brokers
from spielwerk_local.commands import rankings
from spielwerk_local.sources import open_log

MATCH_ID = new_match_id(1_790_000_000_000, b"0123456789")
NOBODY = "nats://127.0.0.1:1"


@pytest.fixture
def named(
    brokers: Brokers, redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment names broker and store, and the folder tells of others that are gone."""
    gone = {"api": "127.0.0.1:1", "nats_url": NOBODY, "redis_url": "redis://127.0.0.1:1/0"}
    (tmp_path / RUNTIME).write_text(json.dumps(gone))
    monkeypatch.setenv("SPIELWERK_NATS__URL", brokers.nats_url)
    monkeypatch.setenv("SPIELWERK_REDIS__URL", redis_url)


@pytest.mark.usefixtures("named")
async def test_the_broker_of_the_environment_is_meant_before_that_of_the_folder(
    log: JetStreamLog,
    stream_settings: LogSettings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("SPIELWERK_LOG__STREAM", stream_settings.stream)
    monkeypatch.setenv("SPIELWERK_NATS__START_TIMEOUT_S", "5")
    await log.append(MATCH_ID, Kind.OPEN, b"record", {}, expected=0)
    async with open_log(tmp_path) as found:
        assert len(await found.log.read(MATCH_ID)) == 1
    assert await rankings(Namespace(data=tmp_path)) == 0
    assert "rankings rebuilt from 0 matches" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("variable", "value", "named"),
    [
        ("SPIELWERK_MODE", "production", "mode"),
        ("SPIELWERK_MODE", "testing", "mode"),
        ("SPIELWERK_SCORING__CHUNK", "0", "scoring.chunk"),
        ("SPIELWERK_RULES__BEAT_S", "-1", "rules.beat_s"),
    ],
)
async def test_up_names_a_wrong_setting_and_starts_nothing(
    variable: str, value: str, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    code, told = await run("up", "--data", str(tmp_path / "data"), "--listen", "127.0.0.1:0")
    assert code == 2
    assert told.startswith(f"settings: {named}: ")
    assert len(told.splitlines()) == 1
    assert not (tmp_path / "data").exists()


async def test_other_commands_name_a_wrong_setting_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPIELWERK_MODE", "production")
    monkeypatch.setenv("SPIELWERK_NATS__PASSWORD", "secret")
    order = ("token", "--role", "operator", "--subject", "me", "--data", str(tmp_path))
    code, told = await run(*order)
    assert (code, told) == (2, "settings: production needs keys.file with a key of its own\n")
    monkeypatch.setenv("SPIELWERK_LOG__STREAMS", "3")
    code, told = await run("verify", "--all", "--data", str(tmp_path))
    assert (code, told.partition(" ")[2].partition(":")[0]) == (2, "log.streams")


async def test_an_installation_of_one_folder_has_a_log_as_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPIELWERK_LOG__MAX_BYTES", "1000000")
    monkeypatch.setenv("SPIELWERK_LOG__MARKER_FILE", str(tmp_path / "elsewhere.json"))
    async with (
        installation(tmp_path, listen="127.0.0.1:0", sync_always=False) as running,
        connect(NatsSettings(url=running.nats_url)) as broker,
    ):
        info = await ask(broker, "STREAM.INFO.MATCHES", None, timeout=5)
    assert info["config"]["max_bytes"] == 1_000_000
    assert (tmp_path / "stream.json").exists()
    assert not (tmp_path / "elsewhere.json").exists()
