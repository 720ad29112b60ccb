"""The stream itself: made once, compared at every start, and never silently made again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

from spielwerk.errors import Unavailable
from spielwerk.log.api import STREAM_NOT_FOUND, ApiError, ask, create_stream
from spielwerk.log.connect import Connection
from spielwerk.log.inbox import unavailable
from spielwerk.log.live import LIVE
from spielwerk.log.port import StreamIdentity, Tail
from spielwerk.log.settings import LogSettings
from spielwerk.log.subjects import SHARDS
from spielwerk.telemetry.logs import get_logger

SUBJECTS: Final = "match.>"
WARN_AT: Final = 0.8
"""Filling at which a warning is logged."""

_DUPLICATE_WINDOW_NS: Final = 100_000_000  # the least that the server allows; we do not use it
_API_TIMEOUT_S: Final = 5.0
_AGAIN_S: Final = 1.0
_WAIT_S: Final = 0.5
_CHANGEABLE: Final = ("num_replicas", "max_bytes")
_FORBIDDEN: Final = ("mirror", "sources", "subject_transform", "allow_rollup_hdrs", "sealed")

_log = get_logger(__name__)


class LogMissing(Unavailable):
    """There is no stream where there was one, or where one was never announced."""

    def __init__(self, why: str) -> None:
        super().__init__("log_missing", why)


class LogForeign(Unavailable):
    """There is a stream, but not the known one, or one that would not keep what it acknowledges."""

    def __init__(self, why: str) -> None:
        super().__init__("log_foreign", why)


async def ensure_stream(
    connection: Connection,
    settings: LogSettings,
    *,
    known: StreamIdentity | None,
    allow_new: bool,
) -> StreamIdentity:
    """The stream, checked; made if there is none and `allow_new` says that none is missed.

    `known` is the stream as it was when this installation last saw it (None: never). Raises
    LogMissing or LogForeign, whose message names the loss, and Unavailable without a broker.
    """
    info = await _info(connection, settings)
    if info is None:
        if not allow_new:
            raise LogMissing(_loss(settings, known))
        info = await _make(connection, settings)
    check_configuration(info["config"], settings)
    found = _identity(info)
    if known is not None and not allow_new:
        check_known(found, known)
    await _adjust(connection, info["config"], settings)
    return found


async def stream_identity(connection: Connection, settings: LogSettings) -> StreamIdentity:
    """See Tail.identity."""
    info = await _info(connection, settings)
    if info is None:
        raise LogMissing(_loss(settings, None))
    return _identity(info)


async def until_there(log: Tail) -> None:
    """Wait for the stream: rules makes it when it first starts, perhaps later than its readers."""
    while True:
        try:
            await log.identity()
        except Unavailable as error:
            _log.warning("waiting for the log", reason=error.reason)
            await asyncio.sleep(_WAIT_S)
        else:
            return


def check_known(found: StreamIdentity, known: StreamIdentity) -> None:
    """LogForeign if `known` cannot be an earlier state of `found`."""
    if found.created != known.created:
        raise LogForeign(
            f"stream {found.name} was made at {found.created}, but the known one at "
            f"{known.created} with {known.last_sequence} records: those are lost here"
        )
    if found.last_sequence < known.last_sequence:
        raise LogForeign(
            f"stream {found.name} ends at {found.last_sequence}, but record "
            f"{known.last_sequence} was seen: the records between are lost"
        )


def check_configuration(actual: Mapping[str, Any], settings: LogSettings) -> None:
    """LogForeign if the stream could lose or change what it acknowledges."""
    expected = configuration(settings)
    wrong = {
        key: actual.get(key)
        for key, value in expected.items()
        if key not in _CHANGEABLE and actual.get(key) != value
    }
    wrong |= {key: actual[key] for key in _FORBIDDEN if actual.get(key)}
    if wrong:
        raise LogForeign(f"stream {settings.stream} is set up in another way: {wrong}")


def configuration(settings: LogSettings) -> dict[str, Any]:
    """What the stream must be, in JetStream's terms."""
    return {
        "name": settings.stream,
        "subjects": subjects(settings),
        "storage": "file",
        "retention": "limits",
        "discard": "new",
        "max_age": 0,
        "max_msgs": -1,
        "max_msgs_per_subject": -1,
        "max_bytes": settings.max_bytes,
        "num_replicas": settings.replicas,
        "duplicate_window": _DUPLICATE_WINDOW_NS,
        "allow_direct": True,
        "deny_delete": True,
        "deny_purge": True,
        "republish": {"src": SUBJECTS, "dest": LIVE + SUBJECTS},
    }


