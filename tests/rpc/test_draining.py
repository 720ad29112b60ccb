"""A call that is cut off in the very moment in which its handler fails."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from spielwerk.errors import Unavailable
from spielwerk.rpc.draining import draining_layer
from spielwerk.rpc.handlers import Method


@pytest.mark.parametrize("rounds", range(4))
async def test_a_handler_that_fails_while_its_call_is_cut_off_leaves_nothing_to_complain_of(
    rounds: int,
) -> None:
    """Whichever comes first by some rounds of the event loop."""
    complaints: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, about: complaints.append(about))
    fails = asyncio.Event()
    context: Any = None

    async def handler(_request: object, _context: object) -> None:
        await fails.wait()
        raise Unavailable("store_unavailable")

    layer = draining_layer(asyncio.Event(), 1.0)
    method = Method("/spielwerk.api.v1.MatchmakingService/WatchTicket", streams=True)
    call = asyncio.ensure_future(layer(method, handler)(None, context))
    await asyncio.sleep(0)
    fails.set()
    for _ in range(rounds):
        await asyncio.sleep(0)
    call.cancel()
    await asyncio.wait({call})
    if not call.cancelled():
        assert isinstance(call.exception(), Unavailable)
    del call
    gc.collect()
    assert complaints == []
