"""Clause 9: time."""

from __future__ import annotations

import pytest

from games.cribbage.scripted import Match, cards, dealt, kept
from spielwerk.cards import Card
from spielwerk.errors import Illegal, StaleTurn
from spielwerk.games.cribbage import GAME
from spielwerk.games.cribbage.messages import (
    CardPlayed,
    CribDiscarded,
    Discard,
    GameEnded,
    Go,
    GoDeclared,
    TimedOut,
)
from spielwerk.games.cribbage.model import EndReason, Phase, TimeoutAction
from spielwerk.games.cribbage.options import OnTimeout
from spielwerk.games.game import TimeOut, Turn

LOW = ("AC 2C 3C 4C 5C 6C", "AD 2D 3D 4D 5D 6D")


def expire(match: Match, seat: int) -> tuple[object, ...]:
    return match.give(None, TimeOut(seat, GAME.turns(match.state)[seat].key))


def test_9_1_the_allowance_is_the_option_in_milliseconds() -> None:
    assert GAME.turns(dealt(*LOW, action_timeout_s=10).state) == {
        0: Turn("1.1.discard", 10_000),
        1: Turn("1.1.discard", 10_000),
    }


def test_9_1_without_a_limit_there_is_no_allowance() -> None:
    assert GAME.turns(dealt(*LOW, action_timeout_s=0).state)[0].allowance_ms is None


def test_9_1_the_turn_key_changes_with_each_card() -> None:
    match = kept("AC 2C 3C 4C", "KD QD JD TD", dealer=0)
    keys: list[str] = []
    for name in ("KD", "AC", "QD", "2C", "3C"):
        keys.append(*(turn.key for turn in GAME.turns(match.state).values()))
        match.play(name)

    assert keys == ["1.1.p0", "1.1.p1", "1.1.p2", "1.1.p3", "1.1.p5"]


def test_9_1_the_turn_key_changes_with_an_own_go() -> None:
    match = kept("AC 2C 3C KC", "KD QD JD TD", dealer=0, auto_go=False)
    match.play("KD", "AC", "QD", "2C")
    match.give(1, Go())
    match.play("3C")
    before = GAME.turns(match.state)
    match.give(0, Go())

    assert (before[0].key, GAME.turns(match.state)[1].key) == ("1.1.p6", "1.1.p7")


def test_9_1_another_seats_discard_keeps_the_turn() -> None:
    match = dealt(*LOW)
    before = GAME.turns(match.state)[1]
    match.give(0, Discard(cards("AC 2C")))

    assert GAME.turns(match.state) == {1: before}


@pytest.mark.parametrize("key", ["1.1.p0", "1.2.discard", ""])
def test_9_1_a_timeout_of_a_turn_that_is_not_open_is_refused(key: str) -> None:
    match = dealt(*LOW)
    with pytest.raises(StaleTurn):
        match.give(None, TimeOut(0, key))


def test_9_1_a_late_second_shot_is_refused() -> None:
    match = dealt(*LOW)
    expire(match, 0)
    with pytest.raises(StaleTurn):
        match.give(None, TimeOut(0, "1.1.discard"))


def test_9_1_a_seat_cannot_time_anybody_out() -> None:
    with pytest.raises(Illegal, match="bad command"):
        dealt(*LOW).give(1, TimeOut(0, "1.1.discard"))


def test_9_2_a_timeout_can_lose_the_match_at_once() -> None:
    match = dealt(*LOW, on_timeout=OnTimeout.FORFEIT)
    events = expire(match, 0)

    assert events[0] == TimedOut(0, "1.1.discard", TimeoutAction.FORFEIT)
    assert isinstance(events[1], GameEnded)
    assert events[1].reason is EndReason.FORFEITED
    result = GAME.result(match.state)
    assert result is not None
    assert (result.reason, [s.place for s in result.standings]) == ("forfeited", [2, 1])


def test_9_3_the_engine_keeps_the_four_cards_worth_most() -> None:
    match = dealt("5C 5D 6H JS QH KD", "AD 2D 3D 4D 7D 8S")

    assert expire(match, 0) == (
        TimedOut(0, "1.1.discard", TimeoutAction.AUTO_PLAY),
        CribDiscarded(0, cards("6H JS"), 2, auto=True),
    )


def test_9_3_a_flush_of_the_four_kept_counts() -> None:
    match = dealt("2H 4H 6H 8H KS TC", "AD 2D 3D 4D 7D 8S")
    expire(match, 0)

    assert match.state.table.hand[0] == cards("2H 4H 6H 8H")


def test_9_3_of_equal_discards_the_first_in_canonical_order_is_taken() -> None:
    match = dealt("KS QD 9H 8C 3D AS", "AD 2D 3C 4C 7D 8S")
    expire(match, 0)

    assert match.state.deal is not None
    assert match.state.deal.discards[0] == cards("AS 3D")


def test_9_3_the_engine_plays_the_lowest_card_that_fits() -> None:
    match = kept("KC QC 9S 9D", "KD QD 7D 7C", dealer=0)
    match.play("KD", "KC")
    assert expire(match, 1)[1] == CardPlayed(1, Card.parse("7C"), 27, auto=True)


def test_9_3_the_engine_says_a_go_that_is_due() -> None:
    match = kept("AC 2C 3C KC", "KD QD JD TD", dealer=0, auto_go=False)
    match.play("KD", "AC", "QD", "2C")

    assert expire(match, 1) == (
        TimedOut(1, "1.1.p4", TimeoutAction.AUTO_PLAY),
        GoDeclared(1, auto=True),
    )


def test_9_4_the_third_timeout_in_a_row_loses() -> None:
    match = kept("KC QC 9S 9D", "8D 7D 6D 5C", dealer=0)
    expire(match, 1)
    match.play("9S")
    expire(match, 1)
    match.play("9D")
    events = expire(match, 1)

    assert isinstance(events[-1], GameEnded)
    assert match.state.phase is Phase.MATCH_OVER
    assert match.state.timeouts == (0, 3)


def test_9_4_a_move_of_its_own_ends_the_row() -> None:
    match = kept("KC QC 9S 9D", "8D 7D 6D 5C", dealer=0)
    expire(match, 1)
    match.play("9S")
    expire(match, 1)
    match.play("9D")
    assert match.state.timeouts == (0, 2)
    match.give(1, GAME.legal(match.state, 1)[0])

    assert match.state.timeouts == (0, 0)


def test_9_4_a_go_said_by_the_engine_does_not_end_the_row() -> None:
    match = kept("AC 2C 3C 4C", "KD QD JD TD", dealer=0)
    expire(match, 1)
    match.play("AC")
    expire(match, 1)
    events = match.play("2C")

    assert events[-1] == GoDeclared(1, auto=True)
    assert match.state.timeouts == (0, 2)


def test_9_4_timeouts_of_both_seats_are_counted_apart() -> None:
    match = dealt(*LOW)
    expire(match, 0)
    expire(match, 1)

    assert match.state.timeouts == (1, 1)