def subjects(settings: LogSettings) -> list[str]:
    """What a stream takes: everything, or its shards."""
    if len(settings.shards) == SHARDS:
        return [SUBJECTS]
    return [f"match.*.{shard}.>" for shard in settings.shards]


async def watch_filling(
    connection: Connection,
    settings: LogSettings,
    report: Callable[[int, float], None],
    *,
    period_s: float = 10.0,
) -> None:
    """Endless: report the bytes of all streams, and bytes / max_bytes of the fullest (0.0: no
    limit); from 80 % on the log warns."""
    while True:
        try:
            infos = [await _info(connection, part) for part in settings.parts]
        except Unavailable as error:
            _log.warning("filling of the log unknown", error=error.message)
        else:
            fillings = [_filling(info) for info in infos if info is not None]
            if fillings:
                report(sum(used for used, _ in fillings), max(filling for _, filling in fillings))
        await asyncio.sleep(period_s)


def _filling(info: Mapping[str, Any]) -> tuple[int, float]:
    limit, used = info["config"]["max_bytes"], info["state"]["bytes"]
    filling = float(used / limit) if limit > 0 else 0.0
    if filling >= WARN_AT:
        name = info["config"]["name"]
        _log.warning("the log is nearly full", stream=name, bytes=used, max_bytes=limit)
    return used, filling


async def _info(connection: Connection, settings: LogSettings) -> dict[str, Any] | None:
    try:
        verb = f"STREAM.INFO.{settings.stream}"
        return await ask(connection, verb, None, timeout=_API_TIMEOUT_S, again_s=_AGAIN_S)
    except ApiError as error:
        if error.code == STREAM_NOT_FOUND:
            return None
        raise unavailable(error) from error


async def _make(connection: Connection, settings: LogSettings) -> dict[str, Any]:
    """Several processes may do this at once: equal configurations are no conflict."""
    try:
        info = await create_stream(connection, configuration(settings), timeout=_API_TIMEOUT_S)
    except ApiError as error:
        raise unavailable(f"the stream cannot be made: {error}") from error
    _log.warning("new, empty event log", stream=settings.stream, created=info["created"])
    return info


async def _adjust(connection: Connection, actual: Mapping[str, Any], settings: LogSettings) -> None:
    """Bring the operator's size and number of replicas to the stream."""
    wanted = {key: configuration(settings)[key] for key in _CHANGEABLE}
    if all(actual[key] == value for key, value in wanted.items()):
        return
    # An update replaces everything that it does not name.
    body = {**actual, **wanted}
    try:
        await ask(connection, f"STREAM.UPDATE.{settings.stream}", body, timeout=_API_TIMEOUT_S)
    except ApiError as error:
        raise unavailable(f"the stream cannot be changed: {error}") from error
    _log.warning("event log changed", stream=settings.stream, **wanted)


def _identity(info: Mapping[str, Any]) -> StreamIdentity:
    state = info["state"]
    return StreamIdentity(
        info["config"]["name"], info["created"], state["first_seq"], state["last_seq"]
    )


def _loss(settings: LogSettings, known: StreamIdentity | None) -> str:
    if known is not None:
        return (
            f"stream {settings.stream} is gone: it was made at {known.created} and held "
            f"records up to {known.last_sequence}; restore it, or allow a new installation"
        )
    return f"there is no stream {settings.stream}; a new installation must be allowed explicitly"
