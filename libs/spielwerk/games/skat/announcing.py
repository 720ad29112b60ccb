"""Which games a declarer may announce (clause 5)."""

from __future__ import annotations

from spielwerk.errors import Illegal
from spielwerk.games.skat.cards import ContractType
from spielwerk.games.skat.commands import Announce
from spielwerk.games.skat.model import Contract, Deal
from spielwerk.games.skat.options import NullBelowBid, Options
from spielwerk.games.skat.scoring import null_value


def announced(command: Announce, deal: Deal, options: Options) -> Contract:
    """The contract with what its announcements imply.

    Raises Illegal: `bad_modifier`, `needs_hand`, `below_bid`.
    """
    hand = not deal.skat_taken
    if command.type is ContractType.NULL:
        return _null(command, deal, options, hand=hand)
    if not hand and (command.schneider or command.schwarz or command.ouvert):
        raise Illegal("needs_hand", "announcements need a Hand game")
    schwarz = command.schwarz or command.ouvert
    return Contract(
        command.type,
        hand=hand,
        schneider=command.schneider or schwarz,
        schwarz=schwarz,
        ouvert=command.ouvert,
    )


def announceable(deal: Deal, options: Options) -> tuple[Announce, ...]:
    """Every announcement that is accepted, by type, then plain to ouvert."""
    forms = _HAND_FORMS if not deal.skat_taken else _HAND_FORMS[:1]
    trumps = [
        Announce(kind, schneider, schwarz, ouvert)
        for kind in ContractType
        if kind is not ContractType.NULL
        for schneider, schwarz, ouvert in forms
    ]
    nulls = [
        Announce(ContractType.NULL, ouvert=ouvert)
        for ouvert in (False, True)
        if _null_is_open(_null_contract(deal, ouvert), deal, options)
    ]
    return (*trumps, *nulls)


_HAND_FORMS = (
    (False, False, False),
    (True, False, False),
    (True, True, False),
    (True, True, True),
)
"""(schneider, schwarz, ouvert): each includes the ones before it."""


def _null(command: Announce, deal: Deal, options: Options, *, hand: bool) -> Contract:
    if command.schneider or command.schwarz:
        raise Illegal("bad_modifier", "Null knows neither Schneider nor Schwarz")
    contract = Contract(ContractType.NULL, hand=hand, ouvert=command.ouvert)
    if not _null_is_open(contract, deal, options):
        raise Illegal("below_bid", f"it is worth less than {deal.bid}")
    return contract


def _null_contract(deal: Deal, ouvert: bool) -> Contract:
    return Contract(ContractType.NULL, hand=not deal.skat_taken, ouvert=ouvert)


def _null_is_open(contract: Contract, deal: Deal, options: Options) -> bool:
    covered = null_value(contract) >= deal.bid
    return covered or options.null_below_bid is NullBelowBid.ISKO
