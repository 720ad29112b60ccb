"""A whole installation whose log is four streams: everything works as with one."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from local.test_installation import run
from spielwerk.api.v1 import audit_pb2, match_pb2
from spielwerk.api.v1.audit_pb2_grpc import AuditServiceStub
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.client import Spielwerk
from spielwerk.client.rankings import PeriodKind, RankEntry
from spielwerk.codec import game_codec
from spielwerk.codec.events import bot_message
from spielwerk.games import registry
from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Kind
from spielwerk.log.stream import LogForeign
from spielwerk.log.subjects import SHARDS, match_id_of, new_match_id, shard_of
from spielwerk.match.model import Bot, Ended
from spielwerk.rpc.channel import AuthorizedChannel, open_channel
from spielwerk.settings import AuthSettings, LogSettings, NatsSettings
from spielwerk_accounts.keys import load
from spielwerk_accounts.settings import KeySettings
from spielwerk_local.app import Installation, installation

STREAMS: Final = 4
LOG: Final = LogSettings(streams=STREAMS)
CRIBBAGE: Final = registry.newest("cribbage")
QUARTETT: Final = registry.newest("quartett")


@pytest.fixture(autouse=True)
def _streams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPIELWERK_LOG__STREAMS", str(STREAMS))


def id_in(shard: int) -> str:
    """A new id of a match in this shard."""
    while shard_of(match_id := new_match_id(time.time_ns() // 1_000_000, os.urandom(10))) != shard:
        pass
    return match_id


def person(player_id: str) -> match_pb2.Occupant:
    return match_pb2.Occupant(human=match_pb2.Human(player_id=player_id))


@dataclass
class Table:
    """An installation, two guests, and an operator."""

    running: Installation
    ada: Spielwerk
    ben: Spielwerk
    people: tuple[str, str]

    async def created(self, shard: int, *bots: str, **options: int) -> str:
        """A match of the guests, or of bots, in a shard."""
        game = QUARTETT if bots else CRIBBAGE
        occupants = [
            match_pb2.Occupant(bot=bot_message(Bot.of(game.bots[strength]))) for strength in bots
        ]
        request = match_pb2.CreateMatchRequest(
            match_id=id_in(shard),
            game=game.key,
            occupants=occupants or map(person, self.people),
            watch=match_pb2.WATCH_POLICY_ANYONE,
            rated=not bots,
        )
        game_codec(game).fill_options(game.options(**options), request.options)
        async with self.channel("operator") as channel:
            await MatchServiceStub(channel).CreateMatch(request)
        return request.match_id

    async def join(self, match_id: str) -> None:
        for client in (self.ada, self.ben):
            await client.match(match_id).join()

    async def queued(self) -> str:
        """A match of the queue."""
        tickets = [await c.matchmaking.enqueue("cribbage") for c in (self.ada, self.ben)]
        matched = await self.ada.matchmaking.wait_ticket(tickets[0].ticket_id)
        assert matched.match_id is not None
        return matched.match_id

    async def ended(self, match_id: str) -> Ended:
        async with self.ada.match(match_id).watch() as updates, asyncio.timeout(120):
            last = [update.ended async for update in updates][-1]
        assert last is not None
        return last

    async def listed(self, size: int) -> list[audit_pb2.MatchSummary]:
        """All matches, page by page."""
        found: list[audit_pb2.MatchSummary] = []
        token = ""
        async with self.channel("auditor") as channel:
            while True:
                request = audit_pb2.ListMatchesRequest(page_size=size, page_token=token)
                page = await AuditServiceStub(channel).ListMatches(request)
                assert len(page.matches) <= size
                found += page.matches
                token = page.next_page_token
                if not token:
                    return found

    async def board(self, games: int) -> list[RankEntry]:
        """The ranking of Cribbage, once it has counted so many matches."""
        async with asyncio.timeout(60):
            while True:
                board = await self.ada.rankings.board("cribbage", PeriodKind.ALL_TIME)
                if sum(entry.games for entry in board.entries) == 2 * games:
                    return list(board.entries)
                await asyncio.sleep(0.1)

    def channel(self, role: str) -> AuthorizedChannel:
        keys = load(KeySettings(data=self.running.data / "accounts"), AuthSettings(), "development")
        return open_channel(self.running.api, lambda: keys.issue("op", role, 60))


@asynccontextmanager
async def table(data: Path) -> AsyncIterator[Table]:
    """An installation with its first two guests, or two more of an older one."""
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        running = await enter(installation(data, listen="127.0.0.1:0", sync_always=False))
        ada = await enter(Spielwerk.connect(running.api))
        ben = await enter(Spielwerk.connect(running.api))
        people = [
            (await client.create_guest(n)).player_id for client, n in ((ada, "A"), (ben, "B"))
        ]
        yield Table(running, ada, ben, (people[0], people[1]))


async def in_log(running: Installation) -> list[set[str]]:
    """The matches in each stream."""
    found = []
    async with connect(NatsSettings(url=running.nats_url)) as broker:
        for part in LOG.parts:
            matches: set[str] = set()
            async for batch in JetStreamLog(broker, part).follow(
                [Kind.OPEN], after=0, headers_only=True
            ):
                matches |= {match_id_of(message.subject) for message in batch.messages}
                if batch.caught_up:
                    break
            found.append(matches)
    return found


def streams_of(matches: set[str]) -> set[str]:
    return {part.stream for part in LOG.parts for match_id in matches if part.holds(match_id)}


@dataclass
class Played:
    """Matches by how they end."""

    sleeping: set[str]
    of_bots: set[str]
    resigned: set[str]
    queued: set[str]

    @property
    def rated(self) -> int:
        return len(self.sleeping) + len(self.resigned) + len(self.queued)

    @property
    def everything(self) -> set[str]:
        return self.sleeping | self.of_bots | self.resigned | self.queued


async def play(at: Table) -> Played:
    """At least one match of each kind in each stream, and one in each shard."""
    played = Played(set(), set(), set(), set())
    for shard in range(STREAMS):
        match_id = await at.created(shard, action_timeout_s=10, max_timeouts_in_row=1)
        await at.join(match_id)
        played.sleeping.add(match_id)
        played.of_bots.add(await at.created(shard, "random", "rank1", reveal_pause_ms=0))
    for shard in range(SHARDS):
        match_id = await at.created(shard)
        await at.join(match_id)
        await at.ada.match(match_id).resign()
        played.resigned.add(match_id)
    while len(streams_of(played.queued)) < STREAMS:
        match_id = await at.queued()
        await at.join(match_id)
        await at.ben.match(match_id).resign()
        played.queued.add(match_id)
    return played


async def check_ends(at: Table, played: Played) -> None:
    for match_id in played.sleeping:
        end = await at.ended(match_id)
        assert end.result is not None
        assert end.result.reason == "forfeited"
    for match_id in played.of_bots:
        assert (await at.ended(match_id)).result is not None


async def check_listing(at: Table, matches: set[str]) -> None:
    """Each match once, in the order in which they were opened, whatever stream they are in."""
    listed = await at.listed(7)
    assert sorted(match.match_id for match in listed) == sorted(matches)
    times = [match.opened_at_ms for match in listed]
    assert times == sorted(times)


@pytest.mark.timeout(300)
async def test_four_streams_are_played_ranked_timed_audited_and_rebuilt(tmp_path: Path) -> None:
    async with table(tmp_path) as first:
        played = await play(first)
        await check_ends(first, played)
        await check_listing(first, played.everything)
        board = await first.board(played.rated)
        assert await in_log(first.running) == [
            {match_id for match_id in played.everything if part.holds(match_id)}
            for part in LOG.parts
        ]
        code, output = await run("verify", "--all", "--data", str(tmp_path))
        assert (code, f"{len(played.everything)} matches verified, 0 not" in output) == (0, True)

    async with table(tmp_path) as again:
        assert await again.board(played.rated) == board
        code, output = await run("rankings", "rebuild", "--data", str(tmp_path))
        assert (code, f"from {len(played.everything)} matches" in output) == (0, True), output
        assert await again.board(played.rated) == board
        match_id = await again.queued()
        await again.join(match_id)
        await again.ben.match(match_id).resign()
        assert len(await again.board(played.rated + 1)) == 4


async def test_an_installation_never_starts_with_another_number_of_streams(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with installation(tmp_path, listen="127.0.0.1:0", sync_always=False):
        pass
    monkeypatch.setenv("SPIELWERK_LOG__STREAMS", "1")
    with pytest.raises(LogForeign, match="MATCHES_0, MATCHES_1, MATCHES_2, MATCHES_3"):
        async with installation(tmp_path, listen="127.0.0.1:0", sync_always=False):
            pass
