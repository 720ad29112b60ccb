"""The computed size of a match is what the broker counts."""

from __future__ import annotations

from audit.playing import played
from bench.sizes import bytes_of
from spielwerk.games import registry
from spielwerk.log.api import ask
from spielwerk.log.connect import Connection
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.settings import LogSettings
from spielwerk.log.subjects import kind_of


async def test_a_match_takes_the_bytes_that_the_broker_counts(
    nats: Connection, log: JetStreamLog, stream_settings: LogSettings
) -> None:
    table = played(registry.newest("cribbage"), 1, 100)
    sequence = 0
    for stored in table.stored:
        kind = kind_of(stored.subject)
        sequence = await log.append(
            table.match_id, kind, stored.data, stored.headers, expected=sequence
        )
    info = await ask(nats, f"STREAM.INFO.{stream_settings.stream}", None, timeout=5)
    digits = 5 * len(table.stored)  # sequences of one to six digits
    computed = sum(bytes_of(stored, stream_settings.stream) for stored in table.stored)
    assert 0 <= computed - info["state"]["bytes"] <= digits
