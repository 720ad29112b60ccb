"""What the client hands out: frozen values; cards, views and events are the game's own."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from spielwerk.games.game import AnyGame, BotInformation, Seat
from spielwerk.match.model import CauseKind, Ended, Opened, OpenTurn, Phase


@dataclass(frozen=True, slots=True)
class MatchView:
    """A match as the caller may see it; `table` is the game's own View (None while seating).

    `seat` None: a spectator. `joined`: seats whose players have joined. Times in ms since 1970.
    """

    match_id: str
    version: int
    recorded_at_ms: int
    phase: Phase
    game: AnyGame
    opened: Opened
    seat: Seat | None
    turns: tuple[OpenTurn, ...]
    table: Any
    ended: Ended | None
    joined: tuple[Seat, ...]

    @property
    def own_turn(self) -> OpenTurn | None:
        """The turn that waits for the caller."""
        return next((turn for turn in self.turns if turn.seat == self.seat), None)


@dataclass(frozen=True, slots=True)
class Update:
    """One version of a match: what happened, as far as the caller may know it.

    `seat` caused it, where one did; `turns` are all that are open after it.
    """

    match_id: str
    version: int
    recorded_at_ms: int
    cause: CauseKind
    seat: Seat | None
    events: tuple[Any, ...]
    turns: tuple[OpenTurn, ...]

    @property
    def ended(self) -> Ended | None:
        """The end of the match, if this is its last version."""
        last = self.events[-1] if self.events else None
        return last if isinstance(last, Ended) else None


Watched: TypeAlias = MatchView | Update
"""What a watch yields: perhaps a snapshot first, then updates."""


@dataclass(frozen=True, slots=True)
class Legal:
    """The commands that the caller's seat may give now; `turn_key` None: it has no turn."""

    commands: tuple[Any, ...]
    version: int
    turn_key: str | None


@dataclass(frozen=True, slots=True)
class Place:
    """The caller's seat after joining, and the version of the match."""

    seat: Seat
    version: int


@dataclass(frozen=True, slots=True)
class BotInfo:
    """A bot that can be asked for; `policy` as recorded with a seat, e.g. `expert@1`."""

    strength: str
    policy: str
    information: BotInformation


@dataclass(frozen=True, slots=True)
class GameInfo:
    """A game of the installation; the first of the rules versions is used for new matches."""

    game: str
    rules_versions: tuple[str, ...]
    seats_min: int
    seats_max: int
    bots: tuple[BotInfo, ...]
    bot_names: dict[str, str]
    """For people, by strength, where the game has names for its bots."""


class Durability(StrEnum):
    """What an acknowledged move survives: a process's death, a power cut, a machine's loss."""

    PROCESS = "process"
    POWER = "power"
    NODE = "node"


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """What an installation tells about itself; the size in bytes, times in ms."""

    version: str
    games: tuple[GameInfo, ...]
    durability: Durability
    max_request_bytes: int
    server_time_ms: int
    grace_ms: int


@dataclass(frozen=True, slots=True)
class RuleClause:
    """One clause of a game's rules, e.g. number `5.2`; the text is Markdown."""

    number: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class OptionInfo:
    """A house rule; values and defaults (by mode) in JSON notation."""

    name: str
    values: tuple[str, ...]
    minimum: int | None
    maximum: int | None
    defaults: dict[str, str]
    description: str


@dataclass(frozen=True, slots=True)
class Rules:
    """The player's rules of a game and its options."""

    title: str
    clauses: tuple[RuleClause, ...]
    options: tuple[OptionInfo, ...]
