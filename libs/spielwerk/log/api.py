"""Requests to JetStream in its own JSON: a few verbs that the client library has not or hides."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Final

from spielwerk.log.connect import Connection
from spielwerk.log.inbox import unavailable

STREAM_NOT_FOUND: Final = 10059
NO_MESSAGE: Final = 10037


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
