"""Clause 10: what is hidden from whom."""

from __future__ import annotations

import random

import pytest

from games.cribbage.scripted import Match, cards, dealt, kept
from spielwerk.api.v1.games_pb2 import GameEvent, GameView
from spielwerk.cards import Card, french_pack
from spielwerk.codec import game_codec
from spielwerk.games.cribbage import GAME
from spielwerk.games.cribbage.messages import (
    CardsDealt,
    CribDiscarded,
    DealStarted,
    Discard,
    Event,
    GameEnded,
    GoDeclared,
    HandCounted,
)
from spielwerk.games.cribbage.model import Cards, Counted, Holding, Phase
from spielwerk.games.cribbage.options import Options
from spielwerk.games.cribbage.views import View
from spielwerk.games.game import Resign, Seat

LOW = ("AC 2C 3C 4C 5C 6C", "AD 2D 3D 4D 5D 6D")
VIEWERS: tuple[Seat | None, ...] = (0, 1, None)


def seen(match: Match, viewer: Seat | None) -> list[Event | None]:
    return [GAME.redact(match.state.options, event, viewer) for event in match.events]


def cards_in(value: object) -> set[Card]:
    """Every card anywhere inside a view or an event."""
    if isinstance(value, Card):
        return {value}
    if isinstance(value, tuple):
        return {card for item in value for card in cards_in(item)}
    names = getattr(type(value), "__dataclass_fields__", ())
    return {card for name in names for card in cards_in(getattr(value, name))}


@pytest.mark.parametrize("viewer", VIEWERS)
def test_10_1_only_the_owner_sees_the_cards_dealt(viewer: Seat | None) -> None:
    match = dealt(*LOW)
    hands = {e.seat: e for e in seen(match, viewer) if isinstance(e, CardsDealt)}

    for seat in (0, 1):
        assert hands[seat].count == 6
        assert set(hands[seat].cards) == (set(cards(LOW[seat])) if seat == viewer else set())


@pytest.mark.parametrize("viewer", VIEWERS)
def test_10_1_only_the_owner_sees_its_discards_and_all_see_that_it_has_discarded(
    viewer: Seat | None,
) -> None:
    match = dealt(*LOW)
    match.give(0, Discard(cards("AC 2C")))

    discarded = [event for event in seen(match, viewer) if isinstance(event, CribDiscarded)]
    assert discarded == [CribDiscarded(0, cards("AC 2C") if viewer == 0 else (), 2)]
    view = GAME.view(match.state, viewer)
    assert view.discarded == (True, False)
    assert view.hand_counts == (4, 6)
    assert view.discards == (cards("AC 2C") if viewer == 0 else ())


@pytest.mark.parametrize("viewer", VIEWERS)
def test_10_1_a_view_holds_no_card_that_its_viewer_may_not_know(viewer: Seat | None) -> None:
    match = kept("KC KD QC QD", "9H 9S 8H 8S", starter="2C", dealer=0)
    match.play("9H", "KC")
    assert match.state.deal is not None
    own = set() if viewer is None else set(match.state.deal.dealt[viewer])

    assert cards_in(GAME.view(match.state, viewer)) == own | set(cards("9H KC 2C"))


@pytest.mark.parametrize("viewer", VIEWERS)
def test_10_2_the_starter_is_seen_after_both_discards_only(viewer: Seat | None) -> None:
    match = dealt(*LOW, starter="9S")
    match.give(0, Discard(cards("AC 2C")))
    assert GAME.view(match.state, viewer).starter is None

    match.give(1, Discard(cards("AD 2D")))
    assert GAME.view(match.state, viewer).starter == Card.parse("9S")


@pytest.mark.parametrize("viewer", VIEWERS)
def test_10_2_laid_cards_are_seen_by_all(viewer: Seat | None) -> None:
    match = kept("KC KD QC QD", "9H 9S 8H 8S", starter="2C", dealer=0)
    match.play("9H", "KC")
    view = GAME.view(match.state, viewer)

    assert [(laid.seat, str(laid.card), laid.count) for laid in view.played] == [
        (1, "9H", 9),
        (0, "KC", 19),
    ]
    assert view.seq == view.played
    assert (view.count, view.turn, view.last_player) == (19, 1, 0)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_10_3_all_see_the_crib_when_it_is_counted(viewer: Seat | None) -> None:
    match = kept("KC KD QC QD", "9H 9S 8H 8S", starter="2C", dealer=0)
    assert match.state.deal is not None
    crib = match.state.deal.crib
    match.play("9H", "KC", "9S", "KD", "8H", "QC", "8S", "QD")

    counts = [event for event in seen(match, viewer) if isinstance(event, HandCounted)]
    assert counts[-1].what is Counted.CRIB
    assert counts[-1].cards == crib
    assert len(GAME.view(match.state, viewer).last_show) == 3


