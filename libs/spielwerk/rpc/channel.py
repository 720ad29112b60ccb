"""Channels to our services: each call carries the caller's token as it is at that moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Final

import grpc

TokenProvider = Callable[[], str | None]

_OPTIONS: Final = (
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # Whether a repeat is harmless is known to callers only.
    ("grpc.enable_retries", 0),
    ("grpc.lb_policy_name", "round_robin"),
    ("grpc.use_local_subchannel_pool", 1),
)


def open_channel(target: str, token_provider: TokenProvider | None = None) -> AuthorizedChannel:
    """A channel to `host:port`; `token_provider` is asked at each call, None sends no token.

    Close it, or use it as an async context manager. Failed calls are not repeated.
    """
    channel = grpc.aio.insecure_channel(target, options=_OPTIONS)
    return AuthorizedChannel(channel, token_provider or (lambda: None))


class AuthorizedChannel(grpc.aio.Channel):
    """A channel whose calls carry a token.

    Client interceptors would do the same with one more task and object a call.
    """

    def __init__(self, channel: grpc.aio.Channel, token_provider: TokenProvider) -> None:
        self._channel = channel
        self._token = token_provider

    def unary_unary(self, *args: Any, **kwargs: Any) -> Any:
        """See `grpc.aio.Channel`."""
        return self._bound(self._channel.unary_unary(*args, **kwargs))

    def unary_stream(self, *args: Any, **kwargs: Any) -> Any:
        """See `grpc.aio.Channel`."""
        return self._bound(self._channel.unary_stream(*args, **kwargs))

    def stream_unary(self, *args: Any, **kwargs: Any) -> Any:
        """See `grpc.aio.Channel`."""
        return self._bound(self._channel.stream_unary(*args, **kwargs))

    def stream_stream(self, *args: Any, **kwargs: Any) -> Any:
        """See `grpc.aio.Channel`."""
        return self._bound(self._channel.stream_stream(*args, **kwargs))

    async def close(self, grace: float | None = None) -> None:
        """End open calls after `grace` seconds, at once for None, and disconnect."""
        await self._channel.close(grace)

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

    def _bound(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def authorized(
            *args: Any, metadata: Iterable[tuple[str, str | bytes]] | None = None, **kwargs: Any
        ) -> Any:
            return call(*args, metadata=self._with_token(metadata), **kwargs)

        return authorized

    def _with_token(
        self, metadata: Iterable[tuple[str, str | bytes]] | None
    ) -> tuple[tuple[str, str | bytes], ...]:
        given = tuple(metadata or ())
        token = self._token()
        if token is None or any(key == "authorization" for key, _ in given):
            return given
        return (*given, ("authorization", f"Bearer {token}"))
