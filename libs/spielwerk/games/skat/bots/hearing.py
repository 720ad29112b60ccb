"""What the words of the auction say about the cards of the one who spoke them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

from spielwerk.games.game import Seat
from spielwerk.games.skat.auction import By, CallKind
from spielwerk.games.skat.bidding import BID_VALUES
from spielwerk.games.skat.bots.declaring import limit
from spielwerk.games.skat.cards import Cards
from spielwerk.games.skat.views import View

USUAL: Final = -18_000
"""What people are taken to expect of a game that they bid, in thousandths of a point."""

_NEVER: Final = BID_VALUES[-1] + 1


@dataclass(frozen=True, slots=True)
class Heard:
    """The highest value a seat has named or held, and the one it would not accept."""

    said: int
    refused: int

    def contradictions(self, ten: Cards, *, forehand: bool) -> int:
        """0 if a seat with these ten cards would have spoken like this, else 1."""
        highest = limit(ten, forehand=forehand, least=USUAL)
        return int(highest < self.said or highest >= self.refused)


def heard_of(view: View, seat: Seat) -> Heard:
    """What the seat said in this deal's auction; the clock's words tell nothing."""
    said, refused, bid = 0, _NEVER, 0
    assert view.auction is not None, "there was an auction"
    for call in view.auction.calls:
        bid = max(bid, call.value)
        if call.seat != seat or call.by is By.TIMEOUT:
            continue
        if call.kind is CallKind.PASS:
            refused = max(said + 1, BID_VALUES[min(bisect_right(BID_VALUES, bid), 62)])
        else:
            said = call.value
    return Heard(said, refused)
