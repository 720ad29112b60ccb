"""Clause 11: what is hidden from whom, in views, events and lists of commands."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from games.maumau.scripted import Match, card, cards, dealt, table
from games.playing import Playing
from spielwerk.api.games.maumau.v1 import maumau_pb2
from spielwerk.cards import AnyCard, Card, Joker, Suit
from spielwerk.codec import codec, union_codec
from spielwerk.games.game import Resign, Seat
from spielwerk.games.maumau import GAME
from spielwerk.games.maumau.cards import pack
from spielwerk.games.maumau.messages import (
    AnnouncementMissed,
    CardsDrawn,
    Event,
    GameEnded,
    GameStarted,
    HandDealt,
    Play,
    TalonReshuffled,
)
from spielwerk.games.maumau.options import FirstUpcard, Options

VIEWERS: tuple[Seat | None, ...] = (0, 1, 2, 3, None)
HANDS = ("7H KH 3H", "9H 4S 3D", "6H 6S 6C", "JD QD KD")


def seen(match: Match, viewer: Seat | None) -> list[Event | None]:
    return [GAME.redact(match.state.options, event, viewer) for event in match.events]


def cards_in(value: object) -> Counter[AnyCard]:
    """Every card anywhere inside a view or an event."""
    if isinstance(value, Card | Joker):
        return Counter([value])
    if isinstance(value, tuple):
        return sum((cards_in(item) for item in value), Counter())
    names = getattr(type(value), "__dataclass_fields__", ())
    return sum((cards_in(getattr(value, name)) for name in names), Counter())


@pytest.mark.parametrize("viewer", VIEWERS)
def test_11_1_a_hand_is_seen_by_its_owner_alone(viewer: Seat | None) -> None:
    match = table(*HANDS)
    view = GAME.view(match.state, viewer)

    assert view.hand_counts == (3, 3, 3, 3)
    own = () if viewer is None else match.table.hands[viewer]
    assert Counter(view.hand) == Counter(own)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_11_1_dealt_cards_are_seen_by_their_owner_alone(viewer: Seat | None) -> None:
    match = dealt(4, pack(2))
    hands = [event for event in seen(match, viewer) if isinstance(event, HandDealt)]

    assert [(e.count, len(e.cards)) for e in hands] == [
        (6, 6 if event.seat == viewer else 0) for event in hands
    ]


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("move", ["draw", "timeout"])
def test_11_2_taken_cards_are_seen_by_their_owner_alone(viewer: Seat | None, move: str) -> None:
    match = table(*HANDS, talon="2C 9D X1 2D")
    match.do("7H", move, move)
    drawn = [event for event in seen(match, viewer) if isinstance(event, CardsDrawn)]

    assert [(e.seat, e.count) for e in drawn] == [(1, 2), (1, 1 if move == "draw" else 2)]
    assert [e.cards for e in drawn] == [
        event.cards if viewer == 1 else ()
        for event in match.events
        if isinstance(event, CardsDrawn)
    ]


@pytest.mark.parametrize("viewer", VIEWERS)
def test_11_3_the_card_of_a_missed_announcement_is_seen_by_its_owner_alone(
    viewer: Seat | None,
) -> None:
    match = table("KH", "9H 4S 3D", "6H 6S 6C", "JD QD KD")
    match.do("KH")

    missed = [event for event in seen(match, viewer) if isinstance(event, AnnouncementMissed)]
    assert missed == [AnnouncementMissed(0, card("KH") if viewer == 0 else None)]


@pytest.mark.parametrize("viewer", VIEWERS)
def test_11_4_what_lies_open_is_seen_by_all(viewer: Seat | None) -> None:
    match = table("JH TH 3H", "9H TS 4H", "2H 4S", "JD QD KD")
    match.do("TH")
    match.give(3, Play(card("JD"), Suit.HEARTS))
    match.do("announce", "2H")
    match.do("4H")
    view = GAME.view(match.state, viewer)

    assert view.pile == cards("5H TH JD 2H 4H")
    assert (view.turn, view.turn_no, view.direction) == (0, 5, -1)
    assert (view.wish, view.pending, view.again) == (None, 0, False)
    assert view.announced == (False, False, True, False)
    assert view.hand_counts == (2, 2, 1, 2)
    assert view.talon_count == len(match.table.talon)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_11_4_wish_and_pending_sevens_are_seen_by_all(viewer: Seat | None) -> None:
    match = table("JH TH 3H", "9S 7S 4H", "2H 4S", "JD QD KD")
    match.do("JH:S")
    assert GAME.view(match.state, viewer).wish is Suit.SPADES

    match.do("7S")
    assert GAME.view(match.state, viewer).pending == 4


@pytest.mark.parametrize("viewer", VIEWERS)
def test_11_5_the_order_of_deck_and_reshuffle_is_seen_by_nobody(viewer: Seat | None) -> None:
    match = table("2H KS", "9H 4S", up="4C 6C 5H", talon="", reshuffles=[["6C", "4C"]])
    match.do("draw")
    shuffled = [e for e in seen(match, viewer) if isinstance(e, TalonReshuffled)]
    assert shuffled == [TalonReshuffled(2, ())]

    begun = [e for e in seen(dealt(4, pack(2)), viewer) if isinstance(e, GameStarted)]
    assert begun == [GameStarted(1, 0, ())]


@pytest.mark.parametrize("viewer", VIEWERS)
def test_11_6_all_hands_are_seen_when_the_game_has_ended(viewer: Seat | None) -> None:
    match = table("KH", *HANDS[1:], more={"announced": (True, False, False, False)})
    match.do("KH")
    view = GAME.view(match.state, viewer)

    assert view.last is not None
    assert [holding.cards for holding in view.last.hands] == [(), *map(cards, HANDS[1:])]
    ended = [event for event in seen(match, viewer) if isinstance(event, GameEnded)]
    assert ended[0].hands == view.last.hands


@pytest.mark.parametrize("viewer", VIEWERS)
def test_11_7_which_cards_fit_is_told_to_their_owner_on_its_turn(viewer: Seat | None) -> None:
    match = table("KH 9D 3H X1", "9H 4S 3D", "6H 6S 6C", "JD QD KD")

    assert GAME.view(match.state, viewer).fitting == (cards("3H KH X1") if viewer == 0 else ())


@pytest.mark.parametrize("seed", range(12))
def test_a_random_match_shows_nobody_a_card_that_it_was_not_told(seed: int) -> None:
    """Views and offered commands name no card but those of the events that the viewer got."""
    rng = random.Random(f"visible {seed}")
    options = Options(games=2, max_turns=60, first_upcard=rng.choice(list(FirstUpcard)))
    match = Playing(GAME, options, rng.choice((2, 3, 4)), seed)
    told: dict[Seat | None, set[AnyCard]] = {viewer: set() for viewer in match.viewers}
    news, untold = tuple(match.events), 0
    while not match.over:
        for viewer in match.viewers:
            told[viewer] |= set(cards_in(tuple(match.seen(news, viewer))))
            offered = () if viewer is None else GAME.legal(match.state, viewer)
            named = cards_in((GAME.view(match.state, viewer), tuple(offered)))
            assert set(named) <= told[viewer]
            untold += len(set(pack(2)) - told[viewer])
        if rng.random() < 0.01:
            news = match.give(rng.choice(match.state.active), Resign())
        else:
            news = match.random_move(rng, timeouts=0.1)
    assert untold


@pytest.mark.parametrize("viewer", [0, 2, 3, None])
def test_no_card_taken_for_sevens_is_in_the_bytes_that_others_get(viewer: Seat | None) -> None:
    """Views and events are compared byte by byte with those of another world in which seat 1
    takes other cards."""
    worlds = []
    for talon in ("2C 9D X1 2D 4C", "AC AD X2 QC 8C"):
        match = table("7C KH 3H", "9H 4S 3D", "6H 6S 6C", "JD QD KD", up="5C", talon=talon)
        match.do("7C", "draw")
        worlds.append(match)
    sent = [on_the_wire(match, viewer) for match in worlds]

    assert sent[0] == sent[1]
    assert on_the_wire(worlds[0], 1) != on_the_wire(worlds[1], 1)


def on_the_wire(match: Match, viewer: Seat | None) -> list[bytes]:
    views = codec(GAME.view_type, maumau_pb2.View.DESCRIPTOR)
    events = union_codec(GAME.events, maumau_pb2.Event.DESCRIPTOR)
    view = views.write(GAME.view(match.state, viewer)).SerializeToString(deterministic=True)
    return [
        view,
        *(events.write(e).SerializeToString(deterministic=True) for e in seen(match, viewer)),
    ]


def test_a_left_seat_still_sees_its_own_cards_alone() -> None:
    match = table(*HANDS)
    match.give(1, Resign())

    assert Counter(GAME.view(match.state, 1).hand) == Counter(cards(HANDS[1]))
    assert GAME.view(match.state, 2).left == (1,)
    assert card("9H") not in cards_in(GAME.view(match.state, 0))
