"""Clauses 6.7 and 10 in a recorded match: what the match layer makes of the turns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from match.playing import ALICE, BOB, NOW, Log, opened
from spielwerk.errors import FailedPrecondition, StaleTurn
from spielwerk.games.maumau import GAME
from spielwerk.games.maumau.messages import Announce, CardsDrawn, Draw, TurnStarted
from spielwerk.match import decide
from spielwerk.match.model import GRACE_MS, CauseKind

LATER = NOW + 1_000
"""When the last player joined: the first turn begins."""


def begun(**options: Any) -> Log:
    """A match of two people in its first turn, in which seat 0 may announce."""
    for number in range(100):
        log, match_id = Log(), f"01m00000000000000000{number:06d}"
        first, secrets = opened(ALICE, BOB)
        mine = replace(first, game=GAME.key, options=GAME.options(hand_size=2, **options))
        log.append(decide.open_match(match_id, GAME, mine, secrets, NOW))
        log.append(decide.join(log.now, 0, b"", NOW))
        log.append(decide.join(log.now, 1, b"", LATER))
        if Announce() in GAME.legal(log.now.state, 0):
            return log
    raise AssertionError("no deal lets seat 0 announce")


def submit(log: Log, seat: int, command: Any, at: int) -> None:
    log.append(decide.submit(log.now, CauseKind.PLAYER, seat, f"c{at}", command, "", at))


def test_an_announcement_leaves_the_deadline_where_it_was() -> None:
    log = begun()
    before = log.now.turns[0]
    submit(log, 0, Announce(), LATER + 4_000)
    after = log.now.turns[0]

    assert before.deadline_ms == after.deadline_ms == LATER + 15_000
    assert before.key != after.key


def test_every_other_turn_begins_with_a_fresh_clock() -> None:
    log = begun()
    submit(log, 0, Announce(), LATER + 4_000)
    submit(log, 0, Draw(), LATER + 6_000)

    assert log.now.turns[1].deadline_ms == LATER + 21_000


def test_a_timeout_is_due_at_the_deadline_and_stale_after_a_command() -> None:
    log = begun()
    key = log.now.turns[0].key
    with pytest.raises(FailedPrecondition, match="not overdue"):
        decide.expire(log.now, 0, key, LATER + 15_000)
    submit(log, 0, Announce(), LATER + 14_000)
    with pytest.raises(StaleTurn):
        decide.expire(log.now, 0, key, LATER + 15_000 + GRACE_MS)

    key = log.now.turns[0].key
    record = log.append(decide.expire(log.now, 0, key, LATER + 15_000 + GRACE_MS))
    assert [type(event) for event in record.events] == [CardsDrawn, TurnStarted]
    assert log.now.turns[1].deadline_ms == LATER + 30_000 + GRACE_MS


def test_without_a_clock_there_is_no_deadline() -> None:
    log = begun(turn_seconds=0)
    submit(log, 0, Announce(), LATER + 10**9)

    assert log.now.turns[0].deadline_ms is None
