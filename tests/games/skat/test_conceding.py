"""Clause 11: conceding, where the option allows it."""

from __future__ import annotations

import pytest

from games.skat.scripted import F, M, Match, R, dealt, table
from spielwerk.games.game import Turn
from spielwerk.games.skat import GAME
from spielwerk.games.skat.cards import ContractType
from spielwerk.games.skat.commands import Announce, Concede
from spielwerk.games.skat.events import Conceded, DealScored
from spielwerk.games.skat.model import DealReason

HANDS = {M: "CJ HJ C7 C8 C9 CQ", F: "SJ"}


def game(contract: str = "C") -> Match:
    return table(contract, HANDS, skat="S7 S8", claims=True)


def test_11_1_conceding_is_off_by_default() -> None:
    match = table("C", HANDS)
    assert match.refused(F, Concede()) == "bad_command"
    assert Concede() not in GAME.legal(match.state, F)


def test_11_1_cards_are_conceded_in_the_play_only() -> None:
    match = game()
    match.play_out()
    assert match.refused(match.on_turn, Concede()) == "wrong_phase"


def test_11_2_a_declarer_who_concedes_gives_the_remaining_tricks_to_the_defenders() -> None:
    match = game().taken(points=(30, 20), tricks=(3, 2))
    match.give(M, Concede())
    outcome = match.last
    assert (outcome.reason, outcome.points, outcome.won) == (DealReason.CONCEDED, 30, False)
    assert (outcome.declarer_tricks, outcome.defender_tricks) == (3, 7)
    assert outcome.list_score == -2 * 36  # with 1, and Schneider


def test_11_2_a_declarer_with_61_points_keeps_the_game() -> None:
    match = game().taken(points=(61, 20), tricks=(5, 2))
    match.give(M, Concede())
    assert match.last.list_score == 24


def test_11_3_one_defender_alone_ends_nothing() -> None:
    match = game()
    assert match.give(R, Concede()) == (Conceded(R),)
    assert match.refused(R, Concede()) == "already_conceded"
    assert GAME.view(match.state, None).conceded == (False, False, True)


def test_11_3_both_defenders_give_the_remaining_tricks_to_the_declarer() -> None:
    match = game().taken(points=(30, 20), tricks=(3, 2))
    match.give(R, Concede())
    match.give(F, Concede())
    outcome = match.last
    assert (outcome.reason, outcome.points, outcome.won) == (DealReason.CONCEDED, 100, True)
    assert (outcome.declarer_tricks, outcome.defender_tricks) == (8, 2)
    assert outcome.list_score == 36


def test_11_3_laying_a_card_withdraws_it() -> None:
    match = game()
    match.give(F, Concede())
    match.play_some_card()
    assert match.state.table.conceded == (False, False, False)
    match.give(R, Concede())
    assert not match.all_of(DealScored)
    match.give(F, Concede())
    assert match.all_of(DealScored)


def test_11_3_conceding_on_turn_changes_the_turn_key_and_is_listed_once() -> None:
    match = game()
    assert GAME.legal(match.state, F)[-1] == Concede()
    assert GAME.turns(match.state) == {F: Turn("1.p0", 60_000)}
    match.give(F, Concede())
    assert GAME.turns(match.state) == {F: Turn("1.p0c", 60_000)}
    assert Concede() not in GAME.legal(match.state, F)


def test_11_3_conceding_of_another_seat_leaves_the_turn_as_it_is() -> None:
    match = game()
    before = GAME.turns(match.state)
    match.give(R, Concede())
    assert GAME.turns(match.state) == before


@pytest.mark.parametrize(("seats", "score"), [((M,), -46), ((F, R), 23)])
def test_11_4_a_conceded_null_is_lost_by_who_concedes(seats: tuple[int, ...], score: int) -> None:
    match = game("N")
    for seat in seats:
        match.give(seat, Concede())
    assert match.last.list_score == score


def test_11_a_concession_is_an_action_of_ones_own() -> None:
    match = dealt(claims=True)
    match.expire()
    match.auction([(R, 18), (F, "pass")])
    match.act(Announce(ContractType.CLUBS))
    assert match.state.series.timeouts == (0, 1, 0)
    match.give(M, Concede())
    assert match.state.series.timeouts == (0, 0, 0)
