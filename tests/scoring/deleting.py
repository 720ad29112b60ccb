"""Accounts and rules beside scoring: guests with results of half a year, who delete themselves."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from redis.asyncio import Redis

import spielwerk_accounts.app
import spielwerk_rules.app
from spielwerk.api.v1 import account_pb2, match_pb2
from spielwerk.api.v1 import ranking_pb2 as pb
from spielwerk.api.v1.account_pb2_grpc import AccountServiceStub
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.log.subjects import new_match_id
from spielwerk.rankings.periods import ALL, Period, PeriodKind
from spielwerk.rankings.plain import standings, totals
from spielwerk.rpc.channel import open_channel
from spielwerk.rpc.host import Host
from spielwerk.settings import RpcSettings
from spielwerk_accounts import keys as signing
from spielwerk_accounts.settings import AccountsSettings, KeySettings
from spielwerk_rules.settings import Settings as RulesSettings
from spielwerk_scoring.results import read_outcome

from .scripted import NOON, expected, stored_boards
from .test_service import CALENDAR, Season, all_pages, refused

WAIT_S: Final = 30.0
_DAY_MS: Final = 86_400_000
_ALL_TIME: Final[dict[str, Any]] = {"kind": pb.PERIOD_KIND_ALL_TIME}


@dataclass
class Town:
    """Guests by id with their tokens, what they have played, and who of them is gone."""

    season: Season
    settings: AccountsSettings
    chance: Random
    address: str = ""
    tokens: dict[str, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)

    async def settle(self, guests: int, matches: int) -> None:
        """Guests with accounts, and results of theirs within half a year."""
        stub = AccountServiceStub(await self.channel(""))
        for number in range(guests):
            request = account_pb2.CreateGuestRequest(name=f"Guest {number}")
            made = await stub.CreateGuest(request)
            self.tokens[made.player_id] = made.token
        for _ in range(matches):
            names = self.chance.sample(sorted(self.tokens), 2)
            seats = [(name, self.chance.randint(-50, 100) * 1000, 1) for name in names]
            at_ms = NOON + self.chance.randint(-90, 90) * _DAY_MS
            await self.season.end(*seats, at_ms=at_ms)

    async def channel(self, token: str) -> Any:
        channel = open_channel(self.address, (lambda: token) if token else None)
        self.season.stack.push_async_callback(channel.close)
        return channel

    async def accounts_of(self, player_id: str) -> Any:
        return AccountServiceStub(await self.channel(self.tokens[player_id]))

    async def delete(self, player_id: str) -> None:
        """The player's own call."""
        stub = await self.accounts_of(player_id)
        await stub.DeleteAccount(account_pb2.DeleteAccountRequest())
        self.gone.add(player_id)

    def ranked(self) -> list[tuple[int, str]]:
        """Ranks and players of all time, by plain folding and sorting."""
        left = [entry for entry in self.season.entries if entry.player_id not in self.gone]
        found = totals(left, CALENDAR.rankings, CALENDAR.zone)
        board = found["cribbage", Period(PeriodKind.ALL_TIME, ALL)]
        rows = standings(CALENDAR.rankings["cribbage"], board)
        return [(row.rank, row.player_id) for row in rows]

    async def shown(self, redis: Redis) -> None:
        """Wait until all boards are those of the players that are left."""
        left = [entry for entry in self.season.entries if entry.player_id not in self.gone]
        wanted = expected(left, CALENDAR)
        found: dict[str, Any] = {}
        try:
            async with asyncio.timeout(WAIT_S):
                while found != wanted:
                    await asyncio.sleep(0.05)
                    boards = await stored_boards(redis)
                    found = {name: board for name, board in boards.items() if board[1]}
        except TimeoutError:
            assert found == wanted

    async def shown_to_players(self) -> None:
        """The same as read over the API: ranks close up, and the gone have none."""
        entries = await all_pages(self.season.stub(), 3, **_ALL_TIME)
        assert [(entry.rank, entry.player_id) for entry in entries] == self.ranked()
        for player_id in self.gone:
            request = pb.GetAroundRequest(game="cribbage", player_id=player_id, **_ALL_TIME)
            assert (await refused(self.season.stub().GetAround(request))).reason == "not_ranked"

    async def begin(self, one: str, other: str) -> str:
        """A rated match of the two, under way."""
        token = self.season.keys.issue("matchmaking", "service:matchmaking", 600)
        maker = MatchServiceStub(await self.channel(token))
        match_id = new_match_id(time.time_ns() // 1_000_000, os.urandom(10))
        humans = [match_pb2.Human(player_id=name) for name in (one, other)]
        request = match_pb2.CreateMatchRequest(
            match_id=match_id,
            game="cribbage",
            occupants=[match_pb2.Occupant(human=human) for human in humans],
            watch=match_pb2.WATCH_POLICY_PARTICIPANTS,
            rated=True,
        )
        await maker.CreateMatch(request)
        for name in (one, other):
            player = MatchServiceStub(await self.channel(self.tokens[name]))
            await player.Join(match_pb2.JoinRequest(match_id=match_id))
        return match_id

    async def resign(self, match_id: str, player_id: str) -> None:
        """End a match; what it brings to both is read from its last record."""
        player = MatchServiceStub(await self.channel(self.tokens[player_id]))
        await player.Resign(match_pb2.ResignRequest(match_id=match_id, command_id="r1"))
        last = await self.season.log.last(match_id)
        assert last is not None
        entries = read_outcome(last).entries
        assert len(entries) == 2
        self.season.entries += entries


@asynccontextmanager
async def town_of(season: Season, folder: Path, seed: int) -> AsyncIterator[Town]:
    """Accounts and rules serve; scoring may come and go with `season.serving()`."""
    rpc = RpcSettings(listen="127.0.0.1:0", grace_s=1)
    keys = KeySettings(data=folder / "keys")
    settings = AccountsSettings(**season.common, rpc=rpc, keys=keys)
    season.keys = signing.load(settings.keys, settings.auth, settings.mode)
    host = Host(settings)
    async with AsyncExitStack() as stack:
        accounts = spielwerk_accounts.app.serving(settings, host.part())
        await stack.enter_async_context(accounts)
        rules = spielwerk_rules.app.serving(RulesSettings(**season.common), host.part())
        await stack.enter_async_context(rules)
        address = await stack.enter_async_context(host.started())
        yield Town(season, settings, Random(seed), address)
