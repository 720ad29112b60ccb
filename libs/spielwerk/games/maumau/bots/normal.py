"""The normal strength: announces, saves its jacks, keeps its suits and punishes short hands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spielwerk.cards import AnyCard, Card, Joker, Rank, Suit
from spielwerk.chance import Chance
from spielwerk.games.game import Seat
from spielwerk.games.maumau.cards import RED, SUITS, Cards, fits, in_order, is_jack, without
from spielwerk.games.maumau.messages import Announce, Command, Draw, Play
from spielwerk.games.maumau.points import card_value
from spielwerk.games.maumau.views import View

SHORT: Final = 2
"""A hand of so many cards may soon run out."""

SAVED: Final = 200
"""What a jack or joker is worth in the hand: more than any other play brings."""


def play_soundly(view: View, legal: Sequence[Command], chance: Chance) -> Command:  # noqa: ARG001
    """The play with the highest worth; of equals the first in canonical order."""
    if Announce() in legal:
        return Announce()
    plays = [command for command in legal if isinstance(command, Play)]
    if not plays or _forgot(view):
        return Draw()
    card = max(in_order({play.card for play in plays}), key=lambda card: worth(view, card))
    ways = {play.wish: play for play in plays if play.card == card}
    return ways[None] if None in ways else ways[best_wish(view, card)]


def worth(view: View, card: AnyCard) -> int:
    """How good it is to lay the card now."""
    rest = without(view.hand, (card,))
    if not rest:
        return 0
    follow = _followers(card, rest, best_wish(view, card))
    danger = min(view.hand_counts[seat] for seat in _others(view)) <= SHORT
    shed = card_value(card, view.options)
    value = (shed if danger else shed // 4) + 4 * follow
    if isinstance(card, Joker) or card.rank is Rank.JACK:
        return value - SAVED  # it fits on nearly everything: the best last card
    return value + _effect(view, card, follow, len(rest))


def best_wish(view: View, jack: AnyCard) -> Suit:
    """The suit of most cards that stay in the hand, jacks not counted; of equals the dearest."""
    rest = [card for card in without(view.hand, (jack,)) if isinstance(card, Card)]

    def strength(suit: Suit) -> tuple[int, int]:
        own = [card for card in rest if card.suit is suit and card.rank is not Rank.JACK]
        return len(own), sum(card_value(card, view.options) for card in own)

    return max(SUITS, key=strength)


def _effect(view: View, card: Card, follow: int, left: int) -> int:
    """What the effect of the card brings."""
    following, previous = _neighbours(view)
    short = view.hand_counts[following] <= SHORT
    match card.rank:
        case Rank.SEVEN:
            return (30 if short else -10) + (0 if card.suit in RED else 5)
        case Rank.EIGHT:
            return _again(follow, left)
        case Rank.ACE if following == previous:
            return _again(follow, left)
        case Rank.ACE:
            return 25 if short else 0
        case Rank.TEN if following != previous:
            return 5 * (view.hand_counts[previous] - view.hand_counts[following])
    return 0


def _again(follow: int, left: int) -> int:
    """Another turn is worth much with a card to lay in it, and costs a card without one."""
    if not follow:
        return -15
    return 200 if left == 1 else 25


def _followers(card: AnyCard, rest: Cards, wish: Suit) -> int:
    """How many of the other cards would fit on the card."""
    named = wish if is_jack(card) else None
    return sum(fits(other, card, named, 0) for other in rest)


def _forgot(view: View) -> bool:
    """The last card was not announced: drawing costs no more than trying, and shows less."""
    seat = view.turn
    alone = view.options.announce and len(view.hand) == 1
    return alone and seat is not None and not view.announced[seat]


def _others(view: View) -> list[Seat]:
    seats = range(len(view.hand_counts))
    return [seat for seat in seats if seat != view.seat and seat not in view.left]


def _neighbours(view: View) -> tuple[Seat, Seat]:
    """Who follows in the direction of play, and who in the other one."""
    assert view.seat is not None, "a bot has a seat"
    others, count = _others(view), len(view.hand_counts)
    distance = {seat: (seat - view.seat) * view.direction % count for seat in others}
    return min(others, key=distance.__getitem__), max(others, key=distance.__getitem__)
