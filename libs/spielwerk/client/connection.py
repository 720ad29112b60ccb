"""The only place that calls gRPC: every call is owned, repeated while its outcome is open, and ended when abandoned."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, cast

import grpc

from spielwerk.api.v1 import account_pb2, account_pb2_grpc
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.api.v1.matchmaking_pb2_grpc import MatchmakingServiceStub
from spielwerk.api.v1.ranking_pb2_grpc import RankingServiceStub
from spielwerk.client.retrying import CALLS, OPEN_OUTCOME, Backoff, Patience
from spielwerk.client.session import Device, Session
from spielwerk.errors import SpielwerkError, Unavailable, Unclear
from spielwerk.rpc.channel import AuthorizedChannel, open_channel
from spielwerk.rpc.errors import error_of

Response = TypeVar("Response")


class UnaryMethod(Protocol[Response]):
    """A method of a stub."""

    def __call__(self, request: Any, *, timeout: float) -> Awaitable[Response]:
        """Start a call."""
        ...


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Where the services are, `host:port` each, for installations without a common entrance."""

    matches: str
    accounts: str
    matchmaking: str
    rankings: str

    @classmethod
    def of(cls, target: str | Endpoints) -> Endpoints:
        """All services behind one address."""
        return target if isinstance(target, Endpoints) else cls(*[target] * 4)


class Connection:
    """Channels, stubs and the session of one client."""

    def __init__(self, endpoints: Endpoints, session: Session, patience: Patience = CALLS) -> None:
        self.session = session
        self.closed = False
        self._patience = patience
        self._channels: dict[str, AuthorizedChannel] = {}
        self.matches = MatchServiceStub(self._channel(endpoints.matches))
        self.accounts = account_pb2_grpc.AccountServiceStub(self._channel(endpoints.accounts))
        self.matchmaking = MatchmakingServiceStub(self._channel(endpoints.matchmaking))
        self.rankings = RankingServiceStub(self._channel(endpoints.rankings))

    async def close(self) -> None:
        """End every call and disconnect."""
        self.closed = True
        for channel in self._channels.values():
            await channel.close()

    async def call(
        self,
        method: Callable[..., Any],
        request: Any,
        *,
        public: bool = False,
        patience: Patience | None = None,
    ) -> Any:
        """The answer; repeats while the outcome is open and the patience lasts, renews the token once.

        Raises the exceptions of `spielwerk.errors`. A public call needs no token.
        """
        backoff = Backoff(patience or self._patience)
        renewed = public
        while True:
            if not public:
                await self.session.prepare(self._renew)
            token = self.session.token()
            try:
                return await self._once(method, request, backoff.attempt_s)
            except grpc.aio.AioRpcError as failed:
                if failed.code() is grpc.StatusCode.UNAUTHENTICATED and not renewed:
                    renewed = True
                    if await self.session.replace(token, self._renew):
                        continue
                error = error_of(failed)
                if failed.code() not in OPEN_OUTCOME:
                    raise error from failed
                await backoff.pause(error)

    @asynccontextmanager
    async def stream(
        self, method: Callable[..., Any], *request: Any
    ) -> AsyncIterator[grpc.aio.StreamStreamCall[Any, Any]]:
        """One attempt at a stream; it is cancelled on exit. Raises `grpc.aio.AioRpcError`.

        Without a request the caller writes.
        """
        await self.session.prepare(self._renew)
        with self._unless_closed():
            call = cast("grpc.aio.StreamStreamCall[Any, Any]", method(*request))
            try:
                yield call
            finally:
                call.cancel()

    async def recover(
        self, failed: grpc.aio.AioRpcError, token: str | None, backoff: Backoff
    ) -> SpielwerkError:
        """After a broken stream: wait for the right time to open it again, or raise.

        `token` is the one that the stream carried.
        """
        error = error_of(failed)
        code = failed.code()
        if code is grpc.StatusCode.UNAUTHENTICATED and await self.session.replace(
            token, self._renew
        ):
            return error
        if code not in OPEN_OUTCOME and error.reason != "slow_reader":
            raise error from failed
        await backoff.pause(error)
        return error

    async def _once(self, method: Callable[..., Any], request: Any, attempt_s: float) -> Any:
        with self._unless_closed():
            call = method(request, timeout=attempt_s)
            try:
                return await call
            finally:
                call.cancel()  # nothing to do after an answer; else the call would live for ever

    async def _renew(self, device: Device) -> str:
        request = account_pb2.RenewTokenRequest(
            player_id=device.player_id, device_secret=device.secret
        )
        response = await self.call(self.accounts.RenewToken, request, public=True)
        return str(response.token)

    def _channel(self, target: str) -> AuthorizedChannel:
        if target not in self._channels:
            self._channels[target] = open_channel(target, self.session.token)
        return self._channels[target]

    def _unless_closed(self) -> _UnlessClosed:
        return _UnlessClosed(self)


class _UnlessClosed:
    """A call that ends because its client was closed fails; its task was not cancelled."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        if self._connection.closed:
            raise Unavailable("client_closed")

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        task = asyncio.current_task()
        ours = isinstance(error, asyncio.CancelledError) and task and not task.cancelling()
        if ours and self._connection.closed:
            raise Unavailable("client_closed") from error


def unclear(error: SpielwerkError) -> bool:
    """Whether a repeat may help."""
    return isinstance(error, Unclear)
