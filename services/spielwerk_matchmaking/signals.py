"""Wakes the open watches of this process when something they look at has changed anywhere."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog
from redis.exceptions import RedisError

from spielwerk_matchmaking import keys
from spielwerk_matchmaking.store import Store

_log = structlog.get_logger()


class Signals:
    """One subscription a process. Signals may get lost: watches also look now and then."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._listeners: defaultdict[tuple[str, str], set[asyncio.Event]] = defaultdict(set)
        self.connected = False

    @contextmanager
    def listening(self, kind: str, id_: str) -> Iterator[asyncio.Event]:
        """An event that is set at each change of this thing from now on."""
        event = asyncio.Event()
        listeners = self._listeners[kind, id_]
        listeners.add(event)
        try:
            yield event
        finally:
            listeners.discard(event)
            if not listeners:
                self._listeners.pop((kind, id_), None)

    def listened(self, kind: str) -> list[str]:
        """What is watched now."""
        return [id_ for (known, id_) in self._listeners if known == kind]

    def wake_all(self) -> None:
        """Something may have been missed."""
        for listeners in self._listeners.values():
            for event in listeners:
                event.set()

    async def run(self) -> None:
        """Listen for ever, over restarts of the store."""
        while True:
            try:
                await self._listen()
            except (RedisError, OSError) as error:
                self.connected = False
                _log.warning("signals_lost", why=type(error).__name__)
                self.wake_all()
                await asyncio.sleep(0.5)

    async def _listen(self) -> None:
        async with self._store.redis.pubsub(ignore_subscribe_messages=True) as subscription:
            await subscription.subscribe(keys.CHANGED)
            self.connected = True
            self.wake_all()
            while True:
                message = await subscription.get_message(timeout=1.0)
                if message is not None:
                    self._pass_on(message)

    def _pass_on(self, message: dict[str, Any]) -> None:
        kind, _, id_ = str(message["data"]).partition(" ")
        for event in self._listeners.get((kind, id_), ()):
            event.set()
