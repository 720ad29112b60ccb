"""Requests to JetStream in its own JSON: a few verbs that the client library has not or hides."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import nats.errors

from spielwerk.errors import Unavailable
from spielwerk.log.connect import Connection

STREAM_NOT_FOUND: Final = 10059
NO_MESSAGE: Final = 10037


class ApiError(Exception):
    """The broker's answer is an error; `code` as in the server's errors.json."""

    def __init__(self, code: int, description: str) -> None:
        super().__init__(f"{description} ({code})")
        self.code = code
        self.description = description


def unavailable(why: object = "") -> Unavailable:
    """The broker cannot be asked; nothing was stored."""
    return Unavailable("log_unavailable", str(why) or "the event log cannot be reached")


async def ask(
    connection: Connection, verb: str, body: Mapping[str, Any] | None, *, timeout: float
) -> dict[str, Any]:
    """The answer to `$JS.API.<verb>`; raises ApiError, or Unavailable if there is no answer."""
    if not connection.connected:
        raise unavailable()
    payload = b"" if body is None else json.dumps(body).encode()
    try:
        answer = await connection.nc.request(f"$JS.API.{verb}", payload, timeout=timeout)
    except (nats.errors.Error, OSError) as error:
        raise unavailable(error) from error
    content: dict[str, Any] = json.loads(answer.data)
    if "error" in content:
        error_part = content["error"]
        raise ApiError(error_part.get("err_code", 0), error_part.get("description", ""))
    return content
