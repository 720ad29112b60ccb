"""Structured logs: one JSON object a line, without secrets, with the context of the call."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Mapping, MutableMapping
from contextlib import AbstractContextManager
from pathlib import PurePath
from typing import Any

import structlog

from spielwerk.telemetry.settings import TelemetrySettings
from spielwerk.telemetry.traces import frames_of
from spielwerk.telemetry.tracing import trace_id

REDACTED = "[redacted]"

# A key that is one of these words, or ends with one of them behind an underscore, is never printed.
_SECRET_KEY = re.compile(
    r"(.*_)?(authorization|cards|deck|entropy|hands?|jwt|order|password|private_key|room_code|"
    r"secret|seeds?|tokens?)"
)
# A compact JWT begins with the base64url form of '{"'.
_JWT = re.compile(r"eyJ[\w-]*\.[\w-]+\.[\w-]*")
_URL_PASSWORD = re.compile(r"(?<=://)[^/@\s]+(?=@)")
_DEEPEST = 6

EventDict = MutableMapping[str, Any]


def configure(settings: TelemetrySettings, service: str = "") -> None:
    """Print all logs, the standard library's as well, to stderr in one form; call once.

    `service`, if given, is on every line.
    """
    last = _json if settings.as_json else structlog.dev.ConsoleRenderer(colors=False)
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=list(_SHARED), processors=[_unwrapped, *_named(service), last]
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.level.upper())
    for chatty in ("grpc", "asyncio"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    """A logger; works before `configure`, too."""
    logger: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(name)
    return logger


def bound(
    *,
    match_id: str | None = None,
    seat: int | None = None,
    command_id: str | None = None,
    **more: str | int,
) -> AbstractContextManager[None]:
    """Adds who and what to every line logged inside; belongs to the running task alone."""
    known = {"match_id": match_id, "seat": seat, "command_id": command_id}
    context = {key: value for key, value in known.items() if value is not None}
    return structlog.contextvars.bound_contextvars(**context, **more)


def redacted(key: str, value: object, depth: int = 0) -> Any:
    """What may be printed of a value under this key.

    Values of unknown types show their type alone: the text of a message or a state holds hands.
    """
    if _SECRET_KEY.fullmatch(key.lower()):
        return REDACTED
    if isinstance(value, bool | int | float | None):
        return value
    if isinstance(value, str | PurePath):
        return _URL_PASSWORD.sub(REDACTED, _JWT.sub(REDACTED, str(value)))
    return _opened(key, value, depth)


def _opened(key: str, value: object, depth: int) -> Any:
    if isinstance(value, Mapping) and depth < _DEEPEST:
        return {str(k): redacted(str(k), v, depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset) and depth < _DEEPEST:
        return [redacted(key, item, depth + 1) for item in value]
    if isinstance(value, bytes | bytearray):
        return f"<{len(value)} bytes>"
    return f"<{type(value).__name__}>"


def _traced(_logger: object, _method: str, event: EventDict) -> EventDict:
    found = trace_id()
    if found:
        event["trace_id"] = found
    return event


def _redact(_logger: object, _method: str, event: EventDict) -> EventDict:
    return {key: redacted(key, value) for key, value in event.items()}


def _exceptions(_logger: object, _method: str, event: EventDict) -> EventDict:
    info = event.pop("exc_info", None)
    if info is True:
        info = sys.exc_info()
    error = info[1] if isinstance(info, tuple) else info
    if isinstance(error, BaseException):
        event["exception"] = frames_of(error)
    return event


def _unwrapped(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Drops what the standard library's record added for structlog."""
    event.pop("_record", None)
    event.pop("_from_structlog", None)
    return event


def _named(service: str) -> tuple[Any, ...]:
    def named(_logger: object, _method: str, event: EventDict) -> EventDict:
        event.setdefault("service", service)
        return event

    return (named,) if service else ()


_json = structlog.processors.JSONRenderer()

_SHARED: tuple[Any, ...] = (
    structlog.contextvars.merge_contextvars,
    _traced,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    _exceptions,
    _redact,
)

# At import, since structlog's default would print the local variables of a failed decision: hands.
structlog.configure(
    processors=[
        structlog.stdlib.filter_by_level,
        *_SHARED,
        structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
    ],
    logger_factory=structlog.stdlib.LoggerFactory(),
    wrapper_class=structlog.stdlib.BoundLogger,
)
