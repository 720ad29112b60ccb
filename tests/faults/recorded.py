"""A right run of two real matches in a row, as clients write it down while they play: faults are
planted into it."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from audit.playing import NOW, Table, opened_table
from faults.checks import ZONE, check_all
from faults.checks_boards import BoardRead
from faults.history import History, Invocation, Outcome, Recorder, read_history
from faults.witness import Witness
from spielwerk.games import registry
from spielwerk.games.game import Seat
from spielwerk.log.port import Stored
from spielwerk.match import decide
from spielwerk.match.model import GRACE_MS, CauseKind, Human, Outage, Phase
from spielwerk.rankings.periods import PeriodKind

PLAYERS: Final = ("alice", "bob")
TOKEN: Final = "dG9rZW4gb2YgYWxpY2U.c2lnbmF0dXJl"
ROOM_CODE: Final = "7K2P-M9QX-4TND"
OUTAGE_MS: Final = 20_000
_BETWEEN_READS: Final = 10


@dataclass
class Run:
    """What all checks are given."""

    witness: Witness
    history: History
    outages: list[Outage]
    boards: list[BoardRead] = field(default_factory=list)
    logs: dict[str, list[str]] = field(default_factory=dict)

    def faults(self) -> dict[str, list[str]]:
        """What the checks find, without the kinds of which they find nothing."""
        return {kind: faults for kind, faults in self.every_kind().items() if faults}

    def every_kind(self) -> dict[str, list[str]]:
        """What the checks find, of every kind of fault."""
        return check_all(
            self.witness,
            self.history,
            outages=self.outages,
            boards=self.boards,
            logs=self.logs,
            secrets={"alice's token": TOKEN, "the room's code": ROOM_CODE},
        )

    @property
    def match_ids(self) -> list[str]:
        return list(self.witness.stored)

    def messages(self, number: int = 0) -> list[Stored]:
        """What is stored of the first or second match."""
        return list(self.witness.stored.values())[number]

    def asked(self, operation: str, outcome: Outcome = Outcome.OK) -> list[Invocation]:
        """In the order in which they were asked."""
        every = self.history.invocations
        return [one for one in every if (one.operation, one.outcome) == (operation, outcome)]


def record_run(path: Path) -> Run:
    """Two matches; in the second one an outage is made good and a turn times out all the same. The
    history is the file, read back."""
    clients = Clients(path)
    first = clients.meet(1)
    clients.join(first)
    clients.play(first)
    second = clients.meet(2)
    clients.join(second)
    outage = clients.suffer(second)
    clients.play(second)
    clients.recorder.close()
    witness = Witness()
    for table in (first, second):
        witness.stored[table.match_id] = table.stored
    run = Run(witness, read_history(path), [outage])
    run.boards = [_board(witness, source) for source in ("live", "after rebuild")]
    run.logs = {"rules": [f'{{"event":"submit","match_id":"{first.match_id}"}}']}
    return run


def _board(witness: Witness, source: str) -> BoardRead:
    rows = witness.board("cribbage", PeriodKind.ALL_TIME, ZONE)
    told = [(row.rank, row.player_id, row.total.n_milli, row.total.games) for row in rows]
    return BoardRead("cribbage", PeriodKind.ALL_TIME, source, tuple(told))


class Clients:
    """Two players and a spectator, who write down what they ask and are told."""

    def __init__(self, path: Path) -> None:
        self._now = 0.0
        self.recorder = Recorder(path, self._clock)
        self._rng = random.Random("recorded")

    def _clock(self) -> float:
        self._now += 0.25
        return self._now

    def meet(self, number: int) -> Table:
        """Both enqueue and are paired; bob had thought better of it once."""
        game = registry.newest("cribbage")
        occupants = [Human(player) for player in PLAYERS]
        table = opened_table(game, occupants, game.options(target=61), number)
        table.stored[0] = replace(table.stored[0], sequence=1_000_000 * number)
        self._enqueue("bob", f"bob {number} cancelled")
        asked = self.recorder.begin(
            "bob", "cancel", player_id="bob", ticket_id=f"bob {number} cancelled"
        )
        self.recorder.end(asked, Outcome.OK)
        for player in PLAYERS:
            self._enqueue(player, f"{player} {number}")
            self.recorder.paired(player, table.match_id, f"{player} {number}")
        return table

    def join(self, table: Table) -> None:
        for seat, player in enumerate(PLAYERS):
            asked = self.recorder.begin(player, "join", player_id=player, match_id=table.match_id)
            entropy = self._rng.randbytes(32)
            self.append(table, decide.join(table.now, seat, entropy, NOW + 10 + seat))
            self.recorder.end(asked, Outcome.OK, version=table.now.version, seat=seat)

    def move(self, table: Table, outcome: Outcome = Outcome.OK) -> None:
        """A random command of who must act, stored whatever its player is told."""
        seat = self._rng.choice(sorted(table.now.turns))
        command = self._rng.choice(list(table.now.game.legal(table.now.state, seat)))
        asked = self._ask(table, seat, table.now.turns[seat].key)
        self._submit(table, asked, command)
        if outcome is Outcome.OK:
            self.recorder.end(asked, Outcome.OK, version=table.now.version)
        else:
            self.recorder.end(asked, outcome, status="UNAVAILABLE")

    def too_late(self, table: Table) -> None:
        """A command for a turn that was just answered: honestly refused."""
        seat = self._rng.choice(sorted(table.now.turns))
        key = table.now.turns[seat].key
        self.move(table)
        while table.now.turns.get(seat) is not None and table.now.turns[seat].key == key:
            self.move(table)
        asked = self._ask(table, seat, key)
        self.recorder.end(asked, Outcome.REFUSED, status="FAILED_PRECONDITION", reason="stale_turn")

    def play(self, table: Table) -> None:
        """To the end, with reads, a lost answer and a late command on the way."""
        self.move(table, Outcome.UNKNOWN)
        self.too_late(table)
        while table.now.phase is not Phase.ENDED:
            self.move(table)
            if table.now.version % _BETWEEN_READS == 0:
                self.read(table)
        self.read(table)
        last = table.now.version
        self.watch("alice", table, None, last // 2, "UNAVAILABLE")
        self.watch("alice", table, last // 2, last, "match_over")
        self.watch("spectator", table, None, last, "match_over")

    def suffer(self, table: Table) -> Outage:
        """An outage of ours, made good; then a turn runs out of its whole time."""
        began = table.now.recorded_at_ms + 1_000
        outage = Outage(began, began + OUTAGE_MS)
        shifted = decide.shift_clock(table.now, outage, outage.until_ms + 100)
        self.append(table, shifted)
        seat, turn = min(table.now.turns.items())
        assert turn.deadline_ms is not None
        overdue = turn.deadline_ms + GRACE_MS + 40
        self.append(table, decide.expire(table.now, seat, turn.key, overdue))
        return outage

    def read(self, table: Table) -> None:
        for operation, client in zip(("view", "history"), PLAYERS, strict=True):
            asked = self.recorder.begin(
                client, operation, player_id=client, match_id=table.match_id
            )
            self.recorder.end(asked, Outcome.OK, version=table.now.version)

    def watch(self, viewer: str, table: Table, after: int | None, until: int, end: str) -> None:
        """One stream, with a snapshot first if it does not go on after a version."""
        log = self.recorder.watch(viewer, table.match_id, after)
        for version in range(1 if after is None else after + 1, until + 1):
            self.recorder.saw(log, version)
        self.recorder.unwatched(log, end)

    def append(self, table: Table, decided: decide.Decided | None) -> None:
        table.append(decided)
        last = table.stored[-2].sequence + 3
        table.stored[-1] = replace(table.stored[-1], sequence=last)

    def _enqueue(self, player: str, ticket_id: str) -> None:
        asked = self.recorder.begin(player, "enqueue", player_id=player)
        self.recorder.end(asked, Outcome.OK, ticket_id=ticket_id)

    def _ask(self, table: Table, seat: Seat, key: str) -> Invocation:
        return self.recorder.begin(
            PLAYERS[seat],
            "submit",
            player_id=PLAYERS[seat],
            match_id=table.match_id,
            seat=seat,
            command_id=f"{self._rng.getrandbits(64):016x}",
            turn_key=key,
        )

    def _submit(self, table: Table, asked: Invocation, command: Any) -> None:
        now = table.now.recorded_at_ms + self._rng.randrange(50, 900)
        assert asked.seat is not None
        decided = decide.submit(
            table.now,
            CauseKind.PLAYER,
            asked.seat,
            asked.command_id,
            command,
            asked.turn_key,
            now,
        )
        self.append(table, decided)
