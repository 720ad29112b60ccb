"""Clause 5: the play."""

from __future__ import annotations

from games.cribbage.scripted import Match, cards, kept
from spielwerk.cards import Card
from spielwerk.errors import Illegal
from spielwerk.games.cribbage import GAME
from spielwerk.games.cribbage.messages import (
    CardPlayed,
    Command,
    CountReset,
    Event,
    Go,
    GoDeclared,
    HandCounted,
    Play,
    Scored,
)
from spielwerk.games.cribbage.model import COUNT_VALUE, PIPS, PlayPoints, ScoredFor
from spielwerk.games.cribbage.pegging import play_points


def points_of(names: str) -> list[int]:
    """Points of each of these cards laid one after another."""
    return [points.total for points in each(names)]


def each(names: str) -> list[PlayPoints]:
    laid = cards(names)
    pips = [PIPS[card.rank] for card in laid]
    counts = [sum(COUNT_VALUE[card.rank] for card in laid[: n + 1]) for n in range(len(laid))]
    return [play_points(pips[: n + 1], count) for n, count in enumerate(counts)]


def scorings(events: tuple[Event, ...]) -> list[tuple[int, ScoredFor, int]]:
    return [(e.seat, e.why, e.points) for e in events if isinstance(e, Scored)]


def before_show(events: tuple[Event, ...]) -> tuple[Event, ...]:
    for place, event in enumerate(events):
        if isinstance(event, HandCounted):
            return events[:place]
    return events


def outcome(match: Match, seat: int, command: Command) -> str | None:
    try:
        GAME.decide(match.state, seat, command, match.context)
    except Illegal as refusal:
        return refusal.reason
    return None


def test_5_1_the_non_dealer_leads_and_the_seats_alternate() -> None:
    match = kept("KC 9C 4C 2C", "KD 9D 4D 2D", dealer=0)
    match.play("2D", "2C", "4D", "4C")

    assert [laid.seat for laid in match.state.table.played] == [1, 0, 1, 0]


def test_5_1_a_card_over_31_is_refused() -> None:
    match = kept("KC QC 9C 5C", "KD QD 9D AD", dealer=1)
    match.play("KC", "KD", "5C")

    assert match.state.table.count == 25
    assert outcome(match, 1, Play(Card.parse("9D"))) == "over_31"
    assert GAME.legal(match.state, 1) == (Play(Card.parse("AD")),)


def test_5_2_fifteen_and_thirty_one_score_two_each() -> None:
    assert each("KC 5D")[-1] == PlayPoints(fifteen=2)
    assert each("KC KD TC AD")[-1] == PlayPoints(thirtyone=2)


def test_5_3_equal_ranks_in_a_row_score_two_six_twelve() -> None:
    assert points_of("3C 3D 3H 3S") == [0, 2, 6, 12]
    assert points_of("JC QC") == [0, 0]


def test_5_3_a_seat_may_pair_its_own_card_after_a_go() -> None:
    match = kept("TC TD 5C 5D", "KD QD JD 9C", dealer=1)
    events = match.play("TC", "KD", "5C", "5D")

    assert scorings(events)[0] == (0, ScoredFor.PLAY, 2)


def test_5_4_the_longest_run_counts_once_in_any_order() -> None:
    assert points_of("4C 6D 5S") == [0, 0, 5]
    assert points_of("AC 2D 3C 4D 5C 6D 7C") == [0, 0, 3, 4, 7, 6, 7]
    assert points_of("KC 2D 4C 3D") == [0, 0, 0, 3]


def test_5_4_an_equal_rank_inside_breaks_the_run() -> None:
    assert each("4C 5D 5S 6D")[-1].run == 0
    assert each("4C 5D 6S 4D")[-1].run == 3


def test_5_4_queen_king_ace_is_no_run() -> None:
    assert each("QC KD AS")[-1].total == 0


def test_5_5_the_last_card_of_the_deal_scores_one() -> None:
    match = kept("KC KD QC QD", "9H 9S 8H 8S")
    events = match.play("9H", "KC", "9S", "KD", "8H", "QC", "8S", "QD")

    assert next(e for e in events if isinstance(e, Scored)).items == PlayPoints(last=1)
    assert before_show(events)[-1] == CountReset(None)


def test_5_5_a_last_card_that_makes_31_scores_only_two() -> None:
    match = kept("KC QC 5D 6C", "KD QD AC TH", dealer=0)
    match.play("KD", "KC", "AC", "QC", "QD")
    events = match.play("5D", "TH", "6C")

    assert scorings(before_show(events)) == [(0, ScoredFor.PLAY, 2)]
    assert match.events.count(CountReset(None)) == 1


def test_5_6_the_other_seat_plays_on_after_a_go() -> None:
    match = kept("AC 2C 3C 4C", "KD QD JD TD", dealer=0)
    events = match.play("KD", "AC", "QD", "2C")

    assert events[-1] == GoDeclared(1, auto=True)
    assert match.state.table.turn == 0


