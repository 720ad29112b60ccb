"""Every copy of a match, at every version, shows the same and nothing more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import pytest

from audit.houses import houses, looking, store
from audit.looking import Eyes, look_at_copies
from audit.pairs import long_pair, short_pair
from audit.worlds import World
from games.playing import EVERY_GAME
from rules.conftest import Rules
from spielwerk.api.v1 import match_pb2
from spielwerk.games.game import AnyGame, Seat

__all__ = ["houses"]

NOTHING_HIDDEN = {
    ("house_of_cards", True),  # the seats' only games end one after the other
    ("quartett", False),  # its duels have shown every card
    ("yatzee", False),  # a round's end shows all of it
}
AFTER_A_DEAL = [
    pytest.param(game, in_next, id=f"{game.key}-{'next' if in_next else 'ended'}")
    for game in EVERY_GAME.args[1]
    for in_next in (False, True)
    if (game.key, in_next) not in NOTHING_HIDDEN
]
"""Games, and whether something is hidden in the deal that ended or in the next one."""


@EVERY_GAME
async def test_hi_02_every_version_of_worlds_that_must_look_alike_is_answered_alike(
    game: AnyGame, houses: list[Rules], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the match is there, then after each of its records, with a rejoin each time."""
    for number, viewer in enumerate((*range(max(2, game.seats[0])), None), start=1):
        mine, theirs = short_pair(viewer, game, number, monkeypatch)
        versions = range(len(mine.table.stored) + 1)
        eyes = [
            await seen_at(rules, one, viewer, versions)
            for rules, one in zip(houses, (mine, theirs), strict=True)
        ]
        assert eyes[0].raw == eyes[1].raw
        assert len(eyes[0].raw) > 5 * len(versions)
        for eye in eyes:
            check_copies(eye)


@pytest.mark.parametrize(("game", "in_next"), AFTER_A_DEAL)
async def test_hi_02_after_a_deal_has_ended_the_next_one_is_answered_alike(
    game: AnyGame, in_next: bool, houses: list[Rules], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was hidden in a deal and is not shown at its end, and what is hidden in the next one,
    while the match goes on; to the first seat, the last one and a spectator."""
    for number, viewer in enumerate((0, max(2, game.seats[0]) - 1, None), start=1):
        mine, theirs, end = long_pair(viewer, game, number, monkeypatch, in_next=in_next)
        versions = range(end - 1, len(mine.table.stored) + 1)
        eyes = [
            await seen_at(rules, one, viewer, versions)
            for rules, one in zip(houses, (mine, theirs), strict=True)
        ]
        assert eyes[0].raw == eyes[1].raw
        for eye in eyes:
            check_copies(eye)


async def seen_at(rules: Rules, one: World, viewer: Seat | None, versions: Sequence[int]) -> Eyes:
    """All that the viewer receives while the match stands at each of the versions."""
    match_id, stored = one.table.match_id, one.table.stored
    sequence = await store(rules, stored[: versions[0]])
    async with looking(rules, one.seats, viewer) as eye:
        for before, version in pairwise([versions[0], *versions]):
            sequence = await store(rules, stored[before:version], sequence)
            await look_at_copies(eye, match_id, version)
            if version > one.seats:  # a seat that has not joined would join now
                await eye.call("Join", match_pb2.JoinRequest(match_id=match_id))
    return eye


def check_copies(eye: Eyes) -> None:
    """All copies of one version are equal, however and whenever they were asked for."""
    copies: dict[tuple[str, int], set[bytes]] = defaultdict(set)
    for answer in eye.seen:
        for kind, copy in copies_in(answer):
            copies[kind, copy.version].add(copy.SerializeToString(deterministic=True))
    assert {kind for kind, _ in copies} == {"view", "update"}
    assert [key for key, different in copies.items() if len(different) > 1] == []


def copies_in(answer: Any) -> Iterator[tuple[str, Any]]:
    """Views and updates in an answer."""
    match answer:
        case match_pb2.GetViewResponse():
            yield "view", answer.view
        case match_pb2.GetHistoryResponse():
            yield from (("update", update) for update in answer.updates)
        case match_pb2.WatchResponse() if answer.HasField("snapshot"):
            yield "view", answer.snapshot
        case match_pb2.WatchResponse() if answer.HasField("update"):
            yield "update", answer.update
        case match_pb2.PlayResponse():
            for response in answer.updates:
                yield from copies_in(response)
