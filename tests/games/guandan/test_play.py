"""Clause 7: tricks, passing, the wind, places, the end of a deal."""

from __future__ import annotations

from games.guandan.scripted import cards, table
from spielwerk.games.guandan import GAME
from spielwerk.games.guandan.messages import (
    CombinationPlayed,
    DealEnded,
    Pass,
    Passed,
    PlayerFinished,
    TrickEnded,
)
from spielwerk.games.guandan.model import LeadReason, Phase

WIND = ("3S", "4S 5S", "6S 7S", "8S 9S")


def test_7_1_the_leader_must_play() -> None:
    match = table("3S 4D", "4S", "5S", "6S")

    assert match.refusal(0, Pass()) == "leader_must_play"
    assert Pass() not in GAME.legal(match.state, 0)


def test_7_2_a_follower_may_pass_though_it_could_beat_and_may_play_later_in_the_trick() -> None:
    match = table("3D KS", "4S AS", "3S 6S", "8S 9S")
    match.plays("3D", "", "6S", "8S", "")
    (event,) = match.play("AS")

    assert isinstance(event, CombinationPlayed)
    assert event.seat == 1
    assert match.state.table.trick == 1


def test_7_3_the_trick_ends_when_all_others_have_passed_since_the_last_combination() -> None:
    match = table("3D KS", "4S AS", "3S 6S", "8S 9S")
    match.plays("3D", "", "", "8S")
    assert match.state.table.passes == ()
    events = match.plays("", "", "")

    assert events == (Passed(2), TrickEnded(3, 3, LeadReason.OWNER))
    assert (match.state.table.turn, match.state.table.top, match.state.table.trick) == (3, None, 2)


def test_7_3_if_the_owner_has_finished_all_active_seats_must_pass() -> None:
    match = table(*WIND)
    match.plays("3S", "", "")

    assert match.state.table.turn == 3
    assert match.state.table.top is not None
    assert match.plays("")[-1] == TrickEnded(0, 2, LeadReason.PARTNER)


def test_7_3_after_two_have_finished_two_passes_end_the_trick_of_a_finished_owner() -> None:
    match = table("3S", "", "6S 7S", "8S 9S")
    match.plays("3S", "")

    assert match.state.table.turn == 3
    assert match.plays("")[-1] == TrickEnded(0, 2, LeadReason.PARTNER)


def test_7_4_the_partner_of_a_finished_owner_leads() -> None:
    match = table(*WIND)
    match.plays("3S", "", "", "")

    assert match.state.table.turn == 2
    assert match.refusal(2, Pass()) == "leader_must_play"


def test_7_4_a_partner_who_beats_the_finished_owner_leads_as_owner() -> None:
    match = table(*WIND)

    assert match.plays("3S", "", "6S", "", "")[-1] == TrickEnded(2, 2, LeadReason.OWNER)


def test_7_4_if_both_partners_are_out_the_next_active_seat_leads() -> None:
    match = table("KS", "4S 5S", "AS", "8S 9S")

    assert match.plays("KS", "", "AS", "", "")[-1] == TrickEnded(2, 3, LeadReason.NEXT_ACTIVE)
    assert match.state.table.turn == 3


def test_7_5_a_seat_without_cards_takes_the_next_place_and_is_skipped() -> None:
    match = table("3S", "4S 5S", "6S 7S", "8S 9S")
    events = match.play("3S")
    match.plays("4S", "6S", "8S")

    assert events[-1] == PlayerFinished(0, 1)
    assert match.state.table.order == (0,)
    assert match.state.table.turn == 1


def test_7_6_the_deal_ends_when_the_third_seat_finishes() -> None:
    match = table("3S", "4S", "5S", "8S 9S")
    events = match.plays("3S", "4S", "5S")

    assert [type(event) for event in events] == [CombinationPlayed, PlayerFinished, DealEnded]
    assert events[1] == PlayerFinished(2, 3)
    assert match.state.table.order == (0, 1, 2, 3)
    assert match.told(DealEnded)[0].last_hand == cards("8S 9S")
    assert match.state.phase is Phase.DEAL_OVER


def test_7_6_partners_first_and_second_do_not_end_the_deal() -> None:
    match = table("KS", "4S 5S", "AS", "8S 9S")
    match.plays("KS", "", "AS", "", "")
    assert match.state.phase is Phase.PLAY
    match.plays("8S", "", "9S")

    assert match.told(DealEnded)[0].order == (0, 2, 3, 1)
    assert match.told(DealEnded)[0].step == 3


def test_7_7_with_end_on_double_they_do_and_the_others_follow_by_seat() -> None:
    match = table("KS", "4S 5S", "AS", "8S 9S", end_on_double=True)
    match.plays("KS", "", "AS")

    assert match.told(DealEnded)[0].order == (0, 2, 3, 1)
    assert match.state.phase is Phase.DEAL_OVER


def test_7_7_with_end_on_double_another_second_place_ends_nothing() -> None:
    match = table("KS", "AS", "4S 5S", "8S 9S", end_on_double=True)
    match.plays("KS", "AS")

    assert match.state.phase is Phase.PLAY
