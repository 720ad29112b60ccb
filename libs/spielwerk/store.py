"""Opens the store: a Redis client whose calls can be cancelled and never hang.

With a socket timeout the client library writes inside `asyncio.wait_for`, which in Python 3.11
loses a cancellation that comes in the same moment as the end of the write: the task would go on as
if nobody had ended it. So the timeouts are set here, around the library's own steps.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as StoreGone
from redis.exceptions import TimeoutError as StoreTimeout

from spielwerk.tls import ClientTls

_CONNECT_S: Final = 2.0
_ANSWER_S: Final = 5.0
_CONNECTIONS: Final = 32


def open_redis(url: str, client: type[Redis] = Redis, tls: ClientTls | None = None) -> Redis:
    """A client that answers text; close it with `aclose`. Nothing is connected yet.

    A call raises redis.exceptions.RedisError within about 10 s if the store does not answer. Calls
    are not repeated: whether a repeat is harmless is known to callers only.
    """
    pool: Any = BlockingConnectionPool.from_url(
        url,
        max_connections=_CONNECTIONS,
        timeout=_ANSWER_S,
        decode_responses=True,
        socket_timeout=None,
        socket_connect_timeout=_CONNECT_S,
        protocol=2,
        retry=Retry(NoBackoff(), 0),
        **tls_options(tls),
    )
    _mend(pool, _Limited)
    return client.from_pool(pool)


def mend(pool: Any) -> None:
    """Let a pool's connections tell of their end by errors of the library alone.

    On uvloop a write to a connection that was closed a moment ago raises RuntimeError, which the
    library does not translate.
    """
    _mend(pool, _Mended)


def tls_options(tls: ClientTls | None) -> dict[str, str]:
    """Options of a connection pool; each new connection reads the files anew."""
    if tls is None:
        return {}
    files = {
        "ssl_ca_certs": tls.ca,
        "ssl_certfile": tls.certificate,
        "ssl_keyfile": tls.key,
    }
    return {name: str(file) for name, file in files.items() if file is not None}


def _mend(pool: Any, mending: type) -> None:
    kind = pool.connection_class
    pool.connection_class = type(f"{mending.__name__}{kind.__name__}", (mending, kind), {})


class _Mended:
    """See `mend`."""

    async def send_packed_command(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return await super().send_packed_command(*args, **kwargs)  # type: ignore[misc]
        except RuntimeError as error:
            raise StoreGone("the connection was closed") from error


class _Limited(_Mended):
    """A connection with time limits that leave cancellations alone."""

    async def send_packed_command(self, *args: Any, **kwargs: Any) -> Any:
        async with _limit():
            return await super().send_packed_command(*args, **kwargs)

    async def read_response(self, *args: Any, **kwargs: Any) -> Any:
        async with _limit():
            return await super().read_response(*args, **kwargs)  # type: ignore[misc]


@asynccontextmanager
async def _limit() -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(_ANSWER_S):
            yield
    except TimeoutError as error:
        raise StoreTimeout("the store does not answer in time") from error
