"""What players may do in House of Cards and what then happened; the names are the storage format.

`public`: the seat plays alone, so everybody may see the event; in a duel it is for the seat itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from spielwerk.cards import Card
from spielwerk.games.game import Resign, Seat, TimeOut
from spielwerk.games.house_of_cards.model import AnyCards, Cards, Ending, EndReason, House, OpenCard


@dataclass(frozen=True, slots=True)
class Roof:
    """Lean the cards of two slots together at a place."""

    storey: int
    index: int
    slot1: int
    slot2: int


@dataclass(frozen=True, slots=True)
class Floor:
    """Lay the card of a slot across two neighbouring roofs of the storey."""

    storey: int
    index: int
    slot: int


@dataclass(frozen=True, slots=True)
class Replace:
    """Discard all open cards and open new ones."""


@dataclass(frozen=True, slots=True)
class Finish:
    """Stop building."""


Command: TypeAlias = Roof | Floor | Replace | Finish | Resign | TimeOut
COMMANDS = (Roof, Floor, Replace, Finish, Resign, TimeOut)


@dataclass(frozen=True, slots=True)
class Board:
    """What a seat had in the end, laid open."""

    seat: Seat
    house: House
    open: tuple[OpenCard, ...]
    ending: Ending


@dataclass(frozen=True, slots=True)
class GameStarted:
    """The stock of `count` cards lies ready, the same for each seat; nobody sees its order."""

    stock: AnyCards
    count: int


@dataclass(frozen=True, slots=True)
class CardOpened:
    """The next card of the stock lies open in the slot."""

    seat: Seat
    slot: int
    card: Card
    public: bool


@dataclass(frozen=True, slots=True)
class JokerDrawn:
    """A joker took a storey (or row) of the house; `removed` None: nothing stood."""

    seat: Seat
    removed: int | None
    cards_lost: int
    points_lost: int
    public: bool


@dataclass(frozen=True, slots=True)
class RoofBuilt:
    """A roof stands. The others of a duel see its value alone: storey 0, no cards, no slots."""

    seat: Seat
    storey: int
    index: int
    slots: tuple[int, ...]
    cards: Cards
    value: int
    spent_ms: int
    public: bool


@dataclass(frozen=True, slots=True)
class FloorLaid:
    """A floor lies on the roofs of the storey; the roof on it may weigh `limit`, None: anything."""

    seat: Seat
    storey: int
    index: int
    slot: int
    card: Card
    limit: int | None
    spent_ms: int
    public: bool


@dataclass(frozen=True, slots=True)
class CardsReplaced:
    """All open cards, `count` of them, were discarded."""

    seat: Seat
    count: int
    cards: Cards
    spent_ms: int
    public: bool


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The seat's turn ended without a command."""

    seat: Seat
    turn_key: str


@dataclass(frozen=True, slots=True)
class GameEnded:
    """A seat's game is over. Before the others end, they see reason, score and credits alone."""

    seat: Seat
    reason: EndReason
    house: int
    left: int
    bonus: int
    score: int
    credits: int
    public: bool


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """All seats have ended; everything lies open. Boards are by seat."""

    stock: AnyCards
    boards: tuple[Board, ...]


Event: TypeAlias = (
    GameStarted
    | CardOpened
    | JokerDrawn
    | RoofBuilt
    | FloorLaid
    | CardsReplaced
    | TimedOut
    | GameEnded
    | MatchEnded
)
EVENTS = (
    GameStarted,
    CardOpened,
    JokerDrawn,
    RoofBuilt,
    FloorLaid,
    CardsReplaced,
    TimedOut,
    GameEnded,
    MatchEnded,
)
