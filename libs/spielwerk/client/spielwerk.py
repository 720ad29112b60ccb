"""The client's front door: one object for an installation and a caller."""

from __future__ import annotations

from types import TracebackType

from spielwerk.api.v1 import match_pb2
from spielwerk.client.accounts import Accounts
from spielwerk.client.connection import Connection, Endpoints
from spielwerk.client.fairness import Pledge
from spielwerk.client.match import MatchClient
from spielwerk.client.matchmaking import Matchmaking
from spielwerk.client.playing import PlayStream
from spielwerk.client.rankings import Rankings
from spielwerk.client.reading import read_value
from spielwerk.client.retrying import CALLS, STREAMS, Patience
from spielwerk.client.session import Device, Session
from spielwerk.client.values import GameInfo, Rules, ServerInfo
from spielwerk.tls import ClientTls


class Spielwerk:
    """A connection to an installation.

    ```python
    async with Spielwerk.connect("127.0.0.1:7700") as client:
        device = await client.accounts.create_guest("Ada")
        practice = await client.matchmaking.practice("cribbage", {"target": 61})
        match = client.match(practice.match_id)
        await match.join()
        async with match.watch() as updates:
            async for update in updates:
                ...
    ```
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.accounts = Accounts(connection)
        self.matchmaking = Matchmaking(connection)
        self.rankings = Rankings(connection)

    @classmethod
    def connect(
        cls,
        target: str | Endpoints,
        *,
        token: str | None = None,
        device: Device | None = None,
        tls: ClientTls | None = None,
        calls: Patience = CALLS,
        streams: Patience = STREAMS,
    ) -> Spielwerk:
        """A client of `host:port`, or of services with addresses of their own; use `async with`.

        `device` makes it act as that guest, its tokens are renewed in time; `token` as whoever
        the token belongs to. With neither it can do what needs no token, and create a guest.
        `tls`, e.g. `ClientTls()` for authorities that the system knows; None: without TLS.
        """
        session = Session(token, device)
        return cls(Connection(Endpoints.of(target, tls), session, calls=calls, streams=streams))

    @property
    def device(self) -> Device | None:
        """The guest that this client acts as."""
        return self.connection.session.device

    async def create_guest(self, name: str) -> Device:
        """Make a guest account and act as it; keep the device to be this player again."""
        return await self.accounts.create_guest(name)

    def match(self, match_id: str, pledge: Pledge | None = None) -> MatchClient:
        """One match; nothing is called yet. `pledge`: what was kept from before a restart."""
        return MatchClient(self.connection, match_id, pledge)

    def play(self) -> PlayStream:
        """A stream for many commands and matches; use it with `async with`."""
        return PlayStream(self.connection)

    async def server_info(self) -> ServerInfo:
        """Version, games, limits and durability of the installation."""
        request = match_pb2.GetServerInfoRequest()
        stub = self.connection.matches
        answer = await self.connection.call(stub.GetServerInfo, request, public=True)
        return read_value(ServerInfo, answer)

    async def games(self) -> tuple[GameInfo, ...]:
        """The games of the installation."""
        request = match_pb2.ListGamesRequest()
        stub = self.connection.matches
        answer = await self.connection.call(stub.ListGames, request, public=True)
        return tuple(read_value(GameInfo, game) for game in answer.games)

    async def rules(self, game: str, language: str = "en") -> Rules:
        """The player's rules of a game ("en" or "de") and its options."""
        request = match_pb2.GetRulesRequest(game=game, language=language)
        stub = self.connection.matches
        answer = await self.connection.call(stub.GetRules, request, public=True)
        return read_value(Rules, answer)

    async def close(self) -> None:
        """End every call and disconnect."""
        await self.connection.close()

    async def __aenter__(self) -> Spielwerk:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
