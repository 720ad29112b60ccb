"""`spielwerk new-log` is the operator's word that there are no older matches."""

from __future__ import annotations

import argparse

import pytest

from spielwerk.log.api import ask
from spielwerk.log.connect import Connection
from spielwerk.log.known_stream import open_stream
from spielwerk.log.settings import LogSettings
from spielwerk.log.stream import LogMissing
from spielwerk_local.brokers import Brokers
from spielwerk_local.founding import new_log

SETTINGS = LogSettings(stream="FOUNDED")


@pytest.fixture
def told(brokers: Brokers, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of the command."""
    monkeypatch.setenv("SPIELWERK_NATS__URL", brokers.nats_url)
    monkeypatch.setenv("SPIELWERK_LOG__STREAM", SETTINGS.stream)


@pytest.mark.usefixtures("told")
async def test_without_a_marker_rules_starts_only_after_the_log_was_made(nats: Connection) -> None:
    with pytest.raises(LogMissing):
        await open_stream(nats, SETTINGS)
    assert await new_log(argparse.Namespace()) == 0
    assert (await open_stream(nats, SETTINGS)).last_sequence == 0


@pytest.mark.usefixtures("told")
async def test_a_second_run_leaves_the_log_alone(nats: Connection) -> None:
    await new_log(argparse.Namespace())
    before = await open_stream(nats, SETTINGS)
    await new_log(argparse.Namespace())
    assert await open_stream(nats, SETTINGS) == before


@pytest.mark.usefixtures("told")
async def test_a_log_that_is_lost_later_is_not_made_again(nats: Connection) -> None:
    await new_log(argparse.Namespace())
    await ask(nats, f"STREAM.DELETE.{SETTINGS.stream}", None, timeout=5)
    with pytest.raises(LogMissing):
        await open_stream(nats, SETTINGS)
