"""Clause 8: promotion, the ace, the end of a match."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from games.guandan.scripted import Match, table
from spielwerk.cards import Rank
from spielwerk.games.game import Resign, Standing
from spielwerk.games.guandan import GAME
from spielwerk.games.guandan.messages import DealEnded, DealStarted, MatchWon
from spielwerk.games.guandan.model import EndReason, Phase, Progress
from spielwerk.games.guandan.options import Options
from spielwerk.games.guandan.promotion import Promotion, promote

A = Rank.ACE


def promoted(levels: str, order: tuple[int, ...], level: str = "2", **facts: Any) -> Promotion:
    """The promotion for levels such as "AK"; facts: declarer, ace_failures, or an option."""
    known = {name: facts.pop(name) for name in ("declarer", "ace_failures") if name in facts}
    before = Progress(level=Rank(level), levels=tuple(map(Rank, levels)), **known)
    return promote(order, before, Options(**facts))


def last_card(
    order: tuple[int, int, int, int], levels: str = "22", level: str = "2", **options: Any
) -> Match:
    """A deal in which the seats finish in this order, one card each, up to its last play."""
    ranks = dict(zip(order, ("3S", "4S", "5S", "6S 6D"), strict=True))
    match = table(*(ranks[seat] for seat in range(4)), level=level, leader=order[0], **options)
    both = tuple(map(Rank, levels))
    match.state = replace(match.state, progress=replace(match.state.progress, levels=both))
    for seat in order[:3]:
        while match.state.table.turn != seat:
            match.play("")
        match.play(str(match.hands[seat][0]))
    return match


@pytest.mark.parametrize(
    ("order", "step", "levels"),
    [
        ((0, 2, 1, 3), 3, "52"),
        ((0, 1, 2, 3), 2, "42"),
        ((0, 1, 3, 2), 1, "32"),
        ((3, 1, 0, 2), 3, "25"),
    ],
)
def test_8_1_the_partners_place_says_how_far_the_team_rises(
    order: tuple[int, ...], step: int, levels: str
) -> None:
    found = promoted("22", order)

    assert (found.step, found.levels) == (step, tuple(map(Rank, levels)))
    assert found.next_level is found.levels[order[0] % 2]


def test_8_1_nobody_rises_above_the_ace() -> None:
    assert promoted("K2", (0, 2, 1, 3), level="K").levels == (A, Rank.TWO)


def test_8_2_the_other_team_stays_and_bombs_bring_nothing() -> None:
    match = table("3S 3D 3C 3H", "4S", "5S", "8S 9S")
    match.plays("3S 3D 3C 3H", "", "", "", "5S", "", "", "8S", "", "9S")
    (ended,) = match.told(DealEnded)

    assert (ended.order, ended.step) == ((0, 2, 3, 1), 3)
    assert ended.levels == (Rank.FIVE, Rank.TWO)


@pytest.mark.parametrize(
    ("levels", "level", "order", "won"),
    [
        ("A5", "A", (0, 2, 1, 3), True),
        ("A5", "A", (2, 1, 0, 3), True),
        ("A5", "A", (0, 1, 3, 2), False),
        ("A5", "A", (1, 3, 0, 2), False),
        ("A5", "5", (0, 2, 1, 3), False),
        ("AA", "A", (1, 3, 0, 2), True),
        ("KA", "A", (0, 2, 1, 3), False),
    ],
)
def test_8_3_the_match_is_won_from_the_ace_at_the_ace_with_the_partner_not_last(
    levels: str, level: str, order: tuple[int, ...], won: bool
) -> None:
    found = promoted(levels, order, level)

    assert (found.next_level is None) == won
    assert found.match_winner == (order[0] % 2 if won else None)


def test_8_3_a_won_match_ends_in_the_same_decision() -> None:
    match = last_card((0, 2, 1, 3), levels="A5", level="A")

    assert match.events[-1] == MatchWon(0, EndReason.MATCH_WON)
    assert match.told(DealEnded)[0].next_level is None
    assert match.state.phase is Phase.MATCH_OVER
    assert GAME.turns(match.state) == {}


def test_8_4_reaching_the_ace_wins_nothing() -> None:
    found = promoted("Q2", (0, 2, 1, 3), level="Q")

    assert (found.levels[0], found.next_level, found.match_winner) == (A, A, None)


def test_8_4_a_deal_won_at_another_level_keeps_the_ace() -> None:
    found = promoted("A5", (0, 2, 1, 3), level="5")

    assert (found.levels, found.next_level) == ((A, Rank.FIVE), A)


def test_8_5_attempts_at_the_ace_are_not_limited() -> None:
    found = promoted("A5", (0, 1, 3, 2), level="A", ace_failures=(20, 0))

    assert (found.levels[0], found.next_level) == (A, A)
    assert found.ace_failures == (21, 0)


def test_8_6_with_ace_declarer_only_the_other_team_cannot_win() -> None:
    order = (1, 3, 0, 2)
    other = promoted("AA", order, "A", declarer=0, ace_declarer_only=True)
    own = promoted("AA", order, "A", declarer=1, ace_declarer_only=True)

    assert (other.match_winner, other.next_level) == (None, A)
    assert own.match_winner == 1


def test_8_7_with_ace_fail_limit_a_team_falls_back_to_2() -> None:
    missed = (0, 1, 3, 2)
    second = promoted("A5", missed, "A", ace_failures=(1, 0), ace_fail_limit=3)
    third = promoted("A5", missed, "A", ace_failures=(2, 0), ace_fail_limit=3)

    assert (second.levels[0], second.ace_failures) == (A, (2, 0))
    assert (third.levels[0], third.ace_failures) == (Rank.TWO, (0, 0))
    assert third.next_level is Rank.TWO


def test_8_7_a_team_that_loses_its_deal_at_the_ace_has_failed_as_well() -> None:
    lost = promoted("A5", (1, 3, 0, 2), "A", ace_failures=(2, 0), ace_fail_limit=3)

    assert lost.levels == (Rank.TWO, Rank.EIGHT)
    assert lost.next_level is Rank.EIGHT


def test_8_7_a_deal_at_another_level_is_no_attempt() -> None:
    found = promoted("A5", (1, 3, 0, 2), "5", ace_failures=(2, 0), ace_fail_limit=3)

    assert found.ace_failures == (2, 0)


@pytest.mark.parametrize(
    ("levels", "order", "winner"),
    [("22", (0, 2, 1, 3), 0), ("2A", (0, 2, 1, 3), 1), ("25", (0, 2, 1, 3), None)],
)
def test_8_8_with_max_deals_the_higher_level_wins_and_equal_levels_are_a_draw(
    levels: str, order: tuple[int, int, int, int], winner: int | None
) -> None:
    match = last_card(order, levels=levels, max_deals=1)

    assert match.events[-1] == MatchWon(winner, EndReason.DEAL_LIMIT)
    result = GAME.result(match.state)
    assert result is not None
    assert [standing.won for standing in result.standings] == [
        winner is not None and seat % 2 == winner for seat in range(4)
    ]
    assert {standing.place for standing in result.standings if standing.won} <= {1}
    assert min(standing.place for standing in result.standings) == 1


def test_8_8_before_the_last_deal_the_match_goes_on() -> None:
    assert last_card((0, 2, 1, 3), max_deals=2).state.phase is Phase.DEAL_OVER


def test_8_9_both_partners_carry_the_result_of_their_team() -> None:
    match = last_card((0, 2, 1, 3), levels="A5", level="A")
    result = GAME.result(match.state)
    assert result is not None

    assert result.reason == "match_won"
    assert result.standings[0] == Standing(0, 1, True, 14_000, 100_000, 1, {"deals_won": 1})
    assert result.standings[3] == Standing(3, 2, False, 5_000, 0, 1, {"deals_won": 0})
    assert [standing.place for standing in result.standings] == [1, 2, 1, 2]


def test_8_9_a_running_match_has_no_result() -> None:
    match = Match().begin()
    assert GAME.result(match.state) is None
    match.give(1, Resign())
    result = GAME.result(match.state)
    assert result is not None
    assert result.reason == "resigned"
    assert not match.told(DealEnded)
    assert len(match.told(DealStarted)) == 1