def test_5_6_a_go_is_declared_once_between_two_resets() -> None:
    match = kept("AC 2C 3C 4C", "KD QD JD TD", dealer=0)
    match.play("KD", "AC", "QD", "2C", "3C", "4C")

    assert [e.seat for e in match.events if isinstance(e, GoDeclared)] == [1]


def test_5_6_a_seat_without_cards_is_skipped_without_a_go() -> None:
    match = kept("AC 2C 3C 4C", "KD QD JD TD", dealer=0)
    match.play("KD", "AC", "QD", "2C", "3C", "4C")
    events = match.play("JD")

    assert not any(isinstance(event, GoDeclared) for event in events)
    assert match.state.table.turn == 1


def test_5_7_when_nobody_can_play_the_last_player_scores_one() -> None:
    match = kept("AC 2C 3C 4C", "KD QD JD TD", dealer=0)
    events = match.play("KD", "AC", "QD", "2C", "3C", "4C")

    assert scorings(events) == [(0, ScoredFor.PLAY, 3), (0, ScoredFor.GO, 1)]
    assert events[-1] == CountReset(1)


def test_5_7_thirty_one_scores_no_go_and_resets_at_once() -> None:
    match = kept("KC AC 4C 2C", "KD QD TD 9D", dealer=0)
    events = match.play("KD", "KC", "QD", "AC")

    assert scorings(events) == [(0, ScoredFor.PLAY, 2)]
    assert events[-1] == CountReset(1)
    assert not any(isinstance(event, GoDeclared) for event in events)


def test_5_7_go_and_last_card_never_count_for_the_same_card() -> None:
    match = kept("AC 2C 3C 4C", "KD QD JD TD", dealer=0)
    match.play("KD", "AC", "QD", "2C", "3C", "4C", "JD")
    events = before_show(match.play("TD"))

    assert scorings(events) == [(1, ScoredFor.PLAY, 1)]


def test_5_8_after_a_reset_the_opponent_of_the_last_player_leads() -> None:
    match = kept("KC JC 4C AC", "KD QD TD 9D", dealer=0)
    match.play("KD", "KC", "QD", "AC")

    assert match.state.table.turn == 1


def test_5_8_the_same_seat_leads_again_if_the_other_has_no_cards() -> None:
    match = kept("AC 2C 3C 4C", "5D 6D KD QD", dealer=0)
    match.play("5D", "AC", "6D", "2C", "KD", "3C", "4C")

    assert match.state.table.count == 0
    assert match.state.table.turn == 1
    events = match.play("QD")
    assert isinstance(events[0], CardPlayed)


def test_5_9_pairs_and_runs_do_not_reach_over_a_reset() -> None:
    match = kept("KC JC 4C AC", "KD QD AD 9D", dealer=0)
    match.play("KD", "KC", "QD", "AC")
    events = match.play("AD")

    assert scorings(events) == []


def test_5_10_all_points_of_a_card_are_one_scoring() -> None:
    match = kept("6C KC QC JC", "4D 5D 9D KD", dealer=0)
    events = match.play("4D", "6C", "5D")

    assert [e for e in events if isinstance(e, Scored)] == [
        Scored(1, ScoredFor.PLAY, 5, 5, PlayPoints(fifteen=2, run=3))
    ]


def test_5_10_all_eight_cards_are_played() -> None:
    match = kept("AC 2C 3C 4C", "KD QD JD TD", dealer=0)
    match.play("KD", "AC", "QD", "2C", "3C", "4C", "JD", "TD")

    assert len([e for e in match.events if isinstance(e, CardPlayed)]) == 8


def test_5_11_without_auto_go_each_seat_says_go_itself_also_the_last_player() -> None:
    match = kept("AC 2C 3C KC", "KD QD JD TD", dealer=0, auto_go=False)
    match.play("KD", "AC", "QD", "2C")
    assert GAME.legal(match.state, 1) == (Go(),)
    assert match.give(1, Go()) == (GoDeclared(1, auto=False),)
    match.play("3C")
    assert GAME.legal(match.state, 0) == (Go(),)

    events = match.give(0, Go())

    assert events == (
        GoDeclared(0, auto=False),
        Scored(0, ScoredFor.GO, 1, 1),
        CountReset(1),
    )


def test_5_11_go_with_a_fitting_card_is_refused() -> None:
    match = kept("AC 2C 3C KC", "KD QD JD TD", dealer=0, auto_go=False)

    assert outcome(match, 1, Go()) == "go_with_playable_card"


def test_5_11_with_auto_go_the_command_does_not_exist() -> None:
    match = kept("AC 2C 3C KC", "KD QD JD TD", dealer=0)

    assert outcome(match, 1, Go()) == "bad_command"
