"""Clause 7: what happens when a choice does not come."""

from __future__ import annotations

import pytest

from games.quartett.scripted import Match, mini, table
from spielwerk.errors import Illegal, StaleTurn
from spielwerk.games.game import TimeOut
from spielwerk.games.quartett import GAME
from spielwerk.games.quartett.messages import Choose, Duel, GameEnded, TimedOut
from spielwerk.games.quartett.model import EndReason
from spielwerk.games.quartett.options import Options


def expire(match: Match, seat: int) -> tuple[object, ...]:
    return match.give(None, TimeOut(seat, GAME.turns(match.state)[seat].key))


@pytest.mark.parametrize(("seconds", "allowance"), [(30, 30_000), (5, 5_000), (0, None)])
def test_7_1_each_choice_has_its_time_and_a_key_of_game_and_round(
    seconds: int, allowance: int | None
) -> None:
    match = table("abc def", turn_seconds=seconds)
    (turn,) = GAME.turns(match.state).values()

    assert (turn.key, turn.allowance_ms) == ("1.1", allowance)


def test_7_2_a_random_allowed_category_is_played_and_marked() -> None:
    match = table("abc def", timeouts="lo")
    events = expire(match, 0)

    assert events[0] == TimedOut(0, "1.1")
    assert isinstance(events[1], Duel)
    assert (events[1].category, events[1].auto) == ("lo", True)
    assert match.chance.drawn[-1] == "timeout/1/1"


def test_7_2_a_forbidden_category_is_never_drawn() -> None:
    match = table("ab cd", deck=mini("a 9/3 b 5/5 c 5/2 d 4/7"), timeouts="hi")

    with pytest.raises(ValueError, match="not one of"):
        expire(match, 0)


def test_7_3_so_many_timeouts_in_a_row_lose_the_match() -> None:
    match = table("abc def", timeouts="hi", away_after=2, games=3)
    expire(match, 0)
    events = expire(match, 0)

    assert isinstance(events[-1], GameEnded)
    assert (events[-1].winner, events[-1].reason) == (1, EndReason.FORFEITED)
    result = GAME.result(match.state)
    assert result is not None
    assert [standing.place for standing in result.standings] == [2, 1]


def test_7_3_a_choice_of_ones_own_ends_the_row() -> None:
    match = table("abc def", timeouts="hi", away_after=2)
    expire(match, 0)
    match.give(0, Choose("lo"))
    assert match.state.timeouts == (0, 0)

    expire(match, 0)
    assert GAME.result(match.state) is None


def test_7_3_the_row_goes_on_in_the_next_game() -> None:
    match = table("a d", timeouts="hi", away_after=2, games=2)
    expire(match, 0)

    assert match.state.game_no == 2
    assert match.state.timeouts == (1, 0)


def test_7_only_the_open_turn_times_out_and_only_by_the_platform() -> None:
    match = table("abc def")

    for late in (TimeOut(0, "1.2"), TimeOut(1, "1.1")):
        with pytest.raises(StaleTurn):
            match.give(None, late)
    for seat in (0, 1):
        with pytest.raises(Illegal, match="bad command"):
            match.give(seat, TimeOut(0, "1.1"))


def test_7_4_a_bot_waits_as_long_as_the_option_says() -> None:
    assert GAME.bot_pause_ms(Options()) == 2000
    assert GAME.bot_pause_ms(Options(reveal_pause_ms=0)) == 0
