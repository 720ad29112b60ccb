"""Watch streams as the server sends them, each written down, resumed by version when they end."""

from __future__ import annotations

import asyncio
import random
from typing import Any, Final

import grpc

from faults.history import Recorder, WatchLog
from spielwerk.api.v1 import match_pb2
from spielwerk.client import Spielwerk
from spielwerk.errors import SpielwerkError

_PAUSE_S: Final = 0.3
_LEAVES: Final = 0.02


class Watcher:
    """One viewer of one match; it also leaves by itself now and then, and comes back."""

    def __init__(
        self, viewer: str, player_id: str, client: Spielwerk, recorder: Recorder, rng: random.Random
    ) -> None:
        self._viewer = viewer
        self._player_id = player_id
        self._client = client
        self._recorder = recorder
        self._rng = rng
        self._seen: int | None = None

    async def watch(self, match_id: str) -> None:
        """Follow it to its end, through everything."""
        self._seen = self._rng.choice((None, 0))
        ended = False
        while not ended:
            log = self._recorder.watch(
                self._viewer, match_id, self._seen, player_id=self._player_id
            )
            ended = await self._stream(log)
            if not ended:
                await asyncio.sleep(_PAUSE_S)

    async def _stream(self, log: WatchLog) -> bool:
        """One stream; whether the match is over."""
        end = "left"
        try:
            end = await self._read(log)
        except grpc.aio.AioRpcError as failed:
            end = failed.code().name
        except SpielwerkError as failed:
            end = failed.reason
        finally:
            self._recorder.unwatched(log, end)
        return end in ("match_over", "PERMISSION_DENIED")

    async def _read(self, log: WatchLog) -> str:
        """How it ended: the server ends it without an error only when everything was sent."""
        connection = self._client.connection
        request = match_pb2.WatchRequest(match_id=log.match_id, after_version=self._seen)
        async with connection.stream(lambda: connection.matches.Watch(request)) as call:
            async for message in call:
                self._take(log, message)
                if self._rng.random() < _LEAVES:
                    return "left"
        return "match_over"

    def _take(self, log: WatchLog, message: Any) -> None:
        kind = message.WhichOneof("message")
        if kind in ("snapshot", "update"):
            self._seen = getattr(message, kind).version
            assert self._seen is not None
            self._recorder.saw(log, self._seen)
