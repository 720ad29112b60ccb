"""The place that calls gRPC: calls are repeated while their outcome is open, never abandoned."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

import grpc

from spielwerk.api.v1 import account_pb2
from spielwerk.api.v1.account_pb2_grpc import AccountServiceStub
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.api.v1.matchmaking_pb2_grpc import MatchmakingServiceStub
from spielwerk.api.v1.ranking_pb2_grpc import RankingServiceStub
from spielwerk.client.retrying import CALLS, STREAMS, Backoff, Patience, asked_to_wait, is_open
from spielwerk.client.session import Device, Session
from spielwerk.errors import Unavailable, Unclear
from spielwerk.rpc.channel import AuthorizedChannel, open_channel
from spielwerk.rpc.errors import error_of
from spielwerk.tls import ClientTls

Request = TypeVar("Request")
Response = TypeVar("Response")
_EARLY: Final = Patience(attempt_s=2.0, total_s=2.0)
"""A renewal ahead of time must not hold a call up for long."""
AnyCall = Any
"""A call of a stream; grpc's types of the four kinds have no common one."""


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Where the services are, `host:port` each, for installations without a common entrance."""

    matches: str
    accounts: str
    matchmaking: str
    rankings: str
    tls: ClientTls | None = None
    """How they are known; None: they speak without TLS."""

    @classmethod
    def of(cls, target: str | Endpoints, tls: ClientTls | None = None) -> Endpoints:
        """All services behind one address; endpoints stay as they are but for a `tls`."""
        if isinstance(target, Endpoints):
            return replace(target, tls=tls or target.tls)
        return cls(target, target, target, target, tls)


class Connection:
    """Channels, stubs and the session of one client."""

    def __init__(
        self,
        endpoints: Endpoints,
        session: Session,
        *,
        calls: Patience = CALLS,
        streams: Patience = STREAMS,
    ) -> None:
        self.session = session
        self.calls, self.streams = calls, streams
        self.closed = False
        self._channels: dict[str, AuthorizedChannel] = {}
        self._tls = endpoints.tls
        self.matches = MatchServiceStub(self._channel(endpoints.matches))
        self.accounts = AccountServiceStub(self._channel(endpoints.accounts))
        self.matchmaking = MatchmakingServiceStub(self._channel(endpoints.matchmaking))
        self.rankings = RankingServiceStub(self._channel(endpoints.rankings))

    async def close(self) -> None:
        """End every call and disconnect."""
        self.closed = True
        for channel in self._channels.values():
            await channel.close()

    async def call(
        self,
        method: grpc.aio.UnaryUnaryMultiCallable[Request, Response],
        request: Request,
        *,
        public: bool = False,
        patience: Patience | None = None,
    ) -> Response:
        """The answer; repeats while the outcome is open and the patience lasts.

        At a limit it waits as long as the server asks for, if the patience lasts that long.
        Raises the exceptions of `spielwerk.errors`. A refused token is renewed once; a public
        call needs none.
        """
        backoff = Backoff(patience or self.calls)
        renewable = not public
        while True:
            if not public:
                await self.session.prepare(self._renew, self._renew_early)
            token = self.session.token()
            try:
                return await self._once(method, request, backoff.attempt_s)
            except grpc.aio.AioRpcError as failed:
                if renewable and await self._renewed(failed, token):
                    renewable = False
                    continue
                error = error_of(failed)
                if not is_open(failed) and not asked_to_wait(error):
                    raise error from failed
                await backoff.pause(error)

    @asynccontextmanager
    async def stream(self, start: Callable[[], AnyCall]) -> AsyncIterator[AnyCall]:
        """One attempt at a stream, cancelled on exit; breaks with `grpc.aio.AioRpcError`, or
        NoToken before it has begun."""
        try:
            await self.session.prepare(self._renew, self._renew_early)
        except Unclear as unclear:
            if self.closed:
                raise
            raise NoToken(unclear.reason, unclear.message) from unclear
        with _UnlessClosed(self):
            call = start()
            try:
                yield call
            finally:
                call.cancel()

    async def recover(
        self, failed: grpc.aio.AioRpcError, token: str | None, backoff: Backoff
    ) -> None:
        """Wait until a broken stream, which carried `token`, may be opened again; else raise."""
        error = error_of(failed)
        resumable = is_open(failed) or error.reason == "slow_reader" or asked_to_wait(error)
        try:
            if not resumable and not await self._renewed(failed, token):
                raise error from failed
        except Unclear as unclear:
            if self.closed:
                raise
            error = unclear
        await backoff.pause(error)

    async def _once(
        self,
        method: grpc.aio.UnaryUnaryMultiCallable[Request, Response],
        request: Request,
        attempt_s: float,
    ) -> Response:
        with _UnlessClosed(self):
            call = method(request, timeout=attempt_s)
            try:
                return await call
            finally:
                call.cancel()  # does nothing after an answer; abandoned it would live for ever

    async def _renewed(self, failed: grpc.aio.AioRpcError, token: str | None) -> bool:
        refused = failed.code() is grpc.StatusCode.UNAUTHENTICATED
        return refused and await self.session.replace(token, self._renew)

    async def _renew_early(self, device: Device) -> str:
        return await self._renew(device, _EARLY)

    async def _renew(self, device: Device, patience: Patience | None = None) -> str:
        request = account_pb2.RenewTokenRequest(
            player_id=device.player_id, device_secret=device.secret
        )
        response = await self.call(
            self.accounts.RenewToken, request, public=True, patience=patience
        )
        return response.token

    def _channel(self, target: str) -> AuthorizedChannel:
        if target not in self._channels:
            self._channels[target] = open_channel(target, self.session.token, self._tls)
        return self._channels[target]


class NoToken(Unavailable):
    """Accounts does not answer: a stream may wait longer for that than a call."""


class _UnlessClosed:
    """A call that ends because its client was closed fails; its task was not cancelled."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        if self._connection.closed:
            raise Unavailable("client_closed")

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if not isinstance(error, asyncio.CancelledError) or not self._connection.closed:
            return
        task = asyncio.current_task()
        if task is not None and not task.cancelling():
            raise Unavailable("client_closed") from error
