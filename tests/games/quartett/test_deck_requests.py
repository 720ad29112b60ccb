"""Clauses 1.3 and 10.9: decks that come with a request, by id or whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from games.quartett.scripted import SAMPLE, mini
from spielwerk.api.v1.games_pb2 import GameOptions
from spielwerk.codec import game_codec
from spielwerk.errors import BadOptions
from spielwerk.games.options import defaults
from spielwerk.games.quartett import GAME
from spielwerk.games.quartett.deck import Deck, Kind, Value
from spielwerk.games.quartett.options import Options

REQUEST_LIMIT = 64 * 1024


def changed(deck: Deck, **values: Any) -> Deck:
    return replace(deck, **values)


@pytest.mark.parametrize(
    ("deck", "code"),
    [
        (changed(mini(), cards=mini().cards[:3]), "odd_number_of_cards"),
        (changed(mini(), cards=mini().cards[:1] * 2), "duplicate_card"),
        (changed(mini(), cards=()), "too_few_cards"),
        (changed(mini(), categories=mini().categories[:1] * 2), "duplicate_category"),
        (changed(mini(), categories=()), "no_categories"),
        (changed(mini(), categories=mini().categories[:1]), "unknown_value"),
        (changed(mini(), categories=(*mini().categories, SAMPLE.categories[0])), "missing_value"),
        (changed(mini(), id="Two Words"), "schema"),
        (changed(mini(), title="\x1b[31m"), "schema"),
        (changed(mini(), language=""), "schema"),
    ],
)
def test_10_9_an_unfit_deck_in_a_request_is_refused(deck: Deck, code: str) -> None:
    with pytest.raises(BadOptions, match=code) as refused:
        Options(deck=deck)
    assert refused.value.metadata == {"option": "deck"}


@pytest.mark.parametrize(
    ("changes", "value", "code"),
    [
        ({"kind": Kind.DATE}, Value(20010229), "value_type"),
        ({"kind": Kind.DATE}, Value(-5), "value_type"),
        ({"kind": Kind.DECIMAL, "scale": 7}, Value(1), "scale"),
        ({"scale": 1}, Value(1), "scale"),
        ({"minimum": 2}, Value(1), "out_of_range"),
        ({"maximum": 0}, Value(1), "out_of_range"),
        ({"maximum": 10**18}, Value(1), "out_of_range"),
        ({}, Value(10**18), "out_of_range"),
        ({"per_card_label": True}, Value(1), "label"),
        ({}, Value(1, "teeth"), "value_type"),
        ({"label": ""}, Value(1), "schema"),
    ],
)
def test_10_9_unfit_values_in_a_request_are_refused(
    changes: dict[str, Any], value: Value, code: str
) -> None:
    deck = mini("a 1/1 b 1/1")
    category = replace(deck.categories[0], **changes)
    cards = tuple(replace(card, values=(value, Value(1))) for card in deck.cards)

    with pytest.raises(BadOptions, match=code):
        Options(deck=replace(deck, categories=(category, deck.categories[1]), cards=cards))


@pytest.mark.parametrize("mode", ["queue", "room", "practice"])
def test_1_3_a_request_with_an_id_alone_becomes_options_with_the_whole_deck(mode: str) -> None:
    codec, request = game_codec(GAME), GameOptions()
    request.quartett.deck_id = "nirgendbruecken"
    complete = GameOptions()
    codec.fill_options(codec.read_options(request, defaults(GAME.options, mode)), complete)

    assert len(complete.quartett.deck.cards) == 24
    assert codec.read_options(complete) == Options(deck_id="nirgendbruecken")
    assert complete.ByteSize() < REQUEST_LIMIT


def test_1_3_the_file_of_a_deck_is_not_needed_for_options_that_hold_it() -> None:
    """An edited or missing file changes no match that has begun."""
    codec = game_codec(GAME)
    edited = replace(SAMPLE, cards=(*SAMPLE.cards[1:], SAMPLE.cards[0]))
    for deck in (edited, replace(SAMPLE, id="no-longer-installed")):
        stored = GameOptions()
        codec.fill_options(Options(deck=deck), stored)
        assert codec.read_options(stored).deck == deck
