"""Clause 6: the last card."""

from __future__ import annotations

import pytest

from games.maumau.scripted import Match, card, cards, kinds, table
from spielwerk.cards import Suit
from spielwerk.errors import Illegal
from spielwerk.games.maumau import GAME
from spielwerk.games.maumau.messages import (
    Announce,
    AnnouncementMissed,
    CardPlayed,
    CardsDrawn,
    LastCardAnnounced,
    MauMau,
    Play,
    TurnStarted,
)
from spielwerk.games.maumau.model import DrawReason


def refusal(match: Match) -> str:
    assert match.table.turn is not None
    with pytest.raises(Illegal) as refused:
        match.do("announce")
    assert Announce() not in GAME.legal(match.state, match.table.turn)
    return refused.value.reason


def test_6_1_the_announced_last_card_wins() -> None:
    match = table("2H KH", "9H 4S 3D")
    assert match.do("announce") == (LastCardAnnounced(0, 0),)
    match.do("2H", "9H")

    assert MauMau(0) in match.do("KH")


def test_6_1_with_announce_off_nobody_need_announce() -> None:
    match = table("2H KH", "9H 4S 3D", announce=False)
    assert refusal(match) == "announce_off"
    match.do("2H", "9H")

    assert MauMau(0) in match.do("KH")


def test_6_2_announcing_needs_two_cards_of_which_one_fits() -> None:
    assert refusal(table("2H KH 3H", "9H 4S 3D")) == "announce_not_now"
    assert refusal(table("KH", "9H 4S 3D")) == "announce_not_now"
    assert refusal(table("2C KS", "9H 4S 3D")) == "announce_not_now"
    assert Announce() in GAME.legal(table("2C KH", "9H 4S 3D").state, 0)


def test_6_2_under_pending_sevens_only_a_seven_lets_one_announce() -> None:
    without_seven = table("2H KH", "9H 4S 3D", up="7H", more={"pending": 2})
    assert refusal(without_seven) == "announce_not_now"

    assert table("2H 7S", "9H 4S 3D", up="7H", more={"pending": 2}).do("announce")


def test_6_2_nobody_announces_twice() -> None:
    match = table("2H KH", "9H 4S 3D")
    match.do("announce")

    assert refusal(match) == "already_announced"


def test_6_3_the_mark_outlives_the_turns_of_the_others() -> None:
    match = table("2H KS", "9H 4S 3D", "9C 8C 2D")
    match.do("announce", "2H", "draw", "draw")

    assert match.table.announced == (True, False, False)


def test_6_3_the_mark_falls_with_a_drawn_card_and_may_be_set_again() -> None:
    match = table("2H KH", "9H 4S 3D", talon="2C 3C 4C 6C")
    match.do("announce", "draw")
    assert match.table.announced == (False, False)

    match.do("draw", "2H", "draw", "announce")
    assert match.table.announced == (True, False)


def test_6_3_the_mark_falls_with_the_sevens_of_another_seat() -> None:
    match = table("2H KH", "7H 4S 3D")
    match.do("announce", "2H", "7H", "draw")

    assert match.table.announced == (False, False)


def test_6_3_the_mark_falls_when_the_time_runs_out() -> None:
    match = table("2H KS", "9H 4S 3D")
    match.do("announce", "timeout")

    assert match.table.announced == (False, False)


def test_6_3_the_mark_falls_when_the_time_runs_out_without_a_card_to_take() -> None:
    match = table("KS", "9H 4S", talon="", more={"announced": (True, False)})
    match.do("timeout")

    assert match.table.hands[0] == cards("KS")
    assert match.table.announced == (False, False)


def test_6_3_the_mark_falls_when_the_turn_ends_with_two_cards_though_none_was_taken() -> None:
    match = table("2H KS", "9H 4S", talon="")
    match.do("announce", "draw")

    assert match.table.hands[0] == cards("2H KS")
    assert match.table.announced == (False, False)


def test_6_3_the_mark_stays_with_one_card_when_there_is_none_to_take() -> None:
    match = table("KS", "9H 4S", talon="", more={"announced": (True, False)})
    match.do("draw")

    assert match.table.announced == (True, False)


