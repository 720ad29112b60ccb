"""What went wrong in public programs of this game: one test a report, named after the fault."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from games.maumau.scripted import Match, card, cards, dealt, kinds, table
from games.playing import Playing
from spielwerk.cards import Suit
from spielwerk.errors import Illegal
from spielwerk.games.maumau import GAME
from spielwerk.games.maumau.cards import is_jack, pack
from spielwerk.games.maumau.messages import (
    CardPlayed,
    CardsDrawn,
    Draw,
    Play,
    SeatSkipped,
    TurnStarted,
)
from spielwerk.games.maumau.options import Options


def refused(match: Match, seat: int, command: Play | Draw) -> str:
    with pytest.raises(Illegal) as error:
        match.give(seat, command)
    return error.value.reason


def drawn(match: Match) -> list[int]:
    return [event.count for event in match.events if isinstance(event, CardsDrawn)]


def test_a_wished_suit_was_forgotten_when_the_next_player_passed() -> None:
    match = table("JC 2H KD QD", "9S 9C 4S", "3S 3C 4C")
    match.do("JC:H", "draw", "draw")

    assert match.table.wish is Suit.HEARTS
    assert refused(match, 0, Play(card("KD"))) == "does_not_fit"
    assert match.do("2H")


def test_a_jack_went_out_without_its_suit() -> None:
    match = table("JC 2H KD", "9S 9C 4S")
    before = match.state
    assert refused(match, 0, Play(card("JC"))) == "wish_required"
    assert match.state is before

    jacks = 0
    for seed in range(20):
        rng, played = random.Random(seed), Playing(GAME, Options(), 2 + seed % 3, seed)
        while not played.over:
            played.random_move(rng)
        for event in played.events:
            if isinstance(event, CardPlayed):
                jacks += is_jack(event.card)
                assert (event.wish in tuple(Suit)) == (is_jack(event.card) and event.left > 0)
    assert jacks > 20


@pytest.mark.parametrize(
    ("seats", "jokers", "talon"), [(2, 2, 41), (3, 2, 35), (4, 2, 29), (4, 0, 27)]
)
def test_the_opening_card_was_taken_from_the_deck_twice(
    seats: int, jokers: int, talon: int
) -> None:
    at = dealt(seats, pack(jokers), jokers=jokers).table

    assert (len(at.talon), len(at.pile)) == (talon, 1)
    lying = [*at.talon, *at.pile, *(one for hand in at.hands for one in hand)]
    assert Counter(lying) == Counter(pack(jokers))


def test_after_the_sevens_a_player_without_a_match_had_not_to_take_one_more() -> None:
    match = table("7C 2H KD", "9H 4S 3D", up="5C", talon="KS QS 6D 6H 2C 3C")
    match.do("7C", "draw")
    assert match.table.turn == 1
    assert not match.table.fitting(1)

    match.do("draw")
    assert match.table.turn == 0
    assert drawn(match) == [4, 1]


def test_a_wished_suit_carried_over_into_the_next_game() -> None:
    deck = cards("JC 9S 2D 9H 5H")
    match = dealt(2, deck, cards("9H 9C 5S 9S 5H"), games=2, hand_size=2)
    match.do("announce", "JC:D", "draw", "2D")

    assert match.table.game == 2
    assert match.table.wish is None
    assert match.table.turn == 1
    assert GAME.view(match.state, 1).fitting == cards("5S 9H")
    assert Counter(match.table.hands[1]) == Counter(cards("9H 5S"))


def test_cards_were_asked_from_an_empty_deck() -> None:
    match = table(
        "9H 4S 3D",
        "2H 2S",
        up="5C 7C",
        talon="KS QS",
        reshuffles=[["5C"]],
        more={"pending": 4},
    )
    match.do("draw")

    assert match.table.hands[0][-3:] == cards("KS QS 5C")
    assert (match.table.pending, match.table.turn) == (0, 0)
    match.do("draw")
    assert drawn(match) == [3, 0]


def test_a_player_thrown_out_while_choosing_a_colour_left_a_jack_without_one() -> None:
    match = table("JC 2H KD", "9S 9C 4S")
    match.do("timeout")

    assert card("JC") in match.table.hands[0]
    assert len(match.table.hands[0]) == 5
    assert match.table.wish is None
    assert not is_jack(match.table.upcard)


def test_a_restricted_last_card_could_neither_be_played_nor_exchanged() -> None:
    match = table("JC", "9C 4S", up="JD", more={"wish": Suit.SPADES, "announced": (True, False)})
    assert refused(match, 0, Play(card("JC"))) == "does_not_fit"

    assert kinds(match.do("draw")) == ["CardsDrawn", "TurnStarted"]
    assert match.table.turn == 1


@pytest.mark.parametrize("seed", range(10))
def test_no_match_ends_in_a_deadlock_though_nearly_all_cards_are_dealt(seed: int) -> None:
    rng, options = random.Random(seed), Options(hand_size=12, jokers=seed % 5)
    match = Playing(GAME, options, 4, seed)
    while not match.over:
        assert match.turns
        at = match.state.table
        lying = [*at.talon, *at.pile, *(one for hand in at.hands for one in hand)]
        assert Counter(lying) == Counter(pack(options.jokers))
        match.random_move(rng, timeouts=0.1)


def test_a_single_card_could_be_drawn_facing_a_draw_stack() -> None:
    match = table("9C 4S", "2H 2S", up="7C", more={"pending": 6})
    match.do("draw")

    assert drawn(match) == [6]


def test_drawing_kept_the_turn() -> None:
    match = table("KD QD 9D", "3H 9S QS")
    match.do("draw")

    assert match.table.turn == 1
    assert refused(match, 0, Draw()) == "not_your_turn"


def test_a_game_opened_on_a_wild_that_nobody_could_follow() -> None:
    joker = table("JC 2C KD", "9H 4S 3D", up="X1")
    assert Counter(joker.table.fitting(0)) == Counter(cards("JC 2C KD"))

    jack = table("JC X1 2C KD", "9H 4S 3D", up="JD")
    assert jack.table.fitting(0) == cards("KD")


def test_announcing_with_two_unplayable_cards_was_accepted() -> None:
    match = table("2C KS", "9H 4S 3D")
    with pytest.raises(Illegal, match="announce not now"):
        match.do("announce")

    assert match.table.announced == (False, False)


def test_an_announcement_stayed_after_drawing_and_blocked_the_next_one() -> None:
    match = table("2H KH", "9H 4S 3D", talon="3H 4C 6C 8C 9C")
    match.do("announce", "draw")
    assert match.table.announced == (False, False)

    match.do("draw", "3H", "draw")
    assert len(match.table.hands[0]) == 2
    match.do("announce")
    assert match.table.announced == (True, False)


def test_a_reverse_skipped_with_two_players() -> None:
    match = table("TH 2S 2D", "3H 9D QS")
    match.do("TH")

    assert (match.table.direction, match.table.turn) == (-1, 1)
    assert not any(isinstance(event, SeatSkipped) for event in match.events)


def test_a_reverse_took_effect_one_turn_late() -> None:
    match = table("TH 2S 2D", "3H 9D QS", "4H 4D 4C")

    assert match.do("TH")[-1] == TurnStarted(2, again=False)


@pytest.mark.parametrize("viewer", [0, 2, 3, None])
def test_cards_just_drawn_were_in_the_state_sent_to_the_opponents(viewer: int | None) -> None:
    talon = "2C 9D X1 2D"
    match = table("7C KH 3H", "9H 4S 3D", "6H 6S 6C", "JD QD KD", up="5C", talon=talon)
    match.do("7C", "draw")
    view = GAME.view(match.state, viewer)

    assert view.hand_counts[1] == 7
    assert not any(str(one) in repr(view) for one in cards(talon))
