"""The values of a match of Quartett: stacks, pot, rounds, games."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from spielwerk.games.game import Seat
from spielwerk.games.quartett.options import Options

SEATS: Final = (0, 1)

CardIds: TypeAlias = tuple[str, ...]


class Phase(StrEnum):
    """Where a match stands."""

    DEALING = "dealing"
    CHOOSE = "choose"
    OVER = "over"


class EndReason(StrEnum):
    """Why a game ended."""

    NO_CARDS = "no_cards"
    ALL_IN_POT = "all_in_pot"
    ROUND_LIMIT = "round_limit"
    RESIGNED = "resigned"
    FORFEITED = "forfeited"


@dataclass(frozen=True, slots=True)
class Stack:
    """The cards of a seat, the top one first."""

    cards: CardIds = ()


@dataclass(frozen=True, slots=True)
class Past:
    """One duel of the game at hand; `cards` by seat, `winner` None for a tie."""

    round: int
    chooser: Seat
    category: str
    cards: CardIds
    winner: Seat | None


@dataclass(frozen=True, slots=True)
class Series:
    """The games of a match so far; `wins` by seat."""

    first: Seat | None = None
    """Who chose first in the game at hand."""
    games: int = 0
    wins: tuple[int, int] = (0, 0)
    draws: int = 0
    winner: Seat | None = None
    """Of the latest game that ended; None if it was drawn."""
    end_reason: EndReason | None = None


@dataclass(frozen=True, slots=True)
class State:
    """A match of Quartett. Pairs are by seat; `game_no` and `round` count from 1."""

    options: Options
    phase: Phase = Phase.DEALING
    series: Series = Series()
    game_no: int = 0
    stacks: tuple[Stack, Stack] = (Stack(), Stack())
    pot: CardIds = ()
    """In the order of entry."""
    turn: Seat | None = None
    round: int = 0
    duels: tuple[Past, ...] = ()
    """Of this game, in order."""
    timeouts: tuple[int, int] = (0, 0)
    """In a row."""

    @property
    def counts(self) -> tuple[int, int]:
        """Cards in each stack."""
        return len(self.stacks[0].cards), len(self.stacks[1].cards)

    def top(self, seat: Seat) -> str | None:
        """The card on top of the seat's stack."""
        cards = self.stacks[seat].cards
        return cards[0] if cards else None
