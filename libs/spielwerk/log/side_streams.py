"""Small streams beside the log, each with one fixed configuration: made by whoever comes first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from spielwerk.log.api import STREAM_NOT_FOUND, ApiError, ask
from spielwerk.log.connect import Connection
from spielwerk.log.inbox import unavailable

_TIMEOUT_S: Final = 5.0


async def open_side_stream(
    connection: Connection, configuration: Mapping[str, Any], replicas: int
) -> None:
    """Make the stream if there is none; Unavailable without a broker."""
    name = configuration["name"]
    try:
        await ask(connection, f"STREAM.INFO.{name}", None, timeout=_TIMEOUT_S)
    except ApiError as error:
        if error.code != STREAM_NOT_FOUND:
            raise unavailable(error) from error
        body = {**configuration, "num_replicas": replicas}
        try:  # several processes may do this at once: equal configurations are no conflict
            await ask(connection, f"STREAM.CREATE.{name}", body, timeout=_TIMEOUT_S)
        except ApiError as failed:
            raise unavailable(f"the stream {name} cannot be made: {failed}") from failed
