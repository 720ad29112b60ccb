"""Clause 12: what is hidden from whom."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from games.guandan.scripted import Match, after_deal, card, cards, return_of, table, whole
from spielwerk.api.games.guandan.v1 import guandan_pb2
from spielwerk.cards import AnyCard, Card, Joker
from spielwerk.codec.mapping import codec, union_codec
from spielwerk.games.game import Seat
from spielwerk.games.guandan import GAME
from spielwerk.games.guandan.cards import PACK
from spielwerk.games.guandan.messages import (
    EVENTS,
    CardReturned,
    DealEnded,
    DealStarted,
    Event,
    NextDeal,
    TributeCancelled,
    TributePaid,
)
from spielwerk.games.guandan.model import Holding
from spielwerk.games.guandan.options import Options
from spielwerk.games.guandan.views import View

VIEWERS: tuple[Seat | None, ...] = (0, 1, 2, 3, None)
EVERY_VIEWER = pytest.mark.parametrize("viewer", VIEWERS)


def seen(match: Match, viewer: Seat | None) -> list[Event]:
    return [GAME.redact(match.state.options, event, viewer) for event in match.events]  # type: ignore[misc]


def cards_in(value: Any) -> Iterator[AnyCard]:
    """Every card anywhere inside a view or an event."""
    if isinstance(value, Card | Joker):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from cards_in(item)
    else:
        for name in getattr(type(value), "__dataclass_fields__", ()):
            yield from cards_in(getattr(value, name))


def returned(viewer: Seat | None, **options: Any) -> tuple[Match, AnyCard | None]:
    """A match after the single return from 0 to 3, and the card in the viewer's event."""
    match = after_deal((0, 1, 2, 3), whole("3S", "AS", "4S", "AD"), level="9", **options)
    match.give(0, NextDeal())
    match.give(0, return_of("3S"))
    event = next(e for e in seen(match, viewer) if isinstance(e, CardReturned))
    return match, event.card


@EVERY_VIEWER
def test_12_1_a_hand_is_dealt_to_its_seat_alone(viewer: Seat | None) -> None:
    match = Match().begin()
    dealt = next(event for event in seen(match, viewer) if isinstance(event, DealStarted))
    original = match.told(DealStarted)[0]

    expected = () if viewer is None else (original.hands[viewer],)
    assert dealt.hands == expected


@EVERY_VIEWER
def test_12_1_a_view_holds_the_own_hand_alone_and_all_counts(viewer: Seat | None) -> None:
    match = Match(leader=2).begin()
    match.expire(2)
    view = GAME.view(match.state, viewer)

    assert view.hand == (() if viewer is None else match.hands[viewer])
    assert view.hand_counts == (27, 27, 26, 27)
    laid = match.state.table.top
    assert laid is not None
    assert list(cards_in(view)) == [
        *view.hand,
        *laid.combination.cards,
        *laid.combination.cards,
    ]


@EVERY_VIEWER
def test_12_1_two_worlds_that_differ_in_others_hands_look_the_same(viewer: Seat | None) -> None:
    """The bytes on the wire depend on nothing that the viewer may not know."""
    rng = random.Random(f"worlds {viewer}")
    for _ in range(10):
        deck = rng.sample(PACK, len(PACK))
        places = [place for place in range(108) if place % 4 != viewer]
        one, other = rng.sample(places, 2)
        swapped = list(deck)
        swapped[one], swapped[other] = swapped[other], swapped[one]
        worlds = [Match(decks={"deal/1/1": tuple(pack)}).begin() for pack in (deck, swapped)]

        assert wire(worlds[0], viewer) == wire(worlds[1], viewer)


def wire(match: Match, viewer: Seat | None) -> list[bytes]:
    views = codec(View, guandan_pb2.View.DESCRIPTOR)
    events = union_codec(EVENTS, guandan_pb2.Event.DESCRIPTOR)
    messages = [views.write(GAME.view(match.state, viewer))]
    messages += [events.write(event) for event in seen(match, viewer)]
    return [message.SerializeToString(deterministic=True) for message in messages]


@EVERY_VIEWER
def test_12_2_plays_tribute_and_tricks_are_public(viewer: Seat | None) -> None:
    match = after_deal((0, 2, 1, 3), whole("3S", "AS", "4S BJ", "AD"), level="9")
    match.give(1, NextDeal())
    match.give_all_back()
    for _ in range(9):
        match.expire(min(GAME.turns(match.state)))

    private = (DealStarted,)
    for event, shown in zip(match.events, seen(match, viewer), strict=True):
        assert shown == event or isinstance(event, private)
    view = GAME.view(match.state, viewer)
    assert view.moves == match.state.table.moves
    assert view.tribute == match.state.tribute
    assert {type(event) for event in match.events} >= {TributePaid, CardReturned}


@EVERY_VIEWER
def test_12_2_the_red_jokers_of_a_cancelled_tribute_are_shown(viewer: Seat | None) -> None:
    match = after_deal((0, 1, 2, 3), whole("3S", "AS", "4S", "RJ RJ"), level="9")
    match.give(0, NextDeal())

    shown = [event for event in seen(match, viewer) if isinstance(event, TributeCancelled)]
    assert shown == match.told(TributeCancelled)
    assert GAME.view(match.state, viewer).tribute.red_jokers == shown[0].red_jokers


@EVERY_VIEWER
def test_9_7_a_private_return_is_seen_by_the_two_seats_alone(viewer: Seat | None) -> None:
    match, shown = returned(viewer, return_private=True)
    allowed = viewer in (0, 3)
    in_view = GAME.view(match.state, viewer).tribute.returned[0].card

    assert shown == in_view == (card("3S") if allowed else None)
    assert match.state.tribute.returned[0].card == card("3S")


@EVERY_VIEWER
def test_12_2_a_return_is_public_by_default(viewer: Seat | None) -> None:
    assert returned(viewer)[1] == card("3S")


@EVERY_VIEWER
def test_12_3_what_the_fourth_still_holds_is_shown_at_the_end_of_the_deal(
    viewer: Seat | None,
) -> None:
    match = table("3S", "4S", "5S", "8S 9S")
    match.plays("3S", "4S", "5S")

    ended = next(event for event in seen(match, viewer) if isinstance(event, DealEnded))
    assert ended.last_hand == cards("8S 9S")
    last = GAME.view(match.state, viewer).last_deal
    assert last is not None
    assert last.last_hand == ended.last_hand


def test_12_4_legal_commands_are_listed_for_the_seat_on_turn_alone() -> None:
    match = Match(leader=1).begin()

    assert [bool(GAME.legal(match.state, seat)) for seat in range(4)] == [False, True, False, False]


def test_12_4_a_view_does_not_depend_on_what_others_could_play() -> None:
    pair = ("3S 4S", "KS KD", "5S", "6S")
    lone = ("3S 4S", "KS QD", "5S", "6S")
    views = [GAME.view(table(*hands).state, 0) for hands in (pair, lone)]

    assert views[0] == views[1]


@EVERY_VIEWER
def test_12_5_nobody_sees_the_order_of_the_pack(viewer: Seat | None) -> None:
    match = Match().begin()
    dealt = next(event for event in seen(match, viewer) if isinstance(event, DealStarted))

    assert len(list(cards_in(dealt))) <= 27
    assert all(isinstance(holding, Holding) and holding.seat == viewer for holding in dealt.hands)


def test_before_the_first_deal_a_view_is_empty() -> None:
    state = GAME.setup(Options(), 4)

    assert list(cards_in(GAME.view(state, 0))) == []
