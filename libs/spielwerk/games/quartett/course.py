"""The course of a match: dealing, one duel after another, the end of a game, the next game."""

from __future__ import annotations

from typing import TypeAlias

from spielwerk.games.game import Context, Script, Seat
from spielwerk.games.quartett.comparing import better_of
from spielwerk.games.quartett.deck import fingerprint
from spielwerk.games.quartett.messages import (
    Duel,
    Event,
    GameEnded,
    GameStarted,
    StackDealt,
    TopShown,
    TurnStarted,
)
from spielwerk.games.quartett.model import SEATS, EndReason, Phase, State

Steps: TypeAlias = Script[State, Event]


def begin_match(steps: Steps, context: Context) -> None:
    """Find who chooses first (clause 2.3) and deal."""
    first = _human_against_bot(context)
    _start_game(steps, context, context.chance.choose("first", SEATS) if first is None else first)


def duel(steps: Steps, context: Context, category_id: str, *, auto: bool = False) -> None:
    """Reveal and compare the top cards (clause 3), then go on to the next choice or the end."""
    state, deck = steps.state, steps.state.options.deck
    chooser, place = state.turn, deck.place(category_id)
    assert chooser is not None, "somebody is on turn"
    assert place is not None, "the choice was checked"
    cards = tuple(stack.cards[0] for stack in state.stacks)
    values = tuple(deck.card(card_id).values[place] for card_id in cards)
    winner = better_of(deck.categories[place], *values)
    gained = () if winner is None else (cards[winner], cards[1 - winner], *state.pot)
    steps.emit(Duel(state.round, chooser, category_id, cards, values, winner, gained, auto))
    if ending := _ending(steps.state):
        end_game(steps, context, winner=ending[0], reason=ending[1])
    else:
        _open_turn(steps, 1 - chooser if winner is None else winner, state.round + 1)


def end_game(steps: Steps, context: Context, *, winner: Seat | None, reason: EndReason) -> None:
    """Close the game; start the next one if the series goes on (clause 6)."""
    state = steps.state
    steps.emit(GameEnded(state.game_no, winner, reason, state.counts, state.pot))
    if steps.state.phase is not Phase.OVER:
        assert state.series.first is not None, "a game has a first chooser"
        _start_game(steps, context, 1 - state.series.first)


def _human_against_bot(context: Context) -> Seat | None:
    """The only person at the table chooses first."""
    people = [seat for seat in SEATS if seat not in context.bots]
    return people[0] if len(people) == 1 else None


def _start_game(steps: Steps, context: Context, first: Seat) -> None:
    """Shuffle; cards go one by one, seat 0 gets the first, and that one lies on top."""
    deck, game_no = steps.state.options.deck, steps.state.game_no + 1
    order = context.chance.shuffle(f"deal/{game_no}", deck.card_ids)
    stacks = [order[seat::2] for seat in SEATS]
    counts = tuple(map(len, stacks))
    steps.emit(GameStarted(game_no, deck.id, fingerprint(deck), counts, first))
    for seat in SEATS:
        steps.emit(StackDealt(seat, stacks[seat], counts[seat]))
    _open_turn(steps, first, 1)


def _open_turn(steps: Steps, seat: Seat, number: int) -> None:
    steps.emit(TurnStarted(seat, number))
    for owner in SEATS:
        steps.emit(TopShown(owner, steps.state.stacks[owner].cards[0]))


def _ending(state: State) -> tuple[Seat | None, EndReason] | None:
    """Clause 5: an empty stack has lost, two empty ones are a draw, then the limit of rounds."""
    mine, theirs = state.counts
    if not mine and not theirs:
        return None, EndReason.ALL_IN_POT
    if not mine or not theirs:
        return (0 if mine else 1), EndReason.NO_CARDS
    if state.options.max_rounds and state.round >= state.options.max_rounds:
        larger = None if mine == theirs else (0 if mine > theirs else 1)
        return larger, EndReason.ROUND_LIMIT
    return None
