"""A watch that begins in the moment in which the connection to the broker ends."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import uvloop

from match.playing import MATCH_ID
from spielwerk.errors import Unavailable
from spielwerk.log.connect import connect
from spielwerk.log.live import subscribed
from spielwerk.log.settings import NatsSettings
from spielwerk_local.brokers import Brokers


def test_a_watch_on_a_connection_that_has_just_ended_is_told_so(brokers: Brokers) -> None:
    """The services' event loop has an error of its own for a write to a closed connection."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_subscribe_at_the_end(brokers.nats_url))


async def _subscribe_at_the_end(url: str) -> None:
    async with connect(NatsSettings(url=url)) as connection:
        transport: Any = connection.nc._transport
        transport._io_writer.transport.abort()
        await asyncio.sleep(0)  # now it is closed, and the client library has not heard of it
        assert connection.connected
        with pytest.raises(Unavailable) as failed:
            async with subscribed(connection, MATCH_ID):
                pass
        assert failed.value.reason == "log_unavailable"
        await connection.until_connected()
