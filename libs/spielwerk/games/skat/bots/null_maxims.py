"""The usual maxims of Null: the declarer stays below, the defenders stay below the declarer."""

from __future__ import annotations

from spielwerk.games.skat.bots.maxims import Trick
from spielwerk.games.skat.bots.spaces import Space, highest


def lay_null(space: Space, hand: int, trick: Trick, unseen: int, declarer_place: int) -> int:
    """The card of the hand for this trick; the declarer plays in the given place of it."""
    place = len(trick)
    if not trick:
        return _lowest(space, hand) if declarer_place else _least_exposed(space, hand, unseen)
    suit = space.suit[trick[0]]
    legal = hand & suit
    if not legal:
        return _most_exposed(space, hand, unseen)
    top = max([card & suit for card in trick])
    if place == declarer_place:
        return _stay_below(legal, top, last=place == 2)
    if declarer_place < place and trick[declarer_place] == top:
        return _stay_below(legal, top, last=True)  # then the declarer keeps the trick
    if declarer_place < place:
        return highest(legal)  # the trick is ours: a high card is well rid of
    return _let_declarer_in(legal, top)


def _stay_below(legal: int, top: int, *, last: bool) -> int:
    """The highest card that does not win; if all win, the lowest, or last the highest."""
    below = legal & (top - 1)
    if below:
        return highest(below)
    return highest(legal) if last else legal & -legal


def _let_declarer_in(legal: int, top: int) -> int:
    """The declarer is still to play: as low as possible, but below the partner it costs nothing."""
    below = legal & (top - 1)
    return highest(below) if below else legal & -legal


def _exposure(space: Space, card: int, unseen: int) -> int:
    """How many unseen cards of the suit are lower: they make the card win."""
    return (unseen & space.suit[card] & (card - 1)).bit_count()


def _least_exposed(space: Space, hand: int, unseen: int) -> int:
    best, best_key = 0, (-99, -99)
    for suit in space.sides:
        held = hand & suit
        if held:
            card = held & -held
            higher = (unseen & suit & ~(2 * card - 1)).bit_count()
            key = (-_exposure(space, card, unseen), higher)
            if key > best_key:
                best, best_key = card, key
    return best


def _most_exposed(space: Space, hand: int, unseen: int) -> int:
    best, most = 0, -1
    for suit in space.sides:
        held = hand & suit
        if held:
            card = highest(held)
            exposure = _exposure(space, card, unseen)
            if exposure > most:
                best, most = card, exposure
    return best


def _lowest(space: Space, hand: int) -> int:
    """The lowest rank of all suits; of equals the shortest suit."""
    best, best_key = 0, (99, 99)
    for suit in space.sides:
        held = hand & suit
        if held:
            card = held & -held
            rank = card.bit_length() - (suit & -suit).bit_length()
            key = (rank, held.bit_count())
            if key < best_key:
                best, best_key = card, key
    return best
