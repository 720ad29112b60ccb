"""What clients asked and were told while faults ran, written down before it can be lost."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

OPERATIONS: Final = frozenset(
    {
        "submit",
        "resign",
        "join",
        "view",
        "history",
        "enqueue",
        "cancel",
        "room_create",
        "room_join",
        "create_guest",
        "rankings",
    }
)


class Outcome(StrEnum):
    """What the caller knows of an invocation."""

    OPEN = "open"  # asked, nothing told yet; when the recording ends here it is unknown
    OK = "ok"
    REFUSED = "refused"  # definitely not done
    UNKNOWN = "unknown"  # cut off, timed out, given up: may be done


@dataclass(slots=True)
class Invocation:
    """One command or call under one id, with all its retries. Times are the recorder's clock, in
    seconds."""

    number: int
    client: str
    player_id: str
    operation: str
    match_id: str
    seat: int | None
    command_id: str
    turn_key: str
    asked_at: float
    outcome: Outcome = Outcome.OPEN
    status: str = ""
    reason: str = ""
    version: int | None = None
    ticket_id: str = ""
    answered_at: float | None = None


@dataclass(slots=True)
class WatchLog:
    """One watch stream as one viewer received it.

    `resumed_after` is the version it asked to go on from; without it the first of `versions` is
    the snapshot. `ended` is empty while it runs, else how it ended (a status, or `match_over`).
    """

    viewer: str
    player_id: str
    match_id: str
    resumed_after: int | None
    versions: list[int] = field(default_factory=list)
    ended: str = ""


@dataclass(slots=True)
class Pairing:
    """A ticket told its player that this match is theirs."""

    player_id: str
    match_id: str
    at: float
    ticket_id: str = ""


@dataclass(slots=True)
class History:
    """Everything that the clients of one run asked and were told."""

    invocations: list[Invocation] = field(default_factory=list)
    watches: list[WatchLog] = field(default_factory=list)
    pairings: list[Pairing] = field(default_factory=list)


class Recorder:
    """Keeps a history and writes it as JSON lines; one process, any number of clients."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.path = path
        self.history = History()
        self._clock = clock
        self._numbers: dict[int, int] = {}  # of the watches, by their identity
        self._file = path.open("w", encoding="utf-8")

    def close(self) -> None:
        self._file.close()

    def begin(
        self,
        client: str,
        operation: str,
        *,
        player_id: str = "",
        match_id: str = "",
        seat: int | None = None,
        command_id: str = "",
        turn_key: str = "",
        ticket_id: str = "",
    ) -> Invocation:
        """Note what is about to be asked, in the file before it returns; ValueError for an
        operation that nobody knows."""
        if operation not in OPERATIONS:
            raise ValueError(operation)
        invocation = Invocation(
            number=len(self.history.invocations) + 1,
            client=client,
            player_id=player_id,
            operation=operation,
            match_id=match_id,
            seat=seat,
            command_id=command_id,
            turn_key=turn_key,
            ticket_id=ticket_id,
            asked_at=self._clock(),
        )
        self.history.invocations.append(invocation)
        self._write("asked", asdict(invocation))
        return invocation

    def end(
        self,
        invocation: Invocation,
        outcome: Outcome,
        *,
        status: str = "",
        reason: str = "",
        version: int | None = None,
        match_id: str = "",
        player_id: str = "",
        seat: int | None = None,
        ticket_id: str = "",
    ) -> None:
        """Note the answer; what only the answer knows (the seat, a new match, guest or ticket)
        fills up the invocation."""
        invocation.answered_at = self._clock()
        invocation.outcome = outcome
        invocation.status, invocation.reason, invocation.version = status, reason, version
        invocation.match_id = match_id or invocation.match_id
        invocation.player_id = player_id or invocation.player_id
        invocation.seat = invocation.seat if seat is None else seat
        invocation.ticket_id = ticket_id or invocation.ticket_id
        self._write("answered", asdict(invocation))

    def watch(
        self, viewer: str, match_id: str, resumed_after: int | None, *, player_id: str = ""
    ) -> WatchLog:
        """A stream was opened; `saw` and `unwatched` go on with it."""
        log = WatchLog(viewer, player_id, match_id, resumed_after)
        self.history.watches.append(log)
        self._numbers[id(log)] = len(self.history.watches)
        self._write("watch", asdict(log))
        return log

    def saw(self, log: WatchLog, version: int) -> None:
        """The stream gave this version."""
        log.versions.append(version)
        self._write("saw", {"number": self._numbers[id(log)], "version": version})

    def unwatched(self, log: WatchLog, ended: str) -> None:
        """The stream ended: a status name, or `match_over`."""
        log.ended = ended
        self._write("unwatched", {"number": self._numbers[id(log)], "ended": ended})

    def paired(self, player_id: str, match_id: str, ticket_id: str = "") -> None:
        """A ticket said that this match is the player's."""
        pairing = Pairing(player_id, match_id, self._clock(), ticket_id)
        self.history.pairings.append(pairing)
        self._write("paired", asdict(pairing))

    def _write(self, kind: str, content: dict[str, Any]) -> None:
        self._file.write(json.dumps({"kind": kind} | content) + "\n")
        self._file.flush()


def read_history(path: Path) -> History:
    """The history in a file, also in one that was cut off within its last line; ValueError for
    a damaged line before that."""
    history = History()
    lines = path.read_text(encoding="utf-8").split("\n")
    for line in lines[:-1]:  # what has no line end was cut off (or is empty)
        _take_up(history, json.loads(line))
    return history


def _take_up(history: History, content: dict[str, Any]) -> None:
    match content.pop("kind"):
        case "asked":
            history.invocations.append(_invocation(content))
        case "answered":
            history.invocations[content["number"] - 1] = _invocation(content)
        case "watch":
            history.watches.append(WatchLog(**content))
        case "saw":
            history.watches[content["number"] - 1].versions.append(content["version"])
        case "unwatched":
            history.watches[content["number"] - 1].ended = content["ended"]
        case "paired":
            history.pairings.append(Pairing(**content))
        case unknown:
            raise ValueError(unknown)


def _invocation(content: dict[str, Any]) -> Invocation:
    return Invocation(**content | {"outcome": Outcome(content["outcome"])})
