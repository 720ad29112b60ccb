"""What becomes of calls when the store's connections break."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Final

import uvloop

from spielwerk.errors import Unavailable
from spielwerk_matchmaking.store import Store

_CALLS: Final = 200


def test_a_connection_that_breaks_at_once_leaves_the_outcome_open() -> None:
    """The services' event loop has an error of its own for a write to a closed connection."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        told = runner.run(_told_by_a_store_that_hangs_up())
    assert {type(answer) for answer in told} == {Unavailable}, set(map(repr, told))


async def _told_by_a_store_that_hangs_up() -> list[object]:
    def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, aclosing(Store(f"redis://127.0.0.1:{port}/0")) as store:
        calls = (store.whole(store.redis.ping()) for _ in range(_CALLS))
        return list(await asyncio.gather(*calls, return_exceptions=True))
