"""Unfinished matches as the real broker names them."""

from __future__ import annotations

import os

import pytest

from spielwerk.log.census import unfinished
from spielwerk.log.connect import Connection
from spielwerk.log.headers import OpenTurn, RecordHeaders
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Kind
from spielwerk.log.settings import LogSettings
from spielwerk.log.subjects import match_id_of, new_match_id, subject

NOW = 1_790_000_000_000


def headers(version: int, *keys: str) -> dict[str, str]:
    turns = tuple(OpenTurn(0, key, NOW, False) for key in keys)
    return RecordHeaders("skat", version, NOW, turns).write()


async def play(log: JetStreamLog, moves: int, *, end: bool = False) -> tuple[str, int]:
    """A match of so many records; returns its id and the sequence of its last one."""
    match_id = new_match_id(NOW, os.urandom(10))
    last = await log.append(match_id, Kind.OPEN, b"secret", headers(1, "1"), expected=0)
    for version in range(2, moves + 2):
        head = headers(version, str(version))
        last = await log.append(match_id, Kind.MOVE, b"secret", head, expected=last)
    if end:
        head = headers(moves + 2)
        last = await log.append(match_id, Kind.END, b"secret", head, expected=last)
    return match_id, last


async def test_only_unfinished_matches_are_named_with_their_last_record(
    log: JetStreamLog, nats: Connection, stream_settings: LogSettings
) -> None:
    expected = dict([await play(log, number % 4) for number in range(30)])
    for number in range(30):
        await play(log, number % 4, end=True)
    census = await unfinished(nats, stream_settings)
    assert {match_id_of(m.subject): m.sequence for m in census.messages} == expected
    assert {m.data for m in census.messages} == {b""}
    assert census.position == (await log.identity()).last_sequence


@pytest.mark.parametrize("kind", [Kind.OPEN, Kind.MOVE])
async def test_a_foreign_message_does_not_hide_the_last_record(
    log: JetStreamLog, nats: Connection, stream_settings: LogSettings, kind: Kind
) -> None:
    match_id, last = await play(log, 2)
    await nats.nc.publish(subject(match_id, kind), b"foreign")
    await nats.nc.flush()
    census = await unfinished(nats, stream_settings)
    assert [m.sequence for m in census.messages] == [last]


async def test_an_empty_log_has_none(nats: Connection, stream_settings: LogSettings) -> None:
    census = await unfinished(nats, stream_settings)
    assert (census.position, census.messages) == (0, [])
