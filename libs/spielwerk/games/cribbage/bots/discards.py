"""What each pair of the six cards is worth as a discard, in exact whole numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from importlib import resources
from itertools import combinations
from typing import Final, TypeAlias

from spielwerk.cards import Card, Rank, Suit
from spielwerk.games.cribbage.bots.foresight import pips_of
from spielwerk.games.cribbage.counting import rank_points
from spielwerk.games.cribbage.model import ORDER, PIPS, Cards

STARTERS: Final = 46
"""Cards a seat has not seen when it lays away two of its six."""

Milli: TypeAlias = tuple[tuple[int, ...], ...]

_SUIT_SIZE: Final = 13


@dataclass(frozen=True, slots=True)
class CribTable:
    """Mean points of a crib by the two ranks laid into it, in thousandths, 13 x 13.

    From three million simulated deals in which both seats discarded with sense.
    """

    own: Milli
    opponent: Milli


@lru_cache(maxsize=1)
def crib_table() -> CribTable:
    """The table shipped beside this module."""
    text = resources.files(__package__).joinpath("crib_discard_table.json").read_text("utf-8")
    table = json.loads(text, parse_float=Decimal)
    return CribTable(_thousandths(table["own_crib"]), _thousandths(table["opponent_crib"]))


def best_mean(six: Sequence[Card]) -> Cards:
    """Keep the hand with the highest mean over all 46 starters; the crib is ignored."""
    return _best({away: hand_sum(kept, six) for away, kept in _ways(six)})


def best_with_crib(six: Sequence[Card], *, own_crib: bool) -> Cards:
    """Keep the highest mean hand plus the crib if it is one's own, less the crib if it is not."""
    # A sum over 46 starters times 1000 has the unit of 46 times a mean in thousandths.
    worths = {
        away: 1000 * hand_sum(kept, six) + STARTERS * crib_milli(away, own_crib=own_crib)
        for away, kept in _ways(six)
    }
    return _best(worths)


def hand_sum(kept: Sequence[Card], six: Sequence[Card]) -> int:
    """Points of the four kept cards, added up over the 46 starters."""
    seen, held = pips_of(six), pips_of(kept)
    sets = sum(
        (4 - seen.count(starter)) * sum(rank_points(tuple(sorted((*held, starter)))))
        for starter in PIPS.values()
    )
    return sets + _flush_sum(kept, six) + _nobs_sum(kept, six)


def crib_milli(away: Cards, *, own_crib: bool) -> int:
    """What the two cards bring (own crib) or cost (opponent's) in the crib, in thousandths."""
    one, other = (PIPS[card.rank] - 1 for card in away)
    table = crib_table()
    return table.own[one][other] if own_crib else -table.opponent[one][other]


def _ways(six: Sequence[Card]) -> Iterator[tuple[Cards, Cards]]:
    cards = sorted(six, key=ORDER.__getitem__)
    for one, other in combinations(cards, 2):
        yield (one, other), tuple(card for card in cards if card not in (one, other))


def _best(worths: dict[Cards, int]) -> Cards:
    # max keeps the first of equals, and the pairs come in canonical order.
    return max(worths, key=worths.__getitem__)


def _flush_sum(kept: Sequence[Card], six: Sequence[Card]) -> int:
    if len({card.suit for card in kept}) > 1:
        return 0
    return 4 * STARTERS + _unseen(kept[0].suit, six)


def _nobs_sum(kept: Sequence[Card], six: Sequence[Card]) -> int:
    return sum(_unseen(card.suit, six) for card in kept if card.rank is Rank.JACK)


def _unseen(suit: Suit, six: Sequence[Card]) -> int:
    return _SUIT_SIZE - sum(card.suit is suit for card in six)


def _thousandths(rows: Sequence[Sequence[Decimal]]) -> Milli:
    return tuple(tuple(int(1000 * mean) for mean in row) for row in rows)
