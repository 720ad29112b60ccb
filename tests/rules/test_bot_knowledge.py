"""A bot that is declared to know everything is told everything, and nobody else is."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import Descriptor

from rules.conftest import ALICE, Rules, refused
from spielwerk.api.v1 import games_pb2
from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.codec import game_codec
from spielwerk.games.quartett import GAME
from spielwerk.games.quartett.model import State
from spielwerk.log.subjects import new_match_id
from spielwerk.rpc.auth import ACCESS
from spielwerk_bots.deciding import decide

KNOWING = pb.Bot(strength="oracle", policy="oracle@1", information=pb.BOT_INFORMATION_EVERYTHING)
FAIR = pb.Bot(strength="rank1", policy="rank1@1", information=pb.BOT_INFORMATION_OWN_VIEW)
OTHER_ROLES = ("player", "auditor", "operator", "service:matchmaking", "service:timer")


async def against(rules: Rules, bot: pb.Bot) -> str:
    """A match of two bots: seat 0 is this one, seat 1 is fair."""
    match_id = new_match_id(time.time_ns() // 1_000_000, os.urandom(10))
    maker = await rules.stub("matchmaking", "service:matchmaking")
    await maker.CreateMatch(
        pb.CreateMatchRequest(
            match_id=match_id,
            game="quartett",
            occupants=[pb.Occupant(bot=bot), pb.Occupant(bot=FAIR)],
            watch=pb.WATCH_POLICY_ANYONE,
        )
    )
    return match_id


async def first_turn(rules: Rules, match_id: str) -> tuple[pb.GetBotTurnRequest, Any]:
    """The turn of the seat that chooses first, as the bots service is told it."""
    alice, bots = await rules.stub(ALICE), await rules.stub("bots", "service:bots")
    view = (await alice.GetView(pb.GetViewRequest(match_id=match_id))).view
    (turn,) = view.turns
    asked = pb.GetBotTurnRequest(match_id=match_id, seat=turn.seat, turn_key=turn.key)
    return asked, await bots.GetBotTurn(asked)


def state_of(answer: pb.GetBotTurnResponse) -> State:
    state = game_codec(GAME).read_state(answer.state)
    assert isinstance(state, State)
    return state


async def knowing_turn(rules: Rules) -> tuple[pb.GetBotTurnRequest, Any]:
    """A match where chance let the knowing bot choose first."""
    for _ in range(64):
        asked, answer = await first_turn(rules, await against(rules, KNOWING))
        if asked.seat == 0:
            return asked, answer
    raise AssertionError("the knowing bot never begins")


async def test_the_knowing_bot_is_told_everything_and_plays_by_it(rules: Rules) -> None:
    asked, answer = await knowing_turn(rules)
    state = state_of(answer)

    assert not answer.HasField("view")
    assert state.counts == (16, 16)
    choice = decide(asked.match_id, answer.SerializeToString())
    command = game_codec(GAME).read_command(games_pb2.GameCommand.FromString(choice.command))
    assert choice.problem is None
    assert command == GAME.bots["oracle"].choose(state, GAME.legal(state, 0), None)  # type: ignore[arg-type]


async def test_a_fair_bot_is_told_its_view_alone_also_against_a_knowing_one(rules: Rules) -> None:
    for _ in range(64):
        asked, answer = await first_turn(rules, await against(rules, KNOWING))
        if asked.seat == 1:
            break

    assert asked.seat == 1
    assert not answer.HasField("state")
    assert game_codec(GAME).read_view(answer.view).seat == 1


@pytest.mark.parametrize("role", OTHER_ROLES)
async def test_no_other_role_is_told_what_the_knowing_bot_is(rules: Rules, role: str) -> None:
    asked, _ = await knowing_turn(rules)
    stub = await rules.stub(ALICE, role)

    assert (await refused(stub.GetBotTurn(asked)))[0] is grpc.StatusCode.PERMISSION_DENIED


@pytest.mark.parametrize(
    ("strength", "declared"),
    [
        ("oracle", pb.BOT_INFORMATION_OWN_VIEW),
        ("rank1", pb.BOT_INFORMATION_EVERYTHING),
    ],
)
async def test_a_header_that_does_not_say_what_a_bot_reads_is_refused(
    rules: Rules, strength: str, declared: pb.BotInformation.ValueType
) -> None:
    bot = pb.Bot(strength=strength, policy=f"{strength}@1", information=declared)
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await against(rules, bot)
    assert failed.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_ga_06_a_viewer_is_told_who_knows_everything_but_no_hidden_card(rules: Rules) -> None:
    asked, answer = await knowing_turn(rules)
    state, alice = state_of(answer), await rules.stub(ALICE)
    view = (await alice.GetView(pb.GetViewRequest(match_id=asked.match_id))).view
    history = await alice.GetHistory(pb.GetHistoryRequest(match_id=asked.match_id))

    assert view.opened.occupants[0].bot == KNOWING
    view.opened.ClearField("options")  # the deck is public
    view.table.quartett.ClearField("options")
    told = view.SerializeToString()
    for update in history.updates:
        for event in update.events:
            event.opened.ClearField("options")
            told += event.SerializeToString()
    assert not [card for stack in state.stacks for card in stack.cards if card.encode() in told]


def test_only_the_answer_for_bots_can_carry_a_whole_state() -> None:
    carriers = {
        name
        for name, message in pb.DESCRIPTOR.message_types_by_name.items()
        if any(
            inner.full_name == games_pb2.GameState.DESCRIPTOR.full_name for inner in in_it(message)
        )
    }

    assert carriers == {"GetBotTurnResponse"}
    assert ACCESS["spielwerk.api.v1.MatchService"]["GetBotTurn"] == {"service:bots"}


async def test_the_catalogue_names_the_bots_and_declares_the_knowing_one(rules: Rules) -> None:
    games = (await (await rules.stub(ALICE)).ListGames(pb.ListGamesRequest())).games
    quartett = next(game for game in games if game.game == "quartett")

    assert quartett.bot_names["oracle"] == "Königsübung"
    assert {bot.strength for bot in quartett.bots} == set(quartett.bot_names)
    knowing = [b.strength for b in quartett.bots if b.information == KNOWING.information]
    assert knowing == ["oracle"]


def in_it(message: Descriptor, seen: set[str] | None = None) -> Iterator[Descriptor]:
    """Every message inside a message."""
    seen = set() if seen is None else seen
    for field in message.fields:
        inner = field.message_type
        if inner is not None and inner.full_name not in seen:
            seen.add(inner.full_name)
            yield inner
            yield from in_it(inner, seen)
