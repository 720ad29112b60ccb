"""Beginner and normal: one that plays what comes to hand, and one by the book."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spielwerk.chance import Chance
from spielwerk.games.skat.bots.choosing import bid_up_to, by_the_book, discard_of, kinds_of
from spielwerk.games.skat.bots.declaring import announcements, hand_game, limit, plans
from spielwerk.games.skat.bots.sight import sight_of
from spielwerk.games.skat.cards import POINTS, TRUMP_LINE, Cards, ContractType
from spielwerk.games.skat.commands import Announce, Command, Discard, Play, TakeSkat
from spielwerk.games.skat.model import Phase
from spielwerk.games.skat.views import View

LEAST: Final = -18_000
"""Thousandths of a point that a game must promise: to let others play costs more."""

LONG_SUIT: Final = 6
"""Trumps with which a beginner bids."""

_SUIT_GAMES: Final = (
    ContractType.CLUBS,
    ContractType.SPADES,
    ContractType.HEARTS,
    ContractType.DIAMONDS,
)


def beginner(view: View, legal: Sequence[Command], chance: Chance) -> Command:
    """Bids 18 on a long suit, takes the skat, and lays every other card by chance."""
    match view.phase:
        case Phase.AUCTION:
            has_game = len(_trumps(view.dealt, _longest(view.dealt))) >= LONG_SUIT
            return bid_up_to(view, legal, 18 if has_game else 0)
        case Phase.SKAT:
            return TakeSkat()
        case Phase.DISCARD:
            return _careless_discard(view.hand)
        case Phase.ANNOUNCE:
            return Announce(_longest(view.hand))
        case _:
            plays = kinds_of(legal, Play)
            if len(plays) > 1 and chance.choose("careless", (True, False)):
                return chance.choose("card", plays)
            return Play(by_the_book(sight_of(view)))


def normal(view: View, legal: Sequence[Command], chance: Chance) -> Command:  # noqa: ARG001 (nothing to draw)
    """Judges its cards by matadors, aces and length, and plays by the maxims."""
    forehand = view.seat == view.forehand
    match view.phase:
        case Phase.AUCTION:
            return bid_up_to(view, legal, limit(view.dealt, forehand=forehand, least=LEAST))
        case Phase.SKAT:
            in_hand = hand_game(view.hand, view.bid, forehand=forehand)
            return Announce(in_hand.kind) if in_hand else TakeSkat()
        case Phase.DISCARD:
            return discard_of(plans(view.hand, view.bid, forehand=forehand)[0].away)
        case Phase.ANNOUNCE:
            said = kinds_of(legal, Announce)
            return announcements(said, view.hand, view.discarded, view.bid, forehand=forehand)[0][1]
        case _:
            return Play(by_the_book(sight_of(view)))


def _longest(cards: Cards) -> ContractType:
    return max(_SUIT_GAMES, key=lambda kind: len(_trumps(cards, kind)))


def _trumps(cards: Cards, kind: ContractType) -> Cards:
    line = TRUMP_LINE[kind]
    return tuple(card for card in cards if card in line)


def _careless_discard(twelve: Cards) -> Discard:
    """The two cards with fewest points that are no trumps of the longest suit."""
    trumps = _trumps(twelve, _longest(twelve))
    ranked = sorted(twelve, key=lambda card: (card in trumps, POINTS[card]))
    return discard_of(tuple(ranked[:2]))
