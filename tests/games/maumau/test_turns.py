"""Clauses 4 and 5: what fits, and what each command leads to."""

from __future__ import annotations

from typing import Any

import pytest

from games.maumau.scripted import Match, card, cards, table
from spielwerk.cards import Suit
from spielwerk.errors import Illegal
from spielwerk.games.game import Resign, TimeOut
from spielwerk.games.maumau import GAME
from spielwerk.games.maumau.cards import fits, pack
from spielwerk.games.maumau.messages import (
    Announce,
    CardPlayed,
    CardsDrawn,
    DirectionChanged,
    Draw,
    PendingRaised,
    Play,
    SeatSkipped,
    TurnStarted,
)
from spielwerk.games.maumau.model import DrawReason


def fitting(up: str, wish: Suit | None = None, pending: int = 0) -> set[str]:
    return {str(one) for one in pack(2) if fits(one, card(up), wish, pending)}


def refused(match: Match, seat: int, command: Any) -> str:
    before = match.state
    with pytest.raises(Illegal) as error:
        match.give(seat, command)
    assert match.state is before
    return error.value.reason


def test_4_1_pending_sevens_come_before_everything_else() -> None:
    assert fitting("JH", Suit.SPADES, pending=2) == {"7C", "7S", "7H", "7D"}


def test_4_2_only_a_seven_answers_a_seven() -> None:
    assert fitting("7H", pending=2) == {"7C", "7S", "7H", "7D"}


def test_4_3_on_a_jack_only_the_wished_suit_fits_and_no_jack_or_joker() -> None:
    spades = {str(one) for one in pack(0) if str(one)[1] == "S"} - {"JS"}
    assert fitting("JH", Suit.SPADES) == spades


def test_4_3_on_a_jack_without_a_wish_its_own_suit_fits() -> None:
    hearts = {str(one) for one in pack(0) if str(one)[1] == "H"} - {"JH"}
    assert fitting("JH") == hearts


def test_4_4_jack_and_joker_fit_on_everything_but_a_jack() -> None:
    for up in pack(2):
        jack = {"JC", "JS", "JH", "JD"}
        free = {"BJ", "RJ"} | jack
        expected = set() if str(up)[0] == "J" and str(up) in jack else free
        assert (fitting(str(up)) & free) - {str(up)} == expected - {str(up)}


def test_4_5_everything_fits_on_a_joker() -> None:
    assert len(fitting("X1")) == 54


def test_4_6_suit_or_rank_must_be_equal() -> None:
    hearts = {str(one) for one in pack(0) if str(one)[1] == "H"}
    assert fitting("5H") == hearts | {"5C", "5S", "5D", "JC", "JS", "JD", "BJ", "RJ"}


def test_5_1_a_normal_card_passes_the_turn() -> None:
    match = table("5S 2H KD", "3H 9D QS", "4H 4D 4C")

    assert match.do("2H") == (CardPlayed(0, card("2H"), None, 2), TurnStarted(1, again=False))


def test_5_1_a_joker_has_no_effect() -> None:
    match = table("X1 2H KD", "3H 9D QS")

    assert match.do("X1") == (CardPlayed(0, card("X1"), None, 2), TurnStarted(1, again=False))


@pytest.mark.parametrize("suit", list(Suit))
def test_5_2_any_suit_may_be_wished_also_the_jacks_own(suit: Suit) -> None:
    match = table("JC 2H KD", "3H 9D QS")
    events = match.give(0, Play(card("JC"), suit))

    assert events[0] == CardPlayed(0, card("JC"), suit, 2)
    assert match.table.wish is suit


def test_5_2_the_wish_holds_while_others_draw_and_ends_with_the_next_card() -> None:
    match = table("JC 2H KD QD", "9S 9C 4S", "3S 3C 4C")
    match.do("JC:H", "draw", "draw")
    assert match.table.wish is Suit.HEARTS
    match.do("2H")
    assert match.table.wish is None


def test_5_3_an_eight_gives_another_turn() -> None:
    match = table("8H 2S KD", "3H 9D QS")

    assert match.do("8H")[1:] == (TurnStarted(0, again=True),)
    assert match.do("draw")[1:] == (TurnStarted(1, again=False),)


def test_5_3_eights_may_be_chained() -> None:
    match = table("8H 8S 8C KD", "3H 9D QS")
    match.do("8H", "8S")

    assert match.do("8C")[-1] == TurnStarted(0, again=True)


def test_5_4_a_ten_turns_the_direction_at_once() -> None:
    match = table("TH 2S 2D", "3H 9D QS", "4H 4D 4C", "TS 6D 6C")

    assert match.do("TH")[1:] == (DirectionChanged(-1), TurnStarted(3, again=False))
    assert match.do("TS")[1:] == (DirectionChanged(1), TurnStarted(0, again=False))


def test_5_4_with_two_seats_a_ten_skips_nobody() -> None:
    match = table("TH 2S 2D", "3H 9D QS")

    assert match.do("TH")[1:] == (DirectionChanged(-1), TurnStarted(1, again=False))


@pytest.mark.parametrize(("seven", "total"), [("7H", 2), ("7D", 2), ("7C", 4), ("7S", 4)])
def test_5_5_a_red_seven_asks_for_two_cards_and_a_black_one_for_four(
    seven: str, total: int
) -> None:
    match = table(f"{seven} 2S 2D", "3H 9D QS", up=f"5{seven[1]}")

    assert match.do(seven)[1:] == (PendingRaised(total), TurnStarted(1, again=False))


