"""Channels to our services: each call carries the caller's token as it is at that moment."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Final

import grpc

from spielwerk.rpc.credentials import Stamp, channel_credentials, name_options, stamp_of
from spielwerk.telemetry.logs import get_logger
from spielwerk.telemetry.tracing import TRACEPARENT, traceparent
from spielwerk.tls import ClientTls

TokenProvider = Callable[[], str | None]

FILE_CHECK_S: Final = 5.0
"""How long a changed certificate may wait until it is used."""

_OPTIONS: Final = (
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    # The one that counts where nothing is in flight; gRPC waits a minute without it.
    ("grpc.http2.ping_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # Whether a repeat is harmless is known to callers only.
    ("grpc.enable_retries", 0),
    ("grpc.lb_policy_name", "round_robin"),
    ("grpc.use_local_subchannel_pool", 1),
)

_log = get_logger(__name__)


def open_channel(
    target: str, token_provider: TokenProvider | None = None, tls: ClientTls | None = None
) -> AuthorizedChannel:
    """A channel to `host:port`; `token_provider` is asked at each call, None sends no token.

    `tls` None: without TLS. Close it, or use it as an async context manager. Failed calls are not
    repeated. OSError or ValueError if a file of `tls` is of no use.
    """
    return AuthorizedChannel(Source(target, tls), token_provider or (lambda: None))


class Source:
    """Opens channels to one target; with TLS another one is due after each change of a file."""

    def __init__(self, target: str, tls: ClientTls | None) -> None:
        self._target = target
        self._tls = tls
        self._stamp: Stamp = ()
        self._looked = time.monotonic()

    def open(self) -> grpc.aio.Channel:
        """A new channel."""
        if self._tls is None:
            return grpc.aio.insecure_channel(self._target, options=_OPTIONS)
        self._stamp = stamp_of(self._tls.files)
        options = (*_OPTIONS, *name_options(self._tls))
        return grpc.aio.secure_channel(self._target, channel_credentials(self._tls), options)

    def renewed(self) -> grpc.aio.Channel | None:
        """A new channel if a file has changed; looks every five seconds at the most."""
        now = time.monotonic()
        if self._tls is None or now - self._looked < FILE_CHECK_S:
            return None
        self._looked = now
        try:
            return None if stamp_of(self._tls.files) == self._stamp else self.open()
        except (OSError, ValueError) as error:  # files that are being replaced fit in a moment
            _log.warning("certificate not renewed", target=self._target, why=str(error))
            return None


class AuthorizedChannel(grpc.aio.Channel):
    """A channel whose calls carry a token, and the trace id of whoever makes them.

    Client interceptors would do the same with one more task and object a call.
    """

    def __init__(self, source: Source, token_provider: TokenProvider) -> None:
        self._source = source
        self._channel = source.open()
        # Their calls go on; idle ones disconnect by themselves.
        self._replaced: list[grpc.aio.Channel] = []
        self._token = token_provider

    def unary_unary(self, *args: Any, **kwargs: Any) -> Any:
        """See `grpc.aio.Channel`."""
        return self._bound(lambda channel: channel.unary_unary(*args, **kwargs))

    def unary_stream(self, *args: Any, **kwargs: Any) -> Any:
        """See `grpc.aio.Channel`."""
        return self._bound(lambda channel: channel.unary_stream(*args, **kwargs))

    def stream_unary(self, *args: Any, **kwargs: Any) -> Any:
        """See `grpc.aio.Channel`."""
        return self._bound(lambda channel: channel.stream_unary(*args, **kwargs))

    def stream_stream(self, *args: Any, **kwargs: Any) -> Any:
        """See `grpc.aio.Channel`."""
        return self._bound(lambda channel: channel.stream_stream(*args, **kwargs))

    async def close(self, grace: float | None = None) -> None:
        """End open calls after `grace` seconds, at once for None, and disconnect."""
        for channel in (*self._replaced, self._channel):
            await channel.close(grace)

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:
        """The state of the connection."""
        return self._channel.get_state(try_to_connect)

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        """Wait until the state is another one."""
        await self._channel.wait_for_state_change(last_observed_state)

    async def channel_ready(self) -> None:
        """Wait until the connection stands."""
        await self._channel.channel_ready()

    async def __aenter__(self) -> AuthorizedChannel:
        await self._channel.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        await self.close()

    def _bound(self, make: Callable[[grpc.aio.Channel], Any]) -> Callable[..., Any]:
        channel, call = self._channel, make(self._channel)

        def authorized(
            *args: Any, metadata: Iterable[tuple[str, str | bytes]] | None = None, **kwargs: Any
        ) -> Any:
            nonlocal channel, call
            self._renew()
            if channel is not self._channel:
                channel, call = self._channel, make(self._channel)
            return call(*args, metadata=self._with_token(metadata), **kwargs)

        return authorized

    def _renew(self) -> None:
        renewed = self._source.renewed()
        if renewed is not None:
            self._replaced.append(self._channel)
            self._channel = renewed

    def _with_token(
        self, metadata: Iterable[tuple[str, str | bytes]] | None
    ) -> tuple[tuple[str, str | bytes], ...]:
        given = tuple(metadata or ())
        trace = traceparent()
        if trace and not any(key == TRACEPARENT for key, _ in given):
            given = (*given, (TRACEPARENT, trace))
        token = self._token()
        if token is None or any(key == "authorization" for key, _ in given):
            return given
        return (*given, ("authorization", f"Bearer {token}"))
