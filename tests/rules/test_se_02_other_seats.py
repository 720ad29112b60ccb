"""SE-02: nobody plays for another seat, another match, a bot or the timer, and trying leaves no
trace."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import grpc
import pytest

from rules.conftest import ALICE, BOB, CAROL, Rules, refused
from spielwerk.api.types.v1 import command_pb2
from spielwerk.api.v1 import games_pb2
from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.errors import PermissionDenied, StaleTurn
from spielwerk.games import registry
from spielwerk.log.subjects import new_match_id
from spielwerk.rpc.errors import error_of

DENIED = grpc.StatusCode.PERMISSION_DENIED
PRECONDITION = grpc.StatusCode.FAILED_PRECONDITION
PLAYERS = (ALICE, BOB, CAROL)
DAVE = "dave"


@dataclass
class Table:
    """A match, the stubs of its players, and one of a stranger."""

    match_id: str
    players: tuple[str, ...]
    stubs: dict[str, Any]
    operator: Any

    async def mover(self) -> tuple[str, pb.ListLegalResponse]:
        """Whose turn it is, and what that player may do."""
        for player in self.players:
            legal = await self.stubs[player].ListLegal(pb.ListLegalRequest(match_id=self.match_id))
            if legal.turn_key:
                return player, legal
        raise AssertionError("nobody's turn")

    async def everything(self) -> tuple[bytes, ...]:
        """The whole history, and what each seat sees: versions, turns and deadlines with it."""
        history = await self.operator.GetHistory(pb.GetHistoryRequest(match_id=self.match_id))
        request = pb.GetViewRequest(match_id=self.match_id)
        views = [await self.stubs[player].GetView(request) for player in self.players]
        return tuple(m.SerializeToString(deterministic=True) for m in (history, *views))

    def submission(
        self, command: games_pb2.GameCommand, *, command_id: str = "c", turn_key: str = ""
    ) -> pb.SubmitRequest:
        return pb.SubmitRequest(
            match_id=self.match_id, command_id=command_id, command=command, turn_key=turn_key
        )


@pytest.fixture
async def table(rules: Rules) -> Table:
    return await table_of(rules, *PLAYERS)


async def table_of(rules: Rules, *players: str) -> Table:
    match_id = await rules.create(*players, game="maumau")
    stubs = {player: await rules.stub(player) for player in (*PLAYERS, DAVE)}
    for player in players:
        await stubs[player].Join(pb.JoinRequest(match_id=match_id))
    return Table(match_id, players, stubs, await rules.stub("ops", "operator"))


async def on_a_stream(stub: Any, *requests: pb.SubmitRequest) -> list[pb.CommandOutcome]:
    """What a Play stream answers to these commands."""

    async def sent() -> AsyncIterator[pb.PlayRequest]:
        yield pb.PlayRequest(commands=requests)

    return [outcome async for response in stub.Play(sent()) for outcome in response.outcomes]


async def test_se_02_nobody_moves_for_the_seat_whose_turn_it_is(table: Table) -> None:
    mover, legal = await table.mover()
    before = await table.everything()
    for other in [player for player in PLAYERS if player != mover]:
        for n, command in enumerate(legal.commands):
            with_key = table.submission(command, command_id=f"a{n}", turn_key=legal.turn_key)
            code, error = await refused(table.stubs[other].Submit(with_key))
            assert (code, type(error)) == (PRECONDITION, StaleTurn)
            without = table.submission(command, command_id=f"b{n}")
            code, error = await refused(table.stubs[other].Submit(without))
            assert (code, error.reason) == (PRECONDITION, "not_your_turn")
            outcomes = await on_a_stream(table.stubs[other], with_key, without)
            reasons = [outcome.refused.reason for outcome in outcomes]
            assert reasons == ["stale_turn", "not_your_turn"]
    assert await table.everything() == before
    mine = table.submission(legal.commands[0], turn_key=legal.turn_key)
    await table.stubs[mover].Submit(mine)


async def test_se_02_a_stranger_can_do_nothing_in_a_match(table: Table) -> None:
    _, legal = await table.mover()
    before = await table.everything()
    dave, match_id = table.stubs[DAVE], table.match_id
    move = table.submission(legal.commands[0], turn_key=legal.turn_key)
    calls = [
        dave.Submit(move),
        dave.Join(pb.JoinRequest(match_id=match_id)),
        dave.Resign(pb.ResignRequest(match_id=match_id, command_id="r")),
        dave.ListLegal(pb.ListLegalRequest(match_id=match_id)),
        dave.GetView(pb.GetViewRequest(match_id=match_id)),
        dave.GetHistory(pb.GetHistoryRequest(match_id=match_id)),
        dave.Watch(pb.WatchRequest(match_id=match_id)).read(),
    ]
    for call in calls:
        code, error = await refused(call)
        assert (code, error.reason) == (DENIED, "no_such_match")
    (outcome,) = await on_a_stream(dave, move)
    assert isinstance(error_of(outcome.refused), PermissionDenied)
    assert await table.everything() == before


async def test_se_02_recorded_requests_of_a_player_do_nothing_for_others(table: Table) -> None:
    recorded = []
    for n in range(9):
        mover, legal = await table.mover()
        request = table.submission(legal.commands[0], command_id=f"c{n}", turn_key=legal.turn_key)
        await table.stubs[mover].Submit(request)
        recorded.append((mover, request))
    before = await table.everything()
    for mover, request in recorded:
        for other in [player for player in (*PLAYERS, DAVE) if player != mover]:
            code, error = await refused(table.stubs[other].Submit(request))
            known = other != DAVE
            assert code is (PRECONDITION if known else DENIED)
            assert error.reason == ("stale_turn" if known else "no_such_match")
        assert (await table.stubs[mover].Submit(request)).repeated
    assert await table.everything() == before


async def test_se_02_a_seat_in_one_match_opens_no_other(rules: Rules) -> None:
    await table_of(rules, ALICE, BOB)
    second = await table_of(rules, BOB, CAROL)
    alice, match_id = second.stubs[ALICE], second.match_id
    _, legal = await second.mover()
    before = await second.everything()
    move = second.submission(legal.commands[0], turn_key=legal.turn_key)
    calls = [
        alice.Submit(move),
        alice.Join(pb.JoinRequest(match_id=match_id)),
        alice.Resign(pb.ResignRequest(match_id=match_id, command_id="r")),
        alice.ListLegal(pb.ListLegalRequest(match_id=match_id)),
        alice.GetView(pb.GetViewRequest(match_id=match_id)),
    ]
    for call in calls:
        code, error = await refused(call)
        assert (code, error.reason) == (DENIED, "no_such_match")
    assert await second.everything() == before


async def test_se_02_nobody_acts_for_a_bot_and_no_bot_for_a_person(rules: Rules) -> None:
    match_id = await with_a_bot(rules)
    alice = await rules.stub(ALICE)
    await alice.Join(pb.JoinRequest(match_id=match_id))
    operator = await rules.stub("ops", "operator")
    view = pb.GetViewRequest(match_id=match_id)
    turns = {turn.seat: turn.key for turn in (await operator.GetView(view)).view.turns}
    assert set(turns) == {0, 1}
    mine = await alice.ListLegal(pb.ListLegalRequest(match_id=match_id))
    before = await operator.GetHistory(pb.GetHistoryRequest(match_id=match_id))
    for_the_bot = pb.SubmitForBotRequest(
        match_id=match_id, seat=1, command_id="c", command=mine.commands[0], turn_key=turns[1]
    )
    asking = pb.GetBotTurnRequest(match_id=match_id, seat=1, turn_key=turns[1])
    for role in ("player", "auditor", "operator", "service:timer", "service:matchmaking"):
        stub = await rules.stub(ALICE, role)
        for call in (stub.SubmitForBot(for_the_bot), stub.GetBotTurn(asking)):
            code, error = await refused(call)
            assert (code, error.reason) == (DENIED, "role_not_allowed")
    bots = await rules.stub("bots", "service:bots")
    for_alice = pb.SubmitForBotRequest(
        match_id=match_id, seat=0, command_id="c", command=mine.commands[0], turn_key=turns[0]
    )
    code, error = await refused(bots.SubmitForBot(for_alice))
    assert (code, error.reason) == (PRECONDITION, "not_a_bot")
    after = await operator.GetHistory(pb.GetHistoryRequest(match_id=match_id))
    assert after == before


async def test_se_02_nobody_is_the_timer(table: Table) -> None:
    mover, legal = await table.mover()
    before = await table.everything()
    request = pb.ExpireDeadlineRequest(
        match_id=table.match_id, seat=PLAYERS.index(mover), turn_key=legal.turn_key
    )
    for player in (*PLAYERS, DAVE):
        code, error = await refused(table.stubs[player].ExpireDeadline(request))
        assert (code, error.reason) == (DENIED, "role_not_allowed")
    assert await table.everything() == before


async def test_se_02_no_command_of_a_player_ends_a_turn_or_deals(table: Table) -> None:
    mover, legal = await table.mover()
    before = await table.everything()
    for player in PLAYERS:
        for seat in range(len(PLAYERS)):
            expiry = command_pb2.TimeOut(seat=seat, turn_key=legal.turn_key)
            command = games_pb2.GameCommand()
            command.maumau.time_out.CopyFrom(expiry)
            key = legal.turn_key if player == mover else ""
            request = table.submission(command, command_id=f"{player}-{seat}", turn_key=key)
            code, error = await refused(table.stubs[player].Submit(request))
            assert (code, error.reason) == (DENIED, "not_for_players")
            (outcome,) = await on_a_stream(table.stubs[player], request)
            assert outcome.refused.reason == "not_for_players"
    assert await table.everything() == before


@pytest.mark.parametrize("game", registry.GAMES)
async def test_se_02_a_timeout_as_a_command_is_refused_in_every_game(
    rules: Rules, game: str
) -> None:
    fewest = registry.newest(game).seats[0]
    players = [f"p{n}" for n in range(fewest)]
    match_id = await rules.create(*players, game=game)
    stubs = [await rules.stub(player) for player in players]
    for stub in stubs:
        await stub.Join(pb.JoinRequest(match_id=match_id))
    command = games_pb2.GameCommand()
    getattr(command, game).time_out.CopyFrom(command_pb2.TimeOut(seat=0, turn_key="x"))
    for stub in stubs:
        request = pb.SubmitRequest(match_id=match_id, command_id="c", command=command)
        code, error = await refused(stub.Submit(request))
        assert (code, error.reason) == (DENIED, "not_for_players")


async def with_a_bot(rules: Rules) -> str:
    """A match of alice against a bot; both have an open turn at its start."""
    maker = await rules.stub("matchmaking", "service:matchmaking")
    bot = pb.Bot(strength="beginner", policy="beginner@1", information=pb.BOT_INFORMATION_OWN_VIEW)
    request = pb.CreateMatchRequest(
        match_id=new_match_id(time.time_ns() // 1_000_000, os.urandom(10)),
        game="cribbage",
        occupants=[pb.Occupant(human=pb.Human(player_id=ALICE)), pb.Occupant(bot=bot)],
        watch=pb.WATCH_POLICY_PARTICIPANTS,
    )
    await maker.CreateMatch(request)
    return request.match_id
