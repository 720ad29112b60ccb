"""Clause 8: what is hidden from whom."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from games.quartett.scripted import SAMPLE, Match, table
from spielwerk.api.v1.games_pb2 import GameEvent, GameView
from spielwerk.codec import game_codec
from spielwerk.errors import Illegal
from spielwerk.games.game import Resign, Seat
from spielwerk.games.quartett import GAME
from spielwerk.games.quartett.messages import Choose, Duel, Event, StackDealt, TopShown
from spielwerk.games.quartett.model import Phase, Stack, State
from spielwerk.games.quartett.options import Options

VIEWERS: tuple[Seat | None, ...] = (0, 1, None)
IDS = set(SAMPLE.card_ids)


def seen(match: Match, viewer: Seat | None) -> list[Event]:
    told = (GAME.redact(match.state.options, event, viewer) for event in match.events)
    return [event for event in told if event is not None]


def cards_in(value: object) -> set[str]:
    """Every card of the sample deck named anywhere inside, but for the deck itself."""
    if isinstance(value, str):
        return {value} & IDS
    if isinstance(value, tuple):
        return {card for item in value for card in cards_in(item)}
    names = getattr(type(value), "__dataclass_fields__", ())
    inner = (getattr(value, name) for name in names if name != "options")
    return {card for item in inner for card in cards_in(item)}


def played(rounds: int) -> Match:
    """The sample deck as it lies in its file, after some rounds of first legal choices."""
    match = Match(Options())
    for _ in range(rounds):
        seat = match.state.turn
        assert seat is not None
        match.give(seat, GAME.legal(match.state, seat)[0])
    return match


def revealed(match: Match) -> set[str]:
    return {card for event in match.events if isinstance(event, Duel) for card in event.cards}


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("rounds", [0, 1, 9])
def test_8_1_a_top_card_is_seen_by_its_owner_alone(viewer: Seat | None, rounds: int) -> None:
    match = played(rounds)
    own = set() if viewer is None else {match.state.stacks[viewer].cards[0]}
    before = set() if viewer is None else {match.state.stacks[viewer].cards[0]} | revealed(match)

    assert cards_in(GAME.view(match.state, viewer)) == own | revealed(match)
    told = {event.card for event in seen(match, viewer) if isinstance(event, TopShown)}
    assert told <= before


@pytest.mark.parametrize("viewer", VIEWERS)
def test_8_1_what_it_may_choose_is_told_to_its_owner_alone(viewer: Seat | None) -> None:
    top = "H4"
    rest = sorted(IDS - {top})
    match = Match(Options()).at(([top, *rest[:15]], rest[15:]))
    view = GAME.view(match.state, viewer)

    banned = ("clip_length", "performer_presence")
    assert view.forbidden == (banned if viewer == 0 else ())
    assert bool(view.allowed) == (viewer is not None)
    if viewer is not None:
        assert (view.top == top) == (viewer == 0)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_8_2_nobody_is_told_a_stack_not_even_the_own_one(viewer: Seat | None) -> None:
    stacks = [event for event in seen(played(0), viewer) if isinstance(event, StackDealt)]

    assert [(event.cards, event.count) for event in stacks] == [((), 16), ((), 16)]


def test_8_2_a_view_has_no_place_for_the_order_of_a_stack() -> None:
    match = played(12)
    for viewer in VIEWERS:
        view = GAME.view(match.state, viewer)
        told = {name for name in type(view).__dataclass_fields__ if cards_in(getattr(view, name))}
        assert told <= {"options", "top", "pot", "duels"}  # the options hold the public deck


@pytest.mark.parametrize("viewer", VIEWERS)
def test_8_3_all_see_sizes_pot_duels_turn_and_the_deck(viewer: Seat | None) -> None:
    match = table("abc edf")
    match.choose("hi", "hi")
    view = GAME.view(match.state, viewer)

    assert view.counts == (5, 1)
    assert view.pot == ()
    assert [(past.cards, past.winner) for past in view.duels] == [
        (("a", "e"), None),
        (("b", "d"), 0),
    ]
    assert (view.turn, view.round) == (0, 3)
    assert view.options.deck.card_ids == tuple("abcdef")
    assert [event for event in seen(match, viewer) if isinstance(event, Duel)] == [
        event for event in match.events if isinstance(event, Duel)
    ]


@pytest.mark.parametrize("category", ["clip_length", "nothing"])
def test_8_4_a_refused_choice_is_no_event(category: str) -> None:
    rest = sorted(IDS - {"H4"})
    match = Match(Options()).at((["H4", *rest[:15]], rest[15:]))
    views = [GAME.view(match.state, viewer) for viewer in VIEWERS]

    with pytest.raises(Illegal):
        match.give(0, Choose(category))
    assert [GAME.view(match.state, viewer) for viewer in VIEWERS] == views


def test_8_after_the_end_the_stacks_stay_closed() -> None:
    match = played(3)
    match.give(0, Resign())

    assert match.state.phase is Phase.OVER
    for viewer in VIEWERS:
        assert cards_in(GAME.view(match.state, viewer)) == revealed(match)


def test_8_a_seat_without_the_turn_has_no_legal_commands() -> None:
    match = table("abc def")

    assert [len(GAME.legal(match.state, seat)) for seat in (0, 1)] == [2, 0]


# Two worlds that differ only in what the viewer may not see


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("seed", range(30))
def test_8_swapping_hidden_cards_changes_nothing_for_the_viewer(
    viewer: Seat | None, seed: int
) -> None:
    one, rng = played(seed % 11), random.Random(seed)
    state = one.state
    places = [(s, n) for s in (0, 1) for n in range(state.counts[s])]
    hidden = [place for place in places if place != (viewer, 0)]
    (seat, place), (other_seat, other_place) = rng.sample(hidden, 2)
    stacks = [list(stack.cards) for stack in state.stacks]  # one card changes place with another
    first, second = stacks[seat][place], stacks[other_seat][other_place]
    stacks[seat][place], stacks[other_seat][other_place] = second, first
    other = replace(state, stacks=(Stack(tuple(stacks[0])), Stack(tuple(stacks[1]))))

    assert other != state
    assert message_bytes(state, viewer) == message_bytes(other, viewer)


def message_bytes(state: State, viewer: Seat | None) -> bytes:
    """What goes over the wire to the viewer."""
    message = GameView()
    game_codec(GAME).fill_view(GAME.view(state, viewer), message)
    return message.SerializeToString(deterministic=True)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_8_no_byte_of_an_event_names_a_card_that_the_viewer_may_not_know(
    viewer: Seat | None,
) -> None:
    match, known = Match(Options()), set()
    for _ in range(12):
        seat = match.state.turn
        assert seat is not None
        told = match.events
        if viewer is not None:
            known.add(match.state.stacks[viewer].cards[0])
        for event in told:
            if isinstance(event, Duel):
                known |= set(event.cards)
        named = b"".join(event_bytes(match, event, viewer) for event in told)
        assert {card for card in IDS if card.encode() in named} <= known
        match.events = []
        match.give(seat, GAME.legal(match.state, seat)[0])


def event_bytes(match: Match, event: Event, viewer: Seat | None) -> bytes:
    told = GAME.redact(match.state.options, event, viewer)
    if told is None:
        return b""
    message = GameEvent()
    game_codec(GAME).fill_event(told, message)
    return message.SerializeToString()
