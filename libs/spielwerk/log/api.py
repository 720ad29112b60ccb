"""Requests to JetStream in its own JSON: a few verbs that the client library has not or hides."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeVar

import nats.js.errors

from spielwerk.log.connect import Connection
from spielwerk.log.inbox import unavailable

T = TypeVar("T")

STREAM_NOT_FOUND: Final = 10059
NO_MESSAGE: Final = 10037
_STORE_FAILED: Final = 10049
_STORE_AGAIN_S: Final = 0.05


class ApiError(Exception):
    """The broker's answer is an error; `code` as in the server's errors.json."""

    def __init__(self, code: int, description: str) -> None:
        super().__init__(f"{description} ({code})")
        self.code = code
        self.description = description


async def ask(
    connection: Connection,
    verb: str,
    body: Mapping[str, Any] | None,
    *,
    timeout: float,
    again_s: float | None = None,
) -> dict[str, Any]:
    """The answer to `$JS.API.<verb>`; raises ApiError, or Unavailable if there is no answer.

    A cluster drops questions while nobody leads. With `again_s` an unanswered one is put again that
    often: for verbs that do the same when they are heard twice.
    """
    payload = b"" if body is None else json.dumps(body).encode()
    until = asyncio.get_running_loop().time() + timeout
    answer = await connection.inbox.request(
        f"$JS.API.{verb}", payload, until=until, again_s=again_s
    )
    if answer is None or not answer.data:  # nobody answers, or a status 503: nobody is there
        raise unavailable(f"no answer to {verb}")
    content: dict[str, Any] = json.loads(answer.data)
    if "error" in content:
        error_part = content["error"]
        raise ApiError(error_part.get("err_code", 0), error_part.get("description", ""))
    return content


async def create_stream(
    connection: Connection, body: Mapping[str, Any], *, timeout: float
) -> dict[str, Any]:
    """Make a stream of this configuration, or find it made; errors as of `ask`."""
    verb = f"STREAM.CREATE.{body['name']}"
    return await until_made(lambda: ask(connection, verb, body, timeout=timeout), timeout=timeout)


async def until_made(make: Callable[[], Awaitable[T]], *, timeout: float) -> T:
    """What `make` gives, which makes a stream in one way or another.

    Whoever deletes the only stream of an account makes the server remove their common folder a
    little later (nats-server 2.15), perhaps under the next stream: that failure is tried again.
    """
    loop = asyncio.get_running_loop()
    until = loop.time() + timeout
    while True:
        try:
            return await make()
        except (ApiError, nats.js.errors.APIError) as error:
            code = error.code if isinstance(error, ApiError) else error.err_code
            if code != _STORE_FAILED or loop.time() + _STORE_AGAIN_S > until:
                raise
        await asyncio.sleep(_STORE_AGAIN_S)
