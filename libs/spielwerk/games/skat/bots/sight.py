"""What a bot sees of a deal in the play, in bits."""

from __future__ import annotations

from dataclasses import dataclass

from spielwerk.games.game import Seat
from spielwerk.games.skat.bots.maxims import Trick
from spielwerk.games.skat.bots.spaces import ALL, Space, space_of
from spielwerk.games.skat.model import Contract
from spielwerk.games.skat.views import View


@dataclass(frozen=True, slots=True)
class Sight:
    """One seat's knowledge; `unseen` are the cards it has not seen, wherever they are."""

    space: Space
    contract: Contract
    me: Seat
    declarer: Seat
    leader: Seat
    hand: int
    trick: Trick
    gone: int
    """All cards laid so far."""
    aside: int
    """The own discards."""
    exposed: int
    unseen: int

    @property
    def declarer_place(self) -> int:
        """When the declarer plays in this trick."""
        return (self.declarer - self.leader) % 3


def sight_of(view: View) -> Sight:
    """The view of a seat that must lay a card."""
    assert view.contract is not None, "a card is laid in a contract"
    assert view.seat is not None, "a spectator lays no card"
    assert view.declarer is not None, "there is a declarer"
    assert view.leader is not None, "there is a leader"
    space = space_of(view.contract.type)
    trick = tuple([space.bit[card] for card in view.trick])
    gone = sum(trick) + sum([space.mask(trick.cards) for trick in view.tricks])
    hand, aside = space.mask(view.hand), space.mask(view.discarded)
    return Sight(
        space=space,
        contract=view.contract,
        me=view.seat,
        declarer=view.declarer,
        leader=view.leader,
        hand=hand,
        trick=trick,
        gone=gone,
        aside=aside,
        exposed=space.mask(view.exposed),
        unseen=ALL ^ hand ^ gone ^ aside,
    )
