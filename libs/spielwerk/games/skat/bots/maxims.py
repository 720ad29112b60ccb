"""The usual maxims of trump games, for each place in a trick and each place of the declarer.

Everything is bits of one contract's space. `unseen` are the cards that may be in other hands, as
far as the one who plays can know.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from spielwerk.games.skat.bots.spaces import Space, first, highest

Trick: TypeAlias = tuple[int, ...]

WORTH_TRUMPING: Final = 3
"""Points in a trick for which a trump is spent."""

SAFE_SUIT: Final = 3
"""So many unseen cards of a suit make it likely that the others can still follow."""


def lay(space: Space, hand: int, trick: Trick, unseen: int, declarer_place: int) -> int:
    """The card of the hand for this trick; the declarer plays in the given place of it."""
    if not trick:
        return _LEADS[declarer_place](space, hand, unseen)
    legal = hand & space.suit[trick[0]] or hand
    if legal & (legal - 1) == 0:
        return legal
    return _FOLLOWS[len(trick), declarer_place](space, legal, trick, unseen)


def winning(space: Space, trick: Trick) -> int:
    """The card of the trick that wins it so far."""
    counting = space.suit[trick[0]] | space.trump
    return max([card & counting for card in trick])


def _lead_as_declarer(space: Space, hand: int, unseen: int) -> int:
    """Draw the trumps, then the cards that nobody can beat, then small ones."""
    mine, theirs = hand & space.trump, unseen & space.trump
    if mine and theirs:
        if mine > theirs:
            return highest(mine)
        if mine.bit_count() > theirs.bit_count() or mine.bit_count() > WORTH_TRUMPING:
            return first(mine, space.cheap)
    sure = 0
    for suit in space.sides:
        held, out = hand & suit, unseen & suit
        if held > out and (not theirs or out.bit_count() >= SAFE_SUIT):
            sure |= highest(held)
    if sure:
        return first(sure, space.glad[::-1]) if not theirs else highest(sure)
    return first(hand & ~space.trump or hand, space.cheap)


def _lead_before_declarer(space: Space, hand: int, unseen: int) -> int:
    """The declarer comes next: a long suit, which the partner may ruff or win."""
    return _lead_as_defender(space, hand, unseen, long_suit=True)


def _lead_round_to_declarer(space: Space, hand: int, unseen: int) -> int:
    """The declarer comes last: a short suit."""
    return _lead_as_defender(space, hand, unseen, long_suit=False)


def _lead_as_defender(space: Space, hand: int, unseen: int, *, long_suit: bool) -> int:
    best, best_merit = 0, -100
    for suit in space.sides:
        held, out = hand & suit, unseen & suit
        if not held:
            continue
        length = held.bit_count()
        card, merit = held & -held, 2 * length if long_suit else 8 - 2 * length
        if held > out and out.bit_count() > SAFE_SUIT:
            card, merit = highest(held), 20 - length
        elif space.points[card] >= 10:
            merit -= 12
        if merit > best_merit:
            best, best_merit = card, merit
    return best or first(hand, space.cheap)


def _beat_declarer(space: Space, legal: int, trick: Trick, unseen: int) -> int:  # noqa: ARG001
    """The declarer has played and the trick is not lost to anybody else: take it if possible."""
    top = winning(space, trick)
    better = legal & (space.suit[trick[0]] | space.trump) & ~(2 * top - 1)
    return first(better, space.glad) if better else first(legal, space.cheap)


def _second_as_declarer(space: Space, legal: int, trick: Trick, unseen: int) -> int:
    """A defender is still to come: take what is sure or worth it."""
    suit, top = space.suit[trick[0]], trick[0]
    if legal & suit:
        best = highest(legal)
        out = unseen & suit
        if best > out and best > top:
            return best
        cheap = first(legal, space.cheap)
        return cheap if suit != space.trump or best < top else _just_above(legal, top)
    trumps = legal & space.trump
    if trumps and (space.points[top] >= WORTH_TRUMPING or trumps.bit_count() > SAFE_SUIT):
        return first(trumps, space.cheap)
    return first(legal & ~space.trump or legal, space.cheap)


def _second_after_partner(space: Space, legal: int, trick: Trick, unseen: int) -> int:
    """The declarer comes last: add points to a sure trick, else win it or stay low."""
    suit, led = space.suit[trick[0]], trick[0]
    out = unseen & suit
    partner_sure = led > out and (suit == space.trump or out.bit_count() >= SAFE_SUIT)
    if partner_sure:
        return first(legal, space.glad)
    if legal & suit:
        best = highest(legal)
        if best > out and best > led:
            return best
    return first(legal & ~space.trump or legal, space.cheap)


def _third_as_defender(space: Space, legal: int, trick: Trick, unseen: int) -> int:
    """The partner or the declarer has the trick: add points to it, or take it."""
    declarers = trick[1]
    if winning(space, trick) != declarers:
        return first(legal, space.glad)
    return _beat_declarer(space, legal, trick, unseen)


def _third_after_leading_declarer(space: Space, legal: int, trick: Trick, unseen: int) -> int:
    if winning(space, trick) != trick[0]:
        return first(legal, space.glad)
    return _beat_declarer(space, legal, trick, unseen)


def _third_as_declarer(space: Space, legal: int, trick: Trick, unseen: int) -> int:  # noqa: ARG001
    """Nobody comes after: take it, unless it costs a jack for nothing."""
    top = winning(space, trick)
    better = legal & (space.suit[trick[0]] | space.trump) & ~(2 * top - 1)
    if not better:
        return first(legal, space.cheap)
    card = first(better, space.glad)
    worth = space.points[trick[0]] + space.points[trick[1]] + space.points[card]
    if card & space.trump and worth < WORTH_TRUMPING and legal & ~space.trump:
        return first(legal & ~space.trump, space.cheap)
    return card


def _just_above(legal: int, top: int) -> int:
    better = legal & ~(2 * top - 1)
    return better & -better


_Lead: TypeAlias = Callable[[Space, int, int], int]
_Follow: TypeAlias = Callable[[Space, int, Trick, int], int]

_LEADS: Final[tuple[_Lead, ...]] = (
    _lead_as_declarer,
    _lead_before_declarer,
    _lead_round_to_declarer,
)
_FOLLOWS: Final[dict[tuple[int, int], _Follow]] = {
    (1, 0): _beat_declarer,
    (1, 1): _second_as_declarer,
    (1, 2): _second_after_partner,
    (2, 0): _third_after_leading_declarer,
    (2, 1): _third_as_defender,
    (2, 2): _third_as_declarer,
}
"""By (own place, declarer's place)."""
