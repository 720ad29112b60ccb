"""Bad input gets a documented status with ErrorInfo, over real gRPC, and leaves the match as it
is."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from rules.conftest import ALICE, BOB, CAROL, Rules, refused
from spielwerk.api.games.cribbage.v1 import cribbage_pb2
from spielwerk.api.types.v1 import card_pb2, command_pb2
from spielwerk.api.v1 import games_pb2
from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.log.subjects import new_match_id

INVALID = grpc.StatusCode.INVALID_ARGUMENT
PRECONDITION = grpc.StatusCode.FAILED_PRECONDITION
DENIED = grpc.StatusCode.PERMISSION_DENIED
UNKNOWN_ID = new_match_id(1_790_000_000_000, bytes(10))


def command(**kind: Any) -> games_pb2.GameCommand:
    return games_pb2.GameCommand(cribbage=cribbage_pb2.Command(**kind))


def card(rank: int, suit: int) -> card_pb2.Card:
    """A card by wire numbers, unspecified ones too."""
    return card_pb2.Card.FromString(bytes([8, rank, 16, suit]))


def resign() -> games_pb2.GameCommand:
    return command(resign=command_pb2.Resign())


async def first_legal(stub: Any, match_id: str) -> tuple[Any, str]:
    legal = await stub.ListLegal(pb.ListLegalRequest(match_id=match_id))
    return legal.commands[0], legal.turn_key


async def version_of(stub: Any, match_id: str) -> int:
    answer = await stub.GetView(pb.GetViewRequest(match_id=match_id))
    return int(answer.view.version)


@pytest.mark.parametrize("match_id", ["", "x", "../../etc", UNKNOWN_ID, "match.*.>", "A" * 26])
async def test_an_unknown_match_is_answered_like_a_foreign_one(rules: Rules, match_id: str) -> None:
    alice = await rules.stub(ALICE)
    calls = [
        alice.GetView(pb.GetViewRequest(match_id=match_id)),
        alice.ListLegal(pb.ListLegalRequest(match_id=match_id)),
        alice.GetHistory(pb.GetHistoryRequest(match_id=match_id)),
        alice.Join(pb.JoinRequest(match_id=match_id)),
        alice.Submit(pb.SubmitRequest(match_id=match_id, command_id="c", command=resign())),
        alice.Watch(pb.WatchRequest(match_id=match_id)).read(),
    ]
    for call in calls:
        code, error = await refused(call)
        assert (code, error.reason) == (DENIED, "no_such_match")


async def test_a_stranger_learns_nothing_of_a_private_match(rules: Rules) -> None:
    match_id = await rules.started_match()
    carol = await rules.stub(CAROL)
    calls = [
        carol.GetView(pb.GetViewRequest(match_id=match_id)),
        carol.ListLegal(pb.ListLegalRequest(match_id=match_id)),
        carol.GetHistory(pb.GetHistoryRequest(match_id=match_id)),
        carol.Join(pb.JoinRequest(match_id=match_id)),
        carol.Submit(pb.SubmitRequest(match_id=match_id, command_id="c", command=resign())),
        carol.Resign(pb.ResignRequest(match_id=match_id, command_id="c")),
        carol.Watch(pb.WatchRequest(match_id=match_id)).read(),
    ]
    for call in calls:
        code, error = await refused(call)
        assert (code, error.reason) == (DENIED, "no_such_match")
    assert await version_of(await rules.stub(ALICE), match_id) == 3


async def test_an_unknown_game_is_not_found(rules: Rules) -> None:
    maker = await rules.stub("matchmaking", "service:matchmaking")
    request = pb.CreateMatchRequest(
        match_id=UNKNOWN_ID, game="chess", watch=pb.WATCH_POLICY_PARTICIPANTS
    )
    assert (await refused(maker.CreateMatch(request)))[1].reason == "game_unknown"
    assert (await refused(maker.GetRules(pb.GetRulesRequest(game="chess"))))[1].reason == (
        "game_unknown"
    )


async def test_bad_options_name_the_option(rules: Rules) -> None:
    maker = await rules.stub("matchmaking", "service:matchmaking")
    options = games_pb2.GameOptions(cribbage=cribbage_pb2.Options(target=100))
    request = pb.CreateMatchRequest(
        match_id=UNKNOWN_ID, game="cribbage", options=options, watch=pb.WATCH_POLICY_PARTICIPANTS
    )
    code, error = await refused(maker.CreateMatch(request))
    assert (code, error.reason, error.metadata["option"]) == (INVALID, "bad_options", "target")


async def test_wrong_seats_are_refused(rules: Rules) -> None:
    maker = await rules.stub("matchmaking", "service:matchmaking")
    alone = [pb.Occupant(human=pb.Human(player_id=ALICE))]
    request = pb.CreateMatchRequest(
        match_id=UNKNOWN_ID, game="cribbage", occupants=alone, watch=pb.WATCH_POLICY_PARTICIPANTS
    )
    code, error = await refused(maker.CreateMatch(request))
    assert (code, error.reason) == (INVALID, "bad_seats")


def beside(occupant: pb.Occupant) -> pb.CreateMatchRequest:
    """A new match of Alice and somebody."""
    return pb.CreateMatchRequest(
        match_id=new_match_id(time.time_ns() // 1_000_000, os.urandom(10)),
        game="cribbage",
        occupants=[pb.Occupant(human=pb.Human(player_id=ALICE)), occupant],
        watch=pb.WATCH_POLICY_PARTICIPANTS,
    )


def a_bot(policy: str, strength: str = "beginner") -> pb.Occupant:
    own_view = pb.BOT_INFORMATION_OWN_VIEW
    return pb.Occupant(bot=pb.Bot(strength=strength, policy=policy, information=own_view))


@pytest.mark.parametrize("policy", ["beginner@77", "expert@1", "beginner", "x" * 1_000])
async def test_a_bot_of_a_policy_that_nobody_has_is_refused(rules: Rules, policy: str) -> None:
    maker = await rules.stub("matchmaking", "service:matchmaking")
    code, error = await refused(maker.CreateMatch(beside(a_bot(policy))))
    assert (code, error.reason) == (INVALID, "bad_bot")


@pytest.mark.parametrize("policy", ["", "beginner@1"])
async def test_a_bot_without_a_policy_plays_by_its_strengths_own(rules: Rules, policy: str) -> None:
    maker, alice = await rules.stub("matchmaking", "service:matchmaking"), await rules.stub(ALICE)
    request = beside(a_bot(policy))
    for _ in range(2):  # a repeat is the same match
        await maker.CreateMatch(request)
    view = (await alice.GetView(pb.GetViewRequest(match_id=request.match_id))).view
    assert view.opened.occupants[1].bot.policy == "beginner@1"


@pytest.mark.parametrize(
    "occupant",
    [pb.Occupant(human=pb.Human(player_id="x" * 65)), a_bot("genius@1", strength="genius")],
    ids=["too long a name", "no such strength"],
)
async def test_who_cannot_be_is_given_no_seat(rules: Rules, occupant: pb.Occupant) -> None:
    maker = await rules.stub("matchmaking", "service:matchmaking")
    code, error = await refused(maker.CreateMatch(beside(occupant)))
    assert (code, error.reason) == (INVALID, "bad_seats")


async def test_creating_again_is_harmless_and_with_other_content_refused(rules: Rules) -> None:
    match_id = await rules.create(ALICE, BOB)
    await rules.create(ALICE, BOB, match_id=match_id)
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await rules.create(ALICE, CAROL, match_id=match_id)
    assert failed.value.code() is grpc.StatusCode.ALREADY_EXISTS


async def test_players_may_not_call_what_is_for_services(rules: Rules) -> None:
    match_id = await rules.started_match()
    alice = await rules.stub(ALICE)
    calls = [
        alice.CreateMatch(
            pb.CreateMatchRequest(
                match_id=UNKNOWN_ID, game="cribbage", watch=pb.WATCH_POLICY_PARTICIPANTS
            )
        ),
        alice.ExpireDeadline(pb.ExpireDeadlineRequest(match_id=match_id, seat=1)),
        alice.GetBotTurn(pb.GetBotTurnRequest(match_id=match_id, seat=1)),
        alice.SubmitForBot(pb.SubmitForBotRequest(match_id=match_id, seat=1)),
        alice.AbortMatch(pb.AbortMatchRequest(match_id=match_id)),
    ]
    for call in calls:
        assert (await refused(call))[0] is DENIED
    assert await version_of(alice, match_id) == 3


async def test_illegal_commands_are_refused_with_the_games_reason(rules: Rules) -> None:
    match_id = await rules.started_match()
    alice = await rules.stub(ALICE)
    for wrong, code, reason in (
        (command(go=cribbage_pb2.Go()), PRECONDITION, "bad_command"),
        (command(discard=cribbage_pb2.Discard()), PRECONDITION, "bad_discard"),
        (command(play=cribbage_pb2.Play(card=card(1, 1))), PRECONDITION, "wrong_phase"),
        (command(play=cribbage_pb2.Play(card=card(0, 1))), INVALID, "bad_command"),
        (command(play=cribbage_pb2.Play()), INVALID, "bad_command"),
        (command(), INVALID, "bad_command"),
        (games_pb2.GameCommand(), INVALID, "bad_command"),
        (command(time_out=command_pb2.TimeOut(seat=1)), DENIED, "not_for_players"),
    ):
        request = pb.SubmitRequest(match_id=match_id, command_id="c1", command=wrong)
        found, error = await refused(alice.Submit(request))
        assert (found, error.reason) == (code, reason), wrong
    assert await version_of(alice, match_id) == 3


@pytest.mark.parametrize(("cards", "reason"), [(100, "bad_discard"), (250, "bad_command")])
async def test_a_command_longer_than_any_of_a_game_is_not_read(
    rules: Rules, cards: int, reason: str
) -> None:
    match_id = await rules.started_match()
    alice = await rules.stub(ALICE)
    long = command(discard=cribbage_pb2.Discard(cards=[card(1, 1)] * cards))
    request = pb.SubmitRequest(match_id=match_id, command_id="c1", command=long)
    assert (await refused(alice.Submit(request)))[1].reason == reason

    async def sent() -> AsyncIterator[pb.PlayRequest]:
        yield pb.PlayRequest(commands=[request])

    outcomes = [o async for response in alice.Play(sent()) for o in response.outcomes]
    assert [outcome.refused.reason for outcome in outcomes] == [reason]


async def test_an_abort_with_an_essay_for_a_reason_is_refused(rules: Rules) -> None:
    match_id = await rules.started_match()
    operator = await rules.stub("op", "operator")
    essay = pb.AbortMatchRequest(match_id=match_id, reason="x" * 201)
    code, error = await refused(operator.AbortMatch(essay))
    assert (code, error.reason, error.metadata["field"]) == (INVALID, "bad_request", "reason")
    essay.reason = "x" * 200
    await operator.AbortMatch(essay)


async def test_the_wrong_turn_is_refused_and_the_right_one_still_accepted(rules: Rules) -> None:
    match_id = await rules.started_match()
    alice = await rules.stub(ALICE)
    legal, key = await first_legal(alice, match_id)
    request = pb.SubmitRequest(match_id=match_id, command_id="c1", command=legal, turn_key="9.9")
    code, error = await refused(alice.Submit(request))
    assert (code, error.reason, error.metadata["turn_key"]) == (PRECONDITION, "stale_turn", key)
    request.turn_key = key
    assert (await alice.Submit(request)).update.version == 4


async def test_a_repeat_gets_the_original_answer_and_nothing_happens_twice(rules: Rules) -> None:
    match_id = await rules.started_match()
    alice = await rules.stub(ALICE)
    legal, key = await first_legal(alice, match_id)
    request = pb.SubmitRequest(match_id=match_id, command_id="c1", command=legal, turn_key=key)
    first = await alice.Submit(request)
    again = await alice.Submit(request)
    assert (first.repeated, again.repeated) == (False, True)
    assert again.update == first.update
    assert await version_of(alice, match_id) == 4


async def test_a_command_id_is_not_taken_for_another_command(rules: Rules) -> None:
    match_id = await rules.started_match()
    alice = await rules.stub(ALICE)
    legal, _ = await first_legal(alice, match_id)
    await alice.Submit(pb.SubmitRequest(match_id=match_id, command_id="c1", command=legal))
    request = pb.SubmitRequest(match_id=match_id, command_id="c1", command=resign())
    code, error = await refused(alice.Submit(request))
    assert (code, error.reason) == (grpc.StatusCode.ALREADY_EXISTS, "command_id_reused")


@pytest.mark.parametrize("command_id", ["", "a b", "x" * 65, "ä", "a.b"])
async def test_a_command_id_outside_its_alphabet_is_refused(rules: Rules, command_id: str) -> None:
    match_id = await rules.started_match()
    alice = await rules.stub(ALICE)
    request = pb.SubmitRequest(match_id=match_id, command_id=command_id, command=resign())
    assert (await refused(alice.Submit(request)))[1].reason == "bad_command_id"


async def test_an_oversized_message_is_refused_before_it_is_read(rules: Rules) -> None:
    alice = await rules.stub(ALICE)
    request = pb.JoinRequest(match_id=UNKNOWN_ID, entropy=bytes(70_000))
    assert (await refused(alice.Join(request)))[0] is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_wrong_entropy_is_refused(rules: Rules) -> None:
    match_id = await rules.create()
    alice = await rules.stub(ALICE)
    code, error = await refused(alice.Join(pb.JoinRequest(match_id=match_id, entropy=b"short")))
    assert (code, error.reason) == (INVALID, "bad_entropy")


async def test_calls_without_or_with_a_forged_token_are_refused(rules: Rules) -> None:
    from spielwerk_accounts import keys as signing  # noqa: PLC0415 - another installation's keys

    rules.keys, ours = signing.generate(), rules.keys
    forger = await rules.stub(ALICE)
    rules.keys = ours
    code, _ = await refused(forger.GetView(pb.GetViewRequest(match_id=UNKNOWN_ID)))
    assert code is grpc.StatusCode.UNAUTHENTICATED


async def test_the_timer_cannot_end_a_turn_too_early_or_twice(rules: Rules) -> None:
    match_id = await rules.started_match()
    timer = await rules.stub("timer", "service:timer")
    alice = await rules.stub(ALICE)
    _, key = await first_legal(alice, match_id)
    request = pb.ExpireDeadlineRequest(match_id=match_id, seat=0, turn_key=key)
    code, error = await refused(timer.ExpireDeadline(request))
    assert (code, error.reason) == (PRECONDITION, "not_overdue")
    request.turn_key = "1.1.p0"
    assert (await refused(timer.ExpireDeadline(request)))[1].reason == "stale_turn"


async def test_the_bots_service_cannot_play_for_a_person(rules: Rules) -> None:
    match_id = await rules.started_match()
    bots = await rules.stub("bots", "service:bots")
    request = pb.SubmitForBotRequest(
        match_id=match_id, seat=0, command_id="b", command=resign(), turn_key="x"
    )
    assert (await refused(bots.SubmitForBot(request)))[1].reason == "not_a_bot"
    turn = pb.GetBotTurnRequest(match_id=match_id, seat=7, turn_key="x")
    assert (await refused(bots.GetBotTurn(turn)))[1].reason == "not_a_bot"