def test_6_4_a_forgotten_announcement_costs_a_card_and_the_turn() -> None:
    match = table("KH", "9H 4S 3D", talon="2C 3C")

    assert match.do("KH") == (
        AnnouncementMissed(0, card("KH")),
        CardsDrawn(0, DrawReason.NOT_ANNOUNCED, 1, 1, cards("2C")),
        TurnStarted(1, again=False),
    )
    assert match.table.hands[0] == cards("KH 2C")


def test_6_4_it_costs_the_pending_sevens_first() -> None:
    match = table("7S", "9H 4S 3D", up="7H", talon="2C 3C 4C 6C", more={"pending": 2})

    assert match.do("7S")[1:] == (
        CardsDrawn(0, DrawReason.SEVENS, 2, 2, cards("2C 3C")),
        CardsDrawn(0, DrawReason.NOT_ANNOUNCED, 1, 1, cards("4C")),
        TurnStarted(1, again=False),
    )
    assert match.table.pending == 0


def test_6_4_how_much_it_costs_is_an_option() -> None:
    match = table("KH", "9H 4S 3D", missed_announcement_cards=3)
    match.do("KH")

    assert len(match.table.hands[0]) == 4


def test_6_4_an_eight_before_the_last_card_needs_the_announcement_too() -> None:
    match = table("8H KH", "9H 4S 3D")
    match.do("8H")

    assert kinds(match.do("KH"))[0] == "AnnouncementMissed"


def test_6_4_the_attempt_is_listed_among_the_legal_commands() -> None:
    match = table("KH", "9H 4S 3D")

    assert Play(card("KH")) in GAME.legal(match.state, 0)


def test_6_4_a_forgotten_jack_with_a_wish_stays_without_one() -> None:
    match = table("JH", "9H 4S 3D")
    match.give(0, Play(card("JH"), Suit.CLUBS))

    assert match.table.wish is None
    assert match.table.upcard == card("5H")


def test_6_5_who_notices_in_time_draws_a_card() -> None:
    match = table("KH", "9H 4S 3D")

    assert kinds(match.do("draw")) == ["CardsDrawn", "TurnStarted"]
    match.do("draw")
    assert match.do("announce")


def test_6_6_a_last_card_that_does_not_fit_costs_nothing() -> None:
    match = table("KS", "9H 4S 3D")
    with pytest.raises(Illegal) as refused:
        match.do("KS")

    assert refused.value.reason == "does_not_fit"
    assert match.table.hands[0] == cards("KS")


def test_6_7_announcing_ends_neither_the_turn_nor_its_time() -> None:
    match = table("2H KH", "9H 4S 3D", elapsed=lambda _: 4_000)
    before = GAME.turns(match.state)[0]
    assert match.do("announce") == (LastCardAnnounced(0, 4_000),)
    after = GAME.turns(match.state)[0]

    assert match.table.turn == 0
    assert before.allowance_ms == 15_000
    assert after.allowance_ms == 11_000
    assert after.key != before.key
    match.do("2H")
    assert GAME.turns(match.state)[1].allowance_ms == 15_000


def test_6_7_without_a_clock_nothing_is_counted() -> None:
    match = table("2H KH", "9H 4S 3D", turn_seconds=0, elapsed=lambda _: 10**12)
    assert match.do("announce") == (LastCardAnnounced(0, 0),)

    assert GAME.turns(match.state)[0].allowance_ms is None


def test_6_7_an_announcement_in_the_last_moment_leaves_no_time() -> None:
    match = table("2H KH", "9H 4S 3D", elapsed=lambda _: 15_200)
    match.do("announce")

    assert GAME.turns(match.state)[0].allowance_ms == 0


def test_a_last_jack_is_recorded_without_a_wish() -> None:
    match = table("JH", "9H 4S 3D", announce=False)
    events = match.give(0, Play(card("JH"), Suit.CLUBS))

    assert events[0] == CardPlayed(0, card("JH"), None, 0)
