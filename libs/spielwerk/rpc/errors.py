"""Our errors as gRPC statuses and back: one table, for calls and for streams."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

import grpc
from google.protobuf import any_pb2, duration_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from spielwerk.api.v1 import match_pb2
from spielwerk.errors import (
    AlreadyExists,
    BadOptions,
    FailedPrecondition,
    InvalidArgument,
    MatchDamaged,
    NotFound,
    PermissionDenied,
    Refused,
    ResourceExhausted,
    SpielwerkError,
    StaleTurn,
    Unauthenticated,
    Unavailable,
    Unclear,
)
from spielwerk.rpc.handlers import Behaviour, Context, Layer, Method
from spielwerk.telemetry.logs import get_logger
from spielwerk.telemetry.metrics import Metrics
from spielwerk.telemetry.tracing import TRACE_ID

DOMAIN: Final = "spielwerk"

# The nearest class of an error's ancestry decides; what is not here is a bug of ours.
CODES: Final[Mapping[type[SpielwerkError], grpc.StatusCode]] = {
    InvalidArgument: grpc.StatusCode.INVALID_ARGUMENT,
    FailedPrecondition: grpc.StatusCode.FAILED_PRECONDITION,
    PermissionDenied: grpc.StatusCode.PERMISSION_DENIED,
    Unauthenticated: grpc.StatusCode.UNAUTHENTICATED,
    NotFound: grpc.StatusCode.NOT_FOUND,
    AlreadyExists: grpc.StatusCode.ALREADY_EXISTS,
    ResourceExhausted: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Unavailable: grpc.StatusCode.UNAVAILABLE,
}
_CLASSES: Final = {code: kind for kind, code in CODES.items()}
# Errors that clients tell apart by class and not only by reason.
_CLASSES_BY_REASON: Final[Mapping[str, type[SpielwerkError]]] = {
    "stale_turn": StaleTurn,
    "bad_options": BadOptions,
}
_BY_NUMBER: Final = {code.value[0]: code for code in grpc.StatusCode}
# The context of grpc.aio gives the code back as a number.
_UNIMPLEMENTED: Final = (grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.UNIMPLEMENTED.value[0])
# Nothing was done; the client asked for something that this server does not have.
_DEFINITE: Final = {grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.OUT_OF_RANGE}
# Trailing metadata of a call must stay well below 8 KiB, the limit of unconfigured clients. The
# message goes there twice, once with up to three characters a byte; all else in base64.
_TEXT_BYTES: Final = 500
_METADATA_BYTES: Final = 1_500
"""Of all values together; the keys are a few words of ours."""

_log = get_logger(__name__)


def errors_layer(metrics: Metrics) -> Layer:
    """Turns exceptions of handlers into statuses; bugs are logged and answered without details.

    Refusals at a limit are counted by their reason.
    """

    def layer(method: Method, behaviour: Behaviour) -> Behaviour:
        async def answered(request: Any, context: Context) -> Any:
            try:
                return await behaviour(request, context)
            except (asyncio.CancelledError, grpc.aio.AbortError):
                raise
            except Exception as error:
                if _lacks_method(error, context):
                    await context.abort(grpc.StatusCode.UNIMPLEMENTED, "not served here")
                _report(error, method.name)
                if isinstance(error, ResourceExhausted):
                    metrics.limited.labels(reason=error.reason).inc()
                await _abort(context, status_of(error))

        return answered

    return layer


def status_of(error: Exception) -> status_pb2.Status:
    """The rich status of any exception; `INTERNAL internal` for those that are not ours."""
    code, reason, message, metadata = _verdict(error)
    info = error_details_pb2.ErrorInfo(reason=reason, domain=DOMAIN, metadata=metadata)
    status = status_pb2.Status(code=code.value[0], message=message, details=[_packed(info)])
    retry_after = getattr(error, "retry_after", None)
    if retry_after is not None:
        delay = duration_pb2.Duration()
        delay.FromMilliseconds(round(retry_after * 1000))
        status.details.append(_packed(error_details_pb2.RetryInfo(retry_delay=delay)))
    return status


def refusal_of(error: Exception) -> match_pb2.Refusal:
    """The same verdict as a message inside a stream; logs bugs, like the layer does for calls.

    A `retry_after` travels as metadata `retry_after_ms`.
    """
    _report(error, "stream")
    code, reason, message, metadata = _verdict(error)
    retry_after = getattr(error, "retry_after", None)
    if retry_after is not None:
        metadata = {**metadata, "retry_after_ms": str(round(retry_after * 1000))}
    return match_pb2.Refusal(code=code.value[0], reason=reason, message=message, metadata=metadata)


def error_of(answer: grpc.aio.AioRpcError | match_pb2.Refusal) -> SpielwerkError:
    """Our error behind a failed call or a refusal in a stream.

    Definite codes become `Refused`; UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED and bugs of the
    server `Unclear`.
    """
    if isinstance(answer, match_pb2.Refusal):
        metadata = dict(answer.metadata)
        waiting = metadata.pop("retry_after_ms", None)
        retry_after = int(waiting) / 1000 if waiting and waiting.isdecimal() else None
        code = _BY_NUMBER.get(answer.code, grpc.StatusCode.UNKNOWN)
        return _error(code, answer.reason, answer.message, metadata, retry_after)
    reason, metadata, retry_after = _details(answer)
    error = _error(answer.code(), reason, answer.details() or "", metadata, retry_after)
    error.trace_id = _trace_of(answer)
    return error


def _lacks_method(error: Exception, context: Context) -> bool:
    """Whether generated code raised it for a method that the servicer does not have."""
    code: Any = context.code()
    unimplemented = grpc.StatusCode.UNIMPLEMENTED
    return isinstance(error, NotImplementedError) and code in (
        unimplemented,
        unimplemented.value[0],
    )


def _verdict(error: Exception) -> tuple[grpc.StatusCode, str, str, dict[str, str]]:
    if isinstance(error, MatchDamaged):
        return grpc.StatusCode.INTERNAL, "match_frozen", "match frozen", {}
    if not isinstance(error, SpielwerkError):
        return grpc.StatusCode.INTERNAL, "internal", "internal error", {}
    code = next(
        (CODES[kind] for kind in type(error).__mro__ if kind in CODES), grpc.StatusCode.INTERNAL
    )
    share = min(_TEXT_BYTES, _METADATA_BYTES // max(len(error.metadata), 1))
    metadata = {key: _cut(str(value), share) for key, value in error.metadata.items()}
    return code, error.reason, _cut(error.message, _TEXT_BYTES), metadata


def _cut(text: str, most: int) -> str:
    """As many whole characters from the beginning as `most` bytes of UTF-8 hold."""
    return text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")


def _report(error: Exception, method: str) -> None:
    if isinstance(error, SpielwerkError):
        _log.debug("refused", method=method, reason=error.reason)
    elif isinstance(error, MatchDamaged):
        _log.error("match frozen", match_id=error.match_id, version=error.version, exc_info=error)
    else:
        _log.error("internal error", method=method, exc_info=error)


async def _abort(context: Context, answer: status_pb2.Status) -> None:
    """What was to be told at the end anyway is told, too; gRPC would leave it out."""
    status: Any = rpc_status.to_status(answer)
    told: Any = context.trailing_metadata() or ()
    await context.abort(status.code, status.details, (*told, *status.trailing_metadata))


def _packed(message: Any) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(message)
    return packed


def _details(failed: grpc.aio.AioRpcError) -> tuple[str, dict[str, str], float | None]:
    """Reason, metadata and delay of a failed call; empty where the answer is not one of ours."""
    reason, metadata, retry_after = "", {}, None
    for detail in _status(failed).details:
        info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
        if detail.Unpack(info) and info.domain == DOMAIN:
            reason, metadata = info.reason, dict(info.metadata)
        elif detail.Unpack(retry):
            retry_after = retry.retry_delay.ToMilliseconds() / 1000
    return reason, metadata, retry_after


def _trace_of(failed: grpc.aio.AioRpcError) -> str:
    for told in (failed.trailing_metadata(), failed.initial_metadata()):
        for key, value in told or ():
            if key == TRACE_ID:
                return str(value)
    return ""


def _status(failed: grpc.aio.AioRpcError) -> status_pb2.Status:
    for key, value in failed.trailing_metadata() or ():
        if key == "grpc-status-details-bin" and isinstance(value, bytes):
            return status_pb2.Status.FromString(value)
    return status_pb2.Status()


def _error(
    code: grpc.StatusCode,
    reason: str,
    message: str,
    metadata: dict[str, str],
    retry_after: float | None,
) -> SpielwerkError:
    reason = reason or code.name.lower()
    fallback = Refused if code in _DEFINITE else Unclear
    kind = _CLASSES.get(code, fallback)
    special = _CLASSES_BY_REASON.get(reason)
    if special is not None and issubclass(special, kind):
        kind = special
    if issubclass(kind, ResourceExhausted | Unavailable):
        return kind(reason, message, retry_after=retry_after, **metadata)
    # Special classes write their own message; here the server's is kept.
    error = kind.__new__(kind)
    SpielwerkError.__init__(error, reason, message, **metadata)
    return error
