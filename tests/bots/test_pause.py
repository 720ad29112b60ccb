"""Bots wait as long as the house rules of a match want, so that people can follow."""

from __future__ import annotations

import secrets
import time
from itertools import pairwise

from bots.running import bots_for
from bots.test_service import ended
from client.house import House
from spielwerk.api.v1 import match_pb2
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.log.subjects import new_match_id
from spielwerk.match.model import CauseKind
from spielwerk.rpc.channel import open_channel

ROUNDS = 4


async def open_quartett(house: House, pause_ms: int) -> str:
    """Two bots, one of which knows everything."""
    match_id = new_match_id(time.time_ns() // 1_000_000, secrets.token_bytes(10))
    knowing = match_pb2.Bot(
        strength="oracle", policy="oracle@1", information=match_pb2.BOT_INFORMATION_EVERYTHING
    )
    fair = match_pb2.Bot(
        strength="rank1", policy="rank1@1", information=match_pb2.BOT_INFORMATION_OWN_VIEW
    )
    request = match_pb2.CreateMatchRequest(
        match_id=match_id,
        game="quartett",
        occupants=[match_pb2.Occupant(bot=knowing), match_pb2.Occupant(bot=fair)],
        watch=match_pb2.WATCH_POLICY_ANYONE,
    )
    request.options.quartett.max_rounds = ROUNDS
    request.options.quartett.reveal_pause_ms = pause_ms
    operator = house.token("ops", "operator")
    async with open_channel(house.address, lambda: operator) as channel:
        await MatchServiceStub(channel).CreateMatch(request, timeout=10)
    return match_id


async def test_each_choice_of_a_bot_comes_after_the_pause(house: House) -> None:
    async with bots_for(house) as host:
        updates = await ended(house, await open_quartett(house, 250))
        failed = host.metrics.value("spielwerk_bot_turns_total", game="quartett", outcome="failed")

    assert [update.cause for update in updates[1:]] == [CauseKind.BOT] * ROUNDS
    times = [update.recorded_at_ms for update in updates]
    assert all(later - earlier >= 250 for earlier, later in pairwise(times))
    assert failed == 0


async def test_without_a_pause_bots_play_on_at_once(house: House) -> None:
    async with bots_for(house):
        updates = await ended(house, await open_quartett(house, 0))

    assert len(updates) == 1 + ROUNDS