@pytest.mark.parametrize("viewer", VIEWERS)
def test_10_4_an_early_end_opens_crib_and_unplayed_cards(viewer: Seat | None) -> None:
    match = dealt(*LOW)
    match.give(0, Discard(cards("AC 2C")))
    match.give(1, Resign())

    ended = seen(match, viewer)[-1]
    assert isinstance(ended, GameEnded)
    assert [set(holding.cards) for holding in ended.unplayed] == [
        set(cards("3C 4C 5C 6C")),
        set(cards(LOW[1])),
    ]
    assert ended.crib == (Holding(0, cards("AC 2C")), Holding(1, ()))
    view = GAME.view(match.state, viewer)
    assert (view.unplayed, view.crib) == (ended.unplayed, ended.crib)


def test_10_4_during_the_match_a_view_opens_neither() -> None:
    match = dealt(*LOW, games_to_win=2)

    assert {(v.unplayed, v.crib) for v in (GAME.view(match.state, s) for s in VIEWERS)} == {
        ((), ())
    }


@pytest.mark.parametrize("viewer", VIEWERS)
def test_10_5_nobody_sees_the_deck(viewer: Seat | None) -> None:
    match = dealt(*LOW)

    assert [e.deck for e in seen(match, viewer) if isinstance(e, DealStarted)] == [()]


@pytest.mark.parametrize("viewer", VIEWERS)
def test_10_6_a_go_is_seen_by_all_and_stays_in_the_view(viewer: Seat | None) -> None:
    match = kept("AC 2C 3C 4C", "KD QD JD TD", dealer=0)
    match.play("KD", "AC", "QD", "2C")

    assert GoDeclared(1, auto=True) in seen(match, viewer)
    goes = GAME.view(match.state, viewer).goes
    assert [(go.seat, go.count, go.after) for go in goes] == [(1, 23, 4)]


def test_10_a_seat_without_an_open_turn_has_no_legal_commands() -> None:
    match = kept("KC KD QC QD", "9H 9S 8H 8S", dealer=0)

    assert [len(GAME.legal(match.state, seat)) for seat in (0, 1)] == [0, 4]


# Two worlds that differ only in what the viewer may not see


def swapped(order: Cards, first: int, second: int) -> Cards:
    items = list(order)
    items[first], items[second] = items[second], items[first]
    return tuple(items)


def world(order: Cards) -> Match:
    return Match(Options(), decks={"cut/1/1": cards("AC KD"), "deal/1/1": order})


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("discarding", [(0,), (1,), (0, 1)])
def test_10_swapping_hidden_cards_changes_nothing_for_the_viewer(
    viewer: Seat | None, seed: int, discarding: tuple[Seat, ...]
) -> None:
    rng = random.Random(seed)
    order = tuple(rng.sample(french_pack(), 52))
    visible = set() if viewer is None else set(range(1 - viewer, 12, 2))  # seat 0 deals
    if len(discarding) == 2:
        visible.add(12)  # the starter is up
    hidden = [place for place in range(52) if place not in visible]
    one, other = world(order), world(swapped(order, *rng.sample(hidden, 2)))

    for match in (one, other):
        for seat in discarding:
            match.give(seat, Discard(match.state.table.hand[seat][:2]))

    assert one.state != other.state
    assert message_bytes(one, viewer) == message_bytes(other, viewer)


def message_bytes(match: Match, viewer: Seat | None) -> list[bytes]:
    """What goes over the wire to the viewer: the view and every event."""
    codec = game_codec(GAME)
    view = GameView()
    codec.fill_view(GAME.view(match.state, viewer), view)
    written = [view.SerializeToString(deterministic=True)]
    for event in seen(match, viewer):
        message = GameEvent()
        codec.fill_event(event, message)
        written.append(message.SerializeToString(deterministic=True))
    return written


def test_10_a_spectator_sees_no_more_than_both_seats() -> None:
    match = kept("KC KD QC QD", "9H 9S 8H 8S", starter="2C", dealer=0)
    match.play("9H", "KC")
    spectator = cards_in(GAME.view(match.state, None))

    assert spectator <= cards_in(GAME.view(match.state, 0)) & cards_in(GAME.view(match.state, 1))


def test_before_the_first_deal_a_view_is_empty() -> None:
    state = GAME.setup(Options(), 2)

    assert GAME.view(state, 0) == View(seat=0, options=Options(), phase=Phase.CUT_FOR_DEAL)
