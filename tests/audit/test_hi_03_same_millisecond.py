"""Matches that are made in the same millisecond share neither seeds nor cards."""

from __future__ import annotations

import asyncio
import os
import time
from itertools import combinations
from math import comb, sqrt

from rules.conftest import Rules
from spielwerk.api.v1 import match_pb2
from spielwerk.codec.events import bot_message
from spielwerk.codec.match import read_record
from spielwerk.games import registry
from spielwerk.games.cribbage.messages import DealStarted
from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.log.subjects import new_match_id
from spielwerk.match.model import Bot, Record

_MATCHES = 40
_PART = 8
"""So many bytes of a seed are in no other one by chance."""


async def test_hi_03_matches_made_in_the_same_millisecond_share_neither_seeds_nor_cards(
    rules: Rules,
) -> None:
    now = time.time_ns() // 1_000_000
    match_ids = [new_match_id(now, os.urandom(10)) for _ in range(_MATCHES)]
    operator = await rules.stub("ops", "operator")
    await asyncio.gather(*(operator.CreateMatch(between_bots(id_)) for id_ in match_ids))
    records = [await first_record(rules, match_id) for match_id in match_ids]

    seeds = [s for r in records if r.secrets for s in (r.secrets.seed, r.secrets.bot_seed)]
    parts = [seed[at : at + _PART] for seed in seeds for at in range(len(seed) - _PART + 1)]
    assert len(seeds) == 2 * _MATCHES
    assert len(set(parts)) == len(parts)

    # One card of two shuffled packs lies in the same place on average.
    decks = [next(e.deck for e in r.events if isinstance(e, DealStarted)) for r in records]
    same = sum(a == b for pair in combinations(decks, 2) for a, b in zip(*pair, strict=True))
    pairs = comb(_MATCHES, 2)
    assert abs(same - pairs) < 10 * sqrt(pairs)


def between_bots(match_id: str) -> match_pb2.CreateMatchRequest:
    """A match that is dealt as soon as it is made."""
    bot = bot_message(Bot.of(next(iter(registry.newest("cribbage").bots.values()))))
    occupants = [match_pb2.Occupant(bot=bot), match_pb2.Occupant(bot=bot)]
    return match_pb2.CreateMatchRequest(
        match_id=match_id,
        game="cribbage",
        occupants=occupants,
        watch=match_pb2.WATCH_POLICY_ANYONE,
    )


async def first_record(rules: Rules, match_id: str) -> Record:
    async with connect(NatsSettings(url=rules.nats_url)) as connection:
        stored = await JetStreamLog(connection, LogSettings()).read(match_id)
    return read_record(stored[0].data, None, registry.version)[0]
