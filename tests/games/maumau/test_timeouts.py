"""Clause 10: the clock."""

from __future__ import annotations

import pytest

from games.maumau.scripted import cards, table
from spielwerk.errors import StaleTurn
from spielwerk.games.game import TimeOut
from spielwerk.games.maumau import GAME
from spielwerk.games.maumau.messages import CardsDrawn, TurnStarted
from spielwerk.games.maumau.model import DrawReason


def test_10_1_every_turn_has_its_time_and_a_key_of_its_own() -> None:
    match = table("8H 7H KD", "9H 4S 3D")
    turns = [GAME.turns(match.state)]
    for move in ("8H", "7H", "draw", "draw"):
        match.do(move)
        turns.append(GAME.turns(match.state))

    assert [list(turn) for turn in turns] == [[0], [0], [1], [1], [0]]
    keys = [turn.key for by_seat in turns for turn in by_seat.values()]
    assert keys == ["1.1", "1.2", "1.3", "1.4", "1.5"]
    assert {turn.allowance_ms for by_seat in turns for turn in by_seat.values()} == {15_000}


def test_10_1_an_announcement_changes_the_key() -> None:
    match = table("2H KH", "9H 4S 3D")
    match.do("announce")
    assert GAME.turns(match.state)[0].key == "1.1.announced"

    match.do("2H", "draw")
    assert GAME.turns(match.state)[0].key == "1.3"


@pytest.mark.parametrize(("seconds", "allowance"), [(0, None), (5, 5_000), (600, 600_000)])
def test_10_1_the_time_is_an_option(seconds: int, allowance: int | None) -> None:
    match = table("2H KH", "9H 4S 3D", turn_seconds=seconds)

    assert GAME.turns(match.state)[0].allowance_ms == allowance


def test_10_2_a_timeout_gives_two_cards_and_passes_the_turn() -> None:
    match = table("2H KS 3C", "9H 4S 3D", talon="2C 4C 6C")

    assert match.do("timeout") == (
        CardsDrawn(0, DrawReason.TIMEOUT, 2, 2, cards("2C 4C"), auto=True),
        TurnStarted(1, again=False),
    )


def test_10_2_also_after_an_eight() -> None:
    match = table("8H KH 3C", "9H 4S 3D")
    match.do("8H")

    assert match.do("timeout")[-1] == TurnStarted(1, again=False)
    assert len(match.table.hands[0]) == 4


def test_10_2_how_many_cards_is_an_option() -> None:
    match = table("2H KS 3C", "9H 4S 3D", timeout_cards=4)
    match.do("timeout")

    assert len(match.table.hands[0]) == 7


def test_10_3_under_sevens_the_seat_takes_their_cards_and_stays_on_turn() -> None:
    match = table("7H 2H KS", "9H 4S 3D", talon="2C 4C 6C 9C TC")
    match.do("7H")

    assert match.do("timeout") == (
        CardsDrawn(1, DrawReason.SEVENS, 2, 2, cards("2C 4C"), auto=True),
        TurnStarted(1, again=False),
    )
    assert GAME.turns(match.state)[1].allowance_ms == 15_000
    assert match.do("timeout")[0] == CardsDrawn(
        1, DrawReason.TIMEOUT, 2, 2, cards("6C 9C"), auto=True
    )
    assert match.table.turn == 0


def test_10_4_a_stale_timeout_does_nothing() -> None:
    match = table("8H 2H KS", "9H 4S 3D")
    key = GAME.turns(match.state)[0].key
    match.do("8H")

    for late in (TimeOut(0, key), TimeOut(1, key), TimeOut(5, key)):
        before = match.state
        with pytest.raises(StaleTurn):
            match.give(None, late)
        assert match.state is before


def test_10_4_a_timeout_of_the_time_before_the_announcement_is_stale() -> None:
    match = table("2H KH", "9H 4S 3D")
    key = GAME.turns(match.state)[0].key
    match.do("announce")

    with pytest.raises(StaleTurn):
        match.give(None, TimeOut(0, key))