def test_5_5_sevens_add_up_to_twelve() -> None:
    match = table("7H 7C 2D", "7S 7D QS")
    match.do("7H", "7S", "7C", "7D")

    totals = [event.total for event in match.events if isinstance(event, PendingRaised)]
    assert totals == [2, 6, 10, 12]
    assert [e.count for e in match.do("draw") if isinstance(e, CardsDrawn)] == [12]


def test_5_5_what_a_seven_costs_is_an_option() -> None:
    match = table("7H 7C 2D", "7S 7D QS", seven_red=1, seven_black=10)
    match.do("7H", "7S")

    assert match.table.pending == 11


def test_5_6_an_ace_makes_the_next_seat_sit_out() -> None:
    match = table("AH 2S 2D", "3H 9D QS", "4H 4D 4C")

    assert match.do("AH")[1:] == (SeatSkipped(1), TurnStarted(2, again=False))
    assert refused(match, 1, Draw()) == "not_your_turn"


def test_5_6_with_two_seats_the_player_of_the_ace_is_on_turn_again() -> None:
    match = table("AH 2H 2D", "3H 9D QS")

    assert match.do("AH")[1:] == (SeatSkipped(1), TurnStarted(0, again=False))


def test_5_7_a_drawn_card_ends_the_turn_even_if_it_would_fit() -> None:
    match = table("KD QD 9D", "3H 9S QS", talon="5D 2C")

    assert match.do("draw") == (
        CardsDrawn(0, DrawReason.DRAW, 1, 1, cards("5D")),
        TurnStarted(1, again=False),
    )
    assert refused(match, 0, Play(card("5D"))) == "not_your_turn"


def test_5_7_drawing_is_allowed_although_a_card_fits() -> None:
    match = table("2H 3H 4H", "3S 9S QS")

    assert Draw() in GAME.legal(match.state, 0)
    assert match.do("draw")


def test_5_7_with_voluntary_draw_off_a_fitting_card_must_be_laid() -> None:
    match = table("2H 3D 4C", "3S 9S QS", voluntary_draw=False)

    assert Draw() not in GAME.legal(match.state, 0)
    assert refused(match, 0, Draw()) == "must_play"


def test_5_7_with_voluntary_draw_off_a_slip_may_still_be_repaired() -> None:
    match = table("2H", "3S 9S QS", voluntary_draw=False)
    assert match.do("draw")

    announced = table("2H", "3S 9S", voluntary_draw=False, more={"announced": (True, False)})
    assert refused(announced, 0, Draw()) == "must_play"

    silent = table("2H", "3S 9S", voluntary_draw=False, announce=False)
    assert refused(silent, 0, Draw()) == "must_play"


def test_5_8_after_taking_the_sevens_cards_the_same_seat_is_on_turn() -> None:
    match = table("7H 2H KD", "9H 4S 3D", talon="2C 3C 4C")
    match.do("7H")

    assert match.do("draw") == (
        CardsDrawn(1, DrawReason.SEVENS, 2, 2, cards("2C 3C")),
        TurnStarted(1, again=False),
    )
    assert match.table.pending == 0
    assert match.do("9H")[-1] == TurnStarted(0, again=False)


def test_5_8_a_seven_need_not_be_laid_and_may_be_laid_after_taking() -> None:
    match = table("7H 2H KD", "7S 4S 3D")
    match.do("7H", "draw")

    assert match.do("7S")[1] == PendingRaised(4)


def test_5_9_refusals_of_a_play_come_in_order() -> None:
    match = table("JC 2H KD", "3H 9D QS")

    assert refused(match, 1, Play(card("3H"))) == "not_your_turn"
    assert refused(match, 0, Play(card("3H"), Suit.CLUBS)) == "card_not_in_hand"
    assert refused(match, 0, Play(card("KD"), Suit.CLUBS)) == "does_not_fit"
    assert refused(match, 0, Play(card("JC"))) == "wish_required"
    assert refused(match, 0, Play(card("JC"), "Z")) == "bad_wish"  # type: ignore[arg-type]
    assert refused(match, 0, Play(card("2H"), Suit.CLUBS)) == "wish_not_allowed"


def test_5_9_strangers_and_foreign_commands_are_refused() -> None:
    match = table("JC 2H KD", "3H 9D QS", "4H 4C 4D")
    key = GAME.turns(match.state)[0].key

    assert refused(match, 7, Draw()) == "not_a_player"
    assert refused(match, 0, TimeOut(0, key)) == "bad_command"
    assert refused(match, 1, TimeOut(0, key)) == "not_your_turn"
    assert refused(match, 1, Announce()) == "not_your_turn"
    match.give(2, Resign())
    assert refused(match, 2, Resign()) == "already_left"
    assert refused(match, 2, Draw()) == "not_your_turn"


def test_5_9_after_the_end_everything_is_refused() -> None:
    match = table("2H", "3H 9D QS", more={"announced": (True, False)})
    match.do("2H")

    for command in (Draw(), Announce(), Resign(), Play(card("3H"))):
        assert refused(match, 1, command) == "game_over"
