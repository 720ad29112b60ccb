"""ES-18: players whose turns run in parallel never hinder one another."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from rules.conftest import Rules
from spielwerk.api.v1 import match_pb2 as pb

PLAYERS = ("ada", "ben", "cleo", "dan", "eva")
ROUNDS = 200


async def test_es_18_five_seats_act_in_the_same_moment_and_none_is_lost(rules: Rules) -> None:
    """Five players, two instances, 200 rounds: each round all whose turn is open act at once."""
    await rules.start()
    stubs = [await rules.stub(p, instance=n % 2) for n, p in enumerate(PLAYERS)]
    given: dict[str, str] = {}
    rounds = 0
    while rounds < ROUNDS:
        match_id = await rules.create(*PLAYERS, game="yatzee")
        for stub in stubs:
            await stub.Join(pb.JoinRequest(match_id=match_id))
        while accepted := await everybody_acts(stubs, match_id, rounds):
            given |= accepted
            rounds += 1
        await check_log(stubs[0], match_id, given)
    conflicts = sum(
        h.metrics.value("spielwerk_appends_total", outcome="conflict") for h in rules.hosts
    )
    print(f"{rounds} rounds, {len(given)} commands accepted, {conflicts:.0f} conflicts, none seen")
    assert conflicts > ROUNDS


async def everybody_acts(stubs: list[Any], match_id: str, step: int) -> dict[str, str]:
    """All open turns are answered at the same moment; command id -> match."""
    request = pb.ListLegalRequest(match_id=match_id)
    offers = await asyncio.gather(*(stub.ListLegal(request) for stub in stubs))
    calls = {}
    for seat, (stub, offer) in enumerate(zip(stubs, offers, strict=True)):
        if offer.turn_key:
            calls[f"s{seat}-{step}"] = stub.Submit(
                pb.SubmitRequest(
                    match_id=match_id,
                    command_id=f"s{seat}-{step}",
                    command=offer.commands[step % len(offer.commands)],
                    turn_key=offer.turn_key,
                )
            )
    answers = await asyncio.gather(*calls.values())  # any refusal fails the test
    assert len({answer.update.version for answer in answers}) == len(answers)
    return dict.fromkeys(calls, match_id)


async def check_log(stub: Any, match_id: str, given: dict[str, str]) -> None:
    """As many versions by players as commands were accepted: none lost, none applied twice."""
    causes: Counter[int] = Counter()
    after = 0
    while True:
        request = pb.GetHistoryRequest(match_id=match_id, after_version=after, page_size=500)
        page = await stub.GetHistory(request)
        causes.update(update.cause for update in page.updates)
        after = page.updates[-1].version
        if after == page.version:
            break
    joins = len(PLAYERS)
    accepted = sum(match == match_id for match in given.values())
    assert causes[pb.CAUSE_KIND_PLAYER] == joins + accepted


async def test_two_receivers_return_their_cards_in_the_same_moment(rules: Rules) -> None:
    """Guandan after a double tribute: both return at once, over two instances, five times."""
    await rules.start()
    players = PLAYERS[:4]
    stubs = [await rules.stub(p, instance=n % 2) for n, p in enumerate(players)]
    together = 0
    while together < 5:
        match_id = await rules.create(*players, game="guandan")
        for stub in stubs:
            await stub.Join(pb.JoinRequest(match_id=match_id))
        turns = (await stubs[0].GetView(pb.GetViewRequest(match_id=match_id))).view.turns
        while turns and together < 5:
            returning = len(turns) == 2 and turns[0].key.endswith("return")
            acting = list(turns) if returning else [turns[0]]
            updates = await asyncio.gather(
                *(first_legal(stubs[turn.seat], match_id, turn) for turn in acting)
            )
            together += returning
            turns = max(updates, key=lambda update: update.version).turns
    assert together == 5


async def first_legal(stub: Any, match_id: str, turn: pb.Turn) -> pb.MatchUpdate:
    """Answer the turn with the first command that the seat is offered; a refusal fails the test."""
    offer = await stub.ListLegal(pb.ListLegalRequest(match_id=match_id))
    answer = await stub.Submit(
        pb.SubmitRequest(
            match_id=match_id,
            command_id=f"s{turn.seat}-{turn.key.replace('.', '-')}",
            command=offer.commands[0],
            turn_key=turn.key,
        )
    )
    update: pb.MatchUpdate = answer.update
    return update
