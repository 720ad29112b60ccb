"""ES-06: a full log says so before and when it is full, and forgets nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import pytest

from faults.servers import nats_server
from faults.witness import Witness
from log.test_es_01_kill_the_broker import Acknowledged, places
from log.whole import Whole, opened_log, until, whole
from spielwerk.client.match import MatchClient
from spielwerk.client.retrying import Patience
from spielwerk.errors import ResourceExhausted
from spielwerk.log.api import ask
from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Kind
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.log.subjects import new_match_id

LIMIT: Final = 400_000
LARGE: Final = 8_000
HASTY: Final = Patience(total_s=10)
"""Shorter than the half minute after which a full log may be tried again."""


@pytest.fixture
async def small(tmp_path: Path, redis_url: str) -> AsyncIterator[Whole]:
    """An installation whose log takes so many bytes."""
    log = LogSettings(marker_file=tmp_path / "stream.json", max_bytes=LIMIT)
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(nats_server(tmp_path))
        yield await stack.enter_async_context(whole(server, redis_url, tmp_path, log=log))


@pytest.mark.timeout(180)
async def test_es_06_a_full_log_refuses_moves_and_keeps_every_old_one(
    small: Whole, caplog: pytest.LogCaptureFixture
) -> None:
    told: Acknowledged = {}
    async with small.client(HASTY) as ada, small.client(HASTY) as ben:
        players = [(await client.create_guest("X")).player_id for client in (ada, ben)]
        matches = [await small.match(*players) for _ in range(12)]
        tables = [[client.match(match_id) for client in (ada, ben)] for match_id in matches]
        for table in tables:
            for seat in table:
                await seat.join()
        assert await play(tables[0], told) is None
        first = [update.version async for update in ada.match(matches[0]).history()]
        assert first == list(range(1, len(first) + 1))

        await fill(small, 0.85)
        await until(lambda: small.metric("log_fill_ratio") >= 0.8)
        assert "the log is nearly full" in caplog.text
        assert "log full" not in caplog.text

        refused = [await play(table, told) for table in tables[1:]]
        assert None not in refused[-3:]  # nothing at all goes in any more
        assert "log full" in caplog.text
        again = [update.version async for update in ada.match(matches[0]).history()]
        assert again == first
    async with opened_log(small.common.nats.url) as log:
        witness = await Witness.of(log)
        assert (await log.identity()).first_sequence == 1
    stored = places(witness)
    assert {key: stored.get(key) for key in told} == {key: [at] for key, at in told.items()}
    assert not stored.keys() & set(refused)


async def fill(small: Whole, part: float) -> None:
    """Another match that takes much room."""
    match_id = new_match_id(1_790_000_000_000, b"0123456789")
    async with connect(NatsSettings(url=small.common.nats.url)) as broker:
        log = JetStreamLog(broker, LogSettings())
        used = expected = 0
        while used < LIMIT * part:
            expected = await log.append(match_id, Kind.MOVE, b"x" * LARGE, {}, expected=expected)
            info = await ask(broker, "STREAM.INFO.MATCHES", None, timeout=5)
            used = info["state"]["bytes"]


async def play(table: list[MatchClient], told: Acknowledged) -> tuple[str, str] | None:
    """To the end of the match, or of the log: then the command that was refused."""
    number = 0
    while (await table[0].view()).ended is None:
        for seat in table:
            legal = await seat.legal()
            if legal.turn_key is None:
                continue
            number += 1
            key = (seat.match_id, f"c{number}")
            try:
                done = await seat.submit(legal.commands[0], legal.turn_key, command_id=key[1])
            except ResourceExhausted as full:
                if full.reason != "log_full":
                    raise
                return key
            told[key] = done.version
    return None
