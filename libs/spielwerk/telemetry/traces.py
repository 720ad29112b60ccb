"""What a log line may say of an exception: always where it happened, its text only if safe."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import PurePath

from spielwerk.errors import SpielwerkError

# Texts of these packages' exceptions name addresses and states of connections, never cards or
# seeds. Any other text may quote the value that went wrong (`KeyError: Card(...)`).
_SPEAKING = ("spielwerk", "nats", "redis", "grpc", "asyncio", "socket", "ssl", "pydantic_settings")
# These tell of the code and not of its data.
_ABOUT_CODE = (OSError, ImportError, NameError, AttributeError, NotImplementedError)
_LONGEST_CHAIN = 5


def frames_of(error: BaseException) -> list[dict[str, object]]:
    """The exception and its causes, newest first: type, text if safe, and `file:line function`."""
    return [
        {"type": _type(link), "text": text_of(link), "frames": _frames(link)}
        for link in _chain(error)
    ]


def text_of(error: BaseException) -> str:
    """The text if the class is known to speak of connections only, the reason of ours, else ''."""
    if isinstance(error, SpielwerkError):
        return error.reason
    package = type(error).__module__.split(".")[0]
    if isinstance(error, _ABOUT_CODE) or package in _SPEAKING or package.startswith("spielwerk_"):
        return str(error)[:500]
    return ""


def _type(error: BaseException) -> str:
    kind = type(error)
    return (
        kind.__qualname__
        if kind.__module__ == "builtins"
        else f"{kind.__module__}.{kind.__qualname__}"
    )


def _frames(error: BaseException) -> list[str]:
    return [
        f"{'/'.join(PurePath(frame.filename).parts[-3:])}:{frame.lineno} {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
    ]


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error, then its causes; a group is followed into its members."""
    pending = [error]
    seen: set[int] = set()
    while pending and len(seen) < _LONGEST_CHAIN:
        link = pending.pop(0)
        if id(link) in seen:
            continue
        seen.add(id(link))
        yield link
        if isinstance(link, BaseExceptionGroup):
            pending.extend(link.exceptions)
        cause = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
        if cause is not None:
            pending.append(cause)
