"""The auction: legal values, who speaks and who listens, and how it goes on after each word."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Final, TypeAlias

from spielwerk.errors import Illegal
from spielwerk.games.game import Seat
from spielwerk.games.skat.auction import Auction, By, Call, CallKind, Role, Stage
from spielwerk.games.skat.scoring import BASE, GRAND_BASE, NULL_VALUE

FIRST_VALUE: Final = 18

BID_VALUES: Final = tuple(
    sorted(
        {base * level for base in BASE.values() if base < GRAND_BASE for level in range(2, 19)}
        | {GRAND_BASE * level for level in range(2, 12)}
        | set(NULL_VALUE.values())
    )
)
"""Every possible value of a game (clause 4.1)."""

_LEGAL: Final = frozenset(BID_VALUES)


@dataclass(frozen=True, slots=True)
class Winner:
    """The auction is over: the seat plays alone."""

    declarer: Seat
    bid: int


@dataclass(frozen=True, slots=True)
class PassedIn:
    """The auction is over and nobody plays."""


Ending: TypeAlias = Winner | PassedIn


def opening(dealer: Seat) -> Auction:
    """The middlehand speaks, the forehand listens."""
    return Auction(
        Stage.FIRST_DUEL, speaker=(dealer + 2) % 3, listener=(dealer + 1) % 3, role=Role.SPEAKER
    )


def higher_values(auction: Auction) -> tuple[int, ...]:
    """What the speaker may name; 18 alone for a forehand that is asked alone."""
    if auction.role is Role.FOREHAND_ALONE:
        return (FIRST_VALUE,)
    if auction.role is Role.LISTENER:
        return ()
    return BID_VALUES[bisect_right(BID_VALUES, auction.bid) :]


def check_bid(auction: Auction, value: int) -> None:
    """Raise Illegal (`wrong_role`, `illegal_value`, `not_higher`) for a value not to be named."""
    if auction.role is Role.LISTENER:
        raise Illegal("wrong_role", "the listener holds or passes")
    alone = auction.role is Role.FOREHAND_ALONE
    if value not in _LEGAL or (alone and value != FIRST_VALUE):
        raise Illegal("illegal_value", f"{value} cannot be bid")
    if value <= auction.bid:
        raise Illegal("not_higher", f"{value} is not more than {auction.bid}")


def check_hold(auction: Auction) -> None:
    """Raise Illegal (`wrong_role`) for anybody but a listener."""
    if auction.role is not Role.LISTENER:
        raise Illegal("wrong_role", "only the listener holds")


def after_bid(auction: Auction, seat: Seat, value: int) -> Auction:
    """The listener must answer; a forehand alone has won."""
    calls = (*auction.calls, Call(seat, CallKind.BID, value, By.PLAYER))
    alone = auction.role is Role.FOREHAND_ALONE
    return Auction(
        stage=Stage.OVER if alone else auction.stage,
        speaker=auction.speaker,
        listener=auction.listener,
        role=Role.FOREHAND_ALONE if alone else Role.LISTENER,
        bid=value,
        calls=calls,
    )


def after_hold(auction: Auction, seat: Seat) -> Auction:
    """The speaker must go higher or pass."""
    calls = (*auction.calls, Call(seat, CallKind.HOLD, auction.bid, By.PLAYER))
    return Auction(
        auction.stage, auction.speaker, auction.listener, Role.SPEAKER, auction.bid, calls
    )


def after_pass(auction: Auction, seat: Seat, by: By) -> Auction:
    """The other one survives: into the second duel, alone, or as declarer (clause 4.5)."""
    calls = (*auction.calls, Call(seat, CallKind.PASS, 0, by))
    survivor = auction.speaker if auction.role is Role.LISTENER else auction.listener
    if auction.stage is Stage.FIRST_DUEL:
        rearhand = 3 - auction.speaker - auction.listener
        return Auction(Stage.SECOND_DUEL, rearhand, survivor, Role.SPEAKER, auction.bid, calls)
    if auction.stage is Stage.SECOND_DUEL and not auction.bid:
        # Only a forehand survives two passes without a bid.
        return Auction(Stage.FOREHAND_ALONE, survivor, survivor, Role.FOREHAND_ALONE, 0, calls)
    return Auction(Stage.OVER, survivor, survivor, auction.role, auction.bid, calls)


def ending(auction: Auction) -> Ending | None:
    """Who plays; None while somebody must speak."""
    if auction.stage is not Stage.OVER:
        return None
    return Winner(auction.speaker, auction.bid) if auction.bid else PassedIn()
