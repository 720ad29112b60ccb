"""Bugs that other programs of this game had, each with its concrete case."""

from __future__ import annotations

from dataclasses import replace

import pytest

from games.quartett.scripted import SAMPLE, deck_of, mini, table
from spielwerk.errors import Illegal
from spielwerk.games.quartett import GAME
from spielwerk.games.quartett.comparing import Forbid, better_of, forbidden
from spielwerk.games.quartett.deck import Category, Kind, Value, Wins
from spielwerk.games.quartett.fileform import number_of
from spielwerk.games.quartett.messages import Choose, Duel


def category(wins: Wins, kind: Kind = Kind.INTEGER, scale: int = 0) -> Category:
    return Category("c", "c", kind, wins, scale)


def test_whoever_chose_the_category_nearly_always_won_since_most_cards_held_a_top_value() -> None:
    match = table("abc def", deck=mini("a 9/3 b 5/5 c 5/3 d 4/7 e 8/7 f 8/4"))
    before = match.state

    with pytest.raises(Illegal) as refused:
        match.give(0, Choose("hi"))
    assert refused.value.reason == "category_forbidden"
    assert match.state == before

    shared = table("abc def")  # e has nine, too
    assert shared.give(0, Choose("hi"))


def test_only_five_of_thirty_two_cards_are_barred_from_anything() -> None:
    barred = [card for card in SAMPLE.cards if forbidden(SAMPLE, card, Forbid.BEST)]

    assert len(barred) == 5


@pytest.mark.parametrize(("wins", "winner"), [(Wins.HIGHER, 1), (Wins.LOWER, 0)])
def test_numbers_above_nine_were_ordered_as_text(wins: Wins, winner: int) -> None:
    assert better_of(category(wins), Value(9), Value(10)) == winner
    eggs = category(wins, Kind.DECIMAL, 1)
    nine, ten = (Value(number_of(Kind.DECIMAL, 1, text)) for text in ("9.5", "10.0"))
    assert better_of(eggs, nine, ten) == winner


def test_it_was_unclear_when_a_joker_like_card_wins_outright() -> None:
    """H4 has the longest clip: it may not say so, but wins when it is asked."""
    others = [card_id for card_id in SAMPLE.card_ids if card_id not in ("H4", "A1")]
    match = table("a d").at((["H4", *others[::2]], ["A1", *others[1::2]]))
    match.state = replace(match.state, options=GAME.options())

    with pytest.raises(Illegal, match="category forbidden"):
        match.give(0, Choose("clip_length"))

    match.state = replace(match.state, turn=1)
    (duel, *_) = match.give(1, Choose("clip_length"))
    assert isinstance(duel, Duel)
    assert (duel.values[0].number, duel.winner) == (415, 0)


def test_ga_06_a_list_of_bans_drifted_with_the_cards_still_in_play() -> None:
    """What is forbidden follows from the stored deck, wherever its cards are."""
    match = table("afb ecd")
    before = {card: forbidden(mini(), mini().card(card), Forbid.BEST) for card in "abcdef"}
    for choice in ("hi", "lo"):
        match.choose(choice)
        for seat in (0, 1):
            view = GAME.view(match.state, seat)
            assert view.top is not None
            assert view.forbidden == before[view.top]


def test_values_with_units_were_compared_as_they_are_written() -> None:
    deck = deck_of(
        {
            "schema": "quartett-deck/1",
            "id": "units",
            "title": "units",
            "language": "en",
            "categories": [
                {
                    "id": "own",
                    "label": "Own",
                    "kind": "integer",
                    "per_card_label": True,
                    "wins": "higher",
                }
            ],
            "cards": [
                {"id": "a", "title": "a", "values": {"own": {"label": "per cent", "value": 70}}},
                {"id": "b", "title": "b", "values": {"own": {"label": "teeth", "value": 9}}},
            ],
        }
    )

    assert better_of(deck.categories[0], *(card.values[0] for card in deck.cards)) == 0
