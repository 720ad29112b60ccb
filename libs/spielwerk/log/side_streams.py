"""Small streams beside the log, each with one fixed configuration: made by whoever comes first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from spielwerk.log.api import STREAM_NOT_FOUND, ApiError, ask, create_stream
from spielwerk.log.connect import Connection
from spielwerk.log.inbox import unavailable
from spielwerk.telemetry.logs import get_logger

_TIMEOUT_S: Final = 5.0

_log = get_logger(__name__)


async def open_side_stream(
    connection: Connection, configuration: Mapping[str, Any], replicas: int
) -> None:
    """Make the stream if there is none, else see `replicate`; Unavailable without a broker."""
    name = configuration["name"]
    try:
        await replicate(connection, name, replicas)
    except ApiError as error:
        if error.code != STREAM_NOT_FOUND:
            raise unavailable(error) from error
        body = {**configuration, "num_replicas": replicas}
        try:  # several processes may do this at once: equal configurations are no conflict
            await create_stream(connection, body, timeout=_TIMEOUT_S)
        except ApiError as failed:
            raise unavailable(f"the stream {name} cannot be made: {failed}") from failed


async def replicate(connection: Connection, name: str, replicas: int) -> None:
    """Bring the operator's number of replicas to a stream; ApiError, Unavailable without an
    answer."""
    info = await ask(connection, f"STREAM.INFO.{name}", None, timeout=_TIMEOUT_S)
    if info["config"]["num_replicas"] == replicas:
        return
    # An update replaces everything that it does not name.
    body = {**info["config"], "num_replicas": replicas}
    await ask(connection, f"STREAM.UPDATE.{name}", body, timeout=_TIMEOUT_S)
    _log.warning("stream changed", stream=name, num_replicas=replicas)
