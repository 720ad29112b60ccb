"""Redis as matchmaking uses it: scripts from files, and calls that are never cut in the middle."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final, TypeVar

from redis import exceptions
from redis.asyncio import ConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from spielwerk.errors import Unavailable
from spielwerk.store import mend, tls_options
from spielwerk.tls import ClientTls

T = TypeVar("T")

_SCRIPTS: Final = files("spielwerk_matchmaking") / "scripts"
_USES: Final = re.compile(r"^-- uses: (.+)$", re.MULTILINE)
_CONNECTIONS: Final = 32
_PATIENCE_S: Final = 5.0
_REFUSED: Final = re.compile(r"\b(OOM|MISCONF|READONLY|NOREPLICAS|LOADING|CLUSTERDOWN)\b")
"""Answers of a store that cannot work now; inside a script they come as plain ResponseErrors."""
_OUT_OF_REACH: Final = (
    exceptions.ConnectionError,
    exceptions.TimeoutError,
    exceptions.ReadOnlyError,
    exceptions.OutOfMemoryError,
    OSError,
    TimeoutError,
)


@dataclass(slots=True)
class _Health:
    reachable: bool = False


class Store:
    """Connections and scripts; Unavailable (store_unavailable) leaves the outcome open.

    The client library repeats nothing: whether a repeat is harmless is known to callers only.
    """

    def __init__(self, url: str, tls: ClientTls | None = None) -> None:
        pool = ConnectionPool.from_url(
            url,
            decode_responses=True,
            socket_timeout=2,
            socket_connect_timeout=2,
            protocol=2,
            retry=Retry(NoBackoff(), 0),
            **tls_options(tls),
        )
        mend(pool)
        self.redis: Any = Redis.from_pool(pool)
        self._scripts = {
            name: self.redis.register_script(text) for name, text in script_texts().items()
        }
        self._free = asyncio.Semaphore(_CONNECTIONS)
        self._calls: set[asyncio.Future[Any]] = set()
        self._health = _Health()

    @property
    def reachable(self) -> bool:
        """Whether the last call was answered."""
        return self._health.reachable

    def apart(self) -> Store:
        """The same store for work that must not wait behind the calls of players."""
        other = copy(self)
        other._free = asyncio.Semaphore(_CONNECTIONS)
        return other

    async def run(self, script: str, keys: Sequence[str], args: Iterable[str | int]) -> Any:
        """The answer of a script, which is one atomic step."""
        return await self.whole(self._scripts[script](keys=list(keys), args=list(args)))

    async def whole(self, call: Coroutine[Any, Any, T]) -> T:
        """The answer of a call that runs to its end even if the caller is cancelled.

        A connection that is left in the middle would give its answer to the next caller.
        """
        task = asyncio.create_task(self._in_turn(call))
        self._calls.add(task)
        task.add_done_callback(self._ended)
        try:
            return await asyncio.shield(task)
        except (*_OUT_OF_REACH, exceptions.ResponseError) as error:
            if not _out_of_reach(error):
                raise
            raise Unavailable("store_unavailable", "the store does not answer") from error

    async def aclose(self) -> None:
        """Wait for open calls and disconnect."""
        if self._calls:
            await asyncio.wait(self._calls)
        await self.redis.aclose()
        await self.redis.connection_pool.disconnect()

    async def _in_turn(self, call: Coroutine[Any, Any, T]) -> T:
        """First come, first served: the pool of the library would wake waiters in any order."""
        try:
            async with asyncio.timeout(_PATIENCE_S):
                await self._free.acquire()
        except TimeoutError:
            call.close()
            raise
        try:
            return await call
        finally:
            self._free.release()

    def _ended(self, task: asyncio.Future[Any]) -> None:
        self._calls.discard(task)
        if not task.cancelled():
            # Looked at here, too, for calls whose caller has left.
            self._health.reachable = not _out_of_reach(task.exception())


def _out_of_reach(error: BaseException | None) -> bool:
    """Whether the store cannot be reached or cannot do its work, whatever was asked."""
    refused = isinstance(error, exceptions.ResponseError) and _REFUSED.search(str(error))
    return isinstance(error, _OUT_OF_REACH) or bool(refused)


def script_texts() -> dict[str, str]:
    """All scripts by name, each behind the parts that it uses."""
    sources = {
        path.name.removesuffix(".lua"): path.read_text()
        for path in _SCRIPTS.iterdir()
        if path.name.endswith(".lua")
    }
    texts = {}
    for name, source in sources.items():
        if not name.startswith("part_"):
            used = _USES.search(source)
            parts = [sources[f"part_{part}"] for part in used[1].split()] if used else []
            texts[name] = "\n".join((*parts, source))
    return texts
