"""The innermost layer around streaming handlers: none of them outlives a drain."""

from __future__ import annotations

import asyncio
from typing import Any

from spielwerk.errors import Unavailable
from spielwerk.rpc.handlers import Behaviour, Context, Layer, Method

# Health and reflection never end by themselves; this is enough to send a last state.
_FOREIGN_PATIENCE_S = 0.1


def draining_layer(draining: asyncio.Event, patience_s: float) -> Layer:
    """Ends streams with UNAVAILABLE `draining`.

    Once `draining` is set a handler has `patience_s` to end by itself; then it is cancelled.
    """

    def layer(method: Method, behaviour: Behaviour) -> Behaviour:
        if not method.streams:
            return behaviour
        ours = method.name.startswith("/spielwerk.")
        patience = patience_s if ours else min(patience_s, _FOREIGN_PATIENCE_S)

        async def ended(request: Any, context: Context) -> Any:
            stream = asyncio.ensure_future(behaviour(request, context))
            signal = asyncio.ensure_future(draining.wait())
            try:
                await asyncio.wait({stream, signal}, return_when=asyncio.FIRST_COMPLETED)
                if not stream.done():
                    await asyncio.wait({stream}, timeout=patience)
                if stream.done():
                    return stream.result()
                raise Unavailable("draining", "the server is shutting down; resume elsewhere")
            finally:
                signal.cancel()
                await _stopped(stream)

        return ended

    return layer


async def _stopped(stream: asyncio.Future[Any]) -> None:
    """Cancel it and wait for its clean-up; what it raises then, or has raised in the moment in
    which the call was cut off, is of no interest any more."""
    if not stream.done():
        stream.cancel()
        await asyncio.wait({stream})
    if not stream.cancelled():
        stream.exception()
