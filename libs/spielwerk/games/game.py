"""The contract of a game: a frozen record of pure functions over frozen values.

`decide` raises, `evolve` never does. Chance is drawn only in `start` and `decide`; its outcome is
in the event. Games know no wall clock, no I/O, no seats' names. Options are frozen dataclasses
whose fields are declared with `option`, so that the catalogue, the validation and the wire format
follow from one table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, TypeAlias, TypeVar

from spielwerk.chance import Chance

Seat: TypeAlias = int
Actor: TypeAlias = Seat | None
"""Who gives a command: a seat, or None for the platform (the only one that may give TimeOut)."""

Options = TypeVar("Options")
State = TypeVar("State")
Command = TypeVar("Command")
Event = TypeVar("Event")
View = TypeVar("View")


@dataclass(frozen=True, slots=True)
class Resign:
    """The acting seat gives up."""


@dataclass(frozen=True, slots=True)
class TimeOut:
    """The seat's open turn ended without a move; given by the platform alone."""

    seat: Seat
    turn_key: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A seat must act. The key is unique in the match for its seat and changes with each own
    command of the seat."""

    key: str
    allowance_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """What one seat reached; scores and rank_n in thousandths."""

    seat: Seat
    place: int
    won: bool
    score_milli: int
    rank_n_milli: int
    rank_games: int
    extras: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    """How a match ended; one standing a seat, in seat order."""

    reason: str
    standings: tuple[Standing, ...]


class Aggregate(StrEnum):
    """How a period's results become the total N of a ranking."""

    SUM = "sum"
    MAXIMUM = "maximum"


@dataclass(frozen=True, slots=True)
class Ranking:
    """score = (offset + sign * N / G ** (k_milli / 1000)) / divisor."""

    offset: int = 0
    sign: int = 1
    k_milli: int = 950
    divisor: int = 1
    aggregate: Aggregate = Aggregate.SUM


@dataclass(frozen=True, slots=True)
class Context:
    """What a decision may use besides state and command: chance, how long a seat has used its
    open turn (ms), and which seats the installation plays."""

    chance: Chance
    elapsed: Callable[[Seat], int]
    bots: frozenset[Seat] = frozenset()


class BotInformation(StrEnum):
    """What a bot reads to decide."""

    OWN_VIEW = "own_view"
    EVERYTHING = "everything"


@dataclass(frozen=True, slots=True, kw_only=True)
class BotPolicy(Generic[Command, View]):
    """A way to play: (view, legal commands, chance) -> one of the legal commands.

    Its effort is a number of samples, never time; only integers or exactly rounded numbers decide;
    ties fall by canonical order: the choice can be recomputed from the bot seed.
    """

    strength: str
    version: int
    choose: Callable[[View, Sequence[Command], Chance], Command]
    information: BotInformation = BotInformation.OWN_VIEW
    """With EVERYTHING, `choose` gets the whole state in place of the view."""
    name: str = ""
    """For people, where the game has names for its strengths."""

    @property
    def policy(self) -> str:
        """Recorded with the seat, e.g. `expert@1`."""
        return f"{self.strength}@{self.version}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Game(Generic[Options, State, Command, Event, View]):
    """One version of the rules of one game."""

    key: str
    seats: range
    rules_version: str
    ranking: Ranking
    options: type[Options]
    commands: tuple[type, ...]
    events: tuple[type, ...]
    view_type: type[View]
    setup: Callable[[Options, int], State]
    start: Callable[[State, Context], tuple[Event, ...]]
    decide: Callable[[State, Actor, Command, Context], tuple[Event, ...]]
    evolve: Callable[[State, Event], State]
    turns: Callable[[State], Mapping[Seat, Turn]]
    legal: Callable[[State, Seat], Sequence[Command]]
    result: Callable[[State], Result | None]
    view: Callable[[State, Seat | None], View]
    redact: Callable[[Options, Event, Seat | None], Event | None]
    bots: Mapping[str, BotPolicy[Command, View]]
    usual_bot: str = "normal"
    """The strength for who asks for none."""
    bot_pause_ms: Callable[[Options], int] = lambda _: 0
    """So long a bot waits before it acts, so that people can follow."""
    state_type: type[State] | None = None
    """Only where a bot reads everything: the state has a message then, too."""
    deal_ends: tuple[type, ...] = ()
    """Events after which the record carries a state digest."""


AnyGame: TypeAlias = Game[Any, Any, Any, Any, Any]


class Emitted(tuple[Any, ...]):
    """The events of one decision, and the state that `evolve` has made of `before` with them.

    Whoever starts from the same state with the same function need not fold them again.
    """

    before: Any
    after: Any
    evolve: Callable[[Any, Any], Any]

    def follows(self, state: object, evolve: object) -> bool:
        """Whether `after` is the given state with these events folded by the given function."""
        return self.before is state and self.evolve is evolve


class Script(Generic[State, Event]):
    """Lets a decision emit events and read the state they lead to, so that forced steps run in the
    same decision."""

    def __init__(self, state: State, evolve: Callable[[State, Event], State]) -> None:
        self.state = state
        self._before = state
        self._evolve = evolve
        self._events: list[Event] = []

    def emit(self, event: Event) -> None:
        """Append the event and fold it."""
        self._events.append(event)
        self.state = self._evolve(self.state, event)

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything emitted so far."""
        events = Emitted(self._events)
        events.before, events.after, events.evolve = self._before, self.state, self._evolve
        return events
