"""What players may do in Skat; the names are the storage format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from spielwerk.cards import Card
from spielwerk.games.game import Resign, TimeOut
from spielwerk.games.skat.cards import Cards, ContractType


@dataclass(frozen=True, slots=True)
class Bid:
    """Name a value higher than the current one."""

    value: int


@dataclass(frozen=True, slots=True)
class Hold:
    """Accept the speaker's value for oneself."""


@dataclass(frozen=True, slots=True)
class Pass:
    """Leave the auction."""


@dataclass(frozen=True, slots=True)
class TakeSkat:
    """Pick the two cards up; Hand is gone."""


@dataclass(frozen=True, slots=True)
class Discard:
    """Lay two of the twelve cards away."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class Announce:
    """Say what is played; before the skat is taken it is a Hand game."""

    type: ContractType
    schneider: bool = False
    schwarz: bool = False
    ouvert: bool = False


@dataclass(frozen=True, slots=True)
class Play:
    """Lay one card."""

    card: Card


@dataclass(frozen=True, slots=True)
class Concede:
    """Give the remaining tricks away; only with `claims`, in the play, also out of turn."""


Command: TypeAlias = (
    Bid | Hold | Pass | TakeSkat | Discard | Announce | Play | Concede | Resign | TimeOut
)
COMMANDS = (Bid, Hold, Pass, TakeSkat, Discard, Announce, Play, Concede, Resign, TimeOut)
