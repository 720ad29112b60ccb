"""Steps that all bots share: a bid up to a limit, a discard, a card by the maxims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from spielwerk.cards import Card
from spielwerk.games.skat.bots.playout import maxims_of
from spielwerk.games.skat.bots.sight import Sight
from spielwerk.games.skat.cards import Cards, in_order
from spielwerk.games.skat.commands import Bid, Command, Discard, Hold, Pass
from spielwerk.games.skat.views import View

C = TypeVar("C")


def bid_up_to(view: View, legal: Sequence[Command], highest: int) -> Command:
    """The next value, or hold, as far as the limit goes; else pass."""
    bids = kinds_of(legal, Bid)
    if bids and bids[0].value <= highest:
        return bids[0]
    assert view.auction is not None, "there is an auction"
    if Hold() in legal and view.auction.bid <= highest:
        return Hold()
    return Pass()


def discard_of(away: Cards) -> Discard:
    """The discard as it is listed."""
    return Discard(in_order(away))


def by_the_book(sight: Sight) -> Card:
    """The card that the maxims name."""
    lay = maxims_of(sight.space)
    bit = lay(sight.space, sight.hand, sight.trick, sight.unseen, sight.declarer_place)
    return sight.space.card(bit)


def kinds_of(legal: Sequence[Command], kind: type[C]) -> list[C]:
    """The commands of one class."""
    return [command for command in legal if isinstance(command, kind)]
