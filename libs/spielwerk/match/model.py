"""The values of a match: who sits where, what is recorded, and the state folded from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeAlias

from spielwerk.games.game import AnyGame, BotInformation, BotPolicy, Result, Seat

SEATING_MS: Final = 15_000
GRACE_MS: Final = 250
"""A turn is expired this long after its deadline at the earliest: a move under way still counts."""
RECEIPTS: Final = 16
"""So many commands of each seat are remembered for repeats."""
DIGEST_EVERY: Final = 16
JOIN: Final = "join"
"""Turn key of a seat that has not joined."""


class WatchPolicy(StrEnum):
    """Who may watch and read a match besides its seats."""

    PARTICIPANTS = "participants"
    ANYONE = "anyone"


class Origin(StrEnum):
    """How the match came about."""

    QUEUE = "queue"
    ROOM = "room"
    PRACTICE = "practice"
    REMATCH = "rematch"


class Phase(StrEnum):
    """Where a match stands."""

    SEATING = "seating"
    PLAYING = "playing"
    ENDED = "ended"


class CauseKind(StrEnum):
    """Who caused a record."""

    PLAYER = "player"
    BOT = "bot"
    TIMER = "timer"
    OPERATOR = "operator"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Human:
    """A person's seat; the id is a pseudonym."""

    player_id: str


@dataclass(frozen=True, slots=True)
class Bot:
    """A seat played by the installation, e.g. `expert` by policy `expert@1`."""

    strength: str
    policy: str
    information: BotInformation

    @classmethod
    def of(cls, policy: BotPolicy[Any, Any]) -> Bot:
        """The bot of a policy, as it is recorded with a seat."""
        return cls(policy.strength, policy.policy, policy.information)


Occupant: TypeAlias = Human | Bot


@dataclass(frozen=True, slots=True)
class Opened:
    """First event of every match: all that its rules read."""

    game: str
    rules_version: str
    options: Any
    occupants: tuple[Occupant, ...]
    watch: WatchPolicy
    rated: bool
    commitment: bytes
    bot_commitment: bytes
    seating_ms: int
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Joined:
    """A player took the seat; entropy is 32 bytes, or empty (recorded as missing)."""

    seat: Seat
    entropy: bytes


@dataclass(frozen=True, slots=True)
class Outage:
    """From the last sign of life of the services before it to the first one after, in ms."""

    from_ms: int
    until_ms: int


@dataclass(frozen=True, slots=True)
class ClockShifted:
    """The open turns that an outage overlapped moved by `ms`: their deadlines, and as much is taken
    off the time that their seats have used."""

    ms: int
    reason: str
    from_ms: int
    until_ms: int


@dataclass(frozen=True, slots=True)
class Aborted:
    """An operator ended the match."""

    reason: str


@dataclass(frozen=True, slots=True)
class Ended:
    """Last event of every match; publishes the seeds. `result` None: void or aborted."""

    result: Result | None
    reason: str
    seed: bytes
    bot_seed: bytes
    game: str
    rules_version: str
    occupants: tuple[Occupant, ...]
    rated: bool
    origin: Origin | None
    joined: tuple[Seat, ...]


PLATFORM_EVENTS: Final = (Opened, Joined, ClockShifted, Aborted, Ended)


@dataclass(frozen=True, slots=True)
class Secrets:
    """Sources of the draws; 32 bytes each."""

    seed: bytes
    bot_seed: bytes


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a record exists; `command` is the game's command, for causes that have one."""

    kind: CauseKind
    seat: Seat | None = None
    command_id: str = ""
    command: Any = None


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """A seat must act; times in ms by the log's clock. `since_ms` moves with a shift of the
    clock."""

    seat: Seat
    key: str
    since_ms: int
    deadline_ms: int | None


@dataclass(frozen=True, slots=True)
class Record:
    """The whole outcome of one command: one message of the log. `events` are the match's and the
    game's."""

    match_id: str
    version: int
    recorded_at_ms: int
    cause: Cause
    events: tuple[Any, ...]
    turns: tuple[OpenTurn, ...]
    previous_sha256: bytes
    state_sha256: bytes = b""
    secrets: Secrets | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """An accepted command, kept to answer its repeats; `sequence` is where its record is stored."""

    command_id: str
    command: Any
    version: int
    sequence: int


@dataclass(frozen=True, slots=True)
class Match:
    """A match folded from its records. `entropies`: None for a seat that has not joined (bots never
    do).

    `head_sha256` is over the stored bytes of the last record. Outages that ended until
    `accounted_ms` are accounted for: they are in the turns, or there was no match yet.
    """

    match_id: str
    game: AnyGame
    opened: Opened
    secrets: Secrets
    version: int
    recorded_at_ms: int
    phase: Phase
    entropies: tuple[bytes | None, ...]
    state: Any
    turns: Mapping[Seat, OpenTurn]
    receipts: tuple[tuple[Receipt, ...], ...]
    head_sha256: bytes
    accounted_ms: int
    ended: Ended | None = None

    def is_bot(self, seat: Seat) -> bool:
        """Whether the installation plays the seat."""
        return isinstance(self.opened.occupants[seat], Bot)

    def seat_of(self, player_id: str) -> Seat | None:
        """The player's seat, if it has one."""
        for seat, occupant in enumerate(self.opened.occupants):
            if isinstance(occupant, Human) and occupant.player_id == player_id:
                return seat
        return None

    @property
    def joined(self) -> tuple[Seat, ...]:
        """Seats whose players have joined."""
        return tuple(seat for seat, given in enumerate(self.entropies) if given is not None)
