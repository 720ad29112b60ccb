"""What a seat on turn may do: why a command is refused, and the list of those that are not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spielwerk.cards import AnyCard, Suit
from spielwerk.games.game import Seat
from spielwerk.games.maumau.cards import SUITS, fits, in_order, is_jack
from spielwerk.games.maumau.messages import Announce, Command, Draw, Play
from spielwerk.games.maumau.model import State, Table


def legal(state: State, seat: Seat) -> Sequence[Command]:
    """What the seat may do in its open turn, in canonical order.

    Resign, which is accepted at any time, is not listed. A last card that was not announced is:
    the attempt costs cards (clause 6.4).
    """
    table = state.table
    if table is None or table.turn != seat:
        return ()
    commands: list[Command] = []
    for card in in_order(dict.fromkeys(table.fitting(seat))):
        commands += [Play(card, wish) for wish in _wishes(card, len(table.hands[seat]))]
    if draw_refusal(state, table, seat) is None:
        commands.append(Draw())
    if announce_refusal(state, table, seat) is None:
        commands.append(Announce())
    return tuple(commands)


def play_refusal(table: Table, seat: Seat, card: AnyCard, wish: Suit | None) -> str | None:
    """Why the card may not be laid with the wish (clause 5.9), or None."""
    hand = table.hands[seat]
    if card not in hand:
        return "card_not_in_hand"
    if not fits(card, table.upcard, table.wish, table.pending):
        return "does_not_fit"
    if not is_jack(card):
        return None if wish is None else "wish_not_allowed"
    if len(hand) == 1:
        return None
    if wish is None:
        return "wish_required"
    return None if isinstance(wish, Suit) else "bad_wish"


def draw_refusal(state: State, table: Table, seat: Seat) -> str | None:
    """Why the seat may not draw (clause 5.7), or None."""
    options = state.options
    if table.pending or options.voluntary_draw or not table.fitting(seat):
        return None
    # Who forgot to announce may repair it by drawing.
    slipped = len(table.hands[seat]) == 1 and not table.announced[seat]
    return None if options.announce and slipped else "must_play"


def announce_refusal(state: State, table: Table, seat: Seat) -> str | None:
    """Why the seat may not announce its last card (clause 6.2), or None."""
    if not state.options.announce:
        return "announce_off"
    if table.announced[seat]:
        return "already_announced"
    now = len(table.hands[seat]) == 2 and table.fitting(seat)
    return None if now else "announce_not_now"


def _wishes(card: AnyCard, cards: int) -> Iterator[Suit | None]:
    """What may be said with a fitting card; with a jack as last card anything (it is ignored)."""
    if not is_jack(card) or cards == 1:
        yield None
    if is_jack(card):
        yield from SUITS
